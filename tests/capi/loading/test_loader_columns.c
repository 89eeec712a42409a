/* What a loader gathers: by role, by request, for the seeds only, of edges, and widened. */
#include <math.h>

#include "helpers.h"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* 20 nodes, 3 in-edges each */

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, 20, 3);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_context_release(ctx);
  return 0;
}

/* The first batch of a loader over four seeds a batch. */
static gls_batch_t *first_batch(gls_dataset_t *dataset, uint32_t sampler_flags,
                                uint32_t loader_flags, size_t count,
                                const gls_column_request_t *columns) {
  gls_sampler_t *const sampler = make_sampler(dataset, sampler_flags);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 4;
  options.flags = loader_flags;
  options.columns = columns;
  options.num_columns = count;
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_t *const batch = next_batch(loader);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  return batch;
}
static void refused(uint32_t sampler_flags, size_t count, const gls_column_request_t *columns,
                    gls_status_t code) {
  gls_sampler_t *const sampler = make_sampler(ring, sampler_flags);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.columns = columns;
  options.num_columns = count;
  gls_loader_t *loader = NULL;
  FAILS(code, NULL, gls_loader_create(sampler, NULL, &options, &loader, &err));
  assert_null(loader);
  gls_sampler_release(sampler);
}
static bool has(const gls_batch_t *batch, int32_t array, const char *name, int32_t rows) {
  for (size_t i = 0; i < gls_batch_num_arrays(batch); ++i) {
    gls_array_info_t info = {sizeof info, 0, 0, NULL, NULL};
    OK(gls_batch_get_array_info(batch, i, &info, &err));
    if (info.array == array && info.name != NULL && strcmp(info.name, name) == 0) {
      assert_int_equal(info.rows, rows);
      return true;
    }
  }
  return false;
}
static gls_column_request_t column(const char *type, const char *name, int32_t rows,
                                   DLDataType dtype) {
  const gls_column_request_t out = {type, name, rows, dtype};
  return out;
}
static const DLDataType kStored = {0, 0, 0};

/* ---- by role ----------------------------------------------------------------------------------
 */

static void check_x(const gls_batch_t *batch, int64_t rows) {
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
  rows = rows < 0 ? tensor_elements(node) : rows;
  assert_int_equal(x->dl_tensor.ndim, 2);
  assert_int_equal(x->dl_tensor.shape[0], rows);
  assert_int_equal(x->dl_tensor.shape[1], 3);
  for (int64_t i = 0; i < rows; ++i) {
    const float *const row = (const float *)tensor_data(x) + i * x->dl_tensor.strides[0];
    const float id = (float)id_at(node, i);
    assert_true(row[0] == id && row[1] == id + 0.25f && row[2] == -id);
  }
  gls_tensor_release(node);
  gls_tensor_release(x);
}

static void features_and_labels_by_default(void **state) {
  (void)state;
  gls_batch_t *const batch = first_batch(ring, 0, 0, 0, NULL);
  assert_true(has(batch, GLS_BATCH_NODE_COLUMN, "x", GLS_GATHER_ALL));
  assert_true(has(batch, GLS_BATCH_NODE_COLUMN, "y", GLS_GATHER_SEEDS));
  assert_false(has(batch, GLS_BATCH_EDGE_COLUMN, "f", GLS_GATHER_ALL)); /* no edge ids */
  assert_false(has(batch, GLS_BATCH_EDGE_COLUMN, "w", GLS_GATHER_ALL));
  check_x(batch, -1);
  EXPECT_IDS(batch, GLS_BATCH_SEED, NULL, 0, 1, 2, 3);
  gls_tensor_t *const y = batch_array(batch, GLS_BATCH_NODE_COLUMN, "node", "y");
  assert_int_equal(y->dl_tensor.shape[0], 4);
  for (int64_t i = 0; i < 4; ++i) {
    assert_int_equal(id_at(y, i), 10 * i);
  }
  gls_tensor_release(y);
  gls_batch_release(batch);
}

static void edge_features_with_edge_ids(void **state) {
  (void)state;
  gls_batch_t *const batch = first_batch(ring, GLS_SAMPLE_EDGE_IDS, 0, 0, NULL);
  assert_true(has(batch, GLS_BATCH_EDGE_COLUMN, "f", GLS_GATHER_ALL));
  assert_false(has(batch, GLS_BATCH_EDGE_COLUMN, "w", GLS_GATHER_ALL));
  gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
  gls_tensor_t *const f = batch_array(batch, GLS_BATCH_EDGE_COLUMN, NULL, "f");
  assert_int_equal(f->dl_tensor.shape[0], tensor_elements(edge));
  for (int64_t i = 0; i < tensor_elements(edge); ++i) {
    const float *const row = (const float *)tensor_data(f) + i * f->dl_tensor.strides[0];
    assert_true(row[0] == (float)id_at(edge, i) && row[1] == -(float)id_at(edge, i));
  }
  gls_tensor_release(edge);
  gls_tensor_release(f);
  gls_batch_release(batch);
}

