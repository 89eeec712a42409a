// Libraries of the system that are optional: a feature opens its library at first use.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/status.h"

namespace gls {

// Such a library. It stays loaded for the life of the process.
class SystemLibrary {
 public:
  // Opens the first file of `names` that the dynamic linker finds. The names are those of one
  // library on different systems. The error, GLS_ERR_UNSUPPORTED, names the first one.
  static Result<SystemLibrary> open(std::span<const char* const> names);

  template <typename Function>
  Status find(const char* name, Function** out) const {
    *out = reinterpret_cast<Function*>(address(name));
    return *out != nullptr ? Status() : error(GLS_ERR_UNSUPPORTED, "{} has no {}", file_, name);
  }

 private:
  SystemLibrary(std::string file, void* handle) : file_(std::move(file)), handle_(handle) {}
  void* address(const char* name) const;

  std::string file_;
  void* handle_;
};

}  // namespace gls
