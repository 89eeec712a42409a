/* Tables: rows that training changes, held here and by servers. Both are in this process. */
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "net_key.h"
#include "test_paths.h"

enum { kNodes = 200, kWidth = 5 };

static gls_context_t *ctx;
static gls_dataset_t *ring;
static gls_server_t *servers[2];
static gls_dataset_t *served;
static char folder[PATH_SIZE];
static char parts[PATH_SIZE];

static gls_server_t *start(uint32_t part, const char *other, uint64_t table_bytes) {
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  options.parts = &part;
  options.num_parts = 1;
  options.servers = &other;
  options.num_servers = other != NULL ? 1 : 0;
  options.table_bytes = table_bytes;
  gls_server_t *server = NULL;
  OK(gls_server_start(ctx, parts, &options, &server, &err));
  return server;
}
static gls_dataset_t *open_at(const gls_server_t *server) {
  char place[PATH_SIZE];
  const int length = snprintf(place, PATH_SIZE, "gls://%s", gls_server_address(server));
  assert_in_range(length, 12, PATH_SIZE - 1);
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(ctx, place, NULL, &dataset, &err));
  return dataset;
}

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, kNodes, 4);
  make_folder(folder);
  join_path(parts, folder, "parts");
  set_key(ctx, folder);
  OK(gls_context_set(ctx, "cluster.request_timeout_ms", "20000", &err));
  gls_partition_options_t options = GLS_PARTITION_OPTIONS_INIT;
  options.method = GLS_PARTITION_HASH;
  options.parts = 2;
  OK(gls_dataset_partition(ring, parts, &options, &err));
  servers[0] = start(0, NULL, 1 << 20);
  servers[1] = start(1, gls_server_address(servers[0]), 1 << 20);
  served = open_at(servers[1]);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(served);
  gls_server_release(servers[0]);
  gls_server_release(servers[1]);
  gls_dataset_release(ring);
  gls_context_release(ctx);
  remove_folder(folder);
  return 0;
}

/* ---- tables as the tests want them ------------------------------------------------------------
 */

static gls_table_options_t table_options(int32_t optimizer) {
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = kWidth;
  options.low = -0.5;
  options.high = 0.25;
  options.seed = 3;
  options.optimizer = optimizer;
  return options;
}
static gls_table_t *open_table(gls_dataset_t *dataset, const char *name,
                               const gls_table_options_t *options) {
  gls_table_t *table = NULL;
  OK(gls_table_open(dataset, NULL, name, options, &table, &err));
  return table;
}
static void drop(gls_table_t *table) {
  OK(gls_table_drop(table, &err));
  gls_table_release(table);
}
static gls_table_info_t info_of(const gls_table_t *table) {
  gls_table_info_t info = {.struct_size = sizeof info};
  OK(gls_table_get_info(table, &info, &err));
  return info;
}
/* All rows, [kNodes, kWidth]. */
static void read_all(const gls_table_t *table, float *out) {
  int64_t ids[kNodes];
  const int64_t shape = kNodes;
  for (int64_t v = 0; v < kNodes; ++v) {
    ids[v] = v;
  }
  const DLTensor view = view_of(ids, kInt64, 1, &shape);
  gls_tensor_t *rows = NULL;
  OK(gls_table_rows(table, &view, &rows, &err));
  assert_int_equal(rows->dl_tensor.ndim, 2);
  assert_int_equal(rows->dl_tensor.shape[0], kNodes);
  assert_int_equal(rows->dl_tensor.shape[1], kWidth);
  memcpy(out, rows->dl_tensor.data, sizeof(float) * kNodes * kWidth);
  gls_tensor_release(rows);
}
static void expect_same(const gls_table_t *one, const gls_table_t *other) {
  static float a[kNodes * kWidth];
  static float b[kNodes * kWidth];
  read_all(one, a);
  read_all(other, b);
  assert_memory_equal(a, b, sizeof a);
}

