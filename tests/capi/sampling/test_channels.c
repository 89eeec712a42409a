/* Personalised PageRank by channels: rows against those of each channel alone, loaders, every
 * option that is refused, damage. */
#include "graph_fixture.h"
#include "sampling_checks.h"

static const char *const kBoth[] = {"user__likes__item", "item__rev_likes__user"};
#define MOST_ROWS 512
#define MOST_COLUMNS 8

static int set_up(void **state) {
  (void)state;
  ctx = make_context(3);
  shop = make_bipartite(ctx, 40, 25);
  return 0;
}

static gls_ppr_channel_t channel_of(size_t first, size_t count, double share) {
  const gls_ppr_channel_t channel = {kBoth + first, count, share, 0};
  return channel;
}
static gls_sampler_t *make_ppr(const gls_ppr_options_t *ppr, uint32_t flags) {
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.kind = GLS_SAMPLER_PPR;
  options.flags = flags;
  options.ppr = ppr;
  return create_sampler(shop, &options);
}

/* What a sampler finds of users 3, 0 and 3, with dataset ids. */
struct rows {
  size_t count;
  size_t columns;
  int64_t seed[MOST_ROWS]; /* local */
  int64_t node[MOST_ROWS];
  float score[MOST_ROWS][MOST_COLUMNS];
};
static struct rows *find_rows(const gls_ppr_options_t *ppr, const char *type) {
  gls_sampler_t *const sampler = make_ppr(ppr, 0);
  ID_VIEW(ids, 3, 0, 3);
  const gls_seed_set_t seeds = {"user", &ids};
  const gls_sample_request_t request = seed_request(&seeds);
  gls_batch_t *batch = NULL;
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, type, NULL);
  gls_tensor_t *const of = batch_array(batch, GLS_BATCH_NEAR_SEED, type, NULL);
  gls_tensor_t *const near = batch_array(batch, GLS_BATCH_NEAR_NODE, type, NULL);
  gls_tensor_t *const scores = batch_array(batch, GLS_BATCH_NEAR_SCORE, type, NULL);
  struct rows *const out = calloc(1, sizeof *out);
  assert_non_null(out);
  assert_int_equal(scores->dl_tensor.ndim, 2);
  out->count = (size_t)scores->dl_tensor.shape[0];
  out->columns = (size_t)scores->dl_tensor.shape[1];
  assert_int_equal(tensor_elements(of), out->count);
  assert_int_equal(tensor_elements(near), out->count);
  assert_in_range(out->count, 0, MOST_ROWS);
  assert_in_range(out->columns, 2, MOST_COLUMNS);
  for (size_t i = 0; i < out->count; ++i) {
    out->seed[i] = id_at(of, (int64_t)i);
    out->node[i] = id_at(node, id_at(near, (int64_t)i));
    memcpy(out->score[i], (const float *)tensor_data(scores) + i * out->columns,
           out->columns * sizeof(float));
  }
  RELEASE_TENSORS(node, of, near, scores);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  return out;
}
static size_t find_row(const struct rows *rows, int64_t seed, int64_t node) {
  size_t i = 0;
  while (i < rows->count && (rows->seed[i] != seed || rows->node[i] != node)) {
    ++i;
  }
  return i;
}

