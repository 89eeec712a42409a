/* Groups of processes, here threads of one, and functions that they call of each other and of
 * servers. Those that die are in tests/python. */
#include <pthread.h>
#include <unistd.h>

#include "feeds.h"
#include "net_key.h"
#include "test_paths.h"

static gls_context_t *ctx; /* with the key */
static char folder[PATH_SIZE];

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  make_folder(folder);
  set_key(ctx, folder);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_context_release(ctx);
  remove_folder(folder);
  return 0;
}

/* ---- members, each of which joins on a thread of its own ---------------------------------------
 */

enum { kMost = 4 };

typedef struct member {
  gls_group_options_t options;
  int64_t timeout_ms;
  gls_context_t *context;
  gls_group_t *group;
  gls_error_t *err;
  gls_status_t status;
  pthread_t thread;
} member_t;

static void *run_join(void *data) {
  member_t *const member = data;
  member->status = gls_group_join(member->context, &member->options, member->timeout_ms,
                                  &member->group, &member->err);
  return NULL;
}
static void prepare(member_t *members, uint32_t world, const char *place) {
  for (uint32_t rank = 0; rank < world; ++rank) {
    memset(&members[rank], 0, sizeof *members);
    members[rank].options = (gls_group_options_t)GLS_GROUP_OPTIONS_INIT;
    members[rank].options.name = "test";
    members[rank].options.rank = rank;
    members[rank].options.world_size = world;
    members[rank].options.rendezvous = place;
    members[rank].options.num_threads = 2;
    members[rank].timeout_ms = 20000;
    members[rank].context = ctx;
  }
}
static void join_members(member_t *members, uint32_t count) {
  for (uint32_t i = count; i-- > 0;) { /* rank 0 comes last */
    assert_int_equal(pthread_create(&members[i].thread, NULL, run_join, &members[i]), 0);
  }
  for (uint32_t i = 0; i < count; ++i) {
    assert_int_equal(pthread_join(members[i].thread, NULL), 0);
  }
}
static void join_well(member_t *members, uint32_t world) {
  char place[PATH_SIZE];
  free_place(place);
  prepare(members, world, place);
  join_members(members, world);
  for (uint32_t rank = 0; rank < world; ++rank) {
    if (members[rank].status != GLS_OK) {
      print_error("rank %u: %s\n", rank, gls_error_message(members[rank].err));
    }
    assert_int_equal(members[rank].status, GLS_OK);
  }
}
static void release_members(member_t *members, uint32_t count) {
  for (uint32_t i = count; i-- > 0;) {
    gls_group_release(members[i].group);
    gls_error_release(members[i].err);
  }
}
static bool says(const gls_error_t *err, const char *part) {
  const bool found = strstr(gls_error_message(err), part) != NULL;
  if (!found) {
    print_error("\"%s\" does not say \"%s\"\n", gls_error_message(err), part);
  }
  return found;
}

/* The bytes of an answer, as text; waits for it. */
static void expect_text(gls_future_t *answer, size_t index, const char *expected) {
  OK(gls_future_wait(answer, 20000, &err));
  gls_tensor_t *tensor = NULL;
  OK(gls_future_bytes(answer, index, &tensor, &err));
  assert_int_equal(tensor->dl_tensor.ndim, 1);
  assert_int_equal(tensor->dl_tensor.shape[0], strlen(expected));
  if (*expected != '\0') {
    assert_memory_equal(tensor->dl_tensor.data, expected, strlen(expected));
  }
  gls_tensor_release(tensor);
}
/* An answer that is an error; waits for it and gives it back. */
static gls_error_t *error_of(gls_future_t *answer, gls_status_t expected) {
  gls_error_t *err = NULL;
  const gls_status_t status = gls_future_wait(answer, 20000, &err);
  if (status != expected && err != NULL) {
    print_error("%s\n", gls_error_message(err));
  }
  assert_int_equal(status, expected);
  assert_int_equal(gls_future_count(answer), 0);
  gls_future_release(answer);
  return err;
}

/* ---- joining, barriers, all-gathers ------------------------------------------------------------
 */

