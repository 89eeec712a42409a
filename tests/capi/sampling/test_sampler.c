/* Samplers: options and their sizes, every error of the header, and what each option does. */
#include "graph_fixture.h"

static int set_up(void **state) {
  (void)state;
  return set_up_ring_and_shop(2, 10, 4, 6, 3);
}

static void refused(gls_dataset_t *dataset, const gls_sampler_options_t *options, gls_status_t code,
                    const char *argument) {
  gls_sampler_t *sampler = NULL;
  FAILS(code, argument, gls_sampler_create(dataset, options, &sampler, &err));
  assert_null(sampler);
}
static gls_sampler_t *create(gls_dataset_t *dataset, const gls_sampler_options_t *options) {
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, options, &sampler, &err));
  return sampler;
}

/* ---- structs ----------------------------------------------------------------------------------
 */

static void sizes_of_the_struct(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(0);
  static const size_t bad[] = {0, 1, sizeof(size_t) - 1, 65537, SIZE_MAX};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    options.struct_size = bad[i];
    refused(ring, &options, GLS_ERR_INVALID_ARGUMENT, "options");
  }
  options.struct_size = sizeof(size_t); /* all defaults, but fanouts have none */
  refused(ring, &options, GLS_ERR_INVALID_ARGUMENT, "fanouts");
  /* An older program's struct, without what was added behind `replace`. */
  options.struct_size = offsetof(gls_sampler_options_t, weight);
  options.weight = "no such column";
  options.contract = 99;
  gls_sampler_release(create(ring, &options));
  /* A newer program's. */
  struct {
    gls_sampler_options_t known;
    unsigned char unknown[200];
  } longer;
  memset(&longer, 0, sizeof longer);
  longer.known = sampler_options(0);
  longer.known.struct_size = sizeof longer;
  gls_sampler_release(create(ring, &longer.known));
  static const size_t places[] = {0, 1, 100, 199};
  for (size_t i = 0; i < COUNT_OF(places); ++i) {
    longer.unknown[places[i]] = 1;
    refused(ring, &longer.known, GLS_ERR_UNSUPPORTED, "options");
    longer.unknown[places[i]] = 0;
  }
  longer.known.struct_size = offsetof(__typeof__(longer), unknown) + 100;
  longer.unknown[100] = 1; /* just beyond what the struct says */
  gls_sampler_release(create(ring, &longer.known));
}

static void sizes_of_the_request(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  struct {
    gls_sample_request_t known;
    uint64_t unknown;
  } longer = {GLS_SAMPLE_REQUEST_INIT, 1};
  longer.known.struct_size = sizeof longer;
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, "request", gls_sampler_sample(sampler, &longer.known, &batch, &err));
  longer.known.struct_size = 0;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "request",
        gls_sampler_sample(sampler, &longer.known, &batch, &err));
  assert_null(batch);
  longer.known.struct_size = sizeof longer;
  longer.unknown = 0;
  OK(gls_sampler_sample(sampler, &longer.known, &batch, &err)); /* no seeds: an empty batch */
  EXPECT_IDS(batch, GLS_BATCH_NUM_NODES, NULL, 0, 0, 0);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

static void missing_arguments(void **state) {
  (void)state;
  const gls_sampler_options_t options = sampler_options(0);
  gls_sampler_t *sampler = NULL;
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_sampler_create(NULL, &options, &sampler, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options", gls_sampler_create(ring, NULL, &sampler, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_sampler_create(ring, &options, NULL, &err));
  OK(gls_sampler_create(ring, &options, &sampler, &err));
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "sampler", gls_sampler_sample(NULL, &request, &batch, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "request", gls_sampler_sample(sampler, NULL, &batch, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_sampler_sample(sampler, &request, NULL, &err));
  request.num_seeds = 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds", gls_sampler_sample(sampler, &request, &batch, &err));
  gls_seed_set_t seeds = {NULL, NULL};
  request.seeds = &seeds;
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_sampler_sample(sampler, &request, &batch, &err));
  request.num_seeds = 0;
  request.num_exclude = 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "exclude", gls_sampler_sample(sampler, &request, &batch, &err));
  gls_edge_set_t set = {NULL, NULL};
  request.exclude = &set;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "exclude", gls_sampler_sample(sampler, &request, &batch, &err));
  assert_null(batch);
  gls_sampler_release(sampler);
  gls_sampler_release(NULL);
}

