/* Arrow's structs in and out of the C ABI: ownership, options, and a stream through a dataset and
 * back. tests/unit/ingest/ingest_arrow_test.cc has the types. */
#include "helpers.h"

/* ---- a stream of two batches with the fields s, t (int64) and w (float32) ---- */

static atomic_int streams_released;
static atomic_int arrays_released;

static void release_schema(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; ++i) {
    free(schema->children[i]);
  }
  free((void *)schema->children);
  schema->release = NULL;
}

static void fill_schema(struct ArrowSchema *out, const char *format, const char *name) {
  memset(out, 0, sizeof *out);
  out->format = format;
  out->name = name;
  out->release = release_schema;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  (void)stream;
  static const char *const kFormats[3] = {"l", "l", "f"};
  static const char *const kNames[3] = {"s", "t", "w"};
  fill_schema(out, "+s", "");
  out->n_children = 3;
  out->children = (struct ArrowSchema **)calloc(3, sizeof *out->children);
  for (int i = 0; i < 3; ++i) {
    out->children[i] = (struct ArrowSchema *)calloc(1, sizeof *out);
    fill_schema(out->children[i], kFormats[i], kNames[i]);
  }
  return 0;
}

static int64_t sources[4] = {0, 1, 2, 0};
static int64_t targets[4] = {1, 2, 0, 2};
static float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};

static void release_array(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; ++i) {
    free((void *)array->children[i]->buffers);
    free(array->children[i]);
  }
  free((void *)array->children);
  free((void *)array->buffers);
  array->release = NULL;
  atomic_fetch_add(&arrays_released, 1);
}

static void keep_array(struct ArrowArray *array) { array->release = NULL; }

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  memset(out, 0, sizeof *out);
  int *const batch = (int *)stream->private_data;
  if (*batch == 2) {
    return 0;
  }
  const void *const values[3] = {sources + 2 * *batch, targets + 2 * *batch, weights + 2 * *batch};
  ++*batch;
  out->length = 2;
  out->n_buffers = 1;
  out->buffers = (const void **)calloc(1, sizeof *out->buffers);
  out->n_children = 3;
  out->children = (struct ArrowArray **)calloc(3, sizeof *out->children);
  out->release = release_array;
  for (int i = 0; i < 3; ++i) {
    struct ArrowArray *const child = (struct ArrowArray *)calloc(1, sizeof *child);
    child->length = 2;
    child->n_buffers = 2;
    child->buffers = (const void **)calloc(2, sizeof *child->buffers);
    child->buffers[1] = values[i];
    child->release = keep_array;
    out->children[i] = child;
  }
  return 0;
}

static void release_stream(struct ArrowArrayStream *stream) {
  free(stream->private_data);
  stream->release = NULL;
  atomic_fetch_add(&streams_released, 1);
}

static struct ArrowArrayStream edge_stream(void) {
  struct ArrowArrayStream stream;
  memset(&stream, 0, sizeof stream);
  stream.get_schema = get_schema;
  stream.get_next = get_next;
  stream.release = release_stream;
  stream.private_data = calloc(1, sizeof(int));
  return stream;
}

static gls_context_t *context;
static gls_builder_t *builder;

static int set_up(void **state) {
  (void)state;
  atomic_store(&streams_released, 0);
  atomic_store(&arrays_released, 0);
  OK(gls_context_create(NULL, &context, &err));
  OK(gls_builder_create(context, &builder, &err));
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  gls_builder_release(builder);
  gls_context_release(context);
  return 0;
}

