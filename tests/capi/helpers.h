/* What the tests of the C ABI share: checked calls, tensors, small graphs, and batches as numbers.
 * The tests see the library only through gls.h. */
#ifndef GLS_TESTS_CAPI_HELPERS_H
#define GLS_TESTS_CAPI_HELPERS_H

#include <gls.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Needs declarations of some of the above.
#include <cmocka.h>

/* ---- checked calls ----------------------------------------------------------------------------
 */

static inline void check_result(gls_status_t status, gls_status_t expected, gls_error_t *err,
                                const char *argument, const char *call, const char *file,
                                int line) {
  if (status != expected) {
    print_error("%s:%d: %s\n  returned %s (%s), expected %s\n", file, line, call,
                gls_status_name(status), err != NULL ? gls_error_message(err) : "no message",
                gls_status_name(expected));
    gls_error_release(err);
    _fail(file, line);
  }
  if (expected >= 0) {
    assert_null(err); /* left as it was */
    return;
  }
  assert_non_null(err);
  assert_int_equal(gls_error_status(err), expected);
  assert_true(strlen(gls_error_message(err)) > 0);
  if (argument != NULL) {
    const char *const detail = gls_error_detail(err, "argument");
    if (detail == NULL || strcmp(detail, argument) != 0) {
      print_error("%s:%d: %s\n  \"%s\" names the argument %s, expected %s\n", file, line, call,
                  gls_error_message(err), detail != NULL ? detail : "(none)", argument);
      gls_error_release(err);
      _fail(file, line);
    }
  }
  gls_error_release(err);
}

/* Makes a call whose last argument is `&err` and expects `expected`; for an error also that it
 * names `argument` (unless that is NULL). */
