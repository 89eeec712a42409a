package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.internal.Thrown;

/**
 * Collects the parts of a dataset, then makes it in memory or as a folder.
 *
 * <p>Edge types are "source__relation__target"; the node types they name need no declaration.
 * Tensors are used where they lie, and stay in use until the dataset is deleted, or written; they
 * may be closed at once. Where a graph has only one node type, or only one edge type, null stands
 * for its name. Calls of several threads take turns.
 */
public final class DatasetBuilder implements AutoCloseable {
  private static final int ADD_REVERSE = 1;
  private static final long NO_LIMIT = -1;

  private final Handle<org.gls.low.Builder> handle;
  private final Cleaner.Cleanable cleanable;
  private final ReentrantLock lock = new ReentrantLock();

  /** An empty builder in the default context. */
  public DatasetBuilder() {
    this(Context.getDefault());
  }

  /**
   * An empty builder.
   *
   * @param context also of the dataset
   */
  public DatasetBuilder(Context context) {
    this(context.handle.call(org.gls.low.Builder::new));
  }

  /** A builder that has something already. */
  DatasetBuilder(org.gls.low.Builder low) {
    handle = new Handle<>("builder", low, org.gls.low.Builder::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /** A progress callback runs in the middle of a call, where the builder must not be changed. */
  private void lock() {
    if (lock.isHeldByCurrentThread()) {
      throw new GlsException.InvalidState("the builder is used by its own callback", Map.of());
    }
    lock.lock();
  }

  private <R> R call(Handle.Call<org.gls.low.Builder, R> call) {
    lock();
    try {
      return Thrown.asCause(() -> handle.call(call));
    } finally {
      lock.unlock();
    }
  }

  private DatasetBuilder change(Consumer<org.gls.low.Builder> change) {
    return call(
        low -> {
          change.accept(low);
          return this;
        });
  }

  /**
   * Declares a node type. It is needed only to set one of these properties, and then first.
   *
   * @param type its name
   * @param numNodes 0: found from edges, columns and id sets
   * @param ids what text files and Arrow streams call nodes
   * @return this
   */
  public DatasetBuilder addNodeType(String type, long numNodes, Ids ids) {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(ids, "ids");
    return change(low -> low.addNodeType(type, numNodes, ids.number));
  }

  /**
   * Declares a node type of so many nodes.
   *
   * @param type its name
   * @param numNodes 0: found from edges, columns and id sets
   * @return this
   */
  public DatasetBuilder addNodeType(String type, long numNodes) {
    return addNodeType(type, numNodes, Ids.DENSE);
  }

  /**
   * Adds an edge type given as edge list: edge i goes from source[i] to target[i].
   *
   * @param edgeType its name
   * @param source INT32 or INT64 [edges]
   * @param target INT32 or INT64 [edges]
   * @return this
   */
  public DatasetBuilder addEdges(String edgeType, Tensor source, Tensor target) {
    return addEdges(edgeType, source, target, false);
  }

  /**
   * Adds an edge type given as edge list: edge i goes from source[i] to target[i].
   *
   * @param edgeType its name
   * @param source INT32 or INT64 [edges]
   * @param target the same
   * @param addReverse also stores each edge turned round: within one node type as edges E .. 2E-1
   *     of this type; between two as the type "target__rev_relation__source" with equal ids
   * @return this
   */
  public DatasetBuilder addEdges(
      String edgeType, Tensor source, Tensor target, boolean addReverse) {
    Objects.requireNonNull(edgeType, "edgeType");
    Handle<org.gls.low.Tensor> targets = target.handle();
    return source
        .handle()
        .call(
            from ->
                targets.call(
                    to ->
                        change(
                            low ->
                                low.addEdges(edgeType, from, to, addReverse ? ADD_REVERSE : 0))));
  }

  /**
   * Adds an edge type given as a ready topology, which is used as it is. Give it twice to store
   * both layouts.
   *
   * @param edgeType its name
   * @param layout CSC: rows are targets, indices sources; CSR: the other way round
   * @param indptr INT64 [nodes + 1]
   * @param indices INT32 or INT64 [edges]
   * @param edgeIds INT32 or INT64 [edges]; null: the id of an edge is its position
   * @return this
   */
  public DatasetBuilder addTopology(
      String edgeType, Layout layout, Tensor indptr, Tensor indices, Tensor edgeIds) {
    Objects.requireNonNull(edgeType, "edgeType");
    Objects.requireNonNull(layout, "layout");
    Handle<org.gls.low.Tensor> neighbors = indices.handle();
    return indptr
        .handle()
        .call(
            pointers ->
                neighbors.call(
                    ends -> {
                      if (edgeIds == null) {
                        return change(
                            low -> low.addTopology(edgeType, layout.number, pointers, ends, null));
                      }
                      return edgeIds
                          .handle()
                          .call(
                              ids ->
                                  change(
                                      low ->
                                          low.addTopology(
                                              edgeType, layout.number, pointers, ends, ids)));
                    }));
  }

  /**
   * Adds an edge type given as delimited text: one edge a line, plain or compressed with gzip, zstd
   * or bzip2. The file is read by {@link #build} or {@link #write}.
   *
   * @param edgeType its name
   * @param path the file
   * @param options how to read it
   * @return this
   */
  public DatasetBuilder addEdgesText(String edgeType, Path path, TextOptions options) {
    Objects.requireNonNull(edgeType, "edgeType");
    org.gls.low.TextOptions lowOptions = options.low();
    try {
      return change(low -> low.addEdgesText(edgeType, path.toString(), lowOptions));
    } finally {
      lowOptions.delete();
    }
  }

  /**
   * Adds the nodes of a type given as delimited text: one node a line, numbered in this order. With
   * {@link Ids#DENSE} the list must be 0, 1, 2, ... in this order.
   *
   * @param type its name
   * @param path the file
   * @param options how to read it
   * @return this
   */
  public DatasetBuilder addNodesText(String type, Path path, TextOptions options) {
    Objects.requireNonNull(type, "type");
    org.gls.low.TextOptions lowOptions = options.low();
    try {
      return change(low -> low.addNodesText(type, path.toString(), lowOptions));
    } finally {
      lowOptions.delete();
    }
  }

  /**
   * Adds the nodes of a type given as a stream of Arrow batches: one node a row, numbered in this
   * order. Programs that have Arrow for Java call {@link org.gls.arrow.ArrowStreams#addNodes}.
   *
   * <p>The stream is read once, by the thread that calls {@link #build} or {@link #write}. A type
   * that was not declared gets {@link Ids#STRING} if its key is text.
   *
   * @param type its name
   * @param stream address of an {@code ArrowArrayStream} of structs, see Arrow's C stream
   *     interface; moved, unless this throws
   * @param options what becomes of the fields
   * @return this
   * @throws GlsException.InvalidArgument for an option, or a field that does not exist or whose
   *     type does not fit its use. Also for nodes with {@link Ids#INTEGER} or {@link Ids#STRING}
   *     without a key
   * @throws GlsException.Unsupported for a field whose Arrow type cannot be a column
   * @throws GlsException.AlreadyExists if there is a list of nodes, or a column or id set of that
   *     name
   * @throws GlsException.IoError if the stream gives no schema
   */
  public DatasetBuilder addNodesArrow(String type, long stream, ArrowOptions options) {
    Objects.requireNonNull(type, "type");
    return addArrow(stream, options, (low, how) -> low.addNodesArrow(type, stream, how));
  }

  /**
   * Adds an edge type given as a stream of Arrow batches: one edge a row. Row i has edge id i.
   * Programs that have Arrow for Java call {@link org.gls.arrow.ArrowStreams#addEdges}. Otherwise
   * as {@link #addNodesArrow}.
   *
   * @param edgeType its name
   * @param stream address of an {@code ArrowArrayStream} of structs; moved, unless this throws
   * @param options what becomes of the fields
   * @return this
   */
  public DatasetBuilder addEdgesArrow(String edgeType, long stream, ArrowOptions options) {
    Objects.requireNonNull(edgeType, "edgeType");
    return addArrow(stream, options, (low, how) -> low.addEdgesArrow(edgeType, stream, how));
  }

  private DatasetBuilder addArrow(
      long stream,
      ArrowOptions options,
      BiConsumer<org.gls.low.Builder, org.gls.low.ArrowOptions> call) {
    if (stream == 0) {
      throw GlsException.invalid("stream", "the address is 0");
    }
    org.gls.low.ArrowOptions lowOptions = options.low();
    try {
      return change(low -> call.accept(low, lowOptions));
    } finally {
      lowOptions.delete();
    }
  }

  /**
   * Adds a column of a node type: row i is node i.
   *
   * @param type the node type; null: the only one
   * @param name of the column
   * @param data [nodes, ...]
   * @param role what it is for
   * @return this
   */
  public DatasetBuilder addNodeColumn(String type, String name, Tensor data, Role role) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(role, "role");
    return data.handle()
        .call(tensor -> change(low -> low.addNodeColumn(type, name, role.number, tensor)));
  }

  /**
   * Adds a column of an edge type: row e belongs to edge e.
   *
   * @param edgeType the edge type; null: the only one
   * @param name of the column
   * @param data [edges, ...]
   * @param role what it is for
   * @return this
   */
  public DatasetBuilder addEdgeColumn(String edgeType, String name, Tensor data, Role role) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(role, "role");
    return data.handle()
        .call(tensor -> change(low -> low.addEdgeColumn(edgeType, name, role.number, tensor)));
  }

