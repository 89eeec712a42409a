#include "loader/padding/pad_fill.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gls {
namespace {

constexpr uint64_t kAlignment = 256;  // of memory from a device

// The number of values in a row.
int64_t columns_of(const Tensor& array) {
  return array.row_bytes() / static_cast<int64_t>(std::max<size_t>(dtype_bytes(array.dtype()), 1));
}

// Writes the rows of `from` to the positions of `places` in `out`. `fill` writes the padding rows
// of a range.
template <typename Fill>
void spread_to(std::byte* out, const Tensor& from, const PadPlaces& places, const Fill& fill) {
  const auto width = static_cast<size_t>(from.row_bytes());
  const auto keep = [&](int64_t begin, int64_t end, int64_t to) {
    if (begin < end && width > 0) {
      std::memcpy(out + static_cast<size_t>(to) * width,
                  from.data() + static_cast<size_t>(begin) * width,
                  static_cast<size_t>(end - begin) * width);
    }
  };
  keep(0, places.head, 0);
  keep(places.head, places.real, places.rest);
  fill(out, places.head, places.rest);
  fill(out, places.rest + places.real - places.head, places.rows);
}

// Fills rows of ids with `value` in every column, or with `first` in the first one.
auto id_filler(const Tensor& from, int64_t first, int64_t value) {
  return [columns = columns_of(from), wide = dtype_bytes(from.dtype()) == 8, first, value](
             std::byte* out, int64_t begin, int64_t end) {
    const auto write = [&](auto* ids) {
      using Id = std::remove_pointer_t<decltype(ids)>;
      std::fill(ids + begin * columns, ids + end * columns, static_cast<Id>(value));
      for (int64_t i = begin; columns > 0 && i < end; ++i) {
        ids[i * columns] = static_cast<Id>(first);
      }
    };
    if (wide) {
      write(reinterpret_cast<int64_t*>(out));
    } else {
      write(reinterpret_cast<int32_t*>(out));
    }
  };
}

}  // namespace

// ---- on the host -------------------------------------------------------------------------------

// A padded copy of `from`; `fill` as for spread_to().
template <typename Fill>
Tensor PadFill::spread(const Tensor& from, const PadPlaces& places, Fill fill) {
  std::vector<int64_t> shape = from.shape();
  shape[0] = places.rows;
  const auto width = static_cast<size_t>(from.row_bytes());
  const size_t bytes = static_cast<size_t>(places.rows) * width;
  auto owner = std::make_shared<Buffer>(pool_.acquire(std::max<size_t>(bytes, 1)));
  auto* const out = owner->as<std::byte>();
  spread_to(out, from, places, fill);
  return Tensor(std::move(owner), out, from.dtype(), std::move(shape), false);
}

Tensor PadFill::bools(std::vector<int64_t> shape, std::byte** data) {
  size_t count = 1;
  for (const int64_t dim : shape) {
    count *= static_cast<size_t>(dim);
  }
  auto owner = std::make_shared<Buffer>(pool_.acquire(std::max<size_t>(count, 1)));
  *data = owner->as<std::byte>();
  std::memset(*data, 0, count);
  const std::byte* const begin = *data;
  return Tensor(std::move(owner), begin, kBool, std::move(shape), false);
}

void PadFill::ids(const PadPlaces& places, int64_t first, int64_t value, Tensor* array) {
  const Tensor from = *array;
  if (!from.on_host()) {
    plan(places, from, first, value, false, array);
    return;
  }
  *array = spread(from, places, id_filler(from, first, value));
}

void PadFill::ends(const PadPlaces& places, int64_t source, int64_t target, Tensor* index) {
  if (!index->on_host()) {
    plan_ends(places, source, target, index);
    return;
  }
  const Tensor sources = index->row_at(0);
  const Tensor targets = index->row_at(1);
  const size_t bytes = static_cast<size_t>(places.rows) * dtype_bytes(index->dtype());
  auto owner = std::make_shared<Buffer>(pool_.acquire(std::max<size_t>(2 * bytes, 1)));
  auto* const out = owner->as<std::byte>();
  spread_to(out, sources, places, id_filler(sources, source, source));
  spread_to(out + bytes, targets, places, id_filler(targets, target, target));
  *index = Tensor(std::move(owner), out, sources.dtype(), {2, places.rows}, false);
}

void PadFill::zeros(const PadPlaces& places, Tensor* array) {
  const Tensor from = *array;
  if (!from.on_host()) {
    plan(places, from, 0, 0, false, array);
    return;
  }
  const auto width = static_cast<size_t>(from.row_bytes());
  *array = spread(from, places, [&](std::byte* out, int64_t begin, int64_t end) {
    if (begin < end) {
      std::memset(out + static_cast<size_t>(begin) * width, 0,
                  static_cast<size_t>(end - begin) * width);
    }
  });
}

