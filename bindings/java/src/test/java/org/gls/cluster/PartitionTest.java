package org.gls.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.gls.Context;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.PartInfo;
import org.gls.Partition;
import org.gls.PartitionMethod;
import org.gls.PartitionOptions;
import org.gls.Parts;
import org.gls.Progress;
import org.gls.Role;
import org.gls.Tensor;
import org.gls.GlobalIds;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Graphs cut into parts, and what becomes of them. */
class PartitionTest {
  private static final String BUYS = "user__buys__item";

  @TempDir Path folder;

  private static PartitionOptions into(int parts) {
    return new PartitionOptions().parts(parts).method(PartitionMethod.RANDOM);
  }

  /** The parts of {@code Graphs.shop()} that own its nodes: node v of each type is of v mod 3. */
  private static Tensor[] byTurns() {
    return IntStream.of(60, 90, 7)
        .mapToObj(nodes -> Tensor.of(IntStream.range(0, nodes).map(v -> v % 3).toArray()))
        .toArray(Tensor[]::new);
  }

  private static Tensor all(long nodes) {
    return Tensor.of(LongStream.range(0, nodes).toArray());
  }

  private static long[] owners(Path path, String type, long nodes) {
    try (Partition partition = Partition.open(path);
        Tensor ids = all(nodes);
        Tensor owners = partition.owners(type, ids)) {
      return owners.toLongs();
    }
  }

