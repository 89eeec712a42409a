/* Contexts: options, settings, environment, log. */
#include <ctype.h>

#include "helpers.h"

/* ---- settings ---------------------------------------------------------------------------------
 */

static void settings_are_listed_in_order(void **state) {
  (void)state;
  const size_t count = gls_setting_count();
  assert_true(count > 0);
  char last[128] = "";
  for (size_t i = 0; i < count; ++i) {
    gls_setting_info_t info = {sizeof info, NULL, NULL, NULL, NULL, NULL};
    OK(gls_setting_get_info(i, &info, &err));
    assert_int_equal(info.struct_size, sizeof info);
    assert_true(strcmp(last, info.key) < 0);
    snprintf(last, sizeof last, "%s", info.key);
    assert_true(strlen(info.help) > 10 && strlen(info.type) > 2);
    /* The environment name is the key in capitals. */
    char env[128] = "GLS_";
    for (size_t c = 0; info.key[c] != '\0' && c < 100; ++c) {
      env[4 + c] = info.key[c] == '.' ? '_' : (char)toupper((unsigned char)info.key[c]);
      env[5 + c] = '\0';
    }
    assert_string_equal(info.env, env);
  }
  gls_setting_info_t info = {sizeof info, NULL, NULL, NULL, NULL, NULL};
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_setting_get_info(count, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_setting_get_info(0, NULL, &err));
  assert_null(info.key);
}

static void info_structs_of_other_sizes(void **state) {
  (void)state;
  /* An older program's struct: only the first fields are written. */
  gls_setting_info_t info = {
      offsetof(gls_setting_info_t, type), NULL, "kept", "kept", "kept", "kept"};
  OK(gls_setting_get_info(0, &info, &err));
  assert_non_null(info.key);
  assert_string_equal(info.type, "kept");
  assert_string_equal(info.help, "kept");
  /* A newer program's struct. */
  struct {
    gls_setting_info_t known;
    uint64_t unknown;
  } longer;
  memset(&longer, 0, sizeof longer);
  longer.known.struct_size = sizeof longer;
  OK(gls_setting_get_info(0, &longer.known, &err));
  assert_non_null(longer.known.help);
  assert_int_equal(longer.unknown, 0);
  /* Forgotten. */
  memset(&info, 0, sizeof info);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "struct_size", gls_setting_get_info(0, &info, &err));
}

static void every_default_is_a_valid_value(void **state) {
  (void)state;
  gls_context_t *const ctx = make_context(1);
  for (size_t i = 0; i < gls_setting_count(); ++i) {
    gls_setting_info_t info = {sizeof info, NULL, NULL, NULL, NULL, NULL};
    OK(gls_setting_get_info(i, &info, &err));
    char value[64];
    size_t length = 0;
    OK(gls_context_get(ctx, info.key, value, sizeof value, &length, &err));
    assert_string_equal(value, info.default_value);
    assert_int_equal(length, strlen(value));
    OK(gls_context_set(ctx, info.key, info.default_value, &err));
    if (strcmp(info.type, "text") == 0) { /* any will do that is not too long */
      char text[4098];
      memset(text, 'x', sizeof text - 1);
      text[sizeof text - 1] = 0;
      FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_context_set(ctx, info.key, text, &err));
      OK(gls_context_set(ctx, info.key, "", &err));
      OK(gls_context_set(ctx, info.key, info.default_value, &err));
    } else {
      FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_context_set(ctx, info.key, "no such value", &err));
      FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_context_set(ctx, info.key, "", &err));
    }
    OK(gls_context_get(ctx, info.key, value, sizeof value, NULL, &err));
    assert_string_equal(value, info.default_value);
  }
  gls_context_release(ctx);
}

