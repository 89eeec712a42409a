package org.gls.examples;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import org.gls.Server;

/**
 * Serves parts of a graph until its standard input ends.
 *
 * <pre>
 * Serve FOLDER LISTEN PARTS [SERVER...]     PARTS as 0,2
 * </pre>
 *
 * <p>Prints {"address": "HOST:PORT"} when clients may come.
 */
public final class Serve {
  private Serve() {}

  /**
   * Serves.
   *
   * @param arguments see the description of the class
   * @throws IOException if standard input cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 3) {
      System.err.println("usage: Serve FOLDER LISTEN PARTS [SERVER...]");
      System.exit(2);
    }
    Server.Builder builder = Server.builder(Path.of(arguments[0])).listen(arguments[1]);
    for (String part : arguments[2].split(",")) {
      builder.part(Integer.parseInt(part));
    }
    for (int i = 3; i < arguments.length; ++i) {
      builder.server(arguments[i]);
    }
    try (Server server = builder.start()) {
      System.out.printf("{\"address\": \"%s\"}%n", server.address());
      System.in.transferTo(OutputStream.nullOutputStream());
      server.stop(Duration.ofSeconds(5));
    }
  }
}
