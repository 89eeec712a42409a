/* Devices: what a GPU gives is what the host gives. GLS_PLUGIN_PATH names the plugin, that on
 * the emulated runtime or the one for GPUs. */
#include <sys/wait.h>
#include <unistd.h>

#include "feeds.h"
#include "sampler_fixture.h"

static int set_up(void **state) {
  (void)state;
  return set_up_sampler(2, 500, 6, GLS_SAMPLE_EDGE_IDS);
}

static gls_loader_options_t on(int32_t device_type, int32_t id) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 64;
  options.flags = GLS_LOADER_SHUFFLE;
  options.device.device_type = (DLDeviceType)device_type;
  options.device.device_id = id;
  return options;
}

static void a_device_is_described(void **state) {
  (void)state;
  const DLDevice device = {kDLCUDA, 0};
  gls_device_info_t info = {sizeof info, {0}, 0, 0, 0, 0};
  OK(gls_device_get_info(device, &info, &err));
  assert_true(strlen(info.name) > 0);
  assert_true(info.bytes > 0 && info.free_bytes <= info.bytes);
  assert_true(info.major > 0);
  const DLDevice none = {kDLCUDA, 64};
  const DLDevice negative = {kDLCUDA, -1};
  const DLDevice other = {kDLROCM, 0};
  const DLDevice host = {kDLCPU, 0};
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_device_get_info(none, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "device", gls_device_get_info(negative, &info, &err));
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_device_get_info(other, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "device", gls_device_get_info(host, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_device_get_info(device, NULL, &err));
  const uint32_t count = gls_device_count();
  assert_true(count > 0 && count < 64);
  const DLDevice last = {kDLCUDA, (int32_t)count - 1};
  OK(gls_device_get_info(last, &info, &err));
  const DLDevice beyond = {kDLCUDA, (int32_t)count};
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_device_get_info(beyond, &info, &err));
}

static void an_epoch_is_that_of_the_host(void **state) {
  (void)state;
  const gls_loader_options_t here = on(kDLCPU, 0);
  const gls_loader_options_t there = on(kDLCUDA, 0);
  gls_loader_t *const expected = make_loader(sampler, &here);
  gls_loader_t *const loader = make_loader(sampler, &there);
  uint64_t digests[16];
  const size_t batches = drain(expected, digests, 16);
  assert_int_equal(batches, 8);
  for (size_t i = 0; i < batches; ++i) {
    gls_batch_t *batch = NULL;
    OK(gls_loader_next(loader, -1, &batch, &err));
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    assert_int_equal(node->dl_tensor.device.device_type, kDLCUDA);
    assert_int_equal(node->dl_tensor.device.device_id, 0);
    gls_tensor_release(node);
    gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
    assert_int_equal(counts->dl_tensor.device.device_type, kDLCPU);
    gls_tensor_release(counts);
    OK(gls_batch_record_stream(batch, NULL, &err));
    gls_batch_t *copy = NULL;
    OK(gls_batch_to_host(batch, &copy, &err));
    gls_batch_release(batch);
    assert_true(batch_digest(copy) == digests[i]);
    gls_batch_release(copy);
  }
  gls_loader_stats_t stats = {.struct_size = sizeof stats};
  OK(gls_loader_get_stats(loader, &stats, &err));
  assert_true(stats.device_rows > 0);
  assert_int_equal(stats.device_rows, stats.gathered_rows); /* all of it fits */
  gls_batch_t *none = NULL;
  EXPECT(GLS_END, NULL, gls_loader_next(loader, -1, &none, &err));
  gls_loader_release(expected);
  gls_loader_release(loader);
}

static gls_dataset_t *dataset_on(const gls_dataset_t *dataset, int32_t device_type) {
  const DLDevice device = {(DLDeviceType)device_type, 0};
  gls_dataset_t *out = NULL;
  OK(gls_dataset_on_device(dataset, device, &out, &err));
  return out;
}

static int32_t type_of_dataset(const gls_dataset_t *dataset) {
  DLDevice out = {(DLDeviceType)-1, -1};
  OK(gls_dataset_device(dataset, &out, &err));
  assert_int_equal(out.device_id, 0);
  return (int32_t)out.device_type;
}

