/* Blocks: the layers of a batch, against its arrays as a whole. */
#include "graph_fixture.h"
#include "sampling_checks.h"

static int set_up(void **state) {
  (void)state;
  return set_up_ring_and_shop(2, 100, 5, 60, 20);
}

static gls_tensor_t *block_array(const gls_batch_t *batch, uint64_t layer, int32_t array,
                                 const char *type) {
  gls_tensor_t *out = NULL;
  OK(gls_batch_block_tensor(batch, layer, array, type, &out, &err));
  assert_int_equal(out->dl_tensor.ndim, 1);
  return out;
}
static int64_t num_hops(const gls_batch_t *batch) {
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  return (int64_t)info.num_hops;
}
static int64_t sum_of(const gls_batch_t *batch, int32_t array, const char *type, int64_t hops) {
  gls_tensor_t *const counts = batch_array(batch, array, type, NULL);
  int64_t sum = 0;
  for (int64_t h = 0; h < hops; ++h) {
    sum += id_at(counts, h);
  }
  gls_tensor_release(counts);
  return sum;
}
/* A view of the first `count` of an array of the batch, without a copy. */
static void is_beginning(const gls_batch_t *batch, gls_tensor_t *part, int32_t array,
                         const char *type, int64_t count) {
  gls_tensor_t *const whole = batch_array(batch, array, type, NULL);
  assert_int_equal(tensor_elements(part), count);
  assert_ptr_equal(tensor_data(part), tensor_data(whole));
  assert_int_equal(part->dl_tensor.dtype.bits, whole->dl_tensor.dtype.bits);
  gls_tensor_release(whole);
  gls_tensor_release(part);
}
/* All layers of one edge type; `dst_is_col`, and of what types the ends are that messages go
 * between. */
static void check_blocks(const gls_batch_t *batch, const char *edge_type, const char *src_type,
                         const char *dst_type, bool dst_is_col, bool edge_ids) {
  const int64_t hops = num_hops(batch);
  for (int64_t layer = 0; layer < hops; ++layer) {
    const uint64_t l = (uint64_t)layer;
    const int64_t srcs = sum_of(batch, GLS_BATCH_NUM_NODES, src_type, hops - layer + 1);
    const int64_t dsts = sum_of(batch, GLS_BATCH_NUM_NODES, dst_type, hops - layer);
    const int64_t edges = sum_of(batch, GLS_BATCH_NUM_EDGES, edge_type, hops - layer);
    is_beginning(batch, block_array(batch, l, GLS_BLOCK_SRC_NODE, src_type), GLS_BATCH_NODE,
                 src_type, srcs);
    is_beginning(batch, block_array(batch, l, GLS_BLOCK_DST_NODE, dst_type), GLS_BATCH_NODE,
                 dst_type, dsts);
    is_beginning(batch, block_array(batch, l, GLS_BLOCK_SRC, edge_type),
                 dst_is_col ? GLS_BATCH_ROW : GLS_BATCH_COL, edge_type, edges);
    is_beginning(batch, block_array(batch, l, GLS_BLOCK_DST, edge_type),
                 dst_is_col ? GLS_BATCH_COL : GLS_BATCH_ROW, edge_type, edges);
    if (edge_ids) {
      is_beginning(batch, block_array(batch, l, GLS_BLOCK_EDGE, edge_type), GLS_BATCH_EDGE,
                   edge_type, edges);
    }
    gls_tensor_t *const src = block_array(batch, l, GLS_BLOCK_SRC, edge_type);
    gls_tensor_t *const dst = block_array(batch, l, GLS_BLOCK_DST, edge_type);
    gls_tensor_t *const indptr = block_array(batch, l, GLS_BLOCK_INDPTR, edge_type);
    assert_int_equal(indptr->dl_tensor.dtype.bits, src->dl_tensor.dtype.bits);
    assert_int_equal(tensor_elements(indptr), dsts + 1);
    for (int64_t v = 0; v <= dsts; ++v) {
      int64_t before = 0;
      for (int64_t e = 0; e < edges; ++e) {
        before += id_at(dst, e) < v;
      }
      assert_int_equal(id_at(indptr, v), before);
    }
    for (int64_t e = 0; e < edges; ++e) {
      assert_in_range(id_at(src, e), 0, srcs - 1);
      assert_in_range(id_at(dst, e), 0, dsts - 1);
    }
    gls_tensor_release(src);
    gls_tensor_release(dst);
    gls_tensor_release(indptr);
  }
}

