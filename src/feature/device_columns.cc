#include "feature/device_columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "device/staging.h"

namespace gls {
namespace {

constexpr int64_t kWord = 16;  // bytes that a thread of a device reads at once

// Rows that begin on whole words are read in whole words.
int64_t stride_on_device(int64_t row_bytes) {
  return row_bytes < kWord ? row_bytes : (row_bytes + kWord - 1) / kWord * kWord;
}

}  // namespace

Result<std::shared_ptr<const DeviceColumn>> DeviceColumn::place(
    const std::shared_ptr<Device>& device, const Column& column, bool pin, uint64_t* room) {
  std::shared_ptr<DeviceColumn> out(new DeviceColumn(device, column));
  const Tensor& data = column.data;
  const int64_t stride = stride_on_device(data.row_bytes());
  const auto bytes = static_cast<uint64_t>(stride) * static_cast<uint64_t>(data.rows());
  if (data.rows() == 0 || data.row_bytes() == 0) {
    out->where_ = DevicePlace::kDevice;  // there is nothing to be read
    return std::shared_ptr<const DeviceColumn>(std::move(out));
  }
  if (bytes <= *room) {
    GLS_TRY(out->copy_to_device(stride));
    *room -= bytes;
    return std::shared_ptr<const DeviceColumn>(std::move(out));
  }
  device::GpuError why;  // not every system lets a device read pages of files
  if (pin && device->gpu().pin(data.data(), data.span_bytes(), &out->rows_, &why)) {
    out->where_ = DevicePlace::kPinned;
    out->stride_ = data.row_stride();
    GLS_ASSIGN(const DeviceStream stream, device->stream());
    GLS_TRY(out->copy_codes(stream));
  }
  return std::shared_ptr<const DeviceColumn>(std::move(out));
}

DeviceColumn::~DeviceColumn() {
  if (where_ == DevicePlace::kPinned) {
    device_->gpu().unpin(column_.data.data());
  }
}

Status DeviceColumn::copy_to_device(int64_t stride) {
  const Tensor& data = column_.data;
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  const auto unit = static_cast<uint64_t>(stride);
  const uint64_t bytes = unit * static_cast<uint64_t>(data.rows());
  GLS_ASSIGN(memory_, device_->allocate(bytes, stream));
  const auto row_bytes = static_cast<size_t>(data.row_bytes());
  GLS_TRY(copy_in_pieces(
      stream, memory_->data(), bytes, unit, [&](uint64_t offset, uint64_t size, std::byte* out) {
        const std::byte* from =
            data.data() + static_cast<int64_t>(offset / unit) * data.row_stride();
        if (data.row_stride() == stride && row_bytes == unit) {
          std::memcpy(out, from, size);
          return;
        }
        for (uint64_t at = 0; at < size; at += unit) {
          std::memcpy(out + at, from, row_bytes);
          std::memset(out + at + row_bytes, 0, unit - row_bytes);
          from += data.row_stride();
        }
      }));
  where_ = DevicePlace::kDevice;
  rows_ = memory_->data();
  stride_ = stride;
  return copy_codes(stream);
}

Status DeviceColumn::copy_codes(const DeviceStream& stream) {
  if (column_.codebook == nullptr) {
    return {};
  }
  const auto* const from = reinterpret_cast<const std::byte*>(column_.codebook->by_byte());
  const auto bytes = static_cast<uint64_t>(256 * (8 / column_.codebook->bits())) * sizeof(float);
  GLS_ASSIGN(by_byte_, device_->allocate(bytes, stream));
  return copy_in_pieces(stream, by_byte_->data(), bytes, sizeof(float),
                        [&](uint64_t offset, uint64_t size, std::byte* out) {
                          std::memcpy(out, from + offset, size);
                        });
}

device::RowForm DeviceColumn::form(DLDataType dtype) const {
  if (column_.codebook != nullptr) {
    switch (column_.codebook->bits()) {
      case 1:
        return device::RowForm::kCodes1;
      case 2:
        return device::RowForm::kCodes2;
      case 4:
        return device::RowForm::kCodes4;
      default:
        return device::RowForm::kCodes8;
    }
  }
  const DLDataType stored = column_.data.dtype();
  if (same_dtype(stored, dtype)) {
    return device::RowForm::kSame;
  }
  return same_dtype(stored, kFloat16) ? device::RowForm::kHalf : device::RowForm::kBfloat;
}

Result<Tensor> DeviceColumn::gather(const Ids& ids, DLDataType dtype, const GatherOptions& options,
                                    int64_t rows, const DeviceStream& stream,
                                    std::shared_ptr<StreamReaders> readers) const {
  const bool codes = column_.codebook != nullptr;
  std::vector<int64_t> shape = column_.shape();
  const int64_t count = where_ == DevicePlace::kHost ? ids.on_host.size() : ids.on_device.size();
  shape[0] = std::max(count, rows);
  int64_t elements = 1;
  for (size_t d = 1; d < shape.size(); ++d) {
    elements *= shape[d];
  }
  const auto row_bytes = static_cast<uint64_t>(elements) * dtype_bytes(dtype);
  const uint64_t bytes = row_bytes * static_cast<uint64_t>(shape[0]);
  GLS_ASSIGN(std::shared_ptr<DeviceMemory> memory,
             device_->allocate(bytes, stream, std::move(readers)));
  void* const out = memory->data();
  Tensor result =
      Tensor(std::move(memory), out, dtype, std::move(shape), false).with_device(device_->dl());
  if (bytes == 0) {
    return result;
  }
  if (where_ == DevicePlace::kHost) {
    const auto given = static_cast<uint64_t>(count);
    GLS_TRY(copy_in_pieces(
        stream, out, bytes, row_bytes, [&](uint64_t offset, uint64_t size, std::byte* piece) {
          const uint64_t first = std::min(offset / row_bytes, given);
          const uint64_t here = std::min(size / row_bytes, given - first);
          const IdSpan part =
              ids.on_host.part(static_cast<int64_t>(first), static_cast<int64_t>(here));
          if (codes) {
            gather_decoded_to(piece, column_.data, *column_.codebook, part, options);
          } else {
            gather_to(piece, column_.data, part, dtype, options);
          }
          std::memset(piece + here * row_bytes, 0, size - here * row_bytes);
        }));
    return result;
  }
  device::GatherWork work = {};
  work.rows = rows_;
  work.stride = stride_;
  work.num_rows = column_.data.rows();
  work.row_elements = elements;
  work.row_bytes = column_.data.row_bytes();
  work.form = form(dtype);
  work.by_byte = by_byte_ != nullptr ? by_byte_->data() : nullptr;
  work.ids = ids.on_device.data();
  work.wide = ids.on_device.wide();
  work.count = count;
  work.total = result.rows();
  work.out = out;
  device::GpuError failure;
  if (!device_->gpu().gather(work, stream.get(), &failure)) {
    return status_of(failure);
  }
  return result;
}

// ---- of a dataset ------------------------------------------------------------------------------

std::shared_ptr<DeviceColumns> DeviceColumns::of(const std::shared_ptr<const Dataset>& dataset,
                                                 const std::shared_ptr<Device>& device) {
  // They keep their dataset and device, so that no other has these addresses meanwhile.
  static std::mutex mutex;
  static std::map<std::pair<const Dataset*, const Device*>, std::weak_ptr<DeviceColumns>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<DeviceColumns>& entry = known[{dataset.get(), device.get()}];
  std::shared_ptr<DeviceColumns> columns = entry.lock();
  if (columns == nullptr) {
    columns.reset(new DeviceColumns(dataset, device));
    entry = columns;
  }
  return columns;
}

Result<std::shared_ptr<const DeviceColumn>> DeviceColumns::get(const Column& column) {
  const std::lock_guard lock(mutex_);
  if (const auto found = columns_.find(&column); found != columns_.end()) {
    return found->second;
  }
  const Settings& settings = dataset_->context()->settings();
  if (!room_known_) {
    room_ = settings.bytes(Setting::kDeviceColumnMemory);
    if (room_ == 0) {
      GLS_ASSIGN(const uint64_t free, device_->free_memory());
      room_ = free / 2;
    }
    room_known_ = true;
  }
  GLS_ASSIGN(std::shared_ptr<const DeviceColumn> placed,
             DeviceColumn::place(device_, column, settings.flag(Setting::kDevicePin), &room_));
  columns_.emplace(&column, placed);
  return placed;
}

}  // namespace gls
