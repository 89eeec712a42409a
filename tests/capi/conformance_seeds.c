/* Conformance vectors of seeds that are drawn, or taken by clusters. */
#include "conformance.h"

static gls_sampler_t *no_hops(gls_dataset_t *dataset, uint64_t seed) {
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.subgraph = GLS_SUBGRAPH_INDUCED;
  options.seed = seed;
  gls_sampler_t *out = NULL;
  OK(gls_sampler_create(dataset, &options, &out, &err));
  return out;
}

static gls_tensor_t *ids_of(const json_t *array) {
  if (array == NULL) {
    return NULL;
  }
  size_t count = 0;
  int64_t *const values = get_array(array, &count);
  gls_tensor_t *const out = ids64(count, values);
  free(values);
  return out;
}

void replay_seeds(const struct graphs *graphs, const json_t *test) {
  const char *const law = get_text(test, "law", "uniform");
  const char *const type = get_text(test, "type", NULL);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.node_type = get_flag(test, "links") ? NULL : type;
  options.edge_type = get_flag(test, "links") ? type : NULL;
  options.batch_size = (uint32_t)get_number(test, "batch_size", 0);
  options.flags = (get_flag(test, "drop_last") ? GLS_LOADER_DROP_LAST : 0u) |
                  (get_flag(test, "shuffle") ? GLS_LOADER_SHUFFLE : 0u);
  options.seed_rule =
      strcmp(get_text(test, "rule", ""), "draw") == 0 ? GLS_SEEDS_DRAW : GLS_SEEDS_CLUSTER;
  options.seed_law = strcmp(law, "degree") == 0           ? GLS_LAW_DEGREE
                     : strcmp(law, "inverse_degree") == 0 ? GLS_LAW_INVERSE_DEGREE
                                                          : GLS_LAW_UNIFORM;
  options.seed_weight = get_text(test, "weight", NULL);
  options.batches = get_number(test, "batches", 0);
  options.cluster = get_text(test, "cluster", NULL);
  options.clusters = ids_of(json_object_get(test, "clusters"));
  gls_tensor_t *const ids = ids_of(json_object_get(test, "ids"));
  const char *const error = get_text(test, "error", NULL);
  const gls_status_t expected_status = error == NULL ? GLS_OK : status_of(error);
  gls_sampler_t *const sampler =
      no_hops(find_graph(graphs, get_text(test, "graph", "")), get_number(test, "seed", 0));
  gls_loader_t *loader = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_loader_create(sampler, ids, &options, &loader, &err);
  check_result(status, expected_status, err, NULL, "loader", __FILE__, __LINE__);
  gls_sampler_release(sampler);
  if (status != GLS_OK) { /* nothing was taken */
    gls_tensor_release(ids);
    gls_tensor_release(options.clusters);
    return;
  }
  const json_t *const expected = json_object_get(test, "expected");
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  OK(gls_loader_get_info(loader, &info, &err));
  assert_int_equal(info.num_global_batches, get_number(expected, "epoch_batches", UINT64_MAX));
  const json_t *const show = json_object_get(test, "show");
  const json_t *const positions = json_object_get(expected, "positions");
  assert_int_equal(json_array_size(show), json_array_size(positions));
  for (size_t i = 0; i < json_array_size(show); ++i) {
    gls_batch_t *batch = NULL;
    OK(gls_loader_sample(loader, get_number(test, "epoch", 0), number_of(json_array_get(show, i)),
                         &batch, &err));
    size_t count = 0;
    int64_t *const input = get_array(json_array_get(positions, i), &count);
    check_ids(batch, GLS_BATCH_INPUT, type, count, input, __LINE__);
    free(input);
    gls_batch_release(batch);
  }
  gls_loader_release(loader);
}

void replay_seed_sets(const struct graphs *graphs, const json_t *test) {
  enum { kMostSets = 4 };
  gls_loader_seeds_t sets[kMostSets] = {{NULL, NULL, NULL, NULL, NULL, NULL}};
  const json_t *const given = json_object_get(test, "sets");
  const bool links = get_flag(test, "links");
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = (uint32_t)get_number(test, "batch_size", 0);
  options.flags = (get_flag(test, "drop_last") ? GLS_LOADER_DROP_LAST : 0u) |
                  (get_flag(test, "shuffle") ? GLS_LOADER_SHUFFLE : 0u);
  options.seed_sets = sets;
  options.num_seed_sets = json_array_size(given);
  assert_in_range(options.num_seed_sets, 1, kMostSets);
  for (size_t i = 0; i < options.num_seed_sets; ++i) {
    const json_t *const set = json_array_get(given, i);
    const char *const type = get_text(set, "type", NULL);
    sets[i].node_type = links ? NULL : type;
    sets[i].edge_type = links ? type : NULL;
    sets[i].ids = ids_of(json_object_get(set, "ids"));
  }
  const char *const error = get_text(test, "error", NULL);
  const gls_status_t expected_status = error == NULL ? GLS_OK : status_of(error);
  gls_sampler_t *const sampler =
      no_hops(find_graph(graphs, get_text(test, "graph", "")), get_number(test, "seed", 0));
  gls_loader_t *loader = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_loader_create(sampler, NULL, &options, &loader, &err);
  check_result(status, expected_status, err, NULL, "loader", __FILE__, __LINE__);
  gls_sampler_release(sampler);
  if (status != GLS_OK) { /* nothing was taken */
    for (size_t i = 0; i < options.num_seed_sets; ++i) {
      gls_tensor_release(sets[i].ids);
    }
    return;
  }
  const json_t *const expected = json_object_get(test, "expected");
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  OK(gls_loader_get_info(loader, &info, &err));
  assert_int_equal(info.num_global_batches, get_number(expected, "epoch_batches", UINT64_MAX));
  const json_t *const show = json_object_get(test, "show");
  for (size_t i = 0; i < json_array_size(show); ++i) {
    gls_batch_t *batch = NULL;
    OK(gls_loader_sample(loader, get_number(test, "epoch", 0), number_of(json_array_get(show, i)),
                         &batch, &err));
    const json_t *const positions = json_array_get(json_object_get(expected, "positions"), i);
    for (size_t s = 0; s < options.num_seed_sets; ++s) {
      const char *const type = links ? sets[s].edge_type : sets[s].node_type;
      size_t count = 0;
      int64_t *const input = get_array(json_object_get(positions, type), &count);
      check_ids(batch, GLS_BATCH_INPUT, type, count, input, __LINE__);
      free(input);
    }
    gls_batch_release(batch);
  }
  gls_loader_release(loader);
}