/* What a trainer has for a step: some ids, some of them twice, also across trainers. */
struct gradients {
  int64_t ids[40];
  float numbers[40 * kWidth];
};
static void make_gradients(uint32_t rank, int64_t step, struct gradients *out) {
  uint64_t random = 1000 * (uint64_t)step + rank + 1;
  for (int i = 0; i < 40; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    out->ids[i] = (int64_t)((random >> 33) % 60);
    for (int j = 0; j < kWidth; ++j) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      out->numbers[i * kWidth + j] = (float)((double)(random >> 40) / (1 << 23) - 1.0);
    }
  }
}
static gls_status_t take_step(gls_table_t *table, uint32_t rank, int64_t step, double rate,
                              int64_t timeout_ms, gls_error_t **err) {
  struct gradients given;
  make_gradients(rank, step, &given);
  const int64_t shape[2] = {40, kWidth};
  const DLTensor ids = view_of(given.ids, kInt64, 1, shape);
  const DLTensor numbers = view_of(given.numbers, kFloat32, 2, shape);
  return gls_table_step(table, &ids, &numbers, rate, timeout_ms, err);
}

/* ---- how they begin ---------------------------------------------------------------------------
 */

static void begin_the_same_wherever_they_are(void **state) {
  (void)state;
  const gls_table_options_t options = table_options(GLS_OPTIMIZER_NONE);
  gls_table_t *const here = open_table(ring, "begin", &options);
  gls_table_t *const there = open_table(served, "begin", &options);
  static float rows[kNodes * kWidth];
  read_all(here, rows);
  double sum = 0;
  int different = 0;
  for (int i = 0; i < kNodes * kWidth; ++i) {
    assert_true(rows[i] >= -0.5f && rows[i] < 0.25f);
    sum += (double)rows[i];
    different += i > 0 && rows[i] != rows[i - 1];
  }
  assert_true(fabs(sum / (kNodes * kWidth) + 0.125) < 0.03);
  assert_true(different > kNodes * kWidth - 3);
  expect_same(here, there);
  gls_table_t *const named = open_table(ring, "other", &options);
  static float others[kNodes * kWidth];
  read_all(named, others);
  assert_memory_not_equal(rows, others, sizeof rows);
  drop(named);
  drop(here);
  drop(there);
}

static void say_what_they_are(void **state) {
  (void)state;
  gls_table_options_t options = table_options(GLS_OPTIMIZER_ADAM);
  options.flags = GLS_TABLE_ROW_STEPS | GLS_TABLE_MEAN;
  gls_dataset_t *const datasets[] = {ring, served};
  for (int i = 0; i < 2; ++i) {
    gls_table_t *const table = open_table(datasets[i], "info", &options);
    gls_table_t *const attached = open_table(datasets[i], "info", NULL);
    gls_table_t *const both[] = {table, attached};
    for (int j = 0; j < 2; ++j) {
      const gls_table_info_t info = info_of(both[j]);
      assert_string_equal(info.name, "info");
      assert_string_equal(info.type, "node");
      assert_int_equal(info.rows, kNodes);
      assert_int_equal(info.width, kWidth);
      assert_int_equal(info.dtype.code, kDLFloat);
      assert_int_equal(info.dtype.bits, 32);
      assert_int_equal(info.flags, options.flags);
      assert_int_equal(info.optimizer, GLS_OPTIMIZER_ADAM);
      assert_int_equal(info.world_size, 1);
      assert_int_equal(info.step, 0);
      assert_int_equal(info.bytes, kNodes * (3 * kWidth * 4 + 4));
    }
    FAILS(GLS_ERR_INVALID_STATE, NULL, take_step(attached, 0, 1, 0.1, GLS_TIMEOUT_DEFAULT, &err));
    char path[PATH_SIZE];
    join_path(path, folder, i == 0 ? "attached-here" : "attached-there");
    OK(gls_table_save(attached, path, &err));
    FAILS(GLS_ERR_INVALID_STATE, NULL, gls_table_load(attached, path, GLS_TIMEOUT_DEFAULT, &err));
    gls_table_release(attached);
    drop(table);
  }
}

/* ---- rows -------------------------------------------------------------------------------------
 */

