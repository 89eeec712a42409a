/* Anchors: loaders over them, what a batch of them has, everything that is refused, damage. */
#include "helpers.h"

#define NODES 100
#define DEGREE 5
#define MOST 3
#define LABELED "user__bought__item"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* edge v * 5 + j goes from v + 1 + j to v */
static gls_dataset_t *shop; /* see make_shop() */

/* User u likes the items u and u + 1 (modulo 9), both ways, and bought u % 4 items from item u on.
 */
static gls_dataset_t *make_shop(void) {
  int64_t source[64];
  int64_t target[64];
  size_t bought = 0;
  for (int64_t user = 0; user < 12; ++user) {
    for (int64_t i = 0; i < user % 4; ++i) {
      source[bought] = user;
      target[bought++] = (user + i) % 9;
    }
  }
  int64_t liking[24];
  int64_t liked[24];
  for (int64_t e = 0; e < 24; ++e) {
    liking[e] = e / 2;
    liked[e] = (e / 2 + e % 2) % 9;
  }
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t type = GLS_NODE_TYPE_OPTIONS_INIT;
  type.num_nodes = 12;
  OK(gls_builder_add_node_type(builder, "user", &type, &err));
  type.num_nodes = 9;
  OK(gls_builder_add_node_type(builder, "item", &type, &err));
  gls_edge_type_options_t edges = GLS_EDGE_TYPE_OPTIONS_INIT;
  edges.flags = GLS_EDGES_ADD_REVERSE;
  OK(gls_builder_add_edges(builder, "user__likes__item", ids64(24, liking), ids64(24, liked),
                           &edges, &err));
  OK(gls_builder_add_edges(builder, LABELED, ids64(bought, source), ids64(bought, target), NULL,
                           &err));
  return finish_builder(builder, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
}

static int set_up(void **state) {
  (void)state;
  ctx = make_context(3);
  ring = make_ring(ctx, NODES, DEGREE);
  shop = make_shop();
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(shop);
  gls_dataset_release(ring);
  gls_context_release(ctx);
  return 0;
}

static gls_supervision_t supervision(const char *edge_type, uint32_t most) {
  gls_supervision_t out;
  memset(&out, 0, sizeof out);
  out.edge_type = edge_type;
  out.max_labels = most;
  return out;
}
static gls_supervision_t given(const char *name, const char *node_type) {
  gls_supervision_t out;
  memset(&out, 0, sizeof out);
  out.name = name;
  out.node_type = node_type;
  return out;
}
static gls_sampler_t *anchored(gls_dataset_t *dataset, const gls_supervision_t *supervisions,
                               size_t count, uint32_t flags) {
  gls_sampler_options_t options = sampler_options(flags);
  options.supervisions = supervisions;
  options.num_supervisions = count;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &options, &sampler, &err));
  return sampler;
}
static gls_tensor_t *labels_of(const gls_batch_t *batch, const char *type, const char *name,
                               int64_t rows, int64_t width) {
  gls_tensor_t *const labels = batch_array(batch, GLS_BATCH_ANCHOR_POSITIVE, type, name);
  assert_int_equal(labels->dl_tensor.ndim, 2);
  assert_int_equal(labels->dl_tensor.shape[0], rows);
  assert_int_equal(labels->dl_tensor.shape[1], width);
  return labels;
}

/* Labels are targets of the anchor's edges, none twice; edges to them are not among those sampled.
 */
