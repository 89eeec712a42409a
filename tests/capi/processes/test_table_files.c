/* Files of saved tables: what is there when a save ends or fails, and what a load refuses. */
#include <dirent.h>
#include <pthread.h>

#include "net_key.h"
#include "test_paths.h"

enum { kNodes = 60, kWidth = 3, kGiven = 20 };

static gls_context_t *ctx;
static gls_dataset_t *ring;
static char folder[PATH_SIZE];

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, kNodes, 2);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_context_release(ctx);
  return 0;
}
/* Each test has a folder of its own. */
static int make_place(void **state) {
  (void)state;
  make_folder(folder);
  return 0;
}
static int remove_place(void **state) {
  (void)state;
  remove_folder(folder);
  return 0;
}

/* ---- tables ------------------------------------------------------------------------------------
 */

static gls_table_t *open_table(gls_dataset_t *dataset, const char *name, uint32_t rank,
                               uint32_t world_size) {
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = kWidth;
  options.low = -1;
  options.high = 1;
  options.optimizer = GLS_OPTIMIZER_ADAM;
  options.flags = GLS_TABLE_ROW_STEPS;
  options.rank = rank;
  options.world_size = world_size;
  gls_table_t *table = NULL;
  OK(gls_table_open(dataset, NULL, name, &options, &table, &err));
  return table;
}
static void drop(gls_table_t *table) {
  OK(gls_table_drop(table, &err));
  gls_table_release(table);
}
static int64_t step_of(const gls_table_t *table) {
  gls_table_info_t info = {.struct_size = sizeof info};
  OK(gls_table_get_info(table, &info, &err));
  return info.step;
}
/* Of the rows from some id on, other numbers in each step. */
static gls_status_t step_from(gls_table_t *table, int64_t first, gls_error_t **err) {
  int64_t ids[kGiven];
  float numbers[kGiven * kWidth];
  const int64_t step = step_of(table);
  for (int i = 0; i < kGiven; ++i) {
    ids[i] = (first + i) % kNodes;
    for (int j = 0; j < kWidth; ++j) {
      numbers[i * kWidth + j] = (float)((i * 7 + j * 3 + (int)step * 5) % 11 - 5) / 4;
    }
  }
  const int64_t shape[2] = {kGiven, kWidth};
  const DLTensor id_view = view_of(ids, kInt64, 1, shape);
  const DLTensor view = view_of(numbers, kFloat32, 2, shape);
  return gls_table_step(table, &id_view, &view, 0.1, GLS_TIMEOUT_DEFAULT, err);
}
static void take_steps(gls_table_t *table, int count) {
  for (int i = 0; i < count; ++i) {
    OK(step_from(table, 9 * step_of(table), &err));
  }
}
struct rows {
  float numbers[kNodes * kWidth];
};
static struct rows rows_of(const gls_table_t *table) {
  int64_t ids[kNodes];
  for (int64_t v = 0; v < kNodes; ++v) {
    ids[v] = v;
  }
  const int64_t shape = kNodes;
  const DLTensor view = view_of(ids, kInt64, 1, &shape);
  gls_tensor_t *found = NULL;
  OK(gls_table_rows(table, &view, &found, &err));
  struct rows out;
  memcpy(&out, found->dl_tensor.data, sizeof out);
  gls_tensor_release(found);
  return out;
}
static void expect_same(const gls_table_t *one, const gls_table_t *other) {
  const struct rows a = rows_of(one);
  const struct rows b = rows_of(other);
  assert_memory_equal(&a, &b, sizeof a);
}
/* That it fails, and changes nothing. */
static void load_fails(gls_table_t *table, gls_status_t code, const char *words) {
  const struct rows before = rows_of(table);
  const int64_t step = step_of(table);
  gls_error_t *err = NULL;
  const gls_status_t status = gls_table_load(table, folder, GLS_TIMEOUT_DEFAULT, &err);
  if (status != code || strstr(gls_error_message(err), words) == NULL) {
    print_error("%s: %s; expected %s: %s\n", gls_status_name(status),
                err != NULL ? gls_error_message(err) : "", gls_status_name(code), words);
    fail();
  }
  assert_non_null(gls_error_detail(err, "file"));
  gls_error_release(err);
  const struct rows after = rows_of(table);
  assert_memory_equal(&before, &after, sizeof before);
  assert_int_equal(step_of(table), step);
  OK(step_from(table, 0, &err)); /* steps go on, too */
}

