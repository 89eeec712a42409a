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

#ifdef __cplusplus
extern "C" {
#endif

/** Called once, from any thread, when the library no longer needs `user_data`. Must not call the
 *  library and must not unwind. */
typedef void (*gls_destroy_fn)(void *user_data);

/** Called from any thread, possibly before the call that registered it returns. Must not call the
 *  library, block or unwind. */
typedef void (*gls_ready_fn)(void *user_data);

#ifdef __cplusplus
}
#endif
#endif /* GLS_BASE_H */
