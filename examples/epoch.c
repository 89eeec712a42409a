/* One epoch over a dataset, in C: sampled edges, gathered features, speed.
 *
 *   cc examples/epoch.c $(pkg-config --cflags --libs gls) -o epoch && ./epoch FOLDER ID_SET
 */
#include <gls.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static gls_error_t *err = NULL;

static void check(gls_status_t status) {
  if (status < 0) {
    fprintf(stderr, "%s: %s\n", gls_status_name(status), gls_error_message(err));
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s FOLDER ID_SET\n", argv[0]);
    return 2;
  }
  gls_context_t *context = NULL;
  gls_dataset_t *dataset = NULL;
  check(gls_context_create(NULL, &context, &err));
  check(gls_dataset_open(context, argv[1], NULL, &dataset, &err));

  /* Ten neighbours of each node for two hops, the same batches on every run. */
  const int64_t per_hop[] = {10, 10};
  const gls_fanout_t fanout = {NULL, per_hop, 2};
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.fanouts = &fanout;
  sampling.num_fanouts = 1;
  gls_sampler_t *sampler = NULL;
  check(gls_sampler_create(dataset, &sampling, &sampler, &err));

  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.id_set = argv[2];
  loading.batch_size = 64;
  loading.flags = GLS_LOADER_SHUFFLE;
  gls_loader_t *loader = NULL;
  check(gls_loader_create(sampler, NULL, &loading, &loader, &err));

  /* Children keep their parents alive, so these may go as soon as they are not needed by name. */
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
  gls_context_release(context);

  gls_batch_t *batch = NULL;
  gls_status_t status;
  while ((status = gls_loader_next(loader, -1, &batch, &err)) == GLS_OK) {
    gls_tensor_t *x = NULL;
    check(gls_batch_tensor(batch, GLS_BATCH_NODE_COLUMN, NULL, "x", &x, &err));
    gls_batch_release(batch); /* the tensor keeps its memory */
    const DLTensor *view = &x->dl_tensor;
    printf("features of %" PRId64 " nodes, %" PRId64 " each\n", view->shape[0], view->shape[1]);
    gls_tensor_release(x);
  }
  check(status); /* GLS_END, unless something failed */

  gls_loader_stats_t stats;
  stats.struct_size = sizeof stats;
  check(gls_loader_get_stats(loader, &stats, &err));
  printf("%" PRIu64 " batches, %" PRIu64 " edges\n", stats.batches, stats.edges);
  gls_loader_release(loader);
  return 0;
}
