/* Padded batches of links, walks, neighbours, anchors, budgets and clusters: without what is added
 * they are those of a loader that does not pad, all have one shape, and what is added is what gls.h
 * says. */
#include "helpers.h"

#define NODES 100
#define DEGREE 5

static gls_context_t *ctx;
static gls_dataset_t *ring;
static gls_dataset_t *shop;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, NODES, DEGREE);
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

/* ---- a batch with and without padding ----------------------------------------------------------
 */

static int32_t padding_of(const gls_batch_t *batch) {
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  return info.padding;
}

/* The mask that belongs to rows of an array; -1: there is none. */
static int32_t mask_of(int32_t array) {
  switch (array) {
    case GLS_BATCH_NODE:
    case GLS_BATCH_TREE:
    case GLS_BATCH_NODE_COLUMN:
      return GLS_BATCH_NODE_MASK;
    case GLS_BATCH_ROW:
    case GLS_BATCH_COL:
    case GLS_BATCH_EDGE:
    case GLS_BATCH_EDGE_COLUMN:
      return GLS_BATCH_EDGE_MASK;
    case GLS_BATCH_SEED:
    case GLS_BATCH_SEED_TIME:
      return GLS_BATCH_SEED_MASK;
    case GLS_BATCH_LINK_SOURCE:
    case GLS_BATCH_LINK_TARGET:
    case GLS_BATCH_LINK_LABEL:
      return GLS_BATCH_LINK_MASK;
    case GLS_BATCH_WALK:
    case GLS_BATCH_WALK_EDGE:
      return GLS_BATCH_WALK_MASK;
    case GLS_BATCH_NEAR_SEED:
    case GLS_BATCH_NEAR_NODE:
    case GLS_BATCH_NEAR_SCORE:
      return GLS_BATCH_NEAR_MASK;
    case GLS_BATCH_ANCHOR_POSITIVE:
    case GLS_BATCH_ANCHOR_NEGATIVE:
      return GLS_BATCH_ANCHOR_MASK;
    default:
      return -1;
  }
}

static const char *type_of_seeds; /* of the loader that is tested */

/* Which rows of an array are real; NULL: all. */
static gls_tensor_t *find_mask(const gls_batch_t *batch, const gls_array_info_t *array) {
  const int32_t mask = mask_of(array->array);
  if (mask < 0 || array->rows == GLS_GATHER_SEEDS) {
    return NULL;
  }
  gls_tensor_t *out = NULL;
  const char *const type = mask == GLS_BATCH_ANCHOR_MASK ? type_of_seeds : array->type;
  if (gls_batch_tensor(batch, mask, type, NULL, &out, NULL) != GLS_OK) {
    assert_int_equal(mask, GLS_BATCH_SEED_MASK); /* no seeds of this type */
    return NULL;
  }
  assert_int_equal(out->dl_tensor.dtype.code, kDLBool);
  return out;
}

static size_t row_bytes(const gls_tensor_t *tensor) {
  const DLTensor *const dl = &tensor->dl_tensor;
  size_t bytes = dl->dtype.bits / 8;
  for (int32_t d = 1; d < dl->ndim; ++d) {
    bytes *= (size_t)dl->shape[d];
  }
  return bytes;
}

/* The rows of `padded` that are real are those of `plain`. */
static void same_array(const gls_batch_t *padded, const gls_batch_t *plain,
                       const gls_array_info_t *array) {
  gls_tensor_t *const a = batch_array(padded, array->array, array->type, array->name);
  gls_tensor_t *const b = batch_array(plain, array->array, array->type, array->name);
  gls_tensor_t *const mask = find_mask(padded, array);
  const int64_t rows = a->dl_tensor.shape[0];
  const size_t width = row_bytes(a);
  assert_int_equal(a->dl_tensor.ndim, b->dl_tensor.ndim);
  assert_int_equal(width, row_bytes(b));
  const bool by_input = array->array == GLS_BATCH_INPUT || array->array == GLS_BATCH_LINK_NEGATIVE;
  gls_tensor_t *const input = batch_array(padded, GLS_BATCH_INPUT, type_of_seeds, NULL);
  int64_t at = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const bool real = mask != NULL ? ((const char *)tensor_data(mask))[i] != 0
                      : by_input   ? id_at(input, i) >= 0
                                   : i < b->dl_tensor.shape[0];
    if (real) {
      assert_true(at < b->dl_tensor.shape[0]);
      assert_memory_equal((const char *)tensor_data(a) + (size_t)i * width,
                          (const char *)tensor_data(b) + (size_t)at * width, width);
      ++at;
    }
  }
  assert_int_equal(at, b->dl_tensor.shape[0]);
  if (mask != NULL) {
    assert_int_equal(mask->dl_tensor.shape[0], rows);
    gls_tensor_release(mask);
  }
  gls_tensor_release(input);
  gls_tensor_release(a);
  gls_tensor_release(b);
}

