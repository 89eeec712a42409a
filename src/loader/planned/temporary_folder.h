// Finds a folder for temporary files.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace gls {

struct TemporaryFolder {
  std::string path;  // empty: no folder can hold them
  uint64_t free_bytes = 0;

  // `given`, which must be able to hold them; or if it is empty, the first that can: the folder of
  // `file`, TMPDIR, /var/tmp. A folder in memory cannot.
  static Result<TemporaryFolder> find(const std::string& given, const std::string& file);
};

}  // namespace gls
