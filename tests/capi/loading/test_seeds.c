/* Seeds that are drawn or taken by clusters, GraphSAINT's batches and norms, Cluster-GCN's batches;
 * every option that is refused. */
#include "graph_fixture.h"
#include "sampling_checks.h"

#define NODES 40
#define DEGREE 3
#define EDGES (NODES * DEGREE)

static int set_up(void **state) {
  (void)state;
  return set_up_ring_and_shop(3, NODES, DEGREE, 12, 9);
}

static gls_sampler_t *induced(gls_dataset_t *dataset, uint32_t flags) {
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.subgraph = GLS_SUBGRAPH_INDUCED;
  options.flags = flags;
  return create_sampler(dataset, &options);
}
static gls_loader_options_t drawn(uint32_t batch_size, uint64_t batches) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.seed_rule = GLS_SEEDS_DRAW;
  options.batch_size = batch_size;
  options.batches = batches;
  return options;
}
static gls_tensor_t *clusters_of(int64_t count, int64_t parts) {
  int64_t *const values = malloc((size_t)(count + 1) * sizeof *values);
  assert_non_null(values);
  for (int64_t v = 0; v < count; ++v) {
    values[v] = v % parts;
  }
  gls_tensor_t *const out = ids32((size_t)count, values);
  free(values);
  return out;
}

/* Of any batch: its edges are all those of the ring between its nodes. */
static void check_induced(const gls_batch_t *batch) {
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, NULL, NULL);
  gls_tensor_t *const col = batch_array(batch, GLS_BATCH_COL, NULL, NULL);
  gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
  bool in[NODES] = {false};
  for (int64_t i = 0; i < tensor_elements(node); ++i) {
    assert_false(in[id_at(node, i)]);
    in[id_at(node, i)] = true;
  }
  int64_t expected = 0;
  for (int64_t v = 0; v < NODES; ++v) {
    for (int64_t j = 0; j < DEGREE; ++j) {
      expected += in[v] && in[(v + 1 + j) % NODES];
    }
  }
  assert_int_equal(tensor_elements(edge), expected);
  for (int64_t i = 0; i < expected; ++i) {
    const int64_t e = id_at(edge, i);
    assert_int_equal(id_at(node, id_at(col, i)), e / DEGREE);
    assert_int_equal(id_at(node, id_at(row, i)), (e / DEGREE + 1 + e % DEGREE) % NODES);
  }
  RELEASE_TENSORS(node, row, col, edge);
}

static void drawn_nodes(void **state) {
  (void)state;
  gls_sampler_t *const sampler = induced(ring, GLS_SAMPLE_EDGE_IDS);
  uint64_t digests[2][16] = {{0}};
  for (uint32_t round = 0; round < 2; ++round) {
    gls_loader_options_t options = drawn(11, 9);
    options.seed_law = GLS_LAW_DEGREE;
    options.num_workers = 1 + 2 * round;
    gls_loader_t *const loader = make_loader(sampler, &options);
    gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
    OK(gls_loader_get_info(loader, &info, &err));
    assert_int_equal(info.num_seeds, NODES);
    assert_int_equal(info.num_batches, 9);
    assert_int_equal(info.batch_size, 11);
    assert_int_equal(drain(loader, digests[round], 16), 9);
    OK(gls_loader_seek(loader, 3, &err));
    for (uint64_t b = 0; b < 9; ++b) {
      gls_batch_t *const batch = next_batch(loader);
      gls_batch_t *alone = NULL;
      OK(gls_loader_sample(loader, 3, b, &alone, &err));
      assert_int_equal(batch_digest(batch), batch_digest(alone));
      gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
      assert_int_equal(tensor_elements(input), 11);
      gls_tensor_release(input);
      check_induced(batch);
      gls_batch_release(alone);
      gls_batch_release(batch);
    }
    gls_loader_release(loader);
  }
  assert_memory_equal(digests[0], digests[1], sizeof digests[0]);
  gls_sampler_release(sampler);
}

