// Status and Result, which carry failures inside the library. Exceptions are not used for control
// flow; those of the standard library (bad_alloc) are caught at the C boundary.
#pragma once

#include <gls.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gls {

class [[nodiscard]] Status {
 public:
  Status() = default;  // success
  Status(gls_status_t code, std::string message) : rep_(new Rep{code, std::move(message), {}}) {}
  // GLS_ERR_OUT_OF_MEMORY, without allocating memory.
  static Status out_of_memory() noexcept;

  bool ok() const { return rep_ == nullptr; }
  gls_status_t code() const { return rep_ ? rep_->code : GLS_OK; }
  const std::string& message() const;
  // Details are for programs ("file", "argument"); the message already contains them in words.
  Status&& with(std::string key, std::string value) &&;
  const std::string* detail(std::string_view key) const;
  bool has(std::string_view key, std::string_view value) const;  // whether it has this detail
  const std::string* detail_key(size_t index) const;  // null for an index beyond the last
  // Puts words before the message, for a caller that knows more about the place of the failure.
  Status&& prefixed(std::string_view words) &&;
  Status copy() const;

 private:
  struct Rep {
    gls_status_t code;
    std::string message;
    std::vector<std::pair<std::string, std::string>> details;
  };
  static Rep no_memory;  // shared, never changed and never deleted
  struct Delete {
    void operator()(Rep* rep) const {
      if (rep != &no_memory) {
        delete rep;
      }
    }
  };
  void make_own();
  std::unique_ptr<Rep, Delete> rep_;
};

// The result of `make`, or a plain GLS_ERR_OUT_OF_MEMORY if memory lacks even for that. For
// handlers of exceptions.
template <typename Make>
Status or_out_of_memory(Make make) noexcept {
  try {
    return make();
  } catch (...) {
    return Status::out_of_memory();
  }
}

template <typename... Args>
Status error(gls_status_t code, fmt::format_string<Args...> text, Args&&... args) {
  return Status(code, formatted(text, std::forward<Args>(args)...));
}
template <typename... Args>
Status invalid(fmt::format_string<Args...> text, Args&&... args) {
  return error(GLS_ERR_INVALID_ARGUMENT, text, std::forward<Args>(args)...);
}
template <typename... Args>
Status corrupt(fmt::format_string<Args...> text, Args&&... args) {
  return error(GLS_ERR_CORRUPT_DATA, text, std::forward<Args>(args)...);
}
template <typename... Args>
Status not_found(fmt::format_string<Args...> text, Args&&... args) {
  return error(GLS_ERR_NOT_FOUND, text, std::forward<Args>(args)...);
}
// A failed system call: `errno_value` becomes words, `path` a detail.
Status io_error(std::string_view what, std::string_view path, int errno_value);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  Status& status() { return status_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
  Status status_;
};

#define GLS_CONCAT_(a, b) a##b
#define GLS_CONCAT(a, b) GLS_CONCAT_(a, b)
// Returns from the enclosing function when `expr`, a Status, is an error.
#define GLS_TRY(expr)                                  \
  do {                                                 \
    if (::gls::Status gls_s_ = (expr); !gls_s_.ok()) { \
      return gls_s_;                                   \
    }                                                  \
  } while (false)
// GLS_ASSIGN(auto x, f()): x = the value of the Result, or return its error.
#define GLS_ASSIGN(lhs, expr) GLS_ASSIGN_(GLS_CONCAT(gls_r_, __LINE__), lhs, expr)
#define GLS_ASSIGN_(tmp, lhs, expr) \
  auto tmp = (expr);                \
  if (!tmp.ok()) {                  \
    return std::move(tmp.status()); \
  }                                 \
  lhs = tmp.take()

}  // namespace gls
