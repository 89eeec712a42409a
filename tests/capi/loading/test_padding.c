/* Batches of one shape: the real ones, and what is added to them. */
#include "helpers.h"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* 100 nodes, columns "x" of nodes, "f" of edges, labels "y" */
static gls_dataset_t *shop;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, 100, 5);
  shop = make_bipartite(ctx, 60, 20);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_dataset_release(shop);
  gls_context_release(ctx);
  return 0;
}

static gls_loader_options_t padded(uint32_t batch_size, const gls_pad_options_t *pad) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = batch_size;
  options.flags = GLS_LOADER_SHUFFLE;
  options.pad = pad;
  return options;
}
static int64_t pad_size(const gls_loader_t *loader, const char *type) {
  int64_t rows = -1;
  OK(gls_loader_pad_size(loader, type, &rows, &err));
  return rows;
}
static gls_batch_info_t info_of(const gls_batch_t *batch) {
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  return info;
}
static int64_t rows_of(const gls_batch_t *batch, int32_t array, const char *type,
                       const char *name) {
  gls_tensor_t *const tensor = batch_array(batch, array, type, name);
  const int64_t rows = tensor->dl_tensor.shape[0];
  gls_tensor_release(tensor);
  return rows;
}

/* `a` begins with what `b` is. */
static void begins_with(const gls_batch_t *a, const gls_batch_t *b, int32_t array, const char *type,
                        const char *name) {
  gls_tensor_t *const longer = batch_array(a, array, type, name);
  gls_tensor_t *const shorter = batch_array(b, array, type, name);
  const DLTensor *const l = &longer->dl_tensor;
  const DLTensor *const s = &shorter->dl_tensor;
  assert_int_equal(l->ndim, s->ndim);
  assert_int_equal(l->dtype.bits, s->dtype.bits);
  assert_true(l->shape[0] >= s->shape[0]);
  assert_memory_equal(tensor_data(longer), tensor_data(shorter),
                      (size_t)tensor_elements(shorter) * s->dtype.bits / 8);
  gls_tensor_release(longer);
  gls_tensor_release(shorter);
}
/* All that is added to an array of ids. */
static void then(const gls_batch_t *batch, int32_t array, const char *type, int64_t real,
                 int64_t value) {
  gls_tensor_t *const tensor = batch_array(batch, array, type, NULL);
  for (int64_t i = real; i < tensor_elements(tensor); ++i) {
    assert_int_equal(id_at(tensor, i), value);
  }
  gls_tensor_release(tensor);
}
static void then_zeros(const gls_batch_t *batch, int32_t array, const char *name, int64_t real) {
  gls_tensor_t *const tensor = batch_array(batch, array, NULL, name);
  const DLTensor *const t = &tensor->dl_tensor;
  const size_t row = (size_t)(tensor_elements(tensor) / t->shape[0]) * t->dtype.bits / 8;
  const char *const bytes = tensor_data(tensor);
  for (size_t i = (size_t)real * row; i < (size_t)t->shape[0] * row; ++i) {
    assert_int_equal(bytes[i], 0);
  }
  gls_tensor_release(tensor);
}
static void check_mask(const gls_batch_t *batch, int32_t array, const char *type, int64_t real) {
  gls_tensor_t *const tensor = batch_array(batch, array, type, NULL);
  assert_int_equal(tensor->dl_tensor.dtype.code, kDLBool);
  assert_int_equal(tensor->dl_tensor.dtype.bits, 8);
  const char *const bytes = tensor_data(tensor);
  for (int64_t i = 0; i < tensor_elements(tensor); ++i) {
    assert_int_equal(bytes[i], i < real ? 1 : 0);
  }
  gls_tensor_release(tensor);
}