  /** The bytes of each file, by its path within. */
  private static Map<String, String> contents(Path root) throws IOException {
    Map<String, String> out = new TreeMap<>();
    try (var files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.put(root.relativize(file).toString(), Arrays.toString(Files.readAllBytes(file)));
      }
    }
    return out;
  }

  @ParameterizedTest
  @EnumSource(names = {"STREAM", "RANDOM", "HASH"})
  void thereAndBack(PartitionMethod method) throws IOException {
    Path whole = folder.resolve("whole");
    Path parts = folder.resolve("parts");
    Path merged = folder.resolve("merged");
    try (Dataset shop = Graphs.shop()) {
      shop.save(whole);
      shop.partition(parts, new PartitionOptions().parts(3).method(method).haloHops(1));
    }
    long[] owned = new long[3];
    try (Partition partition = Partition.open(parts)) {
      assertEquals(3, partition.parts());
      assertEquals(method.name().toLowerCase(Locale.ROOT), partition.method());
      assertTrue(partition.graph().matches("[0-9a-f]{16}"), partition::graph);
      assertEquals(
          List.of(
              new Partition.NodeCount("user", 60),
              new Partition.NodeCount("item", 90),
              new Partition.NodeCount("shop", 7)),
          partition.nodeTypes());
      assertEquals(4, partition.edgeTypes().size());
      assertEquals(
          new Partition.EdgeCount(BUYS, "user", "buys", "item", 400), partition.edgeTypes().get(0));
      try (Tensor ids = all(90);
          Tensor owners = partition.owners("item", ids)) {
        assertEquals(DType.INT32, owners.dtype());
        for (long part : owners.toLongs()) {
          ++owned[(int) part];
        }
      }
      for (int number = 0; number < 3; ++number) {
        try (Dataset part = Dataset.open(parts.resolve("part-" + number));
            GlobalIds items = part.globalIds("item")) {
          assertEquals(new PartInfo(number, 3, partition.graph()), part.part().orElseThrow());
          assertEquals(new Parts(3, List.of(number)), part.parts());
          assertEquals(owned[number], items.owned());
          assertEquals(part.nodeType("item").numNodes(), items.ids().size());
          part.verify();
        }
      }
      partition.verify();
      partition.merge(merged);
    }
    assertEquals(contents(whole), contents(merged));
    try (Dataset shop = Graphs.shop();
        Dataset again = Dataset.open(merged)) {
      assertArrayEquals(
          shop.nodeColumn("item", "x").toFloats(), again.nodeColumn("item", "x").toFloats());
      assertEquals(Optional.empty(), again.part());
      assertEquals(new Parts(1, List.of(0)), again.parts());
    }
  }

  @Test
  void givenOwners() {
    Path path = folder.resolve("parts");
    try (Dataset shop = Graphs.shop()) {
      shop.partition(path, new PartitionOptions().parts(3).owners(byTurns()));
      try (Partition partition = Partition.open(path)) {
        assertEquals("given", partition.method());
        try (Tensor ids = Tensor.of(new int[] {59, 1, 30, 30});
            Tensor owners = partition.owners("user", ids)) {
          assertArrayEquals(new long[] {2, 1, 0, 0}, owners.toLongs());
        }
      }
      float[] x = shop.nodeColumn("item", "x").toFloats();
      try (Dataset part = Dataset.open(path.resolve("part-1"));
          GlobalIds items = part.globalIds("item");
          GlobalIds edges = part.globalIds(BUYS);
          Tensor mine = part.nodeColumn("item", "x")) {
        assertEquals(30, items.owned());
        assertTrue(items.ids().isReadOnly());
        long[] ids = items.ids().toLongs();
        float[] rows = mine.toFloats();
        for (int row = 0; row < items.owned(); ++row) {
          assertEquals(3L * row + 1, ids[row]);
          for (int i = 0; i < 6; ++i) {
            assertEquals(x[(int) (6 * ids[row] + i)], rows[6 * row + i]);
          }
        }
        assertEquals(part.edgeType(BUYS).numEdges(), edges.ids().size());
      }
    }
  }

  @Test
  void sharesAreOfTheOwnPartFirst() {
    Path path = folder.resolve("parts");
    try (Dataset shop = Graphs.shop()) {
      shop.partition(path, new PartitionOptions().parts(3).owners(byTurns()));
    }
    try (Dataset parts = Dataset.open(path);
        Tensor ids = Tensor.of(new long[] {3, 1, 4, 0, 6, 2});
        Tensor first = parts.shareIds("user", ids, 0, 3);
        Tensor second = parts.shareIds("user", ids, 1, 3);
        Tensor third = parts.shareIds("user", ids, 2, 3);
        Tensor all = parts.shareIds("item", null, 1, 3);
        Tensor turns = Tensor.of(new int[] {2, 0});
        Tensor placed = parts.shareIds("user", ids, 0, 2, turns)) {
      assertEquals(new Parts(3, List.of(0, 1, 2)), parts.parts());
      assertArrayEquals(new long[] {3, 0}, first.toLongs());
      assertArrayEquals(new long[] {1, 4}, second.toLongs());
      assertArrayEquals(new long[] {6, 2}, third.toLongs());
      assertArrayEquals(LongStream.range(0, 30).map(i -> 3 * i + 1).toArray(), all.toLongs());
      assertArrayEquals(new long[] {1, 4, 2}, placed.toLongs());
    }
  }

  @Test
  void ownersInAFile() throws IOException {
    Path path = folder.resolve("parts");
    Path file = folder.resolve("graph.part.2");
    try (Dataset graph = Graphs.random()) {
      Files.writeString(file, "0\n1\n".repeat(Graphs.NODES / 2));
      graph.partition(path, new PartitionOptions().parts(2).ownersFile(file));
      long[] expected = LongStream.range(0, Graphs.NODES).map(v -> v % 2).toArray();
      assertArrayEquals(expected, owners(path, null, Graphs.NODES));
      Files.writeString(file, "0\none\n");
      GlsException error =
          assertThrows(
              GlsException.class,
              () ->
                  graph.partition(
                      folder.resolve("x"), new PartitionOptions().parts(2).ownersFile(file)));
      assertEquals(file.toString(), error.details().get("file"));
      assertTrue(error.getMessage().contains("line 2"), error::getMessage);
    }
  }

  @Test
  void optionsAreHeeded() {
    Path path = folder.resolve("parts");
    try (Dataset graph = Graphs.random()) {
      graph.partition(path, into(2).seed(-1).haloHops(2).hotFraction(0.25));
      long[] one = owners(path, null, Graphs.NODES);
      try (Partition partition = Partition.open(path);
          Dataset part = Dataset.open(path.resolve("part-0"));
          Tensor x = part.nodeColumn(null, "x")) {
        String options = partition.options();
        assertTrue(options.contains("seed 18446744073709551615"), options);
        assertTrue(options.contains("halo_hops 2"), options);
        assertEquals(Graphs.NODES / 2 * 5 / 4, x.size(0));
      }
      GlsException unknown =
          assertThrows(
              GlsException.class,
              () -> graph.partition(folder.resolve("x"), into(2).hotRows(7).hotIdSet("nothing")));
      assertEquals("hotIdSet", unknown.details().get("argument"));
      GlsException zero =
          assertThrows(
              GlsException.class,
              () -> graph.partition(folder.resolve("x"), into(2).hotRows(7).hotFanouts(3, 0)));
      assertEquals("hotFanouts", zero.details().get("argument"));
      assertThrows(GlsException.class, () -> into(2).hotFanouts());
      graph.partition(path, into(2).hotRows(7).hotFanouts(3, -1).hotMaxSeeds(20).overwrite(true));
      try (Partition partition = Partition.open(path);
          Dataset part = Dataset.open(path.resolve("part-0"));
          Tensor x = part.nodeColumn(null, "x")) {
        String options = partition.options();
        assertTrue(options.endsWith("hot_fanouts 3 -1, hot_max_seeds 20"), options);
        assertEquals(Graphs.NODES / 2 + 7, x.size(0));
      }
      graph.partition(path, into(2).seed(1).hotRows(7).overwrite(true));
      assertFalse(Arrays.equals(one, owners(path, null, Graphs.NODES)));
      try (Dataset part = Dataset.open(path.resolve("part-0"));
          Tensor x = part.nodeColumn(null, "x")) {
        assertEquals(Graphs.NODES / 2 + 7, x.size(0));
      }
      graph.partition(
          path,
          into(2)
              .method(PartitionMethod.STREAM)
              .balanceSets("train")
              .balanceEdges(true)
              .imbalance(0.02)
              .overwrite(true));
      long[] owners = owners(path, null, Graphs.NODES);
      long train = Arrays.stream(Graphs.train()).filter(v -> owners[(int) v] == 0).count();
      assertTrue(train >= 48 && train <= 52, train + " of " + Graphs.NODES / 2);
    }
  }

  @Test
  void rowsArePadded() {
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.addNodeColumn(
          null, "wide", Tensor.of(new float[Graphs.NODES * 30], Graphs.NODES, 30), Role.FEATURE);
      try (Dataset graph = builder.build()) {
        for (boolean padding : new boolean[] {true, false}) {
          Path path = folder.resolve("padding-" + padding);
          graph.partition(path, into(2).rowPadding(padding));
          try (Dataset part = Dataset.open(path.resolve("part-0"))) {
            assertEquals(
                padding ? 128 : 120, part.nodeType(null).columns().get("wide").rowStride());
          }
        }
      }
    }
  }

  @Test
  void mistakesAreNamed() {
    Path path = folder.resolve("parts");
    try (Dataset graph = Graphs.random();
        Tensor large = Tensor.of(LongStream.range(0, Graphs.NODES).toArray())) {
      Map<PartitionOptions, String> wrong =
          Map.of(
              new PartitionOptions().method(PartitionMethod.HASH), "parts",
              into(65536), "parts",
              into(2).method(PartitionMethod.GIVEN), "owners",
              into(2).owners(large), "owners",
              new PartitionOptions().parts(2).owners(large), "owners",
              new PartitionOptions().parts(2).owners(), "owners",
              new PartitionOptions().parts(2).owners(large, large), "owners",
              new PartitionOptions().parts(2).owners(large).ownersFile(path), "ownersFile",
              into(2).method(PartitionMethod.STREAM).imbalance(-1), "imbalance",
              into(2).method(PartitionMethod.HASH).balanceEdges(true), "balanceEdges");
      wrong.forEach(
          (options, argument) -> {
            GlsException error =
                assertThrows(
                    GlsException.InvalidArgument.class, () -> graph.partition(path, options));
            assertEquals(argument, error.details().get("argument"), error::getMessage);
          });
      PartitionOptions negative = new PartitionOptions();
      assertThrows(GlsException.InvalidArgument.class, () -> negative.parts(-1));
      assertThrows(GlsException.InvalidArgument.class, () -> negative.haloHops(-1));
      assertThrows(
          GlsException.NotFound.class,
          () ->
              graph.partition(path, into(2).method(PartitionMethod.STREAM).balanceSets("nothing")));
      assertThrows(
          GlsException.InvalidArgument.class,
          () -> graph.partition(path, into(2).balanceSets("no\0thing")));
      assertFalse(Files.exists(path));
      assertThrows(GlsException.Unsupported.class, () -> graph.globalIds(null));
      assertEquals(Optional.empty(), graph.part());

      graph.partition(path, into(2));
      assertThrows(GlsException.FileExists.class, () -> graph.partition(path, into(2)));
      try (Dataset part = Dataset.open(path.resolve("part-0"))) {
        assertThrows(
            GlsException.Unsupported.class, () -> part.partition(folder.resolve("again"), into(2)));
        assertThrows(GlsException.NotFound.class, () -> part.globalIds("nobody"));
      }
    }
    try (Partition partition = Partition.open(path);
        Tensor outside = Tensor.of(new long[] {3, Graphs.NODES});
        Tensor one = Tensor.of(new long[1])) {
      GlsException error =
          assertThrows(GlsException.InvalidArgument.class, () -> partition.owners(null, outside));
      assertTrue(error.getMessage().contains("" + Graphs.NODES), error::getMessage);
      assertThrows(GlsException.NotFound.class, () -> partition.owners("nobody", one));
      assertThrows(GlsException.FileExists.class, () -> partition.merge(path, false, null));
    }
    assertThrows(GlsException.FileNotFound.class, () -> Partition.open(folder.resolve("nothing")));
    assertThrows(GlsException.FileNotFound.class, () -> Partition.open(path.resolve("part-0")));
  }

  @Test
  void damageIsNamed() throws IOException {
    Path path = folder.resolve("parts");
    try (Dataset graph = Graphs.random()) {
      graph.partition(path, into(2));
    }
    Path victim = path.resolve("part-1/nodes/node/columns/x.npy");
    byte[] bytes = Files.readAllBytes(victim);
    bytes[bytes.length / 2] ^= 1;
    Files.write(victim, bytes);
    try (Partition partition = Partition.open(path)) {
      for (GlsException error :
          List.of(
              assertThrows(GlsException.CorruptData.class, partition::verify),
              assertThrows(
                  GlsException.CorruptData.class,
                  () -> partition.merge(folder.resolve("merged"))))) {
        assertTrue(error.getMessage().contains("x.npy"), error::getMessage);
      }
      assertFalse(Files.exists(folder.resolve("merged")));
    }
  }

  @Test
  void longCallsReportAndEnd() {
    Path path = folder.resolve("parts");
    Path merged = folder.resolve("merged");
    RuntimeException mine = new RuntimeException("mine");
    Progress stop =
        (stage, done, total, unit) -> {
          throw mine;
        };
    List<String> stages = new ArrayList<>();
    Progress log = (stage, done, total, unit) -> stages.add(stage);
    try (Dataset graph = Graphs.random()) {
      assertSame(
          mine,
          assertThrows(
              RuntimeException.class, () -> graph.partition(path, into(2).progress(stop))));
      Thread.currentThread().interrupt();
      assertThrows(GlsException.Interrupted.class, () -> graph.partition(path, into(2)));
      assertTrue(Thread.interrupted());
      assertFalse(Files.exists(path));
      graph.partition(path, into(2).progress(log));
      assertFalse(stages.isEmpty());
    }
    try (Context context = Context.builder().numThreads(2).build();
        Partition partition = Partition.open(path, context)) {
      assertSame(mine, assertThrows(RuntimeException.class, () -> partition.verify(stop)));
      assertSame(
          mine, assertThrows(RuntimeException.class, () -> partition.merge(merged, false, stop)));
      assertFalse(Files.exists(merged));
      stages.clear();
      partition.verify(log);
      assertFalse(stages.isEmpty());
      stages.clear();
      partition.merge(merged, false, log);
      assertFalse(stages.isEmpty());
      partition.merge(merged, true, null);
    }
  }

  /** A plugin that need not be there. */
  @Test
  void metisWorksOrSaysWhatIsMissing() {
    Path path = folder.resolve("parts");
    try (Dataset graph = Graphs.random()) {
      graph.partition(path, new PartitionOptions().parts(2).method(PartitionMethod.METIS));
    } catch (GlsException.Unsupported error) {
      assertTrue(error.getMessage().contains("libgls_metis.so"), error::getMessage);
      assertFalse(Files.exists(path));
      return;
    }
    try (Partition partition = Partition.open(path)) {
      assertEquals("metis", partition.method());
      partition.verify();
    }
  }

  @Test
  void closing() {
    Path path = folder.resolve("parts");
    Tensor ids = Tensor.of(new long[] {0, 1});
    try (Dataset shop = Graphs.shop()) {
      Tensor[] owners = byTurns();
      owners[1].close();
      assertThrows(
          IllegalStateException.class,
          () -> shop.partition(path, new PartitionOptions().parts(3).owners(owners)));
      shop.partition(path, into(2));
    }
    Partition partition = Partition.open(path);
    assertTrue(partition.toString().startsWith("Partition(2 parts by random, "));
    Tensor owners = partition.owners("user", ids);
    partition.close();
    partition.close();
    assertEquals(2, owners.toLongs().length);
    assertEquals("Partition(closed)", partition.toString());
    for (Executable call :
        List.<Executable>of(
            partition::parts,
            partition::nodeTypes,
            partition::verify,
            () -> partition.owners("user", ids),
            () -> partition.merge(folder.resolve("x")))) {
      IllegalStateException error = assertThrows(IllegalStateException.class, call);
      assertEquals("the partition is closed", error.getMessage());
    }
    GlobalIds whole;
    try (Dataset part = Dataset.open(path.resolve("part-0"))) {
      whole = part.globalIds("user");
    }
    assertEquals(whole.ids().size(), whole.ids().toLongs().length); // it keeps the dataset
    whole.close();
    assertThrows(IllegalStateException.class, () -> whole.ids().toLongs());
  }
}
