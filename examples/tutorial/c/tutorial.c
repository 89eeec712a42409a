/* The tutorial in C: see ../README.md.
 *
 *   cc tutorial.c $(pkg-config --cflags --libs gls) -o tutorial && ./tutorial ../ratings.csv FOLDER
 */
#include <gls.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 1000, DEGREE = 5, EDGES = NODES * DEGREE, WIDTH = 2, TRAIN = NODES / 2 };

static int64_t source[EDGES], target[EDGES], y[NODES], train[TRAIN];
static float x[NODES][WIDTH];

/* [check] */
static gls_error_t *err = NULL;

/* Ends the program when a call failed; states such as GLS_END are positive and pass. */
static gls_status_t check(gls_status_t status) {
  if (status < 0) {
    fprintf(stderr, "%s: %s\n", gls_status_name(status), gls_error_message(err));
    exit(1);
  }
  return status;
}
/* [check end] */

static void expect(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
  }
}

/* Every node has five in-neighbours; everything else follows from its number. */
static void make_arrays(void) {
  for (int64_t e = 0; e < EDGES; ++e) {
    target[e] = e / DEGREE;
    source[e] = (7 * (e / DEGREE) + 31 * (e % DEGREE) + 1) % NODES;
  }
  for (int64_t v = 0; v < NODES; ++v) {
    x[v][0] = (float)v;
    x[v][1] = (float)(v % 10);
    y[v] = v % 10;
  }
  for (int64_t i = 0; i < TRAIN; ++i) {
    train[i] = 2 * i;
  }
}

/* [wrap] */
static const DLDataType kInt64 = {kDLInt, 64, 1};
static const DLDataType kFloat32 = {kDLFloat, 32, 1};

/* A tensor of memory that outlives it; nothing is copied. */
static gls_tensor_t *wrap(void *data, DLDataType dtype, int64_t rows, int64_t width) {
  int64_t shape[] = {rows, width};
  DLTensor view = {data, {kDLCPU, 0}, width > 0 ? 2 : 1, dtype, shape, NULL, 0};
  gls_tensor_t *tensor = NULL;
  check(gls_tensor_wrap(&view, 1, NULL, NULL, &tensor, &err));
  return tensor;
}
/* [wrap end] */

static gls_dataset_t *build(gls_context_t *context) {
  /* [arrays] */
  gls_builder_t *builder = NULL;
  check(gls_builder_create(context, &builder, &err));
  check(gls_builder_add_edges(builder, "node__to__node", wrap(source, kInt64, EDGES, 0),
                              wrap(target, kInt64, EDGES, 0), NULL, &err));
  check(gls_builder_add_node_column(builder, "node", "x", GLS_ROLE_FEATURE,
                                    wrap(x, kFloat32, NODES, WIDTH), &err));
  check(gls_builder_add_node_column(builder, "node", "y", GLS_ROLE_LABEL, wrap(y, kInt64, NODES, 0),
                                    &err));
  check(gls_builder_add_id_set(builder, "node", "train", wrap(train, kInt64, TRAIN, 0), &err));
  gls_dataset_t *dataset = NULL;
  check(gls_builder_build(builder, NULL, &dataset, &err));
  gls_builder_release(builder);
  /* [arrays end] */
  return dataset;
}

static gls_loader_t *make_loader(gls_dataset_t *dataset, uint32_t workers) {
  /* [loader] */
  const int64_t per_hop[] = {3, 2}; /* three in-neighbours of a seed, two of each of those */
  const gls_fanout_t fanout = {NULL, per_hop, 2};
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.fanouts = &fanout;
  sampling.num_fanouts = 1;
  sampling.seed = 42;
  gls_sampler_t *sampler = NULL;
  check(gls_sampler_create(dataset, &sampling, &sampler, &err));

  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.id_set = "train";
  loading.batch_size = 64;
  loading.flags = GLS_LOADER_SHUFFLE;
  loading.num_workers = workers;
  gls_loader_t *loader = NULL;
  check(gls_loader_create(sampler, NULL, &loading, &loader, &err));
  gls_sampler_release(sampler); /* the loader keeps it alive */
  /* [loader end] */
  return loader;
}

static uint64_t digest;
static uint64_t batches, edges;

static void start_digest(void) {
  digest = UINT64_C(0xcbf29ce484222325);
  batches = edges = 0;
}