static void rows_are_read_and_written(void **state) {
  (void)state;
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = 2;
  options.dtype = kInt64;
  gls_dataset_t *const datasets[] = {ring, served};
  for (int i = 0; i < 2; ++i) {
    gls_table_t *const table = open_table(datasets[i], "numbers", &options);
    ID_VIEW(ids, 7, 3, 199, 3);
    int64_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int64_t shape[2] = {4, 2};
    const DLTensor rows = view_of(numbers, kInt64, 2, shape);
    OK(gls_table_write(table, &ids, &rows, &err));
    int32_t asked[] = {3, 0, 199, 3, 7};
    const int64_t count = 5;
    const DLTensor narrow = view_of(asked, kInt32, 1, &count);
    gls_tensor_t *out = NULL;
    OK(gls_table_rows(table, &narrow, &out, &err));
    const int64_t expected[] = {7, 8, 0, 0, 5, 6, 7, 8, 1, 2}; /* the last row of 3 counts */
    assert_memory_equal(out->dl_tensor.data, expected, sizeof expected);
    gls_tensor_release(out);
    const int64_t none = 0;
    const DLTensor empty = view_of(asked, kInt32, 1, &none);
    OK(gls_table_rows(table, &empty, &out, &err));
    assert_int_equal(out->dl_tensor.shape[0], 0);
    gls_tensor_release(out);

    ID_VIEW(beyond, 0, kNodes);
    FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_table_rows(table, &beyond, &out, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_table_write(table, &beyond, &rows, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "rows", gls_table_write(table, &narrow, &rows, &err));
    const DLTensor wrong = view_of(numbers, kFloat64, 2, shape);
    FAILS(GLS_ERR_INVALID_ARGUMENT, "rows", gls_table_write(table, &ids, &wrong, &err));
    FAILS(GLS_ERR_INVALID_STATE, NULL,
          gls_table_step(table, &ids, &rows, 1.0, GLS_TIMEOUT_DEFAULT, &err));
    drop(table);
  }
}

static void of_edges(void **state) {
  (void)state;
  gls_table_options_t options = table_options(GLS_OPTIMIZER_SGD);
  gls_dataset_t *const datasets[] = {ring, served};
  float got[2][3 * kWidth];
  for (int i = 0; i < 2; ++i) {
    gls_table_t *table = NULL;
    OK(gls_table_open(datasets[i], RING_TYPE, "edges", &options, &table, &err));
    assert_int_equal(info_of(table).rows, 4 * kNodes);
    assert_string_equal(info_of(table).type, RING_TYPE);
    ID_VIEW(ids, 799, 0, 4);
    gls_tensor_t *out = NULL;
    OK(gls_table_rows(table, &ids, &out, &err));
    memcpy(got[i], out->dl_tensor.data, sizeof got[i]);
    gls_tensor_release(out);
    drop(table);
  }
  assert_memory_equal(got[0], got[1], sizeof got[0]);
}

/* ---- steps ------------------------------------------------------------------------------------
 */

/* The formulas of gls.h, number by number. */
struct expected {
  float rows[kNodes * kWidth];
  float first[kNodes * kWidth];
  float second[kNodes * kWidth];
  int32_t steps[kNodes];
};
static void expect_step(struct expected *is, int32_t optimizer, uint32_t flags, int64_t step,
                        double rate) {
  struct gradients given;
  make_gradients(0, step, &given);
  for (int64_t v = 0; v < kNodes; ++v) {
    float g[kWidth] = {0};
    int count = 0;
    for (int i = 0; i < 40; ++i) {
      if (given.ids[i] == v) {
        ++count;
        for (int j = 0; j < kWidth; ++j) {
          g[j] += given.numbers[i * kWidth + j];
        }
      }
    }
    if (count == 0) {
      continue;
    }
    const double t = (flags & GLS_TABLE_ROW_STEPS) != 0 ? ++is->steps[v] : (double)step;
    for (int j = 0; j < kWidth; ++j) {
      float *const w = &is->rows[v * kWidth + j];
      float *const m = &is->first[v * kWidth + j];
      float *const s = &is->second[v * kWidth + j];
      if ((flags & GLS_TABLE_MEAN) != 0) {
        g[j] /= (float)count;
      }
      switch (optimizer) {
        case GLS_OPTIMIZER_SGD:
          *w -= (float)rate * g[j];
          break;
        case GLS_OPTIMIZER_ADAGRAD:
          *m += g[j] * g[j];
          *w -= (float)rate * g[j] / (sqrtf(*m) + 1e-10f);
          break;
        default:
          *m += (float)(1 - 0.9) * (g[j] - *m);
          *s += (float)(1 - 0.999) * (g[j] * g[j] - *s);
          if ((flags & GLS_TABLE_ROW_STEPS) != 0) {
            *w -= (float)rate * (*m / (float)(1 - pow(0.9, t))) /
                  (sqrtf(*s / (float)(1 - pow(0.999, t))) + 1e-8f);
          } else {
            *w -= (float)(rate * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t))) * *m /
                  (sqrtf(*s) + 1e-8f);
          }
      }
    }
  }
}

