package org.gls;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.gls.internal.Handle;
import org.gls.internal.Ready;
import org.gls.low.Answer;
import org.gls.low.glsjni;

/** The future results of calls and operations, waited for or as futures. */
final class Answers {
  private static final long SLICE_MILLIS = 50; // how long an interruption may have to wait
  private static final int UINT = 1; // of DLPack

  private Answers() {}

  /** Rounded up. */
  static long millis(Duration time) {
    if (time.isNegative()) {
      throw GlsException.invalid("timeout", time + ", expected at least 0");
    }
    try {
      return time.plusNanos(999_999).toMillis();
    } catch (ArithmeticException tooLong) {
      return -1;
    }
  }

  /** Makes a call with the native form of bytes, which may be null. */
  static <R> R withBytes(byte[] bytes, Function<org.gls.low.Tensor, R> call) {
    if (bytes == null || bytes.length == 0) {
      return call.apply(null);
    }
    org.gls.low.Tensor low =
        glsjni.tensorFromArray(bytes, UINT, Byte.SIZE, new long[] {bytes.length});
    try {
      return call.apply(low);
    } finally {
      low.delete();
    }
  }

  /** Waits; gives up what it waits for when the thread is interrupted. Takes the answer. */
  static <R> R await(Answer answer, Function<Answer, R> convert) {
    try {
      while (!answer.isOver(SLICE_MILLIS)) {
        if (Thread.currentThread().isInterrupted()) {
          throw new GlsException.Interrupted("the thread was interrupted while it waited");
        }
      }
      return convert.apply(answer);
    } finally {
      answer.delete(); // which cancels it
    }
  }

  /** Takes the answer. */
  static <R> CompletableFuture<R> future(Answer answer, Function<Answer, R> convert) {
    Future<R> future = new Future<>(answer, convert);
    future.begin();
    return future;
  }

  static byte[] first(Answer answer) {
    return answer.bytes(0);
  }

  /**
   * The future of an answer. When the caller cancels or completes it, the operation is cancelled.
   */
  private static final class Future<R> extends CompletableFuture<R> {
    private final Handle<Answer> handle;
    private final Function<Answer, R> convert;

    Future(Answer answer, Function<Answer, R> convert) {
      handle = new Handle<>("answer", answer, Answer::delete);
      this.convert = convert;
    }

    void begin() {
      try {
        if (handle.call(low -> Ready.ask(low::notify, this::over))) {
          finish();
        }
      } catch (RuntimeException | Error error) {
        end(error);
      }
    }

    /** Not on the thread that serves all: what hangs on this future may take long. */
    private void over() {
      BatchFuture.run(null, this::finish);
    }

    private void finish() {
      if (handle.isClosed()) {
        return; // the caller ended it
      }
      try {
        R result =
            handle.call(
                low -> {
                  low.isOver(0);
                  return convert.apply(low);
                });
        super.complete(result);
        handle.close();
      } catch (RuntimeException | Error error) {
        end(error);
      }
    }

    private void end(Throwable error) {
      super.completeExceptionally(error);
      handle.close();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean done = super.cancel(mayInterruptIfRunning);
      handle.close(); // which cancels it
      return done;
    }

    @Override
    public boolean complete(R value) {
      boolean done = super.complete(value);
      handle.close();
      return done;
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
      boolean done = super.completeExceptionally(error);
      handle.close();
      return done;
    }
  }
}
