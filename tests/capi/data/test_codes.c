/* Quantised columns: packed, stored, decoded. */
#include <math.h>

#include "files.h"
#include "helpers.h"

static const DLDataType kUint8 = {kDLUInt, 8, 1};
enum { kNodes = 23 };

static gls_context_t *ctx;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_context_release(ctx);
  return 0;
}

static int64_t packed_width(uint32_t bits, int64_t width) { return (width * bits + 7) / 8; }
/* Number i of row v has this code; every byte holds stray bits after the last code. */
static uint32_t code_of(uint32_t bits, int64_t v, int64_t i) {
  return (uint32_t)(v * 7 + i * 5 + i / 3) % (1u << bits);
}
static gls_tensor_t *pack(uint32_t bits, int64_t rows, int64_t width) {
  const int64_t shape[2] = {rows, packed_width(bits, width)};
  uint8_t *const bytes = malloc((size_t)(shape[0] * shape[1]) + 1);
  assert_non_null(bytes);
  for (int64_t v = 0; v < rows; ++v) {
    for (int64_t b = 0; b < shape[1]; ++b) {
      uint32_t byte = 0;
      for (int64_t i = b * 8 / bits; i < (b + 1) * 8 / bits; ++i) {
        byte = byte << bits | (i < width ? code_of(bits, v, i) : (1u << bits) - 1);
      }
      bytes[v * shape[1] + b] = (uint8_t)byte;
    }
  }
  gls_tensor_t *const out = copied(bytes, kUint8, 2, shape);
  free(bytes);
  return out;
}
static void fill_codebook(float *codebook) {
  for (int c = 0; c < 256; ++c) {
    codebook[c] = 1.0f / (float)(c - 100.5) + (float)c;
  }
}
static gls_quantization_options_t with_codebook(uint32_t bits, int64_t width,
                                                const float *codebook) {
  gls_quantization_options_t out = GLS_QUANTIZATION_OPTIONS_INIT;
  out.bits = bits;
  out.width = width;
  out.codebook = codebook;
  out.num_codebook = (size_t)1 << bits;
  return out;
}

/* Node v has an edge from v + 1. */
static gls_builder_t *chain(void) {
  int64_t from[kNodes];
  int64_t to[kNodes];
  for (int64_t v = 0; v < kNodes; ++v) {
    from[v] = (v + 1) % kNodes;
    to[v] = v;
  }
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, RING_TYPE, ids64(kNodes, from), ids64(kNodes, to), NULL, &err));
  return builder;
}

static void check_column(const gls_batch_t *batch, int32_t array, int32_t ids, const char *name,
                         uint32_t bits, int64_t width, const float *codebook) {
  gls_tensor_t *const column = batch_array(batch, array, NULL, name);
  gls_tensor_t *const id = batch_array(batch, ids, NULL, NULL);
  assert_int_equal(column->dl_tensor.dtype.code, kDLFloat);
  assert_int_equal(column->dl_tensor.dtype.bits, 32);
  assert_int_equal(column->dl_tensor.ndim, 2);
  assert_int_equal(column->dl_tensor.shape[1], width);
  assert_int_equal(column->dl_tensor.shape[0], tensor_elements(id));
  const float *const values = tensor_data(column);
  for (int64_t r = 0; r < tensor_elements(id); ++r) {
    for (int64_t i = 0; i < width; ++i) {
      const float expected = codebook[code_of(bits, id_at(id, r), i)];
      assert_memory_equal(&values[r * width + i], &expected, sizeof expected);
    }
  }
  gls_tensor_release(column);
  gls_tensor_release(id);
}
static void check_dataset(gls_dataset_t *dataset, uint32_t bits, int64_t width,
                          const float *codebook) {
  gls_column_info_t info = {.struct_size = sizeof info};
  OK(gls_dataset_get_node_column_info(dataset, "node", 0, &info, &err));
  assert_string_equal(info.name, "x");
  assert_int_equal(info.dtype.code, kDLFloat);
  assert_int_equal(info.dtype.bits, 32);
  assert_int_equal(info.ndim, 2);
  assert_int_equal(info.shape[0], kNodes);
  assert_int_equal(info.shape[1], width);
  assert_int_equal(info.bits, bits);
  assert_memory_equal(info.codebook, codebook, sizeof(float) << bits);
  gls_tensor_t *stored = NULL;
  OK(gls_dataset_tensor(dataset, GLS_ARRAY_NODE_COLUMN, NULL, "x", &stored, &err));
  assert_int_equal(stored->dl_tensor.dtype.code, kDLUInt);
  assert_int_equal(stored->dl_tensor.shape[1], packed_width(bits, width));
  gls_tensor_release(stored);
  OK(gls_dataset_verify(dataset, NULL, &err));
  for (uint32_t flags = 0; flags <= GLS_SAMPLE_INT32; flags += GLS_SAMPLE_INT32) {
    gls_sampler_t *const sampler = make_sampler(dataset, flags | GLS_SAMPLE_EDGE_IDS);
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.batch_size = 7;
    gls_loader_t *const loader = make_loader(sampler, &options);
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
      check_column(batch, GLS_BATCH_NODE_COLUMN, GLS_BATCH_NODE, "x", bits, width, codebook);
      check_column(batch, GLS_BATCH_EDGE_COLUMN, GLS_BATCH_EDGE, "f", bits, width, codebook);
    }
    gls_loader_release(loader);
    gls_sampler_release(sampler);
  }
}

