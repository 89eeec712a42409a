/* Splits into training, validation and test. What is expected is what the reference gives. */
#include <math.h>

#include "helpers.h"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* 10 nodes, 3 edges each */
static gls_dataset_t *both; /* opposite, parallel and lonely edges */
static gls_dataset_t *likes;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(1);
  ring = make_ring(ctx, 10, 3);
  likes = make_bipartite(ctx, 6, 4);
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, RING_TYPE, IDS(0, 1, 2, 1, 0, 1, 3, 3, 0),
                           IDS(1, 0, 1, 2, 1, 0, 3, 2, 3), NULL, &err));
  both = finish_builder(builder, GLS_LAYOUT_CSR);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_dataset_release(both);
  gls_dataset_release(likes);
  gls_context_release(ctx);
  return 0;
}

static void expect(gls_tensor_t *tensor, size_t count, const int64_t *expected) {
  assert_int_equal(tensor->dl_tensor.ndim, 1);
  assert_int_equal(tensor->dl_tensor.shape[0], count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = tensor->dl_tensor.dtype.bits == 8
                              ? ((const uint8_t *)tensor_data(tensor))[i]
                              : id_at(tensor, (int64_t)i);
    assert_int_equal(value, expected[i]);
  }
  gls_tensor_release(tensor);
}

