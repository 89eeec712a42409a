package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import org.gls.examples.Digest;
import org.gls.examples.TrainCora;
import org.gls.support.Graphs;
import org.gls.support.Processes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExamplesTest {
  private static final Path CORA = Graphs.ROOT.resolve("examples/data/cora");

  @Test
  void trainingLearns() throws Exception {
    String[] lines =
        Processes.java(TrainCora.class, CORA, "--seeds", "1", "--epochs", "40").split("\n");
    JsonObject summary = JsonParser.parseString(lines[lines.length - 1]).getAsJsonObject();
    assertTrue(summary.get("accuracy").getAsDouble() > 0.79, summary::toString);
    assertTrue(summary.get("seconds").getAsDouble() > 0);
  }

  private static JsonObject first(String out) {
    return JsonParser.parseString(out.split("\n")[0]).getAsJsonObject();
  }

  @Test
  void digestsAreOfWhatWasAsked(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("cora");
    try (DatasetBuilder builder = new DatasetBuilder()) {
      TrainCora.addCora(builder, CORA).write(path);
    }
    Object[] options = {
      Digest.class,
      path,
      "--fanouts",
      "5,5",
      "--id-set",
      "train",
      "--batch-size",
      "32",
      "--shuffle",
      "--seed",
      "3",
      "--edge-ids",
      "--epoch",
      "2",
      "--epochs",
      "2"
    };
    JsonObject whole = first(Processes.java(options));
    assertEquals(10, whole.get("batches").getAsInt());
    Object[] other = with(options, "--workers", "1");
    assertEquals(whole, first(Processes.java(other)));
    // Stopped in the middle of an epoch and resumed by another process, it is the same.
    String[] stopped = Processes.java(with(options, "--stop-after", "3")).split("\n");
    JsonObject part = first(stopped[0]);
    assertEquals(3, part.get("batches").getAsInt());
    JsonObject rest =
        first(
            Processes.java(
                with(
                    options,
                    "--resume",
                    stopped[1],
                    "--digest-from",
                    part.get("digest").getAsString())));
    assertEquals(7, rest.get("batches").getAsInt());
    assertEquals(whole.get("digest"), rest.get("digest"));
    assertEquals(
        whole.get("bytes").getAsLong(),
        part.get("bytes").getAsLong() + rest.get("bytes").getAsLong());
  }

  private static Object[] with(Object[] options, Object... more) {
    Object[] out = java.util.Arrays.copyOf(options, options.length + more.length);
    System.arraycopy(more, 0, out, options.length, more.length);
    return out;
  }
}
