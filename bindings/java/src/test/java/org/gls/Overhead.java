package org.gls;

import java.util.Arrays;

/**
 * Measures what Java adds to a batch: microseconds per batch of one seed, beyond what a loop in C++
 * over the same loader takes for taking and dropping it. Both take batches that are ready, so that
 * the workers' time does not count.
 *
 * <p>Prints a JSON line: java_us, what next() and close() add; java_arrays_us, what showing six
 * arrays as buffers adds to that; c_us, the loop in C++.
 */
public final class Overhead {
  private static final int BATCHES = 2_000;
  private static final int ROUNDS = 60;

  private Overhead() {}

  /**
   * Runs it.
   *
   * @param arguments none
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    double[] c = new double[ROUNDS];
    double[] java = new double[ROUNDS];
    double[] arrays = new double[ROUNDS];
    try (Dataset dataset = graph();
        NeighborLoader loader =
            NeighborLoader.builder(dataset)
                .fanouts(2)
                .batchSize(1)
                .prefetch(BATCHES)
                .prefetchBytes(4L << 30)
                .build()) {
      long sink = 0;
      for (int round = 0; round < ROUNDS; ++round) {
        begin(loader);
        long start = System.nanoTime();
        long taken = loader.drain(BATCHES);
        c[round] = perBatch(start);
        if (taken != BATCHES - 1) {
          throw new AssertionError(taken + " batches");
        }

        begin(loader);
        start = System.nanoTime();
        for (int i = 1; i < BATCHES; ++i) {
          loader.next().orElseThrow().close();
        }
        java[round] = perBatch(start);

        begin(loader);
        start = System.nanoTime();
        for (int i = 1; i < BATCHES; ++i) {
          try (Batch batch = loader.next().orElseThrow()) {
            sink += batch.node().longs().get(0);
            sink += batch.row().longs().remaining();
            sink += batch.col().longs().remaining();
            sink += batch.seed().longs().get(0);
            sink += batch.input().longs().get(0);
            sink += batch.tensor(ArrayKind.NODE_COLUMN, "node", "x").floats().remaining();
          }
        }
        arrays[round] = perBatch(start);
      }
      if (sink == 0) {
        throw new AssertionError();
      }
    }
    double inC = median(c);
    System.out.printf(
        "{\"java_us\": %.2f, \"java_arrays_us\": %.2f, \"c_us\": %.2f}%n",
        median(java) - inC, median(arrays) - median(java), inC);
  }

  /** Takes the first batch of a new epoch, and waits until the others are ready. */
  private static void begin(NeighborLoader loader) throws InterruptedException {
    loader.setEpoch(loader.epoch() + 1);
    loader.next().orElseThrow().close();
    while (loader.stats().readyBatches() < BATCHES - 1) {
      Thread.sleep(1);
    }
    System.gc();
    Thread.sleep(20);
  }

  private static double perBatch(long start) {
    return (System.nanoTime() - start) / 1e3 / (BATCHES - 1);
  }

  private static double median(double[] values) {
    double[] later = Arrays.copyOfRange(values, ROUNDS / 3, ROUNDS); // compiled by then
    Arrays.sort(later);
    return later[later.length / 2];
  }

  private static Dataset graph() {
    int edges = 4 * BATCHES;
    long[] source = new long[edges];
    long[] target = new long[edges];
    for (int e = 0; e < edges; ++e) {
      source[e] = (e * 7919L) % BATCHES;
      target[e] = e % BATCHES;
    }
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", BATCHES);
      builder.addEdges("node__to__node", Tensor.of(source), Tensor.of(target));
      builder.addNodeColumn(
          "node", "x", Tensor.of(new float[8 * BATCHES], BATCHES, 8), Role.FEATURE);
      return builder.build();
    }
  }
}
