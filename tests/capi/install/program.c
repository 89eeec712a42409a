/* A program outside the project: what it needs is found by pkg-config or CMake. */
#include <gls.h>
#include <stdio.h>

int main(void) {
  gls_context_t *ctx = NULL;
  gls_error_t *err = NULL;
  if (gls_context_create(NULL, &ctx, &err) != GLS_OK) {
    fprintf(stderr, "%s\n", gls_error_message(err));
    gls_error_release(err);
    return 1;
  }
  gls_context_release(ctx);
  printf("gls %s\n", gls_version_string());
  return gls_version() == GLS_VERSION ? 0 : 1;
}
