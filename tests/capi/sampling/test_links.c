/* Loaders over links: which links make which batch, their labels and times, errors. */
#include "graph_fixture.h"
#include "sampling_checks.h"

#define NODES 100
#define DEGREE 5

static int set_up(void **state) {
  (void)state;
  return set_up_ring(3, NODES, DEGREE);
}

static gls_sampler_t *with_negatives(int32_t mode, uint32_t flags, double amount) {
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_EXCLUDE_LINKS);
  gls_negative_options_t negatives = GLS_NEGATIVE_OPTIONS_INIT;
  negatives.mode = mode;
  negatives.flags = flags;
  negatives.amount = amount;
  options.negatives = &negatives;
  return create_sampler(ring, &options);
}
static gls_loader_options_t of_links(uint32_t batch_size) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.edge_type = RING_TYPE;
  options.batch_size = batch_size;
  options.flags = GLS_LOADER_SHUFFLE;
  return options;
}
static bool is_edge(int64_t source, int64_t target) {
  const int64_t step = (source - target + NODES) % NODES;
  return step >= 1 && step <= DEGREE;
}

/* All edges once, each with its own ends, none sampled where it is a seed, no negative an edge. */
static void all_edges(void **state) {
  (void)state;
  gls_sampler_t *const sampler = with_negatives(GLS_NEGATIVE_BINARY, GLS_NEGATIVE_STRICT, 2);
  const gls_loader_options_t options = of_links(64);
  gls_loader_t *const loader = make_loader(sampler, &options);
  int seen[NODES * DEGREE] = {0};
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    gls_tensor_t *const source = batch_array(batch, GLS_BATCH_LINK_SOURCE, NULL, NULL);
    gls_tensor_t *const target = batch_array(batch, GLS_BATCH_LINK_TARGET, NULL, NULL);
    gls_tensor_t *const label = batch_array(batch, GLS_BATCH_LINK_LABEL, NULL, NULL);
    gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
    const int64_t links = tensor_elements(input);
    assert_int_equal(tensor_elements(source), 3 * links);
    assert_int_equal(tensor_elements(target), 3 * links);
    assert_int_equal(tensor_elements(label), 3 * links);
    for (int64_t i = 0; i < 3 * links; ++i) {
      const int64_t from = id_at(node, id_at(source, i));
      const int64_t to = id_at(node, id_at(target, i));
      assert_true(((const float *)tensor_data(label))[i] == (i < links ? 1.0f : 0.0f));
      assert_int_equal(is_edge(from, to), i < links);
      if (i < links) {
        const int64_t id = id_at(input, i);
        ++seen[id];
        assert_int_equal(to, id / DEGREE);
        assert_int_equal(from, (to + 1 + id % DEGREE) % NODES);
        for (int64_t e = 0; e < tensor_elements(edge); ++e) {
          assert_int_not_equal(id_at(edge, e), id);
        }
      }
    }
    RELEASE_TENSORS(input, node, source, target, label, edge);
  }
  for (size_t e = 0; e < COUNT_OF(seen); ++e) {
    assert_int_equal(seen[e], 1);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* Pairs of any width, with labels of their own, resumed in the middle. */
static void pairs_and_labels(void **state) {
  (void)state;
  gls_sampler_t *const sampler = with_negatives(GLS_NEGATIVE_TRIPLET, 0, 3);
  int32_t pairs[2 * 50];
  int64_t labels[50];
  for (int32_t i = 0; i < 50; ++i) {
    pairs[i] = (3 * i) % NODES;
    pairs[50 + i] = (7 * i) % NODES;
    labels[i] = 1000 + i;
  }
  static const DLDataType narrow = {kDLInt, 32, 1};
  const int64_t shape[] = {2, 50};
  gls_loader_options_t options = of_links(8);
  char saved[GLS_LOADER_STATE_MAX];
  for (int round = 0; round < 2; ++round) {
    options.labels = ids64(50, labels);
    gls_loader_t *loader = NULL;
    OK(gls_loader_create(sampler, wrapped(pairs, narrow, 2, shape, NULL), &options, &loader, &err));
    if (round == 1) {
      OK(gls_loader_restore(loader, saved, &err));
    }
    int64_t seen = 0;
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
      gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, RING_TYPE, NULL);
      gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
      gls_tensor_t *const source = batch_array(batch, GLS_BATCH_LINK_SOURCE, NULL, NULL);
      gls_tensor_t *const target = batch_array(batch, GLS_BATCH_LINK_TARGET, NULL, NULL);
      gls_tensor_t *const label = batch_array(batch, GLS_BATCH_LINK_LABEL, NULL, NULL);
      gls_tensor_t *const negative = batch_array(batch, GLS_BATCH_LINK_NEGATIVE, NULL, NULL);
      assert_int_equal(negative->dl_tensor.ndim, 2);
      assert_int_equal(negative->dl_tensor.shape[0], tensor_elements(input));
      assert_int_equal(negative->dl_tensor.shape[1], 3);
      for (int64_t i = 0; i < tensor_elements(input); ++i, ++seen) {
        const int64_t at = id_at(input, i);
        assert_int_equal(id_at(label, i), labels[at]);
        assert_int_equal(id_at(node, id_at(source, i)), pairs[at]);
        assert_int_equal(id_at(node, id_at(target, i)), pairs[50 + at]);
      }
      RELEASE_TENSORS(input, node, source, target, label, negative);
      if (round == 0 && seen == 24) {
        OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
      }
    }
    assert_int_equal(seen, round == 0 ? 50 : 26);
    gls_loader_release(loader);
  }
  gls_sampler_release(sampler);
}