/* The columns of a channel are what a sampler along its edge types alone finds. */
static void as_each_alone(void **state) {
  (void)state;
  static const char *const types[] = {"user", "item"};
  const gls_ppr_channel_t channels[] = {channel_of(0, 2, 0.75), channel_of(1, 1, 0.25)};
  for (size_t t = 0; t < COUNT_OF(types); ++t) {
    gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
    ppr.neighbors = 8;
    ppr.channels = channels;
    ppr.num_channels = 2;
    struct rows *const merged = find_rows(&ppr, types[t]);
    assert_int_equal(merged->columns, 8);
    struct rows *alone[2];
    for (size_t c = 0; c < 2; ++c) {
      ppr = (gls_ppr_options_t)GLS_PPR_OPTIONS_INIT;
      ppr.neighbors = 8;
      ppr.edge_types = channels[c].edge_types;
      ppr.num_edge_types = channels[c].num_edge_types;
      alone[c] = find_rows(&ppr, types[t]);
      assert_int_equal(alone[c]->columns, 2);
    }
    size_t of_seed[2] = {0, 0};
    for (size_t i = 0; i < merged->count; ++i) {
      const float *const score = merged->score[i];
      float best = 0;
      float nearest = 0;
      for (size_t c = 0; c < 2; ++c) {
        const size_t at = find_row(alone[c], merged->seed[i], merged->node[i]);
        const bool found = at < alone[c]->count;
        assert_true(score[2 + 3 * c] == (found ? alone[c]->score[at][0] : 0));
        assert_true(score[3 + 3 * c] == (found ? alone[c]->score[at][1] : 0));
        assert_true(score[4 + 3 * c] == (found ? 1 : 0));
        best = score[2 + 3 * c] > best ? score[2 + 3 * c] : best;
        nearest = score[3 + 3 * c] > nearest ? score[3 + 3 * c] : nearest;
      }
      assert_true(score[0] == best && score[1] == nearest && best > 0);
      assert_int_equal(find_row(merged, merged->seed[i], merged->node[i]), i); /* once */
      assert_true(i == 0 || merged->seed[i] > merged->seed[i - 1] ||
                  (merged->seed[i] == merged->seed[i - 1] && score[0] <= merged->score[i - 1][0]));
      of_seed[merged->seed[i]] += 1;
    }
    assert_in_range(of_seed[0], 1, 8);
    assert_in_range(of_seed[1], 1, 8);
    for (size_t c = 0; c < 2; ++c) {
      free(alone[c]);
    }
    free(merged);
  }
}

/* One channel of all edge types finds what no channels find. */
static void as_without(void **state) {
  (void)state;
  const gls_ppr_channel_t all = channel_of(0, 2, 1);
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  ppr.neighbors = 6;
  struct rows *const without = find_rows(&ppr, "item");
  ppr.channels = &all;
  ppr.num_channels = 1;
  struct rows *const with = find_rows(&ppr, "item");
  assert_int_equal(with->count, without->count);
  assert_int_equal(with->columns, 5);
  assert_memory_equal(with->node, without->node, with->count * sizeof(int64_t));
  for (size_t i = 0; i < with->count; ++i) {
    assert_memory_equal(with->score[i], without->score[i], 2 * sizeof(float));
    assert_memory_equal(with->score[i] + 2, without->score[i], 2 * sizeof(float));
    assert_true(with->score[i][4] == 1);
  }
  free(without);
  free(with);
}

static void loaded(void **state) {
  (void)state;
  const gls_ppr_channel_t channels[] = {channel_of(0, 1, 0.5), channel_of(0, 2, 0.5)};
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  ppr.neighbors = 5;
  ppr.row_limit = 3;
  ppr.channels = channels;
  ppr.num_channels = 2;
  gls_sampler_t *const sampler = make_ppr(&ppr, GLS_SAMPLE_INT32);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.node_type = "user";
  options.batch_size = 7;
  options.flags = GLS_LOADER_SHUFFLE;
  uint64_t digests[2][8] = {{0}};
  for (uint32_t round = 0; round < 2; ++round) {
    options.num_workers = 1 + 2 * round;
    gls_loader_t *const loader = make_loader(sampler, &options);
    assert_int_equal(drain(loader, digests[round], 8), 6);
    for (uint64_t number = 0; number < 6; ++number) {
      gls_batch_t *again = NULL;
      OK(gls_loader_sample(loader, 0, number, &again, &err));
      assert_true(batch_digest(again) == digests[round][number]);
      gls_tensor_t *const scores = batch_array(again, GLS_BATCH_NEAR_SCORE, "item", NULL);
      assert_int_equal(scores->dl_tensor.shape[1], 8);
      gls_tensor_release(scores);
      gls_batch_release(again);
    }
    gls_loader_release(loader);
  }
  assert_memory_equal(digests[0], digests[1], sizeof digests[0]);
  gls_sampler_release(sampler);
}

