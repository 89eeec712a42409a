// Checks single arrays of a dataset in parallel. Of several faults, the first in order is reported.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/progress.h"
#include "context/thread_pool.h"
#include "tensor/tensor.h"

namespace gls {

// The array to check: its name in errors, and the code of a fault.
struct CheckedArray {
  std::string name = {};  // the path of its file, or a description if it has none
  bool is_file = false;
  std::string type = {};  // the node or edge type it belongs to
  gls_status_t code = GLS_ERR_CORRUPT_DATA;
};

Status array_fault(const CheckedArray& array, int64_t position, const std::string& text);

// Receives the progress of a check.
struct CheckRun {
  ThreadPool& pool;
  const Progress& progress;
  const char* stage;

  // Calls `body` for ranges that cover [0, count).
  Status range(int64_t count, const std::function<Status(int64_t begin, int64_t end)>& body) const;
  // Checks that every id is in [0, limit). `what` names the ids: "node id".
  Status ids(const IdSpan& ids, int64_t limit, const char* what, const CheckedArray& array) const;
};

}  // namespace gls
