/* Damaged folders. Opening does not read every index, so damage is met while sampling: it must be
 * an error then and never a read outside the arrays. Run this under the address sanitizer. */
#include "files.h"
#include "sampling_checks.h"

#define CSC "edges/node__to__node/csc/"
#define CSR "edges/node__to__node/csr/"
#define NODES 40
#define EDGES 160

static gls_context_t *ctx;
static char folder[PATH_SIZE];
static char path[PATH_SIZE];
static size_t index_width; /* of the saved arrays */
static size_t id_width;

static size_t width_of(const gls_dataset_t *dataset, int32_t array) {
  gls_tensor_t *tensor = NULL;
  OK(gls_dataset_tensor(dataset, array, NULL, NULL, &tensor, &err));
  const size_t width = tensor->dl_tensor.dtype.bits / 8u;
  gls_tensor_release(tensor);
  return width;
}

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  make_folder(folder);
  join_path(path, folder, "graph");
  gls_dataset_t *const made = make_ring(ctx, NODES, EDGES / NODES);
  OK(gls_dataset_save(made, path, NULL, &err));
  gls_dataset_release(made);
  gls_dataset_t *opened = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &opened, &err));
  index_width = width_of(opened, GLS_ARRAY_CSR_INDICES);
  id_width = width_of(opened, GLS_ARRAY_CSR_EDGE_IDS);
  gls_dataset_release(opened);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  remove_folder(folder);
  gls_context_release(ctx);
  return 0;
}

/* Every way of picking, for each of which other code runs. */
struct way {
  int64_t fanout;
  int32_t replace;
  uint32_t flags;
  const char *weight;
  const char *simd;
};
static const struct way kWays[] = {
    {2, GLS_REPLACE_NEVER, 0, NULL, "auto"},
    {2, GLS_REPLACE_NEVER, 0, NULL, "avx2"},
    {2, GLS_REPLACE_NEVER, 0, NULL, "plain"},
    {10, GLS_REPLACE_NEVER, GLS_SAMPLE_EDGE_IDS, NULL, "auto"},
    {10, GLS_REPLACE_NEVER, GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_INT32, NULL, "avx2"},
    {3, GLS_REPLACE_NEVER, GLS_SAMPLE_DISJOINT | GLS_SAMPLE_EDGE_IDS, NULL, "auto"},
    {-1, GLS_REPLACE_NEVER, GLS_SAMPLE_EDGE_IDS, NULL, "auto"},
    {200, GLS_REPLACE_NEVER, 0, NULL, "auto"},
    {3, GLS_REPLACE_ABOVE, 0, NULL, "auto"},
    {3, GLS_REPLACE_ALWAYS, GLS_SAMPLE_DISJOINT, NULL, "auto"},
    {2, GLS_REPLACE_NEVER, GLS_SAMPLE_EDGE_IDS, "w", "auto"},
    {-1, GLS_REPLACE_ALWAYS, 0, "w", "auto"},
};

/* Opens the folder and takes every node as a seed, in every way; `must_fail`: with the way that
 * takes all neighbours the damage is met for sure. */
static void sample_in_every_way(int32_t direction, bool must_fail) {
  for (size_t w = 0; w < COUNT_OF(kWays); ++w) {
    OK(gls_context_set(ctx, "cpu.simd", kWays[w].simd, &err));
    for (int table = 0; table < 2; ++table) {
      OK(gls_context_set(ctx, "sample.direct_table", table ? "256M" : "0", &err));
      gls_dataset_t *dataset = NULL;
      OK(gls_dataset_open(ctx, path, NULL, &dataset, &err));
      const int64_t hops[] = {kWays[w].fanout, kWays[w].fanout};
      const gls_fanout_t fanout = {NULL, hops, 2};
      gls_sampler_options_t options = sampler_options(kWays[w].flags);
      options.fanouts = &fanout;
      options.direction = direction;
      options.replace = kWays[w].replace;
      options.weight = kWays[w].weight;
      gls_sampler_t *sampler = NULL;
      OK(gls_sampler_create(dataset, &options, &sampler, &err));
      gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
      loading.batch_size = 8;
      gls_loader_t *const loader = make_loader(sampler, &loading);
      int failed = 0;
      for (;;) {
        gls_batch_t *batch = NULL;
        gls_error_t *err = NULL;
        const gls_status_t status = gls_loader_next(loader, -1, &batch, &err);
        gls_batch_release(batch);
        if (status == GLS_END) {
          break;
        }
        assert_true(status == GLS_OK || status == GLS_ERR_CORRUPT_DATA);
        failed += status != GLS_OK;
        gls_error_release(err);
      }
      if (must_fail && kWays[w].fanout == -1) {
        assert_true(failed > 0);
      }
      gls_loader_release(loader);
      gls_sampler_release(sampler);
      gls_dataset_release(dataset);
    }
  }
}

