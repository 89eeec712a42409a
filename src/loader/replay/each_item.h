// A parallel loop of work that may be cancelled, and may need temporary files.
#pragma once

#include <cstddef>
#include <functional>

#include "base/status.h"
#include "context/thread_pool.h"

namespace gls {

// Calls body(i) for i below `count` on the threads of the pool. What cancels the work of this
// thread cancels the loop. This thread calls `tick`, as in parallel_try(). A folder without space
// is an error.
Status for_each_item(ThreadPool& pool, size_t count, const std::function<Status(size_t i)>& body,
                     const std::function<Status()>& tick = {});

}  // namespace gls
