package org.gls;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.FetchTask;
import org.gls.low.glsjni;

/**
 * A question of the library to a store. One that is never answered ends with an error, as when a
 * stage is never completed.
 */
final class Question {
  private static final int INVALID_ARGUMENT = -1; // gls.h
  private static final int INT = 0; // of DLPack
  private static final byte[] ZEROS = new byte[1 << 13];

  private final Handle<FetchTask> handle;

  /** Takes {@code task}. */
  Question(FetchTask task) {
    handle = new Handle<>("question", task, FetchTask::delete);
    NativeMemory.CLEANER.register(this, handle::close);
  }

  /** A question without an answer ends with an error. */
  void close() {
    handle.close();
  }

  void answer(ColumnFetch fetch) {
    settle(
        () -> {
          try (Tensor rows = rows()) {
            fetch.fetch(ids(), rows.bytes());
            handle.run(FetchTask::rowsDone);
          }
        });
  }

  void answerLater(ColumnFetchLater fetch) {
    attempt(
        () -> {
          Tensor rows = rows();
          try {
            stage(fetch.fetch(ids(), rows.bytes()))
                .whenComplete(
                    (nothing, error) -> {
                      try (rows) {
                        finish(error, () -> handle.run(FetchTask::rowsDone));
                      }
                    });
          } catch (Throwable error) {
            rows.close();
            throw error;
          }
        });
  }

  void answer(NeighborFetch fetch) {
    settle(() -> neighbors(fetch.fetch(ids())));
  }

  void answerLater(NeighborFetchLater fetch) {
    attempt(
        () ->
            stage(fetch.fetch(ids()))
                .whenComplete((lists, error) -> finish(error, () -> neighbors(lists))));
  }

  private static <T> CompletionStage<T> stage(CompletionStage<T> stage) {
    if (stage == null) {
      throw new GlsException.InvalidArgument("the answer is null, expected a CompletionStage");
    }
    return stage;
  }

  private void finish(Throwable error, Work done) {
    settle(
        () -> {
          if (error != null) {
            boolean wrapped = error instanceof CompletionException && error.getCause() != null;
            throw wrapped ? error.getCause() : error;
          }
          done.run();
        });
  }

  private interface Work {
    void run() throws Throwable;
  }

  /** Does what ends with an answer. */
  private void settle(Work work) {
    attempt(work);
    handle.close();
  }

  private void attempt(Work work) {
    try {
      work.run();
    } catch (Throwable error) { // whatever it is, it is for the batch
      fail(error);
    } finally {
      Reference.reachabilityFence(this); // or it would be released meanwhile
    }
  }

  private long[] ids() {
    try (Tensor ids = Tensor.of(handle.call(FetchTask::ids))) {
      return ids.toLongs();
    }
  }

  /** Zeros. A buffer of it that is kept keeps the memory, too. */
  private Tensor rows() {
    org.gls.low.Tensor low = handle.call(FetchTask::rows);
    long bytes;
    Tensor rows;
    try {
      long size = low.size();
      bytes = size;
      rows =
          Tensor.of(
              new Handle<>(
                  "question",
                  low,
                  gone -> {
                    gone.delete();
                    NativeMemory.remove(size);
                  }),
              low.describe(),
              null);
    } catch (Throwable error) {
      low.delete();
      throw error;
    }
    try {
      NativeMemory.add(bytes);
      clear(rows.bytes());
    } catch (Throwable error) {
      rows.close();
      throw error;
    }
    return rows;
  }

  private static void clear(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      bytes.put(ZEROS, 0, Math.min(ZEROS.length, bytes.remaining()));
    }
  }

  private void neighbors(NeighborLists lists) {
    if (lists == null) {
      throw new GlsException.InvalidArgument("the answer is null, expected NeighborLists");
    }
    org.gls.low.Tensor counts = low(lists.counts());
    org.gls.low.Tensor neighbors = null;
    org.gls.low.Tensor edgeIds = null;
    try {
      neighbors = low(lists.neighbors());
      edgeIds = lists.edgeIds() != null ? low(lists.edgeIds()) : null;
      FetchTask task = handle.enter();
      try {
        task.neighbors(counts, neighbors, edgeIds);
      } finally {
        handle.leave();
      }
    } finally {
      delete(counts);
      delete(neighbors);
      delete(edgeIds);
    }
  }

  private static org.gls.low.Tensor low(long[] numbers) {
    return glsjni.tensorFromArray(numbers, INT, Long.SIZE, new long[] {numbers.length});
  }

  private static void delete(org.gls.low.Tensor low) {
    if (low != null) {
      low.delete();
    }
  }

  /** Throws nothing, whatever the caller's exception does. */
  private void fail(Throwable error) {
    try {
      int status = error instanceof GlsException known ? known.status() : INVALID_ARGUMENT;
      String words = words(error);
      FetchTask task = handle.enter();
      try {
        task.fail(status, words);
      } finally {
        handle.leave();
      }
    } catch (Throwable failure) {
      // It is answered. Or no memory is left: then the batch gets the error of an unanswered
      // question.
    } finally {
      handle.close();
    }
  }

  /** What the library said of the answer is not prefixed again. */
  private static String words(Throwable error) {
    try {
      String words = error instanceof GlsException ? error.getMessage() : error.toString();
      if (words != null) {
        return words.replace('\0', ' ');
      }
    } catch (Throwable failure) {
      // The exception's own code failed.
    }
    return error.getClass().getName();
  }
}
