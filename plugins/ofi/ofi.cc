#include "plugins/ofi/ofi.h"

#include <cstdlib>
#include <mutex>

#include "plugins/channels/plugin.h"

namespace gls::net {
namespace {

constexpr char kLibrary[] = "libfabric.so.1";

// Options of libfabric without a function. Variables that the user has set stay.
constexpr const char* kEnvironment[][2] = {
    // A library for old fabrics, loaded with it, installs signal handlers, but Java and Python have
    // their own.
    {"IPATH_NO_BACKTRACE", "1"},
};

}  // namespace

const Ofi* load_ofi(std::string* why) {
  static std::mutex mutex;
  static Ofi functions;
  static bool loaded = false;
  const std::lock_guard lock(mutex);
  if (loaded) {
    return &functions;
  }
  for (const auto& [name, value] : kEnvironment) {
    ::setenv(name, value, 0);
  }
  LateLibrary library;
  if (!library.open(kLibrary, "libfabric", why)) {
    return nullptr;
  }
#define GLS_FIND(name)                              \
  if (!library.find(#name, &functions.name, why)) { \
    return nullptr;                                 \
  }
  GLS_OFI_FUNCTIONS(GLS_FIND)
#undef GLS_FIND
  loaded = true;
  return &functions;
}

}  // namespace gls::net
