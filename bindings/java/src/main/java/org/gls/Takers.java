package org.gls;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.gls.internal.Handle;
import org.gls.internal.Ready;

/**
 * A loader's position, and the queue of the takers of its next batch: threads that wait, and
 * futures. No thread holds the lock while it waits, so a thread that moves the loader does not wait
 * for them.
 *
 * <p>The first taker is served when {@link Ready} reports a batch. A batch leaves the library only
 * for a taker in the queue, and a taker that leaves the queue early gets none. So no batch is lost.
 */
final class Takers {
  /** The iteration of takers that accept any batch. */
  static final long ANY = -1;

  static final long FOREVER = Long.MAX_VALUE;

  // gls.h
  private static final int OK = 0;
  private static final int END = 2;

  /** What a taker gets: a batch, an error, or the end of the epoch, where both are null. */
  record Outcome(org.gls.low.Batch batch, RuntimeException error) {}

  /** One entry of the queue. */
  static final class Taker {
    private final Consumer<Outcome> give;
    private long iteration;

    /** {@code give} is called once, if this does not leave early; it must be short. */
    Taker(Consumer<Outcome> give) {
      this.give = give;
    }
  }

  private final Handle<org.gls.low.Loader> handle;
  private final UnaryOperator<RuntimeException> explain;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by the lock
  private final ArrayDeque<Taker> line = new ArrayDeque<>();
  private boolean asked; // Ready will call
  private long iteration; // of the iterator that may go on
  private long nextEpoch;
  private boolean begun; // nextEpoch is the one after the current one
  private boolean resumes; // the next iterator goes on where a restored loader stood

  /** {@code explain} receives the errors of batches and returns the errors to throw. */
  Takers(Handle<org.gls.low.Loader> handle, UnaryOperator<RuntimeException> explain) {
    this.handle = handle;
    this.explain = explain;
  }

  // ---- batches ----