static void settings_are_checked(void **state) {
  (void)state;
  gls_context_t *const ctx = make_context(1);
  char value[64] = "untouched";
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_context_set(ctx, "no.such", "1", &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_context_get(ctx, "no.such", value, 64, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx", gls_context_set(NULL, "threads", "1", &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "key", gls_context_set(ctx, NULL, "1", &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "value", gls_context_set(ctx, "threads", NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx", gls_context_get(NULL, "threads", value, 64, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "key", gls_context_get(ctx, NULL, value, 64, NULL, &err));
  assert_string_equal(value, "untouched");
  FAILS(GLS_ERR_INVALID_STATE, "key", gls_context_set(ctx, "threads", "3", &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_context_set(ctx, "threads", "many", &err));
  static const char *const good[][2] = {
      {"memory.pool", "0"},         {"memory.pool", "64K"}, {"memory.pool", "2M"},
      {"memory.pool", "16777215T"}, {"memory.pool", "1G"},  {"memory.huge_pages", "false"},
      {"cpu.simd", "plain"},        {"log.level", "trace"}, {"gather.prefetch_rows", "7"},
  };
  for (size_t i = 0; i < COUNT_OF(good); ++i) {
    OK(gls_context_set(ctx, good[i][0], good[i][1], &err));
    OK(gls_context_get(ctx, good[i][0], value, sizeof value, NULL, &err));
    assert_string_equal(value, good[i][1]);
  }
  static const char *const bad[][2] = {
      {"memory.pool", "-1"},
      {"memory.pool", "1k"},
      {"memory.pool", "1 G"},
      {"memory.pool", "G"},
      {"memory.pool", "16777216T"},
      {"memory.huge_pages", "maybe"},
      {"cpu.simd", "AVX2"},
      {"cpu.simd", "auto|avx512"},
      {"cpu.simd", "plain|"},
      {"log.level", "verbose"},
      {"gather.prefetch_rows", "-1"},
      {"threads", "1.5"},
      {"threads", "99999999999999999999"},
  };
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_context_set(ctx, bad[i][0], bad[i][1], &err));
  }
  gls_context_release(ctx);
}

static void text_buffers(void **state) {
  (void)state;
  gls_context_t *const ctx = make_context(1);
  size_t length = 99;
  char value[8] = "?";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "capacity",
        gls_context_get(ctx, "cpu.simd", NULL, 0, &length, &err));
  assert_int_equal(length, 4); /* documented: also set when the buffer is too small */
  FAILS(GLS_ERR_INVALID_ARGUMENT, "capacity",
        gls_context_get(ctx, "cpu.simd", value, 4, NULL, &err));
  assert_string_equal(value, "?");
  OK(gls_context_get(ctx, "cpu.simd", value, 5, &length, &err));
  assert_string_equal(value, "auto");
  gls_context_release(ctx);
}

static void the_environment_is_read_at_creation(void **state) {
  (void)state;
  char value[64];
  assert_int_equal(setenv("GLS_MEMORY_POOL", "3M", 1), 0);
  gls_context_t *const ctx = make_context(1);
  OK(gls_context_get(ctx, "memory.pool", value, sizeof value, NULL, &err));
  assert_string_equal(value, "3M");
  assert_int_equal(setenv("GLS_MEMORY_POOL", "rubbish", 1), 0);
  OK(gls_context_get(ctx, "memory.pool", value, sizeof value, NULL, &err));
  assert_string_equal(value, "3M");
  gls_context_t *other = NULL;
  gls_error_t *err = NULL;
  assert_int_equal(gls_context_create(NULL, &other, &err), GLS_ERR_INVALID_ARGUMENT);
  assert_non_null(strstr(gls_error_message(err), "GLS_MEMORY_POOL"));
  gls_error_release(err);
  assert_null(other);
  assert_int_equal(setenv("GLS_MEMORY_POOL", "", 1), 0); /* empty: as if unset */
  other = make_context(1);
  OK(gls_context_get(other, "memory.pool", value, sizeof value, NULL, &err));
  assert_string_equal(value, "2G");
  assert_int_equal(unsetenv("GLS_MEMORY_POOL"), 0);
  gls_context_release(other);
  gls_context_release(ctx);
}

/* ---- options and the log ----------------------------------------------------------------------
 */

static atomic_int lines;
static atomic_int highest;
static void count_line(void *user_data, int32_t level, const char *component, const char *text) {
  (void)user_data;
  atomic_fetch_add(&lines, component != NULL && text != NULL ? 1 : 0);
  if (level > atomic_load(&highest)) {
    atomic_store(&highest, level);
  }
}

static gls_context_options_t logging_options(atomic_int *released) {
  gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
  options.num_threads = 1;
  options.log = count_line;
  options.log_user_data = released;
  options.log_destroy = count_release;
  return options;
}

