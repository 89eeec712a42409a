package org.gls.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.GlsException;
import org.gls.MadeBy;
import org.gls.NeighborLoader;
import org.gls.OpenOptions;
import org.gls.Partition;
import org.gls.PartitionMethod;
import org.gls.PartitionOptions;
import org.gls.Residency;
import org.gls.Server;
import org.gls.ServerInfo;
import org.gls.ServerProbe;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Servers of parts of a graph, and the graph opened from them. */
class ServerTest {
  private static final String KEY =
      "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

  @TempDir Path folder;
  private Path parts;
  private Context context;
  private Dataset whole;

  @BeforeEach
  void cut() throws IOException {
    Path key = folder.resolve("key");
    Files.writeString(key, KEY);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    context = Context.builder().numThreads(2).build();
    context.set("net.key_file", key.toString());
    context.set("cluster.same_host", "false"); // so that there is a network
    parts = folder.resolve("parts");
    whole = Graphs.random(context);
    whole.partition(parts, new PartitionOptions().parts(2).method(PartitionMethod.HASH));
  }

  @AfterEach
  void close() {
    whole.close();
    context.close();
  }

  private Server.Builder server(int part) {
    return Server.builder(parts).part(part).open(new OpenOptions().context(context));
  }

  private Dataset open(String place) {
    return Dataset.open(place, new OpenOptions().context(context));
  }

  private static List<ByteBuffer> contents(Dataset dataset) {
    return contents(dataset, MadeBy.HERE);
  }

  private static List<ByteBuffer> contents(Dataset dataset, MadeBy by) {
    List<ByteBuffer> out = new ArrayList<>();
    try (NeighborLoader loader =
        NeighborLoader.builder(dataset)
            .fanouts(3, 2)
            .batchSize(16)
            .shuffle(true)
            .madeBy(by)
            .build()) {
      for (Batch batch : loader) {
        try (batch) {
          for (Tensor array : List.of(batch.node(), batch.row(), batch.seed(), batch.column("x"))) {
            ByteBuffer copy = ByteBuffer.allocate(array.bytes().remaining());
            out.add(copy.put(array.bytes()).flip());
          }
        }
      }
    }
    return out;
  }

  @Test
  void givesTheBatchesOfTheWhole() {
    List<ByteBuffer> expected = contents(whole);
    Server first = server(0).numThreads(1).start();
    String address = first.address();
    try (Server second =
            server(1).listen("127.0.0.1:0").server(address).name("the second").start();
        Dataset far = open("gls://" + second.address())) {
      assertEquals(whole.numNodes(), far.numNodes());
      assertEquals(expected, contents(far));
      try (Tensor ids = Tensor.of(new long[] {9, 0, 9});
          Tensor near = whole.rows(null, "y", ids);
          Tensor rows = far.rows(null, "y", ids);
          Partition partition = Partition.open(parts, context);
          Tensor book = partition.owners(null, ids);
          Tensor owners = far.owners(null, ids)) {
        assertArrayEquals(near.toLongs(), rows.toLongs());
        assertArrayEquals(book.toLongs(), owners.toLongs());
      }
      ServerInfo info = first.info();
      assertEquals(1, info.parts());
      assertEquals(2, info.graphParts());
      assertEquals(1, info.clients());
      // The second one says to the first where it is; that is no client.
      assertTrue(info.admitted() == 1 || info.admitted() == 2);
      assertEquals(0, info.failures());
      assertTrue(info.requests() > 0);
      assertEquals(expected, contents(far, MadeBy.SERVERS)); // the other server is a client, then
      first.stop(Duration.ofSeconds(5));
      assertEquals(0, first.info().clients());
      first.close();
      assertThrows(IllegalStateException.class, first::address);
      try (Server again = server(0).listen(address).start()) {
        assertEquals(address, again.address());
        assertEquals(expected, contents(far));
      }
    }
  }

