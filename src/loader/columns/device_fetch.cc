#include "loader/columns/device_fetch.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "device/memory/staging.h"
#include "device/memory/transfer.h"

namespace gls {

DeviceFetch::~DeviceFetch() {
  if (!landed_.empty()) {
    static_cast<void>(stream_.finish());
  }
}

Status DeviceFetch::ask(const RowQuestion& question, int64_t rows, std::vector<int64_t> shape) {
  Request asked;
  asked.question = question;
  asked.shape = std::move(shape);
  asked.shape[0] = std::max(rows, question.ids.size());
  asked.row_bytes = static_cast<int64_t>(dtype_bytes(question.dtype));
  for (size_t d = 1; d < asked.shape.size(); ++d) {
    asked.row_bytes *= asked.shape[d];
  }
  const auto bytes = static_cast<uint64_t>(question.ids.size() * asked.row_bytes);
  Result<std::shared_ptr<RdmaBuffer>> taken = pool_.take(bytes);
  if (!taken.ok()) {
    if (taken.status().code() != GLS_ERR_OUT_OF_MEMORY) {
      return std::move(taken.status());
    }
    asked_.push_back(std::move(asked));
    return {};
  }
  asked.landing = taken.take();
  const RowLanding landing{asked.landing->data(), asked.row_bytes, !pool_.host_writes(),
                           asked.landing, [this](std::byte* to, std::span<const std::byte> from) {
                             return copy_in_pieces(
                                 stream_, to, from.size(), 1,
                                 [&](uint64_t offset, uint64_t size, std::byte* out) {
                                   std::memcpy(out, from.data() + offset, size);
                                 });
                           }};
  asked.rows = source_.land_rows(question, landing);
  asked_.push_back(std::move(asked));
  return {};
}

Result<Tensor> DeviceFetch::take() {
  Request asked = std::move(asked_.front());
  asked_.pop_front();
  if (asked.landing != nullptr) {
    GLS_ASSIGN(const LandedRows landed, asked.rows());
    asked.rows = nullptr;
    if (landed.there) {
      ++num_landed_;
      return arrange(asked, landed.places);
    }
    asked.landing->distrust();
    asked.landing = nullptr;
  }
  // As without direct delivery: the source handles failed servers.
  GLS_ASSIGN(Tensor rows, source_.ask_rows(asked.question, asked.shape[0], nullptr)());
  Tensor* const moved[] = {&rows};
  GLS_TRY(move_in(stream_, moved, readers_));
  return rows;
}

Result<Tensor> DeviceFetch::arrange(const Request& asked, const std::vector<int64_t>& places) {
  Device& device = stream_.device();
  const auto row = static_cast<uint64_t>(asked.row_bytes);
  const uint64_t bytes = row * static_cast<uint64_t>(asked.shape[0]);
  GLS_ASSIGN(std::shared_ptr<DeviceMemory> memory, device.allocate(bytes, stream_, readers_));
  void* const out = memory->data();
  Tensor result = Tensor(std::move(memory), out, asked.question.dtype, asked.shape, false)
                      .with_device(device.dl());
  if (bytes == 0) {
    return result;
  }
  const uint64_t place_bytes = std::max<size_t>(places.size(), 1) * sizeof(int64_t);
  GLS_ASSIGN(PinnedBuffer on_host, device.pinned(place_bytes));
  GLS_ASSIGN(const std::shared_ptr<DeviceMemory> on_device, device.allocate(place_bytes, stream_));
  std::copy(places.begin(), places.end(), reinterpret_cast<int64_t*>(on_host.data()));
  places_.reserve(places_.size() + 1);
  landed_.push_back(asked.landing);
  device::GpuError failure;
  const bool copied = stream_.gpu().copy_in(on_device->data(), on_host.data(), place_bytes,
                                            stream_.get(), &failure);
  places_.push_back(std::move(on_host));
  device::GatherWork work = {};
  work.rows = asked.landing->data();
  work.stride = asked.row_bytes;
  work.num_rows = std::max<int64_t>(asked.question.ids.size(), 1);
  work.row_elements = asked.row_bytes / static_cast<int64_t>(dtype_bytes(asked.question.dtype));
  work.row_bytes = asked.row_bytes;
  work.form = device::RowForm::kSame;
  work.ids = on_device->data();
  work.wide = true;
  work.count = static_cast<int64_t>(places.size());
  work.total = asked.shape[0];
  work.out = out;
  return copied && stream_.gpu().gather(work, stream_.get(), &failure) ? Result<Tensor>(result)
                                                                       : status_of(failure);
}

}  // namespace gls