static void joins_and_gathers(void **state) {
  (void)state;
  member_t members[3];
  join_well(members, 3);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    gls_group_info_t info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(gls_group_get_info(members[rank].group, &info, &err));
    assert_string_equal(info.name, "test");
    assert_int_equal(info.rank, rank);
    assert_int_equal(info.world_size, 3);
    assert_int_equal(info.local_rank, rank);
    assert_int_equal(info.local_size, 3);
    assert_int_equal(info.launcher, GLS_LAUNCHER_ARGUMENTS);
    gls_member_info_t member;
    memset(&member, 0, sizeof member);
    member.struct_size = sizeof member;
    OK(gls_group_get_member_info(members[rank].group, 2, &member, &err));
    assert_non_null(strstr(member.name, "test/2"));
    assert_non_null(strstr(member.address, "127.0.0.1:"));
    assert_int_equal(member.process, getpid());
    FAILS(GLS_ERR_INVALID_ARGUMENT, "rank",
          gls_group_get_member_info(members[rank].group, 3, &member, &err));
  }
  for (int round = 0; round < 20; ++round) {
    gls_future_t *barriers[3];
    gls_future_t *answers[3];
    for (uint32_t i = 0; i < 3; ++i) {
      OK(gls_group_barrier(members[i].group, 20000, &barriers[i], &err));
    }
    for (uint32_t i = 0; i < 3; ++i) {
      OK(gls_future_wait(barriers[i], -1, &err));
      assert_int_equal(gls_future_count(barriers[i]), 0);
      gls_future_release(barriers[i]);
    }
    static const char *const kGiven[] = {"zero", "", "two and more"};
    for (uint32_t i = 0; i < 3; ++i) {
      OK(gls_group_all_gather(members[i].group, kGiven[i], strlen(kGiven[i]), 20000, &answers[i],
                              &err));
    }
    for (uint32_t i = 0; i < 3; ++i) {
      for (size_t item = 0; item < 3; ++item) {
        expect_text(answers[i], item, kGiven[item]);
      }
      assert_int_equal(gls_future_count(answers[i]), 3);
      gls_tensor_t *none = NULL;
      FAILS(GLS_ERR_NOT_FOUND, "index", gls_future_bytes(answers[i], 3, &none, &err));
      gls_future_release(answers[i]);
    }
  }
  release_members(members, 3);
}

/* The same text for all, as several machines need it: rank 0 is at its rendezvous all the same. */
static void listens_on_every_interface(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  member_t members[3];
  prepare(members, 3, place);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    members[rank].options.listen = "0.0.0.0:0";
  }
  join_members(members, 3);
  gls_future_t *barriers[3];
  for (uint32_t rank = 0; rank < 3; ++rank) {
    assert_int_equal(members[rank].status, GLS_OK);
    gls_member_info_t member;
    memset(&member, 0, sizeof member);
    member.struct_size = sizeof member;
    OK(gls_group_get_member_info(members[2].group, rank, &member, &err));
    assert_memory_equal(member.address, "127.0.0.1:", strlen("127.0.0.1:")); /* as rank 0 sees it */
    assert_true((strcmp(member.address, place) == 0) == (rank == 0));
    OK(gls_group_barrier(members[rank].group, 20000, &barriers[rank], &err));
  }
  for (uint32_t rank = 0; rank < 3; ++rank) {
    OK(gls_future_wait(barriers[rank], -1, &err));
    gls_future_release(barriers[rank]);
  }
  release_members(members, 3);
}

static void alone_needs_no_network(void **state) {
  (void)state;
  gls_context_t *const own = make_context(1); /* without a key */
  gls_group_t *group = NULL;
  OK(gls_group_join(own, NULL, 0, &group, &err));
  OK(gls_group_barrier(group, 1000, NULL, &err));
  gls_future_t *answer = NULL;
  OK(gls_group_all_gather(group, "me", 2, 1000, &answer, &err));
  expect_text(answer, 0, "me");
  gls_future_release(answer);
  OK(gls_group_leave(group, 0, &err));
  OK(gls_group_leave(group, 0, &err));
  FAILS(GLS_ERR_INVALID_STATE, NULL, gls_group_barrier(group, 1000, NULL, &err));
  gls_group_release(group);
  gls_context_release(own);
}

