// One way to make batches. A sampler chooses its method once, when it is created.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sample/batch/batch.h"
#include "sample/neighbor/sampler_scratch.h"
#include "sample/plan/sampler_plan.h"

namespace gls {

class SamplingMethod {
 public:
  explicit SamplingMethod(std::shared_ptr<const SamplerPlan> plan) : plan_(std::move(plan)) {}
  virtual ~SamplingMethod() = default;
  SamplingMethod(const SamplingMethod&) = delete;
  SamplingMethod& operator=(const SamplingMethod&) = delete;

  // Makes one batch on the calling thread. Any number of threads may call it at once, each with
  // scratch memory of its own.
  virtual Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                                SamplerScratch& scratch) const = 0;

  // The seeds of a request, checked, for a method whose batches begin at nodes alone. They view the
  // request or `memory`. Not set: batches may also begin at links or anchors.
  virtual Result<std::optional<std::vector<SeedSet>>> node_seeds(
      const SampleRequest& request, std::vector<std::vector<int64_t>>* memory) const {
    static_cast<void>(request);
    static_cast<void>(memory);
    return std::optional<std::vector<SeedSet>>();
  }

  const SamplerPlan& plan() const { return *plan_; }

 private:
  const std::shared_ptr<const SamplerPlan> plan_;
};

// The method of a plan over local rows.
std::unique_ptr<const SamplingMethod> make_method(std::shared_ptr<const SamplerPlan> plan);

}  // namespace gls