/* ---- wrong options ----------------------------------------------------------------------------
 */

static void values_out_of_range(void **state) {
  (void)state;
#define REFUSED(code, argument, change)                 \
  do {                                                  \
    gls_sampler_options_t options = sampler_options(0); \
    change;                                             \
    refused(ring, &options, code, argument);            \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "kind", options.kind = 5);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "kind", options.kind = -1);
  REFUSED(GLS_ERR_UNSUPPORTED, "flags", options.flags = 128);
  REFUSED(GLS_ERR_UNSUPPORTED, "flags", options.flags = 0x80000001u);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "direction", options.direction = 2);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "direction", options.direction = -1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "replace", options.replace = 3);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "exclude_mode", options.exclude_mode = 3);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "time_strategy", options.time_strategy = 2);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "time_strategy", options.time_strategy = -1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "subgraph", options.subgraph = 3);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "subgraph", options.subgraph = -1);
  REFUSED(GLS_ERR_UNSUPPORTED, "contract", options.contract = 2);
  REFUSED(GLS_ERR_NOT_FOUND, "weight", options.weight = "no such");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "weight", options.weight = "f"); /* two numbers an edge */
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "fanouts", options.num_fanouts = 0);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, NULL, options.fanouts = NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "exclude", options.num_exclude = 1);
  gls_sampler_options_t options = sampler_options(0);
  options.contract = 1;
  gls_sampler_release(create(ring, &options));
#undef REFUSED
}

static void fanouts(void **state) {
  (void)state;
  static const int64_t two[] = {1, 2};
  static const int64_t three[] = {1, 2, 3};
  static const int64_t below[] = {1, -2};
  static const int64_t most[] = {INT64_C(1) << 28, -1};
  static const int64_t beyond[] = {(INT64_C(1) << 28) + 1, 0};
  static const int64_t many[256] = {0};
  const gls_fanout_t lists[][2] = {
      {{RING_TYPE, two, 2}, {NULL, three, 3}},     /* unequal */
      {{RING_TYPE, two, 0}, {NULL, two, 2}},       /* no hops */
      {{NULL, two, 2}, {NULL, two, 2}},            /* twice for all */
      {{RING_TYPE, two, 2}, {RING_TYPE, two, 2}},  /* twice for one */
      {{NULL, NULL, 2}, {RING_TYPE, two, 2}},      /* no numbers */
      {{NULL, below, 2}, {RING_TYPE, below, 2}},   /* below -1 */
      {{NULL, beyond, 2}, {RING_TYPE, beyond, 2}}, /* too many */
      {{NULL, many, 256}, {RING_TYPE, many, 256}}, /* too deep */
  };
  gls_sampler_options_t options = sampler_options(0);
  options.num_fanouts = 2;
  for (size_t i = 0; i < COUNT_OF(lists); ++i) {
    options.fanouts = lists[i];
    refused(ring, &options, GLS_ERR_INVALID_ARGUMENT, NULL);
  }
  const gls_fanout_t unknown[] = {{NULL, two, 2}, {"node__of__node", two, 2}};
  options.fanouts = unknown;
  refused(ring, &options, GLS_ERR_NOT_FOUND, "fanouts");
  const gls_fanout_t one[] = {{"user__likes__item", two, 2}};
  options.fanouts = one;
  options.num_fanouts = 1;
  refused(shop, &options, GLS_ERR_INVALID_ARGUMENT, "fanouts"); /* a type is not covered */
  const gls_fanout_t good[] = {{NULL, most, 2}};
  options.fanouts = good;
  gls_sampler_release(create(ring, &options));
  const gls_fanout_t deep[] = {{NULL, many, 255}};
  options.fanouts = deep;
  gls_sampler_t *const sampler = create(ring, &options);
  gls_batch_release(sample_ids(sampler, NULL, 1, (const int64_t[]){1}));
  gls_sampler_release(sampler);
}

