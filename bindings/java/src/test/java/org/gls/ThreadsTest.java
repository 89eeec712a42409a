package org.gls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ThreadsTest {
  private static final int THREADS = 16;

  private static <T> List<T> together(Callable<T> task) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<T>> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; ++i) {
        tasks.add(task);
      }
      List<T> out = new ArrayList<>();
      for (Future<T> future : pool.invokeAll(tasks)) {
        out.add(future.get());
      }
      return out;
    } finally {
      pool.shutdown();
    }
  }

  private static List<long[]> epoch(NeighborLoader loader) {
    List<long[]> out = new ArrayList<>();
    for (Batch batch : loader) {
      try (batch) {
        out.add(batch.node().toLongs());
        out.add(batch.row().toLongs());
      }
    }
    return out;
  }

  private static NeighborLoader loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(5, 5).batchSize(3).shuffle(true).seed(1).build();
  }

  @Test
  void onePoolServesAll() throws Exception {
    try (Context context = Context.builder().threads(2).build();
        Dataset dataset = Graphs.random(context)) {
      List<long[]> expected;
      try (NeighborLoader loader = loader(dataset)) {
        expected = epoch(loader);
      }
      List<List<long[]>> all =
          together(
              () -> {
                try (NeighborLoader own = loader(dataset)) {
                  return epoch(own);
                }
              });
      for (List<long[]> one : all) {
        assertEquals(expected.size(), one.size());
        for (int i = 0; i < one.size(); ++i) {
          assertArrayEquals(expected.get(i), one.get(i));
        }
      }
    }
  }

  @Test
  void oneLoaderServesAll() throws Exception {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset)) {
      for (int epoch = 0; epoch < 20; ++epoch) {
        loader.setEpoch(epoch);
        ConcurrentSkipListSet<Long> numbers = new ConcurrentSkipListSet<>();
        List<Integer> counts =
            together(
                () -> {
                  int count = 0;
                  for (; ; ) {
                    Optional<Batch> batch = loader.next();
                    if (batch.isEmpty()) {
                      return count;
                    }
                    try (Batch one = batch.get()) {
                      numbers.add(one.number());
                      ++count;
                    }
                  }
                });
        assertEquals(67, counts.stream().mapToInt(Integer::intValue).sum());
        assertEquals(67, numbers.size());
      }
    }
  }

  @Test
  void oneSamplerServesAll() throws Exception {
    try (Dataset dataset = Graphs.random();
        Sampler sampler = Sampler.builder(dataset).fanouts(4, 4).build()) {
      long[] expected = sampler.sample(1, 2, 3).node().toLongs();
      List<Boolean> same =
          together(
              () -> {
                boolean all = true;
                for (int i = 0; i < 300; ++i) {
                  try (Batch batch = sampler.sample(1, 2, 3)) {
                    all &= Arrays.equals(expected, batch.node().toLongs());
                  }
                }
                return all;
              });
      assertEquals(List.of(true), same.stream().distinct().toList());
    }
  }
}