void PadFill::mask(const PadPlaces& places, Tensor* out) {
  if (stream_ != nullptr) {
    plan(places, Tensor(), 0, 0, true, out);
    return;
  }
  std::byte* data = nullptr;
  *out = bools({places.rows}, &data);
  std::fill(data, data + places.head, std::byte{1});
  std::fill(data + places.rest, data + places.rest + places.real - places.head, std::byte{1});
}

void PadFill::found(const PadPlaces& places, const Tensor& ids, Tensor* out) {
  if (!ids.on_host()) {
    plan(places, ids, 0, 0, true, out);
    return;
  }
  std::vector<int64_t> shape = ids.shape();
  shape[0] = places.rows;
  std::byte* data = nullptr;
  *out = bools(std::move(shape), &data);
  const int64_t columns = columns_of(ids);
  const IdSpan all(ids.data(), same_dtype(ids.dtype(), kInt64), places.real * columns);
  for (int64_t i = 0; i < all.size(); ++i) {
    const int64_t row = i / columns;
    const int64_t to = row < places.head ? row : row - places.head + places.rest;
    data[to * columns + i % columns] = std::byte{all[i] >= 0};
  }
}

// ---- on a device -------------------------------------------------------------------------------

void PadFill::plan(const PadPlaces& places, const Tensor& from, int64_t first, int64_t value,
                   bool as_bools, Tensor* out) {
  std::vector<int64_t> shape = from.defined() ? from.shape() : std::vector<int64_t>{0};
  shape[0] = places.rows;
  const DLDataType dtype = as_bools ? kBool : from.dtype();
  const int64_t columns = from.defined() ? columns_of(from) : 1;
  device::PadWork work = {};
  work.from = from.defined() ? from.data() : nullptr;
  work.real = places.real;
  work.head = places.head;
  work.rest = places.rest;
  work.rows = places.rows;
  work.columns = columns;
  work.bytes = from.defined() ? static_cast<uint32_t>(dtype_bytes(from.dtype())) : 4;
  work.as_bools = as_bools;
  work.first = first;
  work.value = value;
  planned_.push_back({from, out, bytes_, work});
  const uint64_t bytes =
      static_cast<uint64_t>(places.rows) * static_cast<uint64_t>(columns) * dtype_bytes(dtype);
  bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  *out = result(dtype, std::move(shape));
}

void PadFill::plan_ends(const PadPlaces& places, int64_t source, int64_t target, Tensor* index) {
  const Tensor sources = index->row_at(0);
  const Tensor targets = index->row_at(1);
  const uint64_t begin = bytes_;
  const uint64_t bytes = static_cast<uint64_t>(places.rows) * dtype_bytes(sources.dtype());
  Tensor second;
  plan(places, sources, source, source, false, index);
  plan(places, targets, target, target, false, &second);
  // Directly behind the first.
  planned_.back().out = nullptr;
  planned_.back().offset = begin + bytes;
  bytes_ = begin + (2 * bytes + kAlignment - 1) / kAlignment * kAlignment;
  *index = result(sources.dtype(), {2, places.rows});
}

// An array without memory yet.
Tensor PadFill::result(DLDataType dtype, std::vector<int64_t> shape) const {
  return Tensor(nullptr, nullptr, dtype, std::move(shape), false)
      .with_device(stream_->device().dl());
}

Status PadFill::finish(const std::shared_ptr<StreamReaders>& readers) {
  if (planned_.empty()) {
    return {};
  }
  GLS_ASSIGN(const std::shared_ptr<DeviceMemory> memory,
             stream_->device().allocate(bytes_, *stream_, readers));
  auto* const block = static_cast<std::byte*>(memory->data());
  std::vector<device::PadWork> works;
  works.reserve(planned_.size());
  for (DeviceGuard& array : planned_) {
    std::byte* const data = block == nullptr ? nullptr : block + array.offset;
    array.work.out = data;
    works.push_back(array.work);
    if (array.out == nullptr) {
      continue;
    }
    *array.out = Tensor(memory, data, array.out->dtype(), array.out->shape(), false)
                     .with_device(array.out->device());
  }
  device::GpuError failure;
  if (!stream_->gpu().pad(works.data(), works.size(), stream_->get(), &failure)) {
    return status_of(failure);
  }
  planned_.clear();  // the arrays that were read are released in stream order
  return {};
}

}  // namespace gls