static void loaded_anchors(void **state) {
  (void)state;
  gls_supervision_t one = supervision(RING_TYPE, MOST);
  one.flags = GLS_SUPERVISION_SAMPLED;
  gls_sampler_t *const sampler = anchored(ring, &one, 1, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 16;
  options.flags = GLS_LOADER_SHUFFLE;
  gls_loader_t *const loader = make_loader(sampler, &options);
  int seen[NODES] = {0};
  int64_t edges = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    gls_tensor_t *const seed = batch_array(batch, GLS_BATCH_SEED, NULL, NULL);
    gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
    gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
    gls_tensor_t *const y = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "y");
    const int64_t anchors = tensor_elements(input);
    gls_tensor_t *const labels = labels_of(batch, NULL, RING_TYPE, anchors, MOST);
    assert_int_equal(tensor_elements(seed), anchors * (1 + MOST));
    assert_int_equal(y->dl_tensor.shape[0], id_at(counts, 0)); /* of labels, too */
    bool banned[NODES * DEGREE] = {false};
    for (int64_t i = 0; i < anchors; ++i) {
      const int64_t anchor = id_at(node, id_at(seed, i));
      assert_int_equal(anchor, id_at(input, i));
      assert_int_equal(id_at(seed, i), i);
      ++seen[anchor];
      unsigned steps = 0;
      for (int64_t j = 0; j < MOST; ++j) {
        const int64_t local = id_at(labels, i * MOST + j);
        assert_int_equal(local, id_at(seed, anchors + i * MOST + j));
        assert_in_range(local, 0, id_at(counts, 0) - 1);
        const int64_t label = id_at(node, local);
        const int64_t step = (anchor - label + NODES) % NODES;
        assert_in_range(step, 1, DEGREE);
        assert_int_equal(steps >> step & 1u, 0);
        steps |= 1u << step;
        banned[label * DEGREE + step - 1] = true;
      }
    }
    for (int64_t e = 0; e < tensor_elements(edge); ++e) {
      assert_false(banned[id_at(edge, e)]);
    }
    edges += tensor_elements(edge);
    gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(gls_batch_get_info(batch, &info, &err));
    assert_true(info.bytes >= (uint64_t)tensor_elements(labels) * 8);
    gls_tensor_t *const tensors[] = {input, node, seed, counts, edge, y, labels};
    for (size_t t = 0; t < COUNT_OF(tensors); ++t) {
      gls_tensor_release(tensors[t]);
    }
  }
  assert_true(edges > NODES);
  for (size_t v = 0; v < NODES; ++v) {
    assert_int_equal(seen[v], 1);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* A loader's batches depend neither on its threads nor on where it begins. */
static void the_same_everywhere(void **state) {
  (void)state;
  gls_supervision_t both[] = {supervision(RING_TYPE, 2), supervision(RING_TYPE, 0)};
  both[0].flags = both[1].flags = GLS_SUPERVISION_SAMPLED;
  both[1].role = GLS_LABEL_NEGATIVE;
  gls_sampler_t *const sampler = anchored(ring, both, 2, GLS_SAMPLE_DISJOINT | GLS_SAMPLE_INT32);
  uint64_t digests[2][16] = {{0}};
  char saved[GLS_LOADER_STATE_MAX];
  for (uint32_t round = 0; round < 2; ++round) {
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.batch_size = 16;
    options.flags = GLS_LOADER_SHUFFLE;
    options.num_workers = 1 + 2 * round;
    gls_loader_t *const loader = make_loader(sampler, &options);
    for (size_t b = 0; b < 3; ++b) {
      gls_batch_t *const batch = next_batch(loader);
      digests[round][b] = batch_digest(batch);
      gls_batch_t *again = NULL;
      OK(gls_loader_sample(loader, 0, b, &again, &err));
      assert_true(batch_digest(again) == digests[round][b]);
      gls_batch_release(again);
      gls_batch_release(batch);
    }
    OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
    gls_loader_t *const other = make_loader(sampler, &options);
    OK(gls_loader_restore(other, saved, &err));
    uint64_t rest[16] = {0};
    assert_int_equal(drain(other, rest, 16), 4);
    assert_int_equal(drain(loader, digests[round] + 3, 13), 4);
    assert_memory_equal(rest, digests[round] + 3, 4 * sizeof *rest);
    gls_loader_release(other);
    gls_loader_release(loader);
  }
  assert_memory_equal(digests[0], digests[1], sizeof digests[0]);
  gls_sampler_release(sampler);
}

/* Two node types: the labels' arrays go by their type, and rows are as long as the longest. */
static void typed(void **state) {
  (void)state;
  gls_supervision_t both[] = {supervision(LABELED, 0), supervision(LABELED, 5)};
  both[1].name = "padded";
  gls_sampler_t *const sampler = anchored(shop, both, 2, 0);
  const int64_t anchors[] = {6, 0, 7, 6}; /* bought 6 7; nothing; 7 8 0; 6 7 */
  gls_batch_t *const batch = sample_ids(sampler, "user", 4, anchors);
  static const int64_t longest[] = {0, 1, -1, -1, -1, -1, 1, 2, 3, 0, 1, -1};
  EXPECT_IDS(batch, GLS_BATCH_SEED, "user", 0, 1, 2, 0);
  gls_tensor_t *labels = labels_of(batch, "item", LABELED, 4, 3);
  for (int64_t i = 0; i < 12; ++i) {
    assert_int_equal(id_at(labels, i), longest[i]);
  }
  gls_tensor_release(labels);
  labels = labels_of(batch, "item", "padded", 4, 5);
  for (int64_t i = 0; i < 20; ++i) {
    assert_int_equal(id_at(labels, i), i % 5 < 3 ? longest[i / 5 * 3 + i % 5] : -1);
  }
  gls_tensor_release(labels);
  gls_tensor_t *const bought = batch_array(batch, GLS_BATCH_ROW, LABELED, NULL);
  assert_int_equal(tensor_elements(bought), 0);
  gls_tensor_release(bought);
  size_t named = 0;
  for (size_t i = 0; i < gls_batch_num_arrays(batch); ++i) {
    gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
    OK(gls_batch_get_array_info(batch, i, &array, &err));
    if (array.array == GLS_BATCH_ANCHOR_POSITIVE) {
      assert_string_equal(array.type, "item");
      assert_string_equal(array.name, both[named].name != NULL ? "padded" : LABELED);
      ++named;
    }
  }
  assert_int_equal(named, 2);
  gls_tensor_t *none = NULL;
#define ASK(array, type, name) gls_batch_tensor(batch, array, type, name, &none, &err)
  FAILS(GLS_ERR_NOT_FOUND, "array", ASK(GLS_BATCH_ANCHOR_NEGATIVE, "item", LABELED));
  FAILS(GLS_ERR_NOT_FOUND, "array", ASK(GLS_BATCH_ANCHOR_POSITIVE, "user", LABELED));
  FAILS(GLS_ERR_NOT_FOUND, "array", ASK(GLS_BATCH_ANCHOR_POSITIVE, "item", "other"));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name", ASK(GLS_BATCH_ANCHOR_POSITIVE, "item", NULL));
#undef ASK
  gls_batch_release(batch);
  gls_batch_t *const empty = sample_ids(sampler, "user", 0, anchors);
  gls_tensor_release(labels_of(empty, "item", LABELED, 0, 0));
  gls_tensor_release(labels_of(empty, "item", "padded", 0, 5));
  gls_batch_release(empty);
  gls_sampler_release(sampler);
}

/* Labels that come with a loader's seeds keep to them, whatever the order. */
static void given_to_a_loader(void **state) {
  (void)state;
  const gls_supervision_t two[] = {given("own", "item"), supervision(LABELED, 1)};
  gls_sampler_t *const sampler = anchored(shop, two, 2, 0);
  int32_t rows[12][2];
  for (int32_t v = 0; v < 12; ++v) {
    rows[v][0] = v % 9;
    rows[v][1] = v % 3 == 0 ? -1 : 8;
  }
  gls_tensor_t *const labels[] = {copied(rows, kInt32, 2, (const int64_t[]){12, 2}), NULL};
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 5;
  options.flags = GLS_LOADER_SHUFFLE;
  options.anchor_labels = labels;
  options.num_anchor_labels = 2;
  gls_loader_t *const loader = make_loader(sampler, &options); /* anchors are users */
  size_t seen = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, "user", NULL);
    gls_tensor_t *const items = batch_array(batch, GLS_BATCH_NODE, "item", NULL);
    gls_tensor_t *const own = labels_of(batch, "item", "own", tensor_elements(input), 2);
    for (int64_t i = 0; i < tensor_elements(input); ++i, ++seen) {
      const int64_t user = id_at(input, i);
      assert_int_equal(id_at(items, id_at(own, 2 * i)), user % 9);
      assert_true(user % 3 == 0 ? id_at(own, 2 * i + 1) == -1
                                : id_at(items, id_at(own, 2 * i + 1)) == 8);
    }
    gls_tensor_release(own);
    gls_tensor_release(items);
    gls_tensor_release(input);
  }
  assert_int_equal(seen, 12);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static void options_that_cannot_be(void **state) {
  (void)state;
  gls_dataset_t *const csc = make_bipartite(ctx, 12, 9);
  gls_sampler_t *sampler = NULL;
#define REFUSED_OF(dataset, code, argument, change)                                \
  do {                                                                             \
    gls_supervision_t both[] = {supervision(LABELED, 2), supervision(LABELED, 2)}; \
    gls_sampler_options_t options = sampler_options(0);                            \
    options.supervisions = both;                                                   \
    options.num_supervisions = 1;                                                  \
    change;                                                                        \
    FAILS(code, argument, gls_sampler_create(dataset, &options, &sampler, &err));  \
    assert_null(sampler);                                                          \
  } while (0)
#define REFUSED(argument, change) REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, argument, change)
  REFUSED("supervisions", options.supervisions = NULL);
  REFUSED("supervisions", options.num_supervisions = 2);
  REFUSED("supervisions", both[0].max_labels = (1u << 28) + 1);
  REFUSED("supervisions", both[0].node_type = "item");
  REFUSED("supervisions", both[0] = given(NULL, "item"));
  REFUSED("supervisions", both[0] = given("", "item"));
  REFUSED("supervisions", both[0] = given("own", "item"); both[0].max_labels = 1);
  REFUSED("supervisions", both[0] = given("own", "item"); both[0].flags = GLS_SUPERVISION_SAMPLED);
  REFUSED("supervisions", both[1] = supervision("item__rev_likes__user", 1);
          options.num_supervisions = 2);
  REFUSED("role", both[0].role = 2);
  REFUSED_OF(shop, GLS_ERR_UNSUPPORTED, "flags", both[0].flags = 2);
  REFUSED_OF(shop, GLS_ERR_UNSUPPORTED, "reserved", both[0].reserved = 1);
  REFUSED_OF(shop, GLS_ERR_NOT_FOUND, "supervisions", both[0].edge_type = "a__b__c");
  REFUSED_OF(shop, GLS_ERR_NOT_FOUND, "supervisions", both[0] = given("own", "none"));
  REFUSED("type", both[0] = given("own", NULL));
  static const gls_negative_options_t negatives = {
      sizeof negatives, GLS_NEGATIVE_BINARY, 0, 0, 0, NULL, NULL, 0, 0};
  REFUSED("supervisions", options.negatives = &negatives);
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  walk.length = 2;
  REFUSED("supervisions", options.kind = GLS_SAMPLER_WALK; options.walk = &walk;
          options.num_fanouts = 0);
  const gls_fanout_t own[] = {{NULL, kTwoHops, 2}, {LABELED, kTwoHops, 2}};
  REFUSED("fanouts", options.fanouts = own; options.num_fanouts = 2);
  REFUSED("fanouts", options.fanouts = own; options.num_fanouts = 2; options.num_supervisions = 2;
          both[0].flags = GLS_SUPERVISION_SAMPLED; both[1].name = "only for labels");
  REFUSED_OF(csc, GLS_ERR_UNSUPPORTED, "supervisions", both[0].edge_type = "user__likes__item");
#undef REFUSED
#undef REFUSED_OF
  gls_dataset_release(csc);
}

