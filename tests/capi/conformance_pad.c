/* Conformance vectors of padded batches. */
#include "conformance.h"

static int32_t array_of(const char *name) {
  static const struct {
    const char *name;
    int32_t array;
  } kArrays[] = {
      {"node", GLS_BATCH_NODE},
      {"node_mask", GLS_BATCH_NODE_MASK},
      {"tree", GLS_BATCH_TREE},
      {"seed", GLS_BATCH_SEED},
      {"seed_mask", GLS_BATCH_SEED_MASK},
      {"seed_time", GLS_BATCH_SEED_TIME},
      {"num_nodes", GLS_BATCH_NUM_NODES},
      {"row", GLS_BATCH_ROW},
      {"col", GLS_BATCH_COL},
      {"edge", GLS_BATCH_EDGE},
      {"edge_mask", GLS_BATCH_EDGE_MASK},
      {"num_edges", GLS_BATCH_NUM_EDGES},
      {"link_source", GLS_BATCH_LINK_SOURCE},
      {"link_target", GLS_BATCH_LINK_TARGET},
      {"link_mask", GLS_BATCH_LINK_MASK},
      {"link_negative", GLS_BATCH_LINK_NEGATIVE},
      {"link_negative_mask", GLS_BATCH_LINK_NEGATIVE_MASK},
      {"link_label", GLS_BATCH_LINK_LABEL},
      {"walk", GLS_BATCH_WALK},
      {"walk_edge", GLS_BATCH_WALK_EDGE},
      {"walk_mask", GLS_BATCH_WALK_MASK},
      {"near_seed", GLS_BATCH_NEAR_SEED},
      {"near_node", GLS_BATCH_NEAR_NODE},
      {"near_score", GLS_BATCH_NEAR_SCORE},
      {"near_mask", GLS_BATCH_NEAR_MASK},
      {"anchor_positive", GLS_BATCH_ANCHOR_POSITIVE},
      {"anchor_negative", GLS_BATCH_ANCHOR_NEGATIVE},
      {"anchor_mask", GLS_BATCH_ANCHOR_MASK},
      {"input", GLS_BATCH_INPUT},
  };
  for (size_t i = 0; i < COUNT_OF(kArrays); ++i) {
    if (strcmp(kArrays[i].name, name) == 0) {
      return kArrays[i].array;
    }
  }
  fail_msg("no array is called %s", name);
  return -1;
}

static void expect_array(const gls_batch_t *batch, const json_t *expected) {
  gls_tensor_t *const tensor =
      batch_array(batch, array_of(get_text(expected, "array", "")),
                  get_text(expected, "type", NULL), get_text(expected, "name", NULL));
  const DLTensor *const view = &tensor->dl_tensor;
  const json_t *const shape = json_object_get(expected, "shape");
  assert_int_equal(view->ndim, json_array_size(shape));
  for (size_t d = 0; d < json_array_size(shape); ++d) {
    assert_int_equal(view->shape[d], number_of(json_array_get(shape, d)));
  }
  const json_t *const values = json_object_get(expected, "values");
  assert_int_equal(tensor_elements(tensor), json_array_size(values));
  size_t i = 0;
  const json_t *value = NULL;
  json_array_foreach(values, i, value) {
    if (view->dtype.code == kDLFloat) {
      assert_int_equal(view->dtype.bits, 32);
      assert_true(((const float *)tensor_data(tensor))[i] == (float)json_number_value(value));
    } else if (view->dtype.code == kDLBool) {
      assert_int_equal(((const uint8_t *)tensor_data(tensor))[i], json_integer_value(value));
    } else {
      assert_int_equal(id_at(tensor, (int64_t)i), json_integer_value(value));
    }
  }
  gls_tensor_release(tensor);
}

static gls_tensor_t *ids_or_null(const json_t *array) {
  if (array == NULL) {
    return NULL;
  }
  size_t count = 0;
  int64_t *const values = get_array(array, &count);
  gls_tensor_t *const out = ids64(count, values);
  free(values);
  return out;
}

static void read_sizes(const json_t *pad, gls_pad_size_t *sizes, gls_pad_options_t *out) {
  const json_t *const list = json_object_get(pad, "sizes");
  assert_in_range(json_array_size(list), 0, MOST - 1);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *const size = json_array_get(list, i);
    sizes[i].type = json_string_value(json_array_get(size, 0));
    sizes[i].rows = json_integer_value(json_array_get(size, 1));
  }
  out->sizes = sizes;
  out->num_sizes = json_array_size(list);
  out->batches = (uint32_t)get_number(pad, "batches", 0);
  out->multiple = (uint32_t)get_number(pad, "multiple", 0);
  out->sigma = json_number_value(json_object_get(pad, "sigma"));
}

