package org.gls.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.GlsException;
import org.gls.OpenOptions;
import org.gls.Optimizer;
import org.gls.PartitionMethod;
import org.gls.PartitionOptions;
import org.gls.Server;
import org.gls.Table;
import org.gls.TableOptions;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A graph in this process, and the same one at two servers, for tables of both. */
abstract class Tables {
  private static final String KEY =
      "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";
  public static final Duration SOON = Duration.ofSeconds(30);
  public static final Duration NOW = Duration.ofMillis(300);
  public static final int WIDTH = 3;
  public static final double RATE = 0.25;

  @TempDir Path folder;
  Context context;
  Path parts;
  Dataset here;
  Server first;
  Server second;
  Dataset far;

  @BeforeEach
  void serve() throws IOException {
    Path key = folder.resolve("key");
    Files.writeString(key, KEY);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    context = Context.builder().numThreads(2).build();
    context.set("net.key_file", key.toString());
    context.set("cluster.same_host", "false"); // so that there is a network
    parts = folder.resolve("parts");
    here = Graphs.random(context);
    here.partition(parts, new PartitionOptions().parts(2).method(PartitionMethod.HASH));
    first = server(0).tableBytes(1 << 20).start();
    second = server(1).tableBytes(1 << 20).server(first.address()).start();
    far = open(second);
  }

  @AfterEach
  void close() {
    far.close();
    second.close();
    first.close();
    here.close();
    context.close();
  }

  Server.Builder server(int part) {
    return Server.builder(parts).part(part).open(new OpenOptions().context(context));
  }

  Dataset open(Server server) {
    return Dataset.open("gls://" + server.address(), new OpenOptions().context(context));
  }

  List<Dataset> both() {
    return List.of(here, far);
  }

  public static TableOptions options() {
    return new TableOptions(WIDTH);
  }

  public static TableOptions by(Optimizer optimizer) {
    return options().uniform(-0.5, 0.5).seed(7).optimizer(optimizer);
  }

  public static Tensor ids(long... values) {
    return Tensor.of(values);
  }

  public static Tensor rows(float... values) {
    return Tensor.of(values, values.length / WIDTH, WIDTH);
  }

  public static float[] read(Table table, long... ids) {
    try (Tensor given = ids(ids);
        Tensor rows = table.rows(given)) {
      assertEquals(List.of((long) ids.length, table.info().width()), rows.shape());
      return rows.toFloats();
    }
  }

  public static float[] all(Table table) {
    return read(table, LongStream.range(0, table.info().rows()).toArray());
  }

  public static <T extends GlsException> T refused(Class<T> kind, String words, Executable call) {
    T error = assertThrows(kind, call);
    assertTrue(error.getMessage().contains(words), error::getMessage);
    return error;
  }
}
