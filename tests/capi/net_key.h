/* The key that servers, groups and clients of the tests share. */
#ifndef GLS_TESTS_CAPI_NET_KEY_H
#define GLS_TESTS_CAPI_NET_KEY_H

#include "files.h"

static const char kKey[] = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

/* Writes a key to a file in the folder, which only its owner reads, and sets net.key_file to it. */
static inline void set_key_file(gls_context_t *ctx, const char *folder, const char *name,
                                const char *key) {
  char key_file[PATH_SIZE];
  join_path(key_file, folder, name);
  write_text(key_file, key);
  assert_int_equal(chmod(key_file, 0600), 0);
  OK(gls_context_set(ctx, "net.key_file", key_file, &err));
}
static inline void set_key(gls_context_t *ctx, const char *folder) {
  set_key_file(ctx, folder, "key", kKey);
}

#endif /* GLS_TESTS_CAPI_NET_KEY_H */
