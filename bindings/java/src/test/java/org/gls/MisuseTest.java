package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MisuseTest {
  private static void assertClosed(String what, Executable... calls) {
    for (Executable call : calls) {
      IllegalStateException error = assertThrows(IllegalStateException.class, call);
      assertEquals("the " + what + " is closed", error.getMessage());
    }
  }

  private static NeighborLoader loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(5, 5).batchSize(2).numWorkers(2).build();
  }

  @Test
  void useAfterClose(@TempDir Path folder) {
    Context context = Context.create();
    DatasetBuilder builder = Graphs.builder(context);
    Dataset dataset = Graphs.random(context);
    Sampler sampler = Sampler.builder(dataset).fanouts(2).build();
    NeighborLoader loader = loader(dataset);
    Batch batch = loader.next().orElseThrow();
    Tensor node = batch.node();
    Tensor alone = Tensor.of(new long[1]);
    for (AutoCloseable one :
        new AutoCloseable[] {context, builder, dataset, sampler, loader, batch, alone}) {
      for (int i = 0; i < 3; ++i) {
        try {
          one.close(); // and again, which does nothing
        } catch (Exception error) {
          throw new AssertionError(error);
        }
      }
    }
    assertClosed("context", () -> context.get("threads"), () -> context.set("threads", "1"));
    assertClosed("context", () -> new DatasetBuilder(context));
    assertClosed("context", () -> Dataset.open(folder, new OpenOptions().context(context)));
    assertClosed("builder", builder::build, () -> builder.write(folder.resolve("x")));
    assertClosed("builder", () -> builder.addNodeType("t", 1));
    assertClosed("builder", () -> builder.addIdSet(null, "s", Tensor.of(new long[1])));
    assertClosed(
        "dataset",
        dataset::numNodes,
        dataset::nodeTypes,
        dataset::verify,
        () -> dataset.save(folder.resolve("x")),
        () -> dataset.nodeColumn(null, "x"),
        () -> dataset.findNode(null, "x"),
        () -> dataset.nodeKey(null, 0),
        () -> Sampler.builder(dataset).fanouts(1).build(),
        () -> NeighborLoader.builder(dataset).fanouts(1).build());
    assertClosed("sampler", () -> sampler.sample(1));
    assertClosed(
        "loader",
        loader::next,
        loader::iterator,
        loader::epoch,
        loader::save,
        loader::stats,
        loader::cancel,
        () -> loader.setEpoch(1),
        () -> loader.restore("{}"));
    assertClosed("batch", batch::epoch, batch::node, batch::arrays, batch::numHops);
    assertClosed("batch of the tensor", node::bytes, node::toLongs, node::copy, node::address);
    assertClosed("tensor", alone::longs, alone::copy, alone::address, () -> alone.row(0));
    assertEquals("Dataset(closed)", dataset.toString());
    assertEquals("Batch(closed)", batch.toString());
    Tensor closed = Tensor.of(new long[1]);
    closed.close();
    try (DatasetBuilder other = new DatasetBuilder()) {
      assertClosed("tensor", () -> other.addEdges(Graphs.EDGES, closed, closed));
    }
  }

  @Test
  void childrenOutliveTheirParents() {
    NeighborLoader loader;
    Sampler sampler;
    Tensor column;
    try (Context context = Context.builder().numThreads(2).build();
        Dataset dataset = Graphs.random(context)) {
      loader = loader(dataset);
      sampler = Sampler.builder(dataset).fanouts(3).build();
      column = dataset.nodeColumn(null, "x");
    }
    Batch batch = loader.next().orElseThrow();
    loader.close();
    assertEquals(2, batch.seed().size());
    assertEquals(1, sampler.sample(5).batchSize());
    assertEquals(Graphs.NODES, column.size(0));
    sampler.close();
    column.close();
    batch.close();
  }

  @Test
  void aWaitingThreadIsWokenByClose() throws Exception {
    for (int round = 0; round < 30; ++round) {
      try (Dataset dataset = Graphs.seeds(1 << 18)) {
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(1).batchSize(1 << 18).numWorkers(1).build();
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        CountDownLatch begun = new CountDownLatch(1);
        Thread thread =
            new Thread(
                () -> {
                  begun.countDown();
                  try {
                    for (; ; ) {
                      loader.next().ifPresentOrElse(Batch::close, () -> loader.setEpoch(0));
                    }
                  } catch (Throwable error) {
                    outcome.set(error);
                  }
                });
        thread.start();
        begun.await();
        Thread.sleep(round % 5);
        loader.close();
        thread.join(30_000);
        assertFalse(thread.isAlive());
        assertEquals(IllegalStateException.class, outcome.get().getClass());
      }
    }
  }

  @Test
  void closingWhileIterating() {
    try (Dataset dataset = Graphs.random()) {
      NeighborLoader loader = loader(dataset);
      Iterator<Batch> iterator = loader.iterator();
      Batch held = iterator.next();
      assertTrue(iterator.hasNext()); // this one was taken and is still given
      loader.close();
      iterator.next().close();
      assertClosed("loader", iterator::hasNext, iterator::next);
      assertEquals(2, held.seed().size());
      held.close();
      NeighborLoader other = loader(dataset);
      assertClosed(
          "loader",
          () -> {
            for (Batch batch : other) {
              batch.close();
              other.close();
            }
          });
    }
  }

  @Test
  void closingWhileOthersUseEverything() throws Exception {
    for (int round = 0; round < 20; ++round) {
      Context context = Context.builder().numThreads(2).build();
      Dataset dataset = Graphs.random(context);
      Sampler sampler = Sampler.builder(dataset).fanouts(5, 5).build();
      NeighborLoader loader = loader(dataset);
      Tensor column = dataset.nodeColumn(null, "y");
      Runnable[] uses = {
        () -> sampler.sample(1, 2, 3).close(),
        () -> dataset.nodeColumn(null, "x").close(),
        () -> loader.next().ifPresentOrElse(Batch::close, () -> loader.setEpoch(0)),
        () -> loader.stats(),
        () -> context.get("threads"),
        () -> column.longs().get(7),
        () -> Sampler.builder(dataset).fanouts(1).build().close(),
      };
      List<Thread> threads = new ArrayList<>();
      List<Throwable> odd = new ArrayList<>();
      for (Runnable use : uses) {
        Thread thread =
            new Thread(
                () -> {
                  try {
                    for (; ; ) {
                      use.run();
                    }
                  } catch (IllegalStateException expected) {
                    // closed
                  } catch (Throwable error) {
                    synchronized (odd) {
                      odd.add(error);
                    }
                  }
                });
        threads.add(thread);
        thread.start();
      }
      Thread.sleep(10);
      for (AutoCloseable one : new AutoCloseable[] {dataset, sampler, context, loader, column}) {
        one.close();
      }
      for (Thread thread : threads) {
        thread.join(30_000);
        assertFalse(thread.isAlive());
      }
      assertEquals(List.of(), odd);
    }
  }

  @Test
  void closingABatchWhileItIsRead() throws Exception {
    try (Dataset dataset = Graphs.random()) {
      for (int round = 0; round < 200; ++round) {
        try (NeighborLoader loader = loader(dataset)) {
          Batch batch = loader.next().orElseThrow();
          Thread thread =
              new Thread(
                  () -> {
                    try {
                      for (; ; ) {
                        LongBuffer node = batch.node().longs();
                        for (int i = 0; i < node.remaining(); ++i) {
                          assertTrue(node.get(i) >= 0 && node.get(i) < Graphs.NODES);
                        }
                      }
                    } catch (IllegalStateException expected) {
                      // closed
                    }
                  });
          thread.start();
          batch.close();
          thread.join(30_000);
          assertFalse(thread.isAlive());
        }
      }
    }
  }

  @Test
  void whatAProgressCallbackThrowsIsThrown(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("dataset");
    RuntimeException mine = new RuntimeException("stop");
    Progress stop =
        (stage, done, total, unit) -> {
          throw mine;
        };
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      assertSame(
          mine,
          assertThrows(
              RuntimeException.class,
              () -> builder.write(path, new WriteOptions().progress(stop))));
      assertFalse(Files.exists(path));
      assertSame(
          mine,
          assertThrows(
              RuntimeException.class, () -> builder.build(new WriteOptions().progress(stop))));
      builder.write(path);
    }
    StackOverflowError deep = new StackOverflowError();
    try (Dataset dataset = Dataset.open(path)) {
      assertSame(
          deep,
          assertThrows(
              StackOverflowError.class,
              () ->
                  dataset.verify(
                      (stage, done, total, unit) -> {
                        throw deep;
                      })));
      assertSame(
          mine,
          assertThrows(
              RuntimeException.class,
              () -> dataset.save(folder.resolve("x"), new WriteOptions().progress(stop))));
      dataset.verify(); // nothing is left behind
    }
    assertSame(
        mine,
        assertThrows(
            RuntimeException.class,
            () -> Dataset.open(path, new OpenOptions().verify(true).progress(stop))));
  }

  @Test
  void callbacksMayUseTheLibrary(@TempDir Path folder) {
    Path path = folder.resolve("dataset");
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault());
        Dataset other = Graphs.random()) {
      builder.write(
          path,
          new WriteOptions()
              .progress(
                  (stage, done, total, unit) -> {
                    assertEquals(Graphs.NODES, other.numNodes());
                    assertThrows(GlsException.NotFound.class, () -> other.nodeColumn(null, "none"));
                  }));
      Dataset.open(path).close();
    }
  }

  @Test
  void aCallbackCannotChangeItsBuilder(@TempDir Path folder) {
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      Progress changes = (stage, done, total, unit) -> builder.addNodeType("more", 1);
      WriteOptions options = new WriteOptions().progress(changes);
      assertThrows(GlsException.InvalidState.class, () -> builder.build(options));
      assertThrows(
          GlsException.InvalidState.class, () -> builder.write(folder.resolve("x"), options));
      Progress closes = (stage, done, total, unit) -> builder.close(); // when the call has ended
      builder.build(new WriteOptions().progress(closes)).close();
      assertClosed("builder", builder::build);
    }
  }

  @Test
  void interruptionEndsALongCall(@TempDir Path folder) {
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      Thread.currentThread().interrupt();
      assertThrows(GlsException.Interrupted.class, () -> builder.write(folder.resolve("x")));
      assertTrue(Thread.interrupted());
      builder.write(folder.resolve("x"));
    }
  }

  @Test
  void interruptionWakesAWaitingThread() throws Exception {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset)) {
      Thread.currentThread().interrupt();
      assertThrows(GlsException.Interrupted.class, loader::next);
      assertTrue(Thread.currentThread().isInterrupted());
      assertThrows(GlsException.Interrupted.class, loader::iterator);
      assertTrue(Thread.interrupted());
      assertEquals(0, loader.next().orElseThrow().number()); // nothing was lost
    }
    // One that really waits: the only batch takes long to make.
    try (Dataset dataset = Graphs.seeds(1 << 21);
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(-1).batchSize(1 << 21).numWorkers(1).build()) {
      AtomicReference<Throwable> outcome = new AtomicReference<>();
      AtomicReference<Boolean> flag = new AtomicReference<>();
      CountDownLatch begun = new CountDownLatch(1);
      Thread thread =
          new Thread(
              () -> {
                begun.countDown();
                try {
                  for (; ; ) {
                    loader.next().ifPresentOrElse(Batch::close, () -> loader.setEpoch(0));
                  }
                } catch (Throwable error) {
                  outcome.set(error);
                  flag.set(Thread.currentThread().isInterrupted());
                }
              });
      thread.start();
      begun.await();
      Thread.sleep(20);
      thread.interrupt();
      thread.join(30_000);
      assertEquals(GlsException.Interrupted.class, outcome.get().getClass());
      assertEquals(Boolean.TRUE, flag.get());
      loader.next(); // goes on
    }
  }

  @Test
  void errorsSayWhatTheyAre() {
    try (Dataset dataset = Graphs.random()) {
      GlsException error =
          assertThrows(
              GlsException.NotFound.class, () -> dataset.nodeColumn("node", "gr\u00fc\u00dfe"));
      assertTrue(error.getMessage().contains("gr\u00fc\u00dfe"), error::getMessage);
      assertEquals(-3, error.status());
      assertEquals("GLS_ERR_NOT_FOUND", error.statusName());
      assertEquals("gr\u00fc\u00dfe", error.details().get("column"));
      assertThrows(UnsupportedOperationException.class, () -> error.details().put("a", "b"));
    }
    int[] statuses = {-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -99};
    for (int status : statuses) {
      GlsException made = GlsException.of(status, "text", new String[] {"type", "t"});
      assertEquals(status, made.status());
      assertEquals("t", made.details().get("type"));
    }
    assertEquals(GlsException.Internal.class, GlsException.of(-99, "x", new String[0]).getClass());
    assertEquals("GLS_UNKNOWN", GlsException.of(-99, "x", new String[0]).statusName());
  }
}