static int32_t type_of_sampler(const gls_sampler_t *of) {
  DLDevice out = {(DLDeviceType)-1, -1};
  OK(gls_sampler_device(of, &out, &err));
  assert_int_equal(out.device_id, 0);
  return (int32_t)out.device_type;
}

static int32_t type_of_batch(const gls_batch_t *batch) {
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  const int32_t out = (int32_t)node->dl_tensor.device.device_type;
  gls_tensor_release(node);
  gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
  assert_int_equal(counts->dl_tensor.device.device_type, kDLCPU);
  gls_tensor_release(counts);
  return out;
}

static uint64_t digest_of_copy(gls_batch_t *batch) {
  gls_batch_t *copy = NULL;
  OK(gls_batch_to_host(batch, &copy, &err));
  gls_batch_release(batch);
  const uint64_t digest = batch_digest(copy);
  gls_batch_release(copy);
  return digest;
}

/* As make_sampler(), or by weight, on a device. */
static gls_sampler_t *sampler_on(gls_dataset_t *dataset, const char *weight, int32_t device_type) {
  const int64_t per_hop[] = {3, 2};
  const gls_fanout_t fanout = {NULL, per_hop, 2};
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.flags = GLS_SAMPLE_EDGE_IDS;
  options.fanouts = &fanout;
  options.num_fanouts = 1;
  options.weight = weight;
  options.device.device_type = (DLDeviceType)device_type;
  gls_sampler_t *out = NULL;
  OK(gls_sampler_create(dataset, &options, &out, &err));
  return out;
}

/* One batch of nodes, one of links, and one without some edges. */
static void sample_some(const gls_sampler_t *of, int32_t expected_type, uint64_t *digests) {
  ID_VIEW(ids, 3, 1, 499, 3);
  ID_VIEW(edges, 7, 8, 2990);
  const gls_seed_set_t seeds = {NULL, &ids};
  gls_link_set_t links = GLS_LINK_SET_INIT;
  links.links = &edges;
  const gls_edge_set_t exclude = {RING_TYPE, &edges};
  for (int i = 0; i < 3; ++i) {
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    request.epoch = 5;
    request.batch = 7;
    request.links = i == 1 ? &links : NULL;
    request.seeds = i == 1 ? NULL : &seeds;
    request.num_seeds = i == 1 ? 0 : 1;
    request.exclude = i == 2 ? &exclude : NULL;
    request.num_exclude = i == 2;
    gls_batch_t *batch = NULL;
    OK(gls_sampler_sample(of, &request, &batch, &err));
    assert_int_equal(type_of_batch(batch), expected_type);
    OK(gls_batch_record_stream(batch, NULL, &err));
    digests[i] = digest_of_copy(batch);
  }
}

static void samplers_sample_where_they_are(void **state) {
  (void)state;
  const char *const weights[] = {NULL, "w"};
  const char *const places[] = {"auto", "host"};
  for (size_t i = 0; i < 4; ++i) {
    gls_sampler_t *const here = sampler_on(ring, weights[i % 2], 0);
    OK(gls_context_set(ctx, "device.sampling", places[i / 2], &err));
    gls_sampler_t *const there = sampler_on(ring, weights[i % 2], kDLCUDA);
    OK(gls_context_set(ctx, "device.sampling", "auto", &err));
    assert_int_equal(type_of_sampler(here), kDLCPU);
    assert_int_equal(type_of_sampler(there), kDLCUDA);
    uint64_t expected[3];
    uint64_t got[3];
    sample_some(here, kDLCPU, expected);
    sample_some(there, kDLCUDA, got);
    assert_memory_equal(got, expected, sizeof got);
    ID_VIEW(wrong, 3, 500);
    const gls_seed_set_t seeds = {NULL, &wrong};
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    request.seeds = &seeds;
    request.num_seeds = 1;
    gls_batch_t *batch = NULL;
    FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds", gls_sampler_sample(there, &request, &batch, &err));
    request.num_seeds = 0;
    const DLTensor *const labels[] = {&wrong};
    request.labels = labels;
    request.num_labels = 1;
    FAILS(GLS_ERR_INVALID_ARGUMENT, "labels", gls_sampler_sample(there, &request, &batch, &err));
    gls_sampler_release(here);
    gls_sampler_release(there);
  }
}

