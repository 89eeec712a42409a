/* Calls that wait: a ring and its server, a function that keeps its calls, a loader's gate, and
 * interrupts. */
#ifndef GLS_TESTS_CAPI_SERVED_FIXTURE_H
#define GLS_TESTS_CAPI_SERVED_FIXTURE_H

#include "feeds.h"
#include "net_key.h"

/* ---- interrupts -------------------------------------------------------------------------------
 */

static int asked; /* how often the interrupt function has run since set_interrupt() */

/* Ends a call when it runs the third time. */
static inline int32_t third_time(void *user_data) {
  int *const count = user_data;
  return ++*count >= 3 ? 1 : 0;
}
static inline void set_interrupt(gls_interrupt_fn check) {
  asked = 0;
  gls_thread_set_interrupt(check, &asked, NULL, NULL);
}
/* The call waits until its interrupt function ends it. */
#define INTERRUPTED(call)                \
  do {                                   \
    set_interrupt(third_time);           \
    FAILS(GLS_ERR_CANCELED, NULL, call); \
    assert_int_equal(asked, 3);          \
    set_interrupt(NULL);                 \
  } while (0)

/* ---- a served graph ---------------------------------------------------------------------------
 */

enum { kNodes = 200, kMostKept = 16 };

static char folder[PATH_SIZE]; /* made by the test */
static gls_dataset_t *ring;
static gls_server_t *server;
static gls_dataset_t *served; /* by the context of set_up_served() */

static _Atomic(gls_call_t *) kept_calls[kMostKept];
static atomic_int num_kept;

/* The function "keep" of the server: the test answers its calls, or releases them. */
static inline void keep(gls_call_t *call, void *user_data) {
  (void)user_data;
  const int place = atomic_fetch_add(&num_kept, 1);
  if (place >= kMostKept) {
    abort(); /* an assertion of cmocka ends a test in the test's own thread only */
  }
  atomic_store(&kept_calls[place], call);
}

static inline gls_dataset_t *open_served(gls_context_t *ctx) {
  char place[PATH_SIZE];
  snprintf(place, PATH_SIZE, "gls://%s", gls_server_address(server));
  gls_dataset_t *out = NULL;
  OK(gls_dataset_open(ctx, place, NULL, &out, &err));
  return out;
}
/* The context has the key. */
static inline void set_up_served(gls_context_t *ctx) {
  ring = make_ring(ctx, kNodes, 4);
  char parts[PATH_SIZE];
  join_path(parts, folder, "parts");
  gls_partition_options_t cut = GLS_PARTITION_OPTIONS_INIT;
  cut.method = GLS_PARTITION_HASH;
  cut.parts = 1;
  OK(gls_dataset_partition(ring, parts, &cut, &err));
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  options.table_bytes = 1 << 20;
  OK(gls_server_start(ctx, parts, &options, &server, &err));
  OK(gls_server_function(server, "keep", keep, NULL, NULL, &err));
  served = open_served(ctx);
}
static inline void tear_down_served(void) {
  gls_dataset_release(served);
  gls_server_release(server);
  gls_dataset_release(ring);
}

/* ---- a loader's gate --------------------------------------------------------------------------
 */

static atomic_bool shut;

/* A transform that holds back every batch while the gate is shut, at most 20 s. */
static inline gls_status_t wait_at_gate(gls_batch_t *batch, void *user_data, char *message,
                                        size_t capacity) {
  (void)batch, (void)user_data, (void)message, (void)capacity;
  for (int tries = 0; atomic_load(&shut) && tries < 20000; ++tries) {
    sleep_ms(1);
  }
  return GLS_OK;
}

#endif /* GLS_TESTS_CAPI_SERVED_FIXTURE_H */
