/* Times and subgraphs: what the conformance vectors cannot say, as types of columns, times
 * of loaders, errors. */
#include "graph_fixture.h"
#include "sampling_checks.h"

#define NODES 100
#define DEGREE 5

/* Node v of the ring has the time v % 50, edge e the time e % 7. */
static int set_up(void **state) {
  (void)state;
  ctx = make_context(3);
  gls_builder_t *const builder = ring_builder(ctx, NODES, DEGREE);
  static int64_t of_edges[NODES * DEGREE];
  static int32_t of_nodes[NODES];
  static int8_t bytes[NODES * DEGREE];
  static uint32_t words[NODES * DEGREE];
  static uint64_t unsigned_times[NODES * DEGREE];
  for (int i = 0; i < NODES * DEGREE; ++i) {
    of_edges[i] = i % 7;
    bytes[i] = (int8_t)(i % 7 - 128);
    words[i] = UINT32_MAX - (uint32_t)(i % 7);
  }
  for (int v = 0; v < NODES; ++v) {
    of_nodes[v] = v % 50;
  }
  static const DLDataType byte = {kDLInt, 8, 1};
  static const DLDataType word = {kDLUInt, 32, 1};
  static const DLDataType wide = {kDLUInt, 64, 1};
  static const DLDataType narrow = {kDLInt, 32, 1};
  static const int64_t edges = NODES * DEGREE;
  static const int64_t nodes = NODES;
  const struct {
    const char *name;
    void *data;
    DLDataType dtype;
  } columns[] = {{"time", of_edges, kInt64},
                 {"bytes", bytes, byte},
                 {"words", words, word},
                 {"unsigned", unsigned_times, wide}};
  for (size_t i = 0; i < COUNT_OF(columns); ++i) {
    OK(gls_builder_add_edge_column(builder, RING_TYPE, columns[i].name, GLS_ROLE_TIME,
                                   wrapped(columns[i].data, columns[i].dtype, 1, &edges, NULL),
                                   &err));
  }
  OK(gls_builder_add_node_column(builder, "node", "time", GLS_ROLE_TIME,
                                 wrapped(of_nodes, narrow, 1, &nodes, NULL), &err));
  ring = finish_builder(builder, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
  return 0;
}

static const int64_t kAll[] = {-1};
static const gls_fanout_t kOneHop[] = {{NULL, kAll, 1}};

static gls_sampler_options_t by_times(const char *node_time, const char *edge_time) {
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  options.fanouts = kOneHop;
  options.node_time = node_time;
  options.edge_time = edge_time;
  return options;
}
static gls_status_t sample_at(const gls_sampler_t *sampler, int64_t seed, int64_t time,
                              gls_batch_t **batch) {
  const int64_t one = 1;
  const DLTensor ids = view_of(&seed, kInt64, 1, &one);
  const DLTensor times = view_of(&time, kInt64, 1, &one);
  const DLTensor *const all_times[] = {&times};
  const gls_seed_set_t seeds = {NULL, &ids};
  gls_sample_request_t request = seed_request(&seeds);
  request.times = all_times;
  return gls_sampler_sample(sampler, &request, batch, NULL);
}
/* How many edges a node of degree 5 has for a seed of that time. */
static int64_t edges_at(const gls_sampler_t *sampler, int64_t seed, int64_t time) {
  gls_batch_t *batch = NULL;
  assert_int_equal(sample_at(sampler, seed, time, &batch), GLS_OK);
  gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
  const int64_t count = tensor_elements(edge);
  gls_tensor_release(edge);
  gls_batch_release(batch);
  return count;
}

/* The same times written in other types give the same edges. */
static void types_of_columns(void **state) {
  (void)state;
  gls_sampler_options_t options = by_times(NULL, "time");
  gls_sampler_t *const wide = create_sampler(ring, &options);
  options = by_times(NULL, "bytes");
  gls_sampler_t *const bytes = create_sampler(ring, &options);
  options = by_times(NULL, "words");
  gls_sampler_t *const words = create_sampler(ring, &options);
  for (int64_t seed = 0; seed < NODES; ++seed) {
    for (int64_t time = -1; time < 8; ++time) {
      const int64_t count = edges_at(wide, seed, time);
      assert_int_equal(edges_at(bytes, seed, time - 128), count);
      /* These descend where the others ascend: later than t are those up to t. */
      const int64_t late = edges_at(words, seed, (int64_t)UINT32_MAX - time - 1);
      assert_int_equal(late + count, DEGREE);
    }
    assert_int_equal(edges_at(wide, seed, INT64_MAX), DEGREE);
    assert_int_equal(edges_at(wide, seed, INT64_MIN), 0);
  }
  gls_sampler_release(wide);
  gls_sampler_release(bytes);
  gls_sampler_release(words);
}

/* A window that reaches below the least number there is leaves nothing out. */
static void the_longest_window(void **state) {
  (void)state;
  gls_sampler_options_t options = by_times(NULL, "bytes");
  options.time_window = INT64_MAX;
  gls_sampler_t *const sampler = create_sampler(ring, &options);
  for (int64_t seed = 0; seed < NODES; seed += 9) {
    assert_int_equal(edges_at(sampler, seed, -120), DEGREE);
    assert_int_equal(edges_at(sampler, seed, INT64_MIN), 0);
    assert_int_equal(edges_at(sampler, seed, INT64_MAX), 0); /* 0 is the first in time */
  }
  gls_sampler_release(sampler);
}

static void options_that_do_not_fit(void **state) {
  (void)state;
  gls_sampler_t *sampler = NULL;
#define REFUSED(code, argument, change)                                        \
  do {                                                                         \
    gls_sampler_options_t options = by_times(NULL, "time");                    \
    change;                                                                    \
    FAILS(code, argument, gls_sampler_create(ring, &options, &sampler, &err)); \
    assert_null(sampler);                                                      \
  } while (0)
  REFUSED(GLS_ERR_NOT_FOUND, "edge_time", options.edge_time = "no such");
  REFUSED(GLS_ERR_NOT_FOUND, "node_time", options.node_time = "no such");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "edge_time", options.edge_time = "w");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "edge_time", options.edge_time = "f");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "edge_time", options.edge_time = "unsigned");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "node_time", options.node_time = "x");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "time_window", options.time_window = -1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "time_strategy", options.time_strategy = GLS_TIME_LAST;
          options.weight = "w");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "time_strategy", options.time_strategy = GLS_TIME_LAST;
          options.replace = GLS_REPLACE_ALWAYS);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "time_strategy", options.time_strategy = GLS_TIME_LAST;
          options.edge_time = NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "time_window", options.time_window = 1;
          options.edge_time = NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "flags", options.flags = GLS_SAMPLE_TIME_STRICT;
          options.edge_time = NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "fanouts", options.num_fanouts = 0);
