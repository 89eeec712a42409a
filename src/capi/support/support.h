// Common code of all functions of the C ABI: they catch all exceptions, check sizes of structs, and
// convert errors.
#pragma once

#include <gls.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/status.h"
#include "context/context.h"
#include "graph/dataset/dataset.h"
#include "ingest/build/builder.h"
#include "loader/columns/dataset_on_device.h"
#include "loader/pipeline/loader.h"
#include "sample/batch/batch.h"
#include "sample/batch/batch_arrays.h"
#include "sample/device/sampler_on_device.h"
#include "sample/sampler.h"
#include "system/file_guard.h"

struct gls_error {
  gls::Status status;
};
struct gls_context {
  std::shared_ptr<gls::Context> impl;
};
struct gls_dataset {
  std::shared_ptr<const gls::Dataset> impl;
  std::shared_ptr<const gls::DatasetOnDevice> there = nullptr;  // NULL: on the host

  std::shared_ptr<gls::Device> device() const { return there ? there->device() : nullptr; }
};
struct gls_builder {
  std::shared_ptr<gls::Context> context;
  gls::Builder impl;
};
struct gls_sampler {
  std::shared_ptr<const gls::Sampler> impl;
  std::shared_ptr<const gls::SamplerOnDevice> there = nullptr;  // NULL: on the host

  std::shared_ptr<gls::Device> device() const { return there ? there->device() : nullptr; }
};
struct gls_loader {
  std::shared_ptr<gls::BatchSource> impl;
};
struct gls_batch {
  std::shared_ptr<const gls::Batch> impl;
  gls::Batch* open = nullptr;  // set while its transform runs, which borrows the handle
  gls::LazyBatchArrays arrays{};
};

namespace gls::capi {

gls_status_t fail(Status status, gls_error_t** err) noexcept;

// Runs `body`, which returns a Status, and converts any outcome to a status code.
template <typename Body>
gls_status_t guard(gls_error_t** err, Body&& body) noexcept {
  try {
    const FileReadScope reads;
    const InterruptScope interrupts;
    Status status = std::forward<Body>(body)();
    return status.ok() ? GLS_OK : fail(std::move(status), err);
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_memory(), err);
  } catch (const std::exception& e) {
    return fail(or_out_of_memory(
                    [&] { return error(GLS_ERR_INTERNAL, "unexpected exception: {}", e.what()); }),
                err);
  } catch (...) {
    return fail(or_out_of_memory([] { return error(GLS_ERR_INTERNAL, "unexpected exception"); }),
                err);
  }
}