static void a_stream_goes_in_and_comes_out(void **state) {
  (void)state;
  struct ArrowArrayStream stream = edge_stream();
  const gls_arrow_column_t column = {"w",  "weight",        "float64",       NULL,
                                     NULL, GLS_ROLE_WEIGHT, GLS_ARROW_COLUMN};
  gls_arrow_options_t options = GLS_ARROW_OPTIONS_INIT;
  options.source_field = "s";
  options.target_field = "t";
  options.columns = &column;
  options.num_columns = 1;
  OK(gls_builder_add_edges_arrow(builder, "n__e__n", &stream, &options, &err));
  assert_null(stream.release); /* moved */
  gls_dataset_t *dataset = NULL;
  OK(gls_builder_build(builder, NULL, &dataset, &err));
  assert_int_equal(atomic_load(&streams_released), 1);
  assert_int_equal(atomic_load(&arrays_released), 2);
  assert_int_equal(gls_dataset_num_edges(dataset, "n__e__n"), 4);

  struct ArrowArrayStream out;
  OK(gls_dataset_edges_to_arrow(dataset, NULL, &out, &err));
  gls_dataset_release(dataset); /* the stream keeps it */
  struct ArrowSchema schema;
  assert_int_equal(out.get_schema(&out, &schema), 0);
  assert_int_equal(schema.n_children, 3);
  assert_string_equal(schema.format, "+s");
  assert_string_equal(schema.children[0]->name, "_source");
  assert_string_equal(schema.children[1]->name, "_target");
  assert_string_equal(schema.children[2]->name, "weight");
  assert_string_equal(schema.children[2]->format, "g");
  schema.release(&schema);
  struct ArrowArray array;
  assert_int_equal(out.get_next(&out, &array), 0);
  assert_int_equal(array.length, 4);
  /* A child may be moved out, and lives on without its parent and the stream. */
  struct ArrowArray weight = *array.children[2];
  array.children[2]->release = NULL;
  const int64_t *const from = (const int64_t *)array.children[0]->buffers[1];
  const int64_t *const to = (const int64_t *)array.children[1]->buffers[1];
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(from[i], sources[i]);
    assert_int_equal(to[i], targets[i]);
  }
  array.release(&array);
  assert_int_equal(out.get_next(&out, &array), 0);
  assert_null(array.release); /* the end */
  assert_null(out.get_last_error(&out));
  out.release(&out);
  assert_null(out.release);
  for (int i = 0; i < 4; ++i) {
    assert_true(((const double *)weight.buffers[1])[i] == (double)weights[i]);
  }
  weight.release(&weight);
}

static void a_call_that_fails_leaves_the_stream(void **state) {
  (void)state;
  struct ArrowArrayStream stream = edge_stream();
  gls_arrow_options_t options = GLS_ARROW_OPTIONS_INIT;
  options.source_field = "source";
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "source_field",
         gls_builder_add_edges_arrow(builder, "n__e__n", &stream, &options, &err));
  options.source_field = "w";
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "source_field",
         gls_builder_add_edges_arrow(builder, "n__e__n", &stream, &options, &err));
  options.source_field = "s";
  options.target_field = "t";
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "target_field",
         gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  options.target_field = NULL;
  options.flags = GLS_EDGES_ADD_REVERSE;
  EXPECT(GLS_ERR_UNSUPPORTED, "flags",
         gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  options.flags = 0;
  options.num_columns = 1;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "columns",
         gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  gls_arrow_column_t column = {"w", NULL, NULL, NULL, NULL, GLS_ROLE_FEATURE, 3};
  options.columns = &column;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "use",
         gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  column.use = GLS_ARROW_COLUMN;
  column.role = 9;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "role",
         gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  column.role = GLS_ROLE_FEATURE;
  column.dtype = "float";
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "dtype",
         gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  column.dtype = NULL;
  column.field = NULL;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "column.field",
         gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "edge_type",
         gls_builder_add_edges_arrow(builder, "n", &stream, NULL, &err));
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "stream",
         gls_builder_add_edges_arrow(builder, "n__e__n", NULL, NULL, &err));
  assert_non_null(stream.release);
  assert_int_equal(atomic_load(&streams_released), 0);
  stream.release(&stream);
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "stream",
         gls_builder_add_edges_arrow(builder, "n__e__n", &stream, NULL, &err));
}

