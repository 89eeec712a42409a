// Parallel loops whose pieces can fail, report progress and be cancelled. The failure that is
// returned is the first one in order, whatever the threads did, so that messages are reproducible.
#pragma once

#include <cstddef>
#include <functional>

#include "base/status.h"
#include "context/thread_pool.h"

namespace gls {

// Calls body(begin, end) for consecutive ranges of about `grain` that cover [0, count), on the pool
// and the calling thread; may be called from a thread of the pool. Of several failures the one with
// the lowest range is returned; ranges after it may be left out. `tick`, which may be empty, is
// called from the calling thread between its ranges, now and then while it waits, and at the end;
// its failure (a cancellation) ends the loop too.
Status parallel_try(ThreadPool& pool, size_t count, size_t grain,
                    const std::function<Status(size_t begin, size_t end)>& body,
                    const std::function<Status()>& tick = {});

// Items that are brought in one after another, worked on in parallel, and taken away in order. An
// item lives in one of `window` slots, so memory is bounded by the slots.
struct Pipeline {
  std::function<Result<bool>(size_t slot)> feed;  // calling thread, in order; false: no more items
  std::function<Status(size_t slot)> work;        // any thread
  std::function<Status(size_t slot)> drain;       // calling thread, in order
};
// Returns the first failure in the order of the items.
Status run_pipeline(ThreadPool& pool, size_t window, const Pipeline& pipeline);

// The status of `body`, with an allocation failure turned into one: nothing may be thrown on a
// thread of the pool.
Status guarded(const std::function<Status()>& body);

}  // namespace gls
