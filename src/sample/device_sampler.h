// Sampling on a device: what a sampler does, as far as a device does it, with the batch's arrays
// made there. The bytes are those of the sampler.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sample/device_graph.h"
#include "sample/sampler.h"

namespace gls {

class DeviceSampler {
 public:
  // What of the sampler a device does not do; empty: nothing.
  static std::string_view beyond(const Sampler& sampler);
  // Of a sampler that has nothing of the kind.
  static Result<std::shared_ptr<const DeviceSampler>> create(std::shared_ptr<const Sampler> sampler,
                                                             std::shared_ptr<Device> device);
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  // As Sampler::sample(), of seeds alone. What it reads and writes is queued on the stream, but for
  // the sizes, which it waits for. Any number of threads at once, each with a stream of its own.
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                        const DeviceStream& stream) const;

 private:
  DeviceSampler(std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device)
      : sampler_(std::move(sampler)), device_(std::move(device)) {}
  Status place();
  Result<device::GpuSampler*> borrow() const;
  bool wide_edge_ids(size_t edge_type) const;

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<DeviceGraph> graph_;
  std::vector<DeviceGraph::Rows> rows_;  // by edge type; those that are not used are empty
  std::vector<device::EdgePlan> edges_;
  std::vector<int64_t> node_counts_;
  mutable std::mutex mutex_;
  mutable std::vector<device::GpuSampler*> idle_;
};

}  // namespace gls