static void layouts_that_are_not_stored(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(0);
  options.direction = GLS_DIRECTION_OUT;
  refused(shop, &options, GLS_ERR_UNSUPPORTED, "direction");
  /* A type whose fanouts are all 0 is not followed, so its layout is not needed ... */
  static const int64_t zeros[] = {0, 0};
  const gls_fanout_t none[] = {{NULL, zeros, 2}};
  options.fanouts = none;
  gls_sampler_t *const sampler = create(shop, &options);
  gls_batch_t *const batch = sample_ids(sampler, "user", 2, (const int64_t[]){4, 1});
  EXPECT_IDS(batch, GLS_BATCH_NODE, "user", 4, 1);
  EXPECT_IDS(batch, GLS_BATCH_NUM_EDGES, "user__likes__item", 0, 0);
  gls_batch_release(batch);
  /* ... nor is it when its edges are excluded. */
  ID_VIEW(ids, 0, 3);
  int64_t pair[] = {0, 1, 0, 1};
  const int64_t pair_shape[] = {2, 2};
  const DLTensor pairs = view_of(pair, kInt64, 2, pair_shape);
  const gls_edge_set_t sets[] = {{"user__likes__item", &ids}, {"item__rev_likes__user", &pairs}};
  options.exclude = sets;
  options.num_exclude = 2;
  gls_sampler_release(create(shop, &options));
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.exclude = sets;
  request.num_exclude = 2;
  gls_batch_t *empty = NULL;
  OK(gls_sampler_sample(sampler, &request, &empty, &err));
  gls_batch_release(empty);
  gls_sampler_release(sampler);
}

static void wrong_edge_sets(void **state) {
  (void)state;
  int64_t six[] = {0, 1, 2, 3, 4, 5};
  const int64_t shapes[][3] = {{3, 2, 0}, {2, 3, 1}, {1, 6, 0}};
  const DLTensor three_rows = view_of(six, kInt64, 2, shapes[0]);
  const DLTensor three_dims = view_of(six, kInt64, 3, shapes[1]);
  const DLTensor one_row = view_of(six, kInt64, 2, shapes[2]);
  const int64_t flat = 6;
  const DLTensor real = view_of(six, kFloat64, 1, &flat);
  DLTensor on_gpu = view_of(six, kInt64, 1, &flat);
  on_gpu.device.device_type = kDLCUDA;
  ID_VIEW(too_large, 0, 40);
  ID_VIEW(negative, -1);
  int64_t pair[] = {0, 10, 1, 2};
  const int64_t pair_shape[] = {2, 2};
  const DLTensor bad_pair = view_of(pair, kInt64, 2, pair_shape);
  const struct {
    gls_edge_set_t set;
    gls_status_t code;
  } bad[] = {
      {{NULL, NULL}, GLS_ERR_INVALID_ARGUMENT},
      {{NULL, &three_rows}, GLS_ERR_INVALID_ARGUMENT},
      {{NULL, &three_dims}, GLS_ERR_INVALID_ARGUMENT},
      {{NULL, &one_row}, GLS_ERR_INVALID_ARGUMENT},
      {{NULL, &real}, GLS_ERR_INVALID_ARGUMENT},
      {{NULL, &on_gpu}, GLS_ERR_UNSUPPORTED},
      {{NULL, &too_large}, GLS_ERR_INVALID_ARGUMENT},
      {{NULL, &negative}, GLS_ERR_INVALID_ARGUMENT},
      {{NULL, &bad_pair}, GLS_ERR_INVALID_ARGUMENT},
      {{"node__of__node", &negative}, GLS_ERR_NOT_FOUND},
  };
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    gls_sampler_options_t options = sampler_options(0);
    options.exclude = &bad[i].set;
    options.num_exclude = 1;
    refused(ring, &options, bad[i].code, NULL);
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    request.exclude = &bad[i].set;
    request.num_exclude = 1;
    gls_batch_t *batch = NULL;
    FAILS(bad[i].code, NULL, gls_sampler_sample(sampler, &request, &batch, &err));
    assert_null(batch);
  }
  gls_sampler_release(sampler);
}