/* One rank twice is among the tests with processes: here all have one process id, and who has the
 * same may come again. */
static void what_cannot_become_right(void **state) {
  (void)state;
  for (int which = 0; which < 2; ++which) {
    char place[PATH_SIZE];
    free_place(place);
    member_t members[3];
    prepare(members, 3, place);
    if (which == 0) {
      members[2].options.name = "another";
    } else {
      members[2].options.world_size = 4;
    }
    join_members(members, 3);
    for (int i = 0; i < 3; ++i) {
      assert_int_equal(members[i].status, GLS_ERR_INVALID_ARGUMENT);
      assert_true(says(members[i].err, which == 0 ? "\"another\"" : "world size of 4"));
      assert_true(says(members[i].err, "rank 2"));
    }
    release_members(members, 3);
  }
}

static void who_is_missing(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  member_t members[3];
  prepare(members, 3, place);
  members[0].timeout_ms = 700; /* and the others learn of it */
  join_members(members, 2);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(members[i].status, GLS_ERR_TIMED_OUT);
  }
  for (int i = 0; i < 2; ++i) {
    assert_true(says(members[i].err, "1 of 3 processes are missing: rank 2"));
    assert_true(says(members[i].err, "test/1"));
  }
  release_members(members, 2);
  /* Nobody is rank 0. */
  prepare(members, 3, place);
  gls_group_t *none = NULL;
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_group_join(ctx, &members[1].options, 300, &none, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_group_join(ctx, &members[1].options, 0, &none, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_group_join(ctx, &members[0].options, 0, &none, &err));
}

static int32_t count_reports(void *count, const char *stage, uint64_t done, uint64_t total,
                             const char *unit) {
  (void)stage;
  (void)unit;
  assert_true(done <= total);
  return ++*(int *)count == 3;
}
static void joining_can_be_stopped(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    member_t members[2];
    prepare(members, 2, place);
    int reports = 0;
    members[rank].options.progress = count_reports;
    members[rank].options.progress_user_data = &reports;
    FAILS(GLS_ERR_CANCELED, NULL,
          gls_group_join(ctx, &members[rank].options, 20000, &members[rank].group, &err));
    assert_int_equal(reports, 3);
  }
}

/* An exchange as MPI would do it, among threads. */
static pthread_barrier_t exchange_barrier;
static unsigned char exchanged[kMost][1024];
typedef struct exchange {
  uint32_t rank;
  uint32_t world;
} exchange_t;
static int32_t exchange(void *user_data, const void *mine, size_t size, void *all) {
  const exchange_t *const own = user_data;
  assert_true(size <= sizeof exchanged[0]);
  memcpy(exchanged[own->rank], mine, size);
  pthread_barrier_wait(&exchange_barrier);
  for (uint32_t rank = 0; rank < own->world; ++rank) {
    memcpy((unsigned char *)all + size * rank, exchanged[rank], size);
  }
  return 0;
}
static void addresses_by_the_caller(void **state) {
  (void)state;
  member_t members[3];
  exchange_t places[3];
  prepare(members, 3, NULL);
  assert_int_equal(pthread_barrier_init(&exchange_barrier, NULL, 3), 0);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    places[rank] = (exchange_t){rank, 3};
    members[rank].options.exchange = exchange;
    members[rank].options.exchange_user_data = &places[rank];
  }
  join_members(members, 3);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    assert_int_equal(members[rank].status, GLS_OK);
  }
  release_members(members, 3);
  pthread_barrier_destroy(&exchange_barrier);
}

