package org.gls;

import java.lang.ref.Reference;
import java.util.concurrent.CompletionException;
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

  private final Handle<FetchTask> handle;

  /** Takes {@code task}. */
  Question(FetchTask task) {
    handle = new Handle<>("question", task, FetchTask::delete);
    NativeMemory.CLEANER.register(this, handle::close);
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
            fetch
                .fetch(ids(), rows.bytes())
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
            fetch
                .fetch(ids())
                .whenComplete((lists, error) -> finish(error, () -> neighbors(lists))));
  }

  private void finish(Throwable error, Work done) {
    if (error == null) {
      settle(done);
    } else {
      boolean wrapped = error instanceof CompletionException && error.getCause() != null;
      fail(wrapped ? error.getCause() : error);
    }
  }

  private interface Work {
    void run() throws Exception;
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

  /** A buffer of it that is kept keeps the memory, too. */
  private Tensor rows() {
    org.gls.low.Tensor low = handle.call(FetchTask::rows);
    long[] info;
    try {
      info = low.describe();
    } catch (RuntimeException | Error error) {
      low.delete();
      throw error;
    }
    long bytes = low.size();
    NativeMemory.add(bytes);
    return Tensor.of(
        new Handle<>(
            "question",
            low,
            gone -> {
              gone.delete();
              NativeMemory.remove(bytes);
            }),
        info,
        null);
  }

  private void neighbors(NeighborLists lists) {
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

  private void fail(Throwable error) {
    int status = error instanceof GlsException known ? known.status() : INVALID_ARGUMENT;
    // What the library said of the answer is not prefixed again.
    String words = error instanceof GlsException known ? known.getMessage() : String.valueOf(error);
    try {
      handle.run(task -> task.fail(status, words.replace('\0', ' ')));
    } catch (GlsException | IllegalStateException answered) {
      // or no memory is left: then the batch gets the error of an unanswered question
    }
    handle.close();
  }
}