/* As GraphSAINT's edge sampler: links are drawn, and the edges are all between their ends. */
static void drawn_links(void **state) {
  (void)state;
  gls_sampler_t *const sampler = induced(ring, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = drawn(6, 0);
  options.edge_type = "node__to__node";
  options.seed_law = GLS_LAW_INVERSE_DEGREE;
  gls_loader_t *const loader = make_loader(sampler, &options);
  size_t count = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    check_induced(batch);
    gls_tensor_t *const source = batch_array(batch, GLS_BATCH_LINK_SOURCE, NULL, NULL);
    assert_int_equal(tensor_elements(source), 6);
    gls_tensor_release(source);
    ++count;
  }
  assert_int_equal(count, EDGES / 6);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static void walks_with_induced_edges(void **state) {
  (void)state;
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  walk.length = 5;
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.kind = GLS_SAMPLER_WALK;
  sampling.walk = &walk;
  sampling.subgraph = GLS_SUBGRAPH_INDUCED;
  sampling.flags = GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_INT32;
  gls_sampler_t *sampler = create_sampler(ring, &sampling);
  gls_loader_options_t options = drawn(4, 12);
  gls_loader_t *const loader = make_loader(sampler, &options);
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    check_induced(batch);
    gls_tensor_t *const walks = batch_array(batch, GLS_BATCH_WALK, NULL, NULL);
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
    gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
    assert_int_equal(walks->dl_tensor.shape[0], 4);
    assert_int_equal(tensor_elements(counts), 2);
    assert_int_equal(id_at(counts, 0) + id_at(counts, 1), tensor_elements(node));
    assert_int_equal(x->dl_tensor.shape[0], tensor_elements(node));
    RELEASE_TENSORS(walks, node, counts, x);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  /* Edges of types that are not walked are reported, too, and so need the layout. */
  static const char *const path[] = {"user__likes__item"};
  walk.path = path;
  walk.path_length = 1;
  walk.length = 1;
  sampler = create_sampler(shop, &sampling);
  ID_VIEW(ids, 0, 1, 2, 3);
  const gls_seed_set_t seeds = {"item", &ids};
  const gls_sample_request_t request = seed_request(&seeds);
  gls_batch_t *batch = NULL;
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  static const char *const types[] = {"user__likes__item", "item__rev_likes__user"};
  int64_t edges[2];
  for (size_t t = 0; t < 2; ++t) {
    gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, types[t], NULL);
    edges[t] = tensor_elements(row);
    gls_tensor_release(row);
  }
  assert_true(edges[0] >= 4);
  assert_int_equal(edges[0], edges[1]);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

static void by_clusters(void **state) {
  (void)state;
  gls_sampler_t *const sampler = induced(ring, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.seed_rule = GLS_SEEDS_CLUSTER;
  options.batch_size = 3;
  options.flags = GLS_LOADER_SHUFFLE;
  options.clusters = clusters_of(NODES, 8);
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  OK(gls_loader_get_info(loader, &info, &err));
  assert_int_equal(info.num_batches, 3);
  assert_int_equal(info.num_seeds, NODES);
  int seen[NODES] = {0};
  char saved[GLS_LOADER_STATE_MAX];
  uint64_t second = 0;
  for (int b = 0; b < 3; ++b) {
    gls_batch_t *const batch = next_batch(loader);
    check_induced(batch);
    gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
    assert_int_equal(tensor_elements(input), b < 2 ? 15 : 10);
    for (int64_t i = 0; i < tensor_elements(input); ++i) {
      ++seen[id_at(input, i)];
      if (i % 5 != 0) { /* a cluster of five, ascending */
        assert_int_equal(id_at(input, i), id_at(input, i - 1) + 8);
      }
    }
    gls_tensor_release(input);
    if (b == 0) {
      OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
    }
    second = b == 1 ? batch_digest(batch) : second;
    gls_batch_release(batch);
  }
  for (size_t v = 0; v < NODES; ++v) {
    assert_int_equal(seen[v], 1);
  }
  OK(gls_loader_restore(loader, saved, &err));
  gls_batch_t *const again = next_batch(loader);
  assert_int_equal(batch_digest(again), second);
  gls_batch_release(again);
  /* Other clusters, or none, are another order. */
  options.clusters = clusters_of(NODES, 7);
  gls_loader_t *const other = make_loader(sampler, &options);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "state", gls_loader_restore(other, saved, &err));
  gls_loader_release(other);
  gls_loader_options_t plain = GLS_LOADER_OPTIONS_INIT;
  plain.batch_size = 3;
  plain.flags = GLS_LOADER_SHUFFLE;
  gls_loader_t *const ordered = make_loader(sampler, &plain);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "state", gls_loader_restore(ordered, saved, &err));
  gls_loader_release(ordered);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* A state names what is drawn by. */
static void resumed_draws(void **state) {
  (void)state;
  gls_sampler_t *const sampler = induced(ring, 0);
  gls_loader_options_t options = drawn(5, 6);
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_release(next_batch(loader));
  char saved[GLS_LOADER_STATE_MAX];
  OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
  gls_batch_t *const batch = next_batch(loader);
  options.num_workers = 1;
  gls_loader_t *const same = make_loader(sampler, &options);
  OK(gls_loader_restore(same, saved, &err));
  gls_batch_t *const again = next_batch(same);
  assert_int_equal(batch_digest(batch), batch_digest(again));
  gls_batch_release(batch);
  gls_batch_release(again);
  options.seed_law = GLS_LAW_DEGREE;
  gls_loader_t *const other = make_loader(sampler, &options);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "state", gls_loader_restore(other, saved, &err));
  options = drawn(5, 7);
  gls_loader_t *const longer = make_loader(sampler, &options);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "state", gls_loader_restore(longer, saved, &err));
  gls_loader_release(longer);
  gls_loader_release(other);
  gls_loader_release(same);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static int32_t count_calls(void *user_data, const char *stage, uint64_t done, uint64_t total,
                           const char *unit) {
  assert_string_equal(stage, "count");
  assert_true(unit != NULL && total > 0 && done > 0);
  return ++*(int *)user_data == 4;
}