/* A dataset's device is that of its samplers, and theirs that of their loaders, but for who says
 * another. */
static void devices_are_inherited(void **state) {
  (void)state;
  gls_dataset_t *const there = dataset_on(ring, kDLCUDA);
  gls_dataset_t *const same = dataset_on(there, 0);
  gls_dataset_t *const back = dataset_on(there, kDLCPU);
  assert_int_equal(type_of_dataset(ring), kDLCPU);
  assert_int_equal(type_of_dataset(there), kDLCUDA);
  assert_int_equal(type_of_dataset(same), kDLCUDA);
  assert_int_equal(type_of_dataset(back), kDLCPU);
  gls_dataset_release(there);
  gls_loader_options_t here = on(kDLCPU, 0);
  gls_sampler_t *const on_host = sampler_on(ring, NULL, 0);
  gls_loader_t *const reference = make_loader(on_host, &here);
  gls_sampler_release(on_host);
  uint64_t expected[16];
  assert_int_equal(drain(reference, expected, 16), 8);
  gls_loader_release(reference);
  const struct {
    gls_dataset_t *dataset;
    int32_t sampler, loader, expected_sampler, expected_loader;
  } cases[] = {
      {same, 0, 0, kDLCUDA, kDLCUDA},
      {same, 0, kDLCPU, kDLCUDA, kDLCPU},
      {same, kDLCPU, 0, kDLCPU, kDLCPU},
      {same, kDLCPU, kDLCUDA, kDLCPU, kDLCUDA},
      {back, 0, 0, kDLCPU, kDLCPU},
      {back, kDLCUDA, 0, kDLCUDA, kDLCUDA},
      {ring, kDLCUDA, kDLCUDA, kDLCUDA, kDLCUDA},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    gls_sampler_t *const made = sampler_on(cases[i].dataset, NULL, cases[i].sampler);
    assert_int_equal(type_of_sampler(made), cases[i].expected_sampler);
    const gls_loader_options_t options = on(cases[i].loader, 0);
    gls_loader_t *const loader = make_loader(made, &options);
    gls_sampler_release(made);
    gls_batch_t *batch = NULL;
    for (size_t b = 0; b < 8; ++b) {
      OK(gls_loader_next(loader, -1, &batch, &err));
      assert_int_equal(type_of_batch(batch), cases[i].expected_loader);
      assert_true(digest_of_copy(batch) == expected[b]);
    }
    OK(gls_loader_sample(loader, 0, 3, &batch, &err));
    assert_int_equal(type_of_batch(batch), cases[i].expected_loader);
    assert_true(digest_of_copy(batch) == expected[3]);
    gls_loader_release(loader);
  }
  gls_dataset_release(same);
  gls_dataset_release(back);
}

/* On the emulated runtime memory of a device is memory of this process. */
static void check_rows(const gls_dataset_t *dataset, const char *type, const char *column,
                       const DLTensor *ids) {
  gls_tensor_t *here = NULL;
  gls_tensor_t *there = NULL;
  OK(gls_dataset_rows(ring, type, column, ids, &here, &err));
  OK(gls_dataset_rows(dataset, type, column, ids, &there, &err));
  assert_int_equal(there->dl_tensor.device.device_type, kDLCUDA);
  assert_int_equal(there->dl_tensor.device.device_id, 0);
  assert_int_equal(tensor_elements(there), tensor_elements(here));
  assert_int_equal(there->dl_tensor.dtype.bits, here->dl_tensor.dtype.bits);
  if (getenv("GLS_TEST_GPU") == NULL) {
    assert_memory_equal(tensor_data(there), tensor_data(here),
                        (size_t)tensor_elements(here) * here->dl_tensor.dtype.bits / 8);
  }
  OK(gls_tensor_record_stream(there, NULL, &err));
  gls_tensor_release(here);
  gls_tensor_release(there);
}