static uint64_t shapes_of(const gls_batch_t *batch) {
  uint64_t h = 1;
  for (size_t i = 0; i < gls_batch_num_arrays(batch); ++i) {
    gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
    OK(gls_batch_get_array_info(batch, i, &array, &err));
    gls_tensor_t *const tensor = batch_array(batch, array.array, array.type, array.name);
    h = hash_bytes(h, &array.array, sizeof array.array);
    h = hash_bytes(h, tensor->dl_tensor.shape,
                   (size_t)tensor->dl_tensor.ndim * sizeof *tensor->dl_tensor.shape);
    gls_tensor_release(tensor);
  }
  return h;
}

static void same_batch(const gls_batch_t *padded, const gls_batch_t *plain) {
  for (size_t i = 0; i < gls_batch_num_arrays(plain); ++i) {
    gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
    OK(gls_batch_get_array_info(plain, i, &array, &err));
    same_array(padded, plain, &array);
  }
}

typedef void (*check_fn)(const gls_batch_t *padded, const gls_batch_t *plain);

/* An epoch with padding is one without; `check` looks at what is added. Then the same with sizes
 * that nothing fits: the arrays are those of a loader that does not pad, and masks leave out
 * nothing. */
static void check_epoch(gls_sampler_t *sampler, gls_loader_options_t options, const char *input,
                        check_fn check) {
  type_of_seeds = input;
  options.flags |= options.seed_rule == GLS_SEEDS_DRAW ? 0 : GLS_LOADER_SHUFFLE;
  options.pad = NULL;
  gls_loader_t *const plain = make_loader(sampler, &options);
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  pad.sigma = 8;
  options.pad = &pad;
  gls_loader_t *const padded = make_loader(sampler, &options);
  const bool one = strcmp(input, "node") == 0 || strcmp(input, RING_TYPE) == 0;
  const gls_pad_size_t least[] = {{one ? "node" : "item", 1}};
  pad.sizes = least;
  pad.num_sizes = 1;
  gls_loader_t *const tight = make_loader(sampler, &options);
  uint64_t shapes = 0;
  int batches = 0;
  uint64_t seeds = 0;
  for (gls_batch_t *batch; (batch = next_batch(padded)) != NULL; ++batches) {
    gls_batch_t *const real = next_batch(plain);
    gls_batch_t *const large = next_batch(tight);
    assert_int_equal(padding_of(batch), GLS_PADDING_FITS);
    assert_int_equal(padding_of(real), GLS_PADDING_NONE);
    same_batch(batch, real);
    assert_true(batches == 0 || shapes == shapes_of(batch));
    shapes = shapes_of(batch);
    check(batch, real);
    gls_tensor_t *const nodes = batch_array(real, GLS_BATCH_NODE, least[0].type, NULL);
    const bool any = nodes->dl_tensor.shape[0] > 0;
    gls_tensor_release(nodes);
    if (any) {
      assert_int_equal(padding_of(large), GLS_PADDING_OVERFLOW);
      same_batch(large, real);
      for (size_t i = 0; i < gls_batch_num_arrays(real); ++i) {
        gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
        OK(gls_batch_get_array_info(real, i, &array, &err));
        gls_tensor_t *const a = batch_array(large, array.array, array.type, array.name);
        gls_tensor_t *const b = batch_array(real, array.array, array.type, array.name);
        assert_int_equal(a->dl_tensor.shape[0], b->dl_tensor.shape[0]);
        gls_tensor_release(a);
        gls_tensor_release(b);
      }
    }
    gls_tensor_t *const given = batch_array(real, GLS_BATCH_INPUT, input, NULL);
    seeds += (uint64_t)tensor_elements(given);
    gls_tensor_release(given);
    gls_batch_release(batch);
    gls_batch_release(real);
    gls_batch_release(large);
  }
  assert_null(next_batch(plain));
  assert_true(batches > 1);
  gls_loader_stats_t stats = {.struct_size = sizeof stats};
  OK(gls_loader_get_stats(padded, &stats, &err));
  assert_int_equal(stats.seeds, seeds);
  gls_loader_release(plain);
  gls_loader_release(padded);
  gls_loader_release(tight);
}