  /**
   * Waits for the next batch.
   *
   * @return null at the end of the epoch
   */
  org.gls.low.Batch take(long iteration, long nanos) {
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted();
    }
    CompletableFuture<Outcome> box = null;
    Taker taker = null;
    org.gls.low.Loader low = handle.enter();
    try {
      lock.lock();
      try {
        if (line.isEmpty()) {
          int state = look(low, iteration);
          if (state == OK) {
            return low.take();
          }
          if (state == END) {
            return null;
          }
        }
        if (nanos == 0) {
          throw timedOut();
        }
        if (Ready.isServing()) {
          throw new GlsException.InvalidState(
              "this thread serves all loaders and cannot wait for one: give nextAsync() an executor"
                  + " with threads of its own",
              Map.of());
        }
        box = new CompletableFuture<>();
        taker = new Taker(box::complete);
        add(taker, iteration);
      } finally {
        lock.unlock();
      }
    } finally {
      handle.leave();
    }
    serveFor(taker);
    Outcome outcome = await(box, taker, nanos);
    if (outcome.error() != null) {
      outcome.error().fillInStackTrace(); // the serving thread made it
      throw outcome.error();
    }
    return outcome.batch();
  }

  private Outcome await(CompletableFuture<Outcome> box, Taker taker, long nanos) {
    try {
      return nanos == FOREVER ? box.get() : box.get(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      if (leave(taker)) {
        throw interrupted();
      }
    } catch (TimeoutException error) {
      if (leave(taker)) {
        throw timedOut();
      }
    } catch (ExecutionException error) {
      throw new IllegalStateException(error); // it is never completed exceptionally
    }
    return box.join(); // it was served in the last moment
  }

  /**
   * The next batch if it is ready and no taker is in the queue; else joins the queue.
   *
   * @return null: in the queue
   */
  Outcome takeOrLine(Taker taker) {
    org.gls.low.Loader low = handle.enter();
    try {
      lock.lock();
      try {
        if (line.isEmpty()) {
          int state = look(low, ANY);
          if (state == OK || state == END) {
            return new Outcome(state == OK ? low.take() : null, null);
          }
        }
        add(taker, iteration); // it is of this epoch and no other
      } finally {
        lock.unlock();
      }
    } finally {
      handle.leave();
    }
    serveFor(taker);
    return null;
  }

  /** Serves; a taker whose caller sees it fail must not be given a batch. */
  private void serveFor(Taker taker) {
    try {
      serve();
    } catch (Throwable error) {
      leave(taker);
      throw error;
    }
  }

  private void add(Taker taker, long iteration) {
    taker.iteration = iteration;
    line.add(taker);
  }

  /** Removes a taker from the queue, so that it gets nothing; whether it was still there. */
  boolean leave(Taker taker) {
    lock.lock();
    try {
      return line.remove(taker);
    } finally {
      lock.unlock();
    }
  }

  /** With the lock: the loader's state, without waiting. Errors are those of the binding. */
  private int look(org.gls.low.Loader low, long iteration) {
    check(iteration);
    try {
      int state = low.next(0);
      if (!begun) {
        begun = true;
        nextEpoch = low.epoch() + 1;
      }
      return state;
    } catch (GlsException error) {
      boolean ended = error instanceof GlsException.Canceled && handle.isClosed();
      throw ended ? handle.closed() : explain.apply(error);
    }
  }

  /** Delivers ready batches to the queue, and requests a notification for the remaining takers. */
  void serve() {
    org.gls.low.Loader low;
    try {
      low = handle.enter();
    } catch (IllegalStateException closed) {
      dismiss();
      return;
    }
    try {
      while (serveOne(low)) {}
    } finally {
      handle.leave();
    }
  }

  /** Whether there may be more to do now. */
  private boolean serveOne(org.gls.low.Loader low) {
    Taker first;
    Outcome outcome;
    lock.lock();
    try {
      first = line.peek();
      if (first == null) {
        return false;
      }
      try {
        int state = look(low, first.iteration);
        if (state != OK && state != END) {
          return !asked && ask(low);
        }
        outcome = new Outcome(state == OK ? low.take() : null, null);
      } catch (RuntimeException error) {
        outcome = new Outcome(null, error);
      }
      line.remove();
    } finally {
      lock.unlock();
    }
    first.give.accept(outcome);
    return true;
  }

  /** With the lock: requests a notification; whether a batch is ready now instead. */
  private boolean ask(org.gls.low.Loader low) {
    asked = true; // first: the call may come at once
    boolean now = true;
    try {
      now = Ready.ask(low::notify, this::ready);
    } catch (GlsException.Canceled error) {
      // cancelled meanwhile: the next look() reports it
    } finally {
      asked = !now;
    }
    return now;
  }

  private void ready() {
    lock.lock();
    asked = false;
    lock.unlock();
    serve();
  }

  /** Ends all waiting takers with an error. */
  private void dismiss() {
    for (; ; ) {
      Taker first;
      lock.lock();
      try {
        first = line.poll();
      } finally {
        lock.unlock();
      }
      if (first == null) {
        return;
      }
      first.give.accept(new Outcome(null, handle.closed()));
    }
  }

  /** With the lock: checks that an iterator, or any taker, may go on. */
  private void check(long iteration) {
    if (handle.isClosed()) {
      throw handle.closed();
    }
    if (iteration != ANY && iteration != this.iteration) {
      throw new GlsException.InvalidState(
          "this iterator or future is over: the loader was asked for another iterator, or set to"
              + " another epoch or state",
          Map.of());
    }
  }

  static GlsException interrupted() {
    return new GlsException.Interrupted("the thread was interrupted");
  }

  private static GlsException timedOut() {
    return new GlsException.TimedOut("no batch was ready in time", Map.of());
  }

  // ---- position ----

  /** Goes to the epoch that is due; the number of its iterator. */
  long begin() {
    long[] out = new long[1];
    move(
        low -> {
          if (resumes) {
            resumes = false;
          } else {
            if (begun && nextEpoch == 0) {
              throw new GlsException.InvalidState(
                  "there is no epoch after 2^64 - 1: setEpoch() to another", Map.of());
            }
            low.seek(nextEpoch);
          }
          nextEpoch = low.epoch() + 1;
          begun = true;
          out[0] = ++iteration;
        });
    return out[0];
  }

  void seek(long epoch) {
    move(
        low -> {
          if (resumes && epoch == low.epoch()) {
            return;
          }
          low.seek(epoch);
          nextEpoch = epoch;
          begun = false;
          resumes = false;
          ++iteration;
        });
  }

  void restore(String state) {
    move(
        low -> {
          low.restore(state);
          nextEpoch = low.epoch() + 1;
          begun = true;
          resumes = true;
          ++iteration;
        });
  }

  /** Calls a function that moves the loader, and serves the queue. */
  void move(Consumer<org.gls.low.Loader> call) {
    org.gls.low.Loader low = handle.enter();
    try {
      try {
        lock.lockInterruptibly();
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        throw interrupted();
      }
      try {
        check(ANY);
        call.accept(low);
      } finally {
        lock.unlock();
      }
    } finally {
      handle.leave();
    }
    serve();
  }
}
