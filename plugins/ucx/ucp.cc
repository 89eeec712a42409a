#include "plugins/ucx/ucp.h"

#include <cstdlib>
#include <mutex>

#include "plugins/channels/plugin.h"

namespace gls::net {
namespace {

constexpr char kLibrary[] = "libucp.so.0";

// What cannot be said by functions. Who has said otherwise is heard.
constexpr const char* kEnvironment[][2] = {
    {"UCX_HANDLE_ERRORS", "none"},  // no handlers of signals: Java and Python have theirs
    {"UCX_ERROR_SIGNALS", ""},
    {"UCX_LOG_FILE", "stderr"},
    {"UCX_LOG_LEVEL", "fatal"},  // what goes wrong is told by statuses
    // A peer's put writes to the address that it was once told, whatever is there now.
    {"UCX_TCP_PUT_ENABLE", "n"},
    // What is copied goes in pieces of so much, each a call of the system. Others receive as much,
    // unless they are told otherwise (UCX_TCP_RX_SEG_SIZE).
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