static void rows_lie_where_the_dataset_is(void **state) {
  (void)state;
  ID_VIEW(ids, 3, 499, 3, 0);
  ID_VIEW(edges, 2999, 0, 17);
  ID_VIEW(none, 0);
  ID_VIEW(wrong, 0, 500);
  int64_t no_rows = 0;
  DLTensor empty = none;
  empty.shape = &no_rows;
  const char *const places[] = {"1G", "5000", "1"}; /* all, some, none */
  for (size_t i = 0; i < 2 * COUNT_OF(places); ++i) {
    OK(gls_context_set(ctx, "device.column_memory", places[i / 2], &err));
    OK(gls_context_set(ctx, "device.pin", i % 2 == 0 ? "true" : "false", &err));
    gls_dataset_t *const there = dataset_on(ring, kDLCUDA);
    for (int again = 0; again < 2; ++again) {
      check_rows(there, "node", "x", &ids);
      check_rows(there, NULL, "y", &ids);
      check_rows(there, RING_TYPE, "f", &edges);
      check_rows(there, NULL, "x", &empty);
    }
    gls_tensor_t *out = NULL;
    FAILS(GLS_ERR_INVALID_ARGUMENT, "ids",
          gls_dataset_rows(there, "node", "x", &wrong, &out, &err));
    FAILS(GLS_ERR_NOT_FOUND, "column", gls_dataset_rows(there, "node", "q", &ids, &out, &err));
    gls_dataset_release(there);
  }
  OK(gls_context_set(ctx, "device.column_memory", "0", &err));
  OK(gls_context_set(ctx, "device.pin", "true", &err));
}

/* What has no memory is an error, and the next call has. The memory of a GPU cannot be taken away.
 */
static void want_of_memory_is_not_the_end(void **state) {
  (void)state;
  if (getenv("GLS_TEST_GPU") != NULL) {
    return;
  }
  ID_VIEW(ids, 3, 1);
  const gls_seed_set_t seeds = {NULL, &ids};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  gls_dataset_t *const there = dataset_on(ring, kDLCUDA);
  gls_sampler_t *const of = sampler_on(there, NULL, 0);
  gls_sampler_t *const here = sampler_on(ring, NULL, 0);
  uint64_t expected[3];
  uint64_t got[3];
  sample_some(here, kDLCPU, expected);
  check_rows(there, NULL, "x", &ids);
  setenv("CUDA_ON_HOST_MEMORY", "1000", 1);
  gls_batch_t *batch = NULL;
  gls_tensor_t *rows = NULL;
  FAILS(GLS_ERR_OUT_OF_MEMORY, NULL, gls_sampler_sample(of, &request, &batch, &err));
  FAILS(GLS_ERR_OUT_OF_MEMORY, NULL, gls_dataset_rows(there, NULL, "x", &ids, &rows, &err));
  unsetenv("CUDA_ON_HOST_MEMORY");
  sample_some(of, kDLCUDA, got);
  assert_memory_equal(got, expected, sizeof got);
  check_rows(there, NULL, "x", &ids);
  gls_sampler_release(of);
  gls_sampler_release(here);
  gls_dataset_release(there);
}

static void no_destroy(void *data) { (void)data; }