/* The norms of batches that are counted here, too. */
static void norms(void **state) {
  (void)state;
  gls_sampler_t *const sampler = induced(ring, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = drawn(9, 4);
  gls_loader_t *const loader = make_loader(sampler, &options);
  double nodes[NODES] = {0};
  double edges[EDGES] = {0};
  double met = 0;
  uint64_t enough = 0;
  for (uint64_t k = 0; k < 10; ++k) {
    gls_batch_t *batch = NULL;
    OK(gls_loader_sample(loader, (UINT64_C(1) << 63) + 5 + k / 4, k % 4, &batch, &err));
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
    for (int64_t i = 0; i < tensor_elements(node); ++i) {
      ++nodes[id_at(node, i)];
    }
    for (int64_t i = 0; i < tensor_elements(edge); ++i) {
      ++edges[id_at(edge, i)];
    }
    met += (double)tensor_elements(node);
    enough = enough == 0 && met >= 1.5 * NODES ? k + 1 : enough;
    gls_tensor_release(node);
    gls_tensor_release(edge);
    gls_batch_release(batch);
  }
  gls_norm_options_t counting = GLS_NORM_OPTIONS_INIT;
  counting.epoch = 5;
  counting.batches = 10;
  gls_tensor_t *node_norm = NULL;
  gls_tensor_t *edge_norm = NULL;
  OK(gls_loader_saint_norms(loader, &counting, &node_norm, &edge_norm, &err));
  assert_int_equal(tensor_elements(node_norm), NODES);
  assert_int_equal(tensor_elements(edge_norm), EDGES);
  const float *const of_nodes = tensor_data(node_norm);
  const float *const of_edges = tensor_data(edge_norm);
  for (size_t v = 0; v < NODES; ++v) {
    const double count = nodes[v] == 0 ? 0.1 : nodes[v];
    assert_true(of_nodes[v] == (float)(10 / count / NODES));
  }
  bool some = false;
  for (size_t e = 0; e < EDGES; ++e) {
    const double target = nodes[e / DEGREE];
    const double norm = edges[e] > 0 ? target / edges[e] : target > 0 ? 10000 : 0.1;
    assert_true(of_edges[e] == (float)norm);
    some |= edges[e] > 0;
  }
  assert_true(some);
  gls_tensor_release(node_norm);
  /* One of the two alone, and until enough nodes were met. */
  gls_tensor_t *alone = NULL;
  OK(gls_loader_saint_norms(loader, &counting, NULL, &alone, &err));
  assert_memory_equal(tensor_data(alone), of_edges, EDGES * sizeof(float));
  gls_tensor_release(alone);
  gls_tensor_release(edge_norm);
  assert_true(enough > 1);
  gls_tensor_t *by_number = NULL;
  gls_tensor_t *by_coverage = NULL;
  counting.batches = enough;
  OK(gls_loader_saint_norms(loader, &counting, &by_number, NULL, &err));
  counting.batches = 0;
  counting.coverage = 1.5;
  OK(gls_loader_saint_norms(loader, &counting, &by_coverage, NULL, &err));
  assert_memory_equal(tensor_data(by_number), tensor_data(by_coverage), NODES * sizeof(float));
  gls_tensor_release(by_number);
  gls_tensor_release(by_coverage);
  /* Stopped on the way; refused. */
  int calls = 0;
  counting.progress = count_calls;
  counting.progress_user_data = &calls;
  gls_tensor_t *none = NULL;
  FAILS(GLS_ERR_CANCELED, NULL, gls_loader_saint_norms(loader, &counting, &none, NULL, &err));
  assert_int_equal(calls, 4);
  counting = (gls_norm_options_t)GLS_NORM_OPTIONS_INIT;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "node_norm",
        gls_loader_saint_norms(loader, &counting, NULL, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader",
        gls_loader_saint_norms(NULL, &counting, &none, NULL, &err));
  counting.coverage = -1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "coverage",
        gls_loader_saint_norms(loader, &counting, &none, NULL, &err));
  counting.coverage = 0;
  counting.batches = UINT64_C(1) << 32;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batches",
        gls_loader_saint_norms(loader, &counting, &none, NULL, &err));
  counting.batches = 0;
  counting.node_type = "cheese";
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_loader_saint_norms(loader, &counting, &none, NULL, &err));
  counting.node_type = NULL;
  counting.struct_size = 3;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options",
        gls_loader_saint_norms(loader, &counting, &none, NULL, &err));
  OK(gls_loader_saint_norms(loader, NULL, &none, NULL, &err)); /* one epoch */
  gls_tensor_release(none);
  none = NULL;
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  gls_sampler_t *const no_ids = induced(ring, 0);
  gls_loader_t *const blind = make_loader(no_ids, &options);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edge_norm",
        gls_loader_saint_norms(blind, NULL, NULL, &none, &err));
  gls_loader_release(blind);
  /* Nothing to count. */
  gls_loader_options_t empty = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *idle = NULL;
  OK(gls_loader_create(no_ids, ids64(0, NULL), &empty, &idle, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_saint_norms(idle, NULL, &none, NULL, &err));
  gls_loader_release(idle);
  gls_sampler_release(no_ids);
  /* Nodes of another type than are met. */
  gls_sampler_t *const users = induced(shop, 0);
  gls_loader_options_t of_users = drawn(3, 2);
  of_users.node_type = "user";
  gls_loader_t *const few = make_loader(users, &of_users);
  counting = (gls_norm_options_t)GLS_NORM_OPTIONS_INIT;
  counting.node_type = "item";
  counting.coverage = 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "node_type",
        gls_loader_saint_norms(few, &counting, &none, NULL, &err));
  assert_null(none);
  gls_loader_release(few);
  gls_sampler_release(users);
}

