/* Does not link libgls: loads it, finds what it needs by name, samples a small graph, unloads it
 * again, looks at the handler of SIGBUS, and forks: neither may lead to code that is gone. The
 * library's path is the argument. */
#include <dlfcn.h>
#include <gls.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The functions used, with the types that gls.h gives them. */
#define FUNCTIONS(X)       \
  X(gls_version)           \
  X(gls_version_string)    \
  X(gls_status_name)       \
  X(gls_error_message)     \
  X(gls_error_release)     \
  X(gls_context_create)    \
  X(gls_context_release)   \
  X(gls_tensor_wrap)       \
  X(gls_tensor_release)    \
  X(gls_builder_create)    \
  X(gls_builder_add_edges) \
  X(gls_builder_build)     \
  X(gls_builder_release)   \
  X(gls_dataset_num_nodes) \
  X(gls_dataset_release)   \
  X(gls_sampler_create)    \
  X(gls_sampler_sample)    \
  X(gls_sampler_release)   \
  X(gls_batch_tensor)      \
  X(gls_batch_release)

#define POINTER(name) __typeof__(&name) name;
static struct { FUNCTIONS(POINTER) } lib;

/* A cast from an object pointer to a function pointer is no C; a copy of its bytes is POSIX. */
static void find(void *handle, const char *name, void *pointer) {
  void *const symbol = dlsym(handle, name);
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  memcpy(pointer, &symbol, sizeof symbol);
}
#define FIND(name) find(handle, #name, &lib.name);

static void check(gls_status_t status, gls_error_t *err, const char *what) {
  if (status != GLS_OK) {
    fprintf(stderr, "%s: %s: %s\n", what, lib.gls_status_name(status),
            err != NULL ? lib.gls_error_message(err) : "");
    lib.gls_error_release(err);
    exit(1);
  }
}
#define CHECK(call)                  \
  do {                               \
    gls_error_t *err = NULL;         \
    const gls_status_t s = lib.call; \
    check(s, err, #call);            \
  } while (0)

static gls_tensor_t *wrap(int64_t *values, int64_t count) {
  const DLTensor view = {values, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, &count, NULL, 0};
  gls_tensor_t *out = NULL;
  CHECK(gls_tensor_wrap(&view, 0, NULL, NULL, &out, &err));
  return out;
}

static void sample(void) {
  gls_context_t *ctx = NULL;
  gls_builder_t *builder = NULL;
  gls_dataset_t *dataset = NULL;
  gls_sampler_t *sampler = NULL;
  gls_batch_t *batch = NULL;
  int64_t source[] = {1, 2, 3, 0};
  int64_t target[] = {0, 0, 1, 3};
  CHECK(gls_context_create(NULL, &ctx, &err));
  CHECK(gls_builder_create(ctx, &builder, &err));
  CHECK(gls_builder_add_edges(builder, "node__to__node", wrap(source, 4), wrap(target, 4), NULL,
                              &err));
  CHECK(gls_builder_build(builder, NULL, &dataset, &err));
  const int64_t hops[] = {-1, -1};
  const gls_fanout_t fanout = {NULL, hops, 2};
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.fanouts = &fanout;
  options.num_fanouts = 1;
  CHECK(gls_sampler_create(dataset, &options, &sampler, &err));
  int64_t seed = 0;
  int64_t one = 1;
  const DLTensor ids = {&seed, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, &one, NULL, 0};
  const gls_seed_set_t seeds = {NULL, &ids};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  CHECK(gls_sampler_sample(sampler, &request, &batch, &err));
  gls_tensor_t *nodes = NULL;
  CHECK(gls_batch_tensor(batch, GLS_BATCH_NODE, NULL, NULL, &nodes, &err));
  printf("libgls %s, %lld nodes, batch:", lib.gls_version_string(),
         (long long)lib.gls_dataset_num_nodes(dataset, NULL));
  static const int64_t expected[] = {0, 1, 2, 3};
  for (int64_t i = 0; i < nodes->dl_tensor.shape[0]; ++i) {
    printf(" %lld", (long long)((const int64_t *)nodes->dl_tensor.data)[i]);
  }
  printf("\n");
  if (nodes->dl_tensor.shape[0] != 4 ||
      memcmp(nodes->dl_tensor.data, expected, sizeof expected) != 0) {
    fprintf(stderr, "expected 0 1 2 3\n");
    exit(1);
  }
  lib.gls_tensor_release(nodes);
  lib.gls_batch_release(batch);
  lib.gls_sampler_release(sampler);
  lib.gls_dataset_release(dataset);
  lib.gls_builder_release(builder);
  lib.gls_context_release(ctx);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
    return 2;
  }
  struct sigaction before;
  if (sigaction(SIGBUS, NULL, &before) != 0) {
    return 1;
  }
  for (int round = 0; round < 3; ++round) {
    void *const handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    FUNCTIONS(FIND)
    if (lib.gls_version() != GLS_VERSION) {
      fprintf(stderr, "the library is of version %s\n", lib.gls_version_string());
      return 1;
    }
    sample();
    if (dlclose(handle) != 0) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    struct sigaction now;
    if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_handler != before.sa_handler) {
      fprintf(stderr, "the library left its handler of SIGBUS\n");
      return 1;
    }
  }
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    _exit(0);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
    fprintf(stderr, "a fork after unloading failed\n");
    return 1;
  }
  return 0;
}
