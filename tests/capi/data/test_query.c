/* Questions about the graph: ends of edges, edges between nodes, degrees, rows, owners, shares. */
#include "helpers.h"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* 10 nodes, 3 edges each: edge 3 v + j is v + 1 + j -> v */
static gls_dataset_t *likes;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(1);
  ring = make_ring(ctx, 10, 3);
  likes = make_bipartite(ctx, 6, 4);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_dataset_release(likes);
  gls_context_release(ctx);
  return 0;
}

static void expect(gls_tensor_t *tensor, DLDataType dtype, size_t count, const int64_t *expected) {
  const DLTensor *const dl = &tensor->dl_tensor;
  assert_int_equal(dl->ndim, 1);
  assert_int_equal(dl->shape[0], count);
  assert_int_equal(dl->dtype.code, dtype.code);
  assert_int_equal(dl->dtype.bits, dtype.bits);
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = dtype.bits == 8 ? ((const uint8_t *)tensor_data(tensor))[i]
                                          : ((const int64_t *)tensor_data(tensor))[i];
    assert_int_equal(value, expected[i]);
  }
  gls_tensor_release(tensor);
}
static const DLDataType kBool = {kDLBool, 8, 1};

static void ends_of_edges(void **state) {
  (void)state;
  ID_VIEW(edges, 29, 0, 4, 4);
  gls_tensor_t *source = NULL;
  gls_tensor_t *target = NULL;
  OK(gls_dataset_find_edges(ring, NULL, &edges, &source, &target, &err));
  expect(source, kInt64, LIST(2, 1, 3, 3));
  expect(target, kInt64, LIST(9, 0, 1, 1));

  int32_t narrow[] = {11, 3};
  const int64_t two = 2;
  const DLTensor ids = view_of(narrow, kInt32, 1, &two);
  OK(gls_dataset_find_edges(likes, "item__rev_likes__user", &ids, &source, &target, &err));
  expect(source, kInt64, LIST(2, 2)); /* (5 + 1) % 4 and (1 + 1) % 4 */
  expect(target, kInt64, LIST(5, 1));

  const int64_t none = 0;
  const DLTensor empty = view_of(NULL, kInt64, 1, &none);
  OK(gls_dataset_find_edges(ring, NULL, &empty, &source, &target, &err));
  expect(source, kInt64, 0, NULL);
  expect(target, kInt64, 0, NULL);
}

static void edges_between_nodes(void **state) {
  (void)state;
  ID_VIEW(from, 1, 3, 4, 0, 0, 5);
  ID_VIEW(to, 0, 0, 0, 9, 1, 5);
  gls_tensor_t *out = NULL;
  OK(gls_dataset_has_edges(ring, NULL, &from, &to, &out, &err));
  expect(out, kBool, LIST(1, 1, 0, 1, 0, 0));
}

static void degrees_of_nodes(void **state) {
  (void)state;
  gls_tensor_t *out = NULL;
  OK(gls_dataset_degrees(ring, NULL, GLS_DIRECTION_IN, NULL, &out, &err));
  expect(out, kInt64, LIST(3, 3, 3, 3, 3, 3, 3, 3, 3, 3));
  /* Only the CSC is stored. */
  OK(gls_dataset_degrees(likes, "user__likes__item", GLS_DIRECTION_IN, NULL, &out, &err));
  expect(out, kInt64, LIST(3, 4, 3, 2));
  ID_VIEW(some, 5, 0, 5);
  OK(gls_dataset_degrees(likes, "user__likes__item", GLS_DIRECTION_OUT, &some, &out, &err));
  expect(out, kInt64, LIST(2, 2, 2));
}