static void one_type(void **state) {
  (void)state;
  static const struct {
    uint32_t flags;
    int32_t direction;
    int32_t replace;
  } ways[] = {{GLS_SAMPLE_EDGE_IDS, GLS_DIRECTION_IN, GLS_REPLACE_NEVER},
              {GLS_SAMPLE_INT32, GLS_DIRECTION_IN, GLS_REPLACE_ALWAYS},
              {GLS_SAMPLE_DISJOINT, GLS_DIRECTION_IN, GLS_REPLACE_NEVER},
              {GLS_SAMPLE_EDGE_IDS, GLS_DIRECTION_OUT, GLS_REPLACE_ABOVE},
              {GLS_SAMPLE_TOWARD_SEEDS, GLS_DIRECTION_OUT, GLS_REPLACE_NEVER}};
  for (size_t w = 0; w < COUNT_OF(ways); ++w) {
    static const int64_t three[] = {3, 2, -1};
    const gls_fanout_t fanouts = {NULL, three, 3};
    gls_sampler_options_t options = sampler_options(ways[w].flags);
    options.fanouts = &fanouts;
    options.direction = ways[w].direction;
    options.replace = ways[w].replace;
    gls_sampler_t *const sampler = create_sampler(ring, &options);
    gls_batch_t *const batch = sample_ids(sampler, NULL, LIST(5, 90, 5, 6));
    check_blocks(batch, NULL, NULL, NULL,
                 ways[w].direction == GLS_DIRECTION_IN || ways[w].flags == GLS_SAMPLE_TOWARD_SEEDS,
                 (ways[w].flags & GLS_SAMPLE_EDGE_IDS) != 0);
    gls_batch_release(batch);
    gls_sampler_release(sampler);
  }
}

static void two_types(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(shop, GLS_SAMPLE_EDGE_IDS);
  gls_batch_t *const batch = sample_ids(sampler, "item", LIST(1, 2, 19));
  check_blocks(batch, "user__likes__item", "user", "item", true, true);
  check_blocks(batch, "item__rev_likes__user", "item", "user", true, true);
  /* The users have no row in the first hop: the last layer has no edges to them. */
  gls_tensor_t *const last = block_array(batch, 1, GLS_BLOCK_INDPTR, "item__rev_likes__user");
  assert_int_equal(tensor_elements(last), 1);
  gls_tensor_release(last);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

/* Padding is no part of a block. */
static void padded(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  pad.sigma = 6;
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 7;
  options.pad = &pad;
  gls_loader_t *const loader = make_loader(sampler, &options);
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    check_blocks(batch, NULL, NULL, NULL, true, false);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* Arrays outlive the batch. */
static void lifetime(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_batch_t *const batch = sample_ids(sampler, NULL, LIST(5, 90));
  gls_tensor_t *const node = block_array(batch, 1, GLS_BLOCK_DST_NODE, NULL);
  gls_tensor_t *const indptr = block_array(batch, 1, GLS_BLOCK_INDPTR, NULL);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  assert_int_equal(id_at(node, 1), 90);
  assert_int_equal(id_at(indptr, 2), 6);
  gls_tensor_release(node);
  gls_tensor_release(indptr);
}

static void mistakes(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_batch_t *const batch = sample_ids(sampler, NULL, LIST(5, 90));
  gls_tensor_t *out = NULL;
#define REFUSED(code, argument, ...) FAILS(code, argument, gls_batch_block_tensor(__VA_ARGS__))
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "batch", NULL, 0, GLS_BLOCK_SRC, NULL, &out, &err);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "out", batch, 0, GLS_BLOCK_SRC, NULL, NULL, &err);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "layer", batch, 2, GLS_BLOCK_SRC, NULL, &out, &err);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "layer", batch, UINT64_MAX, GLS_BLOCK_SRC_NODE, NULL, &out,
          &err);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "array", batch, 0, -1, NULL, &out, &err);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "array", batch, 0, 6, NULL, &out, &err);
  REFUSED(GLS_ERR_NOT_FOUND, NULL, batch, 0, GLS_BLOCK_SRC, "node", &out, &err);
  REFUSED(GLS_ERR_NOT_FOUND, NULL, batch, 0, GLS_BLOCK_SRC_NODE, RING_TYPE, &out, &err);
  REFUSED(GLS_ERR_NOT_FOUND, "array", batch, 0, GLS_BLOCK_EDGE, NULL, &out, &err);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  assert_null(out);
}

