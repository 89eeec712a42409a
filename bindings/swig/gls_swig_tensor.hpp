/** @file gls_swig_tensor.hpp
 *  Part of gls_swig.hpp: arrays, and what the other parts share.
 */
#ifndef GLS_SWIG_TENSOR_HPP
#define GLS_SWIG_TENSOR_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gls.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gls::facade {

#ifndef SWIG
inline std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }
inline const char* null_if_empty(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

/** A struct of Arrow, whose address languages hand on as a number. */
template <typename Struct>
Struct* arrow_at(int64_t address) {
  return reinterpret_cast<Struct*>(static_cast<intptr_t>(address));
}

/** Takes over a tensor made by `make(&out, &err)`. */
template <typename Function>
std::shared_ptr<gls_tensor_t> own_tensor(Function&& make) {
  return {gls::detail::make<gls_tensor_t>(std::forward<Function>(make)), gls_tensor_release};
}
#endif

/** Version of the loaded library, for example "0.1.0". */
inline const char* library_version() { return gls_version_string(); }
inline const char* status_name(int32_t status) { return gls_status_name(status); }

/** A GPU. */
class DeviceInfo {
 public:
  static uint32_t count() { return gls_device_count(); }
  /** As DLPack: 2, 0 is the first GPU. */
  DeviceInfo(int32_t type, int32_t id) {
    info_.struct_size = sizeof info_;
    const DLDevice device = {static_cast<DLDeviceType>(type), id};
    gls::detail::call([&](auto err) { return gls_device_get_info(device, &info_, err); });
  }
  const char* name() const { return info_.name; }
  uint64_t bytes() const { return info_.bytes; }
  uint64_t free_bytes() const { return info_.free_bytes; }
  int32_t major_version() const { return info_.major; }
  int32_t minor_version() const { return info_.minor; }

 private:
  gls_device_info_t info_{};
};

/** An array in memory, shared. Reading an array of a GPU is an error. */
class Tensor {
 public:
  static Tensor* map_npy(const char* path) {
    return new Tensor(
        own_tensor([&](auto out, auto err) { return gls_tensor_map_npy(path, out, err); }));
  }
  int32_t ndim() const { return view().ndim; }
  int64_t dim(int32_t index) const { return view().shape[checked(index)]; }
  /** In elements. */
  int64_t stride(int32_t index) const { return view().strides[checked(index)]; }
  /** As in DLPack: 0 int, 1 unsigned, 2 float, 4 bfloat, 6 bool. */
  int32_t dtype_code() const { return view().dtype.code; }
  int32_t dtype_bits() const { return view().dtype.bits; }
  bool read_only() const { return (tensor_->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0; }
  /** As DLPack: 1, 0 is the host; 2, n is GPU n. */
  int32_t device_type() const { return static_cast<int32_t>(view().device.device_type); }
  int32_t device_id() const { return view().device.device_id; }
  /** Names a stream that works with it, see gls_tensor_record_stream().
   *  @param stream  a cudaStream_t as a number; 0: the default stream */
  void record_stream(uint64_t stream) const {
    gls::detail::call([&](auto err) {
      return gls_tensor_record_stream(tensor_.get(), reinterpret_cast<void*>(stream), err);
    });
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data()); }
  /** Number of elements. */
  int64_t size() const {
    int64_t product = 1;
    for (int32_t d = 0; d < ndim(); ++d) {
      product *= view().shape[d];
    }
    return product;
  }
  /** One entry of the first dimension, which must not be the only one; the same memory. */
  Tensor* row(int64_t index) const {
    check_on_host();
    if (ndim() < 2 || index < 0 || index >= view().shape[0]) {
      fail("there is no such row");
    }
    DLTensor part = view();
    part.data = data() + index * view().strides[0] * (view().dtype.bits / 8);
    part.byte_offset = 0;
    part.ndim -= 1;
    part.shape += 1;
    part.strides += 1;
    return new Tensor(share_as(part, read_only()));
  }
  /** A row-major copy of its own, which may be written. */
  Tensor* copy() const {
    check_on_host();
    Tensor* const out = allocate(view().dtype, shape());
    const int64_t rows = view().shape[0];
    const auto row_bytes =
        rows == 0 ? 0 : static_cast<size_t>(size() / rows) * (view().dtype.bits / 8u);
    const int64_t stride = view().strides[0] * (view().dtype.bits / 8);
    for (int64_t i = 0; row_bytes > 0 && i < rows; ++i) {
      std::memcpy(out->data() + static_cast<size_t>(i) * row_bytes, data() + i * stride, row_bytes);
    }
    return out;
  }
  /** A copy of two arrays of one length and type as the rows of a new one: [2, n]. */
  static Tensor* stack(const Tensor* first, const Tensor* second) {
    const DLTensor& a = first->view();
    const DLTensor& b = second->view();
    first->check_on_host();
    second->check_on_host();
    if (a.ndim != 1 || b.ndim != 1 || a.shape[0] != b.shape[0] || a.dtype.code != b.dtype.code ||
        a.dtype.bits != b.dtype.bits || a.strides[0] != 1 || b.strides[0] != 1) {
      fail("only contiguous vectors of one length and type can be stacked");
    }
    Tensor* const out = allocate(a.dtype, {2, a.shape[0]});
    const auto bytes = static_cast<size_t>(a.shape[0]) * (a.dtype.bits / 8u);
    if (bytes > 0) {
      std::memcpy(out->data(), first->data(), bytes);
      std::memcpy(out->data() + bytes, second->data(), bytes);
    }
    return out;
  }

  /** Shares the memory with Arrow.
   *  @param schema, array  the addresses of an empty ArrowSchema and ArrowArray */
  void to_arrow(int64_t schema, int64_t array) const {
    lend(true).to_arrow(arrow_at<ArrowSchema>(schema), arrow_at<ArrowArray>(array));
  }

#ifndef SWIG
  explicit Tensor(std::shared_ptr<gls_tensor_t> tensor) : tensor_(std::move(tensor)) {}
  explicit Tensor(gls::Tensor tensor) : tensor_(tensor.release(), gls_tensor_release) {}

  const DLTensor& view() const { return tensor_->dl_tensor; }
  char* data() const { return static_cast<char*>(view().data) + view().byte_offset; }
  std::vector<int64_t> shape() const {
    return std::vector<int64_t>(view().shape, view().shape + view().ndim);
  }
  bool on_host() const { return device_type() == kDLCPU; }
  /** Before elements are read or written here. */
  void check_on_host() const {
    if (!on_host()) {
      throw std::invalid_argument(
          "the array lies on GPU " + std::to_string(device_id()) +
          ", whose memory the host cannot read: copy the batch to the host");
    }
  }
  /** One more handle on the same memory, for a call that takes it. */
  gls::Tensor share(bool as_read_only) const {
    DLTensor part = view();
    return gls::Tensor(detach(part, as_read_only));
  }
  /** One more handle on the same memory, wherever it lies, for a consumer of DLPack. */
  gls::Tensor lend(bool as_read_only) const {
    auto box = std::make_unique<Lent>();
    box->owner = tensor_;
    box->managed = *tensor_;
    box->managed.manager_ctx = box.get();
    box->managed.deleter = [](gls_tensor_t* self) { delete static_cast<Lent*>(self->manager_ctx); };
    box->managed.flags = as_read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    return gls::Tensor(&box.release()->managed);
  }

  static constexpr size_t kAlignment = 64;
  static Tensor* allocate(DLDataType dtype, std::vector<int64_t> shape) {
    size_t bytes = dtype.bits / 8u;
    for (const int64_t extent : shape) {
      bytes *= static_cast<size_t>(extent);
    }
    void* const memory = ::operator new (std::max<size_t>(bytes, 1), std::align_val_t{kAlignment});
    const DLTensor view = {
        memory, {kDLCPU, 0}, static_cast<int32_t>(shape.size()), dtype, shape.data(), nullptr, 0};
    gls::Tensor wrapped = gls::Tensor::wrap(view, false, memory, [](void* data) {
      ::operator delete (data, std::align_val_t{kAlignment});
    });
    return new Tensor(std::move(wrapped));  // `new` may fail, and then the memory has an owner
  }
#endif

 private:
#ifndef SWIG
  struct Lent {
    gls_tensor_t managed;
    std::shared_ptr<gls_tensor_t> owner;  // shapes are its own
  };
#endif
  [[noreturn]] static void fail(const char* message) { throw std::invalid_argument(message); }
  int32_t checked(int32_t index) const {
    if (index < 0 || index >= ndim()) {
      fail("there is no such dimension");
    }
    return index;
  }
  gls_tensor_t* detach(const DLTensor& part, bool as_read_only) const {
    auto box = std::make_unique<std::shared_ptr<gls_tensor_t>>(tensor_);
    gls::Tensor out = gls::Tensor::wrap(part, as_read_only, box.release(), [](void* data) {
      delete static_cast<std::shared_ptr<gls_tensor_t>*>(data);
    });
    return out.release();
  }
  std::shared_ptr<gls_tensor_t> share_as(const DLTensor& part, bool as_read_only) const {
    return {detach(part, as_read_only), gls_tensor_release};
  }

  std::shared_ptr<gls_tensor_t> tensor_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_TENSOR_HPP
