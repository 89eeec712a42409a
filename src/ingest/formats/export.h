// Writes datasets as files of other systems, by the plugin "formats".
#pragma once

#include <gls.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace gls {

struct DatasetCalls;

struct Export {
  std::string format;
  std::string path;
  std::vector<std::string> choices;  // "name=value"
  bool overwrite = false;
  gls_progress_fn progress = nullptr;
  void* progress_user_data = nullptr;
};

// Reads the dataset by calls of the C ABI.
Status export_dataset(const Export& asked, const DatasetCalls& calls, const gls_dataset_t* dataset);

}  // namespace gls
