#include <cstring>

#include "capi/support/devices.h"
#include "capi/support/support.h"
#include "cluster/group/launcher.h"
#include "loader/columns/device_delivery.h"

namespace gls::capi {

Result<std::shared_ptr<Device>> open_device(DLDevice device,
                                            const std::shared_ptr<Device>& otherwise) {
  const auto type = static_cast<int32_t>(device.device_type);
  if ((type == 0 || type == kDLCPU) && device.device_id == 0) {
    return type == 0 ? otherwise : nullptr;
  }
  if (type != kDLCUDA) {
    return error(GLS_ERR_UNSUPPORTED,
                 "device is type {}, id {}, expected the host (type 1, id 0) or a GPU (type 2)",
                 type, device.device_id)
        .with("argument", "device");
  }
  return Device::open(device.device_id);
}

LocalPlace local_place() {
  group::LauncherRequest wish;
  wish.finds_rank_0 = false;
  LocalPlace out;
  Result<group::Place> place = group::find_place(wish, group::process_environment());
  if (!place.ok()) {
    out.missing = place.status().message();
  } else if (place->world_size > 1 && (!place->local_rank || !place->local_size)) {
    out.missing =
        "the launcher does not say which of how many processes of this machine this is; "
        "LOCAL_RANK and LOCAL_WORLD_SIZE do, beside RANK and WORLD_SIZE";
  } else if (place->world_size > 1 && *place->local_rank >= *place->local_size) {
    out.missing = formatted("the launcher says that this is process {} of {} of this machine",
                            *place->local_rank, *place->local_size);
  } else if (place->world_size > 1) {
    out.rank = *place->local_rank;
    out.size = *place->local_size;
    out.job = place->job;
  }
  return out;
}

}  // namespace gls::capi

using gls::Status;
using gls::capi::guard;
using gls::capi::write_info;

extern "C" {

uint32_t gls_device_count(void) {
  uint32_t count = 0;
  guard(nullptr, [&]() -> Status {
    count = static_cast<uint32_t>(gls::Device::count());
    return {};
  });
  return count;
}

gls_status_t gls_device_get_info(DLDevice device, gls_device_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(out);
    GLS_ASSIGN(const std::shared_ptr<gls::Device> opened, gls::capi::open_device(device));
    if (opened == nullptr) {
      return gls::invalid("device is the host, expected a GPU").with("argument", "device");
    }
    const gls::device::GpuInfo& info = opened->info();
    gls_device_info_t known{};
    std::memcpy(known.name, info.name, sizeof known.name);
    known.bytes = info.bytes;
    if (opened->in_use()) {  // a query is no reason to use memory of the device
      GLS_ASSIGN(known.free_bytes, opened->free_memory());
    }
    known.major = info.major;
    known.minor = info.minor;
    return write_info(known, out);
  });
}

gls_status_t gls_batch_record_stream(const gls_batch_t* batch, void* stream, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    if (batch->impl->readers != nullptr) {
      batch->impl->readers->add(stream);
    }
    return {};
  });
}

gls_status_t gls_tensor_record_stream(const gls_tensor_t* tensor, void* stream, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(tensor);
    const gls::Tensor* const ours = gls::Tensor::behind(*tensor);
    if (ours == nullptr) {
      return gls::invalid(
                 "tensor is not an array of a batch, of one of its blocks, or of rows of a dataset")
          .with("argument", "tensor");
    }
    if (!ours->on_host() && ours->owner() != nullptr) {
      const auto& memory = *static_cast<const gls::DeviceMemory*>(ours->owner().get());
      if (memory.readers() != nullptr) {
        memory.readers()->add(stream);
      }
    }
    return {};
  });
}

gls_status_t gls_batch_to_host(const gls_batch_t* batch, gls_batch_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(out);
    GLS_ASSIGN(std::shared_ptr<gls::Batch> copy, gls::copy_to_host(*batch->impl));
    *out = new gls_batch{std::move(copy)};
    return {};
  });
}

}  // extern "C"
