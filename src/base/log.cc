#include "base/log.h"

#include <cstdio>

namespace gls {

void Log::emit(int32_t level, const char* component, const std::string& text) const {
  if (fn_ != nullptr) {
    fn_(user_data_, level, component, text.c_str());
    return;
  }
  static const char* const names[] = {"", "error", "warn", "info", "debug", "trace"};
  const char* name = level >= 1 && level <= 5 ? names[level] : "log";
  // One call, so that lines of several threads do not mix.
  std::fprintf(stderr, "gls %s %s: %s\n", name, component, text.c_str());
}

}  // namespace gls