static int64_t rows(const gls_batch_t *batch, int32_t array, const char *type) {
  gls_tensor_t *const tensor = batch_array(batch, array, type, NULL);
  const int64_t out = tensor->dl_tensor.shape[0];
  gls_tensor_release(tensor);
  return out;
}
/* The number of nodes, which is the local id of the first that was added. */
static int64_t spare(const gls_batch_t *plain, const char *type) {
  return rows(plain, GLS_BATCH_NODE, type);
}
/* Rows begin .. end - 1 of an array of ids hold `first`, then `value`. */
static void holds(const gls_batch_t *batch, int32_t array, const char *type, const char *name,
                  int64_t begin, int64_t end, int64_t first, int64_t value) {
  gls_tensor_t *const tensor = batch_array(batch, array, type, name);
  const int64_t width = tensor_elements(tensor) / tensor->dl_tensor.shape[0];
  assert_int_equal(tensor->dl_tensor.shape[0], end);
  for (int64_t i = begin * width; i < end * width; ++i) {
    assert_int_equal(id_at(tensor, i), i % width == 0 ? first : value);
  }
  gls_tensor_release(tensor);
}

/* ---- links -------------------------------------------------------------------------------------
 */

#define LINKS 48

static gls_sampler_t *drawing(gls_dataset_t *dataset, int32_t mode, uint32_t negative_flags,
                              double amount, uint32_t tries, uint32_t flags) {
  gls_sampler_options_t options = sampler_options(flags);
  gls_negative_options_t negatives = GLS_NEGATIVE_OPTIONS_INIT;
  negatives.mode = mode;
  negatives.flags = negative_flags;
  negatives.amount = amount;
  negatives.tries = tries;
  options.negatives = &negatives;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &options, &sampler, &err));
  return sampler;
}
static gls_loader_options_t of_links(const char *type) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.edge_type = type;
  options.batch_size = LINKS;
  return options;
}

