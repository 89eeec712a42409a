#include "capi/support/support.h"

namespace gls::capi {

gls_status_t fail(Status status, gls_error_t** err) noexcept {
  const gls_status_t code = status.code();
  if (err != nullptr) {
    // Without memory for the message, the caller only gets the code.
    *err = new (std::nothrow) gls_error{std::move(status)};
  }
  return code;
}

Status copy_text(const std::string& text, char* buffer, size_t capacity, size_t* length) {
  if (length != nullptr) {
    *length = text.size();
  }
  if (buffer == nullptr || capacity < text.size() + 1) {
    return invalid("capacity is {}, expected at least {}", buffer == nullptr ? 0 : capacity,
                   text.size() + 1)
        .with("argument", "capacity");
  }
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return {};
}

Progress make_progress(gls_progress_fn fn, void* user_data) {
  if (fn == nullptr) {
    return {};
  }
  return [fn, user_data](const char* stage, uint64_t done, uint64_t total, const char* unit) {
    return fn(user_data, stage, done, total, unit) == 0;
  };
}

Result<std::vector<EdgeSet>> read_edge_sets(const Dataset& dataset, const gls_edge_set_t* sets,
                                            size_t count, const char* name) {
  std::vector<EdgeSet> out;
  if (count > 0 && sets == nullptr) {
    return null_argument(name);
  }
  for (size_t i = 0; i < count; ++i) {
    EdgeSet set;
    GLS_ASSIGN(set.edge_type, dataset.edge_type_index(sets[i].edge_type));
    if (sets[i].edges == nullptr) {
      return null_argument(name);
    }
    GLS_ASSIGN(set.edges, Tensor::borrow(*sets[i].edges, name));
    out.push_back(std::move(set));
  }
  return out;
}

}  // namespace gls::capi

extern "C" {

const char* gls_status_name(gls_status_t status) {
  switch (status) {
#define GLS_NAME(code) \
  case code:           \
    return #code;
    GLS_NAME(GLS_OK)
    GLS_NAME(GLS_IN_PROGRESS)
    GLS_NAME(GLS_END)
    GLS_NAME(GLS_ERR_INVALID_ARGUMENT)
    GLS_NAME(GLS_ERR_OUT_OF_MEMORY)
    GLS_NAME(GLS_ERR_NOT_FOUND)
    GLS_NAME(GLS_ERR_UNSUPPORTED)
    GLS_NAME(GLS_ERR_INVALID_STATE)
    GLS_NAME(GLS_ERR_TIMED_OUT)
    GLS_NAME(GLS_ERR_CANCELED)
    GLS_NAME(GLS_ERR_IO)
    GLS_NAME(GLS_ERR_CORRUPT_DATA)
    GLS_NAME(GLS_ERR_ALREADY_EXISTS)
    GLS_NAME(GLS_ERR_INTERNAL)
#undef GLS_NAME
    default:
      return "GLS_UNKNOWN";
  }
}

gls_status_t gls_error_status(const gls_error_t* err) {
  return err != nullptr ? err->status.code() : GLS_OK;
}

const char* gls_error_message(const gls_error_t* err) {
  return err != nullptr ? err->status.message().c_str() : "";
}

const char* gls_error_detail(const gls_error_t* err, const char* key) {
  if (err == nullptr || key == nullptr) {
    return nullptr;
  }
  const std::string* value = err->status.detail(key);
  return value != nullptr ? value->c_str() : nullptr;
}

const char* gls_error_detail_key(const gls_error_t* err, size_t index) {
  const std::string* key = err != nullptr ? err->status.detail_key(index) : nullptr;
  return key != nullptr ? key->c_str() : nullptr;
}

void gls_error_release(gls_error_t* err) { delete err; }

uint32_t gls_version(void) { return GLS_VERSION; }

const char* gls_version_string(void) {
#define GLS_TEXT_(x) #x
#define GLS_TEXT(x) GLS_TEXT_(x)
  return GLS_TEXT(GLS_VERSION_MAJOR) "." GLS_TEXT(GLS_VERSION_MINOR) "." GLS_TEXT(
      GLS_VERSION_PATCH);
#undef GLS_TEXT
#undef GLS_TEXT_
}

}  // extern "C"
