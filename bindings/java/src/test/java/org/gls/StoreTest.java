package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Columns and neighbours that code of the caller's answers. */
@Timeout(120)
class StoreTest {
  private static final float[] X = Graphs.x();
  private static final int FEATURES = Graphs.FEATURES;

  /** What a store answers of the random graph. */
  private static final class Answers {
    final float[] w;
    final long[] y = Graphs.y();
    final long[] indptr;
    final long[] indices;
    final long[] edges;

    Answers(Dataset whole) {
      try (Tensor weights = whole.edgeColumn(Graphs.EDGES, "w");
          Topology topology = whole.topology(Graphs.EDGES, Layout.CSC)) {
        w = weights.toFloats();
        indptr = topology.indptr().toLongs();
        indices = topology.indices().toLongs();
        edges = topology.edgeIds().orElseThrow().toLongs();
      }
    }

    NeighborLists neighbors(long[] nodes) {
      long[] counts = new long[nodes.length];
      List<Long> neighbors = new ArrayList<>();
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < nodes.length; ++i) {
        int node = (int) nodes[i];
        counts[i] = indptr[node + 1] - indptr[node];
        for (int at = (int) indptr[node]; at < indptr[node + 1]; ++at) {
          neighbors.add(indices[at]);
          ids.add(edges[at]);
        }
      }
      return new NeighborLists(counts, longs(neighbors), longs(ids));
    }