static void verify_finds_it(void) {
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &dataset, &err));
  FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_dataset_verify(dataset, NULL, &err));
  gls_dataset_release(dataset);
  gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
  options.verify_checksums = 1;
  dataset = NULL;
  FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_dataset_open(ctx, path, &options, &dataset, &err));
  assert_null(dataset);
}

static void damaged_indptr(void **state) {
  (void)state;
  static const int64_t bad[] = {-1, INT64_MIN, INT64_MAX, EDGES + 1, INT64_C(1) << 40};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    poke_npy(path, CSC "indptr.npy", 8, 11, bad[i]);
    poke_npy(path, CSR "indptr.npy", 8, 23, bad[i]);
    sample_in_every_way(GLS_DIRECTION_IN, true);
    sample_in_every_way(GLS_DIRECTION_OUT, true);
  }
  verify_finds_it();
}

static void damaged_ends_of_indptr(void **state) {
  (void)state;
  gls_dataset_t *dataset = NULL;
  poke_npy(path, CSC "indptr.npy", 8, NODES, EDGES + 1);
  FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_dataset_open(ctx, path, NULL, &dataset, &err));
  poke_npy(path, CSC "indptr.npy", 8, NODES, EDGES);
  poke_npy(path, CSC "indptr.npy", 8, 0, 1);
  FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_dataset_open(ctx, path, NULL, &dataset, &err));
  assert_null(dataset);
}

static void damaged_indices(void **state) {
  (void)state;
  static const int64_t bad[] = {-1, NODES, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    poke_npy(path, CSC "indices.npy", index_width, 50, bad[i]);
    poke_npy(path, CSR "indices.npy", index_width, 3, bad[i]);
    sample_in_every_way(GLS_DIRECTION_IN, true);
    sample_in_every_way(GLS_DIRECTION_OUT, true);
  }
  verify_finds_it();
}

/* Only reporting them, weights and exclusion read edge ids. */
static void damaged_edge_ids(void **state) {
  (void)state;
  static const int64_t bad[] = {-1, EDGES, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    poke_npy(path, CSR "edge_ids.npy", id_width, 77, bad[i]);
    sample_in_every_way(GLS_DIRECTION_OUT, true);
    gls_dataset_t *dataset = NULL;
    OK(gls_dataset_open(ctx, path, NULL, &dataset, &err));
    gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
    options.direction = GLS_DIRECTION_OUT;
    int64_t pair_values[] = {19, 18};
    const int64_t pair_shape[] = {2, 1};
    const DLTensor pair = view_of(pair_values, kInt64, 2, pair_shape);
    ID_VIEW(ids, 5, 77);
    const gls_edge_set_t sets[] = {{NULL, &ids}, {NULL, &pair}};
    for (size_t s = 0; s < 2; ++s) {
      options.exclude = &sets[s];
      options.num_exclude = 1;
      gls_sampler_t *sampler = NULL;
      const gls_status_t status = gls_sampler_create(dataset, &options, &sampler, NULL);
      assert_true(status == GLS_OK || status == GLS_ERR_CORRUPT_DATA);
      assert_true(s != 0 || status == GLS_ERR_CORRUPT_DATA); /* all ids are read for ids */
      gls_sampler_release(sampler);
    }
    gls_dataset_release(dataset);
  }
  verify_finds_it();
}

static void damaged_id_sets(void **state) {
  (void)state;
  poke_npy(path, "nodes/node/sets/train.npy", 8, 3, NODES);
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &dataset, &err));
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.id_set = "train";
  gls_loader_t *loader = NULL;
  gls_error_t *err = NULL;
  assert_true(gls_loader_create(sampler, NULL, &options, &loader, &err) < 0);
  gls_error_release(err);
  assert_null(loader);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
  verify_finds_it();
}

