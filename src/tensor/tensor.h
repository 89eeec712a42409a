// Tensor: a view of memory with shared ownership, in CPU memory unless device() differs. Rows (the
// first dimension) may be padded; elements within a row are contiguous. The library stores and
// returns all arrays in this form.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"

namespace gls {

// An array view that keeps its memory alive.
class Tensor {
 public:
  Tensor() = default;
  // Row-major, unpadded.
  Tensor(std::shared_ptr<const void> owner, const void* data, DLDataType dtype,
         std::vector<int64_t> shape, bool read_only = true);
  // Padded rows: `row_stride` bytes, a multiple of the element size.
  Tensor(std::shared_ptr<const void> owner, const void* data, DLDataType dtype,
         std::vector<int64_t> shape, int64_t row_stride, bool read_only);

  // A borrowed view: valid while the memory behind `view` is. `what` names it in errors.
  static Result<Tensor> borrow(const DLTensor& view, std::string_view what);
  // Takes ownership of the tensor; on failure the caller keeps it.
  static Result<Tensor> adopt(gls_tensor_t* tensor, std::string_view what);
  // Undoes adopt(): the caller owns the DLPack tensor again, and every copy of this object must be
  // dropped.
  void return_adopted();
  // A new owned DLPack tensor on the same memory. Never NULL; throws std::bad_alloc.
  gls_tensor_t* export_dlpack() const;
  // The tensor of an export_dlpack() call; NULL if `exported` does not come from there.
  static const Tensor* behind(const gls_tensor_t& exported);

  bool defined() const { return !shape_.empty(); }
  const std::byte* data() const { return data_; }
  std::byte* mutable_data() const { return const_cast<std::byte*>(data_); }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  DLDataType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rows() const { return shape_[0]; }
  int64_t row_elements() const;
  int64_t row_bytes() const { return row_elements() * static_cast<int64_t>(dtype_bytes(dtype_)); }
  int64_t row_stride() const { return row_stride_; }
  bool contiguous() const { return row_stride_ == row_bytes() || rows() <= 1; }
  bool read_only() const { return read_only_; }
  // The device that holds the elements. Memory of other devices must not be read directly.
  DLDevice device() const { return device_; }
  bool on_host() const { return device_.device_type == kDLCPU; }
  Tensor with_device(DLDevice device) const;
  // Row `index` as a view with one dimension less. The tensor must have two or more dimensions.
  Tensor row_at(int64_t index) const;
  // Bytes from the first element to the last, padding included.
  uint64_t span_bytes() const;
  const std::shared_ptr<const void>& owner() const { return owner_; }
  Tensor with_owner(std::shared_ptr<const void> owner) const;
  // The file that the elements were read from, for errors; empty: none. It stays with the tensor,
  // also when the elements are copied to other memory.
  const std::string& file() const;
  Tensor with_file(const std::string& path) const;

 private:
  std::shared_ptr<const void> owner_;
  const std::byte* data_ = nullptr;
  DLDataType dtype_{};
  std::vector<int64_t> shape_;
  int64_t row_stride_ = 0;
  bool read_only_ = true;
  DLDevice device_ = {kDLCPU, 0};
  std::shared_ptr<const std::string> file_;
};

// A one-dimensional tensor of int32 or int64, read as int64.
class IdSpan {
 public:
  IdSpan() = default;
  IdSpan(const void* data, bool wide, int64_t size) : data_(data), size_(size), wide_(wide) {}
  // `tensor` must stay alive.
  static Result<IdSpan> of(const Tensor& tensor, std::string_view what);

  int64_t size() const { return size_; }
  bool wide() const { return wide_; }
  const void* data() const { return data_; }
  int64_t operator[](int64_t i) const {
    return wide_ ? static_cast<const int64_t*>(data_)[i] : static_cast<const int32_t*>(data_)[i];
  }
  IdSpan part(int64_t begin, int64_t count) const {
    return {static_cast<const std::byte*>(data_) + begin * (wide_ ? 8 : 4), wide_, count};
  }
  // Index of the first id outside [0, limit), or -1.
  int64_t find_outside(int64_t limit) const;

 private:
  const void* data_ = nullptr;
  int64_t size_ = 0;
  bool wide_ = true;
};

// The viewed memory must stay alive; a tensor must have been checked to hold ids.
inline IdSpan span_of(const std::vector<int64_t>& ids) {
  return {ids.data(), true, static_cast<int64_t>(ids.size())};
}
inline IdSpan span_of(const Tensor& ids) {
  return {ids.data(), same_dtype(ids.dtype(), kInt64), ids.rows()};
}

std::string shape_text(std::span<const int64_t> shape);  // "[3, 4]"

}  // namespace gls
