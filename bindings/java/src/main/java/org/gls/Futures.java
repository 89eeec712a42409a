package org.gls;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.gls.internal.Handle;
import org.gls.internal.Ready;
import org.gls.low.Future;
import org.gls.low.glsjni;

/** Results of calls and operations: futures of the library, as futures of Java. */
final class Futures {
  private static final long SLICE_MILLIS = 50; // how long an interruption may have to wait
  private static final int UINT = 1; // of DLPack
  static final long TIMEOUT_DEFAULT = Long.MIN_VALUE; // gls.h

  private Futures() {}

  /** Rounded up; zero polls. */
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

  /** Waits; cancels the operation when the thread is interrupted. Takes the future. */
  static <R> R await(Future low, Function<Future, R> convert) {
    try {
      while (!low.isOver(SLICE_MILLIS)) {
        if (Thread.currentThread().isInterrupted()) {
          throw new GlsException.Interrupted("the thread was interrupted while it waited");
        }
      }
      return convert.apply(low);
    } finally {
      low.delete(); // which cancels it
    }
  }

  /** Takes the future. */
  static <R> CompletableFuture<R> future(Future low, Function<Future, R> convert) {
    Pending<R> future = new Pending<>(low, convert);
    future.begin();
    return future;
  }

  static byte[] first(Future low) {
    return low.bytes(0);
  }

  /**
   * A future of the library. When the caller cancels or completes it, the operation is cancelled.
   */
  private static final class Pending<R> extends CompletableFuture<R> {
    private final Handle<Future> handle;
    private final Function<Future, R> convert;

    Pending(Future low, Function<Future, R> convert) {
      handle = new Handle<>("future", low, Future::delete);
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