static const uint32_t kBits[] = {1, 2, 4, 8};
static const int64_t kWidths[] = {1, 2, 3, 7, 8, 13, 64, 129};

/* In memory, and through a folder. */
static void all_widths(void **state) {
  (void)state;
  float codebook[256];
  fill_codebook(codebook);
  char folder[PATH_SIZE];
  char path[PATH_SIZE];
  make_folder(folder);
  join_path(path, folder, "data");
  for (size_t b = 0; b < COUNT_OF(kBits); ++b) {
    for (size_t w = 0; w < COUNT_OF(kWidths); ++w) {
      const uint32_t bits = kBits[b];
      const int64_t width = kWidths[w];
      const gls_quantization_options_t how = with_codebook(bits, width, codebook);
      gls_builder_t *const builder = chain();
      OK(gls_builder_add_node_codes(builder, NULL, "x", GLS_ROLE_FEATURE, pack(bits, kNodes, width),
                                    &how, &err));
      OK(gls_builder_add_edge_codes(builder, NULL, "f", GLS_ROLE_FEATURE, pack(bits, kNodes, width),
                                    &how, &err));
      gls_dataset_t *const made = finish_builder(builder, 0);
      check_dataset(made, bits, width, codebook);
      gls_write_options_t writing = GLS_WRITE_OPTIONS_INIT;
      writing.overwrite = 1;
      writing.compact_rows = w % 2 == 0;
      OK(gls_dataset_save(made, path, &writing, &err));
      gls_dataset_release(made);
      gls_dataset_options_t opening = GLS_DATASET_OPTIONS_INIT;
      opening.verify_checksums = 1;
      opening.residency = w % 3 == 0 ? GLS_RESIDENCY_ALL : GLS_RESIDENCY_MAPPED;
      gls_dataset_t *opened = NULL;
      OK(gls_dataset_open(ctx, path, &opening, &opened, &err));
      check_dataset(opened, bits, width, codebook);
      gls_dataset_release(opened);
    }
  }
  remove_folder(folder);
}

