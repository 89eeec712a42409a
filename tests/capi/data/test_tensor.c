/* Tensors: wrapping memory, mapping files, and both kinds of DLPack. */
#include "files.h"

/* ---- wrapping ---------------------------------------------------------------------------------
 */

static void a_wrapped_tensor_is_the_callers_memory(void **state) {
  (void)state;
  float data[12];
  const int64_t shape[] = {3, 4};
  atomic_int released = 0;
  gls_tensor_t *const tensor = wrapped(data, kFloat32, 2, shape, &released);
  const DLTensor *const dl = &tensor->dl_tensor;
  assert_ptr_equal(tensor_data(tensor), data);
  assert_int_equal(tensor->version.major, 1);
  assert_int_equal(dl->device.device_type, kDLCPU);
  assert_int_equal(dl->device.device_id, 0);
  assert_int_equal(dl->ndim, 2);
  assert_int_equal(dl->dtype.lanes, 1);
  assert_memory_equal(dl->shape, shape, sizeof shape);
  assert_ptr_not_equal(dl->shape, shape); /* copied */
  assert_non_null(dl->strides);
  assert_int_equal(dl->strides[0], 4);
  assert_int_equal(dl->strides[1], 1);
  assert_int_equal(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
  assert_int_equal(atomic_load(&released), 0);
  gls_tensor_release(tensor);
  assert_int_equal(atomic_load(&released), 1);
}

static void its_own_deleter_releases_it(void **state) {
  (void)state;
  int64_t data[2];
  const int64_t shape[] = {2};
  atomic_int released = 0;
  gls_tensor_t *const tensor = wrapped(data, kInt64, 1, shape, &released);
  tensor->deleter(tensor);
  assert_int_equal(atomic_load(&released), 1);
  gls_tensor_release(NULL);
}

static void read_only_is_flagged(void **state) {
  (void)state;
  int64_t data[2] = {1, 2};
  const int64_t shape[] = {2};
  const DLTensor view = view_of(data, kInt64, 1, shape);
  gls_tensor_t *tensor = NULL;
  OK(gls_tensor_wrap(&view, 1, NULL, NULL, &tensor, &err));
  assert_int_not_equal(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
  DLManagedTensor *legacy = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "tensor", gls_tensor_to_legacy(tensor, &legacy, &err));
  assert_null(legacy);
  assert_int_equal(id_at(tensor, 1), 2); /* still the caller's */
  gls_tensor_release(tensor);
}

static void offsets_and_row_strides(void **state) {
  (void)state;
  float data[16];
  int64_t shape[] = {3, 2};
  int64_t strides[] = {5, 1};
  DLTensor view = view_of(data, kFloat32, 2, shape);
  view.strides = strides;
  view.byte_offset = sizeof(float);
  gls_tensor_t *tensor = NULL;
  OK(gls_tensor_wrap(&view, 0, NULL, NULL, &tensor, &err));
  assert_ptr_equal(tensor_data(tensor), data + 1);
  assert_int_equal(tensor->dl_tensor.strides[0], 5);
  gls_tensor_release(tensor);
  /* A dimension of one row or one element may have any stride. */
  int64_t one[] = {1, 1, 2};
  int64_t odd[] = {-77, 33, 1};
  view = view_of(data, kFloat32, 3, one);
  view.strides = odd;
  OK(gls_tensor_wrap(&view, 0, NULL, NULL, &tensor, &err));
  gls_tensor_release(tensor);
}

static void every_dtype(void **state) {
  (void)state;
  static const DLDataType good[] = {
      {kDLBool, 8, 1},   {kDLInt, 8, 1},    {kDLInt, 16, 1},    {kDLInt, 32, 1},  {kDLInt, 64, 1},
      {kDLUInt, 8, 1},   {kDLUInt, 16, 1},  {kDLUInt, 32, 1},   {kDLUInt, 64, 1}, {kDLFloat, 16, 1},
      {kDLFloat, 32, 1}, {kDLFloat, 64, 1}, {kDLBfloat, 16, 1},
  };
  static const DLDataType bad[] = {
      {kDLFloat, 8, 1}, {kDLFloat, 128, 1}, {kDLComplex, 64, 1}, {kDLInt, 64, 2},
      {kDLInt, 64, 0},  {kDLInt, 0, 1},     {kDLInt, 4, 1},      {kDLOpaqueHandle, 64, 1},
      {kDLBool, 1, 1},  {kDLBfloat, 32, 1}, {255, 255, 65535},   {0, 0, 0},
  };
  int64_t data[4];
  const int64_t shape[] = {4};
  gls_tensor_t *tensor = NULL;
  for (size_t i = 0; i < COUNT_OF(good); ++i) {
    const DLTensor view = view_of(data, good[i], 1, shape);
    OK(gls_tensor_wrap(&view, 0, NULL, NULL, &tensor, &err));
    assert_int_equal(tensor->dl_tensor.dtype.code, good[i].code);
    assert_int_equal(tensor->dl_tensor.dtype.bits, good[i].bits);
    gls_tensor_release(tensor);
  }
  tensor = NULL;
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    const DLTensor view = view_of(data, bad[i], 1, shape);
    FAILS(GLS_ERR_INVALID_ARGUMENT, "view", gls_tensor_wrap(&view, 0, NULL, NULL, &tensor, &err));
  }
  assert_null(tensor);
}

