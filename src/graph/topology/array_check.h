// Checks of single arrays of a dataset, in parallel. Of several faults the first in order is
// reported.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/progress.h"
#include "context/thread_pool.h"
#include "tensor/tensor.h"

namespace gls {

// An array under check: what it is called in errors, and what a fault in it is.
struct CheckedArray {
  std::string name = {};  // the path of its file; what it is, when it has none
  bool is_file = false;
  std::string type = {};  // the node or edge type it belongs to
  gls_status_t code = GLS_ERR_CORRUPT_DATA;
};

Status array_fault(const CheckedArray& array, int64_t position, const std::string& text);

// What a check reports to while it runs.
struct CheckRun {
  ThreadPool& pool;
  const Progress& progress;
  const char* stage;

  // Calls `body` for ranges that cover [0, count).
  Status range(int64_t count, const std::function<Status(int64_t begin, int64_t end)>& body) const;
  // Every id is in [0, limit). `what` is what they are: "node id".
  Status ids(const IdSpan& ids, int64_t limit, const char* what, const CheckedArray& array) const;
};

}  // namespace gls
