#include "cuda/plugin/sampler.h"

#include <algorithm>
#include <exception>
#include <memory>

#include "cuda/drivers/batch_bounds.h"
#include "cuda/drivers/batch_negatives.h"
#include "cuda/drivers/batch_run.h"
#include "cuda/runtime/failure.h"

namespace gls::cuda {
namespace {

// The least memory of a batch before its sizes are known, if memory is short. With far less, HGT
// and neighbourhoods would run in many small pieces.
constexpr uint64_t kLeastBytes = uint64_t{1} << 20;

class HopSampler final : public device::GpuSampler {
 public:
  HopSampler(CudaGpu& gpu, const device::SamplerPlan& plan) : gpu_(gpu), plan_(plan), kept_(gpu) {}

  bool begin(uint64_t most_bytes, device::GpuError* error) {
    most_bytes_ = most_bytes;
    if (most_bytes_ > 0) {
      return true;
    }
    if (!gpu_.free_memory(&most_bytes_, error)) {
      return false;
    }
    most_bytes_ /= 4;
    return true;
  }

  void destroy() noexcept override { delete this; }

  bool sample(const device::SampleWork& work, device::Stream stream, device::SampleAnswer* answer,
              device::GpuError* error) noexcept override {
    const OnGpu on(gpu_, error);
    if (!on) {
      return false;
    }
    try {
      if (sample_with(most_bytes_, work, stream, answer, error)) {
        return true;
      }
      return error->code == GLS_ERR_OUT_OF_MEMORY && most_bytes_ > kLeastBytes &&
             again(work, stream, answer, error);
    } catch (const std::exception&) {  // only for lack of memory
      return refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
    }
  }

  bool draw(const device::NegativesWork& work, const int64_t* link_sources, int64_t num_links,
            device::Stream stream, int64_t* sources, int64_t* targets,
            device::GpuError* error) noexcept override {
    const OnGpu on(gpu_, error);
    return on && draw_by_themselves(&kept_, work, link_sources, num_links, stream, sources, targets,
                                    error);
  }

 private:
  bool sample_with(uint64_t most_bytes, const device::SampleWork& work, device::Stream stream,
                   device::SampleAnswer* answer, device::GpuError* error) {
    return BatchRun(plan_, &kept_, most_bytes, work, stream, error).run(answer);
  }
  // Repeats with true sizes, which are smaller. If these fit, other code has allocated memory since
  // most_bytes_ was chosen, so later batches request less.
  bool again(const device::SampleWork& work, device::Stream stream, device::SampleAnswer* answer,
             device::GpuError* error) {
    *error = {};
    if (!sample_with(kLeastBytes, work, stream, answer, error)) {
      return false;
    }
    most_bytes_ = std::max(most_bytes_ / 2, kLeastBytes);
    return true;
  }

  CudaGpu& gpu_;
  const OwnPlan plan_;
  KeptMemory kept_;
  uint64_t most_bytes_ = 0;
};

}  // namespace

device::GpuSampler* make_sampler(CudaGpu& gpu, const device::SamplerPlan& plan,
                                 device::GpuError* error, uint64_t most_bytes) noexcept {
  try {
    auto sampler = std::make_unique<HopSampler>(gpu, plan);
    return sampler->begin(most_bytes, error) ? sampler.release() : nullptr;
  } catch (const std::exception&) {
    refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
    return nullptr;
  }
}

}  // namespace gls::cuda
