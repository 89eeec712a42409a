// Compiled as C++11 and later: a program that includes gls.h within its own extern "C".
extern "C" {
#include <gls.h>
}

extern "C" size_t gls_wrapped_size() {
  const gls_context_options_t context = GLS_CONTEXT_OPTIONS_INIT;
  const gls_loader_options_t loader = GLS_LOADER_OPTIONS_INIT;
  return context.struct_size + loader.struct_size;
}
