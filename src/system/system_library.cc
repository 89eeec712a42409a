#include "system/system_library.h"

#include <dlfcn.h>

namespace gls {

Result<SystemLibrary> SystemLibrary::open(std::span<const char* const> names) {
  std::string why;
  for (const char* const name : names) {
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
      return SystemLibrary(name, handle);
    }
    if (const char* const reason = dlerror(); why.empty() && reason != nullptr) {
      why = reason;
    }
  }
  return error(GLS_ERR_UNSUPPORTED, "the system library {} cannot be loaded: {}", names.front(),
               why.empty() ? "no reason given" : why);
}

void* SystemLibrary::address(const char* name) const { return dlsym(handle_, name); }

}  // namespace gls
