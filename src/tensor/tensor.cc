#include "tensor/tensor.h"

#include <cstring>
#include <limits>

namespace gls {
namespace {

constexpr int32_t kMaxDims = 16;

// Elements per row, or -1 on overflow.
int64_t checked_row_elements(const DLTensor& view) {
  int64_t product = 1;
  for (int32_t d = 1; d < view.ndim; ++d) {
    if (__builtin_mul_overflow(product, view.shape[d], &product)) {
      return -1;
    }
  }
  return product;
}

bool cpu_reachable(const DLDevice& device) {
  return device.device_type == kDLCPU || device.device_type == kDLCUDAHost ||
         device.device_type == kDLROCMHost;
}

Status check_view(const DLTensor& view, std::string_view what) {
  const auto bad = [&](std::string text) {
    return Status(GLS_ERR_INVALID_ARGUMENT, formatted("{}: {}", what, text))
        .with("argument", std::string(what));
  };
  if (!cpu_reachable(view.device)) {
    return error(GLS_ERR_UNSUPPORTED, "{}: tensor is on device type {}, expected the CPU", what,
                 static_cast<int32_t>(view.device.device_type))
        .with("argument", std::string(what));
  }
  if (view.ndim < 1 || view.ndim > kMaxDims) {
    return bad(formatted("tensor has {} dimensions, expected 1 to {}", view.ndim, kMaxDims));
  }
  if (!dtype_supported(view.dtype)) {
    return bad(formatted("dtype ({}) is not supported", dtype_name(view.dtype)));
  }
  if (view.shape == nullptr) {
    return bad("shape is NULL");
  }
  bool empty = false;
  for (int32_t d = 0; d < view.ndim; ++d) {
    if (view.shape[d] < 0) {
      return bad(formatted("dimension {} is {}", d, view.shape[d]));
    }
    empty |= view.shape[d] == 0;
  }
  constexpr int64_t kMaxElements = std::numeric_limits<int64_t>::max() / 16;
  const int64_t row = checked_row_elements(view);
  int64_t total = 0;
  if (row < 0 || row > kMaxElements || __builtin_mul_overflow(row, view.shape[0], &total) ||
      total > kMaxElements) {
    return bad("shape has too many elements");
  }
  if (empty) {
    return {};
  }
  if (view.data == nullptr) {
    return bad("data is NULL");
  }
  if ((reinterpret_cast<uintptr_t>(view.data) + view.byte_offset) % dtype_bytes(view.dtype) != 0) {
    return bad(formatted("data is not aligned to its {}-byte elements; pass a copy",
                         dtype_bytes(view.dtype)));
  }
  if (view.strides != nullptr) {
    int64_t expected = 1;
    for (int32_t d = view.ndim - 1; d >= 1; --d) {
      if (view.shape[d] != 1 && view.strides[d] != expected) {
        return bad(
            formatted("rows are not contiguous (dimension {} has stride {}, expected {}); "
                      "pass a contiguous copy",
                      d, view.strides[d], expected));
      }
      expected *= view.shape[d];
    }
    int64_t last_row = 0;
    if (view.shape[0] > 1 &&
        (view.strides[0] < expected ||
         __builtin_mul_overflow(view.strides[0], view.shape[0] - 1, &last_row) ||
         last_row > kMaxElements)) {
      return bad(
          formatted("rows have stride {}, expected at least their {} elements; pass a "
                    "contiguous copy",
                    view.strides[0], expected));
    }
  }
  return {};
}

struct Adopted {
  gls_tensor_t* managed = nullptr;
  Adopted() = default;
  ~Adopted() {
    if (managed != nullptr && managed->deleter != nullptr) {
      managed->deleter(managed);
    }
  }
  Adopted(const Adopted&) = delete;
  Adopted& operator=(const Adopted&) = delete;
};

struct Exported {
  gls_tensor_t managed;
  Tensor tensor;
  std::vector<int64_t> strides;
};

void delete_exported(gls_tensor_t* self) { delete static_cast<Exported*>(self->manager_ctx); }

}  // namespace

Tensor::Tensor(std::shared_ptr<const void> owner, const void* data, DLDataType dtype,
               std::vector<int64_t> shape, bool read_only)
    : Tensor(std::move(owner), data, dtype, std::move(shape), 0, read_only) {
  row_stride_ = row_bytes();
}

Tensor::Tensor(std::shared_ptr<const void> owner, const void* data, DLDataType dtype,
               std::vector<int64_t> shape, int64_t row_stride, bool read_only)
    : owner_(std::move(owner)),
      data_(static_cast<const std::byte*>(data)),
      dtype_(dtype),
      shape_(std::move(shape)),
      row_stride_(row_stride),
      read_only_(read_only) {}

Result<Tensor> Tensor::borrow(const DLTensor& view, std::string_view what) {
  GLS_TRY(check_view(view, what));
  std::vector<int64_t> shape(view.shape, view.shape + view.ndim);
  const auto* data = static_cast<const std::byte*>(view.data);
  if (data != nullptr) {  // an empty array may have no address
    data += view.byte_offset;
  }
  Tensor tensor(nullptr, data, view.dtype, std::move(shape), true);
  if (view.strides != nullptr && tensor.rows() > 1) {
    tensor.row_stride_ = view.strides[0] * static_cast<int64_t>(dtype_bytes(view.dtype));
  }
  return tensor;
}

Result<Tensor> Tensor::adopt(gls_tensor_t* managed, std::string_view what) {
  if (managed == nullptr) {
    return invalid("{} is NULL", what).with("argument", std::string(what));
  }
  if (managed->version.major != DLPACK_MAJOR_VERSION) {
    return error(GLS_ERR_UNSUPPORTED, "{}: tensor is of DLPack {}.{}, expected {}.x", what,
                 managed->version.major, managed->version.minor, DLPACK_MAJOR_VERSION)
        .with("argument", std::string(what));
  }
  GLS_ASSIGN(Tensor tensor, borrow(managed->dl_tensor, what));
  tensor.read_only_ = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  // Nothing fails once the tensor is in the box, so ownership moves on success only.
  auto box = std::make_shared<Adopted>();
  box->managed = managed;
  tensor.owner_ = std::move(box);
  return tensor;
}

void Tensor::return_adopted() {
  if (owner_ != nullptr) {
    const_cast<Adopted*>(static_cast<const Adopted*>(owner_.get()))->managed = nullptr;
    owner_.reset();
  }
}

gls_tensor_t* Tensor::export_dlpack() const {
  auto out = std::make_unique<Exported>();
  out->tensor = *this;
  out->strides.resize(shape_.size());
  int64_t stride = 1;
  for (size_t d = shape_.size(); d-- > 0;) {
    out->strides[d] = stride;
    stride *= shape_[d];
  }
  out->strides[0] = row_stride_ / static_cast<int64_t>(dtype_bytes(dtype_));
  gls_tensor_t& managed = out->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.manager_ctx = out.get();
  managed.deleter = delete_exported;
  managed.flags = read_only_ ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  managed.dl_tensor = {mutable_data(),
                       device_,
                       static_cast<int32_t>(shape_.size()),
                       dtype_,
                       out->tensor.shape_.data(),
                       out->strides.data(),
                       0};
  return &out.release()->managed;
}

const Tensor* Tensor::behind(const gls_tensor_t& exported) {
  return exported.deleter == delete_exported
             ? &static_cast<const Exported*>(exported.manager_ctx)->tensor
             : nullptr;
}

Tensor Tensor::with_device(DLDevice device) const {
  Tensor out = *this;
  out.device_ = device;
  return out;
}

int64_t Tensor::row_elements() const {
  int64_t product = 1;
  for (size_t d = 1; d < shape_.size(); ++d) {
    product *= shape_[d];
  }
  return product;
}

uint64_t Tensor::span_bytes() const {
  if (!defined() || rows() == 0) {
    return 0;
  }
  return static_cast<uint64_t>((rows() - 1) * row_stride_ + row_bytes());
}

Tensor Tensor::row_at(int64_t index) const {
  Tensor out = *this;
  // NULL has no bytes behind it.
  out.data_ = data_ == nullptr ? nullptr : data_ + index * row_stride_;
  out.shape_.erase(out.shape_.begin());
  out.row_stride_ = out.row_bytes();
  return out;
}

Tensor Tensor::with_owner(std::shared_ptr<const void> owner) const {
  Tensor copy = *this;
  copy.owner_ = std::move(owner);
  return copy;
}

const std::string& Tensor::file() const {
  static const std::string none;
  return file_ != nullptr ? *file_ : none;
}

Tensor Tensor::with_file(const std::string& path) const {
  Tensor copy = *this;
  copy.file_ = path.empty() ? nullptr : std::make_shared<const std::string>(path);
  return copy;
}

Result<IdSpan> IdSpan::of(const Tensor& tensor, std::string_view what) {
  const auto argument = std::string(what);
  if (tensor.shape().size() != 1) {
    return invalid("{}: shape is {}, expected one dimension", what, shape_text(tensor.shape()))
        .with("argument", argument);
  }
  const bool wide = same_dtype(tensor.dtype(), kInt64);
  if (!wide && !same_dtype(tensor.dtype(), kInt32)) {
    return invalid("{}: dtype is {}, expected int32 or int64", what, dtype_name(tensor.dtype()))
        .with("argument", argument);
  }
  if (!tensor.contiguous()) {
    return invalid("{}: ids are not contiguous; pass a contiguous copy", what)
        .with("argument", argument);
  }
  return IdSpan(tensor.data(), wide, tensor.rows());
}

namespace {

template <typename T>
int64_t find_outside_of(const T* ids, int64_t size, int64_t limit) {
  const auto bound = static_cast<uint64_t>(limit);
  constexpr int64_t kBlock = 4096;  // a branchless pass per block, so that the compiler vectorises
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t end = std::min(size, begin + kBlock);
    bool bad = false;
    for (int64_t i = begin; i < end; ++i) {
      bad |= static_cast<uint64_t>(int64_t{ids[i]}) >= bound;
    }
    for (int64_t i = begin; bad && i < end; ++i) {
      if (static_cast<uint64_t>(int64_t{ids[i]}) >= bound) {
        return i;
      }
    }
  }
  return -1;
}

}  // namespace

int64_t IdSpan::find_outside(int64_t limit) const {
  return wide_ ? find_outside_of(static_cast<const int64_t*>(data_), size_, limit)
               : find_outside_of(static_cast<const int32_t*>(data_), size_, limit);
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) {
    text += formatted("{}{}", d > 0 ? ", " : "", shape[d]);
  }
  return text + "]";
}

}  // namespace gls
