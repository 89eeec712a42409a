package org.gls.internal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One native object. It is deleted when it is closed and the last use has ended. Every call on it
 * is a use; so is every buffer of its memory. Closing never waits.
 */
public final class Handle<T> {
  private static final int CLOSED = 1 << 31;

  private final String what;
  private final T low;
  private final Consumer<T> delete;
  private final AtomicInteger state = new AtomicInteger(); // number of uses, and CLOSED

  public Handle(String what, T low, Consumer<T> delete) {
    this.what = what;
    this.low = low;
    this.delete = delete;
  }

  /** Begins a use, to be ended by {@link #leave}. */
  public T enter() {
    for (; ; ) {
      int now = state.get();
      if (now < 0) {
        throw closed();
      }
      if (state.compareAndSet(now, now + 1)) {
        return low;
      }
    }
  }

  /** Ends a use. */
  public void leave() {
    if (state.decrementAndGet() == CLOSED) {
      delete.accept(low);
    }
  }

  /** No use begins from now on. */
  public void close() {
    for (; ; ) {
      int now = state.get();
      if (now < 0) {
        return;
      }
      if (state.compareAndSet(now, now | CLOSED)) {
        if (now == 0) {
          delete.accept(low);
        }
        return;
      }
    }
  }

  public boolean isClosed() {
    return state.get() < 0;
  }

  public IllegalStateException closed() {
    return new IllegalStateException("the " + what + " is closed");
  }

  /** A call on the native object. */
  public interface Call<T, R> {
    R on(T low);
  }

  /** The result of a call. */
  public <R> R call(Call<? super T, R> call) {
    T object = enter();
    try {
      return call.on(object);
    } finally {
      leave();
    }
  }

  /** Makes a call. */
  public void run(Consumer<? super T> call) {
    T object = enter();
    try {
      call.accept(object);
    } finally {
      leave();
    }
  }
}