#define EXPECT(expected, argument, call)                                           \
  do {                                                                             \
    gls_error_t *err = NULL;                                                       \
    const gls_status_t status_ = (call);                                           \
    check_result(status_, (expected), err, (argument), #call, __FILE__, __LINE__); \
  } while (0)
#define OK(call) EXPECT(GLS_OK, NULL, call)
#define FAILS(code, argument, call) EXPECT(code, argument, call)

/* ---- tensors ----------------------------------------------------------------------------------
 */

static const DLDataType kInt32 = {kDLInt, 32, 1};
static const DLDataType kInt64 = {kDLInt, 64, 1};
static const DLDataType kFloat32 = {kDLFloat, 32, 1};
static const DLDataType kFloat64 = {kDLFloat, 64, 1};

static inline DLTensor view_of(void *data, DLDataType dtype, int32_t ndim, const int64_t *shape) {
  const DLTensor view = {data, {kDLCPU, 0}, ndim, dtype, (int64_t *)shape, NULL, 0};
  return view;
}

/* Counts how often memory was given back. */
static inline void count_release(void *counter) { atomic_fetch_add((atomic_int *)counter, 1); }

/* Memory of the test, which outlives the tensor; `released` may be NULL. */
static inline gls_tensor_t *wrapped(void *data, DLDataType dtype, int32_t ndim,
                                    const int64_t *shape, atomic_int *released) {
  const DLTensor view = view_of(data, dtype, ndim, shape);
  gls_tensor_t *out = NULL;
  OK(gls_tensor_wrap(&view, 0, released, released != NULL ? count_release : NULL, &out, &err));
  return out;
}

static inline gls_tensor_t *copied(const void *data, DLDataType dtype, int32_t ndim,
                                   const int64_t *shape) {
  size_t bytes = dtype.bits / 8u;
  for (int32_t d = 0; d < ndim; ++d) {
    bytes *= (size_t)shape[d];
  }
  void *const memory = malloc(bytes + 1);
  assert_non_null(memory);
  if (data != NULL && bytes > 0) {
    memcpy(memory, data, bytes);
  }
  const DLTensor view = view_of(memory, dtype, ndim, shape);
  gls_tensor_t *out = NULL;
  OK(gls_tensor_wrap(&view, 0, memory, free, &out, &err));
  return out;
}

static inline gls_tensor_t *ids64(size_t count, const int64_t *values) {
  const int64_t shape = (int64_t)count;
  return copied(values, kInt64, 1, &shape);
}
static inline gls_tensor_t *ids32(size_t count, const int64_t *values) {
  int32_t *const narrow = malloc((count + 1) * sizeof *narrow);
  assert_non_null(narrow);
  for (size_t i = 0; i < count; ++i) {
    narrow[i] = (int32_t)values[i];
  }
  const int64_t shape = (int64_t)count;
  gls_tensor_t *const out = copied(narrow, kInt32, 1, &shape);
  free(narrow);
  return out;
}
static inline gls_tensor_t *floats(int64_t rows, int64_t width, const float *values) {
  const int64_t shape[2] = {rows, width};
  return copied(values, kFloat32, width == 0 ? 1 : 2, shape);
}
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define LIST(...) \
  COUNT_OF(((const int64_t[]){__VA_ARGS__})), (const int64_t[]) { __VA_ARGS__ }
/* IDS(1, 2, 3): a new int64 tensor. */
#define IDS(...) ids64(LIST(__VA_ARGS__))
#define IDS32(...) ids32(LIST(__VA_ARGS__))
/* Declares `name`, a borrowed view of int64 ids. */
#define ID_VIEW(name, ...)                                           \
  int64_t name##_values[] = {__VA_ARGS__};                           \
  const int64_t name##_shape[] = {(int64_t)COUNT_OF(name##_values)}; \
  const DLTensor name = view_of(name##_values, kInt64, 1, name##_shape)

/* ---- contexts and graphs ----------------------------------------------------------------------
 */

static inline gls_context_t *make_context(uint32_t threads) {
  gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
  options.num_threads = threads;
  gls_context_t *ctx = NULL;
  OK(gls_context_create(&options, &ctx, &err));
  return ctx;
}

static inline gls_builder_t *make_builder(gls_context_t *ctx) {
  gls_builder_t *builder = NULL;
  OK(gls_builder_create(ctx, &builder, &err));
  return builder;
}

/* Builds and releases the builder. */
static inline gls_dataset_t *finish_builder(gls_builder_t *builder, uint32_t layouts) {
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.layouts = layouts;
  gls_dataset_t *dataset = NULL;
  OK(gls_builder_build(builder, &options, &dataset, &err));
  gls_builder_release(builder);
  return dataset;
}

#define RING_TYPE "node__to__node"

/* A ring: node v has `degree` edges from v + 1, v + 2, ... (modulo `nodes`), edge v * degree + j
 * being the j-th. Columns: "x" float32 [nodes, 3], x[v] = {v, v + 0.25, -v}; "y" int64, 10 * v, a
 * label; of edges "w" float32, 1 + e % 3, a weight, and "f" float32 [edges, 2], {e, -e}, a feature.
 * Id set "train": the even nodes. Both layouts. */
static inline gls_builder_t *ring_builder(gls_context_t *ctx, int64_t nodes, int64_t degree) {
  const size_t n = (size_t)nodes;
  const size_t m = (size_t)(nodes * degree);
  int64_t *const source = malloc((m + 1) * sizeof *source);
  int64_t *const target = malloc((m + 1) * sizeof *target);
  int64_t *const label = malloc((n + 1) * sizeof *label);
  float *const x = malloc((3 * n + 1) * sizeof *x);
  float *const w = malloc((m + 1) * sizeof *w);
  float *const f = malloc((2 * m + 1) * sizeof *f);
  assert_true(source != NULL && target != NULL && label != NULL && x != NULL && w != NULL &&
              f != NULL);
  for (size_t e = 0; e < m; ++e) {
    target[e] = (int64_t)e / degree;
    source[e] = (target[e] + 1 + (int64_t)e % degree) % nodes;
    w[e] = (float)(1 + e % 3);
    f[2 * e] = (float)e;
    f[2 * e + 1] = -(float)e;
  }
  for (size_t v = 0; v < n; ++v) {
    x[3 * v] = (float)v;
    x[3 * v + 1] = (float)v + 0.25f;
    x[3 * v + 2] = -(float)v;
    label[v] = 10 * (int64_t)v;
  }
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t type = GLS_NODE_TYPE_OPTIONS_INIT;
  type.num_nodes = nodes;
  OK(gls_builder_add_node_type(builder, "node", &type, &err));
  OK(gls_builder_add_edges(builder, RING_TYPE, ids64(m, source), ids64(m, target), NULL, &err));
  OK(gls_builder_add_node_column(builder, "node", "x", GLS_ROLE_FEATURE, floats(nodes, 3, x),
                                 &err));
  OK(gls_builder_add_node_column(builder, "node", "y", GLS_ROLE_LABEL, ids64(n, label), &err));
  OK(gls_builder_add_edge_column(builder, RING_TYPE, "w", GLS_ROLE_WEIGHT, floats((int64_t)m, 0, w),
                                 &err));
  OK(gls_builder_add_edge_column(builder, RING_TYPE, "f", GLS_ROLE_FEATURE,
                                 floats((int64_t)m, 2, f), &err));
  size_t even = 0;
  for (size_t v = 0; v < n; v += 2) {
    label[even++] = (int64_t)v;
  }
  OK(gls_builder_add_id_set(builder, "node", "train", ids64(even, label), &err));
  free(source);
  free(target);
  free(label);
  free(x);
  free(w);
  free(f);
  return builder;
}

static inline gls_dataset_t *make_ring(gls_context_t *ctx, int64_t nodes, int64_t degree) {
  return finish_builder(ring_builder(ctx, nodes, degree), GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
}

/* Users and items, "user__likes__item" and back "item__rev_likes__user": user u likes the items
 * u % items and (u + 1) % items. CSC only. */
static inline gls_dataset_t *make_bipartite(gls_context_t *ctx, int64_t users, int64_t items) {
  const size_t m = (size_t)(2 * users);
  int64_t *const source = malloc((m + 1) * sizeof *source);
  int64_t *const target = malloc((m + 1) * sizeof *target);
  assert_true(source != NULL && target != NULL);
  for (size_t e = 0; e < m; ++e) {
    source[e] = (int64_t)(e / 2);
    target[e] = (int64_t)(e / 2 + e % 2) % items;
  }
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t type = GLS_NODE_TYPE_OPTIONS_INIT;
  type.num_nodes = users;
  OK(gls_builder_add_node_type(builder, "user", &type, &err));
  type.num_nodes = items;
  OK(gls_builder_add_node_type(builder, "item", &type, &err));
  gls_edge_type_options_t edges = GLS_EDGE_TYPE_OPTIONS_INIT;
  edges.flags = GLS_EDGES_ADD_REVERSE;
  OK(gls_builder_add_edges(builder, "user__likes__item", ids64(m, source), ids64(m, target), &edges,
                           &err));
  free(source);
  free(target);
  return finish_builder(builder, GLS_LAYOUT_CSC);
}

/* ---- samplers and loaders ---------------------------------------------------------------------
 */

static const int64_t kTwoHops[] = {3, 2};
static const gls_fanout_t kFanouts[] = {{NULL, kTwoHops, 2}};

static inline gls_sampler_options_t sampler_options(uint32_t flags) {
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.fanouts = kFanouts;
  options.num_fanouts = 1;
  options.flags = flags;
  options.seed = 7;
  return options;
}
static inline gls_sampler_t *make_sampler(gls_dataset_t *dataset, uint32_t flags) {
  const gls_sampler_options_t options = sampler_options(flags);
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &options, &sampler, &err));
  return sampler;
}
static inline gls_batch_t *sample_ids(const gls_sampler_t *sampler, const char *type, size_t count,
                                      const int64_t *ids) {
  const int64_t shape = (int64_t)count;
  const DLTensor view = view_of((void *)ids, kInt64, 1, &shape);
  const gls_seed_set_t seeds = {type, &view};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  gls_batch_t *batch = NULL;
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  return batch;
}
static inline gls_loader_t *make_loader(gls_sampler_t *sampler,
                                        const gls_loader_options_t *options) {
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(sampler, NULL, options, &loader, &err));
  return loader;
}
/* 40 batches of a ring that take their time: thousands of trees of one node each. */
static inline gls_loader_t *make_slow_loader(gls_dataset_t *ring, gls_sampler_t **slow) {
  static const int64_t many[] = {20, 20};
  const gls_fanout_t fanout = {NULL, many, 2};
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_DISJOINT);
  options.fanouts = &fanout;
  options.num_fanouts = 1;
  options.replace = GLS_REPLACE_ALWAYS;
  OK(gls_sampler_create(ring, &options, slow, &err));
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 5000;
  loading.flags = GLS_LOADER_NO_COLUMNS;
  loading.num_workers = 1;
  static const int64_t zeros[40 * 5000] = {0};
  const int64_t count = 40 * 5000;
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(*slow, wrapped((void *)zeros, kInt64, 1, &count, NULL), &loading, &loader,
                       &err));
  return loader;
}
/* The next batch; NULL at the end of the epoch. */
static inline gls_batch_t *next_batch(gls_loader_t *loader) {
  gls_batch_t *batch = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_loader_next(loader, -1, &batch, &err);
  if (status == GLS_END) {
    assert_null(batch);
    return NULL;
  }
  check_result(status, GLS_OK, err, NULL, "gls_loader_next", __FILE__, __LINE__);
  return batch;
}

