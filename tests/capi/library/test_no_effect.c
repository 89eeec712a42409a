/* Options that have no effect without another are refused, each with its name. */
#include "helpers.h"

#define RING_NODES "node"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* with the columns x, y, f and an id set */

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, 40, 3);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_context_release(ctx);
  return 0;
}

static void refuse_sampler(const gls_sampler_options_t *options, const char *argument) {
  gls_sampler_t *sampler = NULL;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, argument, gls_sampler_create(ring, options, &sampler, &err));
  assert_null(sampler);
}
/* What has no effect on seeds that are nodes. */
static void for_links_alone(const gls_sampler_options_t *options, const char *argument) {
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, options, &sampler, &err));
  gls_loader_options_t loader_options = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *loader = NULL;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, argument,
         gls_loader_create(sampler, NULL, &loader_options, &loader, &err));
  assert_null(loader);
  int64_t id = 3;
  const int64_t one = 1;
  const DLTensor ids = view_of(&id, kInt64, 1, &one);
  const gls_seed_set_t seeds = {NULL, &ids};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  gls_batch_t *batch = NULL;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, argument, gls_sampler_sample(sampler, &request, &batch, &err));
  assert_null(batch);
  loader_options.edge_type = RING_TYPE;
  OK(gls_loader_create(sampler, NULL, &loader_options, &loader, &err));
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static void of_links(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(0);
  gls_negative_options_t negatives = GLS_NEGATIVE_OPTIONS_INIT;
  negatives.mode = GLS_NEGATIVE_TRIPLET;
  options.negatives = &negatives;
  for_links_alone(&options, "negatives");
  options = sampler_options(GLS_SAMPLE_EXCLUDE_LINKS);
  for_links_alone(&options, "flags");
}

static void of_exclusion(void **state) {
  (void)state;
  const gls_type_pair_t pair = {RING_TYPE, RING_TYPE};
  gls_sampler_options_t options = sampler_options(0);
  options.exclude_mode = GLS_EXCLUDE_REVERSE_TYPES;
  options.reverse_types = &pair;
  options.num_reverse_types = 1;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, &options, &sampler, &err)); /* for exclude of a request */
  gls_loader_options_t loader_options = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *loader = NULL;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "exclude_mode",
         gls_loader_create(sampler, NULL, &loader_options, &loader, &err));
  gls_sampler_release(sampler);
  int64_t id = 3;
  const int64_t one = 1;
  const DLTensor edges = view_of(&id, kInt64, 1, &one);
  const gls_edge_set_t exclude = {RING_TYPE, &edges};
  options.exclude = &exclude;
  options.num_exclude = 1;
  OK(gls_sampler_create(ring, &options, &sampler, &err));
  OK(gls_loader_create(sampler, NULL, &loader_options, &loader, &err));
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static void of_picks(void **state) {
  (void)state;
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT; /* no hops: the seeds alone */
  options.subgraph = GLS_SUBGRAPH_INDUCED;
  options.replace = GLS_REPLACE_ALWAYS;
  refuse_sampler(&options, "replace");
  options.replace = GLS_REPLACE_NEVER;
  options.weight = "f";
  refuse_sampler(&options, "weight");
}

/* Of two methods that are given, one would have no effect. */
static void of_methods(void **state) {
  (void)state;
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  walk.length = 2;
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.kind = GLS_SAMPLER_WALK;
  options.walk = &walk;
  options.ppr = &ppr;
  refuse_sampler(&options, "ppr");
}

static void of_norms(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 8;
  gls_loader_t *loader = make_loader(sampler, &options);
  gls_norm_options_t norms = GLS_NORM_OPTIONS_INIT;
  norms.edge_type = RING_TYPE;
  gls_tensor_t *out = NULL;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "edge_type",
         gls_loader_saint_norms(loader, &norms, &out, NULL, &err));
  norms.edge_type = NULL;
  norms.node_type = RING_NODES;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "node_type",
         gls_loader_saint_norms(loader, &norms, NULL, &out, &err));
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static void of_tables(void **state) {
  (void)state;
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = 4;
  gls_table_t *table = NULL;
  options.optimizer = GLS_OPTIMIZER_SGD;
  options.epsilon = 0.5;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "epsilon",
         gls_table_open(ring, RING_NODES, "t", &options, &table, &err));
  options.optimizer = GLS_OPTIMIZER_ADAGRAD;
  options.beta2 = 0.5;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "beta2",
         gls_table_open(ring, RING_NODES, "t", &options, &table, &err));
  options.beta2 = 0;
  OK(gls_table_open(ring, RING_NODES, "t", &options, &table, &err));
  gls_table_release(table);
}

static int32_t no_exchange(void *user_data, const void *mine, size_t bytes, void *all) {
  (void)user_data, (void)mine, (void)bytes, (void)all;
  return 1;
}
static void of_groups_and_text(void **state) {
  (void)state;
  gls_group_options_t options = GLS_GROUP_OPTIONS_INIT;
  options.world_size = 2;
  options.rendezvous = "127.0.0.1:1";
  options.exchange = no_exchange;
  gls_group_t *group = NULL;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "rendezvous",
         gls_group_join(ctx, &options, GLS_TIMEOUT_DEFAULT, &group, &err));
  gls_builder_t *const builder = make_builder(ctx);
  gls_text_options_t text = GLS_TEXT_OPTIONS_INIT;
  text.target_field = "to";
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "target_field",
         gls_builder_add_nodes_text(builder, "a", "nodes.csv", &text, &err));
  text.target_field = NULL;
  text.flags = GLS_EDGES_ADD_REVERSE;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "flags",
         gls_builder_add_nodes_text(builder, "a", "nodes.csv", &text, &err));
  gls_builder_release(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_links),           cmocka_unit_test(of_exclusion),
      cmocka_unit_test(of_picks),           cmocka_unit_test(of_methods),
      cmocka_unit_test(of_norms),           cmocka_unit_test(of_tables),
      cmocka_unit_test(of_groups_and_text),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
