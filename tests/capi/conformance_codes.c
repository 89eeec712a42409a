/* Conformance vectors of quantised columns: of nodes and of edges, each of which is the loop at its
 * node. */
#include "conformance.h"

static const DLDataType kBytes = {kDLUInt, 8, 1};

static gls_tensor_t *packed_rows(const json_t *rows) {
  const size_t width = json_array_size(json_array_get(rows, 0));
  const int64_t shape[2] = {(int64_t)json_array_size(rows), (int64_t)width};
  uint8_t *const bytes = malloc(json_array_size(rows) * width + 1);
  assert_non_null(bytes);
  for (size_t i = 0; i < json_array_size(rows) * width; ++i) {
    bytes[i] = (uint8_t)number_of(json_array_get(json_array_get(rows, i / width), i % width));
  }
  gls_tensor_t *const out = copied(bytes, kBytes, 2, shape);
  free(bytes);
  return out;
}

/* Numbers of any list, to be freed. */
static float *read_floats(const json_t *list) {
  float *const out = malloc((json_array_size(list) + 1) * sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    out[i] = (float)json_number_value(json_array_get(list, i));
  }
  return out;
}

static void expect_column(const gls_batch_t *batch, int32_t array, const char *name,
                          const json_t *rows, int64_t width) {
  gls_tensor_t *const column = batch_array(batch, array, NULL, name);
  assert_int_equal(column->dl_tensor.dtype.code, kDLFloat);
  assert_int_equal(column->dl_tensor.dtype.bits, 32);
  assert_int_equal(column->dl_tensor.ndim, 2);
  assert_int_equal(column->dl_tensor.shape[0], json_array_size(rows));
  assert_int_equal(column->dl_tensor.shape[1], width);
  for (size_t r = 0; r < json_array_size(rows); ++r) {
    float *const expected = read_floats(json_array_get(rows, r));
    const float *const got = (const float *)tensor_data(column) + r * (size_t)width;
    assert_memory_equal(got, expected, (size_t)width * sizeof *got);
    free(expected);
  }
  gls_tensor_release(column);
}

static void expect_decoded(gls_dataset_t *dataset, const json_t *test) {
  const json_t *const expected = json_object_get(test, "expected");
  gls_column_info_t info = {.struct_size = sizeof info};
  OK(gls_dataset_get_node_column_info(dataset, NULL, 0, &info, &err));
  const json_t *const codebook = json_object_get(expected, "codebook");
  assert_int_equal(info.bits, get_number(test, "bits", 0));
  assert_int_equal(json_array_size(codebook), (size_t)1 << info.bits);
  float *const steps = read_floats(codebook);
  assert_memory_equal(info.codebook, steps, json_array_size(codebook) * sizeof *steps);
  free(steps);
  gls_sampler_t *const sampler = make_sampler(dataset, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  size_t count = 0;
  int64_t *const rows = get_array(json_object_get(test, "rows"), &count);
  options.batch_size = (uint32_t)count;
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(sampler, ids64(count, rows), &options, &loader, &err));
  free(rows);
  gls_batch_t *const batch = next_batch(loader);
  assert_non_null(batch);
  const json_t *const values = json_object_get(expected, "values");
  const int64_t width = (int64_t)get_number(test, "width", 0);
  expect_column(batch, GLS_BATCH_NODE_COLUMN, "x", values, width);
  expect_column(batch, GLS_BATCH_EDGE_COLUMN, "f", values, width);
  gls_batch_release(batch);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

void replay_codes(gls_context_t *ctx, const json_t *test) {
  const json_t *const packed = json_object_get(test, "packed");
  const char *const error = get_text(test, "error", NULL);
  const gls_status_t wanted = error == NULL ? GLS_OK : status_of(error);
  const json_t *const given = json_object_get(test, "codebook");
  float *const codebook = given == NULL ? NULL : read_floats(given);
  gls_quantization_options_t how = GLS_QUANTIZATION_OPTIONS_INIT;
  how.bits = (uint32_t)get_number(test, "bits", 0);
  how.width = (int64_t)get_number(test, "width", 0);
  how.codebook = codebook;
  how.num_codebook = json_array_size(given);
  how.low = json_number_value(json_object_get(test, "low"));
  how.high = json_number_value(json_object_get(test, "high"));
  const size_t nodes = json_array_size(packed);
  int64_t *const loops = malloc(nodes * sizeof *loops);
  assert_non_null(loops);
  for (size_t v = 0; v < nodes; ++v) {
    loops[v] = (int64_t)v;
  }
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "node__to__node", ids64(nodes, loops), ids64(nodes, loops),
                           NULL, &err));
  free(loops);
  for (int of_edges = 0; of_edges < 2; ++of_edges) {
    gls_tensor_t *const codes = packed_rows(packed);
    gls_error_t *err = NULL;
    const gls_status_t status =
        of_edges
            ? gls_builder_add_edge_codes(builder, NULL, "f", GLS_ROLE_FEATURE, codes, &how, &err)
            : gls_builder_add_node_codes(builder, NULL, "x", GLS_ROLE_FEATURE, codes, &how, &err);
    check_result(status, wanted, err, NULL, "codes", __FILE__, __LINE__);
    if (status != GLS_OK) { /* nothing was taken */
      gls_tensor_release(codes);
    }
  }
  if (wanted == GLS_OK) {
    gls_dataset_t *const dataset = finish_builder(builder, 0);
    expect_decoded(dataset, test);
    gls_dataset_release(dataset);
  } else {
    gls_builder_release(builder);
  }
  free(codebook);
}
