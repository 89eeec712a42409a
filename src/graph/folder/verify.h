// Checks a dataset completely, reading everything; and writes one that exists to a folder.
#pragma once

#include <optional>
#include <string>

#include "base/progress.h"
#include "graph/dataset/dataset.h"
#include "graph/partition/partition.h"

namespace gls {

// What is checked is listed at gls_dataset_verify().
Status verify_dataset(const Dataset& dataset, const Progress& progress);

// Compares the checksums of the files only.
Status verify_checksums(const Dataset& dataset, const Progress& progress);

// The same of the files of a partition that are in no part.
Status verify_checksums(const Partition& partition, ThreadPool& pool, const Progress& progress);

struct SaveOptions {
  // Unset: stored where the dataset has it; true: an error where it does not.
  std::optional<bool> csc;
  std::optional<bool> csr;
  bool overwrite = false;
  bool pad_rows = true;
  Progress progress;
};
Status save_dataset(const Dataset& dataset, const std::string& path, const SaveOptions& options);

}  // namespace gls
