package org.gls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens and closes a dataset and what is made from it, and prints the resident memory. */
final class Cycles {
  private static final int WARM = 1500;
  private static final int CYCLES = 5000;

  private Cycles() {}

  public static void main(String[] arguments) throws IOException {
    Path path = Path.of(arguments[0]);
    try (Context context = Context.builder().numThreads(2).build()) {
      cycle(context, path, WARM);
      long before = resident();
      cycle(context, path, arguments.length > 1 ? Integer.parseInt(arguments[1]) : CYCLES);
      System.out.println(before + " " + resident());
    }
  }

  private static void cycle(Context context, Path path, int count) {
    for (int i = 0; i < count; ++i) {
      try (Dataset dataset = Dataset.open(path, new OpenOptions().context(context));
          Sampler sampler = Sampler.builder(dataset).fanouts(3).build();
          NeighborLoader loader =
              NeighborLoader.builder(dataset).fanouts(3, 3).batchSize(50).seeds("train").build();
          Batch sampled = sampler.sample(1, 2);
          Batch batch = loader.next().orElseThrow();
          Tensor column = dataset.nodeColumn(null, "x")) {
        if (batch.column("x").floats().get(0) < 0 || column.row(1).floats().get(0) < 0) {
          throw new AssertionError();
        }
        try {
          dataset.nodeColumn(null, "none");
          throw new AssertionError();
        } catch (GlsException.NotFound expected) {
          // as it should
        }
      }
      if (i % 100 == 0) {
        try (Context own = Context.builder().numThreads(1).build()) {
          own.get("threads");
        }
        System.gc();
      }
    }
  }

  static long resident() throws IOException {
    System.gc();
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("no VmRSS");
  }
}