static void bad_views_are_refused_and_destroyed_once(void **state) {
  (void)state;
  atomic_int released = 0;
  int refused = 0;
  int64_t data[64];
  int64_t shape[17] = {2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  int64_t strides[] = {2, 1};
  gls_tensor_t *tensor = NULL;
#define REFUSED(code, change)                                                                \
  do {                                                                                       \
    DLTensor view = view_of(data, kInt64, 2, shape);                                         \
    view.strides = strides;                                                                  \
    change;                                                                                  \
    FAILS(code, "view", gls_tensor_wrap(&view, 0, &released, count_release, &tensor, &err)); \
    assert_int_equal(atomic_load(&released), ++refused);                                     \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.ndim = 0);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.ndim = -1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.ndim = 17);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.ndim = INT32_MAX);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.shape = NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.data = NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.byte_offset = 4); /* misaligned */
  REFUSED(GLS_ERR_UNSUPPORTED, view.device.device_type = kDLCUDA);
  REFUSED(GLS_ERR_UNSUPPORTED, view.device.device_type = (DLDeviceType)99);
  int64_t negative[] = {2, -1};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.shape = negative);
  int64_t huge[] = {INT64_MAX, INT64_MAX};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.shape = huge);
  int64_t large[] = {INT64_MAX / 8, 1};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.shape = large);
  int64_t wide_and_empty[] = {0, INT64_MAX / 2};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.shape = wide_and_empty);
  int64_t column_major[] = {1, 2};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.strides = column_major);
  int64_t gaps[] = {4, 2};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.strides = gaps);
  int64_t backward[] = {-2, 1};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.strides = backward);
  int64_t overlapping[] = {1, 1};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.strides = overlapping);
  int64_t far_apart[] = {INT64_MAX / 2, 1};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, view.strides = far_apart);
#undef REFUSED
  const DLTensor view = view_of(data, kInt64, 2, shape);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "view",
        gls_tensor_wrap(NULL, 0, &released, count_release, &tensor, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out",
        gls_tensor_wrap(&view, 0, &released, count_release, NULL, &err));
  assert_null(tensor);
  assert_int_equal(atomic_load(&released), refused + 2);
  /* Without a function, and after a success. */
  FAILS(GLS_ERR_INVALID_ARGUMENT, "view", gls_tensor_wrap(NULL, 0, data, NULL, &tensor, &err));
  OK(gls_tensor_wrap(&view, 0, &released, count_release, &tensor, &err));
  assert_int_equal(atomic_load(&released), refused + 2);
  gls_tensor_release(tensor);
  assert_int_equal(atomic_load(&released), refused + 3);
}

static void empty_tensors_need_no_memory(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{0, 3, 4}, {3, 0, 4}, {0, 0, 0}, {0, INT64_MAX, 2}};
  for (size_t i = 0; i < 3; ++i) {
    DLTensor view = view_of(NULL, kFloat64, 3, shapes[i]);
    view.byte_offset = 24; /* of nothing */
    gls_tensor_t *tensor = NULL;
    OK(gls_tensor_wrap(&view, 0, NULL, NULL, &tensor, &err));
    assert_int_equal(tensor_elements(tensor), 0);
    gls_tensor_release(tensor);
  }
  gls_tensor_t *tensor = NULL;
  const DLTensor view = view_of(NULL, kFloat64, 3, shapes[3]);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "view", gls_tensor_wrap(&view, 0, NULL, NULL, &tensor, &err));
}

/* ---- DLPack before 1.0 ------------------------------------------------------------------------
 */

