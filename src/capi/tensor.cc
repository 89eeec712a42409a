#include "capi/support/support.h"
#include "format/npy.h"

namespace gls {
namespace {

// Returns what the tensor keeps: the caller moves the user data there, which cannot fail.
Result<std::shared_ptr<capi::UserData>> wrap(const DLTensor& view, bool read_only,
                                             gls_tensor_t** out) {
  GLS_ASSIGN(Tensor tensor, Tensor::borrow(view, "view"));
  auto memory = std::make_shared<capi::UserData>();
  tensor =
      Tensor(memory, tensor.data(), tensor.dtype(), tensor.shape(), tensor.row_stride(), read_only);
  *out = tensor.export_dlpack();
  return memory;
}

struct Legacy {
  DLManagedTensor managed;
  gls_tensor_t* tensor;
};

void release_legacy_source(void* user_data) {
  auto* const legacy = static_cast<DLManagedTensor*>(user_data);
  if (legacy->deleter != nullptr) {
    legacy->deleter(legacy);
  }
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_tensor_wrap(const DLTensor* view, int32_t read_only, void* user_data,
                             gls_destroy_fn destroy, gls_tensor_t** out, gls_error_t** err) {
  gls::capi::UserData owned(user_data, destroy);
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(view);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const auto memory, gls::wrap(*view, read_only != 0, out));
    *memory = std::move(owned);
    return {};
  });
}

gls_status_t gls_tensor_map_npy(const char* path, gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(path);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::Tensor tensor, gls::map_npy(path));
    *out = tensor.export_dlpack();
    return {};
  });
}

gls_status_t gls_tensor_to_legacy(gls_tensor_t* tensor, DLManagedTensor** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(tensor);
    GLS_REQUIRE(out);
    if ((tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0) {
      return gls::invalid("tensor is read-only, which DLPack before 1.0 cannot express; copy it")
          .with("argument", "tensor");
    }
    auto* const legacy = new gls::Legacy{{tensor->dl_tensor, nullptr, nullptr}, tensor};
    legacy->managed.manager_ctx = legacy;
    legacy->managed.deleter = [](DLManagedTensor* self) {
      auto* const box = static_cast<gls::Legacy*>(self->manager_ctx);
      gls_tensor_release(box->tensor);
      delete box;
    };
    *out = &legacy->managed;
    return {};
  });
}

gls_status_t gls_tensor_from_legacy(DLManagedTensor* legacy, int32_t read_only, gls_tensor_t** out,
                                    gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(legacy);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const auto memory, gls::wrap(legacy->dl_tensor, read_only != 0, out));
    *memory = gls::capi::UserData(legacy, gls::release_legacy_source);
    return {};
  });
}

void gls_tensor_release(gls_tensor_t* tensor) {
  if (tensor != nullptr && tensor->deleter != nullptr) {
    tensor->deleter(tensor);
  }
}

}  // extern "C"
