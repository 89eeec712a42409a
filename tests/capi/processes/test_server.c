/* Servers of parts of a graph, and the graph opened from them. Both are in this process. */
#include "feeds.h"
#include "net_key.h"

static const char kOther[] = "1111111111111111111111111111111111111111111111111111111111111111";

static gls_context_t *ctx; /* with the key */
static gls_dataset_t *ring;
static char folder[PATH_SIZE];
static char parts[PATH_SIZE];

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, 200, 4);
  make_folder(folder);
  join_path(parts, folder, "parts");
  gls_partition_options_t options = GLS_PARTITION_OPTIONS_INIT;
  options.method = GLS_PARTITION_HASH;
  options.parts = 2;
  OK(gls_dataset_partition(ring, parts, &options, &err));
  set_key(ctx, folder);
  OK(gls_context_set(ctx, "cluster.same_host", "false", &err)); /* so that there is a network */
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_context_release(ctx);
  remove_folder(folder);
  return 0;
}

static gls_server_t *start(const char *listen, uint32_t part, const char *other) {
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  options.listen = listen;
  options.parts = &part;
  options.num_parts = 1;
  options.servers = &other;
  options.num_servers = other != NULL ? 1 : 0;
  options.num_threads = 1;
  gls_server_t *server = NULL;
  OK(gls_server_start(ctx, parts, &options, &server, &err));
  return server;
}
static gls_server_info_t info_of_server(const gls_server_t *server) {
  gls_server_info_t info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(gls_server_get_info(server, &info, &err));
  return info;
}
static void place_of(char *out, const gls_server_t *server) {
  const int length = snprintf(out, PATH_SIZE, "gls://%s", gls_server_address(server));
  assert_in_range(length, 12, PATH_SIZE - 1);
}
static gls_dataset_t *open_place(gls_context_t *context, const char *place) {
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(context, place, NULL, &dataset, &err));
  return dataset;
}
static gls_loader_t *shuffled(gls_dataset_t *dataset) {
  gls_sampler_t *const sampler = make_sampler(dataset, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 8;
  options.flags = GLS_LOADER_SHUFFLE;
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_sampler_release(sampler);
  return loader;
}

/* What it gathered was asked from servers. */
static void expect_remote(const gls_loader_t *loader) {
  gls_loader_stats_t stats = {.struct_size = sizeof stats};
  OK(gls_loader_get_stats(loader, &stats, &err));
  assert_true(stats.gathered_rows > 0);
  assert_int_equal(stats.remote_rows, stats.gathered_rows);
  assert_int_equal(stats.host_rows, 0);
}

/* ---- the same batches --------------------------------------------------------------------------
 */

static void gives_the_batches_of_the_whole(void **state) {
  (void)state;
  gls_server_t *const first = start(NULL, 0, NULL);
  gls_server_t *const second = start("127.0.0.1:0", 1, gls_server_address(first));
  char place[PATH_SIZE];
  place_of(place, second); /* which knows the other */
  gls_dataset_t *const served = open_place(ctx, place);
  assert_int_equal(gls_dataset_num_nodes(served, NULL), 200);
  assert_int_equal(gls_dataset_num_edges(served, NULL), 800);
  gls_loader_t *const near = shuffled(ring);
  gls_loader_t *const far = shuffled(served);
  uint64_t expected[kMostBatches];
  uint64_t got[kMostBatches];
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    OK(gls_loader_seek(near, epoch, &err));
    OK(gls_loader_seek(far, epoch, &err));
    assert_int_equal(drain(near, expected, kMostBatches), 25);
    assert_int_equal(drain_soon(far, got), 25);
    assert_memory_equal(got, expected, 25 * sizeof *got);
  }
  expect_remote(far);
  gls_server_t *const servers[] = {first, second};
  for (int i = 0; i < 2; ++i) {
    const gls_server_info_t info = info_of_server(servers[i]);
    assert_int_equal(info.parts, 1);
    assert_int_equal(info.graph_parts, 2);
    assert_int_equal(info.clients, 1);
    assert_int_equal(info.strangers, 0);
    /* The second one says to the first where it is; that is no client. */
    assert_in_range(info.accepted, 1, i == 0 ? 2 : 1);
    assert_in_range(info.admitted, 1, i == 0 ? 2 : 1);
    assert_true(info.requests > 50);
    assert_int_equal(info.failures, 0);
  }
  gls_loader_release(far);
  gls_dataset_release(served);
  SOON(info_of_server(first).clients == 0);
  gls_server_release(second);
  gls_server_release(first);
  gls_loader_release(near);
}