static void one_type(uint32_t flags, int32_t direction) {
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS | flags);
  options.direction = direction;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, &options, &sampler, &err));
  const gls_pad_size_t sizes[] = {{"node", 200}, {"node__to__node", 320}};
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  pad.sizes = sizes;
  pad.num_sizes = 2;
  const gls_loader_options_t with = padded(24, &pad);
  const gls_loader_options_t without = padded(24, NULL);
  gls_loader_t *const loader = make_loader(sampler, &with);
  gls_loader_t *const plain = make_loader(sampler, &without);
  assert_int_equal(pad_size(loader, "node"), 200);
  assert_int_equal(pad_size(loader, "node__to__node"), 320);
  int batches = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; ++batches) {
    gls_batch_t *const real = next_batch(plain);
    assert_int_equal(info_of(batch).padding, GLS_PADDING_FITS);
    assert_int_equal(info_of(real).padding, GLS_PADDING_NONE);
    const int64_t nodes = rows_of(real, GLS_BATCH_NODE, NULL, NULL);
    const int64_t edges = rows_of(real, GLS_BATCH_EDGE, NULL, NULL);
    const int64_t seeds = rows_of(real, GLS_BATCH_SEED, NULL, NULL);
    assert_int_equal(seeds, batches < 4 ? 24 : 4); /* the last batch is not full */
    static const int32_t of_nodes[] = {GLS_BATCH_NODE, GLS_BATCH_NODE_MASK, GLS_BATCH_TREE};
    static const int32_t of_edges[] = {GLS_BATCH_ROW, GLS_BATCH_COL, GLS_BATCH_EDGE,
                                       GLS_BATCH_EDGE_MASK};
    static const int32_t of_seeds[] = {GLS_BATCH_SEED, GLS_BATCH_INPUT, GLS_BATCH_SEED_MASK};
    for (int i = 0; i < ((flags & GLS_SAMPLE_DISJOINT) != 0 ? 3 : 2); ++i) {
      assert_int_equal(rows_of(batch, of_nodes[i], NULL, NULL), 200);
    }
    for (int i = 0; i < 4; ++i) {
      assert_int_equal(rows_of(batch, of_edges[i], NULL, NULL), 320);
    }
    for (int i = 0; i < 3; ++i) {
      assert_int_equal(rows_of(batch, of_seeds[i], NULL, NULL), 24);
    }
    for (size_t i = 0; i < gls_batch_num_arrays(real); ++i) {
      gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
      OK(gls_batch_get_array_info(real, i, &array, &err));
      begins_with(batch, real, array.array, array.type, array.name);
    }
    then(batch, GLS_BATCH_NODE, NULL, nodes, -1);
    then(batch, GLS_BATCH_ROW, NULL, edges, nodes);
    then(batch, GLS_BATCH_COL, NULL, edges, nodes);
    then(batch, GLS_BATCH_EDGE, NULL, edges, -1);
    then(batch, GLS_BATCH_SEED, NULL, seeds, nodes);
    then(batch, GLS_BATCH_INPUT, NULL, seeds, -1);
    if ((flags & GLS_SAMPLE_DISJOINT) != 0) {
      then(batch, GLS_BATCH_TREE, NULL, nodes, seeds);
    }
    then_zeros(batch, GLS_BATCH_NODE_COLUMN, "x", nodes);
    then_zeros(batch, GLS_BATCH_NODE_COLUMN, "y", seeds);
    then_zeros(batch, GLS_BATCH_EDGE_COLUMN, "f", edges);
    assert_int_equal(rows_of(batch, GLS_BATCH_NODE_COLUMN, NULL, "x"), 200);
    assert_int_equal(rows_of(batch, GLS_BATCH_NODE_COLUMN, NULL, "y"), 24);
    assert_int_equal(rows_of(batch, GLS_BATCH_EDGE_COLUMN, NULL, "f"), 320);
    check_mask(batch, GLS_BATCH_NODE_MASK, NULL, nodes);
    check_mask(batch, GLS_BATCH_EDGE_MASK, NULL, edges);
    check_mask(batch, GLS_BATCH_SEED_MASK, NULL, seeds);
    gls_batch_release(batch);
    gls_batch_release(real);
  }
  assert_int_equal(batches, 5);
  gls_loader_release(loader);
  gls_loader_release(plain);
  gls_sampler_release(sampler);
}
static void shapes(void **state) {
  (void)state;
  one_type(0, GLS_DIRECTION_IN);
  one_type(GLS_SAMPLE_INT32, GLS_DIRECTION_IN);
  one_type(GLS_SAMPLE_DISJOINT, GLS_DIRECTION_IN);
  one_type(GLS_SAMPLE_TOWARD_SEEDS, GLS_DIRECTION_OUT);
}