static void destroy_runs_once(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_context_options_t options = logging_options(&released);
  gls_context_t *ctx = NULL;
  OK(gls_context_create(&options, &ctx, &err));
  assert_int_equal(atomic_load(&released), 0);
  gls_context_release(ctx);
  assert_int_equal(atomic_load(&released), 1);
  /* Children keep the context alive, and with it the log. */
  OK(gls_context_create(&options, &ctx, &err));
  gls_builder_t *const builder = make_builder(ctx);
  gls_context_release(ctx);
  assert_int_equal(atomic_load(&released), 1);
  gls_builder_release(builder);
  assert_int_equal(atomic_load(&released), 2);
}

static void destroy_runs_once_on_every_failure(void **state) {
  (void)state;
  atomic_int released = 0;
  int expected = 0;
  gls_context_t *ctx = NULL;

  gls_context_options_t options = logging_options(&released);
  options.log_level = 6;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "log_level", gls_context_create(&options, &ctx, &err));
  assert_int_equal(atomic_load(&released), ++expected);
  options.log_level = -1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "log_level", gls_context_create(&options, &ctx, &err));
  assert_int_equal(atomic_load(&released), ++expected);

  options = logging_options(&released);
  options.num_threads = 1000000;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "num_threads", gls_context_create(&options, &ctx, &err));
  assert_int_equal(atomic_load(&released), ++expected);

  options = logging_options(&released);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_context_create(&options, NULL, &err));
  assert_int_equal(atomic_load(&released), ++expected);

  struct {
    gls_context_options_t known;
    uint64_t unknown;
  } longer = {logging_options(&released), 1};
  longer.known.struct_size = sizeof longer;
  FAILS(GLS_ERR_UNSUPPORTED, "options", gls_context_create(&longer.known, &ctx, &err));
  assert_int_equal(atomic_load(&released), ++expected);
  longer.unknown = 0;
  OK(gls_context_create(&longer.known, &ctx, &err));
  gls_context_release(ctx);
  assert_int_equal(atomic_load(&released), ++expected);

  assert_int_equal(setenv("GLS_THREADS", "many", 1), 0);
  options = logging_options(&released);
  ctx = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_context_create(&options, &ctx, &err));
  assert_int_equal(atomic_load(&released), ++expected);
  assert_int_equal(unsetenv("GLS_THREADS"), 0);
  assert_null(ctx);
}

static void sizes_of_options(void **state) {
  (void)state;
  gls_context_t *ctx = NULL;
  gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
  options.struct_size = 0;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options", gls_context_create(&options, &ctx, &err));
  options.struct_size = SIZE_MAX;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options", gls_context_create(&options, &ctx, &err));
  /* An older program's struct: what it does not have is zero. */
  options.struct_size = offsetof(gls_context_options_t, log_level);
  options.num_threads = 1;
  options.log_level = 99; /* beyond the size: not read */
  OK(gls_context_create(&options, &ctx, &err));
  gls_context_release(ctx);
}

static void the_log_is_called_at_its_level(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_context_options_t options = logging_options(&released);
  options.log_level = GLS_LOG_ERROR;
  atomic_store(&highest, 0);
  gls_context_t *ctx = NULL;
  OK(gls_context_create(&options, &ctx, &err));
  gls_dataset_t *const dataset = make_ring(ctx, 8, 2);
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  const int64_t seed = 1;
  gls_batch_release(sample_ids(sampler, NULL, 1, &seed));
  assert_in_range(atomic_load(&highest), 0, GLS_LOG_ERROR);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
  gls_context_release(ctx);
  assert_int_equal(atomic_load(&released), 1);
}

static void many_contexts(void **state) {
  (void)state;
  gls_context_t *all[16];
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    all[i] = make_context((uint32_t)(i % 4));
  }
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    gls_context_release(all[(i * 5) % COUNT_OF(all)]);
  }
  for (int i = 0; i < 200; ++i) {
    gls_context_release(make_context(2));
  }
  gls_context_release(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_are_listed_in_order),
      cmocka_unit_test(info_structs_of_other_sizes),
      cmocka_unit_test(every_default_is_a_valid_value),
      cmocka_unit_test(settings_are_checked),
      cmocka_unit_test(text_buffers),
      cmocka_unit_test(the_environment_is_read_at_creation),
      cmocka_unit_test(destroy_runs_once),
      cmocka_unit_test(destroy_runs_once_on_every_failure),
      cmocka_unit_test(sizes_of_options),
      cmocka_unit_test(the_log_is_called_at_its_level),
      cmocka_unit_test(many_contexts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
