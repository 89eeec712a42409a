package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.Layout;
import org.gls.NeighborLoader;
import org.gls.WriteOptions;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Batches without waiting. */
@Timeout(300)
class AsyncTest {
  private static NeighborLoader loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(4, 3).batchSize(1).shuffle(true).build();
  }

  /** One whose only batch takes long enough to be waited for. */
  private static NeighborLoader slow(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(0).batchSize(1 << 18).numWorkers(1).build();
  }

  private static long number(Optional<Batch> batch) {
    if (batch.isEmpty()) {
      return -1;
    }
    try (Batch one = batch.get()) {
      return one.number();
    }
  }

  private static List<Long> below(long end) {
    return LongStream.range(0, end).boxed().toList();
  }

  /** A future that the loader has not served yet. */
  private static CompletableFuture<Optional<Batch>> waiting(NeighborLoader loader) {
    for (long epoch = 0; ; ++epoch) {
      loader.setEpoch(epoch);
      CompletableFuture<Optional<Batch>> future = loader.nextAsync();
      if (!future.isDone()) {
        return future;
      }
      future.join().ifPresent(Batch::close);
    }
  }

  /** What ends a waiting future, of which some may be served in the very moment. */
  private static Throwable endOf(NeighborLoader loader, Consumer<NeighborLoader> call) {
    for (; ; ) {
      CompletableFuture<Optional<Batch>> future = waiting(loader);
      call.accept(loader);
      try {
        future.join().ifPresent(Batch::close);
      } catch (CompletionException error) {
        return error.getCause();
      }
    }
  }

  @Test
  void anEpochOfFutures() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset)) {
      List<String> expected = new ArrayList<>();
      for (Batch batch : loader) {
        expected.add(Arrays.toString(batch.node().toLongs()));
        batch.close();
      }
      loader.setEpoch(0);
      for (String one : expected) {
        try (Batch batch = loader.nextAsync().join().orElseThrow()) {
          assertEquals(one, Arrays.toString(batch.node().toLongs()));
        }
      }
      assertEquals(Optional.empty(), loader.nextAsync().join());
      assertEquals(Optional.empty(), loader.nextAsync().join());
      try (Batch batch = loader.iterator().next()) {
        assertEquals(1, batch.epoch());
      }
      assertThrows(NullPointerException.class, () -> loader.nextAsync(null));
    }
  }

  @Test
  void servedInTheOrderTheyCame() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset)) {
      for (int epoch = 0; epoch < 20; ++epoch) {
        loader.setEpoch(epoch);
        List<CompletableFuture<Optional<Batch>>> futures = new ArrayList<>();
        for (int i = 0; i < Graphs.NODES + 3; ++i) {
          futures.add(loader.nextAsync());
        }
        List<Long> numbers = new ArrayList<>(below(Graphs.NODES));
        numbers.addAll(List.of(-1L, -1L, -1L));
        assertEquals(numbers, futures.stream().map(f -> number(f.join())).toList());
      }
    }
  }

  @Test
  void cancellingLosesNoBatch() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset)) {
      int cancelled = 0;
      for (int epoch = 0; epoch < 30 || cancelled == 0; ++epoch) {
        loader.setEpoch(epoch);
        List<CompletableFuture<Optional<Batch>>> futures = new ArrayList<>();
        for (int i = 0; i < Graphs.NODES; ++i) {
          futures.add(loader.nextAsync());
          if (i % 3 == epoch % 3) {
            CompletableFuture<Optional<Batch>> one = futures.get(i / 2);
            one.cancel(false);
            if (one.isCancelled()) {
              assertTrue(one.cancel(true));
              assertThrows(CancellationException.class, one::join);
            }
          }
        }
        List<Long> numbers = new ArrayList<>();
        for (CompletableFuture<Optional<Batch>> one : futures) {
          if (one.isCancelled()) {
            ++cancelled;
          } else {
            numbers.add(number(one.join()));
          }
        }
        for (long number = 0; number >= 0; ) { // what the cancelled ones left
          number = number(loader.next());
          numbers.add(number);
        }
        numbers.remove(-1L);
        assertEquals(below(Graphs.NODES), numbers);
      }
    }
  }

  @Test
  void timeoutsLeaveTheBatch() {
    try (Dataset dataset = Graphs.seeds(1 << 18);
        NeighborLoader loader = slow(dataset)) {
      for (boolean late = false; !late; ) {
        CompletableFuture<Optional<Batch>> future = waiting(loader);
        try {
          number(future.orTimeout(1, TimeUnit.MICROSECONDS).join()); // it was in time
        } catch (CompletionException error) {
          assertInstanceOf(TimeoutException.class, error.getCause());
          late = true;
        }
      }
      assertEquals(0, number(loader.next()));
      CompletableFuture<Optional<Batch>> future = waiting(loader);
      boolean first = future.complete(Optional.empty());
      assertEquals(first, future.join().isEmpty());
      assertThrows(UnsupportedOperationException.class, () -> future.obtrudeValue(null));
      assertThrows(UnsupportedOperationException.class, () -> future.obtrudeException(null));
      assertThrows(UnsupportedOperationException.class, () -> future.completeAsync(() -> null));
    }
  }

  @Test
  void endsAsTheLoaderDoes() {
    try (Dataset dataset = Graphs.seeds(1 << 18)) {
      NeighborLoader loader = slow(dataset);
      String state = loader.save();
      assertInstanceOf(GlsException.Canceled.class, endOf(loader, NeighborLoader::cancel));
      CompletableFuture<Optional<Batch>> cancelled = loader.nextAsync();
      assertTrue(cancelled.isCompletedExceptionally());
      assertFalse(cancelled.isCancelled());
      assertInstanceOf(GlsException.InvalidState.class, endOf(loader, l -> l.setEpoch(3)));
      assertInstanceOf(GlsException.InvalidState.class, endOf(loader, l -> l.restore(state)));
      assertInstanceOf(GlsException.InvalidState.class, endOf(loader, NeighborLoader::iterator));
      loader.setEpoch(5);
      assertEquals(0, number(loader.next()));
      Throwable error = null;
      while (error == null) {
        NeighborLoader one = slow(dataset);
        CompletableFuture<Optional<Batch>> future = one.nextAsync();
        one.close();
        try {
          number(future.join()); // it was served before
        } catch (CompletionException closed) {
          error = closed.getCause();
        }
      }
      assertEquals(IllegalStateException.class, error.getClass());
      assertEquals("the loader is closed", error.getMessage());
      loader.close();
      CompletableFuture<Optional<Batch>> closed = loader.nextAsync();
      error = assertThrows(CompletionException.class, closed::join).getCause();
      assertEquals(IllegalStateException.class, error.getClass());
    }
  }

  @Test
  void errorsAreThoseOfTheBatch(@TempDir Path folder) throws IOException {
    Path path = folder.resolve("dataset");
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.write(path, new WriteOptions().layouts(Layout.CSC));
    }
    Path indices;
    try (Stream<Path> files = Files.walk(path)) {
      indices =
          files.filter(p -> p.getFileName().toString().contains("indices")).findAny().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(indices);
    bytes[bytes.length - 1] = 1; // the last neighbour of the last node
    Files.write(indices, bytes);
    try (Dataset dataset = Dataset.open(path);
        NeighborLoader loader =
            NeighborLoader.builder(dataset)
                .fanouts(-1)
                .batchSize(1)
                .seeds(new long[] {1, Graphs.NODES - 1, 2})
                .build()) {
      List<CompletableFuture<Optional<Batch>>> futures = new ArrayList<>();
      for (int i = 0; i < 4; ++i) {
        futures.add(loader.nextAsync());
      }
      assertEquals(0, number(futures.get(0).join()));
      Throwable error =
          assertThrows(CompletionException.class, () -> futures.get(1).join()).getCause();
      assertInstanceOf(GlsException.CorruptData.class, error);
      assertEquals(2, number(futures.get(2).join()));
      assertEquals(-1, number(futures.get(3).join()));
      loader.setEpoch(0);
      assertEquals(0, number(loader.next()));
      GlsException waited = assertThrows(GlsException.CorruptData.class, loader::next);
      assertTrue( // the trace is that of the caller, wherever the error was met
          Arrays.stream(waited.getStackTrace()).anyMatch(f -> f.getMethodName().equals("next")));
      assertEquals(2, number(loader.next()));
    }
  }

  /** Stages run on the executor or on threads of the user; never on one that serves all. */
  @Test
  void stagesRunWhereTheyShould() {
    ExecutorService mine = Executors.newSingleThreadExecutor(task -> new Thread(task, "mine"));
    try (Dataset dataset = Graphs.seeds(1 << 18);
        NeighborLoader loader = slow(dataset)) {
      boolean later = false;
      for (int epoch = 0; epoch < 5 || !later; ++epoch) {
        loader.setEpoch(epoch);
        String thread =
            loader
                .nextAsync(mine)
                .thenApply(
                    batch -> {
                      assertEquals(0, number(batch));
                      return Thread.currentThread().getName();
                    })
                .join();
        assertTrue(List.of("mine", Thread.currentThread().getName()).contains(thread), thread);
        later |= thread.equals("mine");
      }
      later = false;
      for (int epoch = 0; epoch < 5 || !later; ++epoch) {
        loader.setEpoch(epoch);
        Thread thread = loader.nextAsync().thenApply(batch -> Thread.currentThread()).join();
        assertFalse(thread.getName().startsWith("gls-"), thread::getName);
        later |= thread != Thread.currentThread();
      }
      Executor refuses =
          task -> {
            throw new RejectedExecutionException();
          };
      for (int epoch = 0; epoch < 20; ++epoch) {
        loader.setEpoch(epoch);
        assertEquals(0, number(loader.nextAsync(refuses).join()));
      }
      for (int epoch = 0; epoch < 20; ++epoch) { // a stage may ask for the next
        loader.setEpoch(epoch);
        assertEquals(
            -1,
            number(
                loader
                    .nextAsync(Runnable::run)
                    .thenCompose(
                        batch -> {
                          assertEquals(0, number(batch));
                          return loader.nextAsync(Runnable::run);
                        })
                    .join()));
      }
    } finally {
      mine.shutdown();
    }
  }

  @Test
  void theServingThreadDoesNotWait() {
    try (Dataset dataset = Graphs.seeds(1 << 18);
        NeighborLoader loader = slow(dataset);
        NeighborLoader other = slow(dataset)) {
      for (int tries = 0; ; ++tries) {
        assertTrue(tries < 1000, "the stage never ran on the serving thread");
        loader.setEpoch(tries);
        String said =
            loader
                .nextAsync(Runnable::run)
                .thenApply(
                    batch -> {
                      batch.ifPresent(Batch::close);
                      try {
                        other.setEpoch(0); // so that its batch is not there yet
                        other.next().ifPresent(Batch::close);
                        return Thread.currentThread().getName();
                      } catch (GlsException.InvalidState error) {
                        return error.getMessage();
                      }
                    })
                .join();
        if (said.contains("cannot wait")) {
          break;
        }
      }
      loader.setEpoch(0);
      assertEquals(0, number(loader.nextAsync().join())); // and still serves
    }
  }

  @Test
  void threadsAndFuturesShareALoader() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset)) {
      for (int epoch = 0; epoch < 20; ++epoch) {
        loader.setEpoch(epoch);
        List<Long> numbers = Collections.synchronizedList(new ArrayList<>());
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; ++i) {
          boolean waits = i % 2 == 0;
          tasks.add(
              pool.submit(
                  () -> {
                    for (long number = 0; number >= 0; ) {
                      number = number(waits ? loader.next() : loader.nextAsync().join());
                      numbers.add(number);
                    }
                  }));
        }
        for (Future<?> task : tasks) {
          task.get();
        }
        numbers.removeIf(n -> n < 0);
        assertEquals(below(Graphs.NODES), numbers.stream().sorted().toList());
      }
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void iteratorsAndFuturesShareAnEpoch() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset)) {
      Iterator<Batch> iterator = loader.iterator();
      for (int i = 0; i < Graphs.NODES; i += 2) {
        assertEquals(i, number(Optional.of(iterator.next())));
        assertEquals(i + 1, number(loader.nextAsync().join()));
      }
      assertFalse(iterator.hasNext());
      assertEquals(-1, number(loader.nextAsync().join()));
    }
  }

  /** An interruption ends a waiting call, and the batch goes to the next one. */
  @Test
  void interruptionLosesNoBatch() throws Exception {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(20, 20).batchSize(2).numWorkers(1).build()) {
      AtomicInteger interrupted = new AtomicInteger();
      for (int epoch = 0; epoch < 5 || interrupted.get() == 0; ++epoch) {
        loader.setEpoch(epoch);
        List<Long> numbers = new ArrayList<>();
        Thread thread =
            new Thread(
                () -> {
                  for (long number = 0; number >= 0; ) {
                    try {
                      number = number(loader.next());
                      numbers.add(number);
                    } catch (GlsException.Interrupted error) {
                      assertTrue(Thread.interrupted());
                      interrupted.incrementAndGet();
                    }
                  }
                });
        thread.start();
        while (thread.isAlive()) {
          thread.interrupt();
          thread.join(0, 200_000);
        }
        numbers.remove(-1L);
        assertEquals(below(Graphs.NODES / 2), numbers);
      }
    }
  }

  /** Who holds the future alone gets the batch. */
  @Test
  void aFutureKeepsItsLoader() {
    try (Dataset dataset = Graphs.seeds(1 << 18)) {
      for (int i = 0; i < 20; ++i) {
        CompletableFuture<Optional<Batch>> future = slow(dataset).nextAsync();
        System.gc();
        assertEquals(0, number(future.join()));
      }
    }
  }

  @Test
  void oneThreadServesAllLoaders() {
    try (Dataset dataset = Graphs.random()) {
      List<NeighborLoader> loaders = new ArrayList<>();
      List<CompletableFuture<Optional<Batch>>> futures = new ArrayList<>();
      for (int i = 0; i < 40; ++i) {
        loaders.add(loader(dataset));
        for (int k = 0; k < 20; ++k) {
          futures.add(loaders.get(i).nextAsync());
        }
      }
      long threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(t -> t.getName().equals("gls-ready"))
              .count();
      assertEquals(1, threads);
      for (int i = 0; i < futures.size(); ++i) {
        assertEquals(i % 20, number(futures.get(i).join()));
      }
      loaders.forEach(NeighborLoader::close);
    }
  }
}