static void reverse_edges_that_do_not_fit(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(0);
  options.exclude_mode = GLS_EXCLUDE_REVERSE_ID;
  refused(ring, &options, GLS_ERR_INVALID_ARGUMENT, NULL); /* no column named */
  options.reverse_column = "no such";
  refused(ring, &options, GLS_ERR_NOT_FOUND, "reverse_column");
  options.reverse_column = "w"; /* not int64 */
  refused(ring, &options, GLS_ERR_INVALID_ARGUMENT, "reverse_column");
  options = sampler_options(0);
  options.exclude_mode = GLS_EXCLUDE_REVERSE_TYPES;
  refused(shop, &options, GLS_ERR_INVALID_ARGUMENT, "reverse_types");
  options.num_reverse_types = 1;
  refused(shop, &options, GLS_ERR_INVALID_ARGUMENT, "reverse_types");
  const gls_type_pair_t unknown = {"user__likes__item", "item__likes__user"};
  options.reverse_types = &unknown;
  refused(shop, &options, GLS_ERR_NOT_FOUND, NULL);
  const gls_type_pair_t good = {"user__likes__item", "item__rev_likes__user"};
  options.reverse_types = &good;
  gls_sampler_release(create(shop, &options));
  /* The two types must have equally many edges. */
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__c", IDS(0, 1), IDS(0, 1), NULL, &err));
  OK(gls_builder_add_edges(builder, "c__d__a", IDS(0), IDS(1), NULL, &err));
  gls_dataset_t *const uneven = finish_builder(builder, 0);
  const gls_type_pair_t pair = {"a__b__c", "c__d__a"};
  options.reverse_types = &pair;
  refused(uneven, &options, GLS_ERR_INVALID_ARGUMENT, "reverse_types");
  gls_dataset_release(uneven);
}

static void wrong_seeds(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(shop, 0);
  int64_t numbers[] = {0, 1, 2, 3};
  const int64_t shape[] = {2, 2};
  const int64_t two = 2;
  const int64_t strides[] = {2};
  const DLTensor matrix = view_of(numbers, kInt64, 2, shape);
  const DLTensor real = view_of(numbers, kFloat64, 1, &two);
  DLTensor strided = view_of(numbers, kInt64, 1, &two);
  strided.strides = (int64_t *)strides;
  ID_VIEW(too_large, 1, 2, 3);
  ID_VIEW(negative, 0, -1);
  ID_VIEW(fine, 1);
  const struct {
    gls_seed_set_t sets[2];
    size_t count;
    gls_status_t code;
  } bad[] = {
      {{{"item", &matrix}, {NULL, NULL}}, 1, GLS_ERR_INVALID_ARGUMENT},
      {{{"item", &real}, {NULL, NULL}}, 1, GLS_ERR_INVALID_ARGUMENT},
      {{{"item", &strided}, {NULL, NULL}}, 1, GLS_ERR_INVALID_ARGUMENT},
      {{{"item", &too_large}, {NULL, NULL}}, 1, GLS_ERR_INVALID_ARGUMENT},
      {{{"item", &negative}, {NULL, NULL}}, 1, GLS_ERR_INVALID_ARGUMENT},
      {{{"thing", &fine}, {NULL, NULL}}, 1, GLS_ERR_NOT_FOUND},
      {{{NULL, &fine}, {NULL, NULL}}, 1, GLS_ERR_INVALID_ARGUMENT}, /* which of two? */
      {{{"item", &fine}, {"item", &fine}}, 2, GLS_ERR_INVALID_ARGUMENT},
      {{{"user", &fine}, {"item", &too_large}}, 2, GLS_ERR_INVALID_ARGUMENT},
  };
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    request.seeds = bad[i].sets;
    request.num_seeds = bad[i].count;
    gls_batch_t *batch = NULL;
    FAILS(bad[i].code, NULL, gls_sampler_sample(sampler, &request, &batch, &err));
    assert_null(batch);
  }
  /* A seed out of range is named with its position and value. */
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  const gls_seed_set_t seeds = {"item", &too_large};
  request.seeds = &seeds;
  request.num_seeds = 1;
  gls_batch_t *batch = NULL;
  gls_error_t *err = NULL;
  assert_int_equal(gls_sampler_sample(sampler, &request, &batch, &err), GLS_ERR_INVALID_ARGUMENT);
  assert_non_null(strstr(gls_error_message(err), "node 3 at index 2"));
  gls_error_release(err);
  gls_sampler_release(sampler);
}