/* ---- batches as numbers -----------------------------------------------------------------------
 */

/* NULL for an array without memory. */
static inline const void *tensor_data(const gls_tensor_t *tensor) {
  const char *const data = tensor->dl_tensor.data;
  return data != NULL ? data + tensor->dl_tensor.byte_offset : NULL;
}
static inline int64_t tensor_elements(const gls_tensor_t *tensor) {
  int64_t count = 1;
  for (int32_t d = 0; d < tensor->dl_tensor.ndim; ++d) {
    count *= tensor->dl_tensor.shape[d];
  }
  return count;
}
static inline int64_t id_at(const gls_tensor_t *tensor, int64_t index) {
  return tensor->dl_tensor.dtype.bits == 64 ? ((const int64_t *)tensor_data(tensor))[index]
                                            : ((const int32_t *)tensor_data(tensor))[index];
}
static inline gls_tensor_t *batch_array(const gls_batch_t *batch, int32_t array, const char *type,
                                        const char *name) {
  gls_tensor_t *out = NULL;
  OK(gls_batch_tensor(batch, array, type, name, &out, &err));
  return out;
}
static inline void check_ids(const gls_batch_t *batch, int32_t array, const char *type,
                             size_t count, const int64_t *expected, int line) {
  gls_tensor_t *const tensor = batch_array(batch, array, type, NULL);
  bool equal = tensor_elements(tensor) == (int64_t)count;
  for (size_t i = 0; equal && i < count; ++i) {
    equal = id_at(tensor, (int64_t)i) == expected[i];
  }
  if (!equal) {
    print_error("line %d: array %d is", line, array);
    for (int64_t i = 0; i < tensor_elements(tensor); ++i) {
      print_error(" %lld", (long long)id_at(tensor, i));
    }
    print_error("\n");
  }
  gls_tensor_release(tensor);
  assert_true(equal);
}
/* EXPECT_IDS(batch, GLS_BATCH_NODE, "paper", 1, 2, 3) */
#define EXPECT_IDS(batch, array, type, ...) \
  check_ids(batch, array, type, LIST(__VA_ARGS__), __LINE__)