static void options_that_cannot_be(void **state) {
  (void)state;
  gls_sampler_t *const sampler = induced(ring, 0);
  gls_loader_t *loader = NULL;
#define REFUSED_AS(code, argument, change)                                            \
  do {                                                                                \
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;                           \
    change;                                                                           \
    FAILS(code, argument, gls_loader_create(sampler, NULL, &options, &loader, &err)); \
    assert_null(loader);                                                              \
    gls_tensor_release(options.clusters);                                             \
  } while (0)
#define REFUSED(argument, change) REFUSED_AS(GLS_ERR_INVALID_ARGUMENT, argument, change)
#define DRAWN options.seed_rule = GLS_SEEDS_DRAW
#define CLUSTERED options.seed_rule = GLS_SEEDS_CLUSTER
  REFUSED("seed_rule", options.seed_rule = 3);
  REFUSED("seed_law", DRAWN; options.seed_law = 3);
  REFUSED("seed_law", options.seed_law = GLS_LAW_DEGREE);
  REFUSED("seed_weight", options.seed_weight = "y");
  REFUSED("batches", options.batches = 1);
  REFUSED("cluster", options.cluster = "y");
  REFUSED("clusters", DRAWN; options.clusters = clusters_of(NODES, 2));
  REFUSED("batches", CLUSTERED; options.cluster = "y"; options.batches = 2);
  REFUSED("flags", DRAWN; options.flags = GLS_LOADER_SHUFFLE);
  REFUSED("flags", DRAWN; options.flags = GLS_LOADER_DROP_LAST);
  REFUSED("batches", DRAWN; options.batches = (UINT64_C(1) << 32) + 1);
  REFUSED("seed_law", DRAWN; options.seed_law = GLS_LAW_INVERSE_DEGREE);
  REFUSED("seed_law", DRAWN; options.edge_type = "node__to__node";
          options.seed_law = GLS_LAW_DEGREE);
  REFUSED("seed_law", DRAWN; options.seed_law = GLS_LAW_DEGREE; options.seed_weight = "y");
  REFUSED_AS(GLS_ERR_NOT_FOUND, "seed_weight", DRAWN; options.seed_weight = "cheese");
  REFUSED("seed_weight", DRAWN; options.seed_weight = "x"); /* three numbers per node */
  REFUSED("cluster", CLUSTERED);
  REFUSED("cluster", CLUSTERED; options.cluster = "y"; options.clusters = clusters_of(NODES, 2));
  REFUSED_AS(GLS_ERR_NOT_FOUND, "cluster", CLUSTERED; options.cluster = "cheese");
  REFUSED("cluster", CLUSTERED; options.cluster = "x");
  REFUSED("clusters", CLUSTERED; options.clusters = clusters_of(NODES - 1, 2));
  REFUSED("clusters", CLUSTERED; options.clusters = floats(NODES, 0, (const float[NODES]){0}));
  REFUSED("seed_rule", CLUSTERED; options.clusters = clusters_of(NODES, 2);
          options.edge_type = "node__to__node");
#undef REFUSED
#undef REFUSED_AS
  gls_loader_options_t options = drawn(2, 0);
  options.edge_type = "node__to__node";
  options.seed_law = GLS_LAW_INVERSE_DEGREE;
  static const int64_t ends[] = {0, 1, 1, 2};
  static const int64_t shape[] = {2, 2};
  gls_tensor_t *const pairs = copied(ends, kInt64, 2, shape);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seed_law",
        gls_loader_create(sampler, pairs, &options, &loader, &err));
  gls_tensor_release(pairs);
  options = drawn(2, 1);
  gls_tensor_t *const nobody = ids64(0, NULL);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seed_rule",
        gls_loader_create(sampler, nobody, &options, &loader, &err));
  gls_tensor_release(nobody);
  assert_null(loader);
  gls_sampler_release(sampler);
}

