// The description of a folder of parts: partition.json, checked against partition.fbs.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "partition_generated.h"

namespace gls {

inline constexpr const char* kPartitionFile = "partition.json";
inline constexpr const char* kPartitionFormat = "gls-partition";
inline constexpr uint32_t kPartitionVersion = 1;

// Whether `folder` holds one, of whatever version; the rest is not looked at.
bool holds_partition(const std::string& folder);

// Checks what can be checked without the arrays, of the whole's manifest, too.
Result<format::PartitionT> parse_partition(std::string_view text, std::string_view file);
std::string partition_to_json(const format::PartitionT& partition);

// The folder of a part, inside that of the partition.
std::string part_folder(uint32_t number);

}  // namespace gls