/* ---- what the options do ----------------------------------------------------------------------
 */

static void all_neighbours(void **state) {
  (void)state;
  static const int64_t all[] = {-1};
  const gls_fanout_t fanout = {NULL, all, 1};
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  options.fanouts = &fanout;
  gls_sampler_t *sampler = create(ring, &options);
  gls_batch_t *batch = sample_ids(sampler, NULL, 3, (const int64_t[]){2, 3, 2});
  EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, 2, 3, 4, 5, 6, 7);
  EXPECT_IDS(batch, GLS_BATCH_SEED, NULL, 0, 1, 0);
  EXPECT_IDS(batch, GLS_BATCH_ROW, NULL, 1, 2, 3, 4, 2, 3, 4, 5);
  EXPECT_IDS(batch, GLS_BATCH_COL, NULL, 0, 0, 0, 0, 1, 1, 1, 1);
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 8, 9, 10, 11, 12, 13, 14, 15);
  EXPECT_IDS(batch, GLS_BATCH_NUM_NODES, NULL, 2, 4);
  EXPECT_IDS(batch, GLS_BATCH_NUM_EDGES, NULL, 8);
  gls_batch_release(batch);
  gls_sampler_release(sampler);

  /* Along the edges: node v has out-edges to v - 1 ... v - 4. */
  options.direction = GLS_DIRECTION_OUT;
  sampler = create(ring, &options);
  batch = sample_ids(sampler, NULL, 1, (const int64_t[]){5});
  EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, 5, 1, 2, 3, 4);
  EXPECT_IDS(batch, GLS_BATCH_ROW, NULL, 0, 0, 0, 0);
  EXPECT_IDS(batch, GLS_BATCH_COL, NULL, 1, 2, 3, 4);
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 7, 10, 13, 16);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  options.flags |= GLS_SAMPLE_TOWARD_SEEDS;
  sampler = create(ring, &options);
  batch = sample_ids(sampler, NULL, 1, (const int64_t[]){5});
  EXPECT_IDS(batch, GLS_BATCH_ROW, NULL, 1, 2, 3, 4);
  EXPECT_IDS(batch, GLS_BATCH_COL, NULL, 0, 0, 0, 0);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

static void disjoint_trees(void **state) {
  (void)state;
  static const int64_t all[] = {-1};
  const gls_fanout_t fanout = {NULL, all, 1};
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_DISJOINT);
  options.fanouts = &fanout;
  gls_sampler_t *const sampler = create(ring, &options);
  gls_batch_t *const batch = sample_ids(sampler, NULL, 2, (const int64_t[]){2, 2});
  EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, 2, 2, 3, 4, 5, 6, 3, 4, 5, 6);
  EXPECT_IDS(batch, GLS_BATCH_TREE, NULL, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1);
  EXPECT_IDS(batch, GLS_BATCH_SEED, NULL, 0, 1);
  gls_tensor_t *tensor = NULL;
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_EDGE, NULL, NULL, &tensor, &err));
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

