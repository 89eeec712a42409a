// The interface of what samples many batches together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "loader/seeds/epoch_plan.h"
#include "sample/batch/batch.h"

namespace gls {

// Any number of threads may use it at once.
class WindowSampler {
 public:
  WindowSampler() = default;
  WindowSampler(const WindowSampler&) = delete;
  WindowSampler& operator=(const WindowSampler&) = delete;
  virtual ~WindowSampler() = default;

  // Makes a batch of a plan on the calling thread, without columns.
  using Sample =
      std::function<Result<std::shared_ptr<Batch>>(const EpochPlan& plan, uint64_t number)>;
  // Makes batch `i` with sample(), whose errors it must return.
  using Make = std::function<Status(size_t i, const Sample& sample)>;

  // Calls make(i, sample) for i below `batches` on threads of the context, some times each:
  // sample() may be an error until it has what it needs. The last call for each i counts.
  // `folder`: of temporary files. This thread calls `tick` now and then, which may be empty. The
  // result is the most bytes of temporary files at once. Throws std::bad_alloc and
  // SpillMemory::NoSpace.
  virtual Result<uint64_t> run(size_t batches, const std::string& folder, const Make& make,
                               const std::function<Status()>& tick) const = 0;
};

}  // namespace gls