/* Users and items of one order: each once, by type, with the local ids that go with them. */
static void several_types(void **state) {
  (void)state;
  static const int64_t users[] = {3, 11, 0, 7, 5};
  gls_sampler_t *const sampler = make_sampler(shop, 0);
  int seen_users[5] = {0};
  int seen_items[9] = {0};
  char saved[GLS_LOADER_STATE_MAX];
  for (int resumed = 0; resumed < 2; ++resumed) {
    gls_loader_seeds_t sets[2] = {{"item", NULL, NULL, NULL, NULL, NULL},
                                  {"user", NULL, NULL, ids64(5, users), NULL, NULL}};
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.flags = GLS_LOADER_SHUFFLE;
    options.batch_size = 4;
    options.seed_sets = sets;
    options.num_seed_sets = 2;
    gls_loader_t *loader = NULL;
    OK(gls_loader_create(sampler, NULL, &options, &loader, &err));
    gls_loader_info_t info = {.struct_size = sizeof info};
    OK(gls_loader_get_info(loader, &info, &err));
    assert_int_equal(info.num_seeds, 14);
    assert_int_equal(info.num_batches, 4);
    if (resumed) {
      OK(gls_loader_restore(loader, saved, &err));
    }
    int64_t batches = 0;
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
      int64_t in_all = 0;
      for (int t = 0; t < 2; ++t) {
        const char *const type = t == 0 ? "user" : "item";
        gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, type, NULL);
        gls_tensor_t *const seed = batch_array(batch, GLS_BATCH_SEED, type, NULL);
        gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, type, NULL);
        assert_int_equal(tensor_elements(seed), tensor_elements(input));
        for (int64_t i = 0; i < tensor_elements(input); ++i) {
          const int64_t at = id_at(input, i);
          assert_int_equal(id_at(node, id_at(seed, i)), t == 0 ? users[at] : at);
          ++(t == 0 ? seen_users : seen_items)[at];
        }
        in_all += tensor_elements(input);
        gls_tensor_release(input);
        gls_tensor_release(seed);
        gls_tensor_release(node);
      }
      ++batches;
      assert_int_equal(in_all, batches + (resumed ? 2 : 0) < 4 ? 4 : 2);
      if (!resumed && batches == 2) {
        OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
        gls_batch_release(batch);
        break;
      }
    }
    assert_int_equal(batches, 2);
    gls_loader_release(loader);
  }
  for (int i = 0; i < 9; ++i) {
    assert_int_equal(seen_items[i], 1);
    assert_true(i >= 5 || seen_users[i] == 1);
  }
  gls_sampler_release(sampler);
}