/* Links first, and the pairs drawn for them from one place on. */
static void check_links(const gls_batch_t *padded, const gls_batch_t *plain) {
  const bool one = strcmp(type_of_seeds, RING_TYPE) == 0;
  const char *const source = one ? "node" : "user";
  const char *const target = one ? "node" : "item";
  const int64_t count = rows(plain, GLS_BATCH_INPUT, type_of_seeds);
  gls_tensor_t *const mask = batch_array(padded, GLS_BATCH_LINK_MASK, type_of_seeds, NULL);
  gls_tensor_t *const from = batch_array(padded, GLS_BATCH_LINK_SOURCE, type_of_seeds, NULL);
  gls_tensor_t *const to = batch_array(padded, GLS_BATCH_LINK_TARGET, type_of_seeds, NULL);
  gls_tensor_t *const label = batch_array(padded, GLS_BATCH_LINK_LABEL, type_of_seeds, NULL);
  const char *const real = tensor_data(mask);
  const int64_t pairs = rows(plain, GLS_BATCH_LINK_SOURCE, type_of_seeds) - count;
  assert_int_equal(tensor_elements(mask), LINKS + LINKS * 3 / 2);
  for (int64_t i = 0; i < tensor_elements(mask); ++i) {
    assert_int_equal(real[i], i < count || (i >= LINKS && i < LINKS + pairs));
    if (!real[i]) {
      assert_int_equal(id_at(from, i), spare(plain, source));
      assert_int_equal(id_at(to, i), spare(plain, target));
      assert_true(((const float *)tensor_data(label))[i] == 0);
    }
  }
  gls_tensor_t *const tensors[] = {mask, from, to, label};
  for (size_t t = 0; t < COUNT_OF(tensors); ++t) {
    gls_tensor_release(tensors[t]);
  }
  /* Links and pairs: each end is a seed. */
  assert_int_equal(rows(padded, GLS_BATCH_SEED, source), (one ? 2 : 1) * LINKS * 5 / 2);
  assert_int_equal(rows(padded, GLS_BATCH_SEED, target), (one ? 2 : 1) * LINKS * 5 / 2);
  const int64_t seeds = rows(plain, GLS_BATCH_SEED, target);
  holds(padded, GLS_BATCH_SEED, target, NULL, seeds, (one ? 2 : 1) * LINKS * 5 / 2,
        spare(plain, target), 0);
  holds(padded, GLS_BATCH_INPUT, type_of_seeds, NULL, count, LINKS, -1, 0);
}
static void check_triplets(const gls_batch_t *padded, const gls_batch_t *plain) {
  const int64_t count = rows(plain, GLS_BATCH_INPUT, RING_TYPE);
  gls_tensor_t *const negative = batch_array(padded, GLS_BATCH_LINK_NEGATIVE, NULL, NULL);
  gls_tensor_t *const found = batch_array(padded, GLS_BATCH_LINK_NEGATIVE_MASK, NULL, NULL);
  assert_int_equal(found->dl_tensor.ndim, 2);
  assert_int_equal(found->dl_tensor.shape[0], LINKS);
  assert_int_equal(found->dl_tensor.shape[1], 3);
  int64_t missing = 0;
  for (int64_t i = 0; i < LINKS * 3; ++i) {
    const bool there = ((const char *)tensor_data(found))[i] != 0;
    if (i >= count * 3) {
      assert_int_equal(id_at(negative, i), spare(plain, "node"));
      assert_false(there);
    } else {
      assert_int_equal(there, id_at(negative, i) >= 0);
      missing += there ? 0 : 1;
    }
  }
  assert_true(missing > 0);
  gls_tensor_release(negative);
  gls_tensor_release(found);
  holds(padded, GLS_BATCH_LINK_SOURCE, NULL, NULL, count, LINKS, spare(plain, "node"), 0);
  holds(padded, GLS_BATCH_LINK_TARGET, NULL, NULL, count, LINKS, spare(plain, "node"), 0);
  assert_int_equal(rows(padded, GLS_BATCH_SEED, "node"), 5 * LINKS);
}
static void links(void **state) {
  (void)state;
  const uint32_t strict = GLS_NEGATIVE_STRICT | GLS_NEGATIVE_ALLOW_SHORT;
  static const uint32_t flags[] = {GLS_SAMPLE_EDGE_IDS, GLS_SAMPLE_INT32, GLS_SAMPLE_DISJOINT};
  for (size_t i = 0; i < COUNT_OF(flags); ++i) {
    /* One try: some pairs are edges, and left out. */
    gls_sampler_t *sampler = drawing(ring, GLS_NEGATIVE_BINARY, strict, 1.5, 1, flags[i]);
    check_epoch(sampler, of_links(RING_TYPE), RING_TYPE, check_links);
    gls_sampler_release(sampler);
    sampler = drawing(ring, GLS_NEGATIVE_TRIPLET, strict, 3, 1, flags[i]);
    check_epoch(sampler, of_links(RING_TYPE), RING_TYPE, check_triplets);
    gls_sampler_release(sampler);
  }
  gls_sampler_t *const sampler = drawing(shop, GLS_NEGATIVE_BINARY, 0, 1.5, 0, 0);
  check_epoch(sampler, of_links("user__likes__item"), "user__likes__item", check_links);
  gls_sampler_release(sampler);
}

static void nothing_more(const gls_batch_t *padded, const gls_batch_t *plain) {
  (void)padded;
  (void)plain;
}