static void all_fields_become_columns(void **state) {
  (void)state;
  struct ArrowArrayStream stream = edge_stream();
  gls_arrow_options_t options = GLS_ARROW_OPTIONS_INIT;
  options.flags = GLS_ARROW_ALL_FIELDS;
  OK(gls_builder_add_nodes_arrow(builder, "n", &stream, &options, &err));
  gls_dataset_t *dataset = NULL;
  OK(gls_builder_build(builder, NULL, &dataset, &err));
  gls_column_info_t info = GLS_INIT(gls_column_info_t);
  OK(gls_dataset_get_node_column_info(dataset, "n", 2, &info, &err));
  assert_string_equal(info.name, "w");
  assert_null(info.logical_type);
  struct ArrowArrayStream out;
  OK(gls_dataset_nodes_to_arrow(dataset, "n", &out, &err));
  struct ArrowArray array;
  assert_int_equal(out.get_next(&out, &array), 0);
  assert_int_equal(array.n_children, 4);
  assert_int_equal(((const int64_t *)array.children[0]->buffers[1])[3], 3); /* _id */
  array.release(&array);
  out.release(&out);
  EXPECT(GLS_ERR_NOT_FOUND, NULL, gls_dataset_nodes_to_arrow(dataset, "m", &out, &err));
  gls_dataset_release(dataset);
}

static void an_unread_stream_is_released_with_its_builder(void **state) {
  (void)state;
  struct ArrowArrayStream stream = edge_stream();
  OK(gls_builder_add_edges_arrow(builder, "n__e__n", &stream, NULL, &err));
  gls_builder_release(builder);
  builder = NULL;
  assert_int_equal(atomic_load(&streams_released), 1);
}

static void tensors_become_arrays_in_place(void **state) {
  (void)state;
  float numbers[6] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[2] = {3, 2};
  atomic_int released = 0;
  gls_tensor_t *tensor = wrapped(numbers, kFloat32, 2, shape, &released);
  struct ArrowSchema schema;
  struct ArrowArray array;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "schema", gls_tensor_to_arrow(tensor, NULL, &array, &err));
  EXPECT(GLS_ERR_INVALID_ARGUMENT, "tensor", gls_tensor_to_arrow(NULL, &schema, &array, &err));
  OK(gls_tensor_to_arrow(tensor, &schema, &array, &err));
  assert_string_equal(schema.format, "+w:2");
  assert_string_equal(schema.children[0]->format, "f");
  schema.release(&schema);
  assert_int_equal(array.length, 3);
  assert_int_equal(array.null_count, 0);
  assert_int_equal(array.children[0]->length, 6);
  assert_ptr_equal(array.children[0]->buffers[1], numbers);
  assert_int_equal(atomic_load(&released), 0);
  array.release(&array);
  assert_int_equal(atomic_load(&released), 1);

  uint8_t truths[3] = {0, 1, 1};
  const DLDataType boolean = {kDLBool, 8, 1};
  tensor = wrapped(truths, boolean, 1, shape, NULL);
  OK(gls_tensor_to_arrow(tensor, &schema, &array, &err));
  assert_string_equal(schema.format, "b");
  assert_int_equal(((const uint8_t *)array.buffers[1])[0], 6);
  schema.release(&schema);
  array.release(&array);

  uint16_t halves[3] = {0, 0, 0};
  const DLDataType bfloat16 = {kDLBfloat, 16, 1};
  tensor = wrapped(halves, bfloat16, 1, shape, NULL);
  EXPECT(GLS_ERR_UNSUPPORTED, NULL, gls_tensor_to_arrow(tensor, &schema, &array, &err));
  gls_tensor_release(tensor); /* it stayed here */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_stream_goes_in_and_comes_out, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_call_that_fails_leaves_the_stream, set_up, tear_down),
      cmocka_unit_test_setup_teardown(all_fields_become_columns, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_unread_stream_is_released_with_its_builder, set_up,
                                      tear_down),
      cmocka_unit_test(tensors_become_arrays_in_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