/* ---- files -------------------------------------------------------------------------------------
 */

static int count_files(const char *path) {
  DIR *const dir = opendir(path);
  assert_non_null(dir);
  int out = 0;
  for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    out += entry->d_name[0] != '.';
  }
  closedir(dir);
  return out;
}
static void remove_file(const char *name) {
  char path[PATH_SIZE];
  join_path(path, folder, name);
  assert_int_equal(remove(path), 0);
}
static void put_text(const char *name, const char *text) {
  char path[PATH_SIZE];
  join_path(path, folder, name);
  write_text(path, text);
}
static void read_text(const char *name, char *out, size_t size) {
  char path[PATH_SIZE];
  join_path(path, folder, name);
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(out, 1, size - 1, file);
  assert_in_range(length, 1, size - 2);
  out[length] = '\0';
  assert_int_equal(fclose(file), 0);
}
/* `text` with the value of a key in place of another; of a key that is not there it fails. */
static void with_value(const char *text, const char *key, const char *value, char *out,
                       size_t size) {
  char start[64];
  snprintf(start, sizeof start, "\"%s\": ", key);
  const char *at = strstr(text, start);
  assert_non_null(at);
  at += strlen(start);
  const char *end = strpbrk(at, ",\n");
  if (*at == '{') {
    end = strchr(at, '}') + 1;
  }
  const int length = snprintf(out, size, "%.*s%s%s", (int)(at - text), text, value, end);
  assert_in_range(length, 1, size - 1);
}
/* Without its checksum, as a description that was edited has to be. */
static void unseal(char *text) {
  char *const sum = strstr(text, ",\n  \"xxh3\"");
  assert_non_null(sum);
  strcpy(sum, "\n}\n");
}
static void move_all(const char *from, const char *to) {
  DIR *const dir = opendir(from);
  assert_non_null(dir);
  for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    if (entry->d_name[0] != '.') {
      char source[PATH_SIZE];
      char target[PATH_SIZE];
      join_path(source, from, entry->d_name);
      join_path(target, to, entry->d_name);
      assert_int_equal(rename(source, target), 0);
    }
  }
  closedir(dir);
}

/* ---- what is saved is loaded -------------------------------------------------------------------
 */

static void with_what_the_optimiser_keeps(void **state) {
  (void)state;
  gls_table_t *const table = open_table(ring, "kept", 0, 1);
  take_steps(table, 4);
  OK(gls_table_save(table, folder, &err));
  assert_int_equal(count_files(folder), 5); /* rows, m, v, steps, and the description */
  gls_table_t *const other = open_table(ring, "other", 0, 1);
  take_steps(other, 1);
  OK(gls_table_load(other, folder, GLS_TIMEOUT_DEFAULT, &err));
  assert_int_equal(step_of(other), 4);
  expect_same(table, other);
  take_steps(table, 3);
  take_steps(other, 3);
  expect_same(table, other);
  drop(table);
  drop(other);
}

/* ---- what is damaged ---------------------------------------------------------------------------
 */

static void arrays(void **state) {
  (void)state;
  gls_table_t *const table = open_table(ring, "arrays", 0, 1);
  take_steps(table, 2);
  OK(gls_table_save(table, folder, &err));
  take_steps(table, 2);
  /* The last one that is read: what comes before it must not be written. */
  poke_npy(folder, "steps.0-of-1.npy", 4, kNodes - 1, 77);
  load_fails(table, GLS_ERR_CORRUPT_DATA, "steps.0-of-1.npy: its checksum");
  char path[PATH_SIZE];
  join_path(path, folder, "steps.0-of-1.npy");
  write_npy(path, "<i4", "(2, 1)", (int32_t[]){1, 2}, 8);
  load_fails(table, GLS_ERR_CORRUPT_DATA, "steps.0-of-1.npy: it has another dtype or shape");
  remove_file("steps.0-of-1.npy");
  load_fails(table, GLS_ERR_NOT_FOUND, "steps.0-of-1.npy");
  drop(table);
}