/* Widths are all that GLS_SAMPLE_INT32 changes. */
static void narrow_ids(void **state) {
  (void)state;
  gls_sampler_t *const wide = make_sampler(ring, GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_DISJOINT);
  gls_sampler_t *const narrow =
      make_sampler(ring, GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_DISJOINT | GLS_SAMPLE_INT32);
  gls_batch_t *const one = sample_ids(wide, NULL, 3, (const int64_t[]){2, 9, 0});
  gls_batch_t *const two = sample_ids(narrow, NULL, 3, (const int64_t[]){2, 9, 0});
  static const int32_t arrays[] = {GLS_BATCH_NODE, GLS_BATCH_ROW,  GLS_BATCH_COL,
                                   GLS_BATCH_EDGE, GLS_BATCH_TREE, GLS_BATCH_SEED};
  for (size_t i = 0; i < COUNT_OF(arrays); ++i) {
    gls_tensor_t *const a = batch_array(one, arrays[i], NULL, NULL);
    gls_tensor_t *const b = batch_array(two, arrays[i], NULL, NULL);
    assert_int_equal(a->dl_tensor.dtype.bits, 64);
    assert_int_equal(b->dl_tensor.dtype.bits, 32);
    assert_int_equal(tensor_elements(a), tensor_elements(b));
    for (int64_t j = 0; j < tensor_elements(a); ++j) {
      assert_int_equal(id_at(a, j), id_at(b, j));
    }
    gls_tensor_release(a);
    gls_tensor_release(b);
  }
  gls_tensor_t *const counts = batch_array(two, GLS_BATCH_NUM_NODES, NULL, NULL);
  assert_int_equal(counts->dl_tensor.dtype.bits, 64);
  gls_tensor_release(counts);
  gls_batch_release(one);
  gls_batch_release(two);
  gls_sampler_release(wide);
  gls_sampler_release(narrow);
}

static int64_t num_edges_of(const gls_sampler_options_t *options) {
  gls_sampler_t *const sampler = create(ring, options);
  gls_batch_t *const batch = sample_ids(sampler, NULL, 1, (const int64_t[]){2});
  gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_EDGES, NULL, NULL);
  const int64_t count = id_at(counts, 0);
  gls_tensor_release(counts);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  return count;
}

static void replacement(void **state) {
  (void)state;
  static const int64_t few[] = {2};
  static const int64_t many[] = {7};
  const gls_fanout_t below = {NULL, few, 1};
  const gls_fanout_t above = {NULL, many, 1};
  gls_sampler_options_t options = sampler_options(0);
  static const int64_t expected[3][2] = {{2, 4}, {2, 4}, {2, 7}};
  for (int32_t replace = GLS_REPLACE_NEVER; replace <= GLS_REPLACE_ALWAYS; ++replace) {
    options.replace = replace;
    options.fanouts = &below;
    assert_int_equal(num_edges_of(&options), expected[replace][0]);
    options.fanouts = &above;
    assert_int_equal(num_edges_of(&options), expected[replace][1]);
  }
}