    private static long[] longs(List<Long> list) {
      return list.stream().mapToLong(Long::longValue).toArray();
    }
  }

  private static void writeX(long[] ids, ByteBuffer rows) {
    assertTrue(rows.isDirect() && !rows.isReadOnly());
    assertEquals(ByteOrder.nativeOrder(), rows.order());
    assertEquals(4 * FEATURES * ids.length, rows.remaining());
    for (int i = 0; i < rows.limit(); ++i) {
      assertEquals(0, rows.get(i));
    }
    for (long id : ids) {
      for (int f = 0; f < FEATURES; ++f) {
        rows.putFloat(X[(int) id * FEATURES + f]);
      }
    }
  }

  private static ColumnStoreOptions x() {
    return new ColumnStoreOptions("node", "x", DType.FLOAT32).rowShape(FEATURES);
  }

  private static NeighborStoreOptions inEdges() {
    return new NeighborStoreOptions(Graphs.EDGES, Graphs.NUM_EDGES, Layout.CSC).edgeIds(true);
  }

  private static Store y(Answers answers) {
    return Store.column(
        new ColumnStoreOptions(null, "y", DType.INT64).role(Role.LABEL),
        (ids, rows) -> {
          for (long id : ids) {
            rows.putLong(answers.y[(int) id]);
          }
        });
  }

  private static Store w(Answers answers) {
    return Store.column(
        new ColumnStoreOptions(Graphs.EDGES, "w", DType.FLOAT32).role(Role.WEIGHT),
        (ids, rows) -> {
          for (long id : ids) {
            rows.putFloat(answers.w[(int) id]);
          }
        });
  }

  private static Dataset nodes() {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", Graphs.NODES);
      builder.addIdSet("node", "train", Tensor.of(Graphs.train()));
      return builder.build();
    }
  }

  /** The graph without columns. */
  private static Dataset edges() {
    long[] ids = new long[Graphs.NUM_EDGES];
    for (int i = 0; i < ids.length; ++i) {
      ids[i] = i;
    }
    try (Dataset whole = Graphs.random();
        EdgeEnds ends = whole.findEdges(Graphs.EDGES, Tensor.of(ids));
        DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", Graphs.NODES);
      builder.addEdges(
          Graphs.EDGES, Tensor.of(ends.source().toLongs()), Tensor.of(ends.target().toLongs()));
      return builder.build();
    }
  }

  private static List<String> batches(Dataset dataset) {
    List<String> out = new ArrayList<>();
    try (NeighborLoader loader =
        NeighborLoader.builder(dataset)
            .fanouts(3, 2)
            .seed(7)
            .weight("w")
            .edgeIds(true)
            .seeds("train")
            .batchSize(16)
            .shuffle(true)
            .column("x")
            .column("y")
            .build()) {
      for (Batch batch : loader) {
        try (batch) {
          out.add(text(batch));
        }
      }
    }
    return out;
  }

  private static String text(Batch batch) {
    StringBuilder out = new StringBuilder();
    List<BatchArray> arrays = new ArrayList<>(batch.arrays());
    arrays.sort(Comparator.comparing(BatchArray::toString));
    for (BatchArray array : arrays) {
      Tensor tensor = batch.tensor(array.kind(), array.type(), array.name());
      try (Tensor packed = tensor.copy()) {
        ByteBuffer bytes = packed.bytes();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.append(array).append(Arrays.hashCode(copy)).append('\n');
      }
    }
    return out.toString();
  }

  @Test
  void batchesAreThoseOfArrays() {
    try (Dataset whole = Graphs.random();
        Dataset base = nodes()) {
      Answers answers = new Answers(whole);
      List<String> expected = batches(whole);
      assertEquals(7, expected.size());
      for (Function<StoreOptions<?>, StoreOptions<?>> change :
          List.<Function<StoreOptions<?>, StoreOptions<?>>>of(
              options -> options,
              options -> options.maxIds(5).maxFetches(2),
              options -> options.cacheBytes(1 << 20).withoutDeadline())) {
        Store[] stores = {
          Store.column((ColumnStoreOptions) change.apply(x()), StoreTest::writeX),
          y(answers),
          Store.neighbors((NeighborStoreOptions) change.apply(inEdges()), answers::neighbors),
          w(answers)
        };
        try (Dataset dataset = base.withStores(stores)) {
          for (Store store : stores) {
            store.close();
          }
          assertEquals(Graphs.NUM_EDGES, dataset.edgeType(Graphs.EDGES).numEdges());
          assertEquals(expected, batches(dataset));
        }
      }
    }
  }

  @Test
  void answersMayComeLater() {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Dataset whole = Graphs.random();
        Dataset base = nodes()) {
      Answers answers = new Answers(whole);
      ColumnFetchLater rows =
          (ids, out) -> CompletableFuture.runAsync(() -> writeX(ids, out), threads);
      NeighborFetchLater lists =
          nodes -> CompletableFuture.supplyAsync(() -> answers.neighbors(nodes), threads);
      try (Store x = Store.columnLater(x().maxIds(20).deadline(Duration.ofMinutes(1)), rows);
          Store neighbors = Store.neighborsLater(inEdges().maxIds(20), lists);
          Store y = y(answers);
          Store w = w(answers);
          Dataset dataset = base.withStores(x, y, neighbors, w)) {
        assertEquals(batches(whole), batches(dataset));
      }
    } finally {
      threads.shutdown();
    }
  }

  /** Each batch has one seed; those that failed have a message. */
  private static List<GlsException> errors(Dataset dataset) {
    List<GlsException> out = new ArrayList<>();
    try (NeighborLoader loader =
        NeighborLoader.builder(dataset)
            .fanouts(2)
            .batchSize(1)
            .seeds(new long[] {0, 1, 2, 3, 4})
            .build()) {
      for (int i = 0; i < 5; ++i) {
        try {
          loader.next().orElseThrow().close();
          out.add(null);
        } catch (GlsException error) {
          out.add(error);
        }
      }
    }
    return out;
  }

  private static void fail(long seed) throws Exception {
    switch ((int) seed) {
      case 1:
        throw new IOException("some words");
      case 2:
        throw new GlsException.NotFound("user:2", Map.of());
      case 3:
        throw new StackOverflowError();
      default:
    }
  }

  @Test
  void whatIsThrownFailsTheBatch() {
    try (Dataset whole = Graphs.random();
        Dataset base = edges();
        Dataset nodes = nodes()) {
      Answers answers = new Answers(whole);
      ColumnFetch now =
          (ids, rows) -> {
            fail(ids[0]);
            writeX(ids, rows);
          };
      ColumnFetchLater later =
          (ids, rows) -> {
            if (ids[0] == 3) {
              fail(3);
            }
            return CompletableFuture.runAsync(
                () -> {
                  try {
                    now.fetch(ids, rows);
                  } catch (RuntimeException error) {
                    throw error;
                  } catch (Exception error) {
                    throw new CompletionException(error);
                  }
                });
          };
      NeighborFetch lists =
          seeds -> {
            fail(seeds[0]);
            return answers.neighbors(seeds);
          };
      try (Store x = Store.column(x(), now);
          Store xLater = Store.columnLater(x(), later);
          Store neighbors = Store.neighbors(inEdges(), lists);
          Dataset a = base.withStores(x);
          Dataset b = base.withStores(xLater);
          Dataset c = nodes.withStores(neighbors)) {
        for (Dataset dataset : List.of(a, b, c)) {
          List<GlsException> errors = errors(dataset);
          assertEquals(null, errors.get(0));
          assertEquals(null, errors.get(4));
          String name = dataset == c ? "neighbours of \"" + Graphs.EDGES : "column \"x\"";
          String[] words = {"", "some words", "user:2", "StackOverflowError"};
          for (int i = 1; i <= 3; ++i) {
            String message = errors.get(i).getMessage();
            assertTrue(message.contains(words[i]) && message.contains(name), message);
            assertEquals(i == 2, errors.get(i) instanceof GlsException.NotFound, message);
          }
        }
        assertEquals(3, x.stats().failures());
      }
    }
  }

  @Test
  void listsThatDoNotFitFailTheBatch() {
    long edges = Graphs.NUM_EDGES;
    NeighborFetch lists =
        nodes ->
            switch ((int) nodes[0]) {
              case 0 -> null;
              case 1 -> new NeighborLists(new long[] {1, 1}, new long[2], new long[2]);
              case 2 -> new NeighborLists(new long[] {2}, new long[1], new long[1]);
              case 3 -> new NeighborLists(new long[] {1}, new long[] {1}, new long[] {edges});
              default -> NeighborLists.of(new long[] {1});
            };
    NeighborFetchLater later = nodes -> CompletableFuture.completedFuture(lists.fetch(nodes));
    try (Dataset nodes = nodes();
        Store now = Store.neighbors(inEdges(), lists);
        Store soon = Store.neighborsLater(inEdges(), later)) {
      for (Store store : List.of(now, soon)) {
        try (Dataset dataset = nodes.withStores(store)) {
          List<GlsException> errors = errors(dataset);
          String[] words = {
            "expected NeighborLists", "counts has 2", "1 neighbors", "edgeIds", "edgeIds"
          };
          for (int i = 0; i < 5; ++i) {
            assertTrue(errors.get(i) instanceof GlsException.InvalidArgument);
            String message = errors.get(i).getMessage();
            assertTrue(message.contains(words[i]) && !message.contains("GLS_"), message);
          }
        }
      }
    }
  }

  /** An exception that has no words, and whose own code fails. */
  private static final class Wordless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw new IllegalStateException("no words");
    }
  }

  private static RuntimeException thrown(long seed) {
    return switch ((int) seed) {
      case 0 -> new Wordless();
      case 1 -> throw new OutOfMemoryError("made up");
      case 2 -> new GlsException.CorruptData((String) null);
      case 3 ->
          new GlsException.Canceled("no words") {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
              throw new OutOfMemoryError("made up");
            }
          };
      default -> throw new Error("an error");
    };
  }

  @Test
  void noExceptionEndsTheThreads() {
    // With one thread and one turn, each question needs that of the one before.
    ColumnFetch now =
        (ids, rows) -> {
          if (ids.length == 1) {
            throw thrown(ids[0]);
          }
          writeX(ids, rows);
        };
    ColumnFetchLater later =
        (ids, rows) -> {
          try {
            now.fetch(ids, rows);
            return CompletableFuture.completedFuture(null);
          } catch (RuntimeException error) {
            return CompletableFuture.failedFuture(error);
          }
        };
    try (Dataset base = edges();
        Store x = Store.column(x().maxFetches(1), now);
        Store soon = Store.columnLater(x().maxFetches(1), later)) {
      for (Store store : List.of(x, soon)) {
        try (Dataset dataset = base.withStores(store);
            Tensor two = Tensor.of(new long[] {3, 5})) {
          for (int seed = 0; seed < 5; ++seed) {
            try (Tensor one = Tensor.of(new long[] {seed})) {
              GlsException error =
                  assertThrows(GlsException.class, () -> dataset.rows("node", "x", one));
              String[] words = {"Wordless", "made up", "CorruptData", "StoreTest", "an error"};
              assertTrue(error.getMessage().contains(words[seed]), error.getMessage());
              assertEquals(new int[] {-1, -1, -9, -7, -1}[seed], error.status());
            }
            dataset.rows("node", "x", two).close();
          }
        }
        assertEquals(5, store.stats().failures());
      }
    }
  }

  @Test
  void anExceptionChoosesTheStatus() {
    List<Function<String, GlsException>> made =
        List.of(
            GlsException.InvalidArgument::new,
            GlsException.OutOfMemory::new,
            GlsException.NotFound::new,
            GlsException.Unsupported::new,
            GlsException.InvalidState::new,
            GlsException.TimedOut::new,
            GlsException.Canceled::new,
            GlsException.IoError::new,
            GlsException.CorruptData::new,
            GlsException.AlreadyExists::new);
    ColumnFetch fetch =
        (ids, rows) -> {
          throw made.get((int) ids[0]).apply("row " + ids[0]);
        };
    try (Dataset base = edges();
        Store x = Store.column(x(), fetch);
        Dataset dataset = base.withStores(x)) {
      for (int i = 0; i < made.size(); ++i) {
        try (Tensor ids = Tensor.of(new long[] {i})) {
          GlsException error =
              assertThrows(GlsException.class, () -> dataset.rows("node", "x", ids));
          assertEquals(-1 - i, error.status());
          assertEquals(made.get(i).apply("").getClass(), error.getClass());
          assertTrue(error.getMessage().contains("row " + i), error.getMessage());
        }
      }
    }
  }

  @Test
  void aStageThatIsNullFailsTheBatch() {
    try (Dataset base = edges();
        Store x = Store.columnLater(x(), (ids, rows) -> null);
        Dataset dataset = base.withStores(x);
        Tensor ids = Tensor.of(new long[] {3})) {
      GlsException error =
          assertThrows(GlsException.InvalidArgument.class, () -> dataset.rows("node", "x", ids));
      assertTrue(error.getMessage().contains("expected a CompletionStage"), error.getMessage());
    }
  }

  @Test
  void emptyListsAreAnswers() {
    try (Dataset nodes = nodes();
        Store none =
            Store.neighbors(
                new NeighborStoreOptions(Graphs.EDGES, 10, Layout.CSC),
                ids -> new NeighborLists(new long[ids.length], new long[0]));
        Dataset dataset = nodes.withStores(none);
        Sampler sampler = Sampler.builder(dataset).fanouts(3).build();
        Batch batch = sampler.sample(new long[] {3, 5})) {
      assertEquals(2, batch.node().size());
      assertEquals(1, none.stats().fetches());
    }
  }

  @Test
  void anAnswerThatDoesNotComeIsAnError() {
    ConcurrentLinkedQueue<ByteBuffer> kept = new ConcurrentLinkedQueue<>();
    CompletableFuture<Void> never = new CompletableFuture<>();
    try (Dataset base = edges();
        Store x =
            Store.columnLater(
                x().deadline(Duration.ofMillis(20)).maxFetches(1),
                (ids, rows) -> {
                  kept.add(rows);
                  return never;
                });
        Dataset dataset = base.withStores(x);
        Tensor ids = Tensor.of(new long[] {3})) {
      GlsException error =
          assertThrows(GlsException.TimedOut.class, () -> dataset.rows("node", "x", ids));
      assertTrue(error.getMessage().contains("column \"x\""), error.getMessage());
    }
    kept.element().putFloat(1.5f); // the question has its memory
    never.complete(null);
    assertEquals(1.5f, kept.element().getFloat(0));
  }

  @Test
  void severalAreInWorkAndInterruptionDoesNoHarm() throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
    ColumnFetch fetch =
        (ids, rows) -> {
          threads.add(Thread.currentThread());
          barrier.await(60, TimeUnit.SECONDS);
          writeX(ids, rows);
          Thread.currentThread().interrupt();
        };
    try (Dataset base = edges();
        Store x = Store.column(x().maxIds(50).maxFetches(2), fetch);
        Dataset dataset = base.withStores(x)) {
      long[] all = new long[Graphs.NODES];
      for (int i = 0; i < all.length; ++i) {
        all[i] = i;
      }
      try (Tensor ids = Tensor.of(all);
          Tensor rows = dataset.rows("node", "x", ids)) {
        assertTrue(Arrays.equals(X, rows.toFloats()));
      }
    }
    assertEquals(4, threads.size());
    assertEquals(2, threads.stream().distinct().count());
    // They end once the library has let go of the store, for which buffers of answers must be gone.
    for (Thread thread : threads) {
      assertNotEquals(Thread.currentThread(), thread);
      for (int i = 0; thread.isAlive() && i < 600; ++i) {
        System.gc();
        thread.join(100);
      }
      assertFalse(thread.isAlive());
    }
  }

  @Test
  void statsCountQuestionsAndCachedIds() {
    try (Dataset base = edges();
        Store x = Store.column(x().cacheBytes(1 << 20), StoreTest::writeX);
        Dataset dataset = base.withStores(x);
        Tensor ids = Tensor.of(new long[] {3, 5})) {
      for (int i = 0; i < 2; ++i) {
        try (Tensor rows = dataset.rows("node", "x", ids)) {
          assertEquals(X[3 * FEATURES], rows.toFloats()[0]);
        }
      }
      StoreStats stats = x.stats();
      assertEquals(
          List.of(1L, 2L, 2L, 0L),
          List.of(stats.fetches(), stats.ids(), stats.cachedIds(), stats.failures()));
      assertTrue(stats.fetchNanos() > 0 && stats.waitNanos() >= 0 && stats.cacheBytes() > 0);
    }
  }

  @Test
  void whatDoesNotFitIsRefused(@TempDir Path folder) {
    assertThrows(GlsException.InvalidArgument.class, () -> x().maxFetches(-1));
    assertThrows(GlsException.InvalidArgument.class, () -> x().maxIds(-1));
    assertThrows(GlsException.InvalidArgument.class, () -> x().cacheBytes(-1));
    assertThrows(GlsException.InvalidArgument.class, () -> x().deadline(Duration.ZERO));
    for (ColumnStoreOptions options :
        List.of(
            x().rowShape(1L << 30),
            x().rowShape(-1),
            x().rowShape(1, -2),
            x().maxFetches(1 << 20))) {
      assertThrows(
          GlsException.InvalidArgument.class, () -> Store.column(options, StoreTest::writeX));
    }
    assertThrows(NullPointerException.class, () -> Store.column(x(), null));
    NeighborStoreOptions none = new NeighborStoreOptions("node", 1, Layout.CSR);
    assertThrows(
        GlsException.InvalidArgument.class, () -> Store.neighbors(none, nodes -> null).close());
    try (Dataset whole = Graphs.random();
        Store x = Store.column(x(), StoreTest::writeX);
        Store other =
            Store.column(new ColumnStoreOptions("nodes", "z", DType.INT8), (ids, rows) -> {})) {
      assertThrows(GlsException.AlreadyExists.class, () -> whole.withStores(x));
      assertThrows(GlsException.NotFound.class, () -> whole.withStores(other));
      try (Store z = Store.column(new ColumnStoreOptions(null, "z", DType.INT8), (i, rows) -> {});
          Dataset dataset = whole.withStores(z)) {
        Path path = folder.resolve("out");
        assertThrows(GlsException.Unsupported.class, () -> dataset.save(path));
        assertThrows(GlsException.Unsupported.class, () -> dataset.export("pyg", path));
      }
      x.close();
      x.close();
      assertThrows(IllegalStateException.class, () -> whole.withStores(other, x));
      assertThrows(IllegalStateException.class, x::stats);
    }
  }
}