static void barriers_time_out_and_go_on(void **state) {
  (void)state;
  member_t members[3];
  join_well(members, 3);
  gls_error_t *err = NULL;
  assert_int_equal(gls_group_barrier(members[1].group, 100, NULL, &err), GLS_ERR_TIMED_OUT);
  assert_true(says(err, "barrier 1 of group \"test\""));
  assert_true(says(err, "rank 0 ("));
  assert_true(says(err, "rank 2 ("));
  assert_string_equal(gls_error_detail(err, "operation"), "barrier 1");
  gls_error_release(err);
  gls_future_t *answers[3];
  for (uint32_t i = 0; i < 3; ++i) {
    OK(gls_group_barrier(members[i].group, -1, &answers[i], &err));
    if (i == 0) {
      FAILS(GLS_ERR_INVALID_STATE, NULL, gls_group_barrier(members[i].group, -1, NULL, &err));
      assert_int_equal(gls_future_wait(answers[i], 0, NULL), GLS_IN_PROGRESS);
    }
  }
  for (uint32_t i = 0; i < 3; ++i) {
    OK(gls_future_wait(answers[i], 20000, &err));
    gls_future_release(answers[i]);
  }
  release_members(members, 3);
}

static void different_operations(void **state) {
  (void)state;
  member_t members[3];
  join_well(members, 3);
  gls_future_t *answers[3];
  OK(gls_group_barrier(members[0].group, 20000, &answers[0], &err));
  OK(gls_group_all_gather(members[2].group, "x", 1, 20000, &answers[2], &err));
  OK(gls_group_barrier(members[1].group, 20000, &answers[1], &err));
  for (int i = 0; i < 3; ++i) {
    gls_error_t *const err = error_of(answers[i], GLS_ERR_INVALID_STATE);
    assert_true(says(err, "in barrier 1"));
    assert_true(says(err, "in all-gather 1"));
    assert_true(says(err, "rank 2 ("));
    gls_error_release(err);
  }
  release_members(members, 3);
}

static void who_leaves_is_named(void **state) {
  (void)state;
  member_t members[3];
  join_well(members, 3);
  gls_future_t *waiting = NULL;
  OK(gls_group_barrier(members[1].group, 20000, &waiting, &err));
  OK(gls_group_leave(members[2].group, 1000, &err));
  gls_error_t *err = error_of(waiting, GLS_ERR_IO);
  assert_true(says(err, "barrier 1"));
  assert_true(says(err, "rank 2 (test/2"));
  assert_true(says(err, "has left"));
  assert_string_equal(gls_error_detail(err, "rank"), "2");
  gls_error_release(err);
  gls_group_release(members[0].group); /* and now who was in the middle */
  members[0].group = NULL;
  err = NULL;
  assert_int_equal(gls_group_barrier(members[1].group, 20000, NULL, &err), GLS_ERR_IO);
  assert_true(says(err, "rank 0 (test/0"));
  gls_error_release(err);
  release_members(members, 3);
}

/* ---- functions ---------------------------------------------------------------------------------
 */

static void echo(gls_call_t *call, void *user_data) {
  atomic_fetch_add((atomic_int *)user_data, 1);
  gls_call_info_t info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  assert_int_equal(gls_call_get_info(call, &info, NULL), GLS_OK);
  assert_int_equal(gls_call_reply(call, info.data, info.size, NULL), GLS_OK);
  assert_int_equal(gls_call_reply(call, NULL, 0, NULL), GLS_ERR_INVALID_STATE);
  gls_call_release(call);
}
static void fails(gls_call_t *call, void *user_data) {
  (void)user_data;
  assert_int_equal(gls_call_fail(call, GLS_ERR_CORRUPT_DATA, "row 7 is damaged", NULL), GLS_OK);
  gls_call_release(call);
}
static void forgets(gls_call_t *call, void *user_data) {
  (void)user_data;
  gls_call_release(call);
}
static void who_calls(gls_call_t *call, void *user_data) {
  (void)user_data;
  gls_call_info_t info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  assert_int_equal(gls_call_get_info(call, &info, NULL), GLS_OK);
  char text[64];
  snprintf(text, sizeof text, "%s rank %d part %d", info.function, (int)info.rank, (int)info.part);
  assert_int_equal(gls_call_reply(call, text, strlen(text), NULL), GLS_OK);
  gls_call_release(call);
}
static _Atomic(gls_call_t *) kept_call;
static _Atomic(void *) kept_by;
static void keeps(gls_call_t *call, void *user_data) {
  atomic_store(&kept_by, user_data);
  atomic_store(&kept_call, call);
}