static void requests_that_cannot_be(void **state) {
  (void)state;
  gls_supervision_t two[] = {supervision(LABELED, 8), given("own", "item")};
  gls_sampler_t *const sampler = anchored(shop, two, 2, 0);
  two[0] = supervision(LABELED, 1u << 28);
  gls_sampler_t *const wide = anchored(shop, two, 2, 0);
  gls_sampler_t *const plain = make_sampler(shop, 0);
  ID_VIEW(ids, 0, 1);
  int64_t values[] = {0, 1, 2, 3};
  const DLTensor rows = view_of(values, kInt64, 2, (const int64_t[]){2, 2});
  const DLTensor flat = view_of(values, kInt64, 1, (const int64_t[]){4});
  const DLTensor three = view_of(values, kInt64, 2, (const int64_t[]){3, 1});
  const DLTensor numbers = view_of(values, kFloat32, 2, (const int64_t[]){2, 2});
  gls_batch_t *batch = NULL;
#define REFUSED_OF(sampler, code, argument, change)                             \
  do {                                                                          \
    gls_seed_set_t seeds[] = {{"user", &ids}, {"item", &ids}};                  \
    const DLTensor *labels[] = {NULL, &rows};                                   \
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;                     \
    request.seeds = seeds;                                                      \
    request.num_seeds = 1;                                                      \
    request.labels = labels;                                                    \
    request.num_labels = 2;                                                     \
    change;                                                                     \
    FAILS(code, argument, gls_sampler_sample(sampler, &request, &batch, &err)); \
    assert_null(batch);                                                         \
  } while (0)
#define REFUSED(argument, change) REFUSED_OF(sampler, GLS_ERR_INVALID_ARGUMENT, argument, change)
  REFUSED("labels", request.num_labels = 0);
  REFUSED("labels", request.num_labels = 1);
  REFUSED("labels", request.num_labels = SIZE_MAX);
  REFUSED("labels", request.labels = NULL);
  REFUSED("labels", labels[1] = NULL);
  REFUSED("labels", labels[0] = &rows);
  REFUSED("labels", labels[1] = &flat);
  REFUSED("labels", labels[1] = &three);
  REFUSED("labels", labels[1] = &numbers);
  values[3] = 9;
  REFUSED("labels", (void)0);
  values[3] = -2;
  REFUSED("labels", (void)0);
  values[3] = 3;
  REFUSED("seeds", request.num_seeds = 2);
  REFUSED("seeds", seeds[0].node_type = "item");
  REFUSED("labels", request.num_seeds = 0);
  const DLTensor *const times[] = {&ids};
  REFUSED("times", request.times = times);
  gls_link_set_t links = GLS_LINK_SET_INIT;
  links.edge_type = LABELED;
  links.links = &ids;
  REFUSED("links", request.num_seeds = 0; request.links = &links);
  ID_VIEW(many, 0, 1, 2, 3, 4, 5, 6, 7, 8);
  REFUSED_OF(wide, GLS_ERR_UNSUPPORTED, "supervisions", seeds[0].ids = &many; int64_t all[9] = {0};
             const DLTensor own = view_of(all, kInt64, 2, (const int64_t[]){9, 1});
             labels[1] = &own);
  REFUSED_OF(plain, GLS_ERR_INVALID_ARGUMENT, "labels", (void)0);
  ID_VIEW(outside, 0, 12);
  REFUSED("seeds", seeds[0].ids = &outside);
#undef REFUSED
#undef REFUSED_OF
  gls_sampler_release(plain);
  gls_sampler_release(wide);
  gls_sampler_release(sampler);
}

