package org.gls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Functions that change the batches of a loader before they are handed out. */
@Timeout(120)
class TransformTest {
  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(3, 2).batchSize(30).shuffle(true);
  }

  private static long[] twice(Batch batch) {
    return LongStream.of(batch.node().toLongs()).map(id -> 2 * id).toArray();
  }

  @Test
  void arraysAreWrittenAndAttached() {
    ConcurrentLinkedQueue<Batch> seen = new ConcurrentLinkedQueue<>();
    BatchTransform transform =
        batch -> {
          seen.add(batch);
          batch.column("x").floats().put(0, -1.5f);
          return Map.of("twice", Tensor.of(twice(batch)));
        };
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset).transform(transform).build();
        NeighborLoader plain = loader(dataset).build()) {
      for (int epoch = 0; epoch < 2; ++epoch) {
        int number = 0;
        var expected = plain.iterator();
        for (Batch batch : loader) {
          try (batch;
              Batch other = expected.next();
              Batch again = loader.sample(epoch, number)) {
            assertEquals(number++, batch.number());
            assertArrayEquals(other.node().toLongs(), batch.node().toLongs());
            assertEquals(-1.5f, batch.column("x").floats().get(0));
            assertEquals(other.column("x").floats().get(1), batch.column("x").floats().get(1));
            assertArrayEquals(twice(other), batch.attached("twice").toLongs());
            assertArrayEquals(twice(other), again.attached("twice").toLongs());
            assertEquals(other.columns(), batch.columns());
            List<BatchArray> arrays = batch.arrays();
            BatchArray last = arrays.get(arrays.size() - 1);
            assertEquals(new BatchArray(ArrayKind.ATTACHED, "", "twice", last.rows()), last);
            assertThrows(GlsException.NotFound.class, () -> batch.column("twice"));
            assertThrows(GlsException.NotFound.class, () -> batch.attached("none"));
          }
        }
        assertEquals(7, number);
      }
    }
    assertThrows(IllegalStateException.class, () -> seen.peek().number());
  }

  @Test
  void whatIsThrownIsTheCause() throws Exception {
    IOException thrown = new IOException("no more");
    BatchTransform transform =
        batch -> {
          switch ((int) batch.number()) {
            case 1:
              throw thrown;
            case 2:
              throw new GlsException.NotFound("here", Map.of());
            case 3:
              throw new StackOverflowError();
            case 4:
              return Map.of("", Tensor.of(new long[] {1}));
            default:
              return null;
          }
        };
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset).transform(transform).build()) {
      loader.next().orElseThrow().close();
      GlsException error = assertThrows(GlsException.InvalidArgument.class, loader::next);
      assertSame(thrown, error.getCause());
      assertEquals("1", error.details().get("batch"));
      assertTrue(error.getMessage().contains("no more"), error::getMessage);
      error = assertThrows(GlsException.NotFound.class, loader::next);
      assertTrue(error.getCause() instanceof GlsException.NotFound);
      ExecutionException future =
          assertThrows(
              ExecutionException.class, () -> loader.nextAsync().get(60, TimeUnit.SECONDS));
      assertTrue(future.getCause().getCause() instanceof StackOverflowError);
      error = assertThrows(GlsException.InvalidArgument.class, loader::next);
      assertTrue(error.getCause() instanceof GlsException.InvalidArgument);
      error = assertThrows(GlsException.InvalidArgument.class, () -> loader.sample(0, 1));
      assertSame(thrown, error.getCause());
      Optional<Batch> next = loader.next();
      assertEquals(5, next.orElseThrow().number());
      next.get().close();
    }
  }

  @Test
  void severalAtOnce() {
    CyclicBarrier barrier = new CyclicBarrier(2);
    AtomicBoolean together = new AtomicBoolean();
    BatchTransform transform =
        batch -> {
          if (together.get() && batch.number() < 6) {
            barrier.await(60, TimeUnit.SECONDS);
          }
          return null;
        };
    try (Context context = Context.builder().numThreads(2).build();
        Dataset dataset = Graphs.random(context);
        NeighborLoader loader = loader(dataset).transform(transform).numWorkers(2).build()) {
      loader.forEach(Batch::close); // now it is known how large batches are
      together.set(true);
      loader.forEach(Batch::close);
      together.set(false);
      for (int epoch = 0; epoch < 30; ++epoch) {
        loader.forEach(Batch::close);
      }
      long threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().equals("gls-transform"))
              .count();
      assertTrue(threads <= 8, () -> threads + " threads for two workers");
    }
  }

  @Test
  void threadsEndWithTheLoader() throws Exception {
    CountDownLatch inside = new CountDownLatch(2);
    AtomicInteger running = new AtomicInteger();
    ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
    BatchTransform transform =
        batch -> {
          threads.add(Thread.currentThread());
          running.incrementAndGet();
          inside.countDown();
          Thread.sleep(50);
          running.decrementAndGet();
          return null;
        };
    try (Dataset dataset = Graphs.random()) {
      NeighborLoader loader = loader(dataset).transform(transform).build();
      loader.next().orElseThrow().close();
      assertTrue(inside.await(60, TimeUnit.SECONDS));
      loader.close(); // does not wait for a thread that has just served next()
      for (Thread thread : threads) {
        assertNotEquals(Thread.currentThread(), thread);
        thread.join(60_000);
        assertTrue(!thread.isAlive());
      }
      assertEquals(0, running.get());
    }
  }

  @Test
  void aLoaderMayBeClosedByItsTransform() {
    NeighborLoader[] own = new NeighborLoader[1];
    RuntimeException[] refused = new RuntimeException[1];
    CountDownLatch ready = new CountDownLatch(1);
    BatchTransform transform =
        batch -> {
          ready.await();
          try {
            own[0].sample(0, 0);
          } catch (RuntimeException error) {
            refused[0] = error;
          }
          own[0].close();
          return null;
        };
    try (Dataset dataset = Graphs.random()) {
      own[0] = loader(dataset).transform(transform).build();
      ready.countDown();
      assertThrows(RuntimeException.class, () -> own[0].forEach(Batch::close));
    }
    assertTrue(refused[0] != null);
    assertNull(refused[0].getCause());
  }

  @Test
  void rowsOfLabels() {
    int links = Graphs.NUM_EDGES;
    long[] values = LongStream.range(0, 4L * links).toArray();
    try (Dataset dataset = Graphs.random();
        Tensor labels = Tensor.of(values, links, 2, 2);
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(2).links(null).labels(labels).build()) {
      for (Batch batch : loader) {
        try (batch) {
          long[] input = batch.input().toLongs();
          assertEquals(List.of((long) input.length, 2L, 2L), batch.linkLabel().shape());
          long[] expected =
              Arrays.stream(input).flatMap(i -> LongStream.range(4 * i, 4 * i + 4)).toArray();
          long[] got = new long[expected.length];
          batch.linkLabel().longs().get(got);
          assertArrayEquals(expected, got);
        }
      }
    }
  }
}
