// Arrays between Python and the library, in place.
#include <mutex>
#include <string_view>
#include <vector>

#include "python_support.h"

namespace gls::python {
namespace {

using facade::Tensor;

// ---- memory that belongs to Python ----

// Keeps the memory of an array alive. Deleted with the GIL held.
class Producer {
 public:
  virtual ~Producer() = default;
};

class BufferProducer : public Producer {
 public:
  BufferProducer() = default;
  ~BufferProducer() override {
    if (taken) {
      PyBuffer_Release(&buffer);
    }
  }
  BufferProducer(const BufferProducer&) = delete;
  BufferProducer& operator=(const BufferProducer&) = delete;
  Py_buffer buffer{};
  bool taken = false;
};

template <typename Managed>
class DlpackProducer : public Producer {
 public:
  DlpackProducer() = default;
  ~DlpackProducer() override {
    if (managed_ != nullptr && managed_->deleter != nullptr) {
      managed_->deleter(managed_);
    }
  }
  DlpackProducer(const DlpackProducer&) = delete;
  DlpackProducer& operator=(const DlpackProducer&) = delete;
  void take(Managed* managed) { managed_ = managed; }

 private:
  Managed* managed_ = nullptr;
};

bool finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

std::mutex retired_mutex;
std::vector<Producer*> retired;

int delete_retired(void* /*unused*/) {
  std::vector<Producer*> now;
  {
    const std::lock_guard lock(retired_mutex);
    now.swap(retired);
  }
  for (Producer* producer : now) {
    delete producer;
  }
  return 0;
}

// The library lets go of memory on any thread. One that does not hold the GIL must not wait for it
// here, as its holder may be waiting for that thread: the interpreter does the rest when it can.
void retire(void* user_data) {
  auto* const producer = static_cast<Producer*>(user_data);
  if (finalizing()) {
    return;
  }
  if (PyGILState_Check() != 0) {
    delete producer;
    return;
  }
  {
    const std::lock_guard lock(retired_mutex);
    retired.push_back(producer);
  }
  Py_AddPendingCall(delete_retired, nullptr);  // when its queue is full, a later one does it
}

// ---- layouts ----

constexpr int32_t kMaxDims = 16;

// Whether the library can read the memory as it is: rows contiguous (with `vector`, everything),
// not backwards, and elements aligned. Strides are in elements; NULL means row-major.
bool readable_in_place(const DLTensor& view, bool vector) {
  for (int32_t d = 0; d < view.ndim; ++d) {
    if (view.shape[d] == 0) {
      return true;
    }
  }
  const uint64_t width = std::max<uint64_t>(view.dtype.bits / 8u, 1);
  if ((reinterpret_cast<uint64_t>(view.data) + view.byte_offset) % width != 0) {
    return false;
  }
  if (view.strides == nullptr) {
    return true;
  }
  int64_t expected = 1;
  for (int32_t d = view.ndim - 1; d >= 0; --d) {
    const bool free = d == 0 && !vector && view.strides[0] >= expected;
    if (view.shape[d] != 1 && view.strides[d] != expected && !free) {
      return false;
    }
    expected *= view.shape[d];
  }
  return true;
}

// The DLPack type of an element in the notation of the struct module; bits 0 when there is none.
DLDataType parse_format(const char* format, Py_ssize_t itemsize) {
  std::string_view text = format == nullptr ? "B" : format;
  if (!text.empty() && std::string_view("@=<|").find(text[0]) != std::string_view::npos) {
    text.remove_prefix(1);
  } else if (itemsize == 1 && !text.empty() && (text[0] == '>' || text[0] == '!')) {
    text.remove_prefix(1);
  }
  DLDataType dtype = {kDLInt, 0, 1};
  if (text.size() != 1) {
    return dtype;
  }
  if (text[0] == '?') {
    dtype.code = kDLBool;
  } else if (std::string_view("bhilqn").find(text[0]) != std::string_view::npos) {
    dtype.code = kDLInt;
  } else if (std::string_view("BHILQN").find(text[0]) != std::string_view::npos) {
    dtype.code = kDLUInt;
  } else if (std::string_view("efd").find(text[0]) != std::string_view::npos) {
    dtype.code = kDLFloat;
  } else {
    return dtype;
  }
  dtype.bits = static_cast<uint8_t>(itemsize * 8);
  return dtype;
}

Tensor* wrap(const DLTensor& view, bool read_only, std::unique_ptr<Producer> producer) {
  return new Tensor(gls::Tensor::wrap(view, read_only, producer.release(), retire));
}

template <typename Managed>
Tensor* tensor_from_managed(PyObject* capsule, const char* name, const char* used_name,
                            bool vector) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (managed == nullptr) {
    return nullptr;
  }
  bool read_only = false;
  if constexpr (std::is_same_v<Managed, gls_tensor_t>) {
    if (managed->version.major != DLPACK_MAJOR_VERSION) {
      PyErr_Format(PyExc_BufferError, "the tensor is of DLPack %u.%u, expected %d.x",
                   managed->version.major, managed->version.minor, DLPACK_MAJOR_VERSION);
      return nullptr;
    }
    read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  }
  if (!readable_in_place(managed->dl_tensor, vector)) {
    return nullptr;
  }
  auto producer = std::make_unique<DlpackProducer<Managed>>();
  DlpackProducer<Managed>* const owner = producer.get();
  std::unique_ptr<Tensor> tensor(wrap(managed->dl_tensor, read_only, std::move(producer)));
  if (PyCapsule_SetName(capsule, used_name) != 0) {
    return nullptr;
  }
  owner->take(managed);  // until here the capsule owned it
  return tensor.release();
}

Reference int_tuple(const int64_t* values, int32_t count) {
  Reference out(PyTuple_New(count));
  for (int32_t i = 0; out && i < count; ++i) {
    PyObject* const item = PyLong_FromLongLong(values[i]);
    if (item == nullptr) {
      return Reference(nullptr);
    }
    PyTuple_SET_ITEM(out.get(), i, item);
  }
  return Reference(out.release());
}

}  // namespace