static gls_future_t *call(gls_group_t *group, uint32_t rank, const char *function, const char *data,
                          int64_t timeout_ms) {
  gls_future_t *answer = NULL;
  OK(gls_group_call(group, rank, function, data, strlen(data), timeout_ms, NULL, &answer, &err));
  return answer;
}

static void count_ready(void *count) { atomic_fetch_add((atomic_int *)count, 1); }

static void functions_of_a_group(void **state) {
  (void)state;
  static atomic_int calls;
  static atomic_int destroyed;
  atomic_store(&calls, 0);
  atomic_store(&destroyed, 0);
  member_t members[3];
  join_well(members, 3);
  for (uint32_t i = 0; i < 3; ++i) {
    gls_group_t *const group = members[i].group;
    OK(gls_group_function(group, "echo", echo, &calls, count_ready, &err));
    OK(gls_group_function(group, "who", who_calls, &destroyed, count_ready, &err));
    OK(gls_group_function(group, "fails", fails, NULL, NULL, &err));
    OK(gls_group_function(group, "forgets", forgets, NULL, NULL, &err));
    static atomic_int refused; /* each failure destroys the data once */
    atomic_store(&refused, 0);
    FAILS(GLS_ERR_ALREADY_EXISTS, "name",
          gls_group_function(group, "echo", echo, &refused, count_ready, &err));
    assert_int_equal(atomic_load(&refused), 1);
    FAILS(GLS_ERR_INVALID_ARGUMENT, "name",
          gls_group_function(group, "", echo, &refused, count_ready, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "name",
          gls_group_function(group, NULL, echo, &refused, count_ready, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "function",
          gls_group_function(group, "none", NULL, &refused, count_ready, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "group",
          gls_group_function(NULL, "none", echo, &refused, count_ready, &err));
    assert_int_equal(atomic_load(&refused), 5);
    FAILS(GLS_ERR_INVALID_ARGUMENT, "name", gls_group_function(group, "", echo, NULL, NULL, &err));
  }
  /* Each calls each, itself, too. */
  for (uint32_t from = 0; from < 3; ++from) {
    for (uint32_t to = 0; to < 3; ++to) {
      gls_future_t *const answer = call(members[from].group, to, "echo", "hello", 20000);
      expect_text(answer, 0, "hello");
      assert_int_equal(gls_future_count(answer), 1);
      gls_future_release(answer);
      gls_future_t *const who = call(members[from].group, to, "who", "", 20000);
      char expected[64];
      snprintf(expected, sizeof expected, "who rank %u part -1", from);
      expect_text(who, 0, expected);
      gls_future_release(who);
      gls_error_t *err =
          error_of(call(members[from].group, to, "fails", "", 20000), GLS_ERR_CORRUPT_DATA);
      char name[64];
      snprintf(name, sizeof name, "function \"fails\" of rank %u (test/%u", to, to);
      assert_true(says(err, name));
      assert_true(says(err, "row 7 is damaged"));
      assert_string_equal(gls_error_detail(err, "function"), "fails");
      gls_error_release(err);
      err = error_of(call(members[from].group, to, "forgets", "", 20000), GLS_ERR_INTERNAL);
      assert_true(says(err, "gave no answer"));
      gls_error_release(err);
      err = error_of(call(members[from].group, to, "nothing", "", 20000), GLS_ERR_NOT_FOUND);
      assert_true(says(err, "\"echo\", \"fails\", \"forgets\", \"who\""));
      gls_error_release(err);
    }
  }
  assert_int_equal(atomic_load(&calls), 9);
  gls_future_t *answer = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank",
        gls_group_call(members[0].group, 3, "echo", NULL, 0, -1, NULL, &answer, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "data",
        gls_group_call(members[0].group, 1, "echo", NULL, 1, -1, NULL, &answer, &err));
  /* Many at once. */
  gls_future_t *many[200];
  for (int i = 0; i < 200; ++i) {
    many[i] = call(members[1].group, 2, "echo", "many", 20000);
  }
  for (int i = 0; i < 200; ++i) {
    expect_text(many[i], 0, "many");
    gls_future_release(many[i]);
  }
  release_members(members, 3);
  assert_int_equal(atomic_load(&destroyed), 3);
  assert_int_equal(atomic_load(&calls), 9 + 200 + 3);
}

static void large_bytes(void **state) {
  (void)state;
  static atomic_int calls;
  member_t members[2];
  join_well(members, 2);
  OK(gls_group_function(members[1].group, "echo", echo, &calls, NULL, &err));
  const size_t size = (size_t)80 << 20;
  unsigned char *const data = malloc(size);
  assert_non_null(data);
  for (size_t i = 0; i < size; ++i) {
    data[i] = (unsigned char)(i * 2654435761u >> 13);
  }
  gls_future_t *answer = NULL;
  OK(gls_group_call(members[0].group, 1, "echo", data, size, GLS_TIMEOUT_DEFAULT, NULL, &answer,
                    &err));
  OK(gls_future_wait(answer, -1, &err));
  gls_tensor_t *tensor = NULL;
  OK(gls_future_bytes(answer, 0, &tensor, &err));
  gls_future_release(answer); /* the bytes outlive it, and the group */
  release_members(members, 2);
  assert_int_equal(tensor->dl_tensor.shape[0], size);
  assert_int_equal((uintptr_t)tensor->dl_tensor.data % 64, 0);
  assert_int_equal(memcmp(tensor->dl_tensor.data, data, size), 0);
  gls_tensor_release(tensor);
  free(data);
}

static void answers_later_and_never(void **state) {
  (void)state;
  member_t members[3];
  join_well(members, 3);
  OK(gls_group_function(members[2].group, "keeps", keeps, NULL, NULL, &err));
  for (uint32_t from = 0; from < 3; ++from) {
    /* In time, and told. */
    static atomic_int ready;
    atomic_store(&ready, 0);
    atomic_store(&kept_call, NULL);
    gls_future_t *answer = call(members[from].group, 2, "keeps", "", -1);
    SOON(atomic_load(&kept_call) != NULL);
    EXPECT(GLS_IN_PROGRESS, NULL, gls_future_notify(answer, count_ready, &ready, &err));
    assert_int_equal(atomic_load(&ready), 0);
    OK(gls_call_reply(atomic_load(&kept_call), "late", 4, &err));
    gls_call_release(atomic_exchange(&kept_call, NULL));
    expect_text(answer, 0, "late");
    SOON(atomic_load(&ready) == 1);
    OK(gls_future_notify(answer, count_ready, &ready, &err));
    gls_future_release(answer);
    /* Not in time. */
    gls_error_t *const late =
        error_of(call(members[from].group, 2, "keeps", "", 100), GLS_ERR_TIMED_OUT);
    assert_true(says(late, "function \"keeps\" of rank 2 ("));
    assert_true(says(late, "within 100 ms"));
    assert_string_equal(gls_error_detail(late, "function"), "keeps");
    gls_error_release(late);
    SOON(atomic_load(&kept_call) != NULL);
    gls_call_release(atomic_exchange(&kept_call, NULL));
    /* Not wanted any more, which the function sees. */
    answer = call(members[from].group, 2, "keeps", "", -1);
    SOON(atomic_load(&kept_call) != NULL);
    gls_future_cancel(answer);
    gls_error_release(error_of(answer, GLS_ERR_CANCELED));
    gls_call_info_t info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    SOON(gls_call_get_info(atomic_load(&kept_call), &info, NULL) == GLS_OK && info.canceled != 0);
    gls_call_release(atomic_exchange(&kept_call, NULL));
  }
  /* The caller goes first, and then the one who has the call. */
  gls_future_t *answer = call(members[0].group, 2, "keeps", "", -1);
  SOON(atomic_load(&kept_call) != NULL);
  gls_group_release(members[0].group);
  members[0].group = NULL;
  gls_error_release(error_of(answer, GLS_ERR_CANCELED));
  gls_call_t *const first = atomic_exchange(&kept_call, NULL);
  answer = call(members[1].group, 2, "keeps", "", -1);
  SOON(atomic_load(&kept_call) != NULL);
  gls_group_release(members[2].group);
  members[2].group = NULL;
  gls_error_t *const err = error_of(answer, GLS_ERR_IO);
  assert_true(says(err, "may have run or not"));
  gls_error_release(err);
  gls_call_release(first);
  gls_call_release(atomic_exchange(&kept_call, NULL));
  release_members(members, 3);
}

/* ---- functions of servers ----------------------------------------------------------------------
 */

static gls_dataset_t *make_parts(char *parts) {
  gls_dataset_t *const ring = make_ring(ctx, 200, 4);
  join_path(parts, folder, "parts");
  gls_partition_options_t options = GLS_PARTITION_OPTIONS_INIT;
  options.method = GLS_PARTITION_HASH;
  options.parts = 2;
  OK(gls_dataset_partition(ring, parts, &options, &err));
  return ring;
}
static gls_future_t *call_part(gls_dataset_t *dataset, uint32_t part, const char *function,
                               uint32_t flags, int64_t timeout_ms) {
  gls_call_options_t options = GLS_CALL_OPTIONS_INIT;
  options.flags = flags;
  gls_future_t *answer = NULL;
  OK(gls_dataset_call(dataset, part, function, "x", 1, timeout_ms, &options, &answer, &err));
  return answer;
}

static void functions_of_servers(void **state) {
  (void)state;
  static atomic_int calls;
  char parts[PATH_SIZE];
  gls_dataset_t *const ring = make_parts(parts);
  gls_future_t *none = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, NULL,
        gls_dataset_call(ring, 0, "who", NULL, 0, -1, NULL, &none, &err));
  gls_server_t *servers[2] = {NULL, NULL}; /* both have both parts */
  gls_server_options_t options = GLS_SERVER_OPTIONS_INIT;
  for (int i = 0; i < 2; ++i) {
    const char *const other = i == 1 ? gls_server_address(servers[0]) : NULL;
    options.servers = &other;
    options.num_servers = i == 1 ? 1 : 0;
    options.name = i == 0 ? "first" : "second";
    OK(gls_server_start(ctx, parts, &options, &servers[i], &err));
    OK(gls_server_function(servers[i], "who", who_calls, NULL, NULL, &err));
    OK(gls_server_function(servers[i], "keeps", keeps, &servers[i], NULL, &err));
    OK(gls_server_function(servers[i], "fails", fails, &calls, NULL, &err));
    static atomic_int destroyed;
    atomic_store(&destroyed, 0);
    FAILS(GLS_ERR_ALREADY_EXISTS, "name",
          gls_server_function(servers[i], "who", who_calls, &destroyed, count_ready, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "server",
          gls_server_function(NULL, "none", who_calls, &destroyed, count_ready, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "function",
          gls_server_function(servers[i], "none", NULL, &destroyed, count_ready, &err));
    assert_int_equal(atomic_load(&destroyed), 3);
  }
  char place[PATH_SIZE];
  snprintf(place, sizeof place, "gls://%s", gls_server_address(servers[1]));
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(ctx, place, NULL, &dataset, &err));
  for (uint32_t part = 0; part < 2; ++part) {
    gls_future_t *const answer = call_part(dataset, part, "who", 0, 20000);
    expect_text(answer, 0, part == 0 ? "who rank -1 part 0" : "who rank -1 part 1");
    gls_future_release(answer);
  }
  FAILS(GLS_ERR_INVALID_ARGUMENT, "part",
        gls_dataset_call(dataset, 2, "who", NULL, 0, -1, NULL, &none, &err));
  gls_error_t *err = error_of(call_part(dataset, 0, "fails", 0, 20000), GLS_ERR_CORRUPT_DATA);
  assert_true(says(err, "function \"fails\" of part 0 at "));
  gls_error_release(err);

  /* The server that was asked goes while it works: another one is asked if that is right. */
  atomic_store(&kept_call, NULL);
  gls_future_t *answer = call_part(dataset, 1, "keeps", GLS_CALL_IDEMPOTENT, 20000);
  SOON(atomic_load(&kept_call) != NULL);
  gls_call_t *const first = atomic_exchange(&kept_call, NULL);
  gls_server_t **const asked = atomic_load(&kept_by);
  gls_server_release(*asked);
  *asked = NULL;
  SOON(atomic_load(&kept_call) != NULL);
  gls_server_t **const left = atomic_load(&kept_by);
  assert_ptr_not_equal(left, asked);
  OK(gls_call_reply(first, "lost", 4, &err)); /* nobody waits for that */
  OK(gls_call_reply(atomic_load(&kept_call), "moved", 5, &err));
  expect_text(answer, 0, "moved");
  gls_future_release(answer);
  gls_call_release(first);
  gls_call_release(atomic_exchange(&kept_call, NULL));
  /* Later calls go to who is left. */
  answer = call_part(dataset, 0, "who", 0, 20000);
  expect_text(answer, 0, "who rank -1 part 0");
  gls_future_release(answer);
  /* Not marked as one that may be repeated: whether it ran is not known. */
  answer = call_part(dataset, 0, "keeps", 0, 20000);
  SOON(atomic_load(&kept_call) != NULL);
  gls_server_release(*left);
  err = error_of(answer, GLS_ERR_IO);
  assert_true(says(err, "may have run or not"));
  gls_error_release(err);
  gls_call_release(atomic_exchange(&kept_call, NULL));
  err = error_of(call_part(dataset, 0, "who", 0, 300), GLS_ERR_TIMED_OUT);
  assert_true(says(err, "part 0 at"));
  gls_error_release(err);
  gls_dataset_release(dataset);
  gls_dataset_release(ring);
}

static void wrong_options(void **state) {
  (void)state;
  gls_group_t *group = NULL;
  gls_group_options_t options = GLS_GROUP_OPTIONS_INIT;
#define REFUSED(code, argument, change)                                        \
  do {                                                                         \
    options = (gls_group_options_t)GLS_GROUP_OPTIONS_INIT;                     \
    change;                                                                    \
    FAILS(code, argument, gls_group_join(ctx, &options, 20000, &group, &err)); \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "options", options.struct_size = 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "launcher", options.launcher = 6);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "world_size", options.launcher = GLS_LAUNCHER_ARGUMENTS);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "rank", options.rank = 1);
  REFUSED(GLS_ERR_NOT_FOUND, "rendezvous", options.world_size = 2);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "rendezvous",
          (options.world_size = 2, options.rendezvous = "x"));
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "name", options.name = "");
  REFUSED(GLS_ERR_NOT_FOUND, "WORLD_SIZE", options.launcher = GLS_LAUNCHER_TORCHRUN);