static void streams_are_named_of_arrays_too(void **state) {
  (void)state;
  const gls_loader_options_t there = on(kDLCUDA, 0);
  gls_loader_t *const loader = make_loader(sampler, &there);
  gls_batch_t *batch = NULL;
  OK(gls_loader_next(loader, -1, &batch, &err));
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
  gls_batch_release(batch);
  OK(gls_tensor_record_stream(node, NULL, &err));
  OK(gls_tensor_record_stream(counts, NULL, &err));
  gls_tensor_release(node);
  gls_tensor_release(counts);
  gls_loader_release(loader);
  int64_t number = 3;
  int64_t shape[] = {1};
  const DLTensor view = {&number, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, shape, NULL, 0};
  gls_tensor_t *own = NULL;
  OK(gls_tensor_wrap(&view, 0, NULL, no_destroy, &own, &err));
  OK(gls_tensor_record_stream(own, NULL, &err));
  DLManagedTensor *legacy = NULL;
  OK(gls_tensor_to_legacy(own, &legacy, &err));
  struct DLManagedTensorVersioned foreign = {{1, 1}, NULL, NULL, 0, legacy->dl_tensor};
  FAILS(GLS_ERR_INVALID_ARGUMENT, "tensor", gls_tensor_record_stream(&foreign, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "tensor", gls_tensor_record_stream(NULL, NULL, &err));
  legacy->deleter(legacy);
}

static void a_batch_of_the_host_is_copied_by_sharing(void **state) {
  (void)state;
  const int64_t seeds[] = {3, 1, 3};
  gls_batch_t *const batch = sample_ids(sampler, NULL, 3, seeds);
  const uint64_t digest = batch_digest(batch);
  OK(gls_batch_record_stream(batch, NULL, &err));
  gls_batch_t *copy = NULL;
  OK(gls_batch_to_host(batch, &copy, &err));
  gls_batch_release(batch);
  assert_true(batch_digest(copy) == digest);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_batch_to_host(copy, NULL, &err));
  gls_batch_release(copy);
}

/* See has_device(). */
static int on_gpu(void) { return getenv("GLS_TEST_GPU") != NULL; }

static void memory_of_feeds_is_pinned(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("pinned");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1u << 20);
  gls_attach_options_t options = GLS_ATTACH_OPTIONS_INIT;
  options.paths = &path;
  options.num_paths = 1;
  options.pin.device_type = kDLCUDA;
  gls_loader_t *loader = NULL;
  gls_error_t *why = NULL;
  const gls_status_t first = gls_feed_attach(ctx, &options, 20000, &loader, &why);
  /* Some drivers do not pin memory that can only be read. */
  if (on_gpu() && first == GLS_ERR_UNSUPPORTED &&
      strstr(gls_error_message(why), "cannot be pinned") != NULL) {
    printf("nothing is pinned here: %s\n", gls_error_message(why));
    gls_error_release(why);
    gls_feed_release(feed);
    release_all(&all);
    skip();
  }
  check_result(first, GLS_OK, why, NULL, "gls_feed_attach", __FILE__, __LINE__);
  gls_loader_release(loader);
  SOON(info_of(feed).consumers == 0);
  for (int epoch = 0; epoch < 2; ++epoch) { /* pinned anew */
    OK(gls_feed_attach(ctx, &options, 20000, &loader, &err));
    gls_batch_t *const batch = soon(loader);
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    assert_int_equal(node->dl_tensor.device.device_type, kDLCPU);
    gls_tensor_release(node);
    gls_batch_release(batch);
    uint64_t got[kMostBatches];
    uint64_t expected[kMostBatches];
    OK(gls_loader_seek(loader, 1, &err));
    OK(gls_loader_seek(all.loader, 1, &err));
    assert_int_equal(drain(all.loader, expected, kMostBatches), 25);
    assert_int_equal(drain_soon(loader, got), 25);
    assert_memory_equal(got, expected, 25 * sizeof *got);
    gls_loader_release(loader);
    SOON(info_of(feed).consumers == 0);
  }
  uint64_t attached = 3;
  if (!on_gpu()) { /* where nothing makes a driver refuse it */
    setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
    FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_feed_attach(ctx, &options, 20000, &loader, &err));
    unsetenv("CUDA_ON_HOST_NO_PINNING");
    attached = 4;
  }
  SOON(info_of(feed).attached == attached && info_of(feed).consumers == 0);
  assert_int_equal(info_of(feed).lost, 0);
  gls_feed_release(feed);
  release_all(&all);
}

