// A sampler whose batches lie on a device: sampled there as far as the device does what the sampler
// does, else by the processor, and moved.
#pragma once

#include <memory>
#include <string_view>

#include "device/device.h"
#include "sample/device/device_sampler.h"
#include "sample/neighbor/sampler.h"

namespace gls {

class SamplerOnDevice {
 public:
  // As setting device.sampling says. GLS_ERR_UNSUPPORTED: it says that the device must, which does
  // not.
  static Result<std::shared_ptr<const SamplerOnDevice>> open(std::shared_ptr<const Sampler> sampler,
                                                             std::shared_ptr<Device> device);
  // The error if the device must sample, but `why` is in its way; empty: nothing is.
  static Status check_device_may_not(const Context& context, std::string_view why);

  // As Sampler::sample(), complete for whatever stream. Any number of threads at once.
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request) const;

  const std::shared_ptr<Device>& device() const { return device_; }
  // NULL: the processor samples.
  const std::shared_ptr<const DeviceSampler>& there() const { return there_; }

 private:
  SamplerOnDevice(std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device)
      : sampler_(std::move(sampler)), device_(std::move(device)) {}
  bool samples_there(const SampleRequest& request) const;

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<const DeviceSampler> there_;
  bool must_ = false;
};

// What of a batch lies on the host goes to the device, but for its counts. Waits for that.
Status move_batch(const DeviceStream& stream, Batch* batch);

}  // namespace gls