#undef REFUSED
  gls_context_t *const open = make_context(1); /* nothing protects connections */
  options = (gls_group_options_t)GLS_GROUP_OPTIONS_INIT;
  options.world_size = 2;
  options.rendezvous = "127.0.0.1:0";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "net.key_file",
        gls_group_join(open, &options, 20000, &group, &err));
  gls_context_release(open);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(joins_and_gathers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(listens_on_every_interface, set_up, tear_down),
      cmocka_unit_test_setup_teardown(alone_needs_no_network, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_cannot_become_right, set_up, tear_down),
      cmocka_unit_test_setup_teardown(who_is_missing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(joining_can_be_stopped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(addresses_by_the_caller, set_up, tear_down),
      cmocka_unit_test_setup_teardown(barriers_time_out_and_go_on, set_up, tear_down),
      cmocka_unit_test_setup_teardown(different_operations, set_up, tear_down),
      cmocka_unit_test_setup_teardown(who_leaves_is_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(functions_of_a_group, set_up, tear_down),
      cmocka_unit_test_setup_teardown(large_bytes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(answers_later_and_never, set_up, tear_down),
      cmocka_unit_test_setup_teardown(functions_of_servers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_options, set_up, tear_down),
  };
  assert_int_equal(unsetenv("GLS_NET_KEY"), 0);
  assert_int_equal(unsetenv("GLS_NET_KEY_FILE"), 0);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