static void memory_of_feeds_needs_a_device_that_can_pin_it(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("not-pinned");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1u << 20);
  gls_attach_options_t options = GLS_ATTACH_OPTIONS_INIT;
  options.paths = &path;
  options.num_paths = 1;
  options.pin.device_type = kDLCUDA;
  gls_loader_t *loader = NULL;
  options.pin.device_id = 64;
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_feed_attach(ctx, &options, 20000, &loader, &err));
  options.pin.device_id = -1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "device", gls_feed_attach(ctx, &options, 20000, &loader, &err));
  options.pin.device_type = kDLROCM;
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_feed_attach(ctx, &options, 20000, &loader, &err));
  assert_int_equal(info_of(feed).attached, 0);
  gls_feed_release(feed);
  release_all(&all);
}

static void what_devices_cannot_do_is_said(void **state) {
  (void)state;
  gls_loader_t *loader = NULL;
  gls_loader_options_t options = on(kDLCUDA, 64);
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_loader_create(sampler, NULL, &options, &loader, &err));
  options = on(kDLCUDA, 0);
  loader = make_loader(sampler, &options);
  gls_feed_options_t feeding = GLS_FEED_OPTIONS_INIT;
  feeding.path = "no-feed";
  gls_feed_t *feed = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, "loader", gls_feed_create(loader, &feeding, &feed, &err));
  gls_loader_release(loader);
  gls_context_t *const strict = make_context(1);
  OK(gls_context_set(strict, "device.sampling", "device", &err));
  gls_dataset_t *const graph = make_ring(strict, 50, 3);
  OK(gls_context_set(strict, "sample.weight_tables", "0", &err));
  const int64_t per_hop[] = {4};
  const gls_fanout_t fanout = {NULL, per_hop, 1};
  gls_sampler_options_t by_weight = GLS_SAMPLER_OPTIONS_INIT;
  by_weight.fanouts = &fanout;
  by_weight.num_fanouts = 1;
  by_weight.weight = "w";
  gls_sampler_t *other = NULL;
  by_weight.device.device_type = kDLCUDA;
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_sampler_create(graph, &by_weight, &other, &err));
  by_weight.device.device_id = 64;
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_sampler_create(graph, &by_weight, &other, &err));
  by_weight.device.device_id = -1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "device", gls_sampler_create(graph, &by_weight, &other, &err));
  by_weight.device.device_type = (DLDeviceType)0;
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_sampler_create(graph, &by_weight, &other, &err));
  by_weight.device.device_id = 0;
  const DLDevice unknown[] = {{kDLCUDA, 64}, {kDLROCM, 0}, {kDLCPU, 1}};
  gls_dataset_t *nowhere = NULL;
  for (size_t i = 0; i < COUNT_OF(unknown); ++i) {
    FAILS(GLS_ERR_UNSUPPORTED, "device", gls_dataset_on_device(graph, unknown[i], &nowhere, &err));
  }
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_on_device(graph, unknown[0], NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_device(graph, NULL, &err));
  OK(gls_sampler_create(graph, &by_weight, &other, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_sampler_device(other, NULL, &err));
  FAILS(GLS_ERR_UNSUPPORTED, "device", gls_loader_create(other, NULL, &options, &loader, &err));
  gls_sampler_release(other);
  gls_dataset_release(graph);
  gls_context_release(strict);
}

/* Which process of the machine this is, is taken from the environment. The job is this process's
   own: this program may run several times at once, on one device or another. */