/* Rows of labels of several columns and any type, padded rows among them; zeros for negatives. */
static void rows_of_labels(void **state) {
  (void)state;
  enum { kLinks = 30, kColumns = 3, kStride = 5 };
  static const struct {
    DLDataType dtype;
    int64_t bytes;
  } kinds[] = {{{kDLBool, 8, 1}, 1},   {{kDLInt, 8, 1}, 1},    {{kDLInt, 16, 1}, 2},
               {{kDLInt, 32, 1}, 4},   {{kDLInt, 64, 1}, 8},   {{kDLUInt, 8, 1}, 1},
               {{kDLFloat, 16, 1}, 2}, {{kDLFloat, 32, 1}, 4}, {{kDLFloat, 64, 1}, 8}};
  gls_sampler_t *const sampler = with_negatives(GLS_NEGATIVE_BINARY, 0, 2);
  int64_t links[kLinks];
  for (int64_t i = 0; i < kLinks; ++i) {
    links[i] = 7 * i;
  }
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const int64_t bytes = kinds[k].bytes;
    uint8_t stored[kLinks * kStride * 8];
    for (size_t i = 0; i < sizeof stored; ++i) {
      stored[i] = kinds[k].dtype.code == kDLBool ? i % 3 == 0 : (uint8_t)(1 + i % 251);
    }
    const int64_t shape[] = {kLinks, 1, kColumns};
    const int64_t strides[] = {kStride, kColumns, 1};
    DLTensor view = view_of(stored, kinds[k].dtype, 3, shape);
    view.strides = (int64_t *)(uintptr_t)strides;
    gls_loader_options_t options = of_links(7);
    OK(gls_tensor_wrap(&view, 1, NULL, NULL, &options.labels, &err));
    gls_loader_t *loader = NULL;
    OK(gls_loader_create(sampler, ids64(kLinks, links), &options, &loader, &err));
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
      gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
      gls_tensor_t *const label = batch_array(batch, GLS_BATCH_LINK_LABEL, NULL, NULL);
      const int64_t count = tensor_elements(input);
      assert_int_equal(label->dl_tensor.dtype.bits, kinds[k].dtype.bits);
      assert_int_equal(label->dl_tensor.dtype.code, kinds[k].dtype.code);
      assert_int_equal(label->dl_tensor.ndim, 3);
      assert_int_equal(label->dl_tensor.shape[0], 3 * count);
      assert_int_equal(label->dl_tensor.shape[1], 1);
      assert_int_equal(label->dl_tensor.shape[2], kColumns);
      const uint8_t *const got = tensor_data(label);
      for (int64_t i = 0; i < count; ++i) {
        assert_memory_equal(got + i * kColumns * bytes, stored + id_at(input, i) * kStride * bytes,
                            (size_t)(kColumns * bytes));
      }
      for (int64_t i = count * kColumns * bytes; i < 3 * count * kColumns * bytes; ++i) {
        assert_int_equal(got[i], 0);
      }
      gls_tensor_release(input);
      gls_tensor_release(label);
    }
    gls_loader_release(loader);
  }
  /* A request of a sampler, and labels without columns. */
  static const int64_t five = 5;
  static const int64_t wide[] = {5, 2};
  static const int64_t empty[] = {5, 0};
  static float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const DLTensor ids = view_of(links, kInt64, 1, &five);
  for (int round = 0; round < 2; ++round) {
    const DLTensor labels = view_of(values, kFloat32, 2, round == 0 ? wide : empty);
    gls_link_set_t set = GLS_LINK_SET_INIT;
    set.links = &ids;
    set.labels = &labels;
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    request.links = &set;
    gls_batch_t *batch = NULL;
    OK(gls_sampler_sample(sampler, &request, &batch, &err));
    gls_tensor_t *const label = batch_array(batch, GLS_BATCH_LINK_LABEL, NULL, NULL);
    assert_int_equal(label->dl_tensor.shape[0], 15);
    assert_int_equal(label->dl_tensor.shape[1], round == 0 ? 2 : 0);
    if (round == 0) {
      assert_memory_equal(tensor_data(label), values, sizeof values);
    }
    gls_tensor_release(label);
    gls_batch_release(batch);
  }
  gls_sampler_release(sampler);
}