static void legacy_there_and_back(void **state) {
  (void)state;
  int64_t data[] = {5, 6, 7};
  const int64_t shape[] = {3};
  atomic_int released = 0;
  gls_tensor_t *tensor = wrapped(data, kInt64, 1, shape, &released);
  DLManagedTensor *legacy = NULL;
  OK(gls_tensor_to_legacy(tensor, &legacy, &err));
  assert_ptr_equal(legacy->dl_tensor.data, data);
  assert_int_equal(legacy->dl_tensor.shape[0], 3);
  assert_int_equal(legacy->dl_tensor.strides[0], 1);
  tensor = NULL;
  OK(gls_tensor_from_legacy(legacy, 1, &tensor, &err));
  assert_ptr_equal(tensor_data(tensor), data);
  assert_int_not_equal(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
  assert_int_equal(atomic_load(&released), 0);
  gls_tensor_release(tensor);
  assert_int_equal(atomic_load(&released), 1);

  tensor = wrapped(data, kInt64, 1, shape, &released);
  OK(gls_tensor_to_legacy(tensor, &legacy, &err));
  legacy->deleter(legacy);
  assert_int_equal(atomic_load(&released), 2);
}

static atomic_int legacy_deleted;
static void delete_legacy(DLManagedTensor *self) {
  (void)self;
  atomic_fetch_add(&legacy_deleted, 1);
}

static void a_foreign_legacy_tensor(void **state) {
  (void)state;
  int64_t data[] = {1, 2};
  int64_t shape[] = {2};
  DLManagedTensor foreign = {view_of(data, kInt64, 1, shape), NULL, delete_legacy};
  gls_tensor_t *tensor = NULL;
  OK(gls_tensor_from_legacy(&foreign, 0, &tensor, &err));
  assert_int_equal(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
  assert_int_equal(atomic_load(&legacy_deleted), 0);
  gls_tensor_release(tensor);
  assert_int_equal(atomic_load(&legacy_deleted), 1);
  /* Refused: it stays the caller's. */
  foreign.dl_tensor.ndim = -1;
  tensor = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_tensor_from_legacy(&foreign, 0, &tensor, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "legacy", gls_tensor_from_legacy(NULL, 0, &tensor, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_tensor_from_legacy(&foreign, 0, NULL, &err));
  assert_null(tensor);
  assert_int_equal(atomic_load(&legacy_deleted), 1);
  /* Without a deleter there is nothing to give back. */
  foreign.dl_tensor.ndim = 1;
  foreign.deleter = NULL;
  OK(gls_tensor_from_legacy(&foreign, 0, &tensor, &err));
  gls_tensor_release(tensor);
}

static void null_arguments_of_legacy(void **state) {
  (void)state;
  int64_t data[] = {1};
  const int64_t shape[] = {1};
  gls_tensor_t *const tensor = wrapped(data, kInt64, 1, shape, NULL);
  DLManagedTensor *legacy = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "tensor", gls_tensor_to_legacy(NULL, &legacy, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_tensor_to_legacy(tensor, NULL, &err));
  gls_tensor_release(tensor);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static char folder[PATH_SIZE];
static char path[PATH_SIZE];

static int set_up(void **state) {
  (void)state;
  make_folder(folder);
  join_path(path, folder, "array.npy");
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  remove_folder(folder);
  return 0;
}

static void a_mapped_file(void **state) {
  (void)state;
  const float data[] = {1, 2, 3, 4, 5, 6};
  write_npy(path, "<f4", "(2, 3)", data, sizeof data);
  gls_tensor_t *tensor = NULL;
  OK(gls_tensor_map_npy(path, &tensor, &err));
  assert_int_equal(tensor->dl_tensor.ndim, 2);
  assert_int_equal(tensor->dl_tensor.shape[1], 3);
  assert_int_equal(tensor->dl_tensor.strides[0], 3);
  assert_int_equal(tensor->dl_tensor.dtype.code, kDLFloat);
  assert_int_not_equal(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
  assert_memory_equal(tensor_data(tensor), data, sizeof data);
  assert_int_equal(unlink(path), 0); /* the mapping stays */
  assert_memory_equal(tensor_data(tensor), data, sizeof data);
  gls_tensor_release(tensor);
}

static void dtypes_of_files(void **state) {
  (void)state;
  static const struct {
    const char *descr;
    DLDataType dtype;
  } known[] = {
      {"|b1", {kDLBool, 8, 1}},   {"|i1", {kDLInt, 8, 1}},    {"<i2", {kDLInt, 16, 1}},
      {"<i4", {kDLInt, 32, 1}},   {"<i8", {kDLInt, 64, 1}},   {"|u1", {kDLUInt, 8, 1}},
      {"<u2", {kDLUInt, 16, 1}},  {"<u4", {kDLUInt, 32, 1}},  {"<u8", {kDLUInt, 64, 1}},
      {"<f2", {kDLFloat, 16, 1}}, {"<f8", {kDLFloat, 64, 1}}, {"|V2", {kDLBfloat, 16, 1}},
  };
  const char zeros[16] = {0};
  for (size_t i = 0; i < COUNT_OF(known); ++i) {
    write_npy(path, known[i].descr, "(2,)", zeros, 2u * known[i].dtype.bits / 8u);
    gls_tensor_t *tensor = NULL;
    OK(gls_tensor_map_npy(path, &tensor, &err));
    assert_int_equal(tensor->dl_tensor.dtype.code, known[i].dtype.code);
    assert_int_equal(tensor->dl_tensor.dtype.bits, known[i].dtype.bits);
    gls_tensor_release(tensor);
  }
}

static void refused(gls_status_t code) {
  gls_tensor_t *tensor = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_tensor_map_npy(path, &tensor, &err);
  assert_int_equal(status, code);
  assert_null(tensor);
  assert_string_equal(gls_error_detail(err, "file"), path);
  gls_error_release(err);
}

static void files_that_are_no_arrays(void **state) {
  (void)state;
  const double data[] = {1, 2, 3, 4};
  refused(GLS_ERR_NOT_FOUND);
  write_file(path, "", 0);
  refused(GLS_ERR_CORRUPT_DATA);
  write_text(path, "no array at all, but a text");
  refused(GLS_ERR_CORRUPT_DATA);
  write_file(path, "\x93NUMPY\x01\x00\xff\xff", 10);
  refused(GLS_ERR_CORRUPT_DATA);
  write_file(path, "\x93NUMPY\x09\x00\x01\x00 ", 11);
  refused(GLS_ERR_UNSUPPORTED);
  write_npy(path, "<f8", "(4,)", data, sizeof data - 1);
  refused(GLS_ERR_CORRUPT_DATA);
  write_npy(path, "<f8", "(3,)", data, sizeof data);
  refused(GLS_ERR_CORRUPT_DATA);
  write_npy(path, "<f8", "(-4,)", data, sizeof data);
  refused(GLS_ERR_CORRUPT_DATA);
  write_npy(path, "<f8", "(9223372036854775807, 9223372036854775807)", data, sizeof data);
  refused(GLS_ERR_CORRUPT_DATA);
  write_npy(path, "<f8", "(4", data, sizeof data);
  refused(GLS_ERR_CORRUPT_DATA);
  write_npy(path, ">f8", "(4,)", data, sizeof data);
  refused(GLS_ERR_UNSUPPORTED);
  write_npy(path, "<U4", "(2,)", data, sizeof data);
  refused(GLS_ERR_UNSUPPORTED);
  write_npy(path, "|O", "(4,)", data, sizeof data);
  refused(GLS_ERR_UNSUPPORTED);
  write_npy(path, "<c16", "(2,)", data, sizeof data);
  refused(GLS_ERR_UNSUPPORTED);
  write_npy(path, "<f8", "()", data, sizeof(double));
  refused(GLS_ERR_UNSUPPORTED);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_tensor_map_npy(NULL, NULL, &err));
  gls_tensor_t *tensor = NULL;
  gls_error_t *err = NULL;
  assert_true(gls_tensor_map_npy(folder, &tensor, &err) < 0); /* a folder */
  gls_error_release(err);
}

static void an_empty_array_file(void **state) {
  (void)state;
  write_npy(path, "<f8", "(0, 4)", "", 0);
  gls_tensor_t *tensor = NULL;
  OK(gls_tensor_map_npy(path, &tensor, &err));
  assert_int_equal(tensor->dl_tensor.shape[0], 0);
  assert_int_equal(tensor->dl_tensor.shape[1], 4);
  gls_tensor_release(tensor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrapped_tensor_is_the_callers_memory),
      cmocka_unit_test(its_own_deleter_releases_it),
      cmocka_unit_test(read_only_is_flagged),
      cmocka_unit_test(offsets_and_row_strides),
      cmocka_unit_test(every_dtype),
      cmocka_unit_test(bad_views_are_refused_and_destroyed_once),
      cmocka_unit_test(empty_tensors_need_no_memory),
      cmocka_unit_test(legacy_there_and_back),
      cmocka_unit_test(a_foreign_legacy_tensor),
      cmocka_unit_test(null_arguments_of_legacy),
      cmocka_unit_test_setup_teardown(a_mapped_file, set_up, tear_down),
      cmocka_unit_test_setup_teardown(dtypes_of_files, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files_that_are_no_arrays, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_empty_array_file, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