/* A row that is wanted often is asked for once, and who owns a node is known here. */
static void gives_rows_and_owners(void **state) {
  (void)state;
  gls_server_t *const first = start(NULL, 0, NULL);
  gls_server_t *const second = start("127.0.0.1:0", 1, gls_server_address(first));
  char place[PATH_SIZE];
  place_of(place, second);
  gls_dataset_t *const served = open_place(ctx, place);
  int64_t ids[600];
  for (int i = 0; i < 600; ++i) {
    ids[i] = (i * 7) % 200;
  }
  const int64_t count = 600;
  const DLTensor wanted = view_of(ids, kInt64, 1, &count);
  const uint64_t before = info_of_server(first).requests + info_of_server(second).requests;
  gls_partition_t *partition = NULL;
  OK(gls_partition_open(ctx, parts, &partition, &err));
  gls_tensor_t *expected = NULL;
  gls_tensor_t *out = NULL;
  OK(gls_partition_owners(partition, NULL, &wanted, &expected, &err));
  OK(gls_dataset_owners(served, NULL, &wanted, &out, &err));
  assert_memory_equal(tensor_data(out), tensor_data(expected), 600 * sizeof(int32_t));
  gls_tensor_release(expected);
  gls_tensor_release(out);
  gls_partition_release(partition);
  assert_int_equal(info_of_server(first).requests + info_of_server(second).requests, before);

  const char *const columns[][2] = {{NULL, "x"}, {"node", "y"}, {RING_TYPE, "f"}, {RING_TYPE, "w"}};
  const size_t bytes[] = {12, 8, 8, 4};
  for (int c = 0; c < 4; ++c) {
    OK(gls_dataset_rows(ring, columns[c][0], columns[c][1], &wanted, &expected, &err));
    OK(gls_dataset_rows(served, columns[c][0], columns[c][1], &wanted, &out, &err));
    assert_int_equal(out->dl_tensor.ndim, expected->dl_tensor.ndim);
    assert_int_equal(out->dl_tensor.shape[0], 600);
    assert_memory_equal(tensor_data(out), tensor_data(expected), 600 * bytes[c]);
    gls_tensor_release(expected);
    gls_tensor_release(out);
  }
  assert_int_equal(info_of_server(first).requests + info_of_server(second).requests, before + 8);

  /* What nobody has as a whole; the errors say what to ask for. */
  FAILS(GLS_ERR_UNSUPPORTED, "column",
        gls_dataset_tensor(served, GLS_ARRAY_NODE_COLUMN, NULL, "x", &out, &err));
  FAILS(GLS_ERR_UNSUPPORTED, "column",
        gls_dataset_tensor(served, GLS_ARRAY_EDGE_COLUMN, NULL, "w", &out, &err));
  for (int32_t array = GLS_ARRAY_CSC_INDPTR; array <= GLS_ARRAY_CSR_EDGE_IDS; ++array) {
    FAILS(GLS_ERR_UNSUPPORTED, "array", gls_dataset_tensor(served, array, NULL, NULL, &out, &err));
  }
  gls_error_t *error = NULL;
  assert_int_equal(gls_dataset_tensor(served, GLS_ARRAY_NODE_COLUMN, NULL, "x", &out, &error),
                   GLS_ERR_UNSUPPORTED);
  assert_non_null(strstr(gls_error_message(error), "ask for rows of it by id"));
  gls_error_release(error);
  OK(gls_dataset_tensor(served, GLS_ARRAY_ID_SET, NULL, "train", &out, &err));
  assert_int_equal(tensor_elements(out), 100);
  gls_tensor_release(out);
  gls_dataset_release(served);
  gls_server_release(second);
  gls_server_release(first);
}