static void loaders_that_cannot_be(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_loader_t *loader = NULL;
  static const int64_t ids[] = {0, NODES * DEGREE};
  static const int64_t two = 2;
#define REFUSED(code, argument, change)                                                \
  do {                                                                                 \
    gls_loader_options_t options = of_links(8);                                        \
    gls_tensor_t *seeds = NULL;                                                        \
    change;                                                                            \
    FAILS(code, argument, gls_loader_create(sampler, seeds, &options, &loader, &err)); \
    assert_null(loader);                                                               \
    gls_tensor_release(seeds);                                                         \
    gls_tensor_release(options.labels);                                                \
    gls_tensor_release(options.times);                                                 \
  } while (0)
  REFUSED(GLS_ERR_NOT_FOUND, NULL, options.edge_type = "a__b__c");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "node_type", options.node_type = "node");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "id_set", options.id_set = "train");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seeds", seeds = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "labels", options.labels = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "times", options.times = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "labels", options.edge_type = NULL;
          options.labels = ids64(2, ids));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seeds",
          seeds = wrapped((void *)ids, kInt64, 2, (const int64_t[]){1, two}, NULL));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "seeds",
          seeds = wrapped((void *)ids, kInt64, 2, (const int64_t[]){2, 1}, NULL));
#undef REFUSED
  gls_sampler_release(sampler);
  /* Columns of weights are looked for when the loader is made. */
  gls_sampler_options_t options = sampler_options(0);
  gls_negative_options_t negatives = GLS_NEGATIVE_OPTIONS_INIT;
  negatives.mode = GLS_NEGATIVE_TRIPLET;
  negatives.target_weight = "none";
  options.negatives = &negatives;
  gls_sampler_t *const weighted = create_sampler(ring, &options);
  const gls_loader_options_t links = of_links(8);
  FAILS(GLS_ERR_NOT_FOUND, "target_weight",
        gls_loader_create(weighted, NULL, &links, &loader, &err));
  gls_sampler_release(weighted);
}

