package org.gls;

import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.LogLine;
import org.gls.low.LogQueue;
import org.gls.low.NativeLibrary;
import org.gls.low.SettingInfo;
import org.gls.low.glsjni;

/**
 * What everything made from it shares: worker threads, recycled memory, settings, the log.
 *
 * <p>Most programs need none: objects made without a context share a default one.
 */
public final class Context implements AutoCloseable {
  private static final int LOG_CAPACITY = 65536;
  private static final System.Logger.Level[] LEVELS = {
    System.Logger.Level.ERROR,
    System.Logger.Level.WARNING,
    System.Logger.Level.INFO,
    System.Logger.Level.DEBUG,
    System.Logger.Level.TRACE
  };

  private static Context shared;

  final Handle<org.gls.low.Context> handle;
  private final Cleaner.Cleanable cleanable;

  private Context(org.gls.low.Context low) {
    handle = new Handle<>("context", low, org.gls.low.Context::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * A context with default options.
   *
   * @return a new context
   */
  public static Context create() {
    return builder().build();
  }

  /**
   * Options of a context.
   *
   * @return for {@link Builder#build}
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The context of objects made without one. It is made when it is first needed.
   *
   * @return an open one: another is made when it was closed
   */
  public static synchronized Context getDefault() {
    if (shared == null || shared.handle.isClosed()) {
      shared = create();
    }
    return shared;
  }

  /**
   * Makes this the context of objects made without one from now on. Objects made before keep
   * theirs.
   *
   * @param context not closed by this class
   */
  public static synchronized void setDefault(Context context) {
    shared = Objects.requireNonNull(context, "context");
  }

  /**
   * Version of the native library.
   *
   * @return for example "0.1.0"
   */
  public static String libraryVersion() {
    return glsjni.libraryVersion();
  }

  /**
   * Where the native library was found.
   *
   * @return a file, or "java.library.path"
   */
  public static String libraryLocation() {
    return NativeLibrary.location();
  }

  /**
   * All settings that {@link #set} knows.
   *
   * @return in alphabetical order of their keys
   */
  public static List<Setting> settings() {
    List<Setting> out = new ArrayList<>();
    for (long i = 0; i < SettingInfo.count(); ++i) {
      SettingInfo info = new SettingInfo(i);
      try {
        out.add(new Setting(info.key(), info.type(), info.defaultValue(), info.env(), info.help()));
      } finally {
        info.delete();
      }
    }
    return Collections.unmodifiableList(out);
  }

  /**
   * Changes a setting for objects made from now on.
   *
   * @param key see {@link #settings}
   * @param value as text
   * @throws GlsException.NotFound for an unknown key
   * @throws GlsException.InvalidArgument for a value that the setting cannot have
   */
  public void set(String key, String value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    handle.run(low -> low.set(key, value));
  }

  /**
   * The value of a setting that is in force.
   *
   * @param key see {@link #settings}
   * @return as text
   */
  public String get(String key) {
    Objects.requireNonNull(key, "key");
    return handle.call(low -> low.get(key));
  }

  /** Lets go of the context. Its threads end when the last object made from it is gone. */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** Options of a context. */
  public static final class Builder {
    private int threads;
    private int logLevel;
    private System.Logger logger;

    private Builder() {}

    /**
     * Number of worker threads.
     *
     * @param threads 0, which is the default: one for each core this process may use
     * @return this
     */
    public Builder numThreads(int threads) {
      if (threads < 0) {
        throw GlsException.invalid("numThreads", threads + " is negative");
      }
      this.threads = threads;
      return this;
    }

    /**
     * Where log lines go. Without this they go to standard error. A daemon thread delivers them, a
     * moment after they were written.
     *
     * @param logger what it throws is reported to the thread's uncaught exception handler
     * @return this
     */
    public Builder logger(System.Logger logger) {
      this.logger = Objects.requireNonNull(logger, "logger");
      return this;
    }

    /**
     * Most verbose kind of line; by default that of the setting "log.level".
     *
     * @param level ERROR, WARNING, INFO, DEBUG or TRACE
     * @return this
     */
    public Builder logLevel(System.Logger.Level level) {
      for (int i = 0; i < LEVELS.length; ++i) {
        if (LEVELS[i] == level) {
          logLevel = i + 1;
          return this;
        }
      }
      throw GlsException.invalid("level", level + " is not one of ERROR .. TRACE");
    }

    /**
     * Starts the worker threads.
     *
     * @return a new context
     */
    public Context build() {
      if (logger == null) {
        return new Context(new org.gls.low.Context(threads, logLevel, null));
      }
      LogQueue queue = new LogQueue(LOG_CAPACITY);
      Context context;
      try {
        context = new Context(new org.gls.low.Context(threads, logLevel, queue));
      } catch (RuntimeException | Error error) {
        queue.delete();
        throw error;
      }
      Thread thread = new Thread(new Delivery(queue, logger), "gls-log");
      thread.setDaemon(true);
      thread.start();
      return context;
    }
  }

  /** Empties a queue of log lines until the context is gone. */
  private record Delivery(LogQueue queue, System.Logger logger) implements Runnable {
    @Override
    public void run() {
      long dropped = 0;
      try {
        for (; ; ) {
          LogLine line = queue.next(-1);
          if (line == null) {
            if (queue.closed()) {
              return;
            }
            continue;
          }
          try {
            emit(line.level(), line.component(), line.text());
          } finally {
            line.delete();
          }
          long now = queue.dropped();
          if (now > dropped) {
            emit(2, "log", (now - dropped) + " lines dropped, the logger is too slow");
            dropped = now;
          }
        }
      } finally {
        queue.delete();
      }
    }

    private void emit(int level, String component, String text) {
      System.Logger.Level to = LEVELS[Math.max(1, Math.min(level, LEVELS.length)) - 1];
      try {
        logger.log(to, component + ": " + text);
      } catch (RuntimeException error) { // the logger's fault; the next line is still due
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
      }
    }
  }
}