/* The servers make the batches; the second alone finds the other. */
static void makes_batches(void **state) {
  (void)state;
  gls_server_t *const first = start(NULL, 0, NULL);
  gls_server_t *const second = start("127.0.0.1:0", 1, gls_server_address(first));
  char place[PATH_SIZE];
  place_of(place, second);
  gls_dataset_t *const served = open_place(ctx, place);
  gls_sampler_t *const sampler = make_sampler(served, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 8;
  options.flags = GLS_LOADER_SHUFFLE;
  options.made_by = GLS_MADE_BY_SERVERS;
  gls_loader_t *const far = make_loader(sampler, &options);
  gls_loader_t *const near = shuffled(ring);
  uint64_t expected[kMostBatches];
  uint64_t got[kMostBatches];
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    OK(gls_loader_seek(near, epoch, &err));
    OK(gls_loader_seek(far, epoch, &err));
    assert_int_equal(drain(near, expected, kMostBatches), 25);
    assert_int_equal(drain_soon(far, got), 25);
    assert_memory_equal(got, expected, 25 * sizeof *got);
  }
  expect_remote(far);
  gls_loader_t *none = NULL;
  options.made_by = GLS_MADE_BY_SERVERS + 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "made_by",
        gls_loader_create(sampler, NULL, &options, &none, &err));
  options.made_by = GLS_MADE_HERE;
  options.reserved1 = 1;
  FAILS(GLS_ERR_UNSUPPORTED, "reserved", gls_loader_create(sampler, NULL, &options, &none, &err));
  options.reserved1 = 0;
  options.made_by = GLS_MADE_BY_SERVERS;
  gls_sampler_t *const here = make_sampler(ring, 0);
  FAILS(GLS_ERR_UNSUPPORTED, "made_by", gls_loader_create(here, NULL, &options, &none, &err));
  gls_sampler_release(here);
  gls_loader_release(far);
  gls_loader_release(near);
  gls_sampler_release(sampler);
  gls_dataset_release(served);
  gls_server_release(second);
  gls_server_release(first);
}

/* One server for the whole, and the key from the environment; the context goes before the server.
 */
static void serves_all_parts_by_default(void **state) {
  (void)state;
  assert_int_equal(setenv("GLS_NET_KEY", kKey, 1), 0);
  gls_context_t *own = make_context(1);
  gls_server_t *server = NULL;
  OK(gls_server_start(own, parts, NULL, &server, &err));
  gls_context_release(own);
  assert_int_equal(info_of_server(server).parts, 2);
  char place[PATH_SIZE];
  place_of(place, server);
  gls_dataset_t *const served = open_place(ctx, place); /* the key from a file */
  own = make_context(1);
  gls_dataset_t *const again = open_place(own, place);
  assert_int_equal(unsetenv("GLS_NET_KEY"), 0);
  assert_int_equal(info_of_server(server).clients, 2);
  gls_dataset_release(again);
  gls_dataset_release(served);
  gls_context_release(own);
  gls_server_release(server);
}

static void plain_where_it_was_asked_for(void **state) {
  (void)state;
  gls_context_t *const own = make_context(1);
  OK(gls_context_set(own, "net.plain", "true", &err));
  gls_server_t *server = NULL;
  OK(gls_server_start(own, parts, NULL, &server, &err));
  char place[PATH_SIZE];
  place_of(place, server);
  gls_dataset_release(open_place(own, place));
  gls_server_release(server);
  gls_context_release(own);
}

/* Files of the servers are mapped, and nobody is asked for what is in them. */
static void maps_files_on_the_same_host(void **state) {
  (void)state;
  OK(gls_context_set(ctx, "cluster.same_host", "true", &err));
  gls_server_t *const first = start(NULL, 0, NULL);
  gls_server_t *const second = start(NULL, 1, gls_server_address(first));
  char place[PATH_SIZE];
  place_of(place, second);
  gls_dataset_t *const served = open_place(ctx, place);
  const uint64_t asked = info_of_server(first).requests + info_of_server(second).requests;
  gls_loader_t *const near = shuffled(ring);
  gls_loader_t *const far = shuffled(served);
  uint64_t expected[kMostBatches];
  uint64_t got[kMostBatches];
  assert_int_equal(drain(near, expected, kMostBatches), 25);
  assert_int_equal(drain_soon(far, got), 25);
  assert_memory_equal(got, expected, 25 * sizeof *got);
  assert_int_equal(info_of_server(first).requests + info_of_server(second).requests, asked);
  gls_server_release(second);
  gls_server_release(first);
  OK(gls_loader_seek(near, 1, &err));
  OK(gls_loader_seek(far, 1, &err));
  assert_int_equal(drain(near, expected, kMostBatches), 25);
  assert_int_equal(drain_soon(far, got), 25);
  assert_memory_equal(got, expected, 25 * sizeof *got);
  gls_loader_release(far);
  gls_loader_release(near);
  gls_dataset_release(served);
}