static void loaders_that_cannot_be(void **state) {
  (void)state;
  const gls_supervision_t two[] = {supervision(LABELED, 2), given("own", "item")};
  gls_sampler_t *const sampler = anchored(shop, two, 2, 0);
  int64_t values[12] = {0};
  gls_tensor_t *const own = copied(values, kInt64, 2, (const int64_t[]){12, 1});
  gls_tensor_t *const few = copied(values, kInt64, 2, (const int64_t[]){6, 2});
  values[11] = 9;
  gls_tensor_t *const outside = copied(values, kInt64, 2, (const int64_t[]){12, 1});
  gls_loader_t *loader = NULL;
#define REFUSED(argument, change)                                     \
  do {                                                                \
    gls_tensor_t *labels[] = {NULL, own};                             \
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;           \
    options.anchor_labels = labels;                                   \
    options.num_anchor_labels = 2;                                    \
    change;                                                           \
    FAILS(GLS_ERR_INVALID_ARGUMENT, argument,                         \
          gls_loader_create(sampler, NULL, &options, &loader, &err)); \
    assert_null(loader);                                              \
  } while (0)
  REFUSED("node_type", options.node_type = "item");
  REFUSED("edge_type", options.edge_type = LABELED);
  REFUSED("anchor_labels", options.num_anchor_labels = 0);
  REFUSED("anchor_labels", options.num_anchor_labels = 1);
  REFUSED("anchor_labels", options.num_anchor_labels = SIZE_MAX);
  REFUSED("anchor_labels", options.anchor_labels = NULL);
  REFUSED("anchor_labels", labels[1] = NULL);
  REFUSED("anchor_labels", labels[0] = few);
  REFUSED("anchor_labels", labels[0] = own);
  REFUSED("anchor_labels", labels[1] = few);
  REFUSED("anchor_labels", labels[1] = outside);
#undef REFUSED
  gls_tensor_release(outside);
  gls_tensor_release(few);
  gls_tensor_release(own); /* none of them was taken */
  gls_sampler_release(sampler);
}