static void steps_follow_the_formulas(void **state) {
  (void)state;
  static const struct {
    int32_t optimizer;
    uint32_t flags;
  } kinds[] = {{GLS_OPTIMIZER_SGD, 0},
               {GLS_OPTIMIZER_SGD, GLS_TABLE_MEAN},
               {GLS_OPTIMIZER_ADAGRAD, 0},
               {GLS_OPTIMIZER_ADAM, 0},
               {GLS_OPTIMIZER_ADAM, GLS_TABLE_ROW_STEPS | GLS_TABLE_MEAN}};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    gls_table_options_t options = table_options(kinds[k].optimizer);
    options.flags = kinds[k].flags;
    gls_table_t *const here = open_table(ring, "steps", &options);
    gls_table_t *const there = open_table(served, "steps", &options);
    static struct expected is;
    memset(&is, 0, sizeof is);
    read_all(here, is.rows);
    for (int64_t step = 1; step <= 6; ++step) {
      const double rate = 0.1 / (double)step;
      expect_step(&is, kinds[k].optimizer, kinds[k].flags, step, rate);
      OK(take_step(here, 0, step, rate, GLS_TIMEOUT_DEFAULT, &err));
      OK(take_step(there, 0, step, rate, GLS_TIMEOUT_DEFAULT, &err));
      assert_int_equal(info_of(there).step, step);
    }
    static float rows[kNodes * kWidth];
    read_all(here, rows);
    for (int i = 0; i < kNodes * kWidth; ++i) {
      assert_true(fabsf(rows[i] - is.rows[i]) <= 1e-5f * (1 + fabsf(is.rows[i])));
    }
    expect_same(here, there);
    drop(here);
    drop(there);
  }
}

struct trainer {
  gls_table_t *table;
  uint32_t rank;
  pthread_t thread;
};
static void *train(void *given) {
  struct trainer *const trainer = given;
  for (int64_t step = 1; step <= 20; ++step) {
    gls_error_t *err = NULL;
    if (take_step(trainer->table, trainer->rank, step, 0.01, GLS_TIMEOUT_DEFAULT, &err) != GLS_OK) {
      fprintf(stderr, "%s\n", gls_error_message(err));
      gls_error_release(err);
      return given;
    }
  }
  return NULL;
}

/* The sums over trainers do not depend on who comes first: what one trainer does with the sums of
 * three is what three do. */
static void trainers_take_steps_together(void **state) {
  (void)state;
  gls_table_options_t options = table_options(GLS_OPTIMIZER_ADAM);
  gls_table_t *const alone = open_table(ring, "together", &options);
  struct trainer all[3];
  gls_dataset_t *datasets[3];
  options.world_size = 3;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    datasets[rank] = open_at(servers[rank % 2]);
    options.rank = rank;
    all[rank].table = open_table(datasets[rank], "together", &options);
    all[rank].rank = rank;
  }
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(pthread_create(&all[i].thread, NULL, train, &all[i]), 0);
  }
  for (int i = 0; i < 3; ++i) {
    void *failed = NULL;
    assert_int_equal(pthread_join(all[i].thread, &failed), 0);
    assert_null(failed);
  }
  for (int64_t step = 1; step <= 20; ++step) {
    /* Sums of each trainer, then of all in their order. */
    static float sums[kNodes * kWidth];
    static bool has[kNodes];
    memset(sums, 0, sizeof sums);
    memset(has, 0, sizeof has);
    for (uint32_t rank = 0; rank < 3; ++rank) {
      struct gradients given;
      make_gradients(rank, step, &given);
      for (int64_t v = 0; v < kNodes; ++v) {
        float own[kWidth] = {0};
        bool any = false;
        for (int i = 0; i < 40; ++i) {
          for (int j = 0; j < kWidth && given.ids[i] == v; ++j) {
            own[j] += given.numbers[i * kWidth + j];
            any = true;
          }
        }
        for (int j = 0; j < kWidth && any; ++j) {
          sums[v * kWidth + j] += own[j];
          has[v] = true;
        }
      }
    }
    int64_t ids[kNodes];
    static float numbers[kNodes * kWidth];
    int64_t count = 0;
    for (int64_t v = 0; v < kNodes; ++v) {
      if (has[v]) {
        memcpy(&numbers[count * kWidth], &sums[v * kWidth], sizeof(float) * kWidth);
        ids[count++] = v;
      }
    }
    const int64_t shape[2] = {count, kWidth};
    const DLTensor id_view = view_of(ids, kInt64, 1, shape);
    const DLTensor view = view_of(numbers, kFloat32, 2, shape);
    OK(gls_table_step(alone, &id_view, &view, 0.01, GLS_TIMEOUT_DEFAULT, &err));
  }
  expect_same(alone, all[0].table);
  expect_same(alone, all[2].table);
  drop(alone);
  OK(gls_table_drop(all[0].table, &err));
  for (int i = 0; i < 3; ++i) {
    gls_table_release(all[i].table);
    gls_dataset_release(datasets[i]);
  }
}

