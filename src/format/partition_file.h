// Reads the description of a folder of parts: partition.json, checked against partition.fbs.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "partition_generated.h"

namespace gls {

inline constexpr const char* kPartitionFile = "partition.json";
inline constexpr const char* kPartitionFormat = "gls-partition";
inline constexpr uint32_t kPartitionVersion = 1;

// Whether `folder` holds a description of any version; nothing else is checked.
bool holds_partition(const std::string& folder);

// Checks what can be checked without the arrays, including the whole graph's manifest.
Result<format::PartitionT> parse_partition(std::string_view text, std::string_view file);
std::string partition_to_json(const format::PartitionT& partition);

// The folder of a part, inside the folder of parts.
std::string part_folder(uint32_t number);

}  // namespace gls