/* Labels of any shape and type; no negatives; times. */
static void labels_and_times(void **state) {
  (void)state;
  gls_sampler_t *sampler = make_sampler(ring, 0);
  int16_t labels[NODES * DEGREE][2];
  for (int16_t e = 0; e < NODES * DEGREE; ++e) {
    labels[e][0] = e;
    labels[e][1] = (int16_t)(e + 1000);
  }
  const gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  gls_loader_options_t options = of_links(RING_TYPE);
  options.pad = &pad;
  const DLDataType int16 = {kDLInt, 16, 1};
  options.labels = copied(labels, int16, 2, (const int64_t[]){NODES * DEGREE, 2});
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_t *batch = NULL;
  OK(gls_loader_sample(loader, 0, 10, &batch, &err)); /* the last: 20 links */
  gls_tensor_t *const label = batch_array(batch, GLS_BATCH_LINK_LABEL, NULL, NULL);
  assert_int_equal(label->dl_tensor.shape[0], LINKS);
  for (int64_t i = 0; i < LINKS; ++i) {
    const int16_t *const row = (const int16_t *)tensor_data(label) + 2 * i;
    assert_int_equal(row[0], i < 20 ? 480 + i : 0);
    assert_int_equal(row[1], i < 20 ? 1480 + i : 0);
  }
  gls_tensor_release(label);
  gls_tensor_t *mask = NULL;
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_LINK_NEGATIVE_MASK, NULL, NULL, &mask, &err));
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_WALK_MASK, NULL, NULL, &mask, &err));
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_NEAR_MASK, NULL, NULL, &mask, &err));
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_ANCHOR_MASK, NULL, NULL, &mask, &err));
  gls_batch_release(batch);
  gls_loader_release(loader);
  gls_sampler_release(sampler);

  gls_sampler_options_t timed = sampler_options(0);
  timed.node_time = "y";
  OK(gls_sampler_create(ring, &timed, &sampler, &err));
  int64_t times[NODES * DEGREE];
  for (int64_t e = 0; e < NODES * DEGREE; ++e) {
    times[e] = 500 + e;
  }
  options.labels = NULL;
  const DLDataType int64 = {kDLInt, 64, 1};
  for (int padded = 0; padded < 2; ++padded) {
    options.pad = padded == 0 ? NULL : &pad;
    options.times = copied(times, int64, 1, (const int64_t[]){NODES * DEGREE});
    gls_loader_t *const one = make_loader(sampler, &options);
    OK(gls_loader_sample(one, 0, 10, &batch, &err));
    gls_tensor_t *const time = batch_array(batch, GLS_BATCH_SEED_TIME, NULL, NULL);
    assert_int_equal(tensor_elements(time), padded == 0 ? 40 : 2 * LINKS);
    for (int64_t i = 0; i < tensor_elements(time); ++i) {
      assert_int_equal(id_at(time, i), i < 40 ? 980 + i % 20 : 0);
    }
    gls_tensor_release(time);
    gls_batch_release(batch);
    gls_loader_release(one);
  }
  gls_sampler_release(sampler);
}

/* ---- walks and neighbours ----------------------------------------------------------------------
 */

#define ROOTS 32

static void check_walks(const gls_batch_t *padded, const gls_batch_t *plain) {
  const int64_t real = rows(plain, GLS_BATCH_WALK, "node");
  holds(padded, GLS_BATCH_WALK, NULL, NULL, real, 3 * ROOTS, spare(plain, "node"), -1);
  holds(padded, GLS_BATCH_WALK_EDGE, NULL, NULL, real, 3 * ROOTS, -1, -1);
}
static void walks(void **state) {
  (void)state;
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  walk.length = 4;
  walk.walks = 3;
  walk.stop = 0.2;
  for (int induced = 0; induced < 2; ++induced) {
    gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
    sampling.kind = GLS_SAMPLER_WALK;
    sampling.seed = 5;
    sampling.flags = GLS_SAMPLE_EDGE_IDS;
    sampling.subgraph = induced == 1 ? GLS_SUBGRAPH_INDUCED : GLS_SUBGRAPH_SAMPLED;
    sampling.walk = &walk;
    gls_sampler_t *sampler = NULL;
    OK(gls_sampler_create(ring, &sampling, &sampler, &err));
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.batch_size = ROOTS;
    check_epoch(sampler, options, "node", check_walks);
    /* GraphSAINT's walks, and clusters, whose batches are not equally long. */
    options.seed_rule = GLS_SEEDS_DRAW;
    options.batches = 3;
    check_epoch(sampler, options, "node", check_walks);
    const gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
    options.pad = &pad;
    gls_loader_t *const loader = make_loader(sampler, &options);
    int64_t edges = -1;
    OK(gls_loader_pad_size(loader, RING_TYPE, &edges, &err));
    assert_int_equal(edges > 0, induced);
    gls_loader_release(loader);
    gls_sampler_release(sampler);
  }
}