static void nothing_on_request(void **state) {
  (void)state;
  gls_batch_t *batch = first_batch(ring, GLS_SAMPLE_EDGE_IDS, GLS_LOADER_NO_COLUMNS, 0, NULL);
  gls_tensor_t *tensor = NULL;
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_NODE_COLUMN, NULL, "x", &tensor, &err));
  assert_null(tensor);
  gls_batch_release(batch);
  const gls_column_request_t x = column(NULL, "x", 0, kStored);
  batch = first_batch(ring, 0, GLS_LOADER_NO_COLUMNS, 1, &x); /* nothing else, that is */
  check_x(batch, -1);
  gls_batch_release(batch);
}

/* ---- by request -------------------------------------------------------------------------------
 */

static void columns_by_name(void **state) {
  (void)state;
  const gls_column_request_t columns[] = {
      column("node", "y", GLS_GATHER_ALL, kStored),
      column(NULL, "x", GLS_GATHER_SEEDS, kStored),
      column(RING_TYPE, "w", GLS_GATHER_AUTO, kStored),
  };
  gls_batch_t *const batch = first_batch(ring, GLS_SAMPLE_EDGE_IDS, 0, 3, columns);
  assert_true(has(batch, GLS_BATCH_NODE_COLUMN, "y", GLS_GATHER_ALL));
  assert_true(has(batch, GLS_BATCH_NODE_COLUMN, "x", GLS_GATHER_SEEDS));
  assert_true(has(batch, GLS_BATCH_EDGE_COLUMN, "w", GLS_GATHER_ALL));
  assert_false(has(batch, GLS_BATCH_EDGE_COLUMN, "f", GLS_GATHER_ALL));
  check_x(batch, 4);
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  gls_tensor_t *const y = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "y");
  assert_int_equal(tensor_elements(y), tensor_elements(node));
  for (int64_t i = 0; i < tensor_elements(y); ++i) {
    assert_int_equal(id_at(y, i), 10 * id_at(node, i));
  }
  gls_tensor_release(node);
  gls_tensor_release(y);
  gls_batch_release(batch);
}

static void columns_that_cannot_be_gathered(void **state) {
  (void)state;
  const struct {
    gls_column_request_t column;
    gls_status_t code;
  } bad[] = {
      {column(NULL, NULL, 0, kStored), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "z", 0, kStored), GLS_ERR_NOT_FOUND},
      {column("node", "w", 0, kStored), GLS_ERR_NOT_FOUND},
      {column("nodes", "x", 0, kStored), GLS_ERR_NOT_FOUND},
      {column(NULL, "x", 3, kStored), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "x", -1, kStored), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "w", GLS_GATHER_SEEDS, kStored), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "x", 0, kFloat64), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "y", 0, kFloat32), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "y", 0, kInt32), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "x", 0, (DLDataType){kDLFloat, 0, 0}), GLS_ERR_INVALID_ARGUMENT},
      {column(NULL, "x", 0, (DLDataType){kDLFloat, 32, 2}), GLS_ERR_INVALID_ARGUMENT},
  };
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    refused(GLS_SAMPLE_EDGE_IDS, 1, &bad[i].column, bad[i].code);
  }
  const gls_column_request_t w = column(NULL, "w", 0, kStored);
  refused(0, 1, &w, GLS_ERR_INVALID_ARGUMENT); /* no edge ids */
  const gls_column_request_t twice[] = {column(NULL, "x", 0, kStored),
                                        column("node", "x", GLS_GATHER_SEEDS, kStored)};
  refused(0, 2, twice, GLS_ERR_INVALID_ARGUMENT);
  const gls_column_request_t same = column(NULL, "x", 0, kFloat32); /* as stored, said aloud */
  gls_batch_t *const batch = first_batch(ring, 0, 0, 1, &same);
  check_x(batch, -1);
  gls_batch_release(batch);
}

