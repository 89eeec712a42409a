// A growing array of ids in pooled memory, 32 or 64 bits wide. Kernels may write a little beyond
// its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "sample/kernels/kernels.h"
#include "system/memory.h"
#include "tensor/tensor.h"

namespace gls {

class IdArray {
 public:
  IdArray() = default;
  IdArray(BufferPool& pool, bool wide, int64_t expected)
      : buffer_(pool.acquire(bytes_for(expected, wide))), wide_(wide) {}

  bool wide() const { return wide_; }
  void* data() const { return buffer_.as<>(); }
  void* at(int64_t index) const { return buffer_.as<>() + index * width(); }
  int64_t operator[](int64_t index) const {
    return wide_ ? buffer_.as<int64_t>()[index] : buffer_.as<int32_t>()[index];
  }
  void set(int64_t index, int64_t value) const {
    if (wide_) {
      buffer_.as<int64_t>()[index] = value;
    } else {
      buffer_.as<int32_t>()[index] = static_cast<int32_t>(value);
    }
  }

  // Makes room for `count` elements, and keeps `used` of them when the memory moves.
  void reserve(int64_t count, int64_t used) {
    const size_t needed = bytes_for(count, wide_);
    if (needed > buffer_.capacity()) {
      buffer_.reserve(std::max(needed, buffer_.capacity() * 3 / 2),
                      static_cast<size_t>(used * width()));
    }
  }

  // The first `count` elements as a tensor that owns the memory; the array is empty afterwards.
  Tensor finish(int64_t count) {
    const DLDataType dtype = wide_ ? kInt64 : kInt32;
    auto owner = std::make_shared<Buffer>(std::move(buffer_));
    const void* const start = owner->as<>();
    return Tensor(std::move(owner), start, dtype, {count}, false);
  }

  // Joins the first `count` elements of this array and of `second` into a tensor [2, count].
  // Nothing is allocated if there is room for twice as many. Both arrays are empty afterwards.
  Tensor finish_with(IdArray& second, int64_t count) {
    reserve(2 * count, count);
    if (count > 0) {
      std::memcpy(at(count), second.data(), static_cast<size_t>(count * width()));
    }
    second.buffer_ = Buffer();
    const Tensor flat = finish(2 * count);
    return Tensor(flat.owner(), flat.data(), flat.dtype(), {2, count}, false);
  }

 private:
  int64_t width() const { return wide_ ? 8 : 4; }
  static size_t bytes_for(int64_t count, bool wide) {
    return static_cast<size_t>(count + kernels::kSlack) * (wide ? 8 : 4);
  }

  Buffer buffer_;
  bool wide_ = true;
};

}  // namespace gls
