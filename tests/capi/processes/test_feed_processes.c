/* Feeds and trainers in processes of their own, which are killed. Every wait has a limit. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "feeds.h"

/* Runs `body` in a process of its own, which has made no use of the library before. */
static pid_t start_process(void (*body)(const char *), const char *argument) {
  fflush(NULL);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    alarm(60);
    body(argument);
    _exit(0);
  }
  return pid;
}
static void expect_end(pid_t pid) {
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
static void expect_killed(pid_t pid) {
  int status = 0;
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
}
/* Serves until it is killed. */
static void feed_for_ever(const char *path) {
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  serve(all.loader, path, 2, 1u << 20);
  for (;;) {
    pause();
  }
}

/* ---- processes that are killed -----------------------------------------------------------------
 */

static void outlives_the_feed(void **state) {
  (void)state;
  const char *const path = socket_path("killed");
  const pid_t feeder = start_process(feed_for_ever, path);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  gls_batch_t *const held = soon(loader);
  const uint64_t digest = batch_digest(held);
  expect_killed(feeder);
  struct timespec before;
  struct timespec after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  gls_status_t status = GLS_OK;
  gls_error_t *err = NULL;
  while (status == GLS_OK) { /* what was there already is still given */
    gls_batch_t *batch = NULL;
    status = gls_loader_next(loader, -1, &batch, &err);
    gls_batch_release(batch);
  }
  clock_gettime(CLOCK_MONOTONIC, &after);
  check_result(status, GLS_ERR_IO, err, NULL, "gls_loader_next", __FILE__, __LINE__);
  assert_true(after.tv_sec - before.tv_sec <= 5);
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_IO, NULL, gls_loader_next(loader, -1, &batch, &err));
  assert_int_equal(batch_digest(held), digest);
  char saved[GLS_LOADER_STATE_MAX];
  OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
  gls_loader_release(loader);
  assert_int_equal(batch_digest(held), digest);
  /* Another takes its place, and the epoch goes on. */
  const pid_t next = start_process(feed_for_ever, path);
  gls_loader_t *const again = attach_to(ctx, &path, 1, 0);
  OK(gls_loader_restore(again, saved, &err));
  uint64_t digests[kMostBatches];
  assert_true(drain_soon(again, digests) < 13);
  gls_loader_release(again);
  expect_killed(next);
  unlink(path);
  gls_batch_release(held);
  gls_context_release(ctx);
}

/* Takes some batches, holds one, and waits to be killed. */
static void take_some(const char *path) {
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  gls_batch_release(soon(loader));
  gls_batch_release(soon(loader));
  soon(loader);
  for (;;) {
    pause();
  }
}

static void take_all(const char *path) {
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  uint64_t digests[kMostBatches];
  if (drain_soon(loader, digests) != 13) {
    _exit(2);
  }
  gls_loader_release(loader);
}

/* The feed and both trainers are processes of their own. The library is used here only after the
 * children were made. */
static void outlives_its_trainers(void **state) {
  (void)state;
  const char *const path = socket_path("trainers");
  const pid_t taker = start_process(take_some, path);
  const pid_t whole = start_process(take_all, socket_path("unused"));
  expect_killed(whole); /* it waits for a feed that never comes */
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  gls_feed_t *const feed = serve(all.loader, path, 2, 1u << 20);
  SOON(info_of(feed).batches > 3);
  expect_killed(taker);
  SOON(info_of(feed).lost == 1);
  assert_int_equal(info_of(feed).consumers, 0);
  assert_int_equal(info_of(feed).used_bytes, 0);
  OK(gls_feed_wait(feed, 20000, &err));
  /* The same rank may come back. */
  const pid_t back = start_process(take_all, path);
  expect_end(back);
  SOON(info_of(feed).attached == 2 && info_of(feed).consumers == 0);
  assert_int_equal(info_of(feed).lost, 1);
  gls_feed_release(feed);
  release_all(&all);
}

/* Memory with a name is a file there; folders are of other programs. */
static int named_memory(void) {
  DIR *const folder = opendir("/dev/shm");
  if (folder == NULL) {
    return 0;
  }
  int found = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat info;
    found += strstr(entry->d_name, "gls") != NULL &&
             fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
             S_ISREG(info.st_mode);
  }
  closedir(folder);
  return found;
}
static int named_before;

/* Memory of feeds has no name. */
static void leaves_nothing_behind(void **state) {
  (void)state;
  assert_int_equal(named_memory(), named_before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      /* First: its processes are made before this one has used the library. */
      cmocka_unit_test(outlives_its_trainers),
      cmocka_unit_test(outlives_the_feed),
      cmocka_unit_test(leaves_nothing_behind),
  };
  named_before = named_memory();
  return cmocka_run_group_tests_name("feed_processes", tests, NULL, NULL);
}
