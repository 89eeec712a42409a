package org.gls.arrow;

import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.gls.ArrowOptions;
import org.gls.Dataset;
import org.gls.DatasetBuilder;

/**
 * Nodes and edges as Apache Arrow batches: into a {@link DatasetBuilder} and out of a {@link
 * Dataset}.
 *
 * <p><b>In.</b> A builder takes over the reader. It reads it once, in {@link DatasetBuilder#build}
 * or {@link DatasetBuilder#write}, on the thread that makes that call. It closes the reader when it
 * has read all, when the call that adds it fails, or when the builder is closed. An error of the
 * reader, or of Arrow's export of its batches, ends that call with a {@link
 * org.gls.GlsException.IoError}, and is its cause. Each batch must have buffers of its own, as with
 * Arrow's readers, because the library still uses a batch while it reads the next. While the
 * builder reads, no other thread may exhaust the allocator's limit: arrow-c-data 18.1.0 can read
 * past the end of its own error text then.
 *
 * <p><b>Out.</b> The vectors of a batch are valid until the next one is loaded, as always in Arrow.
 * Most are views of the dataset, which may be mapped read-only: writing to them may end the
 * program. The allocator counts their memory. The reader keeps the dataset's memory, also when the
 * dataset is closed. One thread at a time may use it.
 */
@SuppressWarnings("exports") // only modules that use this class must require Arrow
public final class ArrowStreams {
  private ArrowStreams() {}

  /**
   * Adds the nodes of a type: one node a row, numbered in this order.
   *
   * @param builder to add them to
   * @param type its name
   * @param reader their batches; closed in every case
   * @param allocator of what Arrow needs besides the batches; open until the builder has read them
   * @param options what becomes of the fields
   * @return the builder
   * @throws org.gls.GlsException as {@link DatasetBuilder#addNodesArrow} does
   */
  public static DatasetBuilder addNodes(
      DatasetBuilder builder,
      String type,
      ArrowReader reader,
      BufferAllocator allocator,
      ArrowOptions options) {
    return add(reader, allocator, stream -> builder.addNodesArrow(type, stream, options));
  }

  /**
   * Adds an edge type: one edge a row. Row i has edge id i.
   *
   * @param builder to add them to
   * @param edgeType its name
   * @param reader their batches; closed in every case
   * @param allocator of what Arrow needs besides the batches; open until the builder has read them
   * @param options what becomes of the fields
   * @return the builder
   * @throws org.gls.GlsException as {@link DatasetBuilder#addEdgesArrow} does
   */
  public static DatasetBuilder addEdges(
      DatasetBuilder builder,
      String edgeType,
      ArrowReader reader,
      BufferAllocator allocator,
      ArrowOptions options) {
    return add(reader, allocator, stream -> builder.addEdgesArrow(edgeType, stream, options));
  }

  /**
   * The nodes of a type, one a row, ascending. Fields: {@code _key}, the original ids as INT64 or
   * text, or {@code _id} for types without original ids; then the columns.
   *
   * @param dataset of the nodes
   * @param type null: the only one
   * @param allocator that of the vectors
   * @return to be closed by the caller
   * @throws org.gls.GlsException as {@link Dataset#nodesToArrow} does
   */
  public static ArrowReader nodes(Dataset dataset, String type, BufferAllocator allocator) {
    return read(allocator, stream -> dataset.nodesToArrow(type, stream));
  }

  /**
   * The edges of a type, one a row, in ascending order of edge ids. Fields: {@code _source} and
   * {@code _target}, the original ids of the ends, or node ids for types without; then the columns.
   *
   * @param dataset of the edges
   * @param edgeType null: the only one
   * @param allocator that of the vectors
   * @return to be closed by the caller
   * @throws org.gls.GlsException as {@link Dataset#edgesToArrow} does
   */
  public static ArrowReader edges(Dataset dataset, String edgeType, BufferAllocator allocator) {
    return read(allocator, stream -> dataset.edgesToArrow(edgeType, stream));
  }

  private static DatasetBuilder add(
      ArrowReader reader, BufferAllocator allocator, LongFunction<DatasetBuilder> call) {
    ExportedReader exported =
        new ExportedReader(Objects.requireNonNull(reader, "reader"), allocator);
    try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
      Data.exportArrayStream(allocator, exported, stream);
      try {
        return call.apply(stream.memoryAddress());
      } finally {
        stream.release(); // which does nothing where the library has taken it
      }
    } catch (RuntimeException | Error error) {
      exported.close();
      throw error;
    }
  }

  private static ArrowReader read(BufferAllocator allocator, LongConsumer call) {
    try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
      call.accept(stream.memoryAddress());
      try {
        return Data.importArrayStream(allocator, stream);
      } catch (RuntimeException | Error error) {
        stream.release();
        throw error;
      }
    }
  }
}