static void check_near(const gls_batch_t *padded, const gls_batch_t *plain) {
  const int64_t real = rows(plain, GLS_BATCH_NEAR_NODE, type_of_seeds);
  const int64_t all = rows(padded, GLS_BATCH_NEAR_NODE, type_of_seeds);
  assert_true(all > real && all % 64 == 0);
  const int64_t first = spare(plain, type_of_seeds);
  holds(padded, GLS_BATCH_NEAR_SEED, type_of_seeds, NULL, real, all, first, 0);
  holds(padded, GLS_BATCH_NEAR_NODE, type_of_seeds, NULL, real, all, first, 0);
  gls_tensor_t *const score = batch_array(padded, GLS_BATCH_NEAR_SCORE, type_of_seeds, NULL);
  for (int64_t i = 2 * real; i < tensor_elements(score); ++i) {
    assert_true(((const float *)tensor_data(score))[i] == 0);
  }
  gls_tensor_release(score);
}
static void check_near_of_others(const gls_batch_t *padded, const gls_batch_t *plain) {
  check_near(padded, plain);
  const int64_t real = rows(plain, GLS_BATCH_NEAR_NODE, "user");
  const int64_t all = rows(padded, GLS_BATCH_NEAR_NODE, "user");
  holds(padded, GLS_BATCH_NEAR_SEED, "user", NULL, real, all, spare(plain, "item"), 0);
  holds(padded, GLS_BATCH_NEAR_NODE, "user", NULL, real, all, spare(plain, "user"), 0);
}
static void neighbours(void **state) {
  (void)state;
  gls_importance_options_t importance = GLS_IMPORTANCE_OPTIONS_INIT;
  importance.neighbors = 3;
  importance.hops = 2;
  const gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 15;
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.kind = GLS_SAMPLER_IMPORTANCE;
  sampling.importance = &importance;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, &sampling, &sampler, &err));
  check_epoch(sampler, options, "node", check_near);
  gls_sampler_release(sampler);
  sampling.kind = GLS_SAMPLER_PPR;
  sampling.importance = NULL;
  sampling.ppr = &ppr;
  OK(gls_sampler_create(ring, &sampling, &sampler, &err));
  check_epoch(sampler, options, "node", check_near);
  gls_sampler_release(sampler);
  OK(gls_sampler_create(shop, &sampling, &sampler, &err));
  options.node_type = "item";
  check_epoch(sampler, options, "item", check_near_of_others);
  gls_sampler_release(sampler);
}

/* ---- anchors -----------------------------------------------------------------------------------
 */

#define ANCHORS 24
#define MOST 3

static int64_t most_given; /* labels of an anchor, of those that are given */

