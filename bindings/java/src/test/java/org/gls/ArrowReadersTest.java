package org.gls;

import static org.gls.support.ArrowFiles.FLOAT64;
import static org.gls.support.ArrowFiles.INT64;
import static org.gls.support.ArrowFiles.field;
import static org.gls.support.ArrowFiles.row;
import static org.gls.support.ArrowFiles.rows;
import static org.gls.support.ArrowFiles.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.gls.arrow.ArrowStreams;
import org.gls.support.ArrowFiles.Reader;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

/**
 * The readers that a builder takes: they are closed once, whatever happens, and their batches are
 * returned. Closing an allocator fails where memory is left.
 */
class ArrowReadersTest {
  private static final int BATCHES = 12;
  private static final int ROWS = 30_000; // of a batch

  /** Nodes whose column y is the node, and x its half. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static byte[] nodes(BufferAllocator allocator) {
    Consumer<VectorSchemaRoot>[] batches = new Consumer[BATCHES];
    for (int b = 0; b < BATCHES; ++b) {
      int first = b * ROWS;
      batches[b] =
          root -> {
            BigIntVector y = (BigIntVector) root.getVector("y");
            Float8Vector x = (Float8Vector) root.getVector("x");
            for (int i = 0; i < ROWS; ++i) {
              y.setSafe(i, first + i);
              x.setSafe(i, (first + i) / 2.0);
            }
            root.setRowCount(ROWS);
          };
    }
    return write(allocator, List.of(field("y", INT64), field("x", FLOAT64)), batches);
  }

  private static Reader add(DatasetBuilder builder, BufferAllocator allocator) {
    return add(builder, allocator, new Reader(nodes(allocator), allocator));
  }

  private static Reader add(DatasetBuilder builder, BufferAllocator allocator, Reader reader) {
    ArrowStreams.addNodes(
        builder, "node", reader, allocator, new ArrowOptions().label("nodes.arrow"));
    return reader;
  }

  @Test
  void manyBatchesAreReadAndReturned() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      Reader reader = add(builder, allocator);
      assertEquals(0, reader.closed());
      try (Dataset dataset = builder.build()) {
        assertEquals(1, reader.closed());
        assertEquals(0, allocator.getAllocatedMemory());
        assertEquals(BATCHES * ROWS, dataset.numNodes());
        long node = 0;
        try (ArrowReader out = ArrowStreams.nodes(dataset, null, allocator)) {
          while (out.loadNextBatch()) {
            VectorSchemaRoot root = out.getVectorSchemaRoot();
            BigIntVector y = (BigIntVector) root.getVector("y");
            Float8Vector x = (Float8Vector) root.getVector("x");
            for (int i = 0; i < root.getRowCount(); ++i, ++node) {
              assertEquals(node, y.get(i));
              assertEquals(node / 2.0, x.get(i));
            }
          }
        }
        assertEquals(BATCHES * ROWS, node);
      }
    }
  }

  @Test
  void aBuilderThatIsNotBuiltClosesThem() {
    try (BufferAllocator allocator = new RootAllocator()) {
      Reader reader;
      try (DatasetBuilder builder = new DatasetBuilder()) {
        reader = add(builder, allocator);
      }
      assertEquals(1, reader.closed());
    }
  }

  @Test
  void whatTheyThrowIsTheCause() {
    try (BufferAllocator allocator = new RootAllocator()) {
      IOException failure = new IOException("the warehouse burnt down");
      Reader reader = new Reader(nodes(allocator), allocator, 3, failure);
      try (DatasetBuilder builder = new DatasetBuilder()) {
        add(builder, allocator, reader);
        GlsException error = assertThrows(GlsException.IoError.class, builder::build);
        assertEquals(
            "nodes.arrow: the stream failed: java.io.IOException: the warehouse burnt down (code"
                + " 5)",
            error.getMessage());
        assertSame(failure, error.getCause());
        GlsException again = assertThrows(GlsException.InvalidState.class, builder::build);
        assertTrue(again.getMessage().contains("read only once"), again::getMessage);
        assertNull(again.getCause());
      }
      assertEquals(1, reader.closed());
    }
  }

  /** Numbers as codes of a dictionary. */
  private static byte[] coded(BufferAllocator allocator) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (BigIntVector numbers = new BigIntVector("numbers", allocator);
        BigIntVector values = new BigIntVector("y", allocator)) {
      rows(row(70L), row(80L)).accept(VectorSchemaRoot.of(numbers));
      rows(row(80L), row(70L), row(80L)).accept(VectorSchemaRoot.of(values));
      Dictionary dictionary = new Dictionary(numbers, new DictionaryEncoding(7, false, null));
      try (FieldVector codes = (FieldVector) DictionaryEncoder.encode(values, dictionary);
          ArrowStreamWriter writer =
              new ArrowStreamWriter(
                  VectorSchemaRoot.of(codes), new MapDictionaryProvider(dictionary), out)) {
        writer.start();
        writer.writeBatch();
        writer.end();
      }
    }
    return out.toByteArray();
  }

  /** Counts the lookups of a dictionary; one fails. */
  private static final class Lookups extends Reader {
    private final RuntimeException failure;
    private final int failsAt;
    private int lookups;

    Lookups(BufferAllocator allocator, int failsAt, RuntimeException failure) throws IOException {
      super(coded(allocator), allocator);
      this.failsAt = failsAt;
      this.failure = failure;
    }

    @Override
    public Dictionary lookup(long id) {
      assertEquals(7, id);
      if (++lookups == failsAt) {
        throw failure;
      }
      return super.lookup(id);
    }
  }

  @Test
  void whatALookupThrowsIsTheCause() throws IOException {
    try (BufferAllocator allocator = new RootAllocator()) {
      Lookups good = new Lookups(allocator, -1, null);
      int inSchema;
      try (DatasetBuilder builder = new DatasetBuilder()) {
        add(builder, allocator, good);
        inSchema = good.lookups;
        try (Dataset dataset = builder.build()) {
          assertEquals(3, dataset.numNodes());
        }
      }
      assertTrue(0 < inSchema && inSchema < good.lookups, good.lookups + " lookups");
      // The lookups of the schema, then those of the batch.
      for (int i = 1; i <= good.lookups; ++i) {
        RuntimeException failure = new RuntimeException("dictionary 7 is lent out");
        Lookups reader = new Lookups(allocator, i, failure);
        try (DatasetBuilder builder = new DatasetBuilder()) {
          GlsException error;
          if (i <= inSchema) {
            error = assertThrows(GlsException.IoError.class, () -> add(builder, allocator, reader));
          } else {
            add(builder, allocator, reader);
            error = assertThrows(GlsException.IoError.class, builder::build);
          }
          assertEquals(
              "nodes.arrow: the stream failed: java.lang.RuntimeException: dictionary 7 is lent out"
                  + " (code 5)",
              error.getMessage());
          assertSame(failure, error.getCause());
        }
        assertEquals(1, reader.closed());
      }
    }
  }

  @Test
  void anUnknownDictionaryIsRefused() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      Reader reader =
          new Reader(coded(allocator), allocator) {
            @Override
            public Dictionary lookup(long id) {
              return null;
            }
          };
      GlsException error =
          assertThrows(GlsException.IoError.class, () -> add(builder, allocator, reader));
      assertTrue(error.getCause() instanceof NullPointerException, error::toString);
      assertEquals(
          "nodes.arrow: the stream failed: " + error.getCause() + " (code 5)", error.getMessage());
      assertEquals(1, reader.closed());
    }
  }

  @Test
  void aFullAllocatorIsTheCause() {
    try (BufferAllocator allocator = new RootAllocator();
        BufferAllocator small = allocator.newChildAllocator("small", 0, Long.MAX_VALUE)) {
      // Nothing fits; not the validity of a batch; not the structs of its columns.
      for (int limit : new int[] {0, 1024, 4096 + 256}) {
        for (int full : new int[] {0, BATCHES - 1}) {
          Reader reader =
              new Reader(nodes(allocator), allocator) {
                private int batch;

                @Override
                public boolean loadNextBatch() throws IOException {
                  if (batch++ == full) {
                    small.setLimit(limit);
                  }
                  return super.loadNextBatch();
                }
              };
          try (DatasetBuilder builder = new DatasetBuilder()) {
            add(builder, small, reader);
            GlsException error = assertThrows(GlsException.IoError.class, builder::build);
            assertTrue(error.getCause() instanceof OutOfMemoryException, error::toString);
            assertEquals(
                "nodes.arrow: the stream failed: " + error.getCause() + " (code 5)",
                error.getMessage());
          }
          assertEquals(1, reader.closed());
          assertEquals(0, small.getAllocatedMemory());
          small.setLimit(Long.MAX_VALUE);
        }
      }
      // Enough for the stream itself, but not for its schema.
      small.setLimit(64);
      Reader reader = new Reader(nodes(allocator), allocator);
      try (DatasetBuilder builder = new DatasetBuilder()) {
        GlsException error =
            assertThrows(GlsException.IoError.class, () -> add(builder, small, reader));
        assertTrue(error.getCause() instanceof OutOfMemoryException, error::toString);
      }
      assertEquals(1, reader.closed());
    }
  }

  @Test
  void errorsWithoutWordsAreTheCauseToo() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      RuntimeException failure =
          new IllegalStateException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String toString() {
              throw this;
            }
          };
      Reader reader =
          new Reader(nodes(allocator), allocator) {
            @Override
            public boolean loadNextBatch() {
              throw failure;
            }
          };
      add(builder, allocator, reader);
      GlsException error = assertThrows(GlsException.IoError.class, builder::build);
      assertSame(failure, error.getCause());
      assertEquals(
          "nodes.arrow: the stream failed: " + failure.getClass().getName() + " (code 5)",
          error.getMessage());
    }
  }

  @Test
  void oneWithoutASchemaIsRefused() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      Reader reader = new Reader(new byte[] {1, 2, 3}, allocator);
      GlsException error =
          assertThrows(GlsException.IoError.class, () -> add(builder, allocator, reader));
      assertTrue(error.getCause() instanceof IOException, error::toString);
      assertTrue(error.getMessage().contains(error.getCause().getMessage()), error::getMessage);
      assertEquals(1, reader.closed());
    }
  }

  @Test
  void callsThatFailCloseThem() {
    try (BufferAllocator allocator = new RootAllocator();
        BufferAllocator none = allocator.newChildAllocator("none", 0, 0)) {
      ArrowOptions options = new ArrowOptions();
      DatasetBuilder builder = new DatasetBuilder();
      Reader first = new Reader(nodes(allocator), allocator);
      assertThrows(
          OutOfMemoryException.class,
          () -> ArrowStreams.addNodes(builder, "node", first, none, options));
      assertEquals(1, first.closed());
      Reader second = new Reader(nodes(allocator), allocator);
      assertThrows(
          NullPointerException.class,
          () -> ArrowStreams.addNodes(builder, null, second, allocator, options));
      assertEquals(1, second.closed());
      builder.close();
      Reader third = new Reader(nodes(allocator), allocator);
      assertThrows(IllegalStateException.class, () -> add(builder, allocator, third));
      assertEquals(1, third.closed());
      assertThrows(
          NullPointerException.class,
          () -> ArrowStreams.addNodes(builder, "node", null, allocator, options));
      assertThrows(
          GlsException.InvalidArgument.class, () -> builder.addNodesArrow("node", 0, options));
    }
  }

  @Test
  void oneThatCannotBeClosedHarmsNothing() {
    Thread thread = Thread.currentThread();
    Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
    AtomicReference<Throwable> uncaught = new AtomicReference<>();
    thread.setUncaughtExceptionHandler((on, error) -> uncaught.set(error));
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      IOException failure = new IOException("the door is stuck");
      Reader reader = new Reader(nodes(allocator), allocator, -1, failure);
      add(builder, allocator, reader);
      try (Dataset dataset = builder.build()) {
        assertEquals(BATCHES * ROWS, dataset.numNodes());
      }
      assertEquals(1, reader.closed());
      assertSame(failure, uncaught.get());
    } finally {
      thread.setUncaughtExceptionHandler(before);
    }
  }

  /** While batches are in use: they are returned by Java code, which runs before this is thrown. */
  @Test
  void aCallbackMayEndTheBuild() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      RuntimeException stop = new RuntimeException("stop");
      WriteOptions options =
          new WriteOptions()
              .progress(
                  (stage, done, total, unit) -> {
                    if (stage.equals("reading nodes") && done >= 2 * ROWS) {
                      throw stop;
                    }
                  });
      Reader reader = add(builder, allocator);
      assertSame(stop, assertThrows(RuntimeException.class, () -> builder.build(options)));
      assertNull(stop.getCause());
      assertEquals(0, stop.getSuppressed().length);
      builder.close();
      assertEquals(1, reader.closed());
    }
  }

  @Test
  void anInterruptionEndsTheBuild() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      ArrowReader reader =
          new Reader(nodes(allocator), allocator) {
            private int batches;

            @Override
            public boolean loadNextBatch() throws IOException {
              boolean more = super.loadNextBatch();
              if (++batches == 3) {
                Thread.currentThread().interrupt();
              }
              return more;
            }
          };
      ArrowStreams.addNodes(builder, "node", reader, allocator, new ArrowOptions());
      try {
        assertThrows(GlsException.Interrupted.class, builder::build);
      } finally {
        assertTrue(Thread.interrupted());
      }
    }
  }

  @Test
  void aReaderMayNotUseItsBuilder() {
    try (BufferAllocator allocator = new RootAllocator();
        DatasetBuilder builder = new DatasetBuilder()) {
      ArrowReader reader =
          new Reader(nodes(allocator), allocator) {
            @Override
            public boolean loadNextBatch() throws IOException {
              builder.addNodeType("other", 1);
              return super.loadNextBatch();
            }
          };
      ArrowStreams.addNodes(builder, "node", reader, allocator, new ArrowOptions());
      GlsException error = assertThrows(GlsException.IoError.class, builder::build);
      assertTrue(error.getCause() instanceof GlsException.InvalidState, error::toString);
    }
  }

  @Test
  void streamsOutThatCannotBeLeaveNothing() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        Dataset dataset = Graphs.shop()) {
      assertThrows(
          GlsException.NotFound.class,
          () -> ArrowStreams.nodes(dataset, "no_such_type", allocator));
      assertThrows(
          GlsException.InvalidArgument.class, () -> ArrowStreams.edges(dataset, null, allocator));
      assertThrows(GlsException.InvalidArgument.class, () -> dataset.nodesToArrow("user", 0));
      try (ArrowReader unread = ArrowStreams.nodes(dataset, "user", allocator)) {
        assertNotNull(unread);
      }
      dataset.close();
      assertThrows(IllegalStateException.class, () -> ArrowStreams.edges(dataset, null, allocator));
    }
  }
}
