/* Recipes without the plugin that reads them: what each call says. tests/formats has the plugin. */
#include "helpers.h"

static gls_context_t *ctx;
static gls_error_t *err;

static int set_up(void **state) {
  (void)state;
  setenv("GLS_PLUGIN_PATH", "/nonexistent", 1);
  ctx = make_context(1);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  gls_context_release(ctx);
  return 0;
}

static void calls_say_what_is_missing(void **state) {
  (void)state;
  gls_recipe_t *recipe = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, NULL,
        gls_recipe_of_format(ctx, "dgl", "graph.bin", NULL, &recipe, &err));
  assert_int_equal(gls_recipe_create(ctx, "edges: {}", NULL, &recipe, &err), GLS_ERR_UNSUPPORTED);
  assert_non_null(strstr(gls_error_message(err), "libgls_formats.so was not found"));
  gls_error_release(err);
  err = NULL;
  assert_null(recipe);
}

static void arguments_are_checked_first(void **state) {
  (void)state;
  gls_recipe_t *recipe = NULL;
  gls_builder_t *builder = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "text", gls_recipe_create(ctx, NULL, NULL, &recipe, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_recipe_create(ctx, "", NULL, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx", gls_recipe_create(NULL, "", NULL, &recipe, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "format",
        gls_recipe_of_format(ctx, NULL, "", NULL, &recipe, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_recipe_of_format(ctx, "", NULL, NULL, &recipe, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "recipe", gls_recipe_to_builder(NULL, &builder, &err));
  gls_recipe_options_t options = GLS_RECIPE_OPTIONS_INIT;
  options.num_choices = 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "choices",
        gls_recipe_of_format(ctx, "dgl", "", &options, &recipe, &err));
  const char *const choices[1] = {NULL};
  options.choices = choices;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "choices",
        gls_recipe_of_format(ctx, "dgl", "", &options, &recipe, &err));
  gls_recipe_release(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(calls_say_what_is_missing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(arguments_are_checked_first, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