static void check_anchors(const gls_batch_t *padded, const gls_batch_t *plain) {
  const int64_t real = rows(plain, GLS_BATCH_INPUT, "node");
  holds(padded, GLS_BATCH_ANCHOR_POSITIVE, "node", RING_TYPE, real, ANCHORS, -1, -1);
  gls_tensor_t *const seed = batch_array(padded, GLS_BATCH_SEED, NULL, NULL);
  gls_tensor_t *const mask = batch_array(padded, GLS_BATCH_SEED_MASK, NULL, NULL);
  const int64_t labels = rows(plain, GLS_BATCH_SEED, "node") - real;
  assert_int_equal(tensor_elements(seed), ANCHORS * (1 + MOST + most_given));
  for (int64_t i = 0; i < tensor_elements(seed); ++i) {
    const bool there = i < real || (i >= ANCHORS && i < ANCHORS + labels);
    assert_int_equal(((const char *)tensor_data(mask))[i], there);
    if (!there) {
      assert_int_equal(id_at(seed, i), spare(plain, "node"));
    }
  }
  gls_tensor_release(seed);
  gls_tensor_release(mask);
}
static void anchors(void **state) {
  (void)state;
  gls_supervision_t found;
  memset(&found, 0, sizeof found);
  found.edge_type = RING_TYPE;
  found.max_labels = MOST;
  found.flags = GLS_SUPERVISION_SAMPLED;
  gls_supervision_t both[2] = {found, found};
  both[1].edge_type = NULL;
  both[1].flags = 0;
  both[1].max_labels = 0;
  both[1].node_type = "node";
  both[1].name = "given";
  both[1].role = GLS_LABEL_NEGATIVE;
  int64_t given[NODES][2];
  for (int64_t v = 0; v < NODES; ++v) {
    given[v][0] = (v + 50) % NODES;
    given[v][1] = v % 2 == 0 ? -1 : (v + 51) % NODES;
  }
  static const uint32_t flags[] = {0, GLS_SAMPLE_INT32, GLS_SAMPLE_DISJOINT};
  for (size_t i = 0; i < COUNT_OF(flags); ++i) {
    gls_sampler_options_t sampling = sampler_options(flags[i]);
    sampling.supervisions = both;
    for (size_t count = 1; count <= 2; ++count) {
      sampling.num_supervisions = count;
      gls_sampler_t *sampler = NULL;
      OK(gls_sampler_create(ring, &sampling, &sampler, &err));
      gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
      options.batch_size = ANCHORS;
      most_given = count == 2 ? 2 : 0;
      if (count == 1) {
        check_epoch(sampler, options, "node", check_anchors);
        gls_sampler_release(sampler);
        continue;
      }
      /* Taken by each loader: the batches of two, by number. */
      gls_loader_t *loaders[2];
      const gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
      for (int padded = 0; padded < 2; ++padded) {
        gls_tensor_t *const labels[] = {NULL,
                                        copied(given, kInt64, 2, (const int64_t[]){NODES, 2})};
        options.anchor_labels = labels;
        options.num_anchor_labels = 2;
        options.pad = padded == 1 ? &pad : NULL;
        loaders[padded] = make_loader(sampler, &options);
      }
      type_of_seeds = "node";
      for (uint64_t b = 0; b < 5; ++b) {
        gls_batch_t *plain = NULL;
        gls_batch_t *padded = NULL;
        OK(gls_loader_sample(loaders[0], 0, b, &plain, &err));
        OK(gls_loader_sample(loaders[1], 0, b, &padded, &err));
        same_batch(padded, plain);
        check_anchors(padded, plain);
        holds(padded, GLS_BATCH_ANCHOR_NEGATIVE, "node", "given",
              rows(plain, GLS_BATCH_INPUT, "node"), ANCHORS, -1, -1);
        gls_batch_release(plain);
        gls_batch_release(padded);
      }
      gls_loader_release(loaders[0]);
      gls_loader_release(loaders[1]);
      gls_sampler_release(sampler);
    }
  }
}

/* ---- subgraphs ---------------------------------------------------------------------------------
 */