static void the_random_key(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(0);
  gls_sampler_t *const first = create(ring, &options);
  gls_sampler_t *const same = create(ring, &options);
  options.seed = 8;
  gls_sampler_t *const other = create(ring, &options);
  ID_VIEW(ids, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  const gls_seed_set_t seeds = {NULL, &ids};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  gls_batch_t *batches[5];
  OK(gls_sampler_sample(first, &request, &batches[0], &err));
  OK(gls_sampler_sample(same, &request, &batches[1], &err));
  OK(gls_sampler_sample(other, &request, &batches[2], &err));
  request.epoch = 1;
  OK(gls_sampler_sample(first, &request, &batches[3], &err));
  request.epoch = 0;
  request.batch = 1;
  OK(gls_sampler_sample(first, &request, &batches[4], &err));
  assert_true(batch_digest(batches[0]) == batch_digest(batches[1]));
  for (size_t i = 2; i < 5; ++i) { /* other edges; names of epoch and batch aside */
    gls_tensor_t *const a = batch_array(batches[0], GLS_BATCH_ROW, NULL, NULL);
    gls_tensor_t *const b = batch_array(batches[i], GLS_BATCH_ROW, NULL, NULL);
    assert_int_not_equal(memcmp(tensor_data(a), tensor_data(b), 30 * sizeof(int64_t)), 0);
    gls_tensor_release(a);
    gls_tensor_release(b);
  }
  for (size_t i = 0; i < 5; ++i) {
    gls_batch_release(batches[i]);
  }
  gls_sampler_release(first);
  gls_sampler_release(same);
  gls_sampler_release(other);
}

static void excluded_edges(void **state) {
  (void)state;
  static const int64_t all[] = {-1};
  const gls_fanout_t fanout = {NULL, all, 1};
  ID_VIEW(ids, 9);
  int64_t pair_values[] = {3, 2}; /* the edge from 3 to 2 */
  const int64_t pair_shape[] = {2, 1};
  const DLTensor pair = view_of(pair_values, kInt64, 2, pair_shape);
  const gls_edge_set_t by_id = {NULL, &ids};
  const gls_edge_set_t by_ends = {RING_TYPE, &pair};
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  options.fanouts = &fanout;
  options.exclude = &by_id;
  options.num_exclude = 1;
  gls_sampler_t *const sampler = create(ring, &options);
  ids_values[0] = 0; /* copied by the sampler */
  gls_batch_t *batch = sample_ids(sampler, NULL, 1, (const int64_t[]){2});
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 8, 10, 11);
  gls_batch_release(batch);
  ID_VIEW(seed, 2);
  const gls_seed_set_t seeds = {NULL, &seed};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  request.exclude = &by_ends;
  request.num_exclude = 1;
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 10, 11);
  gls_batch_release(batch);
  batch = sample_ids(sampler, NULL, 1, (const int64_t[]){2}); /* only for that batch */
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 8, 10, 11);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

static void excluded_reverse_types(void **state) {
  (void)state;
  static const int64_t all[] = {-1};
  const gls_fanout_t fanout = {NULL, all, 1};
  const gls_type_pair_t pair = {"user__likes__item", "item__rev_likes__user"};
  ID_VIEW(ids, 4);
  const gls_edge_set_t set = {"user__likes__item", &ids};
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  options.fanouts = &fanout;
  options.exclude = &set;
  options.num_exclude = 1;
  options.exclude_mode = GLS_EXCLUDE_REVERSE_TYPES;
  options.reverse_types = &pair;
  options.num_reverse_types = 1;
  gls_sampler_t *const sampler = create(shop, &options);
  /* User 2 likes item 2 (edge 4) and item 0 (edge 5). */
  gls_batch_t *const batch = sample_ids(sampler, "user", 1, (const int64_t[]){2});
  EXPECT_IDS(batch, GLS_BATCH_EDGE, "item__rev_likes__user", 5);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_of_the_struct),
      cmocka_unit_test(sizes_of_the_request),
      cmocka_unit_test(missing_arguments),
      cmocka_unit_test(values_out_of_range),
      cmocka_unit_test(fanouts),
      cmocka_unit_test(layouts_that_are_not_stored),
      cmocka_unit_test(wrong_edge_sets),
      cmocka_unit_test(reverse_edges_that_do_not_fit),
      cmocka_unit_test(wrong_seeds),
      cmocka_unit_test(all_neighbours),
      cmocka_unit_test(disjoint_trees),
      cmocka_unit_test(narrow_ids),
      cmocka_unit_test(replacement),
      cmocka_unit_test(the_random_key),
      cmocka_unit_test(excluded_edges),
      cmocka_unit_test(excluded_reverse_types),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
