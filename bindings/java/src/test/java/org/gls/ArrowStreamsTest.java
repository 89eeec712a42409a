package org.gls;

import static org.gls.support.ArrowFiles.BOOL;
import static org.gls.support.ArrowFiles.FLOAT32;
import static org.gls.support.ArrowFiles.FLOAT64;
import static org.gls.support.ArrowFiles.INT64;
import static org.gls.support.ArrowFiles.TEXT;
import static org.gls.support.ArrowFiles.TIME;
import static org.gls.support.ArrowFiles.field;
import static org.gls.support.ArrowFiles.list;
import static org.gls.support.ArrowFiles.row;
import static org.gls.support.ArrowFiles.rows;
import static org.gls.support.ArrowFiles.write;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.gls.arrow.ArrowStreams;
import org.gls.support.ArrowFiles.Reader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes and edges in and out as Arrow batches. Closing an allocator fails where memory is left. */
class ArrowStreamsTest {
  private static final String FOLLOWS = "user__follows__user";
  private static final List<Field> USER =
      List.of(
          field("id", TEXT),
          field("score", FLOAT32),
          field("age", FLOAT64),
          list("x", 2, FLOAT32),
          field("active", BOOL),
          field("joined", TIME),
          field("train", BOOL),
          field("split", TEXT));

  @TempDir Path folder;

  /** Three users in two batches; the second has no score, age and split. */
  private static byte[] users(BufferAllocator allocator) {
    return write(
        allocator,
        USER,
        rows(
            row("carol", 1.5f, 41.0, new float[] {1, 2}, true, 1_700_000_000_000_000L, true, "a"),
            row("alice", null, null, new float[] {3, 4}, false, -5L, false, null)),
        rows(row("bob", -2f, 7.0, new float[] {5, 6}, true, 6L, true, "b")));
  }

  private static ArrowOptions userOptions() {
    return new ArrowOptions()
        .label("users.arrow")
        .key("id")
        .column("x", Role.FEATURE)
        .column("score", null, null, Role.OTHER, Float.NaN, null)
        .column("age", "years", DType.FLOAT32, Role.LABEL, -1, "has_age")
        .column("active", Role.OTHER)
        .column("joined", Role.TIME)
        .idSet("train", "learn")
        .split("split");
  }

  private static DatasetBuilder addUsers(DatasetBuilder builder, BufferAllocator allocator) {
    byte[] file = users(allocator);
    return ArrowStreams.addNodes(
        builder, "user", new Reader(file, allocator), allocator, userOptions());
  }

  private static float[] floats(Dataset dataset, String column) {
    try (Tensor tensor = dataset.nodeColumn(null, column)) {
      return tensor.toFloats();
    }
  }

  private static long[] longs(Tensor tensor) {
    try (tensor) {
      return tensor.toLongs();
    }
  }

  /** All values of a stream, row by row, as Arrow gives them; text as text. Closes the reader. */
  private static List<List<Object>> values(ArrowReader reader) throws IOException {
    List<List<Object>> out = new ArrayList<>();
    try (reader) {
      while (reader.loadNextBatch()) {
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        for (int i = 0; i < root.getRowCount(); ++i) {
          List<Object> row = new ArrayList<>();
          for (FieldVector vector : root.getFieldVectors()) {
            Object value = vector.getObject(i);
            boolean own = value instanceof Number || value instanceof Boolean;
            row.add(own || value instanceof List ? value : String.valueOf(value));
          }
          out.add(row);
        }
      }
      assertFalse(reader.loadNextBatch());
    }
    return out;
  }