static void who_is_missing_is_named(void **state) {
  (void)state;
  gls_table_options_t options = table_options(GLS_OPTIMIZER_SGD);
  options.world_size = 4;
  options.rank = 1;
  gls_table_t *const one = open_table(served, "missing", &options);
  options.rank = 2;
  gls_table_t *const two = open_table(served, "missing", &options);
  gls_error_t *err = NULL;
  assert_int_equal(take_step(one, 1, 1, 0.1, 50, &err), GLS_ERR_TIMED_OUT);
  assert_non_null(strstr(gls_error_message(err), "ranks 0, 2, 3 of 4"));
  gls_error_release(err);
  err = NULL;
  assert_int_equal(take_step(two, 2, 1, 0.1, 50, &err), GLS_ERR_TIMED_OUT);
  assert_non_null(strstr(gls_error_message(err), "ranks 0, 1, 3 of 4")); /* rank 1 is gone */
  gls_error_release(err);
  assert_int_equal(info_of(one).step, 0);
  /* They gave up, so that others may come. */
  options.world_size = 1;
  options.rank = 0;
  gls_table_t *const alone = open_table(served, "missing", &options);
  OK(take_step(alone, 0, 1, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  FAILS(GLS_ERR_INVALID_STATE, NULL,
        take_step(one, 1, 1, 0.1, GLS_TIMEOUT_DEFAULT, &err)); /* it is behind */
  gls_table_release(one);
  gls_table_release(two);
  drop(alone);
}

struct mismatch {
  gls_table_t *table;
  uint32_t rank;
  double rate;
  gls_status_t status;
  pthread_t thread;
};
static void *step_once(void *given) {
  struct mismatch *const one = given;
  gls_error_t *err = NULL;
  one->status = take_step(one->table, one->rank, 1, one->rate, -1, &err);
  gls_error_release(err);
  return NULL;
}

/* Trainers that do not agree are told, and none waits for ever for a part that the other left. */
static void who_does_not_agree_does_not_hang(void **state) {
  (void)state;
  gls_table_options_t options = table_options(GLS_OPTIMIZER_SGD);
  options.world_size = 2;
  for (int round = 0; round < 10; ++round) {
    struct mismatch both[2];
    gls_dataset_t *datasets[2];
    for (uint32_t rank = 0; rank < 2; ++rank) {
      datasets[rank] = open_at(servers[1]);
      options.rank = rank;
      both[rank].table = open_table(datasets[rank], "mismatch", &options);
      both[rank].rank = rank;
      both[rank].rate = rank == 0 ? 0.1 : 0.2;
      assert_int_equal(pthread_create(&both[rank].thread, NULL, step_once, &both[rank]), 0);
    }
    /* One that came to all parts before the other waits; it is withdrawn with the table. */
    struct timespec pause = {0, 100000000};
    nanosleep(&pause, NULL);
    OK(gls_table_drop(both[0].table, &err));
    for (int rank = 0; rank < 2; ++rank) {
      assert_int_equal(pthread_join(both[rank].thread, NULL), 0);
      assert_true(both[rank].status < 0);
      gls_table_release(both[rank].table);
      gls_dataset_release(datasets[rank]);
    }
  }
}

/* Retries with much to say neither fill the connection nor keep what was said before. */
static void a_step_is_tried_again_and_again(void **state) {
  (void)state;
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = 512;
  options.optimizer = GLS_OPTIMIZER_SGD;
  options.world_size = 2;
  gls_table_t *const one = open_table(served, "retries", &options);
  options.rank = 1;
  gls_table_t *const other = open_table(served, "retries", &options);
  static float numbers[kNodes * 512];
  int64_t ids[kNodes];
  for (int64_t v = 0; v < kNodes; ++v) {
    ids[v] = v;
    numbers[v * 512] = 1;
  }
  const int64_t shape[2] = {kNodes, 512};
  const DLTensor id_view = view_of(ids, kInt64, 1, shape);
  const DLTensor view = view_of(numbers, kFloat32, 2, shape);
  for (int i = 0; i < 20; ++i) {
    FAILS(GLS_ERR_TIMED_OUT, NULL, gls_table_step(one, &id_view, &view, 0.5, 1, &err));
  }
  const int64_t none[2] = {0, 512};
  const DLTensor no_ids = view_of(ids, kInt64, 1, none);
  const DLTensor no_rows = view_of(numbers, kFloat32, 2, none);
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_table_step(other, &no_ids, &no_rows, 0.5, 1, &err));
  ID_VIEW(some, 0, 199);
  gls_tensor_t *rows = NULL;
  OK(gls_table_rows(one, &some, &rows, &err));
  assert_true(((float *)rows->dl_tensor.data)[0] ==
              0.0f); /* nothing of what was given up was taken */
  gls_tensor_release(rows);
  gls_table_release(other);
  drop(one);
}

/* ---- files ------------------------------------------------------------------------------------
 */

struct loading {
  gls_table_t *table;
  const char *path;
  pthread_t thread;
};
static void *load(void *given) {
  struct loading *const loading = given;
  gls_error_t *err = NULL;
  if (gls_table_load(loading->table, loading->path, GLS_TIMEOUT_DEFAULT, &err) != GLS_OK) {
    fprintf(stderr, "%s\n", gls_error_message(err));
    gls_error_release(err);
    return given;
  }
  return NULL;
}

static void what_was_saved_is_loaded_by_others(void **state) {
  (void)state;
  char path[PATH_SIZE];
  join_path(path, folder, "saved/table");
  gls_table_options_t options = table_options(GLS_OPTIMIZER_ADAM);
  options.flags = GLS_TABLE_ROW_STEPS;
  gls_table_t *const first = open_table(ring, "saved", &options);
  for (int64_t step = 1; step <= 3; ++step) {
    OK(take_step(first, 0, step, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  }
  OK(gls_table_save(first, path, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(first, path, &err));

  /* By two trainers, at servers. */
  struct loading both[2];
  options.world_size = 2;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    options.rank = rank;
    both[rank].table = open_table(served, "saved", &options);
    both[rank].path = path;
    assert_int_equal(pthread_create(&both[rank].thread, NULL, load, &both[rank]), 0);
  }
  for (int rank = 0; rank < 2; ++rank) {
    void *failed = NULL;
    assert_int_equal(pthread_join(both[rank].thread, &failed), 0);
    assert_null(failed);
    assert_int_equal(info_of(both[rank].table).step, 3);
  }
  expect_same(first, both[0].table);

  /* They save it, each its share, and one loads it: also what the optimiser keeps. */
  char again[PATH_SIZE];
  join_path(again, folder, "again");
  OK(gls_table_save(both[0].table, again, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_table_load(first, again, GLS_TIMEOUT_DEFAULT, &err));
  OK(gls_table_save(both[1].table, again, &err));
  OK(gls_table_drop(both[0].table, &err));
  gls_table_release(both[0].table);
  gls_table_release(both[1].table);
  options.rank = 0;
  options.world_size = 1;
  gls_table_t *const second = open_table(served, "second", &options);
  OK(gls_table_load(second, again, GLS_TIMEOUT_DEFAULT, &err));
  expect_same(first, second);
  for (int64_t step = 4; step <= 6; ++step) {
    OK(take_step(first, 0, step, 0.1, GLS_TIMEOUT_DEFAULT, &err));
    OK(take_step(second, 0, step, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  }
  expect_same(first, second);

  options.width = kWidth + 1;
  gls_table_t *const wide = open_table(ring, "wide", &options);
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_table_load(wide, again, GLS_TIMEOUT_DEFAULT, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_table_load(first, folder, GLS_TIMEOUT_DEFAULT, &err));
  poke_npy(again, "v.1-of-2.npy", 4, 0, 1);
  FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_table_load(first, again, GLS_TIMEOUT_DEFAULT, &err));
  drop(wide);
  drop(first);
  drop(second);
}

/* ---- what is refused --------------------------------------------------------------------------
 */

static void wrong_options(void **state) {
  (void)state;
  gls_table_t *out = NULL;
  gls_table_options_t options = table_options(GLS_OPTIMIZER_ADAM);
#define REFUSED(code, argument)                                                     \
  FAILS(code, argument, gls_table_open(ring, NULL, "wrong", &options, &out, &err)); \
  options = table_options(GLS_OPTIMIZER_ADAM)
  options.width = 0;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "width");
  options.dtype = kFloat64;
  REFUSED(GLS_ERR_UNSUPPORTED, "dtype");
  options.high = -1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "high");
  options.low = NAN;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "low");
  options.beta1 = 1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "beta1");
  options.beta2 = NAN;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "beta2");
  options.epsilon = INFINITY;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "epsilon");
  options.optimizer = 4;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "optimizer");
  options.flags = 4;
  REFUSED(GLS_ERR_UNSUPPORTED, "flags");
  options.reserved = 1;
  REFUSED(GLS_ERR_UNSUPPORTED, "reserved");
  options.rank = 1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "rank");
  options.world_size = 2; /* nobody else can come to a table of this process */
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "world_size");
#undef REFUSED
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name", gls_table_open(ring, NULL, "", &options, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_table_open(ring, "none", "x", &options, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, "name", gls_table_open(ring, NULL, "none", NULL, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, "name", gls_table_open(served, NULL, "none", NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_table_open(NULL, NULL, "x", NULL, &out, &err));
  gls_dataset_t *const datasets[] = {ring, served};
  for (int i = 0; i < 2; ++i) {
    gls_table_t *const table = open_table(datasets[i], "there", &options);
    options.seed = 4;
    gls_error_t *err = NULL;
    assert_int_equal(gls_table_open(datasets[i], NULL, "there", &options, &out, &err),
                     GLS_ERR_ALREADY_EXISTS);
    assert_non_null(strstr(gls_error_message(err), "seed is 3 there, and 4 is wanted"));
    gls_error_release(err);
    options.seed = 3;
    FAILS(GLS_ERR_INVALID_ARGUMENT, "learning_rate",
          take_step(table, 0, 1, NAN, GLS_TIMEOUT_DEFAULT, &err));
    float numbers[2 * kWidth] = {0};
    const int64_t shape[] = {2, kWidth};
    const DLTensor gradients = view_of(numbers, kFloat32, 2, shape);
    ID_VIEW(two, 4, 9);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < COUNT_OF(bad); ++b) {
      numbers[kWidth + 3] = bad[b];
      FAILS(GLS_ERR_INVALID_ARGUMENT, "gradients",
            gls_table_step(table, &two, &gradients, 0.1, GLS_TIMEOUT_DEFAULT, &err));
    }
    numbers[kWidth + 3] = 1;
    OK(gls_table_step(table, &two, &gradients, 0.1, GLS_TIMEOUT_DEFAULT, &err));
    drop(table);
    /* It is new where it was dropped. */
    options.width = 3;
    drop(open_table(datasets[i], "there", &options));
    options.width = kWidth;
    /* Who has it still is told. */
    gls_table_t *const old = open_table(datasets[i], "there", &options);
    OK(gls_table_drop(old, &err));
    ID_VIEW(some, 1, 2);
    gls_tensor_t *rows = NULL;
    FAILS(GLS_ERR_INVALID_STATE, NULL, gls_table_rows(old, &some, &rows, &err));
    FAILS(GLS_ERR_INVALID_STATE, NULL, take_step(old, 0, 1, 0.1, GLS_TIMEOUT_DEFAULT, &err));
    OK(gls_table_drop(old, &err));
    gls_table_release(old);
  }
}