static void groups_are_what_a_launcher_says(void **state) {
  (void)state;
  gls_context_t *const grouped = make_context(1);
  OK(gls_context_set(grouped, "device.group", "local", &err));
  OK(gls_context_set(grouped, "device.group_timeout_ms", "200", &err));
  gls_dataset_t *const graph = make_ring(grouped, 50, 3);
  gls_sampler_t *const other = make_sampler(graph, 0);
  const gls_loader_options_t options = on(kDLCUDA, 0);
  gls_loader_t *loader = NULL;
  char job[32];
  (void)snprintf(job, sizeof job, "%ld", (long)getpid());
  setenv("MASTER_ADDR", "localhost", 1);
  setenv("MASTER_PORT", job, 1);
  setenv("RANK", "1", 1);
  setenv("WORLD_SIZE", "2", 1);
  FAILS(GLS_ERR_NOT_FOUND, "device", gls_loader_create(other, NULL, &options, &loader, &err));
  setenv("LOCAL_RANK", "1", 1);
  setenv("LOCAL_WORLD_SIZE", "2", 1);
  gls_dataset_t *const again = make_ring(grouped, 50, 3);
  gls_sampler_t *const third = make_sampler(again, 0);
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_loader_create(third, NULL, &options, &loader, &err));
  unsetenv("RANK"); /* it is alone: there is no group */
  gls_dataset_t *const alone = make_ring(grouped, 50, 3);
  gls_sampler_t *const last = make_sampler(alone, 0);
  loader = make_loader(last, &options);
  gls_loader_release(loader);
  unsetenv("MASTER_ADDR");
  unsetenv("MASTER_PORT");
  unsetenv("WORLD_SIZE");
  unsetenv("LOCAL_RANK");
  unsetenv("LOCAL_WORLD_SIZE");
  gls_sampler_release(other);
  gls_sampler_release(third);
  gls_sampler_release(last);
  gls_dataset_release(graph);
  gls_dataset_release(again);
  gls_dataset_release(alone);
  gls_context_release(grouped);
}

static int told(gls_error_t *why) {
  const int forked = gls_error_status(why) == GLS_ERR_INVALID_STATE &&
                     strstr(gls_error_message(why), "forked child") != NULL;
  gls_error_release(why);
  return forked;
}

/* What it inherits it leaves as it is; the emulated runtime ends one that does not. */
static void a_forked_child_is_told(void **state) {
  (void)state;
  const gls_loader_options_t there = on(kDLCUDA, 0);
  gls_loader_t *const loader = make_loader(sampler, &there);
  gls_batch_t *batch = NULL;
  OK(gls_loader_next(loader, -1, &batch, &err));
  fflush(NULL);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    alarm(60);
    const DLDevice device = {kDLCUDA, 0};
    gls_device_info_t info = {sizeof info, {0}, 0, 0, 0, 0};
    gls_error_t *why = NULL;
    const int none = gls_device_count() == 0;
    const int refused = gls_device_get_info(device, &info, &why) != GLS_OK && told(why);
    gls_batch_release(batch);
    gls_loader_release(loader);
    gls_sampler_release(sampler);
    _exit(none ? (refused ? 0 : 2) : 1);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  gls_batch_release(batch);
  gls_loader_release(loader);
}

/* Where GLS_TEST_GPU is set, GLS_PLUGIN_PATH names the plugin for GPUs, and there may be none. */
static int has_device(void) {
  const DLDevice device = {kDLCUDA, 0};
  gls_device_info_t info = {sizeof info, {0}, 0, 0, 0, 0};
  gls_error_t *why = NULL;
  if (!on_gpu() || gls_device_get_info(device, &info, &why) == GLS_OK) {
    return 1;
  }
  const char *const text = gls_error_message(why);
  const int none = strstr(text, "no GPU that CUDA can use") != NULL ||
                   strstr(text, "driver of NVIDIA is missing") != NULL;
  if (none) {
    printf("no GPU: %s\n", text);
  }
  gls_error_release(why);
  return !none;
}

int main(void) {
  if (!has_device()) {
    return strcmp(getenv("GLS_TEST_GPU"), "required") == 0 ? 1
                                                           : 77; /* 77: could not run, to ctest */
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_device_is_described),
      cmocka_unit_test(an_epoch_is_that_of_the_host),
      cmocka_unit_test(samplers_sample_where_they_are),
      cmocka_unit_test(devices_are_inherited),
      cmocka_unit_test(rows_lie_where_the_dataset_is),
      cmocka_unit_test(want_of_memory_is_not_the_end),
      cmocka_unit_test(streams_are_named_of_arrays_too),
      cmocka_unit_test(a_batch_of_the_host_is_copied_by_sharing),
      cmocka_unit_test(memory_of_feeds_is_pinned),
      cmocka_unit_test(memory_of_feeds_needs_a_device_that_can_pin_it),
      cmocka_unit_test(what_devices_cannot_do_is_said),
      cmocka_unit_test(groups_are_what_a_launcher_says),
      cmocka_unit_test(a_forked_child_is_told),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_sampler);
}