static void check_clusters(const gls_batch_t *padded, const gls_batch_t *plain) {
  const int64_t real = rows(plain, GLS_BATCH_INPUT, "node");
  const int64_t size = rows(padded, GLS_BATCH_NODE, "node");
  holds(padded, GLS_BATCH_SEED, "node", NULL, real, size, spare(plain, "node"), 0);
  holds(padded, GLS_BATCH_INPUT, "node", NULL, real, size, -1, 0);
}
static void subgraphs(void **state) {
  (void)state;
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.subgraph = GLS_SUBGRAPH_INDUCED;
  sampling.flags = GLS_SAMPLE_EDGE_IDS;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, &sampling, &sampler, &err));
  gls_builder_t *const builder = ring_builder(ctx, NODES, DEGREE);
  int64_t clusters[NODES]; /* of 0 nodes, 1 node, 2, ..., and some in none */
  for (int64_t v = 0, c = 1, left = 1; v < NODES; ++v) {
    clusters[v] = v < 91 ? c : -1;
    if (--left == 0) {
      left = ++c;
    }
  }
  OK(gls_builder_add_node_column(builder, "node", "part", GLS_ROLE_OTHER, ids64(NODES, clusters),
                                 &err));
  gls_dataset_t *const parted = finish_builder(builder, GLS_LAYOUT_CSC);
  gls_sampler_t *of_parts = NULL;
  OK(gls_sampler_create(parted, &sampling, &of_parts, &err));
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 2;
  options.seed_rule = GLS_SEEDS_CLUSTER;
  options.cluster = "part";
  check_epoch(of_parts, options, "node", check_clusters);
  gls_sampler_release(of_parts);
  gls_dataset_release(parted);
  options.seed_rule = GLS_SEEDS_DRAW;
  options.cluster = NULL;
  options.batch_size = 20;
  options.seed_law = GLS_LAW_DEGREE;
  options.batches = 4;
  check_epoch(sampler, options, "node", nothing_more);
  options.edge_type = RING_TYPE;
  options.seed_law = GLS_LAW_INVERSE_DEGREE;
  check_epoch(sampler, options, RING_TYPE, nothing_more);
  gls_sampler_release(sampler);
  /* Budgets. */
  const int64_t of_each[] = {6, 4};
  const gls_node_samples_t samples = {NULL, of_each, 2};
  gls_hgt_options_t hgt = GLS_HGT_OPTIONS_INIT;
  hgt.samples = &samples;
  hgt.num_samples = 1;
  for (int induced = 0; induced < 2; ++induced) {
    gls_sampler_options_t budgets = GLS_SAMPLER_OPTIONS_INIT;
    budgets.kind = GLS_SAMPLER_HGT;
    budgets.flags = GLS_SAMPLE_EDGE_IDS;
    budgets.subgraph = induced == 1 ? GLS_SUBGRAPH_INDUCED : GLS_SUBGRAPH_SAMPLED;
    budgets.hgt = &hgt;
    OK(gls_sampler_create(shop, &budgets, &sampler, &err));
    gls_loader_options_t of_items = GLS_LOADER_OPTIONS_INIT;
    of_items.node_type = "item";
    of_items.batch_size = 7;
    check_epoch(sampler, of_items, "item", nothing_more);
    gls_sampler_release(sampler);
  }
}

/* ---- what cannot be ----------------------------------------------------------------------------
 */

static void refused(void **state) {
  (void)state;
  gls_supervision_t all;
  memset(&all, 0, sizeof all);
  all.edge_type = RING_TYPE;
  all.flags = GLS_SUPERVISION_SAMPLED;
  gls_sampler_options_t sampling = sampler_options(0);
  sampling.supervisions = &all;
  sampling.num_supervisions = 1;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, &sampling, &sampler, &err));
  const gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.pad = &pad;
  gls_loader_t *loader = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "pad", gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
  /* More rows than can be counted: of seeds, pairs and walks. */
  all.max_labels = 1u << 22;
  OK(gls_sampler_create(ring, &sampling, &sampler, &err));
  FAILS(GLS_ERR_UNSUPPORTED, "pad", gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
  options.edge_type = RING_TYPE;
  options.batch_size = 1u << 20;
  sampler = drawing(ring, GLS_NEGATIVE_TRIPLET, 0, 2048, 0, 0);
  FAILS(GLS_ERR_UNSUPPORTED, "pad", gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
  sampler = drawing(ring, GLS_NEGATIVE_BINARY, 0, 2048, 0, 0);
  FAILS(GLS_ERR_UNSUPPORTED, "pad", gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  walk.length = 1;
  walk.walks = 2048;
  gls_sampler_options_t walking = GLS_SAMPLER_OPTIONS_INIT;
  walking.kind = GLS_SAMPLER_WALK;
  walking.walk = &walk;
  OK(gls_sampler_create(ring, &walking, &sampler, &err));
  options.edge_type = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, "pad", gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links),      cmocka_unit_test(labels_and_times), cmocka_unit_test(walks),
      cmocka_unit_test(neighbours), cmocka_unit_test(anchors),          cmocka_unit_test(subgraphs),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