inline Status null_argument(const char* name) {
  return invalid("{} is NULL", name).with("argument", name);
}
#define GLS_REQUIRE(argument)                       \
  do {                                              \
    if ((argument) == nullptr) {                    \
      return ::gls::capi::null_argument(#argument); \
    }                                               \
  } while (false)

inline const Context& context_of(const gls_context& handle) { return *handle.impl; }
inline const Context& context_of(const gls_builder& handle) { return *handle.context; }
inline const Context& context_of(const gls_dataset& handle) { return *handle.impl->context(); }
inline const Context& context_of(const gls_sampler& handle) {
  return *handle.impl->dataset()->context();
}
inline const Context& context_of(const gls_loader& handle) {
  return *handle.impl->dataset()->context();
}
inline const Context& context_of(const gls_batch& handle) {
  return *handle.impl->dataset->context();
}
// The first check of a call on an object: it is not NULL, and this process made it.
#define GLS_USE(handle)                                          \
  do {                                                           \
    GLS_REQUIRE(handle);                                         \
    GLS_TRY(::gls::capi::context_of(*(handle)).check_process()); \
  } while (false)

// Copies an options struct of any version. Members that the caller's version lacks are zero;
// members that the library does not know must be zero.
template <typename Options>
Status read_options(const Options* in, const char* name, Options* out) {
  std::memset(static_cast<void*>(out), 0, sizeof(Options));
  if (in == nullptr) {
    return {};
  }
  const size_t size = in->struct_size;
  constexpr size_t kLargest = 65536;
  if (size < sizeof(size_t) || size > kLargest) {
    return invalid("{}: struct_size is {}; start from the GLS_..._INIT initialiser", name, size)
        .with("argument", name);
  }
  // Known fields are read even if the call is refused, because functions that destroy user data
  // must run then, too.
  std::memcpy(static_cast<void*>(out), in, std::min(size, sizeof(Options)));
  const auto* bytes = reinterpret_cast<const unsigned char*>(in);
  for (size_t i = sizeof(Options); i < size; ++i) {
    if (bytes[i] != 0) {
      return error(GLS_ERR_UNSUPPORTED,
                   "{}: an option beyond the {} bytes this library knows is set; the program was "
                   "compiled for a newer version",
                   name, sizeof(Options))
          .with("argument", name);
    }
  }
  return {};
}

// Fills the caller's struct up to its size.
template <typename Info>
Status write_info(Info full, Info* out) {
  const size_t size = out->struct_size;
  if (size < sizeof(size_t)) {
    return invalid("struct_size is {}; set it to the size of the struct", size)
        .with("argument", "struct_size");
  }
  full.struct_size = size;
  std::memcpy(static_cast<void*>(out), &full, std::min(size, sizeof(Info)));
  return {};
}

template <typename Enum>
Status check_enum(int32_t value, Enum last, const char* name) {
  if (value < 0 || value > static_cast<int32_t>(last)) {
    return invalid("{} is {}, expected 0 to {}", name, value, static_cast<int32_t>(last))
        .with("argument", name);
  }
  return {};
}

inline Status check_flags(uint32_t flags, uint32_t known, const char* name) {
  if ((flags & ~known) != 0) {
    return error(GLS_ERR_UNSUPPORTED, "{} has unknown bits 0x{:x}", name, flags & ~known)
        .with("argument", name);
  }
  return {};
}

// A timeout for the inside: -1 has no limit. Negative values are without limit, and so is
// GLS_TIMEOUT_DEFAULT where a function has no other default.
inline int64_t limit_of(int64_t timeout_ms, int64_t otherwise = -1) {
  const int64_t limit = timeout_ms == GLS_TIMEOUT_DEFAULT ? otherwise : timeout_ms;
  return limit < 0 ? -1 : limit;
}

// Reserved fields are options of later versions, and are never ignored silently.
inline Status check_reserved(int64_t value) {
  if (value != 0) {
    return error(GLS_ERR_UNSUPPORTED, "a reserved field is {}, expected 0", value)
        .with("argument", "reserved");
  }
  return {};
}

// Copies an array of texts, none of which may be NULL.
inline Status read_texts(const char* const* texts, size_t count, const char* name,
                         std::vector<std::string>* out) {
  if (count > 0 && texts == nullptr) {
    return null_argument(name);
  }
  for (size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) {
      return invalid("{}[{}] is NULL", name, i).with("argument", name);
    }
    out->emplace_back(texts[i]);
  }
  return {};
}

// Takes ownership of several tensors for one call: of all when it succeeds, of none when it fails.
class Taken {
 public:
  ~Taken() {
    if (!kept_) {
      for (Tensor* tensor : adopted_) {
        tensor->return_adopted();
      }
    }
  }
  Status add(gls_tensor_t* managed, const char* name, Tensor* out) {
    if (managed != nullptr && std::find(given_.begin(), given_.end(), managed) != given_.end()) {
      return invalid("{} is given twice, but can be taken only once", name).with("argument", name);
    }
    adopted_.reserve(adopted_.size() + 1);  // operations that may fail come before
    given_.reserve(given_.size() + 1);
    GLS_ASSIGN(*out, Tensor::adopt(managed, name));
    adopted_.push_back(out);
    given_.push_back(managed);
    return {};
  }
  Status keep_if(Status status) {
    kept_ = status.ok();
    return status;
  }

 private:
  std::vector<Tensor*> adopted_;
  std::vector<const gls_tensor_t*> given_;
  bool kept_ = false;
};

// User data of the caller. `destroy` runs once, when the last object that took the data ends.
class UserData {
 public:
  UserData() = default;
  UserData(void* data, gls_destroy_fn destroy) noexcept : data_(data), destroy_(destroy) {}
  ~UserData() {
    if (destroy_ != nullptr) {
      destroy_(data_);
    }
  }
  UserData(UserData&& other) noexcept
      : data_(other.data_), destroy_(std::exchange(other.destroy_, nullptr)) {}
  UserData& operator=(UserData&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  // For data that code without this class takes.
  void give_away() noexcept { destroy_ = nullptr; }

 private:
  void* data_ = nullptr;
  gls_destroy_fn destroy_ = nullptr;
};

// Copies text with its NUL; reports the required size if the buffer is too small.
Status copy_text(const std::string& text, char* buffer, size_t capacity, size_t* length);

Progress make_progress(gls_progress_fn fn, void* user_data);

// Edge sets of a request; the tensors are borrowed.
Result<std::vector<EdgeSet>> read_edge_sets(const Dataset& dataset, const gls_edge_set_t* sets,
                                            size_t count, const char* name);

// Deletes a handle, except in a forked child, where its threads and locks no longer exist.
template <typename Handle>
void release(Handle* handle, const Context& context) noexcept {
  if (!context.in_forked_child()) {
    delete handle;
  }
}

}  // namespace gls::capi
