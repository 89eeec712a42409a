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

/**
 * A loader's position, and the line of those who want its next batch: threads that wait, and
 * futures. Nobody holds the lock while waiting, so whoever moves the loader does not wait either.
 *
 * <p>The first in line is served when {@link Ready} says so. A batch leaves the library only for
 * one who is in line, and whoever leaves the line early gets none: none is lost.
 */
final class Takers {
  /** Iteration of those who take what comes. */
  static final long ANY = -1;

  static final long FOREVER = Long.MAX_VALUE;

  // gls.h
  private static final int OK = 0;
  private static final int END = 2;

  /** What one in line is given: a batch, an error, or the end of the epoch, where both are null. */
  record Outcome(org.gls.low.Batch batch, RuntimeException error) {}

  /** One in line. */
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

  /** {@code explain} is told of the errors of batches, and gives those to be thrown. */
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
      outcome.error().fillInStackTrace(); // it was made by whoever served
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
      throw new IllegalStateException(error); // nobody completes it so
    }
    return box.join(); // it was served in the last moment
  }

  /**
   * The next batch if it is there and nobody else is in line; else gets in line.
   *
   * @return null: in line
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

  /** Whether the taker was still in line: it is not any more, and will be given nothing. */
  boolean leave(Taker taker) {
    lock.lock();
    try {
      return line.remove(taker);
    } finally {
      lock.unlock();
    }
  }

  /** With the lock: what the loader says without waiting. Errors are those of the binding. */
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

  /** Gives those in line what there is now, and arranges to be called for the others. */
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

  /** With the lock: whether there is something now after all. */
  private boolean ask(org.gls.low.Loader low) {
    asked = true; // first: the call may come at once
    boolean now = true;
    try {
      now = Ready.ask(low::notify, this::ready);
    } catch (GlsException.Canceled error) {
      // this very moment: the next look says so
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

  /** Nobody will be served any more. */
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

  /** With the lock: whether an iterator, or anybody, may go on. */
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

  /** Calls what moves the loader, and tells those in line. */
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