static gls_probe_info_t info_of_probe(const gls_probe_t *probe) {
  gls_probe_info_t info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(gls_probe_get_info(probe, &info, &err));
  return info;
}

/* No server serves the other part. */
static void one_server_is_asked_alone(void **state) {
  (void)state;
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  const uint32_t part = 1;
  options.parts = &part;
  options.num_parts = 1;
  options.name = "the second";
  gls_server_t *server = NULL;
  OK(gls_server_start(ctx, parts, &options, &server, &err));
  char address[PATH_SIZE];
  snprintf(address, sizeof address, "%s", gls_server_address(server));
  gls_probe_t *probe = NULL;
  OK(gls_server_probe(ctx, address, 10000, &probe, &err));
  SOON(info_of_server(server).clients == 0);
  assert_int_equal(info_of_server(server).failures, 0);

  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx", gls_server_probe(NULL, address, -1, &probe, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "address", gls_server_probe(ctx, NULL, -1, &probe, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "address", gls_server_probe(ctx, "here", -1, &probe, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_server_probe(ctx, address, -1, NULL, &err));
  gls_probe_t *none = NULL;
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_server_probe(ctx, address, 0, &none, &err));
  gls_context_t *const stranger = make_context(1);
  set_key_file(stranger, folder, "other", kOther);
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_server_probe(stranger, address, 10000, &none, &err));
  gls_context_release(stranger);
  OK(gls_server_stop(server, 5000, &err));
  FAILS(GLS_ERR_IO, NULL, gls_server_probe(ctx, address, 10000, &none, &err));
  assert_null(none);
  gls_server_release(server);

  const gls_probe_info_t info = info_of_probe(probe);
  assert_string_equal(info.name, "the second");
  assert_string_equal(info.version, gls_version_string());
  assert_int_equal(info.num_parts, 1);
  assert_int_equal(info.parts[0], 1);
  assert_int_equal(info.graph_parts, 2);
  gls_partition_t *partition = NULL;
  OK(gls_partition_open(ctx, parts, &partition, &err));
  gls_partition_info_t graph = {sizeof graph, 0, 0, NULL, NULL, NULL, 0, 0};
  OK(gls_partition_get_info(partition, &graph, &err));
  assert_string_equal(info.graph, graph.graph);
  gls_partition_release(partition);
  gls_probe_release(probe);
  gls_probe_release(NULL);
}

/* ---- ends and beginnings -----------------------------------------------------------------------
 */

static void clients_go_on_when_a_server_is_started_again(void **state) {
  (void)state;
  gls_server_t *const first = start(NULL, 0, NULL);
  gls_server_t *second = start(NULL, 1, gls_server_address(first));
  char place[PATH_SIZE];
  place_of(place, second);
  char address[PATH_SIZE];
  snprintf(address, sizeof address, "%s", gls_server_address(second));
  gls_dataset_t *const served = open_place(ctx, place);
  gls_loader_t *const near = shuffled(ring);
  gls_loader_t *const far = shuffled(served);
  uint64_t expected[kMostBatches];
  uint64_t got[kMostBatches];
  assert_int_equal(drain(near, expected, kMostBatches), 25);
  assert_int_equal(drain_soon(far, got), 25);
  OK(gls_server_stop(second, 5000, &err));
  OK(gls_server_stop(second, -1, &err)); /* does nothing */
  assert_string_equal(gls_server_address(second), address);
  assert_int_equal(info_of_server(second).clients, 0);
  gls_server_release(second);
  second = start(address, 1, gls_server_address(first));
  OK(gls_loader_seek(near, 1, &err));
  OK(gls_loader_seek(far, 1, &err));
  assert_int_equal(drain(near, expected, kMostBatches), 25);
  assert_int_equal(drain_soon(far, got), 25);
  assert_memory_equal(got, expected, 25 * sizeof *got);
  gls_loader_release(far);
  gls_loader_release(near);
  gls_dataset_release(served);
  gls_server_release(second);
  gls_server_release(first);
}