/* A loader of the case; NULL where it must fail, as it does. */
static gls_loader_t *padding_loader(gls_sampler_t *sampler, const json_t *test) {
  const json_t *const given = json_object_get(test, "loader");
  gls_pad_size_t sizes[MOST];
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  read_sizes(json_object_get(test, "pad"), sizes, &pad);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  const char *const type = get_text(given, "type", NULL);
  options.node_type = get_flag(given, "links") ? NULL : type;
  options.edge_type = get_flag(given, "links") ? type : NULL;
  options.batch_size = (uint32_t)get_number(given, "batch_size", 0);
  options.flags = (get_flag(given, "drop_last") ? GLS_LOADER_DROP_LAST : 0u) |
                  (get_flag(given, "shuffle") ? GLS_LOADER_SHUFFLE : 0u);
  options.pad = &pad;
  options.batches = get_number(given, "batches", 0);
  options.clusters = ids_or_null(json_object_get(given, "clusters"));
  options.seed_rule = options.clusters != NULL ? GLS_SEEDS_CLUSTER
                      : options.batches > 0    ? GLS_SEEDS_DRAW
                                               : GLS_SEEDS_ORDER;
  struct storage storage;
  memset(&storage, 0, sizeof storage);
  gls_tensor_t *labels[MOST];
  const json_t *const list = json_object_get(given, "labels");
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const DLTensor *const rows = read_rows(&storage, json_array_get(list, i));
    labels[i] = rows == NULL ? NULL : copied(rows->data, rows->dtype, rows->ndim, rows->shape);
  }
  options.anchor_labels = labels;
  options.num_anchor_labels = json_array_size(list);
  free_storage(&storage);
  gls_tensor_t *const ids = ids_or_null(json_object_get(given, "ids"));
  const char *const error = get_text(test, "error", NULL);
  gls_loader_t *out = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_loader_create(sampler, ids, &options, &out, &err);
  check_result(status, error == NULL ? GLS_OK : status_of(error), err, NULL, "loader", __FILE__,
               __LINE__);
  if (status != GLS_OK) { /* nothing was taken */
    gls_tensor_release(ids);
    gls_tensor_release(options.clusters);
    for (size_t i = 0; i < options.num_anchor_labels; ++i) {
      gls_tensor_release(labels[i]);
    }
  }
  return out;
}

void replay_pad(const struct graphs *graphs, const json_t *test, uint32_t flags) {
  struct storage storage;
  memset(&storage, 0, sizeof storage);
  gls_sampler_options_t sampling = read_options(&storage, json_object_get(test, "options"));
  sampling.flags |= flags;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(find_graph(graphs, get_text(test, "graph", "")), &sampling, &sampler,
                        &err));
  gls_loader_t *const loader = padding_loader(sampler, test);
  gls_sampler_release(sampler);
  free_storage(&storage);
  if (loader == NULL) {
    return;
  }
  const json_t *const expected = json_object_get(test, "expected");
  const char *type = NULL;
  json_t *rows = NULL;
  json_object_foreach(json_object_get(expected, "sizes"), type, rows) {
    int64_t size = -1;
    OK(gls_loader_pad_size(loader, type, &size, &err));
    assert_int_equal(size, number_of(rows));
  }
  const json_t *const show = json_object_get(test, "show");
  const json_t *const batches = json_object_get(expected, "batches");
  assert_int_equal(json_array_size(show), json_array_size(batches));
  const uint64_t epoch = get_number(json_object_get(test, "loader"), "epoch", 0);
  for (size_t i = 0; i < json_array_size(show); ++i) {
    gls_batch_t *batch = NULL;
    OK(gls_loader_sample(loader, epoch, number_of(json_array_get(show, i)), &batch, &err));
    const json_t *const wanted = json_array_get(batches, i);
    gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(gls_batch_get_info(batch, &info, &err));
    const bool fits = strcmp(get_text(wanted, "padding", ""), "fits") == 0;
    assert_int_equal(info.padding, fits ? GLS_PADDING_FITS : GLS_PADDING_OVERFLOW);
    const json_t *const arrays = json_object_get(wanted, "arrays");
    assert_int_equal(gls_batch_num_arrays(batch), json_array_size(arrays));
    for (size_t a = 0; a < json_array_size(arrays); ++a) {
      expect_array(batch, json_array_get(arrays, a));
    }
    gls_batch_release(batch);
  }
  gls_loader_release(loader);
}
