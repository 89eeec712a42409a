/* Groups of real processes, which are killed, hang, come late or are not who they should be. Every
 * wait has a limit. */
#include <signal.h>
#include <sys/wait.h>

#include "feeds.h"
#include "net_key.h"
#include "test_paths.h"

static const char kOther[] = "1111111111111111111111111111111111111111111111111111111111111111";

enum { kMost = 4, kLine = 2048 };

/* What a process is to be and to do. */
typedef struct plan {
  uint32_t rank;
  uint32_t world;
  const char *key;
  const char *place;
  int64_t timeout_ms; /* of joining */
  bool idle;          /* joins, and then does nothing */
} plan_t;
/* One of them, as the test sees it. */
typedef struct process {
  pid_t pid;
  FILE *says;
  char line[kLine];
} process_t;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Says "joined" or how joining failed, and then how a barrier ended. */
static void be_member(const plan_t *plan, FILE *out) {
  setenv("GLS_NET_KEY", plan->key, 1);
  setenv("GLS_NET_PEER_TIMEOUT_MS", "1000", 1);
  gls_context_options_t quiet = GLS_CONTEXT_OPTIONS_INIT;
  quiet.num_threads = 1;
  quiet.log_level = GLS_LOG_ERROR;
  gls_context_t *ctx = NULL;
  gls_group_t *group = NULL;
  gls_error_t *err = NULL;
  gls_group_options_t options = GLS_GROUP_OPTIONS_INIT;
  options.rank = plan->rank;
  options.world_size = plan->world;
  options.rendezvous = plan->place;
  gls_status_t status = gls_context_create(&quiet, &ctx, &err);
  if (status == GLS_OK) {
    status = gls_group_join(ctx, &options, plan->timeout_ms, &group, &err);
  }
  if (status == GLS_OK) {
    fprintf(out, "joined\n");
    fflush(out);
    if (plan->idle) {
      for (;;) {
        pause();
      }
    }
    status = gls_group_barrier(group, 20000, NULL, &err);
  }
  fprintf(out, "%s %s\n", gls_status_name(status), status < 0 ? gls_error_message(err) : "");
  fflush(out);
  gls_error_release(err);
  if (group != NULL) {
    gls_group_leave(group, 1000, NULL);
  }
  gls_group_release(group);
  gls_context_release(ctx);
}

static process_t start(const plan_t *plan) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  process_t out;
  memset(&out, 0, sizeof out);
  out.pid = fork();
  assert_true(out.pid >= 0);
  if (out.pid == 0) { /* the test itself makes no use of the library */
    close(ends[0]);
    alarm(60);
    FILE *const says = fdopen(ends[1], "w");
    be_member(plan, says);
    fclose(says);
    _exit(0);
  }
  close(ends[1]);
  out.says = fdopen(ends[0], "r");
  assert_non_null(out.says);
  return out;
}
static plan_t plan_of(uint32_t rank, uint32_t world, const char *place) {
  const plan_t plan = {rank, world, kKey, place, 20000, false};
  return plan;
}
static void expect_line(process_t *process, const char *begin) {
  assert_non_null(fgets(process->line, kLine, process->says));
  if (strncmp(process->line, begin, strlen(begin)) != 0) {
    print_error("\"%s\" does not begin with \"%s\"\n", process->line, begin);
    fail();
  }
}
static void expect_says(const process_t *process, const char *part) {
  if (strstr(process->line, part) == NULL) {
    print_error("\"%s\" does not say \"%s\"\n", process->line, part);
    fail();
  }
}
static void end(process_t *process) {
  kill(process->pid, SIGKILL);
  int status = 0;
  assert_int_equal(waitpid(process->pid, &status, 0), process->pid);
  fclose(process->says);
}
static void expect_end(process_t *process) {
  int status = 0;
  assert_int_equal(waitpid(process->pid, &status, 0), process->pid);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  fclose(process->says);
}

/* ---- faults in the middle of a barrier ---------------------------------------------------------
 */