  /**
   * Adds a quantised column of a node type: row i is node i. Every reader sees it as FLOAT32
   * [nodes, width].
   *
   * @param type the node type; null: the only one
   * @param name of the column
   * @param codes UINT8 [nodes, ceil(width * bits / 8)]
   * @param quantization how they are packed, and what they stand for
   * @param role what it is for
   * @return this
   */
  public DatasetBuilder addNodeCodes(
      String type, String name, Tensor codes, Quantization quantization, Role role) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(role, "role");
    return quantization.call(
        how ->
            codes
                .handle()
                .call(
                    tensor ->
                        change(low -> low.addNodeCodes(type, name, role.number, tensor, how))));
  }

  /**
   * Adds a quantised column of an edge type: row e belongs to edge e. Every reader sees it as
   * FLOAT32 [edges, width].
   *
   * @param edgeType the edge type; null: the only one
   * @param name of the column
   * @param codes UINT8 [edges, ceil(width * bits / 8)]
   * @param quantization how they are packed, and what they stand for
   * @param role what it is for
   * @return this
   */
  public DatasetBuilder addEdgeCodes(
      String edgeType, String name, Tensor codes, Quantization quantization, Role role) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(role, "role");
    return quantization.call(
        how ->
            codes
                .handle()
                .call(
                    tensor ->
                        change(low -> low.addEdgeCodes(edgeType, name, role.number, tensor, how))));
  }

  /**
   * Adds a named set of nodes, in the order given.
   *
   * @param type the node type; null: the only one
   * @param name of the set
   * @param ids INT32 or INT64 [ids]
   * @return this
   */
  public DatasetBuilder addIdSet(String type, String name, Tensor ids) {
    Objects.requireNonNull(name, "name");
    return ids.handle().call(tensor -> change(low -> low.addIdSet(type, name, tensor)));
  }

  /**
   * Makes the dataset in memory; the builder is empty afterwards.
   *
   * @return a new dataset
   */
  public Dataset build() {
    return build(new WriteOptions());
  }

  /**
   * Makes the dataset in memory; the builder is empty afterwards. Interrupting the thread ends it.
   *
   * @param options how
   * @return a new dataset
   */
  public Dataset build(WriteOptions options) {
    org.gls.low.WriteOptions lowOptions = options.low();
    try {
      return new Dataset(call(low -> low.build(lowOptions, options.progress())), NO_LIMIT);
    } finally {
      lowOptions.delete();
    }
  }

  /**
   * Makes a dataset folder; the builder is empty afterwards.
   *
   * @param path the folder, which appears complete or not at all
   * @throws GlsException.FileExists if the folder exists
   */
  public void write(Path path) {
    write(path, new WriteOptions());
  }

  /**
   * Makes a dataset folder, in bounded memory; the builder is empty afterwards. Interrupting the
   * thread ends it.
   *
   * @param path the folder, which appears complete or not at all
   * @param options how
   */
  public void write(Path path, WriteOptions options) {
    Objects.requireNonNull(path, "path");
    org.gls.low.WriteOptions lowOptions = options.low();
    try {
      change(low -> low.write(path.toString(), lowOptions, options.progress()));
    } finally {
      lowOptions.delete();
    }
  }

  /** Lets go of the builder and what it collected. */
  @Override
  public void close() {
    cleanable.clean();
  }
}
