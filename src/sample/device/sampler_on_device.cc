#include "sample/device/sampler_on_device.h"

#include <utility>
#include <vector>

#include "device/memory/pinned_pages.h"
#include "device/memory/transfer.h"

namespace gls {
namespace {

enum : size_t { kAuto, kDevice, kHost };  // values of the setting

size_t wanted_place(const Context& context) {
  return context.settings().choice(Setting::kDeviceSampling);
}

}  // namespace

Status SamplerOnDevice::check_device_may_not(const Context& context, std::string_view why) {
  if (why.empty() || wanted_place(context) != kDevice) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "device.sampling is device, but {}; with auto the processor samples then", why)
      .with("argument", "device");
}

Result<std::shared_ptr<const SamplerOnDevice>> SamplerOnDevice::open(
    std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device) {
  const Context& context = *sampler->dataset()->context();
  std::shared_ptr<SamplerOnDevice> out(new SamplerOnDevice(std::move(sampler), std::move(device)));
  const size_t where = wanted_place(context);
  out->must_ = where == kDevice;
  if (where != kHost) {
    const std::string_view beyond = DeviceSampler::beyond(*out->sampler_);
    GLS_TRY(check_device_may_not(context, beyond));
    if (beyond.empty()) {
      auto made = DeviceSampler::create(out->sampler_, out->device_);
      if (!made.ok() && where == kAuto && is_beyond_pinned(made.status())) {
        context.log().write(GLS_LOG_WARN, "device", "the processor samples: {}",
                            made.status().message());
      } else {
        GLS_ASSIGN(out->device_sampler_, std::move(made));
      }
    }
  }
  return std::shared_ptr<const SamplerOnDevice>(std::move(out));
}

bool SamplerOnDevice::samples_on_device(const SampleRequest& request) const {
  return device_sampler_ != nullptr && (must_ || device_sampler_->takes(request));
}

Result<std::shared_ptr<Batch>> SamplerOnDevice::sample(const SampleRequest& request) const {
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  std::shared_ptr<Batch> batch;
  if (samples_on_device(request)) {
    GLS_ASSIGN(batch, device_sampler_->sample(request, stream));
  } else {
    GLS_ASSIGN(batch, sampler_->sample(request));
  }
  GLS_TRY(move_batch(stream, batch.get()));
  GLS_TRY(stream.finish());
  return batch;
}

Status move_batch(const DeviceStream& stream, Batch* batch) {
  if (!batch->inputs.empty()) {  // the batch is a loader's
    batch->num_inputs_known = batch->num_inputs();
  }
  if (batch->readers == nullptr) {
    batch->readers = std::make_shared<StreamReaders>();
  }
  std::vector<Tensor*> arrays;
  visit_arrays(*batch, [&](Tensor& array) { arrays.push_back(&array); });
  GLS_TRY(move_in(stream, arrays, batch->readers));
  batch->device = stream.shared_device();
  return {};
}

}  // namespace gls
