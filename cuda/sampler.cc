#include "cuda/sampler.h"

#include <exception>
#include <memory>

#include "cuda/batch_bounds.h"
#include "cuda/batch_negatives.h"
#include "cuda/batch_run.h"
#include "cuda/failure.h"

namespace gls::cuda {
namespace {

class HopSampler final : public device::GpuSampler {
 public:
  HopSampler(device::Gpu& gpu, const device::SamplerPlan& plan) : plan_(plan), kept_(gpu) {}

  bool begin(uint64_t most_bytes, device::GpuError* error) {
    most_bytes_ = most_bytes;
    if (most_bytes_ > 0) {
      return true;
    }
    if (!kept_.gpu.free_memory(&most_bytes_, error)) {
      return false;
    }
    most_bytes_ /= 4;
    return true;
  }

  void destroy() noexcept override { delete this; }

  bool sample(const device::SampleWork& work, device::Stream stream, device::SampleAnswer* answer,
              device::GpuError* error) noexcept override {
    try {
      return BatchRun(plan_, &kept_, most_bytes_, work, stream, error).run(answer);
    } catch (const std::exception&) {  // only of memory
      return refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
    }
  }

  bool draw(const device::NegativesWork& work, const int64_t* link_sources, int64_t num_links,
            device::Stream stream, int64_t* sources, int64_t* targets,
            device::GpuError* error) noexcept override {
    return draw_by_themselves(&kept_, work, link_sources, num_links, stream, sources, targets,
                              error);
  }

 private:
  const OwnPlan plan_;
  KeptMemory kept_;
  uint64_t most_bytes_ = 0;
};

}  // namespace

device::GpuSampler* make_sampler(device::Gpu& gpu, const device::SamplerPlan& plan,
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