/* A column of each 16-bit kind; every value is widened exactly. */
static void sixteen_bits_to_float32(void **state) {
  (void)state;
  static const uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x3555};
  static const float half_values[] = {0.0f,     -0.0f,         1.0f,     -2.0f,
                                      65504.0f, 5.9604645e-8f, INFINITY, 0.33325195f};
  static const uint16_t brains[] = {0x0000, 0x8000, 0x3f80, 0xc000, 0x7f7f, 0x0080, 0x7f80, 0x3eab};
  static const float brain_values[] = {0.0f,          -0.0f,          1.0f,     -2.0f,
                                       3.3895314e38f, 1.1754944e-38f, INFINITY, 0.33398438f};
  const int64_t eight = 8;
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, 1, 2, 3, 4, 5, 6, 7),
                           IDS(1, 2, 3, 4, 5, 6, 7, 0), NULL, &err));
  OK(gls_builder_add_node_column(builder, "a", "half", GLS_ROLE_FEATURE,
                                 copied(halves, (DLDataType){kDLFloat, 16, 1}, 1, &eight), &err));
  OK(gls_builder_add_node_column(builder, "a", "brain", GLS_ROLE_FEATURE,
                                 copied(brains, (DLDataType){kDLBfloat, 16, 1}, 1, &eight), &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  const gls_column_request_t wide[] = {column("a", "half", 0, kFloat32),
                                       column("a", "brain", 0, kFloat32)};
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  for (int widened = 0; widened < 2; ++widened) {
    options.columns = widened ? wide : NULL;
    options.num_columns = widened ? 2 : 0;
    gls_loader_t *const loader = make_loader(sampler, &options);
    gls_batch_t *const batch = next_batch(loader);
    for (int which = 0; which < 2; ++which) {
      gls_tensor_t *const got =
          batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, which ? "brain" : "half");
      assert_int_equal(got->dl_tensor.dtype.bits, widened ? 32 : 16);
      assert_int_equal(got->dl_tensor.dtype.code, which && !widened ? kDLBfloat : kDLFloat);
      if (widened) {
        assert_memory_equal(tensor_data(got), which ? brain_values : half_values, 32);
      } else {
        assert_memory_equal(tensor_data(got), which ? brains : halves, 16);
      }
      gls_tensor_release(got);
    }
    gls_batch_release(batch);
    gls_loader_release(loader);
  }
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

/* Columns of every type and shape, of nodes, of seeds and of edges, give their bytes. */
static void every_type_of_column(void **state) {
  (void)state;
  enum { kRows = 20, kMost = kRows * 6 * 8 };
  static const DLDataType types[] = {
      {kDLBool, 8, 1},   {kDLInt, 8, 1},    {kDLInt, 16, 1},    {kDLInt, 32, 1},  {kDLInt, 64, 1},
      {kDLUInt, 8, 1},   {kDLUInt, 16, 1},  {kDLUInt, 32, 1},   {kDLUInt, 64, 1}, {kDLFloat, 16, 1},
      {kDLFloat, 32, 1}, {kDLFloat, 64, 1}, {kDLBfloat, 16, 1},
  };
  static const int64_t shapes[][3] = {{kRows, 0, 0}, {kRows, 3, 0}, {kRows, 2, 3}};
  uint8_t stored[kMost];
  for (size_t t = 0; t < COUNT_OF(types); ++t) {
    for (int32_t ndim = 1; ndim <= 3; ++ndim) {
      const bool boolean = types[t].code == kDLBool;
      for (size_t i = 0; i < kMost; ++i) {
        stored[i] = boolean ? i % 3 == 0 : (uint8_t)(i * 37 + t);
      }
      const int64_t *const shape = shapes[ndim - 1];
      size_t row = types[t].bits / 8;
      for (int32_t d = 1; d < ndim; ++d) {
        row *= (size_t)shape[d];
      }
      gls_builder_t *const builder = ring_builder(ctx, kRows, 1);
      OK(gls_builder_add_node_column(builder, "node", "c", GLS_ROLE_LABEL,
                                     copied(stored, types[t], ndim, shape), &err));
      OK(gls_builder_add_node_column(builder, "node", "all", GLS_ROLE_FEATURE,
                                     copied(stored, types[t], ndim, shape), &err));
      OK(gls_builder_add_edge_column(builder, RING_TYPE, "e", GLS_ROLE_FEATURE,
                                     copied(stored, types[t], ndim, shape), &err));
      gls_dataset_t *const dataset = finish_builder(builder, GLS_LAYOUT_CSC);
      gls_batch_t *const batch = first_batch(dataset, GLS_SAMPLE_EDGE_IDS, 0, 0, NULL);
      for (int which = 0; which < 3; ++which) {
        static const char *const names[] = {"c", "all", "e"};
        gls_tensor_t *const ids =
            batch_array(batch, which == 2 ? GLS_BATCH_EDGE : GLS_BATCH_NODE, NULL, NULL);
        gls_tensor_t *const got = batch_array(
            batch, which == 2 ? GLS_BATCH_EDGE_COLUMN : GLS_BATCH_NODE_COLUMN, NULL, names[which]);
        const int64_t rows = which == 0 ? 4 : tensor_elements(ids);
        assert_true(rows >= 4);
        assert_int_equal(got->dl_tensor.ndim, ndim);
        assert_int_equal(got->dl_tensor.shape[0], rows);
        assert_int_equal(got->dl_tensor.dtype.code, types[t].code);
        assert_int_equal(got->dl_tensor.dtype.bits, types[t].bits);
        for (int64_t i = 0; i < rows; ++i) {
          assert_memory_equal((const uint8_t *)tensor_data(got) + (size_t)i * row,
                              stored + (size_t)id_at(ids, i) * row, row);
        }
        gls_tensor_release(ids);
        gls_tensor_release(got);
      }
      gls_batch_release(batch);
      gls_dataset_release(dataset);
    }
  }
}

static void odd_columns(void **state) {
  (void)state;
  static const uint8_t bytes[] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const int64_t nothing_wide[] = {4, 0};
  static const int64_t deep[] = {4, 1, 2, 1};
  const int64_t four = 4;
  const DLDataType boolean = {kDLBool, 8, 1};
  const DLDataType octet = {kDLUInt, 8, 1};
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, 1, 2, 3), IDS(1, 2, 3, 0), NULL, &err));
  OK(gls_builder_add_node_column(builder, "a", "none", 0, copied(bytes, kFloat32, 2, nothing_wide),
                                 &err));
  OK(gls_builder_add_node_column(builder, "a", "deep", 0, copied(bytes, octet, 4, deep), &err));
  OK(gls_builder_add_node_column(builder, "a", "bool", 0, copied(bytes, boolean, 1, &four), &err));
  OK(gls_builder_add_edge_column(builder, NULL, "none", 0, copied(bytes, kFloat32, 2, nothing_wide),
                                 &err));
  int16_t strided[20]; /* rows of 3 numbers, 5 apart */
  for (int16_t i = 0; i < 20; ++i) {
    strided[i] = i;
  }
  int64_t shape[] = {4, 3};
  int64_t strides[] = {5, 1};
  DLTensor view = view_of(strided, (DLDataType){kDLInt, 16, 1}, 2, shape);
  view.strides = strides;
  gls_tensor_t *rows = NULL;
  OK(gls_tensor_wrap(&view, 1, NULL, NULL, &rows, &err));
  OK(gls_builder_add_node_column(builder, "a", "strided", 0, rows, &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  gls_batch_t *const batch = first_batch(dataset, GLS_SAMPLE_EDGE_IDS, 0, 0, NULL);
  EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, 0, 1, 2, 3);
  gls_tensor_t *got = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "none");
  assert_int_equal(got->dl_tensor.shape[0], 4);
  assert_int_equal(got->dl_tensor.shape[1], 0);
  gls_tensor_release(got);
  got = batch_array(batch, GLS_BATCH_EDGE_COLUMN, NULL, "none");
  assert_int_equal(got->dl_tensor.shape[1], 0);
  gls_tensor_release(got);
  got = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "deep");
  assert_int_equal(got->dl_tensor.ndim, 4);
  assert_memory_equal(tensor_data(got), bytes, 8);
  gls_tensor_release(got);
  got = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "bool");
  assert_int_equal(got->dl_tensor.dtype.code, kDLBool);
  assert_memory_equal(tensor_data(got), bytes, 4);
  gls_tensor_release(got);
  got = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "strided");
  for (int64_t r = 0; r < 4; ++r) {
    const int16_t *const row = (const int16_t *)tensor_data(got) + r * got->dl_tensor.strides[0];
    assert_int_equal(row[0], 5 * r);
    assert_int_equal(row[2], 5 * r + 2);
  }
  gls_tensor_release(got);
  gls_batch_release(batch);
  gls_dataset_release(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(features_and_labels_by_default),
      cmocka_unit_test(every_type_of_column),
      cmocka_unit_test(edge_features_with_edge_ids),
      cmocka_unit_test(nothing_on_request),
      cmocka_unit_test(columns_by_name),
      cmocka_unit_test(columns_that_cannot_be_gathered),
      cmocka_unit_test(sixteen_bits_to_float32),
      cmocka_unit_test(odd_columns),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
