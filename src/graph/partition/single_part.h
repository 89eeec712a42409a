// A dataset that was not cut into parts, as the one part that it would be: what is served of it
// needs no copy. docs/decisions/0051-uncut.md
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "graph/dataset/dataset.h"
#include "graph/partition/partition.h"

namespace gls {

// Whether the folder has a manifest.
bool is_dataset(const std::string& path);

// The partition of one part, of the dataset in this folder.
Result<std::shared_ptr<const Partition>> open_uncut(const std::string& path,
                                                    Links links = Links::kInside);

// What stands for the name of its partition: it is another one when the manifest changes, which has
// checksums of all arrays.
std::string name_of_uncut(std::span<const std::byte> manifest);

// The dataset as part 0 of 1. Arrays are shared.
Result<std::shared_ptr<const Dataset>> as_only_part(const Dataset& dataset,
                                                    const std::string& name);

}  // namespace gls