static void several_types_that_cannot_be(void **state) {
  (void)state;
  static const int64_t ids[] = {1, 2};
  gls_sampler_t *const sampler = make_sampler(shop, 0);
  gls_loader_t *loader = NULL;
#define REFUSED(code, argument, change)                                                \
  do {                                                                                 \
    gls_loader_seeds_t sets[2] = {{"item", NULL, NULL, NULL, NULL, NULL},              \
                                  {"user", NULL, NULL, NULL, NULL, NULL}};             \
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;                            \
    gls_tensor_t *seeds = NULL;                                                        \
    options.seed_sets = sets;                                                          \
    options.num_seed_sets = 2;                                                         \
    change;                                                                            \
    FAILS(code, argument, gls_loader_create(sampler, seeds, &options, &loader, &err)); \
    assert_null(loader);                                                               \
    gls_tensor_release(seeds);                                                         \
    gls_tensor_release(options.times);                                                 \
    for (int i = 0; i < 2; ++i) { /* given back, and still those of the caller */      \
      gls_tensor_release(sets[i].ids);                                                 \
      gls_tensor_release(sets[i].times);                                               \
      gls_tensor_release(sets[i].labels);                                              \
    }                                                                                  \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seeds", seeds = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "node_type", options.node_type = "user");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "id_set", options.id_set = "train");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "edge_type", options.edge_type = "user__likes__item");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "times", options.times = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "times", sets[0].ids = ids64(2, ids);
          sets[1].times = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "labels", sets[1].labels = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seed_sets", options.seed_sets = NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seed_sets", sets[1].node_type = "item");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seed_sets", sets[1].edge_type = "user__likes__item");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seed_sets", sets[1].node_type = NULL;
          sets[1].edge_type = "user__likes__item");
  REFUSED(GLS_ERR_NOT_FOUND, NULL, sets[1].node_type = "none");
  REFUSED(GLS_ERR_NOT_FOUND, "id_set", sets[1].id_set = "none");
  const gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  REFUSED(GLS_ERR_UNSUPPORTED, "pad", options.pad = &pad);
  REFUSED(GLS_ERR_UNSUPPORTED, "seed_rule", options.seed_rule = GLS_SEEDS_DRAW);
  REFUSED(GLS_ERR_UNSUPPORTED, "made_by", options.made_by = GLS_MADE_BY_SERVERS);
#undef REFUSED
  gls_sampler_release(sampler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drawn_nodes),
      cmocka_unit_test(drawn_links),
      cmocka_unit_test(walks_with_induced_edges),
      cmocka_unit_test(by_clusters),
      cmocka_unit_test(resumed_draws),
      cmocka_unit_test(norms),
      cmocka_unit_test(options_that_cannot_be),
      cmocka_unit_test(several_types),
      cmocka_unit_test(several_types_that_cannot_be),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