static void memory_of_servers_is_bounded(void **state) {
  (void)state;
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = 1 << 15;
  gls_table_t *out = NULL;
  FAILS(GLS_ERR_OUT_OF_MEMORY, NULL, gls_table_open(served, NULL, "big", &options, &out, &err));
  options.width = 1 << 11; /* 200 rows of 8 KiB, in two parts */
  gls_table_t *const fits = open_table(served, "fits", &options);
  FAILS(GLS_ERR_OUT_OF_MEMORY, NULL, gls_table_open(served, NULL, "more", &options, &out, &err));
  drop(fits);
  drop(open_table(served, "more", &options));
}

static void who_holds_them(void **state) {
  (void)state;
  gls_server_t *const none = start(0, NULL, 0);
  gls_server_t *const some = start(1, gls_server_address(none), 1 << 20);
  gls_dataset_t *dataset = open_at(some);
  const gls_table_options_t options = table_options(GLS_OPTIMIZER_SGD);
  gls_error_t *err = NULL;
  gls_table_t *out = NULL;
  assert_int_equal(gls_table_open(dataset, NULL, "x", &options, &out, &err), GLS_ERR_UNSUPPORTED);
  assert_non_null(strstr(gls_error_message(err), "no server of part 0 holds tables"));
  gls_error_release(err);
  gls_dataset_release(dataset);
  /* One of two servers of a part is enough, */
  gls_server_t *const one = start(0, gls_server_address(some), 1 << 20);
  dataset = open_at(one);
  gls_table_t *const table = open_table(dataset, "x", &options);
  OK(take_step(table, 0, 1, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  gls_table_t *const here = open_table(ring, "x", &options);
  err = NULL;
  OK(take_step(here, 0, 1, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  expect_same(here, table);
  drop(here);
  /* and a server that ends loses what it held. */
  gls_server_release(one);
  FAILS(GLS_ERR_IO, NULL, gls_table_open(dataset, NULL, "y", &options, &out, &err));
  gls_table_release(table);
  gls_dataset_release(dataset);
  gls_server_release(some);
  gls_server_release(none);
}

static void a_server_that_was_started_again_says_so(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  options.listen = place;
  options.table_bytes = 1 << 20;
  gls_server_t *server = NULL;
  OK(gls_server_start(ctx, parts, &options, &server, &err));
  gls_dataset_t *const dataset = open_at(server);
  const gls_table_options_t wanted = table_options(GLS_OPTIMIZER_SGD);
  gls_table_t *const table = open_table(dataset, "x", &wanted);
  OK(take_step(table, 0, 1, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  gls_server_release(server);
  OK(gls_server_start(ctx, parts, &options, &server, &err));
  ID_VIEW(ids, 0, 1, 2);
  gls_tensor_t *rows = NULL;
  gls_error_t *err = NULL;
  assert_int_equal(gls_table_rows(table, &ids, &rows, &err), GLS_ERR_INVALID_STATE);
  assert_non_null(strstr(gls_error_message(err), "table \"x\": it is not there any more"));
  gls_error_release(err);
  FAILS(GLS_ERR_INVALID_STATE, NULL, take_step(table, 0, 2, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  OK(gls_table_drop(table, &err));
  gls_table_t *const anew = open_table(dataset, "x", &wanted);
  assert_int_equal(info_of(anew).step, 0);
  FAILS(GLS_ERR_INVALID_STATE, NULL, gls_table_rows(table, &ids, &rows, &err));
  gls_table_release(table);
  drop(anew);
  gls_dataset_release(dataset);
  gls_server_release(server);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(begin_the_same_wherever_they_are),
      cmocka_unit_test(say_what_they_are),
      cmocka_unit_test(rows_are_read_and_written),
      cmocka_unit_test(of_edges),
      cmocka_unit_test(steps_follow_the_formulas),
      cmocka_unit_test(trainers_take_steps_together),
      cmocka_unit_test(who_is_missing_is_named),
      cmocka_unit_test(who_does_not_agree_does_not_hang),
      cmocka_unit_test(a_step_is_tried_again_and_again),
      cmocka_unit_test(what_was_saved_is_loaded_by_others),
      cmocka_unit_test(wrong_options),
      cmocka_unit_test(memory_of_servers_is_bounded),
      cmocka_unit_test(who_holds_them),
      cmocka_unit_test(a_server_that_was_started_again_says_so),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