static void fold(int64_t value) { digest = (digest ^ (uint64_t)value) * UINT64_C(0x100000001b3); }

/* [tensor] */
static gls_tensor_t *array_of(gls_batch_t *batch, int32_t array, const char *column) {
  gls_tensor_t *tensor = NULL;
  check(gls_batch_tensor(batch, array, NULL, column, &tensor, &err));
  return tensor;
}

static const int64_t *numbers(const gls_tensor_t *tensor) { return tensor->dl_tensor.data; }
/* [tensor end] */

/* Stands for a step of training: looks at all a model would get, and checks it. */
static void use(gls_batch_t *batch) {
  /* [use] */
  gls_tensor_t *node = array_of(batch, GLS_BATCH_NODE, NULL);
  gls_tensor_t *row = array_of(batch, GLS_BATCH_ROW, NULL);
  gls_tensor_t *col = array_of(batch, GLS_BATCH_COL, NULL);
  gls_tensor_t *features = array_of(batch, GLS_BATCH_NODE_COLUMN, "x");
  gls_tensor_t *labels = array_of(batch, GLS_BATCH_NODE_COLUMN, "y"); /* of the seeds */

  const int64_t num_nodes = node->dl_tensor.shape[0];
  const int64_t num_edges = row->dl_tensor.shape[0];
  const int64_t num_seeds = labels->dl_tensor.shape[0];
  const int64_t *id = numbers(node);
  /* [use end] */
  const int64_t stride = features->dl_tensor.strides[0];
  for (int64_t i = 0; i < num_nodes; ++i) {
    const float *values = (const float *)features->dl_tensor.data + i * stride;
    expect((int64_t)values[0] == id[i] && (int64_t)values[1] == id[i] % 10, "features");
    fold(id[i]);
    fold((int64_t)values[0]);
  }
  for (int64_t i = 0; i < num_seeds; ++i) {
    expect(numbers(labels)[i] == id[i] % 10, "labels");
    fold(numbers(labels)[i]);
  }
  for (int64_t e = 0; e < num_edges; ++e) {
    const int64_t from = id[numbers(row)[e]], to = id[numbers(col)[e]];
    const int64_t step = ((from - 7 * to - 1) % NODES + NODES) % NODES;
    expect(step % 31 == 0 && step / 31 < DEGREE, "an edge that the graph has not");
    fold(from);
    fold(to);
  }
  batches += 1;
  edges += (uint64_t)num_edges;
  gls_tensor_release(node);
  gls_tensor_release(row);
  gls_tensor_release(col);
  gls_tensor_release(features);
  gls_tensor_release(labels);
}

/* Takes at most `limit` batches of the epoch. */
static void take(gls_loader_t *loader, int limit) {
  /* [epoch] */
  gls_batch_t *batch = NULL;
  while (limit-- > 0 && check(gls_loader_next(loader, -1, &batch, &err)) != GLS_END) {
    use(batch);
    gls_batch_release(batch);
  }
  /* [epoch end] */
}

static void resume(gls_dataset_t *dataset) {
  /* [resume] */
  gls_loader_t *first = make_loader(dataset, 0);
  take(first, 3);
  char state[GLS_LOADER_STATE_MAX];
  check(gls_loader_save(first, state, sizeof state, NULL, &err));
  gls_loader_release(first);

  gls_loader_t *second = make_loader(dataset, 1); /* elsewhere, with another number of threads */
  check(gls_loader_restore(second, state, &err));
  take(second, INT32_MAX);
  gls_loader_release(second);
  /* [resume end] */
}