/* Edges that are there in both directions have their codes twice. */
static void doubled_edges(void **state) {
  (void)state;
  float codebook[256];
  fill_codebook(codebook);
  const gls_quantization_options_t how = with_codebook(4, 3, codebook);
  gls_builder_t *const builder = make_builder(ctx);
  gls_edge_type_options_t edges = GLS_EDGE_TYPE_OPTIONS_INIT;
  edges.flags = GLS_EDGES_ADD_REVERSE;
  OK(gls_builder_add_edges(builder, RING_TYPE, IDS(0, 1), IDS(1, 2), &edges, &err));
  OK(gls_builder_add_edge_codes(builder, NULL, "f", GLS_ROLE_FEATURE, pack(4, 2, 3), &how, &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  gls_column_info_t info = {.struct_size = sizeof info};
  OK(gls_dataset_get_edge_column_info(dataset, NULL, 0, &info, &err));
  assert_int_equal(info.shape[0], 4);
  assert_int_equal(info.shape[1], 3);
  assert_int_equal(info.bits, 4);
  gls_dataset_release(dataset);
}

static gls_quantization_options_t even(uint32_t bits, int64_t width, double low, double high) {
  gls_quantization_options_t out = GLS_QUANTIZATION_OPTIONS_INIT;
  out.bits = bits;
  out.width = width;
  out.low = low;
  out.high = high;
  return out;
}

/* Codes of even steps are those of the definition, and decode to what is nearest. */
static void quantized(void **state) {
  (void)state;
  for (size_t b = 0; b < COUNT_OF(kBits); ++b) {
    const uint32_t bits = kBits[b];
    const uint32_t last = (1u << bits) - 1;
    float numbers[300];
    for (int i = 0; i < 300; ++i) {
      numbers[i] = (float)i * 0.037f - 4.0f;
    }
    numbers[0] = -INFINITY;
    numbers[1] = INFINITY;
    numbers[2] = -0.5f; /* half of one step: the even code, which is 0 */
    const double low = -0.5 - 0.5 / 1;
    const double high = low + last;
    const int64_t shape[2] = {20, 15};
    const DLTensor view = view_of(numbers, kFloat32, 2, shape);
    const gls_quantization_options_t how = even(bits, 0, low, high);
    gls_tensor_t *codes = NULL;
    OK(gls_quantize(&view, &how, &codes, &err));
    assert_int_equal(codes->dl_tensor.shape[1], packed_width(bits, 15));
    const uint8_t *const bytes = tensor_data(codes);
    for (int64_t v = 0; v < 20; ++v) {
      for (int64_t i = 0; i < 15; ++i) {
        double x = numbers[v * 15 + i];
        x = x < low ? low : x > high ? high : x;
        x = (x - low) / (high - low) * last;
        const uint32_t floor = (uint32_t)x;
        const double rest = x - floor;
        const uint32_t expected = floor + (rest > 0.5 || (rest == 0.5 && floor % 2 == 1));
        const uint8_t byte = bytes[v * packed_width(bits, 15) + i * bits / 8];
        const uint32_t code = byte >> (8 - bits - i * bits % 8) & last;
        assert_int_equal(code, expected);
      }
    }
    assert_int_equal(bytes[0] >> (8 - bits), 0);
    const gls_quantization_options_t added = even(bits, 15, low, high);
    gls_builder_t *const builder = make_builder(ctx);
    gls_node_type_options_t type = GLS_NODE_TYPE_OPTIONS_INIT;
    type.num_nodes = 20;
    OK(gls_builder_add_node_type(builder, "node", &type, &err));
    OK(gls_builder_add_edges(builder, RING_TYPE, IDS(0), IDS(1), NULL, &err));
    OK(gls_builder_add_node_codes(builder, "node", "x", GLS_ROLE_FEATURE, codes, &added, &err));
    gls_dataset_t *const dataset = finish_builder(builder, 0);
    gls_column_info_t info = {.struct_size = sizeof info};
    OK(gls_dataset_get_node_column_info(dataset, NULL, 0, &info, &err));
    for (uint32_t c = 0; c <= last; ++c) {
      assert_true(info.codebook[c] == (float)(low + (double)c / last * (high - low)));
    }
    gls_dataset_release(dataset);
  }
}

static void mistakes(void **state) {
  (void)state;
  float codebook[257];
  fill_codebook(codebook);
  gls_builder_t *const builder = chain();
  gls_tensor_t *const codes = pack(4, kNodes, 5);
#define REFUSED(argument, quantization)                                                          \
  do {                                                                                           \
    const gls_quantization_options_t how_ = (quantization);                                      \
    FAILS(GLS_ERR_INVALID_ARGUMENT, argument,                                                    \
          gls_builder_add_node_codes(builder, NULL, "x", GLS_ROLE_FEATURE, codes, &how_, &err)); \
    FAILS(GLS_ERR_INVALID_ARGUMENT, argument,                                                    \
          gls_builder_add_edge_codes(builder, NULL, "x", GLS_ROLE_FEATURE, codes, &how_, &err)); \
  } while (0)
  static const uint32_t wrong_bits[] = {0, 3, 5, 16, UINT32_MAX};
  for (size_t b = 0; b < COUNT_OF(wrong_bits); ++b) {
    gls_quantization_options_t how = with_codebook(4, 5, codebook);
    how.bits = wrong_bits[b];
    REFUSED("bits", how);
    REFUSED("bits", even(wrong_bits[b], 5, 0, 1));
  }
  static const int64_t wrong_widths[] = {0, -1, INT64_MIN, INT64_MAX};
  for (size_t w = 0; w < COUNT_OF(wrong_widths); ++w) {
    REFUSED("width", with_codebook(4, wrong_widths[w], codebook));
  }
  REFUSED("codes", with_codebook(4, 4, codebook));
  REFUSED("codes", with_codebook(4, 7, codebook));
  REFUSED("codes", with_codebook(8, 5, codebook));
  gls_quantization_options_t how = with_codebook(4, 5, codebook);
  how.num_codebook = 15;
  REFUSED("codebook", how);
  how.num_codebook = 17;
  REFUSED("codebook", how);
  how.num_codebook = 0;
  REFUSED("codebook", how);
  how = with_codebook(4, 5, NULL);
  REFUSED("codebook", how);
  how = with_codebook(4, 5, codebook);
  how.high = 1;
  REFUSED("codebook", how);
  const float not_finite[] = {INFINITY, -INFINITY, NAN};
  for (size_t v = 0; v < COUNT_OF(not_finite); ++v) {
    codebook[11] = not_finite[v];
    REFUSED("codebook", with_codebook(4, 5, codebook));
  }
  REFUSED("low", even(4, 5, 1, 1));
  REFUSED("low", even(4, 5, 2, 1));
  REFUSED("low", even(4, 5, 0, NAN));
  REFUSED("low", even(4, 5, -INFINITY, 1));
  REFUSED("low", even(4, 5, -1.7e308, 1.7e308));
  how = even(4, 5, 0, 1);
  how.reserved = 1;
  FAILS(GLS_ERR_UNSUPPORTED, "reserved",
        gls_builder_add_node_codes(builder, NULL, "x", GLS_ROLE_FEATURE, codes, &how, &err));
  how = even(4, 5, 0, 1);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "role",
        gls_builder_add_node_codes(builder, NULL, "x", 9, codes, &how, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "quantization",
        gls_builder_add_node_codes(builder, NULL, "x", GLS_ROLE_FEATURE, codes, NULL, &err));
  gls_tensor_t *const flat = IDS(1, 2);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "codes",
        gls_builder_add_node_codes(builder, NULL, "x", GLS_ROLE_FEATURE, flat, &how, &err));
  gls_tensor_release(flat);
  OK(gls_builder_add_node_codes(builder, NULL, "x", GLS_ROLE_WEIGHT, codes, &how, &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  /* It has no single number in a row to be a weight, and is float32 and nothing else. */
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  gls_column_request_t request = {"node", "x", GLS_GATHER_ALL, kFloat64};
  options.columns = &request;
  options.num_columns = 1;
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_t *loader = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "columns",
        gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);

  float numbers[6] = {0, 1, 2, 3, NAN, 5};
  const int64_t shape[2] = {2, 3};
  const DLTensor view = view_of(numbers, kFloat32, 2, shape);
  const DLTensor one = view_of(numbers, kFloat32, 1, shape);
  gls_tensor_t *out = NULL;
  how = even(4, 0, 0, 1);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "numbers", gls_quantize(&view, &how, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "numbers", gls_quantize(&one, &how, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "numbers", gls_quantize(NULL, &how, &out, &err));
  how = even(4, 3, 0, 1);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "width", gls_quantize(&view, &how, &out, &err));
  how = even(5, 0, 0, 1);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "bits", gls_quantize(&view, &how, &out, &err));
  how = with_codebook(1, 0, numbers);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "codebook", gls_quantize(&view, &how, &out, &err));
  assert_null(out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_widths), cmocka_unit_test(doubled_edges),
                                     cmocka_unit_test(quantized), cmocka_unit_test(mistakes)};
  return cmocka_run_group_tests_name("codes", tests, set_up, tear_down);
}
