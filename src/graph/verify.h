// Checks a dataset completely, reading everything; and writes one that exists to a folder.
#pragma once

#include <string>

#include "base/progress.h"
#include "graph/dataset.h"

namespace gls {

// What is checked is listed at gls_dataset_verify().
Status verify_dataset(const Dataset& dataset, const Progress& progress);

struct SaveOptions {
  bool csc = true;  // of the layouts the dataset has
  bool csr = true;
  bool overwrite = false;
  bool pad_rows = true;
  Progress progress;
};
Status save_dataset(const Dataset& dataset, const std::string& path, const SaveOptions& options);

}  // namespace gls
