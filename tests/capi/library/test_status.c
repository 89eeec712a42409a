/* Status codes, error objects, versions. */
#include "helpers.h"

static void status_names(void **state) {
  (void)state;
  static const struct {
    gls_status_t status;
    const char *name;
  } all[] = {
      {GLS_OK, "GLS_OK"},
      {GLS_IN_PROGRESS, "GLS_IN_PROGRESS"},
      {GLS_END, "GLS_END"},
      {GLS_ERR_INVALID_ARGUMENT, "GLS_ERR_INVALID_ARGUMENT"},
      {GLS_ERR_OUT_OF_MEMORY, "GLS_ERR_OUT_OF_MEMORY"},
      {GLS_ERR_NOT_FOUND, "GLS_ERR_NOT_FOUND"},
      {GLS_ERR_UNSUPPORTED, "GLS_ERR_UNSUPPORTED"},
      {GLS_ERR_INVALID_STATE, "GLS_ERR_INVALID_STATE"},
      {GLS_ERR_TIMED_OUT, "GLS_ERR_TIMED_OUT"},
      {GLS_ERR_CANCELED, "GLS_ERR_CANCELED"},
      {GLS_ERR_IO, "GLS_ERR_IO"},
      {GLS_ERR_CORRUPT_DATA, "GLS_ERR_CORRUPT_DATA"},
      {GLS_ERR_ALREADY_EXISTS, "GLS_ERR_ALREADY_EXISTS"},
      {GLS_ERR_INTERNAL, "GLS_ERR_INTERNAL"},
      {3, "GLS_UNKNOWN"},
      {-12, "GLS_UNKNOWN"},
      {INT32_MIN, "GLS_UNKNOWN"},
      {INT32_MAX, "GLS_UNKNOWN"},
  };
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    assert_string_equal(gls_status_name(all[i].status), all[i].name);
  }
}

static void versions_agree(void **state) {
  (void)state;
  assert_int_equal(gls_version(), GLS_VERSION);
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", GLS_VERSION_MAJOR, GLS_VERSION_MINOR,
           GLS_VERSION_PATCH);
  assert_string_equal(gls_version_string(), expected);
}

static void an_error_says_what_and_where(void **state) {
  (void)state;
  gls_tensor_t *tensor = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_tensor_map_npy("/no/such/file.npy", &tensor, &err);
  assert_int_equal(status, GLS_ERR_NOT_FOUND);
  assert_null(tensor);
  assert_int_equal(gls_error_status(err), status);
  assert_non_null(strstr(gls_error_message(err), "/no/such/file.npy"));
  assert_string_equal(gls_error_detail(err, "file"), "/no/such/file.npy");
  assert_null(gls_error_detail(err, "offset"));
  assert_null(gls_error_detail(err, ""));
  assert_null(gls_error_detail(err, NULL));
  assert_string_equal(gls_error_detail_key(err, 0), "file");
  assert_null(gls_error_detail_key(err, 1));
  assert_null(gls_error_detail_key(err, SIZE_MAX));
  gls_error_release(err);
}

static void the_error_may_be_left_out(void **state) {
  (void)state;
  gls_tensor_t *tensor = NULL;
  assert_int_equal(gls_tensor_map_npy("/no/such/file.npy", &tensor, NULL), GLS_ERR_NOT_FOUND);
  assert_int_equal(gls_tensor_map_npy(NULL, &tensor, NULL), GLS_ERR_INVALID_ARGUMENT);
  assert_int_equal(gls_tensor_map_npy("/no/such/file.npy", NULL, NULL), GLS_ERR_INVALID_ARGUMENT);
  assert_null(tensor);
}

static void null_is_no_error(void **state) {
  (void)state;
  assert_int_equal(gls_error_status(NULL), GLS_OK);
  assert_string_equal(gls_error_message(NULL), "");
  assert_null(gls_error_detail(NULL, "file"));
  assert_null(gls_error_detail_key(NULL, 0));
  gls_error_release(NULL);
}

static void success_leaves_the_error_alone(void **state) {
  (void)state;
  gls_error_t *const sentinel = (gls_error_t *)(void *)state;
  gls_error_t *err = sentinel;
  gls_context_t *ctx = NULL;
  assert_int_equal(gls_context_create(NULL, &ctx, &err), GLS_OK);
  assert_ptr_equal(err, sentinel);
  gls_context_release(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(status_names),
      cmocka_unit_test(versions_agree),
      cmocka_unit_test(an_error_says_what_and_where),
      cmocka_unit_test(the_error_may_be_left_out),
      cmocka_unit_test(null_is_no_error),
      cmocka_unit_test(success_leaves_the_error_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