#undef REFUSED
}

/* Also of a type that is never a neighbour, whose seeds would go by it. */
static void times_of_seeds_that_are_no_integers(void **state) {
  (void)state;
  static const int64_t source[] = {0, 1};
  static const int64_t target[] = {0, 1};
  static const int64_t of_users[] = {1, 2};
  static const float of_items[] = {2.5f, 1.5f};
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "user__likes__item", ids64(2, source), ids64(2, target), NULL,
                           &err));
  OK(gls_builder_add_node_column(builder, "user", "time", GLS_ROLE_TIME, ids64(2, of_users), &err));
  OK(gls_builder_add_node_column(builder, "item", "time", GLS_ROLE_TIME, floats(2, 0, of_items),
                                 &err));
  gls_dataset_t *const dataset = finish_builder(builder, GLS_LAYOUT_CSC);
  const gls_sampler_options_t options = by_times("time", NULL);
  gls_sampler_t *sampler = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "node_time",
        gls_sampler_create(dataset, &options, &sampler, &err));
  assert_null(sampler);
  gls_dataset_release(dataset);
}

static void requests_that_do_not_fit(void **state) {
  (void)state;
  const gls_sampler_options_t options = by_times(NULL, "time");
  gls_sampler_t *const timed = create_sampler(ring, &options);
  gls_sampler_t *const untimed = make_sampler(ring, 0);
  int64_t ids[] = {1, 2};
  int64_t one = 1;
  int64_t two = 2;
  const DLTensor view = view_of(ids, kInt64, 1, &two);
  const DLTensor few = view_of(ids, kInt64, 1, &one);
  const DLTensor *const right[] = {&view};
  const DLTensor *const short_one[] = {&few};
  const DLTensor *const none[] = {NULL};
  const gls_seed_set_t seeds = {NULL, &view};
  gls_sample_request_t request = seed_request(&seeds);
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times", gls_sampler_sample(timed, &request, &batch, &err));
  request.times = short_one;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times", gls_sampler_sample(timed, &request, &batch, &err));
  request.times = none;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times[]", gls_sampler_sample(timed, &request, &batch, &err));
  request.times = right;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times", gls_sampler_sample(untimed, &request, &batch, &err));
  assert_null(batch);
  OK(gls_sampler_sample(timed, &request, &batch, &err));
  gls_batch_release(batch);
  gls_sampler_release(timed);
  gls_sampler_release(untimed);
}

