// Presents a dataset without partitions as the only part of a partition, so that a server needs no
// copy. docs/decisions/0051-uncut.md
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

// The partition with one part, for the dataset in this folder.
Result<std::shared_ptr<const Partition>> open_uncut(const std::string& path,
                                                    Links links = Links::kInside);

// The name of that partition. It changes with the manifest, which holds checksums of all arrays.
std::string name_of_uncut(std::span<const std::byte> manifest);

// The dataset as part 0 of 1. It shares the arrays.
Result<std::shared_ptr<const Dataset>> as_only_part(const Dataset& dataset,
                                                    const std::string& name);

}  // namespace gls
