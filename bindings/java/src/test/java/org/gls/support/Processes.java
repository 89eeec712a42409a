package org.gls.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs main classes in processes of their own. */
public final class Processes {
  public record Result(int status, String out) {}

  private Processes() {}

  /** Standard output, when all went well. A class stands for the main class. */
  public static String java(Object... arguments) throws IOException, InterruptedException {
    Result result = run(arguments);
    assertEquals(0, result.status(), result::out);
    return result.out();
  }

  public static Result run(Object... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dgls.root=" + System.getProperty("gls.root"));
    for (Object argument : arguments) {
      if (argument instanceof Class<?> main) {
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
      } else {
        command.add(argument.toString());
      }
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), out);
  }
}
