// Sets the floating-point mode of the sampling contract, independent of the caller's mode.
#pragma once

#include <cfenv>

namespace gls {

// While one exists, its thread rounds to nearest, keeps denormal numbers and raises no traps.
// Afterwards the mode and the exception flags are restored. Programs flush denormals for speed (for
// example torch.set_flush_denormal()), and new threads inherit that.
class DefaultFloatMode {
 public:
  DefaultFloatMode() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatMode() { std::fesetenv(&saved_); }
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace gls
