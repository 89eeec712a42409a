package org.gls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.gls.support.Graphs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Groups of processes, here threads of one, and functions that they call of each other and of
 * servers. Every wait has a limit.
 */
@Timeout(120)
class GroupTest {
  private static final String KEY =
      "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final CallOptions PATIENT = new CallOptions().timeout(SOON);

  @TempDir Path folder;
  private Context context;

  @BeforeEach
  void key() throws IOException {
    Path key = folder.resolve("key");
    Files.writeString(key, KEY);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    context = Context.builder().numThreads(2).build();
    context.set("net.key_file", key.toString());
  }

  @AfterEach
  void close() {
    context.close();
  }

  /**
   * A port of loopback where nobody listens. It is below those that Linux gives to connections
   * (from 32768 up), so that none of the tests' own takes it before it is listened at.
   */
  private static String freePlace() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(10000, 32768);
      try (ServerSocket found = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return "127.0.0.1:" + found.getLocalPort();
      } catch (BindException taken) { // another one, then
      }
    }
  }

  /** Makes calls at the same time, each on a thread of its own. */
  private static <T> List<T> together(int count, IntFunction<T> call) throws Exception {
    List<CompletableFuture<T>> all = new ArrayList<>();
    for (int i = 0; i < count; ++i) {
      int which = i;
      CompletableFuture<T> future = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  future.complete(call.apply(which));
                } catch (Throwable error) {
                  future.completeExceptionally(error);
                }
              });
      thread.setDaemon(true);
      thread.start();
      all.add(future);
    }
    List<T> out = new ArrayList<>();
    for (CompletableFuture<T> one : all) {
      out.add(one.get(60, TimeUnit.SECONDS));
    }
    return out;
  }

  /** Members that are closed together, the last first. */
  private record Members(List<Group> all) implements AutoCloseable {
    Group get(int rank) {
      return all.get(rank);
    }

    @Override
    public void close() {
      for (int i = all.size(); i-- > 0; ) {
        all.get(i).close();
      }
    }
  }

  private Members members(int count, UnaryOperator<Group.Builder> change) throws Exception {
    String place = freePlace();
    return new Members(
        together(
            count,
            rank ->
                change
                    .apply(
                        Group.builder()
                            .place(rank, count)
                            .rendezvous(place)
                            .timeout(SOON)
                            .context(context))
                    .join()));
  }

  private Members members(int count) throws Exception {
    return members(count, options -> options);
  }

  private static void soon(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + SOON.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end);
      Thread.sleep(5);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  private static <T extends Throwable> T causeOf(Class<T> kind, CompletableFuture<?> future) {
    return assertThrows(
        kind,
        () -> {
          try {
            future.get(30, TimeUnit.SECONDS);
          } catch (ExecutionException error) {
            throw error.getCause();
          }
        });
  }

  // ---- joining, barriers, all-gathers ----------------------------------------------------------

  @Test
  void membersMeetAndGiveBytes() throws Exception {
    try (Members groups = members(3, options -> options.name("some"))) {
      for (int rank = 0; rank < 3; ++rank) {
        Group group = groups.get(rank);
        GroupInfo info = group.info();
        assertEquals(new GroupInfo("some", rank, 3, rank, 3, Launcher.ARGUMENTS, 0), info);
        List<Member> all = group.members();
        assertEquals(3, all.size());
        assertEquals(ProcessHandle.current().pid(), all.get(2).process());
        assertTrue(all.get(2).name().startsWith("some/2"));
        assertTrue(all.get(0).address().startsWith("127.0.0.1:"));
        assertEquals(all, groups.get(0).members());
      }
      byte[][] given = {bytes("zero"), null, new byte[100_000]};
      Arrays.fill(given[2], (byte) -7);
      for (int round = 0; round < 5; ++round) {
        together(
            3,
            rank -> {
              groups.get(rank).barrier(SOON);
              return null;
            });
        for (List<byte[]> got :
            together(3, rank -> groups.get(rank).allGather(given[rank], SOON))) {
          assertEquals(3, got.size());
          assertEquals("zero", text(got.get(0)));
          assertEquals(0, got.get(1).length);
          assertArrayEquals(given[2], got.get(2));
        }
      }
      assertEquals(10, groups.get(2).info().operations());
      List<CompletableFuture<List<byte[]>>> later = new ArrayList<>();
      for (Group group : groups.all()) {
        later.add(group.allGatherAsync(bytes("x"), SOON));
      }
      for (CompletableFuture<List<byte[]>> one : later) {
        assertEquals(3, one.get(30, TimeUnit.SECONDS).size());
      }
    }
  }

  @Test
  void aloneNeedsNoNetwork() {
    try (Context own = Context.builder().numThreads(1).build();
        Group group = Group.builder().context(own).join()) {
      assertEquals(new GroupInfo("gls", 0, 1, 0, 1, Launcher.AUTO, 0), group.info());
      group.barrier();
      assertEquals("all", text(group.allGather(bytes("all")).get(0)));
      group.function("echo", Call::data);
      assertEquals("back", text(group.call(0, "echo", bytes("back"))));
      group.close();
      group.close();
      assertThrows(IllegalStateException.class, group::barrier);
    }
  }

  @Test
  void aBarrierSaysWhoIsMissingAndGoesOn() throws Exception {
    try (Members groups = members(2)) {
      Group first = groups.get(0);
      Group second = groups.get(1);
      GlsException late =
          assertThrows(GlsException.TimedOut.class, () -> first.barrier(Duration.ofMillis(200)));
      assertTrue(late.getMessage().contains("rank 1"), late.getMessage());
      CompletableFuture<Void> barrier = first.barrierAsync(SOON);
      assertThrows(GlsException.InvalidState.class, () -> first.allGather(null));
      assertFalse(barrier.isDone());
      second.barrier(SOON);
      barrier.get(30, TimeUnit.SECONDS);

      // Interrupted, and gone on with.
      Thread here = Thread.currentThread();
      Thread interrupter =
          new Thread(
              () -> {
                try {
                  Thread.sleep(100);
                } catch (InterruptedException ignored) {
                  return;
                }
                here.interrupt();
              });
      interrupter.start();
      assertThrows(GlsException.Interrupted.class, first::barrier);
      assertTrue(Thread.interrupted());
      interrupter.join();
      together(
          2,
          rank -> {
            groups.get(rank).barrier(SOON);
            return null;
          });

      second.leave(SOON);
      second.leave(SOON);
      GlsException left = assertThrows(GlsException.IoError.class, () -> first.barrier(SOON));
      assertTrue(left.getMessage().contains("has left"), left.getMessage());
      assertThrows(GlsException.InvalidState.class, () -> second.barrier(SOON));
    }
  }

  @Test
  void joiningFailsAndSaysWhy() throws Exception {
    String place = freePlace();
    UnaryOperator<Group.Builder> two =
        options -> options.place(0, 2).rendezvous(place).timeout(SOON).context(context);
    assertThrows(
        GlsException.TimedOut.class,
        () -> two.apply(Group.builder()).timeout(Duration.ofMillis(300)).join());
    class Enough extends RuntimeException {
      private static final long serialVersionUID = 1L;
    }
    assertThrows(
        Enough.class,
        () ->
            two.apply(Group.builder())
                .progress(
                    (stage, done, total, unit) -> {
                      assertEquals("waiting for the others 1/2", stage + " " + done + "/" + total);
                      throw new Enough();
                    })
                .join());
    Thread.currentThread().interrupt();
    assertThrows(GlsException.Interrupted.class, () -> two.apply(Group.builder()).join());
    assertTrue(Thread.interrupted());
    assertThrows(GlsException.InvalidArgument.class, () -> Group.builder().place(0, 0));
    assertThrows(GlsException.InvalidArgument.class, () -> Group.builder().numThreads(0));
    for (Group.Builder wrong :
        List.of(
            two.apply(Group.builder()).place(2, 2),
            two.apply(Group.builder()).rendezvous("nowhere"),
            Group.builder().context(context).launcher(Launcher.ARGUMENTS),
            Group.builder().context(context).exchange(List::of))) {
      assertThrows(GlsException.InvalidArgument.class, wrong::join);
    }
  }

  @Test
  void addressesAreExchangedByAFunction() throws Exception {
    byte[][] given = new byte[3][];
    CyclicBarrier all = new CyclicBarrier(3);
    try (Members groups =
        new Members(
            together(
                3,
                rank ->
                    Group.builder()
                        .place(rank, 3)
                        .timeout(SOON)
                        .context(context)
                        .exchange(
                            mine -> {
                              given[rank] = mine;
                              try {
                                all.await(30, TimeUnit.SECONDS);
                              } catch (Exception error) {
                                throw new IllegalStateException(error);
                              }
                              return List.of(given);
                            })
                        .join()))) {
      together(
          3,
          rank -> {
            groups.get(rank).barrier(SOON);
            return null;
          });
    }
    IntFunction<Exchange> wrong =
        items ->
            mine -> {
              if (items == 0) {
                throw new UnsupportedOperationException("no network today");
              }
              return items == 1 ? List.of(mine) : List.of(mine, new byte[3]);
            };
    Group.Builder builder = Group.builder().place(0, 2).timeout(SOON).context(context);
    assertThrows(
        UnsupportedOperationException.class, () -> builder.exchange(wrong.apply(0)).join());
    for (int items : new int[] {1, 2}) {
      assertThrows(
          GlsException.InvalidArgument.class, () -> builder.exchange(wrong.apply(items)).join());
    }
  }

  // ---- functions -------------------------------------------------------------------------------

  @Test
  void functionsAreCalled() throws Exception {
    try (Members groups = members(2)) {
      ConcurrentLinkedQueue<Call> seen = new ConcurrentLinkedQueue<>();
      Group first = groups.get(0);
      Group second = groups.get(1);
      second.function(
          "echo",
          call -> {
            seen.add(call);
            return call.data();
          });
      second.function("nothing", call -> null);
      byte[] big = new byte[3 << 20];
      big[12345] = 6;
      assertArrayEquals(big, first.call(1, "echo", big, PATIENT));
      assertEquals("here", text(second.call(1, "echo", bytes("here"))));
      assertEquals(0, first.call(1, "nothing", null).length);
      Call call = seen.remove();
      assertEquals("echo", call.function());
      assertEquals(OptionalInt.of(0), call.rank());
      assertEquals(OptionalInt.empty(), call.part());
      assertTrue(call.caller().contains("gls/0"), call.caller());
      assertTrue(call.isCanceled()); // it was answered
      assertThrows(
          GlsException.AlreadyExists.class, () -> second.function("echo", other -> new byte[1]));
      assertEquals("the first stays", text(first.call(1, "echo", bytes("the first stays"))));
      GlsException missing =
          assertThrows(GlsException.NotFound.class, () -> first.call(1, "missing", null));
      assertTrue(missing.getMessage().contains("echo"), missing.getMessage());
      assertEquals("missing", missing.details().get("function"));
      assertThrows(GlsException.InvalidArgument.class, () -> first.call(2, "echo", null));
      assertThrows(GlsException.InvalidArgument.class, () -> first.call(-1, "echo", null));
      assertThrows(GlsException.InvalidArgument.class, () -> first.call(1, "", null));
      assertThrows(NullPointerException.class, () -> first.function("null", null));
    }
  }

  @Test
  void whatAFunctionThrowsReachesTheCaller() throws Exception {
    try (Members groups = members(2)) {
      groups
          .get(1)
          .function(
              "fail",
              call -> {
                switch (text(call.data())) {
                  case "checked":
                    throw new IOException("wrong \0 é");
                  case "error":
                    throw new StackOverflowError();
                  default:
                    throw new GlsException.NotFound("no such thing", java.util.Map.of());
                }
              });
      Group first = groups.get(0);
      GlsException error =
          assertThrows(
              GlsException.InvalidArgument.class, () -> first.call(1, "fail", bytes("checked")));
      assertTrue(error.getMessage().contains("function \"fail\" of rank 1"), error.getMessage());
      assertTrue(error.getMessage().contains("IOException: wrong   é"), error.getMessage());
      error =
          assertThrows(
              GlsException.InvalidArgument.class, () -> first.call(1, "fail", bytes("error")));
      assertTrue(error.getMessage().contains("StackOverflowError"), error.getMessage());
      error = assertThrows(GlsException.NotFound.class, () -> first.call(1, "fail", null));
      assertTrue(error.getMessage().contains("no such thing"), error.getMessage());
    }
  }

  @Test
  void functionsAnswerLaterAndKeepNoThread() throws Exception {
    try (Members groups = members(2, options -> options.numThreads(1))) {
      ConcurrentLinkedQueue<CompletableFuture<byte[]>> waiting = new ConcurrentLinkedQueue<>();
      groups
          .get(1)
          .functionLater(
              "later",
              call -> {
                if (call.data().length > 0) {
                  throw new IllegalArgumentException("at once");
                }
                CompletableFuture<byte[]> answer = new CompletableFuture<>();
                waiting.add(answer);
                return answer;
              });
      groups.get(1).function("now", call -> bytes("now"));
      Group first = groups.get(0);
      List<CompletableFuture<byte[]>> answers = new ArrayList<>();
      for (int i = 0; i < 3; ++i) {
        answers.add(first.callAsync(1, "later", null, PATIENT));
      }
      soon(() -> waiting.size() == 3);
      assertEquals("now", text(first.call(1, "now", null, PATIENT)));
      for (CompletableFuture<byte[]> answer : answers) {
        assertFalse(answer.isDone());
      }
      waiting.remove().complete(bytes("here"));
      assertEquals("here", text(answers.get(0).get(30, TimeUnit.SECONDS)));
      waiting.remove().thenApply(x -> x).completeExceptionally(new IOException("unused"));
      waiting.remove().completeExceptionally(new IOException("not today"));
      GlsException error = causeOf(GlsException.InvalidArgument.class, answers.get(2));
      assertTrue(error.getMessage().contains("IOException: not today"), error.getMessage());
      error =
          assertThrows(
              GlsException.InvalidArgument.class, () -> first.call(1, "later", new byte[1]));
      assertTrue(error.getMessage().contains("at once"), error.getMessage());
    }
  }

  @Test
  void deadlinesAndCancelling() throws Exception {
    try (Members groups = members(2, options -> options.numThreads(4))) {
      ConcurrentLinkedQueue<Call> seen = new ConcurrentLinkedQueue<>();
      AtomicInteger canceled = new AtomicInteger();
      groups
          .get(1)
          .function(
              "slow",
              call -> {
                seen.add(call);
                soon(call::isCanceled);
                canceled.incrementAndGet();
                return null;
              });
      Group first = groups.get(0);
      GlsException late =
          assertThrows(
              GlsException.TimedOut.class,
              () -> first.call(1, "slow", null, new CallOptions().timeout(Duration.ofMillis(100))));
      assertTrue(late.getMessage().contains("slow"), late.getMessage());
      soon(() -> canceled.get() == 1);
      CallOptions forever = new CallOptions().withoutTimeout().idempotent(true);
      CompletableFuture<byte[]> answer = first.callAsync(1, "slow", null, forever);
      soon(() -> seen.size() == 2);
      assertTrue(answer.cancel(true));
      soon(() -> canceled.get() == 2);
      answer = first.callAsync(1, "slow", null, forever).orTimeout(50, TimeUnit.MILLISECONDS);
      causeOf(java.util.concurrent.TimeoutException.class, answer);
      soon(() -> canceled.get() == 3);
      Thread waits =
          new Thread(
              () ->
                  assertThrows(
                      GlsException.Interrupted.class, () -> first.call(1, "slow", null, forever)));
      waits.start();
      soon(() -> seen.size() == 4);
      waits.interrupt();
      waits.join(30_000);
      assertFalse(waits.isAlive());
      soon(() -> canceled.get() == 4);
      CallOptions poll = new CallOptions().timeout(Duration.ZERO);
      assertThrows(GlsException.TimedOut.class, () -> first.call(1, "slow", null, poll));
      assertThrows(GlsException.TimedOut.class, () -> first.barrier(Duration.ZERO));
    }
  }

  @Test
  void functionsRunSideBySideAndMayCloseTheGroup() throws Exception {
    try (Members groups = members(2, options -> options.numThreads(3))) {
      CyclicBarrier meet = new CyclicBarrier(3);
      Group first = groups.get(0);
      Group second = groups.get(1);
      second.function(
          "meet",
          call -> {
            meet.await(30, TimeUnit.SECONDS);
            return first.call(0, "echo", call.data(), PATIENT);
          });
      first.function("echo", Call::data);
      List<CompletableFuture<byte[]>> answers = new ArrayList<>();
      for (int i = 0; i < 3; ++i) {
        answers.add(first.callAsync(1, "meet", new byte[] {(byte) i}, PATIENT));
      }
      for (int i = 0; i < 3; ++i) {
        assertEquals(i, answers.get(i).get(30, TimeUnit.SECONDS)[0]);
      }
      CountDownLatch closed = new CountDownLatch(1);
      second.function(
          "end",
          call -> {
            second.close();
            closed.countDown();
            return null;
          });
      assertThrows(GlsException.class, () -> first.call(1, "end", null, PATIENT));
      assertTrue(closed.await(30, TimeUnit.SECONDS));
      assertThrows(IllegalStateException.class, () -> second.call(0, "echo", null));
    }
    soon(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("gls-function")));
  }

  // ---- functions of servers --------------------------------------------------------------------

  @Test
  void functionsOfServersAreCalledByPart() throws Exception {
    Path parts = folder.resolve("parts");
    try (Dataset whole = Graphs.random(context)) {
      whole.partition(parts, new PartitionOptions().parts(2).method(PartitionMethod.HASH));
      assertThrows(GlsException.Unsupported.class, () -> whole.call(0, "who", null));
    }
    OpenOptions here = new OpenOptions().context(context);
    try (Server first = Server.builder(parts).part(0).open(here).start();
        Server second = Server.builder(parts).part(1).server(first.address()).open(here).start()) {
      first.function("who", call -> bytes("first " + call.part().getAsInt()));
      second.functionLater(
          "who",
          call -> {
            assertEquals(OptionalInt.empty(), call.rank());
            return CompletableFuture.completedFuture(bytes("second " + call.part().getAsInt()));
          });
      try (Dataset far = Dataset.open("gls://" + second.address(), here)) {
        assertEquals("first 0", text(far.call(0, "who", null)));
        assertEquals("second 1", text(far.call(1, "who", null, PATIENT)));
        assertEquals("second 1", text(far.callAsync(1, "who", null).get(30, TimeUnit.SECONDS)));
        assertThrows(GlsException.NotFound.class, () -> far.call(1, "missing", null));
        assertThrows(GlsException.InvalidArgument.class, () -> far.call(2, "who", null));
      }
      first.stop(SOON);
      assertThrows(GlsException.InvalidState.class, () -> first.function("late", call -> null));
    }
  }
}