/* A loader hands each seed its time, in any order of the seeds. */
static void times_of_loaders(void **state) {
  (void)state;
  gls_sampler_options_t options = by_times("time", NULL);
  gls_sampler_t *const sampler = create_sampler(ring, &options);
  int64_t seeds[60];
  int64_t times[60];
  for (int i = 0; i < 60; ++i) {
    seeds[i] = (7 * i) % NODES;
    times[i] = 1000 - 10 * i;
  }
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 7;
  loading.flags = GLS_LOADER_SHUFFLE;
  for (int own = 0; own < 2; ++own) {
    loading.times = own == 0 ? ids64(60, times) : NULL;
    gls_loader_t *loader = NULL;
    OK(gls_loader_create(sampler, ids64(60, seeds), &loading, &loader, &err));
    int64_t seen = 0;
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
      gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
      gls_tensor_t *const seed_time = batch_array(batch, GLS_BATCH_SEED_TIME, NULL, NULL);
      assert_int_equal(tensor_elements(input), tensor_elements(seed_time));
      for (int64_t i = 0; i < tensor_elements(input); ++i, ++seen) {
        const int64_t at = id_at(input, i);
        assert_int_equal(id_at(seed_time, i), own == 0 ? times[at] : seeds[at] % 50);
      }
      gls_tensor_release(input);
      gls_tensor_release(seed_time);
    }
    assert_int_equal(seen, 60);
    gls_loader_release(loader);
  }
  gls_sampler_release(sampler);
}

static void times_that_loaders_refuse(void **state) {
  (void)state;
  gls_sampler_options_t options = by_times(NULL, "time");
  gls_sampler_t *const of_edges = create_sampler(ring, &options);
  gls_sampler_t *const untimed = make_sampler(ring, 0);
  static const int64_t times[NODES] = {0};
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *loader = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times",
        gls_loader_create(of_edges, NULL, &loading, &loader, &err));
  /* What is refused stays the caller's. */
  loading.times = ids64(NODES - 1, times);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times",
        gls_loader_create(of_edges, NULL, &loading, &loader, &err));
  gls_tensor_release(loading.times);
  loading.times = floats(NODES, 0, (const float *)times);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times",
        gls_loader_create(of_edges, NULL, &loading, &loader, &err));
  gls_tensor_release(loading.times);
  loading.times = ids64(NODES, times);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times",
        gls_loader_create(untimed, NULL, &loading, &loader, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times", /* one tensor cannot be taken twice */
        gls_loader_create(of_edges, loading.times, &loading, &loader, &err));
  assert_null(loader);
  OK(gls_loader_create(of_edges, NULL, &loading, &loader, &err));
  gls_loader_release(loader);
  gls_sampler_release(of_edges);
  gls_sampler_release(untimed);
}

/* Columns of edges are gathered for the edges reported, whichever those are. */
static void columns_of_induced_edges(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  options.num_fanouts = 0;
  options.fanouts = NULL;
  options.subgraph = GLS_SUBGRAPH_INDUCED;
  gls_sampler_t *const sampler = create_sampler(ring, &options);
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 20;
  gls_loader_t *const loader = make_loader(sampler, &loading);
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
    gls_tensor_t *const f = batch_array(batch, GLS_BATCH_EDGE_COLUMN, NULL, "f");
    gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_EDGES, NULL, NULL);
    /* 20 nodes in a row: each has 5 in-neighbours after it, of which the last few lack some. */
    assert_int_equal(tensor_elements(edge), 20 * DEGREE - DEGREE * (DEGREE + 1) / 2);
    assert_int_equal(tensor_elements(counts), 1);
    assert_int_equal(id_at(counts, 0), tensor_elements(edge));
    for (int64_t i = 0; i < tensor_elements(edge); ++i) {
      assert_true(((const float *)tensor_data(f))[2 * i] == (float)id_at(edge, i));
    }
    gls_tensor_release(edge);
    gls_tensor_release(f);
    gls_tensor_release(counts);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* A ring's reverse edges are no edges: their columns are those of the edges picked. */
static void columns_of_reverse_edges(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  options.fanouts = kOneHop;
  options.subgraph = GLS_SUBGRAPH_BIDIRECTIONAL;
  gls_sampler_t *const sampler = create_sampler(ring, &options);
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 1;
  gls_loader_t *const loader = make_loader(sampler, &loading);
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
    gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, NULL, NULL);
    gls_tensor_t *const col = batch_array(batch, GLS_BATCH_COL, NULL, NULL);
    gls_tensor_t *const f = batch_array(batch, GLS_BATCH_EDGE_COLUMN, NULL, "f");
    gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_EDGES, NULL, NULL);
    assert_int_equal(tensor_elements(edge), 2 * DEGREE);
    assert_int_equal(tensor_elements(counts), 1);
    assert_int_equal(id_at(counts, 0), 2 * DEGREE);
    for (int64_t i = 0; i < 2 * DEGREE; ++i) {
      /* First the picks, toward the seed, then one back to each neighbour. */
      assert_int_equal(id_at(i < DEGREE ? col : row, i), 0);
      assert_int_equal(id_at(i < DEGREE ? row : col, i), i % DEGREE + 1);
      assert_int_equal(id_at(edge, i), id_at(edge, i % DEGREE));
      assert_true(((const float *)tensor_data(f))[2 * i] == (float)id_at(edge, i));
    }
    gls_tensor_release(edge);
    gls_tensor_release(row);
    gls_tensor_release(col);
    gls_tensor_release(f);
    gls_tensor_release(counts);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* A node is drawn for a link only if it exists then: node v since v % 50. */