static void ids_by_hash(void **state) {
  (void)state;
  const double shares[] = {8, 1, 1};
  ID_VIEW(ids, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1, INT64_C(1) << 40, INT64_MAX, INT64_MIN);
  gls_tensor_t *out = NULL;
  OK(gls_split_ids(&ids, 7, shares, 3, &out, &err));
  assert_int_equal(out->dl_tensor.dtype.code, kDLUInt);
  expect(out, LIST(0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 1, 0, 2));
  /* A part without a share gets nothing, the only one with a share everything. */
  const double one[] = {0, 3, 0};
  OK(gls_split_ids(&ids, 7, one, 3, &out, &err));
  expect(out, LIST(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
  int32_t narrow[] = {5, 7};
  const int64_t two = 2;
  const DLTensor some = view_of(narrow, kInt32, 1, &two);
  OK(gls_split_ids(&some, 7, shares, 3, &out, &err));
  expect(out, LIST(2, 1));

  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_split_ids(NULL, 7, shares, 3, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "shares", gls_split_ids(&ids, 7, NULL, 3, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "shares", gls_split_ids(&ids, 7, shares, 0, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "shares", gls_split_ids(&ids, 7, shares, 257, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_split_ids(&ids, 7, shares, 3, NULL, &err));
  const double wrong[][2] = {{1, -1}, {0, 0}, {1, INFINITY}, {NAN, 1}, {1e308, 1e308}};
  for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
    FAILS(GLS_ERR_INVALID_ARGUMENT, "shares", gls_split_ids(&ids, 7, wrong[i], 2, &out, &err));
  }
}

static void links_exactly(void **state) {
  (void)state;
  gls_link_split_options_t options = GLS_LINK_SPLIT_OPTIONS_INIT;
  options.seed = 5;
  options.valid = 0.1;
  options.test = 4;
  options.supervision = 0.25;
  gls_tensor_t *links = NULL;
  gls_tensor_t *exclude = NULL;
  OK(gls_dataset_split_links(ring, NULL, &options, GLS_SPLIT_TRAIN, &links, &exclude, &err));
  expect(links, LIST(7, 20, 26, 28, 29));
  expect(exclude, LIST(3, 7, 8, 11, 13, 14, 20, 23, 25, 26, 28, 29));
  OK(gls_dataset_split_links(ring, RING_TYPE, &options, GLS_SPLIT_VALID, &links, &exclude, &err));
  expect(links, LIST(11, 13, 14));
  expect(exclude, LIST(3, 8, 11, 13, 14, 23, 25));
  OK(gls_dataset_split_links(ring, NULL, &options, GLS_SPLIT_TEST, &links, &exclude, &err));
  expect(links, LIST(3, 8, 23, 25));
  expect(exclude, LIST(3, 8, 23, 25));
}

static void everything_is_for_training(void **state) {
  (void)state;
  const gls_link_split_options_t options = GLS_LINK_SPLIT_OPTIONS_INIT;
  for (int32_t part = GLS_SPLIT_TRAIN; part <= GLS_SPLIT_TEST; ++part) {
    gls_tensor_t *links = NULL;
    gls_tensor_t *exclude = NULL;
    OK(gls_dataset_split_links(ring, NULL, &options, part, &links, &exclude, &err));
    assert_int_equal(tensor_elements(links), part == GLS_SPLIT_TRAIN ? 30 : 0);
    assert_int_equal(tensor_elements(exclude), 0);
    gls_tensor_release(links);
    gls_tensor_release(exclude);
  }
}

static void opposite_edges_stay_together(void **state) {
  (void)state;
  gls_link_split_options_t options = GLS_LINK_SPLIT_OPTIONS_INIT;
  options.seed = 5;
  options.valid = 1;
  options.test = 0.4;
  options.flags = GLS_LINK_SPLIT_UNDIRECTED;
  gls_tensor_t *links = NULL;
  gls_tensor_t *exclude = NULL;
  OK(gls_dataset_split_links(both, NULL, &options, GLS_SPLIT_TRAIN, &links, &exclude, &err));
  expect(links, LIST(6, 7, 8));
  expect(exclude, LIST(0, 1, 2, 3, 4, 5));
  OK(gls_dataset_split_links(both, NULL, &options, GLS_SPLIT_VALID, &links, &exclude, &err));
  expect(links, LIST(3));
  expect(exclude, LIST(0, 1, 2, 3, 4, 5));
  OK(gls_dataset_split_links(both, NULL, &options, GLS_SPLIT_TEST, &links, &exclude, &err));
  expect(links, LIST(0, 4));
  expect(exclude, LIST(0, 1, 4, 5));
}

static gls_link_split_options_t tenth_and_fifth(void) {
  gls_link_split_options_t options = GLS_LINK_SPLIT_OPTIONS_INIT;
  options.valid = 0.1;
  options.test = 0.2;
  return options;
}

static void refusals(void **state) {
  (void)state;
  gls_tensor_t *links = NULL;
  gls_tensor_t *exclude = NULL;
  gls_link_split_options_t options = tenth_and_fifth();
#define REFUSED(argument, change)                                                                  \
  do {                                                                                             \
    options = tenth_and_fifth();                                                                   \
    change;                                                                                        \
    FAILS(GLS_ERR_INVALID_ARGUMENT, argument,                                                      \
          gls_dataset_split_links(ring, NULL, &options, GLS_SPLIT_TRAIN, &links, &exclude, &err)); \
  } while (0)
  REFUSED("valid", options.valid = -0.1);
  REFUSED("valid", options.valid = 1.5);
  REFUSED("valid", options.valid = 31);
  REFUSED("valid", options.valid = NAN);
  REFUSED("test", options.test = INFINITY);
  REFUSED("valid", options.test = 27); /* and 3 for validation: none is left */
  REFUSED("valid", (options.valid = 0.5, options.test = 0.5));
  REFUSED("supervision", options.supervision = 21);
  REFUSED("supervision", options.supervision = 22);
  REFUSED("supervision", options.supervision = -1);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "split",
        gls_dataset_split_links(ring, NULL, &options, 3, &links, &exclude, &err));
  options = tenth_and_fifth();
  FAILS(GLS_ERR_INVALID_ARGUMENT, "split",
        gls_dataset_split_links(ring, NULL, &options, -1, &links, &exclude, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options",
        gls_dataset_split_links(ring, NULL, NULL, 0, &links, &exclude, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "links",
        gls_dataset_split_links(ring, NULL, &options, 0, NULL, &exclude, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "exclude",
        gls_dataset_split_links(ring, NULL, &options, 0, &links, NULL, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_split_links(ring, "a__b__c", &options, 0, &links, &exclude, &err));
  options.flags = GLS_LINK_SPLIT_UNDIRECTED;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "flags",
        gls_dataset_split_links(likes, "user__likes__item", &options, 0, &links, &exclude, &err));
  options.flags = 2;
  FAILS(GLS_ERR_UNSUPPORTED, "flags",
        gls_dataset_split_links(ring, NULL, &options, 0, &links, &exclude, &err));
  options.flags = 0;
  options.reserved = 1;
  FAILS(GLS_ERR_UNSUPPORTED, "reserved",
        gls_dataset_split_links(ring, NULL, &options, 0, &links, &exclude, &err));
  assert_null(links);
  assert_null(exclude);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_by_hash),
      cmocka_unit_test(links_exactly),
      cmocka_unit_test(everything_is_for_training),
      cmocka_unit_test(opposite_edges_stay_together),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests_name("split", tests, set_up, tear_down);
}