static void files_of_the_wrong_size(void **state) {
  (void)state;
  static const char *const files[] = {CSC "indptr.npy", CSC "indices.npy", CSR "edge_ids.npy",
                                      "nodes/node/columns/x.npy", "nodes/node/sets/train.npy"};
  for (size_t i = 0; i < COUNT_OF(files); ++i) {
    char file[PATH_SIZE];
    join_path(file, path, files[i]);
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    gls_dataset_t *dataset = NULL;
    const off_t sizes[] = {0, 5, 64, st.st_size - 1, st.st_size + 1};
    for (size_t s = COUNT_OF(sizes); s-- > 0;) {
      assert_int_equal(truncate(file, sizes[s]), 0);
      FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_dataset_open(ctx, path, NULL, &dataset, &err));
    }
    assert_int_equal(unlink(file), 0);
    FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_dataset_open(ctx, path, NULL, &dataset, &err));
    assert_null(dataset);
    tear_down(NULL);
    set_up(NULL);
  }
}

/* Memory that its owner changes after the dataset was built: wrong, but no reason to read outside.
 * A sampler that made tables of the weights does not see every change. */
static void change_arrays(bool with_tables) {
  OK(gls_context_set(ctx, "sample.weight_tables", with_tables ? "1G" : "0", &err));
  int64_t indptr[] = {0, 1, 2, 4, 4};
  int32_t indices[] = {1, 2, 3, 0};
  int32_t ids[] = {3, 1, 2, 0};
  const float weights[] = {1, 2, 3, 4};
  gls_dataset_t *const dataset =
      dataset_over(ctx, GLS_LAYOUT_CSC, 4, indptr, indices, ids, weights);
  static const int64_t all[] = {-1};
  const gls_fanout_t fanout = {NULL, all, 1};
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  options.fanouts = &fanout;
  options.weight = "w";
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &options, &sampler, &err));
  ID_VIEW(seed, 2);
  const gls_seed_set_t seeds = {NULL, &seed};
  const gls_sample_request_t request = seed_request(&seeds);
  gls_batch_t *batch = NULL;
  if (!with_tables) {
    EXPECT_CORRUPT(sampler, &request, indptr[2] = 1 << 20, indptr[2] = 2);
    EXPECT_CORRUPT(sampler, &request, indptr[3] = -4, indptr[3] = 4);
  }
  indptr[2] = 1 << 20;
  indptr[3] = -4;
  if (gls_sampler_sample(sampler, &request, &batch, NULL) == GLS_OK) {
    gls_batch_release(batch);
    batch = NULL;
  }
  indptr[2] = 2;
  indptr[3] = 4;
  EXPECT_CORRUPT(sampler, &request, indices[3] = 4, indices[3] = 0);
  EXPECT_CORRUPT(sampler, &request, ids[2] = 4, ids[2] = 2);
  EXPECT_CORRUPT(sampler, &request, ids[2] = -1, ids[2] = 2);
  assert_null(batch);
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 2, 0);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

static void arrays_changed_in_memory(void **state) {
  (void)state;
  change_arrays(false);
  change_arrays(true);
}

/* Reading what is gone would end the process. Another dataset of the process goes on. */
static void files_cut_short(void **state) {
  (void)state;
  char file[PATH_SIZE];
  join_path(file, path, CSC "indices.npy");
  gls_dataset_t *const other = make_ring(ctx, NODES, EDGES / NODES);
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &dataset, &err));
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 8;
  gls_loader_t *const loader = make_loader(sampler, &options);
  assert_int_equal(truncate(file, 0), 0);
  gls_error_t *err = NULL;
  gls_batch_t *batch = NULL;
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(gls_loader_next(loader, -1, &batch, &err), GLS_ERR_IO);
    assert_string_equal(gls_error_detail(err, "file"), file);
    gls_error_release(err);
    err = NULL;
  }
  ID_VIEW(seed, 2);
  const gls_seed_set_t seeds = {NULL, &seed};
  const gls_sample_request_t request = seed_request(&seeds);
  FAILS(GLS_ERR_IO, NULL, gls_sampler_sample(sampler, &request, &batch, &err));
  FAILS(GLS_ERR_IO, NULL, gls_dataset_verify(dataset, NULL, &err));
  ID_VIEW(edge, 5);
  gls_tensor_t *source = NULL;
  gls_tensor_t *target = NULL;
  FAILS(GLS_ERR_IO, NULL, gls_dataset_find_edges(dataset, NULL, &edge, &source, &target, &err));
  gls_sampler_t *const of_other = make_sampler(other, 0);
  OK(gls_sampler_sample(of_other, &request, &batch, &err));
  gls_batch_release(batch);
  gls_sampler_release(of_other);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
  gls_dataset_release(other);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(damaged_indptr),           TEST(damaged_ends_of_indptr), TEST(damaged_indices),
      TEST(damaged_edge_ids),         TEST(damaged_id_sets),        TEST(files_of_the_wrong_size),
      TEST(arrays_changed_in_memory), TEST(files_cut_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
