#ifndef GLS_BASE_H
#define GLS_BASE_H

#include <gls/version.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define GLS_API __declspec(dllimport)
#elif defined(__GNUC__)
#define GLS_API __attribute__((visibility("default")))
#else
#define GLS_API
#endif

/** The initialiser of a struct that begins with `struct_size`: sets this field and nothing else, so all
 *  other fields are zero. Each struct of options has a macro of its own, such as
 *  GLS_LOADER_OPTIONS_INIT. */
#ifdef __cplusplus
template <typename Struct>
constexpr Struct gls_initialised() {
  Struct out{};
  out.struct_size = sizeof(Struct);
  return out;
}
#define GLS_INIT(type) gls_initialised<type>()
#else
#define GLS_INIT(type) \
  { .struct_size = sizeof(type) }
#endif

/** As a `timeout_ms`: the default that the function documents, or without limit if it documents none.
 *  The smallest int64_t. */
#define GLS_TIMEOUT_DEFAULT (-9223372036854775807 - 1)

#ifdef __cplusplus
extern "C" {
#endif

/** Runs exactly once, when the library no longer needs `user_data`: at once if the call that passed it
 *  fails. Any thread may run it. Must not call the library and must not unwind. */
typedef void (*gls_destroy_fn)(void *user_data);

/** Called from any thread, possibly before the call that registered it returns. Must not call the
 *  library, block or unwind. */
typedef void (*gls_ready_fn)(void *user_data);

#ifdef __cplusplus
}
#endif
#endif /* GLS_BASE_H */
