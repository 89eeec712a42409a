#include "feature/device_columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "device/memory/device_memory.h"
#include "device/memory/staging.h"
#include "device/peer/group_seat.h"
#include "feature/group_columns.h"
#include "system/read_ahead.h"

namespace gls {
namespace {

constexpr int64_t kWord = 16;  // bytes that a GPU thread reads at once

}  // namespace

int64_t stride_on_device(int64_t row_bytes) {
  return row_bytes < kWord ? row_bytes : (row_bytes + kWord - 1) / kWord * kWord;
}

Status TierCounts::begin(size_t gathers, const DeviceStream& stream) {
  size_ = gathers;
  if (size_ == 0) {
    return {};
  }
  const uint64_t bytes = 3 * size_ * sizeof(uint64_t);
  GLS_ASSIGN(on_host_, stream.device().pinned(bytes));
  GLS_ASSIGN(on_device_, stream.device().allocate(bytes, stream));
  std::memset(on_host_.data(), 0, bytes);
  device::GpuError failure;
  return stream.gpu().copy_in(on_device_->data(), on_host_.data(), bytes, stream.get(), &failure)
             ? Status()
             : status_of(failure);
}

uint64_t* TierCounts::of(size_t gather) const {
  return static_cast<uint64_t*>(on_device_->data()) + 3 * gather;
}

Status TierCounts::end(const DeviceStream& stream) {
  device::GpuError failure;
  return size_ == 0 || stream.gpu().copy_out(on_host_.data(), on_device_->data(),
                                             3 * size_ * sizeof(uint64_t), stream.get(), &failure)
             ? Status()
             : status_of(failure);
}

RowTiers TierCounts::read() const {
  RowTiers out;
  const auto* const counts = reinterpret_cast<const uint64_t*>(on_host_.data());
  for (size_t i = 0; i < size_; ++i) {
    out.device += counts[3 * i];
    out.pinned += counts[3 * i + 1];
    out.peers += counts[3 * i + 2];
  }
  return out;
}

Result<std::shared_ptr<const DeviceColumn>> DeviceColumn::place(
    const std::shared_ptr<Device>& device, const Column& column, const Placing& placing,
    uint64_t* room) {
  std::shared_ptr<DeviceColumn> out(new DeviceColumn(device, column));
  const Tensor& data = column.data;
  const int64_t stride = stride_on_device(data.row_bytes());
  const auto bytes = static_cast<uint64_t>(stride) * static_cast<uint64_t>(data.rows());
  if (data.rows() == 0 || data.row_bytes() == 0) {
    out->where_ = DevicePlace::kDevice;  // there is nothing to read
    return std::shared_ptr<const DeviceColumn>(std::move(out));
  }
  if (placing.whole && bytes <= *room) {
    Status copied = out->copy_to_device(stride);
    if (copied.ok()) {
      *room -= bytes;
      return std::shared_ptr<const DeviceColumn>(std::move(out));
    }
    if (!found_no_room(copied, *device, placing.log, room)) {
      return copied;
    }
    out.reset(new DeviceColumn(device, column));
  }
  if (placing.divided != nullptr && placing.all_divided) {
    out->where_ = DevicePlace::kGroup;
  } else if (placing.from_storage) {
    GLS_ASSIGN(out->stored_, StoredRows::open(device, data));
  }
  if (out->stored_ != nullptr) {
    out->where_ = DevicePlace::kStorage;
  } else if (out->where_ == DevicePlace::kHost && placing.most_pinned > 0) {
    out->pages_ =
        PinnedPages::pin(device, data.data(), data.span_bytes(), placing.most_pinned, placing.log);
  }
  if (out->pages_) {
    out->where_ = DevicePlace::kPinned;
    out->rows_ = out->pages_.seen();
    out->stride_ = data.row_stride();
  }
  if (placing.divided != nullptr) {
    out->cache_ = placing.divided;
  } else if (placing.hot) {
    const auto make = [&] {
      return RowCache::make(device, data, stride, placing.hot, placing.adaptive, room);
    };
    auto made = make();
    while (!made.ok() && found_no_room(made.status(), *device, placing.log, room)) {
      made = make();  // without rows, there is no cache
    }
    GLS_ASSIGN(out->cache_, std::move(made));
  }
  if (out->where_ != DevicePlace::kHost || out->cache_ != nullptr) {
    GLS_ASSIGN(const DeviceStream stream, device->stream());
    GLS_TRY(out->copy_codes(stream));
  }
  return std::shared_ptr<const DeviceColumn>(std::move(out));
}

Status DeviceColumn::copy_to_device(int64_t stride) {
  const Tensor& data = column_.data;
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  const auto unit = static_cast<uint64_t>(stride);
  const uint64_t bytes = unit * static_cast<uint64_t>(data.rows());
  GLS_ASSIGN(memory_, device_->allocate(bytes, stream));
  const auto row_bytes = static_cast<size_t>(data.row_bytes());
  ReadAhead ahead(data.data(), data.span_bytes());
  GLS_TRY(copy_in_pieces(
      stream, memory_->data(), bytes, unit, [&](uint64_t offset, uint64_t size, std::byte* out) {
        const auto row = static_cast<int64_t>(offset / unit);
        ahead.reach(
            static_cast<uint64_t>((row + static_cast<int64_t>(size / unit)) * data.row_stride()));
        const std::byte* from = data.data() + row * data.row_stride();
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

// What the device reads for a column on the host or in a file: rows that were copied, and cached
// rows.
struct DeviceColumn::Found {
  std::shared_ptr<DeviceMemory> rows;    // packed, for the ids that are not in the cache
  std::shared_ptr<DeviceMemory> places;  // int64 by id: a row of `rows`, or -1 - a row of the cache
  int64_t count = 0;                     // of rows
  uint64_t missed = 0;                   // ids that are not in the cache
  uint64_t of_peers = 0;                 // of ids
};

Status DeviceColumn::find(const IdSpan& ids, const GatherOptions& options,
                          const DeviceStream& stream, Found* out) const {
  std::vector<int64_t> places(static_cast<size_t>(ids.size()));
  std::vector<int64_t> missed;
  for (int64_t i = 0; i < ids.size(); ++i) {
    const int32_t slot = cache_ != nullptr ? cache_->slot_of(ids[i]) : -1;
    places[static_cast<size_t>(i)] =
        slot >= 0 ? -1 - int64_t{slot} : static_cast<int64_t>(missed.size());
    if (slot < 0) {
      missed.push_back(ids[i]);
    } else if (cache_->of_peer(slot)) {
      ++out->of_peers;
    }
  }
  out->missed = missed.size();
  if (stored_ != nullptr) {
    put_in_order(&missed, &places);
  }
  out->count = static_cast<int64_t>(missed.size());
  const uint64_t place_bytes = places.size() * sizeof(int64_t);
  GLS_ASSIGN(out->places, device_->allocate(place_bytes, stream));
  GLS_TRY(copy_in_pieces(
      stream, out->places->data(), place_bytes, sizeof(int64_t),
      [&](uint64_t offset, uint64_t size, std::byte* piece) {
        std::memcpy(piece, reinterpret_cast<const std::byte*>(places.data()) + offset, size);
      }));
  const auto row_bytes = static_cast<uint64_t>(column_.data.row_bytes());
  const uint64_t bytes = row_bytes * missed.size();
  GLS_ASSIGN(out->rows, device_->allocate(bytes, stream));
  if (stored_ != nullptr) {
    return stored_->read(missed, out->rows->data(), stream);
  }
  const IdSpan all = span_of(missed);
  return copy_in_pieces(stream, out->rows->data(), bytes, row_bytes,
                        [&](uint64_t offset, uint64_t size, std::byte* piece) {
                          gather_to(piece, column_.data,
                                    all.part(static_cast<int64_t>(offset / row_bytes),
                                             static_cast<int64_t>(size / row_bytes)),
                                    column_.data.dtype(), options);
                        });
}

Status DeviceColumn::gather_on_host(const IdSpan& ids, DLDataType dtype,
                                    const GatherOptions& options, uint64_t row_bytes,
                                    const Tensor& out, const DeviceStream& stream) const {
  const auto given = static_cast<uint64_t>(ids.size());
  const uint64_t bytes = row_bytes * static_cast<uint64_t>(out.rows());
  return copy_in_pieces(
      stream, out.mutable_data(), bytes, row_bytes,
      [&](uint64_t offset, uint64_t size, std::byte* piece) {
        const uint64_t first = std::min(offset / row_bytes, given);
        const uint64_t count = std::min(size / row_bytes, given - first);
        const IdSpan part = ids.part(static_cast<int64_t>(first), static_cast<int64_t>(count));
        if (column_.codebook != nullptr) {
          gather_decoded_to(piece, column_.data, *column_.codebook, part, options);
        } else {
          gather_to(piece, column_.data, part, dtype, options);
        }
        std::memset(piece + count * row_bytes, 0, size - count * row_bytes);
      });
}

Result<Tensor> DeviceColumn::gather(const Ids& ids, DLDataType dtype, const GatherOptions& options,
                                    int64_t rows, const Notes& notes, const DeviceStream& stream,
                                    std::shared_ptr<StreamReaders> readers) const {
  const bool on_host = needs_ids();  // or in a file
  const int64_t count = on_host ? ids.on_host.size() : ids.on_device.size();
  std::vector<int64_t> shape = column_.shape();
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
  const auto asked = static_cast<uint64_t>(count);
  if (bytes == 0 || (where_ == DevicePlace::kHost && cache_ == nullptr)) {
    (on_host ? notes.tiers->host : notes.tiers->device) += asked;
    if (bytes > 0) {
      GLS_TRY(gather_on_host(ids.on_host, dtype, options, row_bytes, result, stream));
    }
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
  Found found;  // released in stream order
  std::shared_ptr<const RowCache::Generation> cached;
  if (cache_ != nullptr) {
    cached = cache_->read();
    notes.held->push_back(cached);
    const RowCache::Divided& divided = cache_->divided();
    std::copy(divided.rows.begin(), divided.rows.end(), work.cached);
    work.cached_stride = cache_->stride();
    work.place_bits = divided.place_bits;
    work.own = divided.own;
  }
  if (on_host) {
    GLS_TRY(find(ids.on_host, options, stream, &found));
    work.by_sign = cache_ != nullptr;
    work.rows = found.rows->data();
    work.stride = work.row_bytes;
    work.num_rows = found.count;
    work.ids = found.places->data();
    work.wide = true;
    notes.tiers->host += found.missed;
    notes.tiers->peers += found.of_peers;
    notes.tiers->device += asked - found.missed - found.of_peers;
  } else if (cache_ != nullptr) {
    work.slots = cached->slots;
    work.asked = notes.asked;
  } else {
    (where_ == DevicePlace::kDevice ? notes.tiers->device : notes.tiers->pinned) += asked;
  }
  device::GpuError failure;
  if (!device_->gpu().gather(work, stream.get(), &failure)) {
    return status_of(failure);
  }
  return result;
}

// ---- of a dataset ------------------------------------------------------------------------------

std::shared_ptr<DeviceColumns> DeviceColumns::of(const std::shared_ptr<const Dataset>& dataset,
                                                 const std::shared_ptr<Device>& device,
                                                 const LocalPlace& place) {
  // The entries keep their dataset and device alive, so that no other object has these addresses.
  static std::mutex mutex;
  static std::map<std::pair<const Dataset*, const Device*>, std::weak_ptr<DeviceColumns>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<DeviceColumns>& entry = known[{dataset.get(), device.get()}];
  std::shared_ptr<DeviceColumns> columns = entry.lock();
  if (columns == nullptr) {
    columns.reset(new DeviceColumns(dataset, device, place));
    entry = columns;
  }
  return columns;
}

Status DeviceColumns::begin() {
  GLS_ASSIGN(const GroupSeat seat,
             find_seat(dataset_->context()->settings().text(Setting::kDeviceGroup), device_->id(),
                       place_));
  if (seat.size > 1) {
    GLS_ASSIGN(group_, GroupColumns::of(*dataset_, device_, seat, place_));
    member_ = seat.member;
    checked_.store(group_.get(), std::memory_order_release);
  } else {
    GLS_ASSIGN(room_, room_for_columns(dataset_->context()->settings(), *device_));
  }
  begun_ = true;
  return {};
}

Status DeviceColumns::check() const {
  const GroupColumns* const group = checked_.load(std::memory_order_acquire);
  return group != nullptr ? group->check() : Status();
}

Result<std::shared_ptr<const DeviceColumn>> DeviceColumns::get(const Column& column) {
  const std::lock_guard lock(mutex_);
  if (const auto found = columns_.find(&column); found != columns_.end()) {
    return found->second;
  }
  if (!begun_) {
    GLS_TRY(begin());
  }
  std::shared_ptr<const DeviceColumn> placed;
  if (group_ != nullptr) {
    GLS_ASSIGN(placed, group_->get(*dataset_, column, member_));
  } else {
    const Settings& settings = dataset_->context()->settings();
    enum : size_t { kFixed, kAdaptive, kNone };
    DeviceColumn::Placing placing;
    placing.log = &dataset_->context()->log();
    placing.most_pinned =
        settings.flag(Setting::kDevicePin) ? PinnedPages::most(settings).pages : 0;
    placing.from_storage = settings.flag(Setting::kDeviceDirectStorage);
    const size_t cache = settings.choice(Setting::kDeviceCache);
    placing.adaptive = cache == kAdaptive;
    if (cache != kNone) {
      placing.hot = [this, &column](uint64_t row_bytes, uint64_t room) {
        return hot_.rows(*dataset_, column, row_bytes, room);
      };
    }
    GLS_ASSIGN(placed, DeviceColumn::place(device_, column, placing, &room_));
  }
  columns_.emplace(&column, placed);
  return placed;
}

}  // namespace gls
