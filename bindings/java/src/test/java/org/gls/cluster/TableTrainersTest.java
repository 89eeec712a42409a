package org.gls.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.gls.Dataset;
import org.gls.GlsException;
import org.gls.Optimizer;
import org.gls.Table;
import org.gls.TableOptions;
import org.gls.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Trainers that take steps of a table together. */
@Timeout(120)
class TableTrainersTest extends Tables {
  /** Each on a thread of its own. */
  private static void trainers(int count, IntConsumer trainer) throws Exception {
    CompletableFuture<?>[] all =
        IntStream.range(0, count)
            .mapToObj(
                rank ->
                    CompletableFuture.runAsync(
                        () -> trainer.accept(rank), run -> new Thread(run).start()))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
  }

  private static Table trainer(Dataset dataset, String name, int rank) {
    return dataset.table(null, name, by(Optimizer.ADAGRAD).trainer(rank, 2));
  }

  /** What a trainer has for a step, so that sums are exact. */
  private static long[] idsOf(int rank, int step) {
    return rank == 0 ? new long[] {step, 100, step} : new long[] {100, step + 50L};
  }

  private static float[] gradientsOf(int rank, int step) {
    float[] out = new float[idsOf(rank, step).length * WIDTH];
    for (int i = 0; i < out.length; ++i) {
      out[i] = (rank + 1) * 0.25f * (i + 1) - step * 0.5f;
    }
    return out;
  }

  private static void step(Table table, int rank, int step) {
    try (Tensor ids = ids(idsOf(rank, step));
        Tensor gradients = rows(gradientsOf(rank, step))) {
      table.step(ids, gradients, RATE, SOON);
    }
  }

  /** As two trainers together. */
  private static void stepAlone(Table table, int step) {
    float[] both = new float[5 * WIDTH];
    System.arraycopy(gradientsOf(0, step), 0, both, 0, 3 * WIDTH);
    System.arraycopy(gradientsOf(1, step), 0, both, 3 * WIDTH, 2 * WIDTH);
    try (Tensor ids =
            ids(
                LongStream.concat(LongStream.of(idsOf(0, step)), LongStream.of(idsOf(1, step)))
                    .toArray());
        Tensor gradients = rows(both)) {
      table.step(ids, gradients, RATE);
    }
  }

  @Test
  void trainersTakeStepsTogether() throws Exception {
    trainers(
        2,
        rank -> {
          try (Dataset dataset = open(rank == 0 ? first : second);
              Table table = trainer(dataset, "e", rank)) {
            for (int step = 0; step < 20; ++step) {
              step(table, rank, step);
            }
            assertEquals(20, table.info().step());
            assertEquals(rank, table.info().rank());
            assertEquals(2, table.info().worldSize());
          }
        });
    try (Table alone = here.table(null, "e", by(Optimizer.ADAGRAD));
        Table together = far.table(null, "e")) {
      for (int step = 0; step < 20; ++step) {
        stepAlone(alone, step);
      }
      assertArrayEquals(all(alone), all(together));
    }
  }

  @Test
  void whoWaitsAloneIsToldWhoIsMissing() throws Exception {
    try (Table one = trainer(far, "e", 0);
        Table other = trainer(far, "e", 1);
        Tensor ids = ids(1);
        Tensor gradients = rows(1, 1, 1)) {
      float[] begin = read(one, 1);
      refused(GlsException.TimedOut.class, "1", () -> one.step(ids, gradients, RATE, NOW));
      refused(
          GlsException.TimedOut.class, "1", () -> one.step(ids, gradients, RATE, Duration.ZERO));
      assertArrayEquals(begin, read(one, 1));
      trainers(
          2, rank -> (rank == 0 ? one : other).step(ids, gradients, RATE, SOON)); // goes on with it
      assertEquals(1, one.info().step());
      // Adagrad: 2 / sqrt(4).
      assertArrayEquals(
          new float[] {begin[0] - (float) RATE, begin[1] - (float) RATE, begin[2] - (float) RATE},
          read(other, 1),
          1e-6f);
    }
  }