static void negatives_that_cannot_be(void **state) {
  (void)state;
  gls_sampler_t *sampler = NULL;
#define REFUSED(code, argument, change)                                        \
  do {                                                                         \
    gls_negative_options_t negatives = GLS_NEGATIVE_OPTIONS_INIT;              \
    negatives.mode = GLS_NEGATIVE_BINARY;                                      \
    change;                                                                    \
    gls_sampler_options_t options = sampler_options(0);                        \
    options.negatives = &negatives;                                            \
    FAILS(code, argument, gls_sampler_create(ring, &options, &sampler, &err)); \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "mode", negatives.mode = 3);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "mode", negatives.mode = GLS_NEGATIVE_NONE;
          negatives.amount = 2);
  REFUSED(GLS_ERR_UNSUPPORTED, "flags", negatives.flags = 16);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "flags", negatives.flags = GLS_NEGATIVE_IN_TIME);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "flags", negatives.flags = GLS_NEGATIVE_OLDEST);
  REFUSED(GLS_ERR_UNSUPPORTED, "reserved", negatives.reserved = 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "amount", negatives.amount = -1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "amount", negatives.amount = 1e9);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "amount", negatives.amount = 0.0 / 0.0);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "degree_power", negatives.degree_power = 0.3);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "degree_power", negatives.degree_power = 2.25);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "degree_power", negatives.degree_power = 0.0 / 0.0);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "tries", negatives.tries = 4096);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "negatives", negatives.struct_size = 3);
#undef REFUSED
}

/* A mode of exclusion that has no edges to add reverses to would let the answer through. */
static void exclusion_of_nothing(void **state) {
  (void)state;
  static const int64_t ids[] = {1, 2};
  const gls_type_pair_t types = {RING_TYPE, RING_TYPE};
  const gls_loader_options_t links = of_links(8);
  gls_loader_options_t nodes = GLS_LOADER_OPTIONS_INIT;
  gls_link_set_t set = GLS_LINK_SET_INIT;
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  const int64_t two = 2;
  const DLTensor some = view_of((void *)ids, kInt64, 1, &two);
  const gls_edge_set_t excluded = {RING_TYPE, &some};
  gls_loader_t *loader = NULL;
  gls_batch_t *batch = NULL;
  set.links = &some;
  request.links = &set;
  for (int given = 0; given < 3; ++given) {
    gls_sampler_options_t options = sampler_options(given == 1 ? GLS_SAMPLE_EXCLUDE_LINKS : 0);
    options.exclude_mode = GLS_EXCLUDE_REVERSE_TYPES;
    options.reverse_types = &types;
    options.num_reverse_types = 1;
    options.exclude = &excluded;
    options.num_exclude = given == 2 ? 1 : 0;
    gls_sampler_t *const sampler = create_sampler(ring, &options);
    if (given == 0) {
      FAILS(GLS_ERR_INVALID_ARGUMENT, "exclude_mode",
            gls_loader_create(sampler, NULL, &links, &loader, &err));
      FAILS(GLS_ERR_INVALID_ARGUMENT, "exclude_mode",
            gls_loader_create(sampler, NULL, &nodes, &loader, &err));
      FAILS(GLS_ERR_INVALID_ARGUMENT, "exclude_mode",
            gls_sampler_sample(sampler, &request, &batch, &err));
      request.exclude = &excluded;
      request.num_exclude = 1;
    }
    OK(gls_sampler_sample(sampler, &request, &batch, &err));
    gls_batch_release(batch);
    request.num_exclude = 0;
    if (given > 0) {
      OK(gls_loader_create(sampler, NULL, &links, &loader, &err));
      gls_loader_release(loader);
    }
    if (given == 1) {
      FAILS(GLS_ERR_INVALID_ARGUMENT, "flags",
            gls_loader_create(sampler, NULL, &nodes, &loader, &err));
    }
    gls_sampler_release(sampler);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_edges),
      cmocka_unit_test(pairs_and_labels),
      cmocka_unit_test(rows_of_labels),
      cmocka_unit_test(loaders_that_cannot_be),
      cmocka_unit_test(negatives_that_cannot_be),
      cmocka_unit_test(exclusion_of_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
