/* What the replayers of the conformance vectors share. The format is described in
 * tests/conformance/README.md. */
#ifndef GLS_TESTS_CAPI_CONFORMANCE_H
#define GLS_TESTS_CAPI_CONFORMANCE_H

#include <jansson.h>

#include "helpers.h"

/* A number, which is a string of digits where it may need more than 53 bits. */
static inline uint64_t number_of(const json_t *value) {
  if (json_is_string(value)) {
    return strtoull(json_string_value(value), NULL, 10);
  }
  assert_true(json_is_integer(value));
  return (uint64_t)json_integer_value(value);
}
static inline uint64_t get_number(const json_t *object, const char *key, uint64_t otherwise) {
  const json_t *const value = json_object_get(object, key);
  return value == NULL ? otherwise : number_of(value);
}
static inline const char *get_text(const json_t *object, const char *key, const char *otherwise) {
  const json_t *const value = json_object_get(object, key);
  return value == NULL ? otherwise : json_string_value(value);
}
static inline bool get_flag(const json_t *object, const char *key) {
  return json_is_true(json_object_get(object, key));
}
/* To be freed. */
static inline int64_t *get_array(const json_t *array, size_t *count) {
  *count = json_array_size(array);
  int64_t *const out = malloc((*count + 1) * sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < *count; ++i) {
    out[i] = (int64_t)number_of(json_array_get(array, i));
  }
  return out;
}
static inline gls_status_t status_of(const char *name) {
  for (gls_status_t status = -1; status > -64; --status) {
    if (strcmp(gls_status_name(status), name) == 0) {
      return status;
    }
  }
  fail_msg("no status is called %s", name);
  return GLS_OK;
}

/* Datasets of the graphs of a file, by name. */
struct graphs;
struct graphs *read_graphs(gls_context_t *ctx, const json_t *list);
void release_graphs(struct graphs *graphs);
gls_dataset_t *find_graph(const struct graphs *graphs, const char *name);

#define MOST 64
/* Arrays that structs of gls.h point into, freed together. */
struct storage {
  void *blocks[4 * MOST];
  size_t used;
  int64_t shapes[2 * MOST][2];
  size_t used_shapes;
};
void free_storage(struct storage *storage);
gls_sampler_options_t read_options(struct storage *storage, const json_t *json);
/* Rows of one length; NULL for null. */
const DLTensor *read_rows(struct storage *storage, const json_t *rows);

/* Replays one case of kind "sample"; `flags` are GLS_SAMPLE_* to add, which change no value. */
void replay_sample(const struct graphs *graphs, const json_t *test, uint32_t flags);
/* One of kind "seeds". */
void replay_seeds(const struct graphs *graphs, const json_t *test);
void replay_seed_sets(const struct graphs *graphs, const json_t *test);
/* One of kind "pad"; `flags` as above. */
void replay_pad(const struct graphs *graphs, const json_t *test, uint32_t flags);
/* One of kind "codes". */
void replay_codes(gls_context_t *ctx, const json_t *test);

#endif /* GLS_TESTS_CAPI_CONFORMANCE_H */