  /** Waits on a thread of its own, which is interrupted meanwhile. */
  private static void interrupted(Executable wait) throws Exception {
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                assertThrows(GlsException.Interrupted.class, wait);
                flag.complete(Thread.currentThread().isInterrupted());
              } catch (Throwable error) {
                flag.completeExceptionally(error);
              }
            });
    thread.start();
    Thread.sleep(100);
    thread.interrupt();
    assertTrue(flag.get(30, TimeUnit.SECONDS));
  }

  @Test
  void waitingForTrainersCanBeInterrupted() throws Exception {
    Path saved = folder.resolve("saved");
    try (Table one = trainer(far, "e", 0);
        Table other = trainer(far, "e", 1);
        Table alone = here.table(null, "e", by(Optimizer.ADAGRAD));
        Tensor ids = ids(1);
        Tensor gradients = rows(1, 1, 1)) {
      Duration forever = ChronoUnit.FOREVER.getDuration();
      interrupted(() -> one.step(ids, gradients, RATE));
      interrupted(() -> one.step(ids, gradients, RATE, forever));
      trainers(2, rank -> (rank == 0 ? one : other).step(ids, gradients, RATE, SOON));
      assertEquals(1, other.info().step());
      alone.save(saved);
      interrupted(() -> one.load(saved));
      interrupted(() -> one.load(saved, forever));
      trainers(2, rank -> (rank == 0 ? one : other).load(saved, SOON));
      assertEquals(0, one.info().step());
      assertArrayEquals(all(alone), all(other));
    }
  }

  // ---- saving and loading ----------------------------------------------------------------------

  @Test
  void savedByTwoItIsLoadedByOneAndByThree() throws Exception {
    Path saved = folder.resolve("saved");
    trainers(
        2,
        rank -> {
          try (Table table = trainer(far, "e", rank)) {
            step(table, rank, 0);
            table.save(saved);
            step(table, rank, 1);
          }
        });
    try (Table alone = here.table(null, "another name", by(Optimizer.ADAGRAD));
        Table together = far.table(null, "e")) {
      alone.load(saved);
      assertEquals(1, alone.info().step());
      stepAlone(alone, 1); // the optimiser is where it was
      assertArrayEquals(all(together), all(alone));
      trainers(
          3,
          rank -> {
            TableOptions options = by(Optimizer.ADAGRAD).trainer(rank, 3);
            try (Table table = far.table(null, "of three", options)) {
              table.load(saved, SOON);
              step(table, Math.min(rank, 1), rank == 2 ? 2 : 1);
              assertEquals(2, table.info().step());
            }
          });
      refused(GlsException.AlreadyExists.class, saved.toString(), () -> alone.save(saved));
      Path half = folder.resolve("half");
      try (Table one = far.table(null, "half", by(Optimizer.ADAGRAD).trainer(1, 2))) {
        one.save(half);
      }
      refused(GlsException.NotFound.class, "0", () -> alone.load(half));
      refused(
          GlsException.FileNotFound.class, "nowhere", () -> alone.load(folder.resolve("nowhere")));
      try (Table wider = here.table(null, "wider", new TableOptions(4))) {
        refused(GlsException.InvalidArgument.class, "width", () -> wider.load(saved));
      }
    }
  }

  @Test
  void whoLoadsWaitsForTheOthers() throws Exception {
    Path saved = folder.resolve("saved");
    try (Table alone = here.table(null, "e", by(Optimizer.ADAGRAD))) {
      stepAlone(alone, 0);
      alone.save(saved);
      try (Table one = trainer(far, "e", 0);
          Table other = trainer(far, "e", 1)) {
        refused(GlsException.TimedOut.class, "1", () -> one.load(saved, NOW));
        trainers(2, rank -> (rank == 0 ? one : other).load(saved, SOON));
        assertEquals(1, other.info().step());
        assertArrayEquals(all(alone), all(one));
      }
    }
  }
}
