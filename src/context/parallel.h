// Parallel loops whose pieces can fail, report progress and be cancelled. They return the first
// failure in order, for any timing of the threads, so that messages are reproducible.
#pragma once

#include <cstddef>
#include <functional>

#include "base/status.h"
#include "context/thread_pool.h"

namespace gls {

// Calls body(begin, end) for consecutive ranges of about `grain` that cover [0, count). The pool
// and the calling thread run them; the caller may be a thread of the pool. Of several failures, the
// one of the lowest range is returned. Ranges after it may be skipped. The calling thread calls
// `tick`, which may be empty, between its ranges, while it waits, and at the end. A failure of
// `tick` (a cancellation) also ends the loop.
Status parallel_try(ThreadPool& pool, size_t count, size_t grain,
                    const std::function<Status(size_t begin, size_t end)>& body,
                    const std::function<Status()>& tick = {});

// Items that are read one after another, processed in parallel, and written in order. An item
// occupies one of `window` slots, which bounds the memory.
struct Pipeline {
  std::function<Result<bool>(size_t slot)> feed;  // calling thread, in order; false: no more items
  std::function<Status(size_t slot)> work;        // any thread
  std::function<Status(size_t slot)> drain;       // calling thread, in order
};
// Returns the first failure in the order of the items.
Status run_pipeline(ThreadPool& pool, size_t window, const Pipeline& pipeline);

// The status of `body`, or an out-of-memory error for an exception. Threads of the pool must not
// throw.
Status guarded(const std::function<Status()>& body);

}  // namespace gls
