package org.gls;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.gls.internal.Ready;

/**
 * The future result of a request for a batch. A caller that cancels or completes it leaves the
 * queue of {@link Takers} first, so that the next taker gets the batch. After the batch was
 * delivered, cancelling comes too late and changes nothing.
 */
final class BatchFuture extends CompletableFuture<Optional<Batch>> {
  /** The common pool, or a thread for each task where that has one thread alone. */
  private static final Executor POOL = new CompletableFuture<Void>().defaultExecutor();

  private final Takers takers;
  private final Function<Takers.Outcome, Optional<Batch>> convert;
  private final Takers.Taker taker;

  /**
   * @param executor completes it; null: the common pool
   * @param convert makes batches; it keeps the loader reachable
   */
  BatchFuture(Takers takers, Executor executor, Function<Takers.Outcome, Optional<Batch>> convert) {
    this.takers = takers;
    this.convert = convert;
    taker = new Takers.Taker(outcome -> run(executor, () -> finish(outcome)));
  }

  /** Takes a batch or gets in line for one. */
  void begin() {
    try {
      Takers.Outcome now = takers.takeOrLine(taker);
      if (now != null) {
        finish(now);
      }
    } catch (RuntimeException error) {
      super.completeExceptionally(error);
    }
  }

  /**
   * Runs a task on an executor: not on the thread of {@link Ready}, which serves all loaders. The
   * batch was already taken and must be delivered. So if every executor refuses the task, it runs
   * on the calling thread after all.
   */
  static void run(Executor executor, Runnable task) {
    for (Executor one :
        executor == null ? new Executor[] {POOL} : new Executor[] {executor, POOL}) {
      try {
        one.execute(task);
        return;
      } catch (RuntimeException | Error refused) {
        // also when the system has no more threads
      }
    }
    task.run();
  }

  private void finish(Takers.Outcome outcome) {
    try {
      super.complete(convert.apply(outcome));
    } catch (RuntimeException | Error error) {
      super.completeExceptionally(error);
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    return (takers.leave(taker) && super.cancel(mayInterruptIfRunning)) || isCancelled();
  }

  @Override
  public boolean complete(Optional<Batch> value) {
    return takers.leave(taker) && super.complete(value);
  }

  @Override
  public boolean completeExceptionally(Throwable error) {
    return takers.leave(taker) && super.completeExceptionally(error);
  }

  @Override
  public CompletableFuture<Optional<Batch>> completeAsync(
      Supplier<? extends Optional<Batch>> supplier, Executor executor) {
    throw new UnsupportedOperationException("the loader completes it");
  }

  @Override
  public void obtrudeValue(Optional<Batch> value) {
    throw new UnsupportedOperationException("the loader completes it");
  }

  @Override
  public void obtrudeException(Throwable error) {
    throw new UnsupportedOperationException("the loader completes it");
  }
}