  @Test
  void oneServerAlone() {
    Duration limit = Duration.ofSeconds(10);
    try (Server server = server(1).name("the second").start();
        Partition partition = Partition.open(parts, context)) {
      ServerProbe probe = Server.probe(context, server.address(), limit);
      assertEquals(
          new ServerProbe("the second", probe.version(), partition.graph(), List.of(1), 2), probe);
      assertTrue(probe.version().matches("\\d+\\.\\d+\\.\\d+"), probe::version);
      assertThrows(
          GlsException.TimedOut.class,
          () -> Server.probe(context, server.address(), Duration.ZERO));
      server.stop(limit);
      assertThrows(
          GlsException.IoError.class, () -> Server.probe(context, server.address(), limit));
    }
  }

  @Test
  void opensFoldersByName() {
    try (Dataset cut = open(parts.toString())) {
      assertEquals(contents(whole), contents(cut));
    }
  }

  @Test
  void saysWhatIsWrong() {
    assertThrows(GlsException.InvalidArgument.class, () -> server(-1));
    assertThrows(GlsException.InvalidArgument.class, () -> server(2).start());
    assertThrows(GlsException.InvalidArgument.class, () -> server(0).numThreads(0));
    assertThrows(GlsException.InvalidArgument.class, () -> server(0).listen("here").start());
    Server.Builder nowhere = Server.builder(folder.resolve("none"));
    nowhere.open(new OpenOptions().context(context));
    assertThrows(GlsException.FileNotFound.class, nowhere::start);
    try (Context bare = Context.builder().numThreads(1).build()) {
      bare.set("net.key_variable", "");
      OpenOptions options = new OpenOptions().context(bare);
      assertThrows(
          GlsException.InvalidArgument.class, () -> Server.builder(parts).open(options).start());
    }
    try (Server server = server(0).start()) {
      String address = server.address();
      assertThrows(GlsException.AlreadyExists.class, () -> server(1).listen(address).start());
      context.set("cluster.open_timeout_ms", "1500");
      GlsException.TimedOut error =
          assertThrows(GlsException.TimedOut.class, () -> open("gls://" + address));
      assertTrue(error.getMessage().contains("nobody serves part 1 of 2"), error.getMessage());
      OpenOptions all = new OpenOptions().context(context).residency(Residency.ALL);
      assertThrows(
          GlsException.Unsupported.class, () -> Dataset.open("gls://" + address, all).close());
    }
  }

  @Test
  void waitingForServersCanBeInterrupted() {
    context.set("cluster.open_timeout_ms", "0");
    try (Server server = server(0).start()) {
      Thread.currentThread().interrupt();
      assertThrows(GlsException.Interrupted.class, () -> open("gls://" + server.address()).close());
      assertTrue(Thread.interrupted());
    }
  }

  /** Interrupts a thread that waits in a call, which has no time limit. */
  private static void interrupt(Executable call) throws InterruptedException {
    AtomicReference<Throwable> outcome = new AtomicReference<>();
    AtomicBoolean flag = new AtomicBoolean();
    Thread thread =
        new Thread(
            () -> {
              try {
                call.execute();
              } catch (Throwable error) {
                outcome.set(error);
              }
              flag.set(Thread.currentThread().isInterrupted());
            });
    thread.start();
    Thread.sleep(300); // so that it waits
    assertTrue(thread.isAlive());
    thread.interrupt();
    thread.join(60_000);
    assertEquals(GlsException.Interrupted.class, outcome.get().getClass());
    assertTrue(flag.get());
  }

  @Test
  void waitingForALostServerCanBeInterrupted() throws Exception {
    context.set("cluster.request_timeout_ms", "0");
    context.set("cluster.open_timeout_ms", "0");
    try (Server first = server(0).start();
        Server second = server(1).server(first.address()).start();
        Dataset far = open("gls://" + second.address());
        NeighborLoader loader = NeighborLoader.builder(far).fanouts(3, 2).batchSize(16).build();
        Tensor ids = Tensor.of(new long[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) {
      String address = first.address();
      first.close();
      interrupt(() -> far.rows(null, "x", ids).close());
      interrupt(() -> loader.sample(0, 0).close());
      try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
        String place = "127.0.0.1:" + silent.getLocalPort();
        interrupt(() -> Server.probe(context, place, Duration.ofDays(1)));
        interrupt(() -> open("gls://" + place).close());
      }
      try (Server again = server(0).listen(address).start()) {
        far.rows(null, "x", ids).close(); // goes on
        loader.sample(0, 0).close();
      }
    }
  }
}
