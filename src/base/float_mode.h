// Floating-point arithmetic as the sampling contract states it, whatever the caller has set.
#pragma once

#include <cfenv>

namespace gls {

// While one lives, its thread rounds to nearest, keeps denormal numbers and raises no traps; then
// the mode and the exception flags are what they were. Programs flush denormals for speed (for
// example torch.set_flush_denormal()), and threads inherit that from whoever starts them.
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