static int32_t stop_at_once(void *seen, const char *stage, uint64_t done, uint64_t total,
                            const char *unit) {
  (void)done;
  (void)total;
  assert_string_equal(stage, "finding servers");
  assert_string_equal(unit, "parts");
  *(int *)seen += 1;
  return *(int *)seen > 1 ? 1 : 0;
}

static void opening_waits_and_can_be_stopped(void **state) {
  (void)state;
  gls_server_t *const first = start(NULL, 0, NULL);
  char place[PATH_SIZE];
  place_of(place, first);
  gls_dataset_t *dataset = NULL;
  OK(gls_context_set(ctx, "cluster.open_timeout_ms", "1500", &err));
  gls_error_t *err = NULL;
  assert_int_equal(gls_dataset_open(ctx, place, NULL, &dataset, &err), GLS_ERR_TIMED_OUT);
  assert_non_null(strstr(gls_error_message(err), "nobody serves part 1 of 2"));
  gls_error_release(err);
  OK(gls_context_set(ctx, "cluster.open_timeout_ms", "0", &err)); /* without limit */
  int seen = 0;
  gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
  options.progress = stop_at_once;
  options.progress_user_data = &seen;
  FAILS(GLS_ERR_CANCELED, NULL, gls_dataset_open(ctx, place, &options, &dataset, &err));
  assert_int_equal(seen, 2);
  gls_server_release(first);
}

/* ---- what is refused ---------------------------------------------------------------------------
 */

struct late_start {
  gls_server_t *first;
  gls_server_t *second;
  int reports;
};
/* A server comes when the one that it says so to was asked already. */
static int32_t start_late(void *user_data, const char *stage, uint64_t done, uint64_t total,
                          const char *unit) {
  struct late_start *const late = user_data;
  (void)stage;
  (void)done;
  (void)total;
  (void)unit;
  if (++late->reports == 3) {
    late->second = start(NULL, 1, gls_server_address(late->first));
  }
  return 0;
}

static void opening_hears_of_servers_that_come(void **state) {
  (void)state;
  struct late_start late = {start(NULL, 0, NULL), NULL, 0};
  char place[PATH_SIZE];
  place_of(place, late.first); /* which knows nobody yet */
  gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
  options.progress = start_late;
  options.progress_user_data = &late;
  gls_dataset_t *served = NULL;
  OK(gls_dataset_open(ctx, place, &options, &served, &err));
  assert_non_null(late.second);
  assert_int_equal(gls_dataset_num_nodes(served, NULL), 200);
  gls_dataset_release(served);
  gls_server_release(late.first);
  gls_server_release(late.second);
}

