package org.gls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.gls.support.Graphs;
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

  private static byte[] bytes(Tensor tensor) {
    byte[] out = new byte[(int) tensor.byteSize()];
    tensor.bytes().get(out);
    return out;
  }

  /** Takes all arrays of a batch, as they are in memory, and closes it. */
  private static void add(List<byte[]> out, Batch batch) {
    try (batch) {
      for (BatchArray array : batch.arrays()) {
        out.add(bytes(batch.tensor(array.kind(), array.type(), array.name())));
      }
    }
  }

  /** What one of many users of a context does; the number says who it is. */
  private static List<byte[]> use(Dataset random, Dataset shop, int number) {
    List<byte[]> out = new ArrayList<>();
    if (number % 4 == 0) {
      try (Sampler sampler =
          Sampler.builder(random).fanouts(3 + number, 2).disjoint(number % 8 == 0).build()) {
        for (long i = 0; i < 60; ++i) {
          add(out, sampler.sample(i, i + number, 199 - i));
        }
      }
      return out;
    }
    NeighborLoader.Builder options =
        number % 4 == 1
            ? NeighborLoader.builder(shop).nodeType("user")
            : NeighborLoader.builder(random).seeds("train");
    options.fanouts(4, 1 + number).batchSize(7).shuffle(true).seed(number).edgeIds(true);
    try (NeighborLoader loader = options.build()) {
      for (int epoch = 0; epoch < 4; ++epoch) {
        loader.setEpoch(epoch);
        for (Optional<Batch> batch = Optional.empty(); ; ) {
          batch = number % 4 == 2 ? loader.nextAsync().join() : loader.next();
          if (batch.isEmpty()) {
            break;
          }
          add(out, batch.get());
        }
      }
    }
    return out;
  }

  /** Loaders and samplers of all kinds, on one pool: each gives what it gives when it is alone. */
  @Test
  void allKindsOfUsersShareAContext() throws Exception {
    List<List<byte[]>> expected = new ArrayList<>();
    try (Context context = Context.builder().numThreads(1).build();
        Dataset random = Graphs.random(context);
        Dataset shop = Graphs.shop(context)) {
      for (int number = 0; number < THREADS; ++number) {
        expected.add(use(random, shop, number));
      }
    }
    try (Context context = Context.builder().numThreads(3).build();
        Dataset random = Graphs.random(context);
        Dataset shop = Graphs.shop(context)) {
      for (int round = 0; round < 5; ++round) {
        AtomicInteger numbers = new AtomicInteger();
        together(
            () -> {
              int number = numbers.getAndIncrement();
              List<byte[]> got = use(random, shop, number);
              assertTrue(got.size() > 100);
              assertEquals(expected.get(number).size(), got.size());
              for (int i = 0; i < got.size(); ++i) {
                assertArrayEquals(expected.get(number).get(i), got.get(i));
              }
              return number;
            });
      }
    }
  }

  @Test
  void onePoolServesAll() throws Exception {
    try (Context context = Context.builder().numThreads(2).build();
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
