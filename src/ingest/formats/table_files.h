// Parquet and Arrow files as a stream of Arrow batches, by the plugin "formats".
#pragma once

#include <gls.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace gls {

struct TableFiles {
  std::vector<std::string> paths;
  std::vector<std::string> fields;  // empty: all
  uint32_t threads = 1;
};

// On success `out` is a stream that the caller releases.
Status open_table_files(const TableFiles& files, ArrowArrayStream* out);

}  // namespace gls