/* What is added to edges refers to what is added to the nodes of each end's type. */
static void two_types(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(shop, 0);
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  pad.sigma = 6;
  pad.multiple = 1;
  gls_loader_options_t options = padded(7, &pad);
  options.node_type = "item";
  gls_loader_t *const loader = make_loader(sampler, &options);
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    assert_int_equal(info_of(batch).padding, GLS_PADDING_FITS);
    gls_tensor_t *const users = batch_array(batch, GLS_BATCH_NUM_NODES, "user", NULL);
    gls_tensor_t *const items = batch_array(batch, GLS_BATCH_NUM_NODES, "item", NULL);
    gls_tensor_t *const likes = batch_array(batch, GLS_BATCH_NUM_EDGES, "user__likes__item", NULL);
    const int64_t num_users = id_at(users, 0) + id_at(users, 1) + id_at(users, 2);
    const int64_t num_items = id_at(items, 0) + id_at(items, 1) + id_at(items, 2);
    const int64_t num_likes = id_at(likes, 0) + id_at(likes, 1);
    assert_int_equal(rows_of(batch, GLS_BATCH_NODE, "user", NULL), pad_size(loader, "user"));
    assert_int_equal(rows_of(batch, GLS_BATCH_NODE, "item", NULL), pad_size(loader, "item"));
    assert_int_equal(rows_of(batch, GLS_BATCH_ROW, "user__likes__item", NULL),
                     pad_size(loader, "user__likes__item"));
    then(batch, GLS_BATCH_ROW, "user__likes__item", num_likes, num_users);
    then(batch, GLS_BATCH_COL, "user__likes__item", num_likes, num_items);
    then(batch, GLS_BATCH_SEED, "item", rows_of(batch, GLS_BATCH_INPUT, "item", NULL), num_items);
    check_mask(batch, GLS_BATCH_NODE_MASK, "user", num_users);
    gls_tensor_t *mask = NULL;
    FAILS(GLS_ERR_NOT_FOUND, "array",
          gls_batch_tensor(batch, GLS_BATCH_SEED_MASK, "user", NULL, &mask, &err));
    gls_tensor_release(users);
    gls_tensor_release(items);
    gls_tensor_release(likes);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* All shapes are one, and the estimate is that of its definition. */
static void estimates(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  pad.batches = 1000;
  pad.multiple = 8;
  pad.sigma = 2;
  const gls_loader_options_t with = padded(10, &pad);
  const gls_loader_options_t without = padded(10, NULL);
  gls_loader_t *const plain = make_loader(sampler, &without);
  double sum = 0;
  double squares = 0;
  for (uint64_t b = 0; b < 10; ++b) {
    gls_batch_t *batch = NULL;
    OK(gls_loader_sample(plain, 0, b, &batch, &err));
    const double nodes = (double)rows_of(batch, GLS_BATCH_NODE, NULL, NULL);
    sum += nodes;
    squares += nodes * nodes;
    gls_batch_release(batch);
  }
  gls_loader_t *const loader = make_loader(sampler, &with);
  const double mean = sum / 10;
  const double variance = squares / 10 - mean * mean;
  const int64_t rows = pad_size(loader, "node");
  /* The least multiple of 8 that is at least mean + 2 sigma + 1. */
  assert_true(rows % 8 == 0);
  const double above = (double)rows - 1 - mean;
  const double below = (double)rows - 8 - 2 - mean;
  assert_true(above >= 0 && above * above >= 4 * variance - 1e-9);
  assert_true(below < 0 || below * below <= 4 * variance + 1e-9);
  gls_loader_release(loader);
  gls_loader_release(plain);
  gls_sampler_release(sampler);
}

/* A batch that does not fit is delivered whole, and says so. */
static void overflow(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, GLS_SAMPLE_EDGE_IDS);
  const gls_loader_options_t without = padded(50, NULL);
  gls_loader_t *const plain = make_loader(sampler, &without);
  gls_batch_t *real = NULL;
  OK(gls_loader_sample(plain, 0, 0, &real, &err));
  const int64_t nodes = rows_of(real, GLS_BATCH_NODE, NULL, NULL);
  const int64_t edges = rows_of(real, GLS_BATCH_EDGE, NULL, NULL);
  for (int case_number = 0; case_number < 3; ++case_number) {
    /* No row to spare; one edge too few; just enough. */
    const gls_pad_size_t sizes[] = {{"node", nodes + (case_number == 0 ? 0 : 1)},
                                    {"node__to__node", edges - (case_number == 1 ? 1 : 0)}};
    gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
    pad.sizes = sizes;
    pad.num_sizes = 2;
    const gls_loader_options_t with = padded(50, &pad);
    gls_loader_t *const loader = make_loader(sampler, &with);
    gls_batch_t *batch = NULL;
    OK(gls_loader_sample(loader, 0, 0, &batch, &err));
    assert_int_equal(info_of(batch).padding,
                     case_number == 2 ? GLS_PADDING_FITS : GLS_PADDING_OVERFLOW);
    if (case_number < 2) {
      assert_int_equal(rows_of(batch, GLS_BATCH_NODE, NULL, NULL), nodes);
      assert_int_equal(rows_of(batch, GLS_BATCH_NODE_COLUMN, NULL, "x"), nodes);
      assert_int_equal(rows_of(batch, GLS_BATCH_EDGE, NULL, NULL), edges);
      check_mask(batch, GLS_BATCH_NODE_MASK, NULL, nodes);
      check_mask(batch, GLS_BATCH_EDGE_MASK, NULL, edges);
      check_mask(batch, GLS_BATCH_SEED_MASK, NULL, 50);
      begins_with(batch, real, GLS_BATCH_NODE, NULL, NULL);
    }
    gls_batch_release(batch);
    gls_loader_release(loader);
  }
  gls_batch_release(real);
  gls_loader_release(plain);
  gls_sampler_release(sampler);
}