  @Test
  void nodesComeInAndGoOut() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder();
        Dataset dataset = addUsers(builder, allocator).build()) {
      assertEquals(0, allocator.getAllocatedMemory());
      NodeType user = dataset.nodeType("user");
      assertEquals(3, user.numNodes());
      assertTrue(user.hasKeys());
      assertEquals("alice", dataset.nodeKey("user", 1));
      assertEquals(2, dataset.findNode("user", "bob"));
      assertEquals(
          Set.of("x", "score", "years", "has_age", "active", "joined"), user.columns().keySet());
      assertEquals(List.of(3L, 2L), user.columns().get("x").shape());
      assertEquals(Optional.empty(), user.columns().get("x").logicalType());
      assertEquals(Role.LABEL, user.columns().get("years").role());
      assertEquals(DType.BOOL, user.columns().get("has_age").dtype());
      assertEquals(DType.INT64, user.columns().get("joined").dtype());
      assertEquals(Optional.of("tsu:UTC"), user.columns().get("joined").logicalType());
      assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, floats(dataset, "x"));
      assertArrayEquals(new float[] {1.5f, Float.NaN, -2}, floats(dataset, "score"));
      assertArrayEquals(new float[] {41, -1, 7}, floats(dataset, "years"));
      assertArrayEquals(new long[] {1, 0, 1}, longs(dataset.nodeColumn(null, "has_age")));
      assertEquals(Map.of("learn", 2L, "a", 1L, "b", 1L), user.idSets());
      assertArrayEquals(new long[] {0, 2}, longs(dataset.idSet(null, "learn")));
      assertArrayEquals(new long[] {2}, longs(dataset.idSet(null, "b")));

      ArrowReader nodes = ArrowStreams.nodes(dataset, null, allocator);
      dataset.close();
      List<Field> fields = nodes.getVectorSchemaRoot().getSchema().getFields();
      assertEquals(
          List.of("_key", "x", "score", "years", "has_age", "active", "joined"),
          fields.stream().map(Field::getName).toList());
      assertEquals(TIME, fields.get(6).getType());
      assertEquals(
          List.of(
              List.of("carol", List.of(1f, 2f), 1.5f, 41f, true, true, 1_700_000_000_000_000L),
              List.of("alice", List.of(3f, 4f), Float.NaN, -1f, false, false, -5L),
              List.of("bob", List.of(5f, 6f), -2f, 7f, true, true, 6L)),
          values(nodes));
    }
  }

  @Test
  void aDatasetIsCopiedByItsStreams() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      addUsers(builder, allocator).write(folder.resolve("first"));
      try (Dataset first = Dataset.open(folder.resolve("first"))) {
        ArrowStreams.addNodes(
            builder,
            "user",
            ArrowStreams.nodes(first, "user", allocator),
            allocator,
            new ArrowOptions().key("_key"));
        builder.write(folder.resolve("second"));
        try (Dataset second = Dataset.open(folder.resolve("second"))) {
          assertEquals(
              Optional.of("tsu:UTC"), second.nodeType(null).columns().get("joined").logicalType());
          assertEquals(
              values(ArrowStreams.nodes(first, null, allocator)),
              values(ArrowStreams.nodes(second, null, allocator)));
        }
      }
    }
  }

  @Test
  void edgesHaveTheKeysOfNodes() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      byte[] file =
          write(
              allocator,
              List.of(field("w", FLOAT32), field("from", TEXT), field("to", TEXT)),
              rows(row(0.5f, "carol", "alice"), row(1.5f, "bob", "carol")),
              rows(row(2.5f, "carol", "bob")));
      addUsers(builder, allocator);
      ArrowStreams.addEdges(
          builder,
          FOLLOWS,
          new Reader(file, allocator),
          allocator,
          new ArrowOptions().source("from").target("#2").column("w", Role.WEIGHT));
      try (Dataset dataset = builder.build();
          Tensor ids = Tensor.of(new long[] {0, 1, 2});
          EdgeEnds ends = dataset.findEdges(FOLLOWS, ids);
          Tensor w = dataset.edgeColumn(null, "w")) {
        assertArrayEquals(new long[] {0, 2, 0}, ends.source().toLongs());
        assertArrayEquals(new long[] {1, 0, 2}, ends.target().toLongs());
        assertArrayEquals(new float[] {0.5f, 1.5f, 2.5f}, w.toFloats());
        assertEquals(Role.WEIGHT, dataset.edgeType(null).columns().get("w").role());
        ArrowReader edges = ArrowStreams.edges(dataset, FOLLOWS, allocator);
        assertEquals(
            List.of("_source", "_target", "w"),
            edges.getVectorSchemaRoot().getSchema().getFields().stream()
                .map(Field::getName)
                .toList());
        assertEquals(
            List.of(
                List.of("carol", "alice", 0.5f),
                List.of("bob", "carol", 1.5f),
                List.of("carol", "bob", 2.5f)),
            values(edges));
      }
    }
  }

  @Test
  void withoutColumnsAllFieldsAreTaken() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      byte[] file =
          write(
              allocator,
              List.of(field("s", INT64), field("t", INT64), field("w", FLOAT32), field("z", INT64)),
              rows(row(0L, 1L, 1f, 7L), row(1L, 2L, 2f, 8L)));
      Map<ArrowOptions, Set<String>> cases =
          Map.of(
              new ArrowOptions(),
              Set.of("w", "z"),
              new ArrowOptions().allFields(false),
              Set.of(),
              new ArrowOptions().column("z", Role.OTHER),
              Set.of("z"),
              new ArrowOptions().column("z", "y", null, Role.OTHER).allFields(true),
              Set.of("w", "y"));
      for (Map.Entry<ArrowOptions, Set<String>> each : cases.entrySet()) {
        ArrowStreams.addEdges(
            builder, FOLLOWS, new Reader(file, allocator), allocator, each.getKey());
        try (Dataset dataset = builder.build()) {
          assertEquals(each.getValue(), dataset.edgeType(null).columns().keySet());
          assertEquals(3, dataset.numNodes());
          List<List<Object>> edges = values(ArrowStreams.edges(dataset, null, allocator));
          assertEquals(2, edges.size());
          assertEquals(List.of(1L, 2L), edges.get(1).subList(0, 2));
        }
      }
      ArrowOptions reversed = new ArrowOptions().addReverse(true);
      ArrowStreams.addEdges(builder, FOLLOWS, new Reader(file, allocator), allocator, reversed);
      try (Dataset dataset = builder.build()) {
        assertEquals(
            List.of(List.of(0L, 1L, 1f, 7L), List.of(1L, 2L, 2f, 8L), List.of(1L, 0L, 1f, 7L)),
            values(ArrowStreams.edges(dataset, null, allocator)).subList(0, 3));
        assertEquals(4, dataset.numEdges());
      }
    }
  }

  @Test
  void nodesWithoutKeysAreNumbered() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      ArrowOptions options =
          new ArrowOptions()
              .split("id")
              .split("split")
              .idSet("train", null)
              .column("score", null, null, Role.FEATURE, 0, null)
              .column("age", null, DType.INT16, Role.FEATURE, 0, null)
              .allFields(true);
      ArrowStreams.addNodes(
          builder, "user", new Reader(users(allocator), allocator), allocator, options);
      try (Dataset dataset = builder.build()) {
        NodeType user = dataset.nodeType(null);
        assertFalse(user.hasKeys());
        assertEquals(Set.of("score", "age", "x", "active", "joined"), user.columns().keySet());
        assertEquals(Set.of("carol", "alice", "bob", "a", "b", "train"), user.idSets().keySet());
        assertEquals(
            List.of(1L, 0f, (short) 0, List.of(3f, 4f), false, -5L),
            values(ArrowStreams.nodes(dataset, null, allocator)).get(1));
      }
    }
  }

  @Test
  void fieldsOfOneNameFormAColumn() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      byte[] file =
          write(
              allocator,
              List.of(field("a", FLOAT64), list("b", 2, FLOAT32), field("known", BOOL)),
              rows(
                  row(1.0, new float[] {2, 3}, true),
                  row(null, new float[] {5, 6}, null),
                  row(7.0, new float[] {8, 9}, false)));
      ArrowStreams.addNodes(
          builder,
          "n",
          new Reader(file, allocator),
          allocator,
          new ArrowOptions()
              .column("a", "ab", DType.FLOAT32, Role.FEATURE, null, "has_a")
              .column("b", "ab", null, Role.FEATURE, null, "has_a")
              .idSet("known", "known", true));
      try (Dataset dataset = builder.build()) {
        assertArrayEquals(new float[] {1, 2, 3, 0, 5, 6, 7, 8, 9}, floats(dataset, "ab"));
        assertArrayEquals(new long[] {1, 0, 1}, longs(dataset.nodeColumn(null, "has_a")));
        assertArrayEquals(new long[] {0, 1}, longs(dataset.idSet(null, "known")));
      }
    }
  }

  @Test
  void dictionariesAreReadAsTheirValues() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (VarCharVector names = new VarCharVector("names", allocator);
          VarCharVector values = new VarCharVector("split", allocator)) {
        rows(row("valid"), row("test")).accept(VectorSchemaRoot.of(names));
        rows(row("test"), row("valid"), row("test")).accept(VectorSchemaRoot.of(values));
        Dictionary dictionary = new Dictionary(names, new DictionaryEncoding(1, false, null));
        try (FieldVector codes = (FieldVector) DictionaryEncoder.encode(values, dictionary);
            ArrowStreamWriter writer =
                new ArrowStreamWriter(
                    VectorSchemaRoot.of(codes), new MapDictionaryProvider(dictionary), out)) {
          writer.start();
          writer.writeBatch();
          writer.end();
        }
      }
      ArrowStreams.addNodes(
          builder,
          "n",
          new Reader(out.toByteArray(), allocator),
          allocator,
          new ArrowOptions().split("#0"));
      try (Dataset dataset = builder.build()) {
        assertArrayEquals(new long[] {0, 2}, longs(dataset.idSet(null, "test")));
        assertArrayEquals(new long[] {1}, longs(dataset.idSet(null, "valid")));
      }
    }
  }

  @Test
  void aNullIsAnErrorOfItsRowAndField() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      ArrowOptions options =
          new ArrowOptions().label("users.arrow").key("id").column("score", Role.FEATURE);
      ArrowStreams.addNodes(
          builder, "user", new Reader(users(allocator), allocator), allocator, options);
      GlsException error = assertThrows(GlsException.CorruptData.class, builder::build);
      assertEquals("users.arrow: row 1: field \"score\" is null", error.getMessage());
      assertEquals("1", error.details().get("row"));
      assertEquals("score", error.details().get("field"));
    }
  }

  @Test
  void errorsNameOptionsAsTheyAreHere() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      GlsException error = refused(builder, allocator, new ArrowOptions().key("idd"));
      assertEquals("source", error.details().get("argument"));
      assertEquals("idd", error.details().get("field"));
      assertTrue(error.getMessage().contains("did you mean \"id\"?"), error::getMessage);
      error = refused(builder, allocator, new ArrowOptions().target("id"));
      assertEquals("target", error.details().get("argument"));
      assertTrue(error.getMessage().startsWith("target is \"id\""), error::getMessage);
      error = refused(builder, allocator, new ArrowOptions()); // the key would be a column
      assertTrue(error instanceof GlsException.Unsupported, error::toString);
      assertTrue(error.getMessage().contains("field \"id\""), error::getMessage);
      builder.addNodeType("user", 0, Ids.STRING);
      error = refused(builder, allocator, new ArrowOptions().split("split").allFields(false));
      assertTrue(error.getMessage().contains("so source must name"), error::getMessage);
    }
  }

  private static GlsException refused(
      DatasetBuilder builder, BufferAllocator allocator, ArrowOptions options) {
    Reader reader = new Reader(users(allocator), allocator);
    GlsException error =
        assertThrows(
            GlsException.class,
            () -> ArrowStreams.addNodes(builder, "user", reader, allocator, options));
    assertEquals(1, reader.closed());
    assertEquals(0, allocator.getAllocatedMemory());
    return error;
  }
}
