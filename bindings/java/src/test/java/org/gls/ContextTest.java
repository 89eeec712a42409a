package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextTest {
  /** Keeps what it is given. */
  private static final class Lines implements System.Logger {
    final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    volatile RuntimeException fault;

    @Override
    public String getName() {
      return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {
      lines.add(level + " " + text);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
      lines.add(level + " " + format);
      if (fault != null) {
        throw fault;
      }
    }
  }

  @Test
  void version() {
    assertTrue(Context.libraryVersion().matches("\\d+\\.\\d+\\.\\d+"));
    assertFalse(Context.libraryLocation().isEmpty());
  }

  @Test
  void settings() {
    List<Setting> settings = Context.settings();
    assertFalse(settings.isEmpty());
    try (Context context = Context.create()) {
      for (Setting setting : settings) {
        assertFalse(setting.help().isEmpty());
        assertFalse(setting.type().isEmpty());
        assertTrue(setting.env().startsWith("GLS_"));
        if (!setting.type().equals("text")) {
          assertFalse(context.get(setting.key()).isEmpty(), setting.key());
        }
      }
      context.set("log.level", "debug");
      assertEquals("debug", context.get("log.level"));
      assertThrows(GlsException.InvalidArgument.class, () -> context.set("log.level", "loud"));
      assertThrows(GlsException.NotFound.class, () -> context.get("no.such"));
      assertThrows(GlsException.InvalidState.class, () -> context.set("threads", "3"));
      assertThrows(NullPointerException.class, () -> context.set(null, "x"));
    }
  }

  @Test
  void linesGoToTheLogger(@TempDir Path folder) throws Exception {
    Lines logger = new Lines();
    logger.fault = new IllegalStateException("a logger that fails");
    AtomicReference<Throwable> reported = new AtomicReference<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> reported.set(error));
    try (Context context =
            Context.builder()
                .numThreads(1)
                .logger(logger)
                .logLevel(System.Logger.Level.TRACE)
                .build();
        DatasetBuilder builder = new DatasetBuilder(context)) {
      Path file = folder.resolve("edges.txt");
      Files.writeString(file, "0 1\n# in between\n1 0\n");
      builder.addEdgesText(Graphs.EDGES, file, new TextOptions());
      builder.build().close();
      String line = logger.lines.poll(10, TimeUnit.SECONDS);
      assertTrue(
          line != null && line.matches("(?s)(ERROR|WARNING|INFO|DEBUG|TRACE) \\w+: .*"), line);
      for (int i = 0; i < 500 && reported.get() == null; ++i) {
        Thread.sleep(10);
      }
      assertSame(logger.fault, reported.get());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(null);
    }
    assertThrows(
        GlsException.InvalidArgument.class,
        () -> Context.builder().logLevel(System.Logger.Level.OFF));
    assertThrows(GlsException.InvalidArgument.class, () -> Context.builder().numThreads(-1));
  }

  @Test
  void theThreadOfTheLogEndsWithTheContext() throws Exception {
    long before = logThreads();
    Context context = Context.builder().numThreads(1).logger(new Lines()).build();
    assertEquals(before + 1, logThreads());
    context.close();
    for (int i = 0; i < 200 && logThreads() > before; ++i) {
      Thread.sleep(20);
    }
    assertEquals(before, logThreads());
  }

  private static long logThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().equals("gls-log"))
        .count();
  }

  @Test
  void theDefaultCanBeReplaced() {
    Context before = Context.getDefault();
    assertSame(before, Context.getDefault());
    Context mine = Context.builder().numThreads(1).build();
    Context.setDefault(mine);
    try {
      assertSame(mine, Context.getDefault());
      mine.close();
      assertNotSame(mine, Context.getDefault());
    } finally {
      Context.getDefault().close();
      Context.setDefault(before);
    }
  }
}