static void descriptions(void **state) {
  (void)state;
  gls_table_t *const table = open_table(ring, "descriptions", 0, 1);
  take_steps(table, 1);
  OK(gls_table_save(table, folder, &err));
  take_steps(table, 1);
  static const char kName[] = "table.0-of-1.json";
  static char saved[4096];
  static char said[4096];
  read_text(kName, saved, sizeof saved);
  unseal(saved);
  static const struct {
    const char *key;
    const char *value;
  } wrong[] = {{"gls_table", "2"},
               {"gls_table", "\"1\""},
               {"gls_table", "[[1]]"},
               {"name", "1"},
               {"name", "null"},
               {"number", "17"},
               {"number", "\"0123456789abcdeF\""},
               {"number", "\"0123456789abcde\""},
               {"type", "[\"node\"]"},
               {"rows", "\"60\""},
               {"rows", "-60"},
               {"rows", "60.0"},
               {"rows", "18446744073709551615"},
               {"width", "true"},
               {"width", "4294967299"},
               {"dtype", "32"},
               {"optimizer", "{}"},
               {"row_steps", "1"},
               {"step", "\"1\""},
               {"step", "-1"},
               {"step", "4611686018427387904"},
               {"step", "9223372036854775807"},
               {"step", "1e300"},
               {"rank", "1"},
               {"rank", "-1"},
               {"rank", "{}"},
               {"world_size", "0"},
               {"world_size", "2"},
               {"world_size", "4294967297"},
               {"world_size", "[]"},
               {"arrays", "[]"},
               {"arrays", "{}"},
               {"arrays", "{\"rows\": 1}"},
               {"arrays", "{\"rows\": [[[[1]]]]}"}};
  for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
    with_value(saved, wrong[i].key, wrong[i].value, said, sizeof said);
    put_text(kName, said);
    load_fails(table, GLS_ERR_CORRUPT_DATA, kName);
  }
  static const char *const texts[] = {"", "{", "[]", "17", "{}", "{\"gls_table\": 1}"};
  for (size_t i = 0; i < COUNT_OF(texts); ++i) {
    put_text(kName, texts[i]);
    load_fails(table, GLS_ERR_CORRUPT_DATA, kName);
  }
  /* Brackets in a string are none, */
  with_value(saved, "name", "\"\\\"{{{{[[[[\"", said, sizeof said);
  put_text(kName, said);
  OK(gls_table_load(table, folder, GLS_TIMEOUT_DEFAULT, &err));
  /* and what is well formed and not of this table is another error. */
  static const struct {
    const char *key;
    const char *value;
  } other[] = {{"type", "\"edge\""},     {"rows", "61"},           {"width", "4"},
               {"dtype", "\"float64\""}, {"optimizer", "\"SGD\""}, {"row_steps", "false"}};
  for (size_t i = 0; i < COUNT_OF(other); ++i) {
    with_value(saved, other[i].key, other[i].value, said, sizeof said);
    put_text(kName, said);
    load_fails(table, GLS_ERR_INVALID_ARGUMENT, other[i].key);
  }
  put_text(kName, saved);
  put_text("table.0-of-2.json", saved); /* of another rank than its name */
  load_fails(table, GLS_ERR_CORRUPT_DATA, "table.0-of-2.json: it is of another rank");
  drop(table);
}