static void negatives_in_time(void **state) {
  (void)state;
  enum { kLinks = 60, kEach = 4 };
  int64_t links[kLinks];
  int64_t times[kLinks];
  for (int64_t i = 0; i < kLinks; ++i) {
    links[i] = 3 * i;
    times[i] = i % 20;
  }
  for (int strict = 0; strict < 2; ++strict) {
    for (int32_t mode = GLS_NEGATIVE_BINARY; mode <= GLS_NEGATIVE_TRIPLET; ++mode) {
      gls_negative_options_t negatives = GLS_NEGATIVE_OPTIONS_INIT;
      negatives.mode = mode;
      negatives.amount = kEach;
      negatives.flags = GLS_NEGATIVE_IN_TIME;
      gls_sampler_options_t options = by_times("time", NULL);
      options.flags |= strict ? GLS_SAMPLE_TIME_STRICT : 0u;
      options.negatives = &negatives;
      gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
      loading.edge_type = RING_TYPE;
      loading.batch_size = kLinks;
      for (int short_of = 0; short_of < 3; ++short_of) {
        negatives.flags = GLS_NEGATIVE_IN_TIME | (short_of == 1   ? GLS_NEGATIVE_OLDEST
                                                  : short_of == 2 ? GLS_NEGATIVE_ALLOW_SHORT
                                                                  : 0u);
        gls_sampler_t *const sampler = create_sampler(ring, &options);
        loading.times = ids64(kLinks, times);
        gls_loader_t *loader = NULL;
        OK(gls_loader_create(sampler, ids64(kLinks, links), &loading, &loader, &err));
        gls_batch_t *batch = NULL;
        if (strict && short_of == 0) { /* nothing exists before 0 */
          FAILS(GLS_ERR_NOT_FOUND, "links", gls_loader_next(loader, -1, &batch, &err));
        } else {
          OK(gls_loader_next(loader, -1, &batch, &err));
          const bool pairs = mode == GLS_NEGATIVE_BINARY;
          gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
          gls_tensor_t *const drawn = batch_array(
              batch, pairs ? GLS_BATCH_LINK_TARGET : GLS_BATCH_LINK_NEGATIVE, NULL, NULL);
          int64_t early = 0;
          const bool gaps = strict && short_of == 2;
          assert_true(pairs && gaps ? tensor_elements(drawn) < (1 + kEach) * kLinks
                                    : tensor_elements(drawn) == (pairs + kEach) * kLinks);
          for (int64_t i = pairs ? kLinks : 0; i < tensor_elements(drawn); ++i) {
            const int64_t local = id_at(drawn, i);
            if (local < 0) {
              assert_true(gaps && times[i / kEach] == 0);
            } else if (!(pairs && gaps)) {
              const int64_t since = id_at(node, local) % 50;
              const int64_t time = times[pairs ? i % kLinks : i / kEach];
              early += since > time || (strict && since == time);
              assert_true(since <= time && (!strict || since < time || time == 0));
            }
          }
          assert_int_equal(early > 0, strict && short_of == 1); /* the oldest at time 0 */
          gls_tensor_release(node);
          gls_tensor_release(drawn);
          gls_batch_release(batch);
        }
        gls_loader_release(loader);
        gls_sampler_release(sampler);
      }
    }
  }
  /* Times of edges say nothing of nodes. */
  gls_negative_options_t negatives = GLS_NEGATIVE_OPTIONS_INIT;
  negatives.mode = GLS_NEGATIVE_BINARY;
  negatives.flags = GLS_NEGATIVE_IN_TIME;
  gls_sampler_options_t options = by_times(NULL, "time");
  options.negatives = &negatives;
  gls_sampler_t *sampler = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "flags", gls_sampler_create(ring, &options, &sampler, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_of_columns),
      cmocka_unit_test(the_longest_window),
      cmocka_unit_test(options_that_do_not_fit),
      cmocka_unit_test(requests_that_do_not_fit),
      cmocka_unit_test(times_of_loaders),
      cmocka_unit_test(times_that_loaders_refuse),
      cmocka_unit_test(columns_of_induced_edges),
      cmocka_unit_test(columns_of_reverse_edges),
      cmocka_unit_test(times_of_seeds_that_are_no_integers),
      cmocka_unit_test(negatives_in_time),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
