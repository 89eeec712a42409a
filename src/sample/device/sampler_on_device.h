// A sampler whose batches are in device memory. The device samples if it supports the options;
// otherwise the CPU samples, and the batch is copied.
#pragma once

#include <memory>
#include <string_view>

#include "device/device.h"
#include "sample/device/device_sampler.h"
#include "sample/sampler.h"

namespace gls {

class SamplerOnDevice {
 public:
  // Follows the setting device.sampling. GLS_ERR_UNSUPPORTED: the setting requires the device,
  // which does not support the sampler.
  static Result<std::shared_ptr<const SamplerOnDevice>> open(std::shared_ptr<const Sampler> sampler,
                                                             std::shared_ptr<Device> device);
  // An error if the device must sample but cannot, for the reason `why`; empty: it can.
  static Status check_device_may_not(const Context& context, std::string_view why);

  // As Sampler::sample(). The batch is complete for any stream. Any number of threads may call it
  // at once.
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request) const;

  const std::shared_ptr<Device>& device() const { return device_; }
  // NULL: the CPU samples.
  const std::shared_ptr<const DeviceSampler>& device_sampler() const { return device_sampler_; }

 private:
  SamplerOnDevice(std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device)
      : sampler_(std::move(sampler)), device_(std::move(device)) {}
  bool samples_on_device(const SampleRequest& request) const;

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<const DeviceSampler> device_sampler_;
  bool must_ = false;
};

// Copies the arrays of a batch from the host to the device, except its counts. Waits for the
// copies.
Status move_batch(const DeviceStream& stream, Batch* batch);

}  // namespace gls