/* Batches whose edges are not in the order of hops. */
static void none(void **state) {
  (void)state;
  gls_tensor_t *out = NULL;
  static const int32_t subgraphs[] = {GLS_SUBGRAPH_INDUCED, GLS_SUBGRAPH_BIDIRECTIONAL};
  for (size_t s = 0; s < COUNT_OF(subgraphs); ++s) {
    gls_sampler_options_t options = sampler_options(0);
    options.subgraph = subgraphs[s];
    gls_sampler_t *const sampler = create_sampler(ring, &options);
    gls_batch_t *const batch = sample_ids(sampler, NULL, LIST(5, 90));
    REFUSED(GLS_ERR_UNSUPPORTED, "batch", batch, 0, GLS_BLOCK_SRC_NODE, NULL, &out, &err);
    gls_batch_release(batch);
    gls_sampler_release(sampler);
  }
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  walk.length = 3;
  gls_importance_options_t importance = GLS_IMPORTANCE_OPTIONS_INIT;
  importance.neighbors = 2;
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  static const int32_t kinds[] = {GLS_SAMPLER_WALK, GLS_SAMPLER_IMPORTANCE, GLS_SAMPLER_PPR};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
    options.kind = kinds[k];
    options.walk = kinds[k] == GLS_SAMPLER_WALK ? &walk : NULL;
    options.importance = kinds[k] == GLS_SAMPLER_IMPORTANCE ? &importance : NULL;
    options.ppr = kinds[k] == GLS_SAMPLER_PPR ? &ppr : NULL;
    gls_sampler_t *const sampler = create_sampler(ring, &options);
    gls_batch_t *const batch = sample_ids(sampler, NULL, LIST(5, 90));
    REFUSED(GLS_ERR_UNSUPPORTED, "batch", batch, 0, GLS_BLOCK_SRC, NULL, &out, &err);
    gls_batch_release(batch);
    gls_sampler_release(sampler);
  }
  assert_null(out);
}

/* What users write into arrays of a batch makes no block read or write beyond them. */
static void written_over(void **state) {
  (void)state;
  static const int64_t values[] = {-1, INT64_MIN, INT64_MAX, 1000};
  for (size_t v = 0; v < COUNT_OF(values); ++v) {
    static const int32_t arrays[] = {GLS_BATCH_NUM_NODES, GLS_BATCH_NUM_EDGES, GLS_BATCH_COL};
    for (size_t a = 0; a < COUNT_OF(arrays); ++a) {
      gls_sampler_t *const sampler = make_sampler(ring, 0);
      gls_batch_t *const batch = sample_ids(sampler, NULL, LIST(5, 90));
      gls_tensor_t *const array = batch_array(batch, arrays[a], NULL, NULL);
      ((int64_t *)array->dl_tensor.data)[v % 2] = values[v];
      gls_tensor_t *out = NULL;
      REFUSED(GLS_ERR_INVALID_STATE, "batch", batch, 0, GLS_BLOCK_INDPTR, NULL, &out, &err);
      gls_tensor_release(array);
      gls_batch_release(batch);
      gls_sampler_release(sampler);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_type),     cmocka_unit_test(two_types), cmocka_unit_test(padded),
      cmocka_unit_test(lifetime),     cmocka_unit_test(mistakes),  cmocka_unit_test(none),
      cmocka_unit_test(written_over),
  };
  return cmocka_run_group_tests_name("blocks", tests, set_up, tear_down);
}
