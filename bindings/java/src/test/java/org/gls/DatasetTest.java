package org.gls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.gls.examples.TrainCora;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datasets and their builder. */
class DatasetTest {
  @TempDir Path folder;

  private static final Path CORA = Graphs.ROOT.resolve("examples/data/cora");

  private static Dataset cora() throws IOException {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      return TrainCora.addCora(builder, CORA).build();
    }
  }

  @Test
  void describesWhatThereIs() throws IOException {
    try (Dataset dataset = cora()) {
      NodeType node = dataset.nodeType(null);
      assertEquals("node", node.name());
      assertEquals(2708, dataset.numNodes());
      assertFalse(node.hasKeys());
      assertEquals(Set.of("x", "y"), node.columns().keySet());
      Column x = node.columns().get("x");
      assertEquals(Role.FEATURE, x.role());
      assertEquals(DType.FLOAT32, x.dtype());
      assertEquals(List.of(2708L, 1433L), x.shape());
      assertEquals(Role.LABEL, node.columns().get("y").role());
      assertEquals(Map.of("train", 140L, "valid", 500L, "test", 1000L), node.idSets());
      EdgeType edge = dataset.edgeType("node__to__node");
      assertEquals("to", edge.relation());
      assertEquals("node", edge.source());
      assertEquals("node", edge.target());
      assertEquals(EdgeType.join("node", "to", "node"), edge.name());
      assertEquals(10556, dataset.numEdges());
      assertEquals(EnumSet.of(Layout.CSC), edge.layouts());
      assertEquals(32, edge.indexBits());
      assertEquals(140, dataset.idSet(null, "train").size());
      assertEquals("Dataset(node: 2708 nodes, node__to__node: 10556 edges)", dataset.toString());
    }
  }

  @Test
  void severalTypesMustBeNamed() {
    try (Dataset shop = Graphs.shop()) {
      assertEquals(3, shop.nodeTypes().size());
      assertEquals("item__sold_in__shop", shop.edgeTypes().get(3).name());
      assertThrows(GlsException.InvalidArgument.class, shop::numNodes);
      GlsException error = assertThrows(GlsException.NotFound.class, () -> shop.nodeType("nobody"));
      assertTrue(error.getMessage().contains("user, item, shop"), error::getMessage);
      assertEquals(Map.of("type", "nobody"), error.details());
      assertThrows(GlsException.class, () -> shop.nodeColumn(null, "x"));
      assertEquals(6, shop.nodeColumn("item", "x").size(1));
      assertEquals(400, shop.edgeColumn("user__buys__item", "stars").size());
      assertThrows(GlsException.NotFound.class, () -> shop.nodeColumn("shop", "x"));
    }
  }

  @Test
  void topologies() throws IOException {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", 3);
      builder.addEdges(
          Graphs.EDGES, Tensor.of(new int[] {0, 1, 2, 0}), Tensor.of(new int[] {1, 2, 1, 2}));
      try (Dataset dataset = builder.build(new WriteOptions().layouts(Layout.CSC, Layout.CSR));
          Topology csc = dataset.topology(null, Layout.CSC);
          Topology csr = dataset.topology(null, Layout.CSR)) {
        assertArrayEquals(new long[] {0, 0, 2, 4}, csc.indptr().toLongs());
        assertArrayEquals(new long[] {0, 2, 1, 0}, csc.indices().toLongs());
        assertArrayEquals(new long[] {0, 2, 1, 3}, csc.edgeIds().orElseThrow().toLongs());
        assertArrayEquals(new long[] {0, 2, 3, 4}, csr.indptr().toLongs());
      }
    }
    try (Dataset dataset = cora()) {
      assertThrows(GlsException.NotFound.class, () -> dataset.topology(null, Layout.CSR));
    }
  }

  @Test
  void readyTopologiesAreUsedInPlace() {
    Tensor indptr = Tensor.of(new long[] {0, 1, 2});
    Tensor indices = Tensor.of(new int[] {1, 0});
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addTopology(Graphs.EDGES, Layout.CSC, indptr, indices, null);
      try (Dataset dataset = builder.build();
          Topology topology = dataset.topology(null, Layout.CSC)) {
        assertEquals(indices.address(), topology.indices().address());
        assertTrue(topology.edgeIds().isEmpty());
      }
      builder.addTopology(Graphs.EDGES, Layout.CSR, indptr, indices, Tensor.of(new long[] {1, 0}));
      try (Dataset dataset = builder.build(new WriteOptions().layouts(Layout.CSR))) {
        assertArrayEquals(
            new long[] {1, 0},
            dataset.topology(null, Layout.CSR).edgeIds().orElseThrow().toLongs());
      }
    }
  }

  @Test
  void columnsAreUsedInPlace() {
    Tensor x = Tensor.of(new float[64], 4, 16);
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", 4);
      builder.addEdges(Graphs.EDGES, Tensor.of(new long[1]), Tensor.of(new long[1]));
      builder.addNodeColumn(null, "x", x, Role.FEATURE);
      long address = x.address();
      x.close();
      try (Dataset dataset = builder.build()) {
        assertEquals(address, dataset.nodeColumn(null, "x").address());
      }
    }
  }

  @Test
  void writesOpensSavesVerifies() throws IOException {
    Path path = folder.resolve("cora");
    try (DatasetBuilder builder = new DatasetBuilder()) {
      TrainCora.addCora(builder, CORA);
      builder.write(path, new WriteOptions().layouts(Layout.CSC, Layout.CSR).rowPadding(false));
    }
    List<String> stages = new ArrayList<>();
    OpenOptions options = new OpenOptions().verify(true).residency(Residency.ALL);
    options.progress((stage, done, total, unit) -> stages.add(stage + " " + unit));
    try (Context context = Context.builder().numThreads(2).build();
        Dataset dataset = Dataset.open(path, options.context(context))) {
      assertFalse(stages.isEmpty());
      assertEquals(1433 * 4, dataset.nodeType(null).columns().get("x").rowStride());
      stages.clear();
      dataset.verify((stage, done, total, unit) -> stages.add(stage));
      assertFalse(stages.isEmpty());
      dataset.verify();
      GlsException error = assertThrows(GlsException.FileExists.class, () -> dataset.save(path));
      assertEquals("GLS_ERR_ALREADY_EXISTS", error.statusName());
      dataset.save(path, new WriteOptions().overwrite(true).layouts(Layout.CSC));
      Path other = folder.resolve("other");
      dataset.save(other);
      try (Dataset copy = Dataset.open(other)) {
        assertEquals(EnumSet.of(Layout.CSC, Layout.CSR), copy.edgeType(null).layouts());
      }
    }
    try (Dataset dataset = Dataset.open(path)) {
      assertEquals(EnumSet.of(Layout.CSC), dataset.edgeType(null).layouts());
    }
  }

  /** The handler of the JVM stays: what Java maps by itself is an InternalError as before. */
  @Test
  void aFileThatIsCutShortIsAnError() throws IOException {
    Path path = folder.resolve("cut");
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.write(path);
    }
    try (Dataset dataset = Dataset.open(path)) {
      List<Path> cut;
      try (var files = Files.walk(path)) {
        cut = files.filter(p -> p.endsWith("csc/indices.npy")).toList();
      }
      for (Path file : cut) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(0);
        }
      }
      GlsException error = assertThrows(GlsException.IoError.class, dataset::verify);
      assertTrue(cut.contains(Path.of(error.details().get("file"))), error.getMessage());
    }
    Path mapped = folder.resolve("mapped");
    Files.write(mapped, new byte[1 << 20]);
    try (FileChannel channel =
        FileChannel.open(mapped, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MappedByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, 1 << 20);
      channel.truncate(0);
      assertThrows(InternalError.class, () -> readAll(bytes));
    }
  }

  private static int readAll(MappedByteBuffer bytes) {
    int sum = 0;
    for (int i = 0; i < bytes.limit(); i += 512) {
      sum += bytes.get(i);
    }
    return sum;
  }

  @Test
  void damageIsNamed() throws IOException {
    GlsException missing =
        assertThrows(GlsException.FileNotFound.class, () -> Dataset.open(folder.resolve("none")));
    assertEquals(-3, missing.status());
    assertTrue(missing.details().get("file").startsWith(folder.toString()));
    Path path = folder.resolve("dataset");
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.write(path);
    }
    Path victim;
    try (var files = Files.walk(path)) {
      victim =
          files
              .filter(p -> p.getFileName().toString().endsWith(".npy"))
              .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(victim);
    bytes[bytes.length - 1] ^= 1;
    Files.write(victim, bytes);
    assertThrows(
        GlsException.CorruptData.class, () -> Dataset.open(path, new OpenOptions().verify(true)));
    Files.delete(victim);
    assertThrows(GlsException.class, () -> Dataset.open(path));
    Path manifest = path.resolve("manifest.json");
    Files.writeString(
        manifest,
        Files.readString(manifest).replaceFirst("\"count\": *200", "\"count\": \"many\""));
    GlsException error = assertThrows(GlsException.CorruptData.class, () -> Dataset.open(path));
    assertEquals(manifest.toString(), error.details().get("file"));
    assertEquals("node_types[0].count", error.details().get("field"));
  }

  @Test
  void textFilesAndKeys() throws IOException {
    Path edges = folder.resolve("edges.csv");
    Files.writeString(edges, "% odd\nfrom;to;w\nanna;otto;0.5\notto;ärmel;1.5\n");
    Path nodes = folder.resolve("nodes.txt");
    Files.writeString(nodes, "otto 3\nanna 4\närmel 5\n");
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("person", 0, Ids.STRING);
      builder.addNodesText(
          "person",
          nodes,
          new TextOptions()
              .key("#0")
              .delimiter(' ')
              .header(false)
              .noComments()
              .column("#1", "age", DType.INT64, Role.OTHER));
      builder.addEdgesText(
          "person__knows__person",
          edges,
          new TextOptions()
              .source("from")
              .target("to")
              .delimiter(';')
              .comment('%')
              .header(true)
              .addReverse(true)
              .column("w", null, DType.FLOAT32, Role.WEIGHT));
      try (Dataset dataset = builder.build()) {
        assertEquals(3, dataset.numNodes());
        assertEquals(4, dataset.numEdges());
        assertTrue(dataset.nodeType(null).hasKeys());
        assertEquals(1, dataset.findNode("person", "anna"));
        assertEquals("ärmel", dataset.nodeKey(null, 2));
        assertThrows(GlsException.NotFound.class, () -> dataset.findNode(null, "nobody"));
        assertThrows(GlsException.InvalidArgument.class, () -> dataset.nodeKey(null, 3));
        assertArrayEquals(new long[] {3, 4, 5}, dataset.nodeColumn(null, "age").toLongs());
        assertEquals(0.5f, dataset.edgeColumn(null, "w").toFloats()[0]);
        assertEquals(Role.WEIGHT, dataset.edgeType(null).columns().get("w").role());
      }
    }
    try (DatasetBuilder builder = new DatasetBuilder()) {
      Files.writeString(edges, "0,1\n0,x\n");
      builder.addEdgesText(Graphs.EDGES, edges, new TextOptions().header(false));
      GlsException error = assertThrows(GlsException.CorruptData.class, builder::build);
      assertEquals(edges.toString(), error.details().get("file"));
      assertEquals("2", error.details().get("line"));
    }
    assertThrows(GlsException.InvalidArgument.class, () -> new TextOptions().delimiter('\u00e4'));
  }

  private static Dataset textDataset(Path edges, TextOptions options) {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("n", 0, Ids.STRING);
      builder.addEdgesText("n__to__n", edges, options.header(false));
      return builder.build();
    }
  }

  @Test
  void encodingsAndRaggedLines() throws IOException {
    Path edges = folder.resolve("edges.csv");
    Files.write(edges, "caf\u00e9,b\nc,b,x\n".getBytes(StandardCharsets.ISO_8859_1));
    TextOptions both = new TextOptions().encoding(TextOptions.Encoding.LATIN_1).ragged(true);
    try (Dataset dataset = textDataset(edges, both)) {
      assertEquals("caf\u00e9", dataset.nodeKey(null, 2));
    }
    GlsException error =
        assertThrows(
            GlsException.CorruptData.class,
            () -> textDataset(edges, new TextOptions().encoding(TextOptions.Encoding.LATIN_1)));
    assertTrue(error.getMessage().contains(":2: the line has 3 fields"), error::getMessage);
    error =
        assertThrows(
            GlsException.CorruptData.class,
            () -> textDataset(edges, new TextOptions().ragged(true)));
    assertTrue(error.getMessage().contains("is not UTF-8"), error::getMessage);
  }

  @Test
  void weightsAreCheckedWhenADatasetIsMade() {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addEdges("n__to__n", Tensor.of(new long[] {0, 1}), Tensor.of(new long[] {1, 0}));
      builder.addEdgeColumn(null, "w", Tensor.of(new float[] {1, Float.NaN}), Role.WEIGHT);
      GlsException error = assertThrows(GlsException.InvalidArgument.class, builder::build);
      assertTrue(error.getMessage().contains("weight nan in row 1"), error::getMessage);
    }
  }

  @Test
  void aFailedBuildKeepsTheBuilder() {
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.addIdSet(null, "bad", Tensor.of(new long[] {Graphs.NODES}));
      assertThrows(GlsException.class, builder::build);
      assertThrows(
          GlsException.InvalidArgument.class,
          () -> builder.addNodeColumn("node", "bad\u0001", Tensor.of(new long[1]), Role.OTHER));
    }
  }

  @Test
  void textWithNulIsRefused() {
    try (Dataset dataset = Graphs.random()) {
      assertThrows(GlsException.InvalidArgument.class, () -> dataset.nodeColumn(null, "x\0y"));
      assertThrows(NullPointerException.class, () -> dataset.nodeColumn(null, null));
    }
  }
}