static void expect_floats(gls_tensor_t *tensor, int64_t rows, int64_t width,
                          const float *expected) {
  const DLTensor *const dl = &tensor->dl_tensor;
  assert_int_equal(dl->ndim, width == 0 ? 1 : 2);
  assert_int_equal(dl->shape[0], rows);
  assert_int_equal(dl->dtype.code, kDLFloat);
  assert_int_equal(dl->dtype.bits, 32);
  assert_int_equal(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
  const int64_t count = rows * (width == 0 ? 1 : width);
  for (int64_t i = 0; i < count; ++i) {
    assert_float_equal(((const float *)tensor_data(tensor))[i], expected[i], 0);
  }
  gls_tensor_release(tensor);
}

static void rows_of_columns(void **state) {
  (void)state;
  gls_tensor_t *out = NULL;
  ID_VIEW(some, 4, 0, 4);
  OK(gls_dataset_rows(ring, NULL, "x", &some, &out, &err));
  const float x[] = {4, 4.25f, -4, 0, 0.25f, -0.0f, 4, 4.25f, -4};
  expect_floats(out, 3, 3, x);
  OK(gls_dataset_rows(ring, "node", "y", &some, &out, &err));
  expect(out, kInt64, LIST(40, 0, 40));

  int32_t narrow[] = {29, 1};
  const int64_t two = 2;
  const DLTensor edges = view_of(narrow, kInt32, 1, &two);
  OK(gls_dataset_rows(ring, RING_TYPE, "w", &edges, &out, &err));
  const float w[] = {3, 2};
  expect_floats(out, 2, 0, w);

  const int64_t none = 0;
  const DLTensor empty = view_of(NULL, kInt64, 1, &none);
  OK(gls_dataset_rows(ring, RING_TYPE, "f", &empty, &out, &err));
  expect_floats(out, 0, 2, NULL);

  ID_VIEW(beyond, 0, 10);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_dataset_rows(NULL, NULL, "x", &some, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "column", gls_dataset_rows(ring, NULL, NULL, &some, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_dataset_rows(ring, NULL, "x", NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_rows(ring, NULL, "x", &some, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_dataset_rows(ring, NULL, "x", &beyond, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, "column", gls_dataset_rows(ring, NULL, "w", &some, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_rows(ring, "none", "x", &some, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_rows(ring, "a__b__c", "x", &some, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_dataset_rows(likes, NULL, "x", &some, &out, &err));
}

/* A graph that is in no parts. */
static void owners_of_ids(void **state) {
  (void)state;
  gls_tensor_t *out = NULL;
  ID_VIEW(some, 3, 1, 3);
  OK(gls_dataset_owners(likes, "item", &some, &out, &err));
  assert_int_equal(out->dl_tensor.shape[0], 3);
  assert_int_equal(out->dl_tensor.dtype.bits, 32);
  assert_int_equal(((const int32_t *)tensor_data(out))[2], 0);
  gls_tensor_release(out);
  ID_VIEW(beyond, 4);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_dataset_owners(likes, "item", &beyond, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_dataset_owners(likes, "item", NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_owners(likes, "item", &some, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_dataset_owners(NULL, "item", &some, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_dataset_owners(likes, NULL, &some, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_owners(likes, "none", &some, &out, &err));
}

/* A graph that is in no parts. */
static void shares_of_ids(void **state) {
  (void)state;
  gls_tensor_t *out = NULL;
  ID_VIEW(some, 3, 1, 3, 2, 0);
  ID_VIEW(zeros, 0, 0);
  OK(gls_dataset_share_ids(likes, "item", &some, 0, 2, NULL, &out, &err));
  expect(out, kInt64, LIST(3, 1, 3));
  OK(gls_dataset_share_ids(likes, "item", &some, 1, 2, &zeros, &out, &err));
  expect(out, kInt64, LIST(2, 0));
  OK(gls_dataset_share_ids(ring, NULL, NULL, 2, 4, NULL, &out, &err));
  expect(out, kInt64, LIST(6, 7));
  OK(gls_dataset_share_ids(ring, RING_TYPE, NULL, 7, 8, NULL, &out, &err));
  expect(out, kInt64, LIST(27, 28, 29));
  OK(gls_dataset_share_ids(likes, "item", &some, 5, 6, NULL, &out, &err));
  expect(out, kInt64, 0, NULL);
  int32_t narrow[] = {11, 3};
  const int64_t two = 2;
  const DLTensor edges = view_of(narrow, kInt32, 1, &two);
  OK(gls_dataset_share_ids(likes, "item__rev_likes__user", &edges, 1, 2, NULL, &out, &err));
  expect(out, kInt64, LIST(3));
  const int64_t none = 0;
  const DLTensor empty = view_of(NULL, kInt64, 1, &none);
  OK(gls_dataset_share_ids(ring, NULL, &empty, 0, 2, NULL, &out, &err));
  expect(out, kInt64, 0, NULL);

  out = NULL;
  ID_VIEW(beyond, 0, 4);
  ID_VIEW(second, 0, 1);
  float real[] = {0, 1};
  const DLTensor reals = view_of(real, kFloat32, 1, &two);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset",
        gls_dataset_share_ids(NULL, NULL, NULL, 0, 1, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out",
        gls_dataset_share_ids(ring, NULL, NULL, 0, 1, NULL, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids",
        gls_dataset_share_ids(likes, "item", &beyond, 0, 1, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids",
        gls_dataset_share_ids(likes, "item", &reals, 0, 1, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank",
        gls_dataset_share_ids(likes, "item", &some, 2, 2, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "world_size",
        gls_dataset_share_ids(likes, "item", &some, 0, 0, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank_parts",
        gls_dataset_share_ids(likes, "item", &some, 0, 2, &second, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank_parts",
        gls_dataset_share_ids(likes, "item", &some, 0, 3, &zeros, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank_parts",
        gls_dataset_share_ids(likes, "item", &some, 0, 2, &empty, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank_parts",
        gls_dataset_share_ids(likes, "item", &some, 0, 2, &reals, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_dataset_share_ids(likes, NULL, &some, 0, 1, NULL, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_share_ids(likes, "none", &some, 0, 1, NULL, &out, &err));
  assert_null(out);
}

static void refusals(void **state) {
  (void)state;
  gls_tensor_t *out = NULL;
  gls_tensor_t *also = NULL;
  ID_VIEW(three, 0, 1, 2);
  ID_VIEW(two, 0, 1);
  ID_VIEW(beyond, 0, 30);
  ID_VIEW(negative, 0, -1);
  float real[] = {0, 1};
  const int64_t shape[] = {2, 1};
  const DLTensor reals = view_of(real, kFloat32, 1, shape);
  const DLTensor matrix = view_of(two_values, kInt64, 2, shape);

  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset",
        gls_dataset_find_edges(NULL, NULL, &two, &out, &also, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edges",
        gls_dataset_find_edges(ring, NULL, NULL, &out, &also, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "source",
        gls_dataset_find_edges(ring, NULL, &two, NULL, &also, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target",
        gls_dataset_find_edges(ring, NULL, &two, &out, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edges",
        gls_dataset_find_edges(ring, NULL, &beyond, &out, &also, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edges",
        gls_dataset_find_edges(ring, NULL, &negative, &out, &also, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edges",
        gls_dataset_find_edges(ring, NULL, &reals, &out, &also, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edges",
        gls_dataset_find_edges(ring, NULL, &matrix, &out, &also, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_find_edges(ring, "a__b__c", &two, &out, &also, &err));
  /* Several edge types: one must be named. */
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_dataset_find_edges(likes, NULL, &two, &out, &also, &err));

  FAILS(GLS_ERR_INVALID_ARGUMENT, "source",
        gls_dataset_has_edges(ring, NULL, NULL, &two, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target",
        gls_dataset_has_edges(ring, NULL, &two, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_has_edges(ring, NULL, &two, &two, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target",
        gls_dataset_has_edges(ring, NULL, &two, &three, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "source",
        gls_dataset_has_edges(ring, NULL, &negative, &two, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target",
        gls_dataset_has_edges(ring, NULL, &two, &beyond, &out, &err));

  FAILS(GLS_ERR_INVALID_ARGUMENT, "direction",
        gls_dataset_degrees(ring, NULL, 2, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "nodes",
        gls_dataset_degrees(ring, NULL, GLS_DIRECTION_OUT, &beyond, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "nodes",
        gls_dataset_degrees(ring, NULL, GLS_DIRECTION_OUT, &reals, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out",
        gls_dataset_degrees(ring, NULL, GLS_DIRECTION_IN, NULL, NULL, &err));
  assert_null(out);
  assert_null(also);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_of_edges),    cmocka_unit_test(edges_between_nodes),
      cmocka_unit_test(degrees_of_nodes), cmocka_unit_test(rows_of_columns),
      cmocka_unit_test(owners_of_ids),    cmocka_unit_test(shares_of_ids),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests_name("query", tests, set_up, tear_down);
}
