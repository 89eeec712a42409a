#include "context/log.h"

#include <unistd.h>

#include "base/output.h"

namespace gls {

void Log::emit(int32_t level, const char* component, const std::string& text) const {
  if (fn_ != nullptr) {
    fn_(user_data_, level, component, text.c_str());
    return;
  }
  static const char* const names[] = {"", "error", "warn", "info", "debug", "trace"};
  const char* name = level >= 1 && level <= 5 ? names[level] : "log";
  static Lines lines(STDERR_FILENO);
  static_cast<void>(lines.write(formatted("gls {} {}: {}\n", name, component, text)));
}

}  // namespace gls