static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
  }
  return h;
}
/* Of everything in a batch but the times: equal digests mean byte-equal batches. */
static inline uint64_t batch_digest(const gls_batch_t *batch) {
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  uint64_t h = UINT64_C(14695981039346656037);
  h = hash_bytes(h, &info.epoch, sizeof info.epoch);
  h = hash_bytes(h, &info.batch, sizeof info.batch);
  for (size_t i = 0; i < gls_batch_num_arrays(batch); ++i) {
    gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
    OK(gls_batch_get_array_info(batch, i, &array, &err));
    gls_tensor_t *const tensor = batch_array(batch, array.array, array.type, array.name);
    const DLTensor *const dl = &tensor->dl_tensor;
    h = hash_bytes(h, &array.array, sizeof array.array);
    h = hash_bytes(h, array.type, strlen(array.type));
    h = hash_bytes(h, array.name != NULL ? array.name : "", array.name ? strlen(array.name) : 0);
    h = hash_bytes(h, dl->shape, (size_t)dl->ndim * sizeof *dl->shape);
    h = hash_bytes(h, tensor_data(tensor), (size_t)tensor_elements(tensor) * dl->dtype.bits / 8);
    gls_tensor_release(tensor);
  }
  return h;
}
/* Digests of what is left of the epoch, at most `most`; returns how many batches there were. */
static inline size_t drain(gls_loader_t *loader, uint64_t *digests, size_t most) {
  size_t count = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; ++count) {
    if (count < most) {
      digests[count] = batch_digest(batch);
    }
    gls_batch_release(batch);
  }
  return count;
}

#endif /* GLS_TESTS_CAPI_HELPERS_H */