/* Memory that its owner changes after the dataset was built: wrong, but no reason to read outside.
 */
static void damage(void **state) {
  (void)state;
  int64_t indptr[] = {0, 2, 4, 6, 7};
  int32_t indices[] = {1, 2, 0, 2, 0, 3, 2};
  const int64_t five = 5;
  const int64_t seven = 7;
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_topology(builder, "a__b__a", GLS_LAYOUT_CSR,
                              wrapped(indptr, kInt64, 1, &five, NULL),
                              wrapped(indices, kInt32, 1, &seven, NULL), NULL, &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  const int64_t anchors[] = {2};
  const int64_t shape = 1;
  const DLTensor view = view_of((void *)anchors, kInt64, 1, &shape);
  const gls_seed_set_t seeds = {NULL, &view};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  for (uint32_t most = 0; most < 3; ++most) {
    const gls_supervision_t one = supervision("a__b__a", most);
    gls_sampler_t *const sampler = anchored(dataset, &one, 1, 0); /* needs no CSC */
    gls_batch_t *batch = NULL;
#define MET(change, back)                                                                   \
  do {                                                                                      \
    change;                                                                                 \
    FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_sampler_sample(sampler, &request, &batch, &err)); \
    back;                                                                                   \
  } while (0)
    MET(indptr[3] = 1 << 20, indptr[3] = 6);
    MET(indptr[2] = -4, indptr[2] = 4);
    MET(indptr[3] = 3, indptr[3] = 6);
    MET(indices[4] = indices[5] = 4, (indices[4] = 0, indices[5] = 3));
    MET(indices[4] = indices[5] = -1, (indices[4] = 0, indices[5] = 3));
#undef MET
    assert_null(batch);
    OK(gls_sampler_sample(sampler, &request, &batch, &err));
    gls_batch_release(batch);
    gls_sampler_release(sampler);
  }
  gls_dataset_release(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loaded_anchors),
      cmocka_unit_test(the_same_everywhere),
      cmocka_unit_test(typed),
      cmocka_unit_test(given_to_a_loader),
      cmocka_unit_test(options_that_cannot_be),
      cmocka_unit_test(requests_that_cannot_be),
      cmocka_unit_test(loaders_that_cannot_be),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