/* As deep as a description may be long. */
static void deep_descriptions(void **state) {
  (void)state;
  gls_table_t *const table = open_table(ring, "deep", 0, 1);
  enum { kDepth = 400000 };
  static const char *const starts[] = {"[", "{\"gls_table\":[", "{\"arrays\":["};
  char *const text = malloc(2 * kDepth + 64);
  assert_non_null(text);
  for (size_t i = 0; i < COUNT_OF(starts); ++i) {
    const size_t start = strlen(starts[i]);
    memcpy(text, starts[i], start);
    memset(text + start, '[', kDepth);
    memset(text + start + kDepth, ']', kDepth + 1);
    strcpy(text + start + 2 * kDepth + 1, i == 0 ? "" : "}");
    put_text("table.0-of-1.json", text);
    load_fails(table, GLS_ERR_CORRUPT_DATA, "it is no description of a table");
  }
  free(text);
  drop(table);
}

/* ---- where something is ------------------------------------------------------------------------
 */

static void what_was_cut_off_is_replaced(void **state) {
  (void)state;
  gls_table_t *const table = open_table(ring, "cut", 0, 1);
  take_steps(table, 2);
  put_text("rows.0-of-1.npy", "half");
  put_text("steps.0-of-1.npy", "");
  put_text("table.0-of-1.json.partial", "{");
  put_text("rows.0-of-9.npy", "of another");
  OK(gls_table_save(table, folder, &err));
  assert_int_equal(count_files(folder), 6);
  char kept[32];
  read_text("rows.0-of-9.npy", kept, sizeof kept);
  assert_string_equal(kept, "of another");
  gls_table_t *const other = open_table(ring, "other", 0, 1);
  OK(gls_table_load(other, folder, GLS_TIMEOUT_DEFAULT, &err));
  expect_same(table, other);
  drop(table);
  drop(other);
}

static void one_that_fails_leaves_nothing(void **state) {
  (void)state;
  gls_table_t *const table = open_table(ring, "fails", 0, 1);
  char path[PATH_SIZE];
  join_path(path, folder, "steps.0-of-1.npy"); /* the last array cannot be made */
  assert_int_equal(mkdir(path, 0777), 0);
  FAILS(GLS_ERR_IO, NULL, gls_table_save(table, folder, &err));
  assert_int_equal(count_files(folder), 1);
  assert_int_equal(rmdir(path), 0);
  OK(gls_table_save(table, folder, &err));
  drop(table);
}

static void another_save_is_left_as_it_is(void **state) {
  (void)state;
  static const char kName[] = "table.0-of-1.json";
  static char before[4096];
  static char after[4096];
  gls_table_t *const table = open_table(ring, "first", 0, 1);
  OK(gls_table_save(table, folder, &err));
  read_text(kName, before, sizeof before);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(table, folder, &err));
  take_steps(table, 1);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(table, folder, &err));
  gls_table_t *const second = open_table(ring, "second", 0, 1);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(second, folder, &err));
  read_text(kName, after, sizeof after);
  assert_string_equal(before, after);
  assert_int_equal(count_files(folder), 5);
  gls_table_t *const loaded = open_table(ring, "loaded", 0, 1);
  OK(gls_table_load(loaded, folder, GLS_TIMEOUT_DEFAULT, &err));
  drop(loaded);
  /* Nor is anything put beside what is no share of the same save. */
  remove_file(kName);
  put_text("table.x.json", before);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(table, folder, &err));
  remove_file("table.x.json");
  OK(gls_table_save(table, folder, &err));
  drop(table);
  drop(second);
}

/* ---- of two trainers ---------------------------------------------------------------------------
 */

static void *step_of_other(void *given) {
  gls_error_t *err = NULL;
  const gls_status_t status = step_from(given, 30, &err);
  gls_error_release(err);
  return status == GLS_OK ? NULL : given;
}
static void step_together(gls_table_t *const both[2]) {
  pthread_t other;
  assert_int_equal(pthread_create(&other, NULL, step_of_other, both[1]), 0);
  OK(step_from(both[0], 0, &err));
  void *failed = NULL;
  assert_int_equal(pthread_join(other, &failed), 0);
  assert_null(failed);
}
static void open_both(gls_dataset_t *served, const char *name, gls_table_t *both[2]) {
  for (uint32_t rank = 0; rank < 2; ++rank) {
    both[rank] = open_table(served, name, rank, 2);
  }
}
static void drop_both(gls_table_t *const both[2]) {
  drop(both[0]);
  gls_table_release(both[1]);
}

