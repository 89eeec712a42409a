package org.gls;

import java.io.IOException;
import java.util.Optional;
import org.gls.support.Graphs;

/** Takes 100,000 batches in all ways there are, and prints the resident memory before and after. */
final class ManyBatches {
  private static final int WARM = 20_000;
  private static final int BATCHES = 100_000;

  private ManyBatches() {}

  public static void main(String[] arguments) throws IOException {
    try (Context context = Context.builder().numThreads(2).build();
        Dataset dataset = Graphs.random(context);
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(3, 2).batchSize(2).shuffle(true).build()) {
      take(loader, WARM);
      long before = Cycles.resident();
      take(loader, BATCHES);
      System.out.println(before + " " + Cycles.resident());
    }
  }

  private static void take(NeighborLoader loader, int count) {
    for (int i = 0; i < count; ++i) {
      Optional<Batch> next = i % 2 == 0 ? loader.next() : loader.nextAsync().join();
      if (next.isEmpty()) {
        loader.setEpoch(loader.epoch() + 1);
        --i;
        continue;
      }
      try (Batch batch = next.get()) {
        if (i % 3 == 0 && batch.column("x").floats().get(0) < 0) { // a buffer
          throw new AssertionError();
        }
        if (i % 7 == 0) {
          batch.node().share(); // which is never closed
        }
      }
    }
  }
}
