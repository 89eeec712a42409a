#include "plugins/ucx/ucp.h"

#include <cstdlib>
#include <mutex>

#include "plugins/channels/plugin.h"

namespace gls::net {
namespace {

constexpr char kLibrary[] = "libucp.so.0";

// Options of UCX without a function. Variables that the user has set stay.
constexpr const char* kEnvironment[][2] = {
    {"UCX_HANDLE_ERRORS", "none"},  // no signal handlers, since Java and Python have their own
    {"UCX_ERROR_SIGNALS", ""},
    {"UCX_LOG_FILE", "stderr"},
    {"UCX_LOG_LEVEL", "fatal"},  // statuses report errors
    // A peer's put writes to an address that it received earlier, whatever is there now.
    {"UCX_TCP_PUT_ENABLE", "n"},
    // Copied data are sent in pieces of this size, each with one system call. The other side
    // receives as much, unless UCX_TCP_RX_SEG_SIZE is set.
    {"UCX_TCP_TX_SEG_SIZE", "64k"},
};

}  // namespace

const Ucp* load_ucp(std::string* why) {
  static std::mutex mutex;
  static Ucp functions;
  static bool loaded = false;
  const std::lock_guard lock(mutex);
  if (loaded) {
    return &functions;
  }
  for (const auto& [name, value] : kEnvironment) {
    ::setenv(name, value, 0);
  }
  LateLibrary library;
  if (!library.open(kLibrary, "UCX", why)) {
    return nullptr;
  }
#define GLS_FIND(name)                              \
  if (!library.find(#name, &functions.name, why)) { \
    return nullptr;                                 \
  }
  GLS_UCP_FUNCTIONS(GLS_FIND)
#undef GLS_FIND
  loaded = true;
  return &functions;
}

}  // namespace gls::net