/* Imports the ratings; returns how many movies ada rated. */
static int64_t import(gls_context_t *context, const char *csv, const char *folder) {
  /* [csv] */
  const char *type = "user__rates__movie";
  gls_node_type_options_t named = GLS_NODE_TYPE_OPTIONS_INIT;
  named.ids = GLS_IDS_STRING;
  const gls_text_column_t stars = {"stars", NULL, "float32", GLS_ROLE_WEIGHT, 0};
  gls_text_options_t text = GLS_TEXT_OPTIONS_INIT;
  text.source_field = "user";
  text.target_field = "movie";
  text.columns = &stars;
  text.num_columns = 1;
  text.flags = GLS_EDGES_ADD_REVERSE; /* movie__rev_rates__user: a way from a user to movies */
  gls_write_options_t writing = GLS_WRITE_OPTIONS_INIT;
  writing.overwrite = 1;

  gls_builder_t *builder = NULL;
  check(gls_builder_create(context, &builder, &err));
  check(gls_builder_add_node_type(builder, "user", &named, &err));
  check(gls_builder_add_node_type(builder, "movie", &named, &err));
  check(gls_builder_add_edges_text(builder, type, csv, &text, &err));
  check(gls_builder_write(builder, folder, &writing, &err)); /* now the file is read */
  gls_builder_release(builder);
  /* [csv end] */

  /* [open] */
  gls_dataset_t *ratings = NULL;
  check(gls_dataset_open(context, folder, NULL, &ratings, &err));
  int64_t ada = -1;
  check(gls_dataset_find_node(ratings, "user", "ada", &ada, &err));

  const int64_t all[] = {-1};
  const gls_fanout_t fanout = {NULL, all, 1};
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.fanouts = &fanout;
  sampling.num_fanouts = 1;
  gls_sampler_t *sampler = NULL;
  check(gls_sampler_create(ratings, &sampling, &sampler, &err));

  gls_tensor_t *ids = wrap(&ada, kInt64, 1, 0);
  const gls_seed_set_t seeds = {"user", &ids->dl_tensor};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  gls_batch_t *batch = NULL;
  check(gls_sampler_sample(sampler, &request, &batch, &err));
  gls_tensor_t *movies = NULL;
  check(gls_batch_tensor(batch, GLS_BATCH_NODE, "movie", NULL, &movies, &err));
  const int64_t count = movies->dl_tensor.shape[0];
  for (int64_t i = 0; i < count; ++i) {
    char key[256];
    check(gls_dataset_node_key(ratings, "movie", numbers(movies)[i], key, sizeof key, NULL, &err));
    printf("ada rated %s\n", key);
    fold(numbers(movies)[i]);
  }
  /* [open end] */
  gls_tensor_release(movies);
  gls_batch_release(batch);
  gls_tensor_release(ids);
  gls_sampler_release(sampler);
  gls_dataset_release(ratings);
  return count;
}

static void fail(gls_dataset_t *dataset) {
  const int64_t per_hop[] = {3};
  const gls_fanout_t fanout = {NULL, per_hop, 1};
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.fanouts = &fanout;
  sampling.num_fanouts = 1;
  gls_sampler_t *sampler = NULL;
  check(gls_sampler_create(dataset, &sampling, &sampler, &err));
  /* [errors] */
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.id_set = "training";
  gls_loader_t *loader = NULL;
  gls_status_t status = gls_loader_create(sampler, NULL, &loading, &loader, &err);
  expect(status == GLS_ERR_NOT_FOUND, "an id set that is not there");
  printf("%s: %s\n", gls_status_name(status), gls_error_message(err));
  gls_error_release(err);

  int64_t beyond = NODES; /* there are nodes 0 .. 999 */
  gls_tensor_t *seeds = wrap(&beyond, kInt64, 1, 0);
  status = gls_loader_create(sampler, seeds, NULL, &loader, &err);
  expect(status == GLS_ERR_INVALID_ARGUMENT, "a seed that is not there");
  expect(strcmp(gls_error_detail(err, "argument"), "seeds") == 0, "the detail");
  printf("%s: %s\n", gls_status_name(status), gls_error_message(err));
  gls_error_release(err);
  err = NULL;
  gls_tensor_release(seeds); /* the call failed, so it was not taken */
  /* [errors end] */
  gls_sampler_release(sampler);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s ratings.csv FOLDER\n", argv[0]);
    return 2;
  }
  make_arrays();
  gls_context_t *context = NULL;
  check(gls_context_create(NULL, &context, &err));
  gls_dataset_t *dataset = build(context);

  start_digest();
  gls_loader_t *loader = make_loader(dataset, 0);
  take(loader, INT32_MAX);
  gls_loader_release(loader);
  const uint64_t whole = digest;
  start_digest();
  resume(dataset);
  expect(digest == whole, "a resumed epoch is not the whole one");
  expect(batches == 8, "the number of batches");

  fail(dataset);
  const int64_t movies = import(context, argv[1], argv[2]);
  expect(movies == 3, "the number of movies");
  printf("digest %016" PRIx64 ", %" PRIu64 " batches, %" PRIu64 " edges, %" PRId64 " movies\n",
         digest, batches, edges, movies);
  gls_dataset_release(dataset);
  gls_context_release(context);
  return 0;
}
