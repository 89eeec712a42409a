package org.gls.internal;

import java.util.function.Supplier;
import org.gls.GlsException;

/**
 * What Java code threw when the library called it in the middle of a call of this thread. The
 * library's own error has only the text.
 */
public final class Thrown {
  private static final ThreadLocal<Throwable> LAST = new ThreadLocal<>();

  private Thrown() {}

  /** Keeps it for the call of this thread that runs now. */
  public static void keep(Throwable thrown) {
    LAST.set(thrown);
  }

  /** Makes a call, whose error gets what was kept as its cause. */
  public static <R> R asCause(Supplier<R> call) {
    LAST.remove();
    try {
      return call.get();
    } catch (GlsException error) {
      Throwable cause = LAST.get();
      if (cause != null && cause != error && error.getCause() == null) {
        error.initCause(cause);
      }
      throw error;
    } finally {
      LAST.remove();
    }
  }
}