static void nothing_is_open_by_chance(void **state) {
  (void)state;
  gls_context_t *const own = make_context(1);
  gls_server_t *server = NULL;
  gls_dataset_t *dataset = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "net.key_file",
        gls_server_start(own, parts, NULL, &server, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "net.key_file",
        gls_dataset_open(own, "gls://127.0.0.1:1", NULL, &dataset, &err));
  OK(gls_context_set(own, "net.key_variable", "", &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "net.key_file",
        gls_server_start(own, parts, NULL, &server, &err));
  set_key(own, folder);
  OK(gls_context_set(own, "net.plain", "true", &err)); /* both */
  FAILS(GLS_ERR_INVALID_ARGUMENT, "security", gls_server_start(own, parts, NULL, &server, &err));
  OK(gls_context_set(own, "net.plain", "false", &err));
  OK(gls_context_set(own, "net.key_file", parts, &err)); /* a folder */
  FAILS(GLS_ERR_INVALID_ARGUMENT, "security", gls_server_start(own, parts, NULL, &server, &err));
  gls_context_release(own);
}

static void strangers_are_not_let_in(void **state) {
  (void)state;
  gls_server_t *const server = start(NULL, 0, NULL);
  gls_context_t *const own = make_context(1);
  set_key_file(own, folder, "other", kOther);
  OK(gls_context_set(own, "cluster.open_timeout_ms", "1500", &err));
  char place[PATH_SIZE];
  place_of(place, server);
  gls_dataset_t *dataset = NULL;
  gls_error_t *err = NULL;
  assert_int_equal(gls_dataset_open(own, place, NULL, &dataset, &err), GLS_ERR_INVALID_ARGUMENT);
  assert_non_null(strstr(gls_error_message(err), gls_server_address(server)));
  assert_null(strstr(gls_error_message(err), kOther));
  gls_error_release(err);
  const gls_server_info_t info = info_of_server(server);
  assert_true(info.accepted >= 1);
  assert_int_equal(info.admitted, 0);
  assert_int_equal(info.requests, 0);
  gls_context_release(own);
  gls_server_release(server);
}

static void wrong_options(void **state) {
  (void)state;
  gls_server_t *server = NULL;
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx", gls_server_start(NULL, parts, &options, &server, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_server_start(ctx, NULL, &options, &server, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_server_start(ctx, parts, &options, NULL, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_server_start(ctx, folder, &options, &server, &err));

#define REFUSED(code, argument, change)                                           \
  do {                                                                            \
    options = (gls_server_options_t)GLS_SERVER_OPTIONS_INIT;                      \
    change;                                                                       \
    FAILS(code, argument, gls_server_start(ctx, parts, &options, &server, &err)); \
  } while (0)
  const uint32_t twice[] = {1, 1};
  const uint32_t beyond[] = {2};
  const char *const bad[] = {"nowhere"};
  const char *const null[] = {NULL};
  gls_dataset_options_t open = GLS_DATASET_OPTIONS_INIT;
  open.residency = 3;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "options", options.struct_size = 1);
  REFUSED(GLS_ERR_UNSUPPORTED, "reserved", options.reserved = 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "listen", options.listen = "4711");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "listen", options.listen = "");
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "parts", options.num_parts = 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "num_parts", options.parts = twice);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "parts", (options.parts = twice, options.num_parts = 2));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "parts", (options.parts = beyond, options.num_parts = 1));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "servers", options.num_servers = 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "servers", (options.servers = null, options.num_servers = 1));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "servers", (options.servers = bad, options.num_servers = 1));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "num_threads", options.num_threads = 1000000);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "residency", options.open = &open);

  gls_server_t *const first = start(NULL, 0, NULL); /* whose address is taken */
  REFUSED(GLS_ERR_ALREADY_EXISTS, "listen", options.listen = gls_server_address(first));
  char place[PATH_SIZE];
  place_of(place, first);
  gls_dataset_t *dataset = NULL;
  open.residency = GLS_RESIDENCY_ALL;
  FAILS(GLS_ERR_UNSUPPORTED, "residency", gls_dataset_open(ctx, place, &open, &dataset, &err));
  open.residency = GLS_RESIDENCY_MAPPED;
  open.verify_checksums = 1;
  FAILS(GLS_ERR_UNSUPPORTED, "verify_checksums",
        gls_dataset_open(ctx, place, &open, &dataset, &err));
  static const char *const places[] = {"gls://", "gls://host", "gls://h:1,", "gls://h:70000"};
  for (size_t i = 0; i < COUNT_OF(places); ++i) {
    FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_dataset_open(ctx, places[i], NULL, &dataset, &err));
  }
  gls_server_info_t info;
  memset(&info, 0, sizeof info);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "struct_size", gls_server_get_info(first, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_server_get_info(first, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "server", gls_server_stop(NULL, 0, &err));
  assert_string_equal(gls_server_address(NULL), "");
  gls_server_release(NULL);
  gls_server_release(first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(gives_the_batches_of_the_whole, set_up, tear_down),
      cmocka_unit_test_setup_teardown(gives_rows_and_owners, set_up, tear_down),
      cmocka_unit_test_setup_teardown(one_server_is_asked_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(makes_batches, set_up, tear_down),
      cmocka_unit_test_setup_teardown(maps_files_on_the_same_host, set_up, tear_down),
      cmocka_unit_test_setup_teardown(serves_all_parts_by_default, set_up, tear_down),
      cmocka_unit_test_setup_teardown(plain_where_it_was_asked_for, set_up, tear_down),
      cmocka_unit_test_setup_teardown(clients_go_on_when_a_server_is_started_again, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(opening_waits_and_can_be_stopped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(opening_hears_of_servers_that_come, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nothing_is_open_by_chance, set_up, tear_down),
      cmocka_unit_test_setup_teardown(strangers_are_not_let_in, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_options, set_up, tear_down),
  };
  assert_int_equal(unsetenv("GLS_NET_KEY"), 0);
  assert_int_equal(unsetenv("GLS_NET_KEY_FILE"), 0);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