// ---- arrays in ---------------------------------------------------------------------------------

Tensor* tensor_from_buffer(PyObject* object, bool vector) {
  auto producer = std::make_unique<BufferProducer>();
  Py_buffer& buffer = producer->buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_RECORDS_RO) != 0) {
    return nullptr;
  }
  producer->taken = true;
  const DLDataType dtype = parse_format(buffer.format, buffer.itemsize);
  if (dtype.bits == 0) {
    PyErr_Format(PyExc_TypeError, "elements of format \"%s\" are not supported",
                 buffer.format == nullptr ? "B" : buffer.format);
    return nullptr;
  }
  if (buffer.ndim > kMaxDims) {
    PyErr_Format(PyExc_ValueError, "the array has %d dimensions, expected at most %d", buffer.ndim,
                 kMaxDims);
    return nullptr;
  }
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
  for (int d = 0; d < buffer.ndim; ++d) {
    shape[d] = buffer.shape[d];
    if (buffer.strides == nullptr) {
      continue;  // ctypes gives none, although they are asked for: the array is row-major
    }
    if (buffer.strides[d] % buffer.itemsize != 0) {
      return nullptr;
    }
    strides[d] = buffer.strides[d] / buffer.itemsize;
  }
  int64_t* const given_strides = buffer.strides == nullptr ? nullptr : strides;
  const DLTensor view = {buffer.buf, {kDLCPU, 0}, buffer.ndim, dtype, shape, given_strides, 0};
  if (!readable_in_place(view, vector)) {
    return nullptr;
  }
  const bool read_only = buffer.readonly != 0;
  return wrap(view, read_only, std::move(producer));
}

Tensor* tensor_from_capsule(PyObject* capsule, bool vector) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    return tensor_from_managed<gls_tensor_t>(capsule, "dltensor_versioned",
                                             "used_dltensor_versioned", vector);
  }
  return tensor_from_managed<DLManagedTensor>(capsule, "dltensor", "used_dltensor", vector);
}

// ---- arrays out --------------------------------------------------------------------------------

PyObject* describe(const Tensor& tensor) {
  const DLTensor& view = tensor.view();
  Reference shape = int_tuple(view.shape, view.ndim);
  Reference strides = int_tuple(view.strides, view.ndim);
  if (!shape || !strides) {
    return nullptr;
  }
  return Py_BuildValue("KiiNNN(ii)", static_cast<unsigned long long>(tensor.address()),
                       tensor.dtype_code(), tensor.dtype_bits(), shape.release(), strides.release(),
                       PyBool_FromLong(tensor.read_only() ? 1 : 0), tensor.device_type(),
                       tensor.device_id());
}

namespace {

// As NumPy's documentation of the array interface gives it.
struct ArrayInterface {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;
  void* data;
  PyObject* descr;
};
constexpr int kContiguous = 0x1;
constexpr int kAligned = 0x100;
constexpr int kNotSwapped = 0x200;
constexpr int kWriteable = 0x400;

struct ArrayInterfaceBox {
  ArrayInterface interface {};
  Py_intptr_t shape[kMaxDims]{};
  Py_intptr_t strides[kMaxDims]{};
};

}  // namespace

