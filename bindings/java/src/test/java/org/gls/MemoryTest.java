package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.gls.internal.NativeMemory;
import org.gls.support.Graphs;
import org.gls.support.Processes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the garbage collector finds, and what is given back. */
@Timeout(300)
class MemoryTest {
  static boolean collectUntil(BooleanSupplier done) {
    for (int i = 0; i < 100 && !done.getAsBoolean(); ++i) {
      System.gc();
      try {
        Thread.sleep(20);
      } catch (InterruptedException error) {
        throw new AssertionError(error);
      }
    }
    return done.getAsBoolean();
  }

  /** A buffer, and what it must go on to show: memory that was given back is soon used again. */
  private record Kept(LongBuffer shown, long[] copy) {
    void check() {
      assertEquals(LongBuffer.wrap(copy), shown);
    }
  }

  @Test
  void unclosedBatchesAreFound() {
    assertTrue(collectUntil(() -> NativeMemory.held() == 0));
    leaveBatches();
    assertTrue(
        collectUntil(() -> NativeMemory.held() == 0),
        () -> NativeMemory.held() + " bytes are held");
  }

  /** Leaves 20,000 batches unclosed, and closes some whose buffers are in use. */
  private static void leaveBatches() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(5, 5).batchSize(1).shuffle(true).build()) {
      ArrayDeque<Kept> kept = new ArrayDeque<>();
      long sum = 0;
      for (int i = 0; i < 24_200; ++i) {
        if (kept.size() > 500) {
          kept.remove().check();
        }
        if (i % 1000 == 0) {
          System.gc();
        }
        Batch batch = loader.next().orElse(null);
        if (batch == null) {
          loader.setEpoch(loader.epoch() + 1);
          continue;
        }
        if (i % 3 == 0) {
          kept.add(new Kept(batch.node().longs(), batch.node().toLongs()));
          if (i % 2 == 0) {
            batch.close(); // the buffer outlives it
          }
          continue;
        }
        if (i % 5 == 0) {
          sum += batch.column("x").floats().get(0) > 0 ? 1 : 0;
        }
      }
      kept.forEach(Kept::check);
      assertTrue(sum > 0 && NativeMemory.held() > 0);
    }
  }

  @Test
  void closedBatchesAreGivenBackAtOnce() {
    assertTrue(collectUntil(() -> NativeMemory.held() == 0));
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = NeighborLoader.builder(dataset).fanouts(5).build()) {
      Batch batch = loader.next().orElseThrow();
      assertEquals(batch.byteSize(), NativeMemory.held());
      assertTrue(batch.node().toLongs().length > 0);
      assertTrue(batch.numSampledNodes()[0] == batch.batchSize());
      batch.column("x").copyTo(new float[10_000]);
      batch.close();
      assertEquals(0, NativeMemory.held()); // no buffer was made
    }
    try (Dataset dataset = Graphs.random();
        Sampler sampler = Sampler.builder(dataset).fanouts(2).build()) {
      Batch batch = sampler.sample(1, 2);
      LongBuffer shown = batch.node().longs();
      long bytes = batch.byteSize();
      batch.close();
      System.gc();
      assertEquals(bytes, NativeMemory.held());
      assertEquals(1, shown.get(0));
      shown = null;
      assertTrue(collectUntil(() -> NativeMemory.held() == 0));
    }
  }

  /**
   * Batches that are shown and closed are found in time, though the heap has no need to be looked
   * at.
   */
  @Test
  void theCollectorIsAskedToLook() throws Exception {
    String out = Processes.java("-Xmx512m", "-Dgls.gc.bytes=1000000", Asking.class);
    long most = Long.parseLong(out.trim());
    assertTrue(most < 4_000_000, () -> "up to " + most + " bytes were held");
  }

  /** Prints how many bytes were held at most. */
  static final class Asking {
    private Asking() {}

    public static void main(String[] arguments) {
      long most = 0;
      try (Dataset dataset = Graphs.random();
          NeighborLoader loader =
              NeighborLoader.builder(dataset).fanouts(5).batchSize(50).build()) {
        for (int epoch = 0; epoch < 500; ++epoch) {
          for (Batch batch : loader) {
            try (batch) {
              if (batch.column("x").floats().get(0) < 0) {
                throw new AssertionError();
              }
              most = Math.max(most, NativeMemory.held());
            }
          }
        }
      }
      System.out.println(most);
    }
  }

  @Test
  void everythingUnclosedIsFound() {
    WeakReference<?>[] gone = new WeakReference<?>[5];
    abandon(gone);
    for (WeakReference<?> one : gone) {
      assertTrue(collectUntil(() -> one.get() == null));
    }
  }

  private static void abandon(WeakReference<?>[] gone) {
    Context context = Context.builder().numThreads(1).build();
    Dataset dataset = Graphs.random(context);
    Sampler sampler = Sampler.builder(dataset).fanouts(1).build();
    NeighborLoader loader = NeighborLoader.builder(dataset).fanouts(1).build();
    Batch batch = loader.next().orElseThrow();
    gone[0] = new WeakReference<>(context);
    gone[1] = new WeakReference<>(dataset);
    gone[2] = new WeakReference<>(sampler);
    gone[3] = new WeakReference<>(loader);
    gone[4] = new WeakReference<>(batch.node());
  }

  @Test
  void buffersGivenAreLetGo() {
    ByteBuffer memory = ByteBuffer.allocateDirect(4 * 8).order(ByteOrder.nativeOrder());
    WeakReference<ByteBuffer> weak = new WeakReference<>(memory);
    Dataset dataset;
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", 4);
      builder.addEdges(Graphs.EDGES, Tensor.of(new long[1]), Tensor.of(new long[1]));
      try (Tensor given = Tensor.of(memory, DType.INT64)) {
        builder.addNodeColumn("node", "x", given, Role.FEATURE);
      }
      memory.putLong(0, 11);
      memory = null;
      dataset = builder.build();
    }
    for (int i = 0; i < 5; ++i) {
      System.gc();
    }
    assertTrue(weak.get() != null);
    assertEquals(11, dataset.nodeColumn(null, "x").longs().get(0));
    dataset.close();
    assertTrue(collectUntil(() -> weak.get() == null));
  }

  @Test
  void memoryStaysFlat(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("dataset");
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.write(path);
    }
    String out =
        Processes.java("-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", Cycles.class, path.toString());
    assertFlat(out);
  }

  @Test
  void batchesLeaveNothing() throws Exception {
    String out =
        Processes.java(
            "-Xms96m",
            "-Xmx96m",
            "-XX:+AlwaysPreTouch",
            "-Dgls.gc.bytes=4000000",
            ManyBatches.class);
    assertFlat(out);
  }

  private static void assertFlat(String out) {
    String[] numbers = out.trim().split(" ");
    long before = Long.parseLong(numbers[0]);
    long after = Long.parseLong(numbers[1]);
    assertTrue(
        after - before < 24 * 1024, () -> "from " + before + " to " + after + " KiB resident");
  }
}