static void options_that_cannot_be(void **state) {
  (void)state;
  static const char *const unknown[] = {"user__likes__item", "a__b__c"};
  static const char *const twice[] = {"user__likes__item", "user__likes__item"};
  gls_sampler_t *sampler = NULL;
#define REFUSED(code, argument, change)                                            \
  do {                                                                             \
    gls_ppr_channel_t channels[] = {channel_of(0, 1, 0.5), channel_of(1, 1, 0.5)}; \
    gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;                                  \
    ppr.channels = channels;                                                       \
    ppr.num_channels = 2;                                                          \
    gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;                      \
    options.kind = GLS_SAMPLER_PPR;                                                \
    options.ppr = &ppr;                                                            \
    change;                                                                        \
    FAILS(code, argument, gls_sampler_create(shop, &options, &sampler, &err));     \
    assert_null(sampler);                                                          \
  } while (0)
  const gls_status_t invalid = GLS_ERR_INVALID_ARGUMENT;
  REFUSED(invalid, "channels", ppr.channels = NULL);
  REFUSED(invalid, "edge_types", channels[1].edge_types = NULL);
  REFUSED(invalid, "channels", channels[0].num_edge_types = 0);
  REFUSED(invalid, "channels", channels[1].edge_types = twice; channels[1].num_edge_types = 2);
  REFUSED(GLS_ERR_NOT_FOUND, "edge_types", channels[1].edge_types = unknown;
          channels[1].num_edge_types = 2);
  REFUSED(invalid, "channels", ppr.edge_types = kBoth; ppr.num_edge_types = 1);
  REFUSED(invalid, "channels", channels[0].share = 0);
  REFUSED(invalid, "channels", channels[0].share = -0.5; channels[1].share = 1.5);
  REFUSED(invalid, "channels", channels[0].share = 0.0 / 0.0);
  REFUSED(invalid, "channels", channels[0].share = 1.0 / 0.0);
  REFUSED(invalid, "channels", channels[0].share = 0.50001);
  REFUSED(invalid, "channels", channels[0].share = 0.49999);
  REFUSED(invalid, "channels", ppr.num_channels = 1);
  REFUSED(GLS_ERR_UNSUPPORTED, "reserved", channels[1].reserved = 1);
  REFUSED(GLS_ERR_UNSUPPORTED, "direction", options.direction = GLS_DIRECTION_OUT);
  gls_ppr_channel_t many[65];
  for (size_t c = 0; c < COUNT_OF(many); ++c) {
    many[c] = channel_of(c % 2, 1, 1.0 / 64);
  }
  REFUSED(invalid, "channels", ppr.channels = many; ppr.num_channels = 65);
#undef REFUSED
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  ppr.channels = many;
  ppr.num_channels = 64;
  gls_sampler_release(make_ppr(&ppr, 0));
  /* Shares may miss 1 by what decimals lose; options of before there were channels have none. */
  many[0].share += 9e-7;
  gls_sampler_release(make_ppr(&ppr, 0));
  ppr.struct_size = offsetof(gls_ppr_options_t, channels);
  ppr.num_channels = 65;
  gls_sampler_release(make_ppr(&ppr, 0));
}

/* A row that cannot be read fails whichever channel reads it. */
static void damage(void **state) {
  (void)state;
  static const char *const names[] = {"a__b__a", "a__c__a"};
  int64_t indptr[] = {0, 2, 4, 6, 7};
  int32_t indices[] = {1, 2, 0, 2, 0, 3, 2};
  int32_t bad[] = {1, 2, 0, 2, 0, 3, 2};
  const int64_t five = 5;
  const int64_t seven = 7;
  gls_builder_t *const builder = make_builder(ctx);
  for (size_t t = 0; t < 2; ++t) {
    OK(gls_builder_add_topology(
        builder, names[t], GLS_LAYOUT_CSC, wrapped(indptr, kInt64, 1, &five, NULL),
        wrapped(t == 0 ? indices : bad, kInt32, 1, &seven, NULL), NULL, &err));
  }
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  const gls_ppr_channel_t channels[] = {{names, 1, 0.5, 0}, {names + 1, 1, 0.5, 0}};
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  ppr.channels = channels;
  ppr.num_channels = 2;
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.kind = GLS_SAMPLER_PPR;
  options.ppr = &ppr;
  gls_sampler_t *const sampler = create_sampler(dataset, &options);
  ID_VIEW(seed, 0, 1);
  const gls_seed_set_t seeds = {NULL, &seed};
  const gls_sample_request_t request = seed_request(&seeds);
  gls_batch_t *batch = NULL;
  uint64_t digests[2];
  for (size_t round = 0; round < 2; ++round) { /* and leaves nothing behind */
    OK(gls_sampler_sample(sampler, &request, &batch, &err));
    digests[round] = batch_digest(batch);
    gls_batch_release(batch);
    batch = NULL;
    bad[5] = 4;
    FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_sampler_sample(sampler, &request, &batch, &err));
    assert_null(batch);
    bad[5] = 3;
  }
  assert_true(digests[0] == digests[1]);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_each_alone), cmocka_unit_test(as_without),
      cmocka_unit_test(loaded),        cmocka_unit_test(options_that_cannot_be),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
