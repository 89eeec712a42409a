package org.gls.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.gls.CallOptions;
import org.gls.GlsException;
import org.gls.Group;

/**
 * A process of a group whose other processes may use other languages: each calls each, and prints
 * the replies. The launcher's environment sets the rank of the process.
 */
public final class Talk {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private Talk() {}

  /**
   * Joins, talks and leaves.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) {
    try (Group group = Group.builder().timeout(LIMIT).join()) {
      int rank = group.info().rank();
      group.function(
          "who",
          call -> {
            String given = new String(call.data(), UTF_8);
            if (given.equals("fail")) {
              throw new Refused("java " + rank + " refused");
            }
            int caller = call.rank().orElseThrow();
            return ("java " + rank + " heard " + given + " of " + caller).getBytes(UTF_8);
          });
      group.barrier(LIMIT);
      List<byte[]> all = group.allGather(("java " + rank).getBytes(UTF_8), LIMIT);
      System.out.println(
          all.stream().map(item -> new String(item, UTF_8)).collect(Collectors.joining(", ")));
      CallOptions options = new CallOptions().timeout(LIMIT);
      for (int other = 0; other < group.info().worldSize(); ++other) {
        byte[] word = ("word " + rank).getBytes(UTF_8);
        System.out.println(new String(group.call(other, "who", word, options), UTF_8));
        try {
          group.call(other, "who", "fail".getBytes(UTF_8), options);
        } catch (GlsException.InvalidArgument error) {
          String words = error.getMessage();
          System.out.println(words.substring(words.lastIndexOf(": ") + 2));
        }
      }
      group.barrier(LIMIT);
      group.leave(LIMIT);
    }
  }

  /** What the caller gets the words of. */
  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }
}