static void shares_are_of_one_save(void **state) {
  (void)state;
  char parts[PATH_SIZE];
  char home[PATH_SIZE];
  make_folder(home);
  join_path(parts, home, "parts");
  set_key(ctx, home);
  gls_partition_options_t cut = GLS_PARTITION_OPTIONS_INIT;
  cut.method = GLS_PARTITION_HASH;
  cut.parts = 2;
  OK(gls_dataset_partition(ring, parts, &cut, &err));
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  options.table_bytes = 1 << 20;
  gls_server_t *server = NULL;
  OK(gls_server_start(ctx, parts, &options, &server, &err));
  char place[PATH_SIZE];
  assert_in_range(snprintf(place, PATH_SIZE, "gls://%s", gls_server_address(server)), 12,
                  PATH_SIZE - 1);
  gls_dataset_t *served = NULL;
  OK(gls_dataset_open(ctx, place, NULL, &served, &err));

  gls_table_t *both[2];
  open_both(served, "both", both);
  step_together(both);
  char first[PATH_SIZE];
  char second[PATH_SIZE];
  join_path(first, home, "first");
  join_path(second, home, "second");
  gls_table_t *const here = open_table(ring, "here", 0, 1);

  /* Of one save, from two folders that are put together. */
  OK(gls_table_save(both[0], first, &err));
  OK(gls_table_save(both[1], second, &err));
  move_all(first, folder);
  load_fails(here, GLS_ERR_NOT_FOUND, "table.1-of-2.json is missing");
  move_all(second, folder);
  OK(gls_table_load(here, folder, GLS_TIMEOUT_DEFAULT, &err));
  assert_int_equal(step_of(here), 1);
  expect_same(here, both[0]);

  /* Of one trainer, or of another number of them, none goes there. */
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(here, folder, &err));
  gls_table_t *const third = open_table(served, "both", 2, 3);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(third, folder, &err));
  gls_table_release(third);

  /* Of two steps. */
  remove_folder(folder);
  OK(gls_table_save(both[0], folder, &err));
  step_together(both);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(both[1], folder, &err));
  OK(gls_table_save(both[1], second, &err));
  move_all(second, folder);
  load_fails(here, GLS_ERR_INVALID_ARGUMENT, "after step 1 by 2 trainers");

  /* Of two tables, */
  remove_folder(folder);
  gls_table_t *others[2];
  open_both(served, "others", others);
  step_together(others);
  step_together(others);
  OK(gls_table_save(both[0], folder, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(others[1], folder, &err));
  OK(gls_table_save(others[1], second, &err));
  move_all(second, folder);
  load_fails(here, GLS_ERR_INVALID_ARGUMENT, "\"others\"");
  drop_both(others);

  /* and of two of the same name, one after the other. */
  remove_folder(folder);
  OK(gls_table_save(both[0], folder, &err));
  drop_both(both);
  open_both(served, "both", both);
  step_together(both);
  step_together(both);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_table_save(both[1], folder, &err));
  OK(gls_table_save(both[1], second, &err));
  move_all(second, folder);
  load_fails(here, GLS_ERR_INVALID_ARGUMENT, "\"both\"");
  drop_both(both);

  drop(here);
  gls_dataset_release(served);
  gls_server_release(server);
  remove_folder(home);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_FOLDER(with_what_the_optimiser_keeps),
      WITH_FOLDER(arrays),
      WITH_FOLDER(descriptions),
      WITH_FOLDER(deep_descriptions),
      WITH_FOLDER(what_was_cut_off_is_replaced),
      WITH_FOLDER(one_that_fails_leaves_nothing),
      WITH_FOLDER(another_save_is_left_as_it_is),
      WITH_FOLDER(shares_are_of_one_save),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
