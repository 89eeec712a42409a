// Checks a dataset completely by reading everything, and saves a dataset to a folder.
#pragma once

#include <optional>
#include <string>

#include "base/progress.h"
#include "graph/dataset/dataset.h"
#include "graph/partition/partition.h"

namespace gls {

// gls_dataset_verify() lists the checks.
Status verify_dataset(const Dataset& dataset, const Progress& progress);

// Only compares the checksums of the files.
Status verify_checksums(const Dataset& dataset, const Progress& progress);

// Compares the checksums of a partition's files that are in no part.
Status verify_checksums(const Partition& partition, ThreadPool& pool, const Progress& progress);

struct SaveOptions {
  // Not set: stored if the dataset has it; true: an error if it does not.
  std::optional<bool> csc;
  std::optional<bool> csr;
  bool overwrite = false;
  bool pad_rows = true;
  Progress progress;
};
Status save_dataset(const Dataset& dataset, const std::string& path, const SaveOptions& options);

}  // namespace gls