PyObject* array_struct(const Tensor& tensor) {
  tensor.check_on_host();
  const DLTensor& view = tensor.view();
  char kind = 0;
  switch (view.dtype.code) {
    case kDLInt:
      kind = 'i';
      break;
    case kDLUInt:
      kind = 'u';
      break;
    case kDLFloat:
      kind = 'f';
      break;
    case kDLBool:
      kind = 'b';
      break;
    default:
      PyErr_SetString(PyExc_TypeError, "NumPy has no such type");
      return nullptr;
  }
  auto box = std::make_unique<ArrayInterfaceBox>();
  const int width = view.dtype.bits / 8;
  bool contiguous = true;
  int64_t expected = 1;
  for (int32_t d = view.ndim - 1; d >= 0; --d) {
    box->shape[d] = view.shape[d];
    box->strides[d] = view.strides[d] * width;
    contiguous = contiguous && (view.shape[d] == 1 || view.strides[d] == expected);
    expected *= view.shape[d];
  }
  box->interface = {2,
                    view.ndim,
                    kind,
                    width,
                    kAligned | kNotSwapped | (contiguous ? kContiguous : 0) |
                        (tensor.read_only() ? 0 : kWriteable),
                    box->shape,
                    box->strides,
                    tensor.data(),
                    nullptr};
  PyObject* const capsule = PyCapsule_New(box.get(), nullptr, [](PyObject* self) {
    delete static_cast<ArrayInterfaceBox*>(PyCapsule_GetPointer(self, nullptr));
  });
  if (capsule != nullptr) {
    static_cast<void>(box.release());
  }
  return capsule;
}

PyObject* dlpack_capsule(const Tensor& tensor, bool versioned, bool forget_read_only) {
  gls::Tensor shared = tensor.lend(tensor.read_only() && !forget_read_only);
  if (versioned) {
    PyObject* const capsule = PyCapsule_New(shared.get(), "dltensor_versioned", [](PyObject* self) {
      if (PyCapsule_IsValid(self, "dltensor_versioned") != 0) {
        gls_tensor_release(
            static_cast<gls_tensor_t*>(PyCapsule_GetPointer(self, "dltensor_versioned")));
      }
    });
    if (capsule != nullptr) {
      static_cast<void>(shared.release());
    }
    return capsule;
  }
  auto* const legacy = gls::detail::make<DLManagedTensor>(
      [&](auto out, auto err) { return gls_tensor_to_legacy(shared.get(), out, err); });
  static_cast<void>(shared.release());
  PyObject* const capsule = PyCapsule_New(legacy, "dltensor", [](PyObject* self) {
    if (PyCapsule_IsValid(self, "dltensor") != 0) {
      auto* const managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(self, "dltensor"));
      managed->deleter(managed);
    }
  });
  if (capsule == nullptr) {
    legacy->deleter(legacy);
  }
  return capsule;
}

PyObject* int_list(const Tensor& tensor) {
  tensor.check_on_host();
  const DLTensor& view = tensor.view();
  if (view.ndim != 1 || view.dtype.code != kDLInt || view.dtype.bits != 64) {
    PyErr_SetString(PyExc_TypeError, "expected a vector of int64");
    return nullptr;
  }
  Reference out(PyList_New(view.shape[0]));
  const auto* const values = reinterpret_cast<const int64_t*>(tensor.data());
  for (int64_t i = 0; out && i < view.shape[0]; ++i) {
    PyObject* const item = PyLong_FromLongLong(values[i * view.strides[0]]);
    if (item == nullptr) {
      return nullptr;
    }
    PyList_SET_ITEM(out.get(), i, item);
  }
  return out.release();
}

PyObject* bytes_object(facade::Bytes bytes) {
  return PyBytes_FromStringAndSize(static_cast<const char*>(bytes.data),
                                   static_cast<Py_ssize_t>(bytes.size));
}

PyObject* list_arrays(const facade::Batch& batch) {
  const uint32_t count = batch.num_arrays();
  Reference out(PyList_New(count));
  for (uint32_t i = 0; out && i < count; ++i) {
    const gls_array_info_t info = batch.info(i);
    PyObject* const item = Py_BuildValue("iszi", info.array, info.type, info.name, info.rows);
    if (item == nullptr) {
      return nullptr;
    }
    PyList_SET_ITEM(out.get(), i, item);
  }
  return out.release();
}

}  // namespace gls::python