/* All but `victim` are in a barrier when it gets `fault`: each says so within seconds. */
static void fault_in_a_barrier(uint32_t victim, int fault, double limit) {
  char place[PATH_SIZE];
  free_place(place);
  process_t processes[kMost];
  for (uint32_t rank = 0; rank < kMost; ++rank) {
    plan_t plan = plan_of(rank, kMost, place);
    plan.idle = rank == victim;
    processes[rank] = start(&plan);
  }
  for (uint32_t rank = 0; rank < kMost; ++rank) {
    expect_line(&processes[rank], "joined");
  }
  sleep_ms(200);
  const double before = seconds();
  assert_int_equal(kill(processes[victim].pid, fault), 0);
  char name[64];
  snprintf(name, sizeof name, "rank %u (gls/%u on ", victim, victim);
  char process[64];
  snprintf(process, sizeof process, "process %d", (int)processes[victim].pid);
  for (uint32_t rank = 0; rank < kMost; ++rank) {
    if (rank != victim) {
      expect_line(&processes[rank], "GLS_ERR_IO");
      assert_true(seconds() - before < limit);
      expect_says(&processes[rank], "barrier 1 of group \"gls\"");
      expect_says(&processes[rank], name);
      expect_says(&processes[rank], process);
      expect_says(&processes[rank], "was lost");
    }
  }
  end(&processes[victim]);
  for (uint32_t rank = 0; rank < kMost; ++rank) {
    if (rank != victim) {
      expect_end(&processes[rank]);
    }
  }
}

static void one_is_killed(void **state) {
  (void)state;
  fault_in_a_barrier(2, SIGKILL, 3);
}
static void rank_0_is_killed(void **state) {
  (void)state;
  fault_in_a_barrier(0, SIGKILL, 3);
}
static void one_hangs(void **state) {
  (void)state;
  fault_in_a_barrier(3, SIGSTOP, 5);
}
static void rank_0_hangs(void **state) {
  (void)state;
  fault_in_a_barrier(0, SIGSTOP, 5);
}

/* ---- joining -----------------------------------------------------------------------------------
 */

static void one_comes_late(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; ++late) {
    char place[PATH_SIZE];
    free_place(place);
    process_t processes[3];
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t rank = (late + 1 + i) % 3;
      if (rank == late) {
        sleep_ms(700);
      }
      const plan_t plan = plan_of(rank, 3, place);
      processes[rank] = start(&plan);
    }
    for (uint32_t rank = 0; rank < 3; ++rank) {
      expect_line(&processes[rank], "joined");
      expect_line(&processes[rank], "GLS_OK");
      expect_end(&processes[rank]);
    }
  }
}

static void two_have_one_rank(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  process_t processes[3];
  for (uint32_t i = 0; i < 3; ++i) {
    const plan_t plan = plan_of(i == 2 ? 1 : i, 4, place);
    processes[i] = start(&plan);
  }
  for (uint32_t i = 0; i < 3; ++i) {
    char process[64];
    expect_line(&processes[i], "GLS_ERR_ALREADY_EXISTS");
    expect_says(&processes[i], "two processes have rank 1");
    for (uint32_t other = 1; other < 3; ++other) {
      snprintf(process, sizeof process, "process %d", (int)processes[other].pid);
      expect_says(&processes[i], process);
    }
    expect_end(&processes[i]);
  }
}

static void one_has_another_key(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  process_t processes[3];
  for (uint32_t rank = 0; rank < 3; ++rank) {
    plan_t plan = plan_of(rank, 3, place);
    plan.timeout_ms = rank == 0 ? 2000 : 3000;
    plan.key = rank == 1 ? kOther : kKey;
    processes[rank] = start(&plan);
  }
  for (uint32_t rank = 0; rank < 3; ++rank) {
    expect_line(&processes[rank], rank == 1 ? "GLS_ERR_INVALID_ARGUMENT" : "GLS_ERR_TIMED_OUT");
    if (rank != 1) {
      expect_says(&processes[rank], "1 of 3 processes are missing: rank 1;");
      expect_says(&processes[rank], "turned away, the last from 127.0.0.1:");
      expect_says(&processes[rank], "another key");
    } else {
      expect_says(&processes[rank], "is the key the same on both sides?");
    }
    assert_null(strstr(processes[rank].line, kOther));
    expect_end(&processes[rank]);
  }
}

/* One is killed before all are there, and is started again. */
static void one_comes_again(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  process_t processes[3];
  for (uint32_t rank = 0; rank < 2; ++rank) {
    const plan_t plan = plan_of(rank, 3, place);
    processes[rank] = start(&plan);
  }
  sleep_ms(500);
  end(&processes[1]);
  for (uint32_t rank = 1; rank < 3; ++rank) {
    const plan_t plan = plan_of(rank, 3, place);
    processes[rank] = start(&plan);
  }
  for (uint32_t rank = 0; rank < 3; ++rank) {
    expect_line(&processes[rank], "joined");
    expect_line(&processes[rank], "GLS_OK");
    expect_end(&processes[rank]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_is_killed),       cmocka_unit_test(rank_0_is_killed),
      cmocka_unit_test(one_hangs),           cmocka_unit_test(rank_0_hangs),
      cmocka_unit_test(one_comes_late),      cmocka_unit_test(two_have_one_rank),
      cmocka_unit_test(one_has_another_key), cmocka_unit_test(one_comes_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