static void options_that_do_not_fit(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  gls_loader_options_t options = padded(10, &pad);
  gls_loader_t *loader = NULL;
  gls_pad_size_t sizes[] = {{"node", 0}, {"node", 7}};
#define REFUSED(code, argument, sizes_given, number)                                  \
  do {                                                                                \
    pad.sizes = sizes_given;                                                          \
    pad.num_sizes = number;                                                           \
    FAILS(code, argument, gls_loader_create(sampler, NULL, &options, &loader, &err)); \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "pad", sizes, 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "pad", sizes, 2);
  sizes[0].rows = 9;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "pad", sizes, 2); /* twice */
  sizes[0].rows = (int64_t)1 << 31;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "pad", sizes, 1);
  sizes[0].type = "nobody";
  REFUSED(GLS_ERR_NOT_FOUND, "pad", sizes, 1);
  sizes[0].type = NULL;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "pad.sizes[].type", sizes, 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "given.sizes", NULL, 1);
  pad.num_sizes = 0;
  pad.sigma = -1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "pad", NULL, 0);
  pad.sigma = 0;
  gls_tensor_t *const nothing = ids64(0, NULL);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "pad",
        gls_loader_create(sampler, nothing, &options, &loader, &err));
  gls_tensor_release(nothing);
  options.pad = NULL;
  loader = make_loader(sampler, &options);
  int64_t rows = 0;
  assert_int_equal(gls_loader_pad_size(loader, "node", &rows, NULL), GLS_ERR_NOT_FOUND);
  gls_loader_release(loader);
  options.pad = &pad;
  loader = make_loader(sampler, &options);
  FAILS(GLS_ERR_NOT_FOUND, "type", gls_loader_pad_size(loader, "nobody", &rows, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rows", gls_loader_pad_size(loader, "node", NULL, &err));
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),
      cmocka_unit_test(two_types),
      cmocka_unit_test(estimates),
      cmocka_unit_test(overflow),
      cmocka_unit_test(options_that_do_not_fit),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
