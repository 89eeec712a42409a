package org.gls;

import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;

/**
 * One mini-batch: a sampled part of the graph and the columns gathered for it.
 *
 * <p>In a graph with one node type and one edge type, this class has all arrays: {@link #node},
 * {@link #row}, {@link #col}, {@link #column}. In a graph with several types, {@link
 * #nodes(String)} and {@link #edges(String)} have them.
 *
 * <p>Its tensors are closed with it. Buffers made of them stay valid while they are reachable, and
 * the memory of the batch is given back when none of them is.
 */
public final class Batch implements AutoCloseable {
  private record Key(ArrayKind kind, String type, String name) {}

  private record BlockKey(int layer, int array, String type) {}

  /** The cleanup for a batch that is no longer reachable; must not refer to it. */
  private static final class State implements Runnable {
    final Handle<org.gls.low.Batch> handle;
    final long bytes;
    private final List<Handle<org.gls.low.Tensor>> tensors = new ArrayList<>();
    private int parts = 1; // native objects that hold the memory
    private boolean closed;

    State(org.gls.low.Batch low) {
      bytes = low.bytes();
      handle = new Handle<>("batch", low, this::delete);
    }

    private void delete(org.gls.low.Batch low) {
      low.delete();
      partGone();
    }

    private void delete(org.gls.low.Tensor low) {
      low.delete();
      partGone();
    }

    private void partGone() {
      boolean last;
      synchronized (this) {
        last = --parts == 0;
      }
      if (last) {
        NativeMemory.remove(bytes);
      }
    }

    Handle<org.gls.low.Tensor> add(org.gls.low.Tensor low) {
      Handle<org.gls.low.Tensor> tensor = new Handle<>("batch of the tensor", low, this::delete);
      boolean late;
      synchronized (this) {
        ++parts;
        late = closed;
        tensors.add(tensor);
      }
      if (late) {
        tensor.close();
      }
      return tensor;
    }

    @Override
    public void run() {
      List<Handle<org.gls.low.Tensor>> now;
      synchronized (this) {
        closed = true;
        now = List.copyOf(tensors);
      }
      now.forEach(Handle::close);
      handle.close();
    }
  }

  private final State state;
  private final Cleaner.Cleanable cleanable;
  private final Structure structure;
  private final SeedType seedType;
  private Map<Record, Tensor> tensors;
  private List<BatchArray> arrays;
  private Map<ColumnsKey, List<String>> columns;

  private record ColumnsKey(ArrayKind kind, String type) {}

  /** Takes {@code low}. */
  Batch(org.gls.low.Batch low, Structure structure, SeedType seedType) {
    this.state = new State(low);
    this.structure = structure;
    this.seedType = seedType;
    this.cleanable = NativeMemory.CLEANER.register(this, state);
    NativeMemory.add(state.bytes);
  }

  // ---- devices ----

  /**
   * Where the arrays lie. Numbers of nodes and edges, and arrays that a transform attached, are
   * always on the host.
   *
   * @return {@link Device#HOST}, or the GPU of the loader
   */
  public Device device() {
    return tensor(ArrayKind.NODE, structure.nodeTypes().get(0).name(), null).device();
  }

  /**
   * The same batch with its arrays in memory of the host: a copy of those that lie on a GPU. Waits
   * for the work that is queued by now on named streams.
   *
   * @return a batch of its own, to be closed
   */
  public Batch toHost() {
    return new Batch(state.handle.call(org.gls.low.Batch::toHost), structure, seedType);
  }

  /**
   * Names a stream of a GPU on which native code works with the arrays: see {@link
   * Tensor#recordStream}.
   *
   * @param stream a {@code cudaStream_t}; 0: the default stream
   */
  public void recordStream(long stream) {
    state.handle.run(low -> low.recordStream(stream));
  }

  // ---- about the batch ----

  /**
   * Number of the epoch.
   *
   * @return unsigned
   */
  public long epoch() {
    return state.handle.call(org.gls.low.Batch::epoch);
  }

  /**
   * Number of the batch in its epoch, counted over all trainers.
   *
   * @return unsigned
   */
  public long number() {
    return state.handle.call(org.gls.low.Batch::number);
  }

  /**
   * Number of hops.
   *
   * @return 1 or more; 0 of an induced subgraph without fanouts
   */
  public int numHops() {
    return state.handle.call(org.gls.low.Batch::numHops).intValue();
  }

  /**
   * Memory that the batch holds.
   *
   * @return bytes
   */
  public long byteSize() {
    return state.bytes;
  }

  /**
   * Whether it was padded.
   *
   * @return NONE unless its loader {@link NeighborLoader.Builder#pad pads}
   */
  public Padding padding() {
    return Padding.values()[state.handle.call(org.gls.low.Batch::padding)];
  }

  /**
   * Time a worker spent sampling it.
   *
   * @return nanoseconds
   */
  public long sampleNanos() {
    return state.handle.call(org.gls.low.Batch::sampleNs);
  }

  /**
   * Time a worker spent gathering its columns.
   *
   * @return nanoseconds
   */
  public long gatherNanos() {
    return state.handle.call(org.gls.low.Batch::gatherNs);
  }

  /**
   * Node type of the seeds; of links, that of both their ends.
   *
   * @return empty when there are seeds of several types
   */
  public Optional<String> inputType() {
    return Optional.ofNullable(seedType.node());
  }

  // ---- arrays ----

  /**
   * The arrays there are.
   *
   * @return in the library's order
   */
  public synchronized List<BatchArray> arrays() {
    checkOpen();
    if (arrays == null) {
      arrays = state.handle.call(Batch::list);
    }
    return arrays;
  }

  private void checkOpen() {
    if (state.handle.isClosed()) {
      throw state.handle.closed();
    }
  }

  private static List<BatchArray> list(org.gls.low.Batch low) {
    long count = low.numArrays();
    List<BatchArray> out = new ArrayList<>((int) count);
    for (long i = 0; i < count; ++i) {
      out.add(
          new BatchArray(
              ArrayKind.of(low.array(i)),
              low.arrayType(i),
              low.arrayName(i),
              Rows.of(low.arrayRows(i))));
    }
    return Collections.unmodifiableList(out);
  }

  /**
   * One array. A second call returns the same tensor.
   *
   * @param kind which
   * @param type node or edge type; null: the only one
   * @param name column or supervision; null for other arrays
   * @return closed with this batch
   * @throws GlsException.NotFound if there is no such type or column, or the option was not set
   */
  public Tensor tensor(ArrayKind kind, String type, String name) {
    Objects.requireNonNull(kind, "kind");
    return tensor(new Key(kind, type, name), low -> low.tensor(kind.number, type, name));
  }

  Tensor blockTensor(int layer, int array, String type) {
    return tensor(new BlockKey(layer, array, type), low -> low.blockTensor(layer, array, type));
  }

  private synchronized Tensor tensor(
      Record key, Function<org.gls.low.Batch, org.gls.low.Tensor> make) {
    checkOpen();
    if (tensors == null) {
      tensors = new HashMap<>();
    }
    Tensor tensor = tensors.get(key);
    if (tensor == null) {
      org.gls.low.Batch low = state.handle.enter();
      try {
        org.gls.low.Tensor made = make.apply(low);
        long[] info;
        try {
          info = made.describe();
        } catch (RuntimeException | Error error) {
          made.delete();
          throw error;
        }
        tensor = Tensor.of(state.add(made), info, this);
      } finally {
        state.handle.leave();
      }
      tensors.put(key, tensor);
    }
    return tensor;
  }

  /**
   * The layers of a model with as many layers as the batch has hops.
   *
   * @return a block for each, that of the first layer first
   * @throws GlsException.Unsupported if the batch has none: its subgraph is induced or
   *     bidirectional, or its sampler takes walks, or has {@link Importance} or {@link Ppr}
   */
  public List<Block> blocks() {
    List<Block> out = new ArrayList<>();
    for (int layer = 0; layer < numHops(); ++layer) {
      out.add(new Block(this, layer));
    }
    if (!out.isEmpty()) {
      out.get(0).inputNodes(structure.nodeTypes().get(0).name()); // says why there are none
    }
    return Collections.unmodifiableList(out);
  }

  // ---- by type ----

  /**
   * The arrays of a node type.
   *
   * @param type its name
   * @return of this batch
   * @throws GlsException.NotFound if there is no such type
   */
  public NodeArrays nodes(String type) {
    return new NodeArrays(this, structure.nodeType(type).name());
  }

  /**
   * The arrays of an edge type.
   *
   * @param type "source__relation__target"
   * @return of this batch
   * @throws GlsException.NotFound if there is no such type
   */
  public EdgeArrays edges(String type) {
    return new EdgeArrays(this, structure.edgeType(type).name());
  }

  /**
   * The arrays of every node type.
   *
   * @return by name, in the dataset's order
   */
  public Map<String, NodeArrays> nodes() {
    Map<String, NodeArrays> out = new LinkedHashMap<>();
    for (NodeType type : structure.nodeTypes()) {
      out.put(type.name(), new NodeArrays(this, type.name()));
    }
    return Collections.unmodifiableMap(out);
  }

  /**
   * The arrays of every edge type.
   *
   * @return by name, in the dataset's order
   */
  public Map<String, EdgeArrays> edges() {
    Map<String, EdgeArrays> out = new LinkedHashMap<>();
    for (EdgeType type : structure.edgeTypes()) {
      out.put(type.name(), new EdgeArrays(this, type.name()));
    }
    return Collections.unmodifiableMap(out);
  }

  // ---- of the only type ----

  /**
   * Dataset id of each node; see {@link NodeArrays#node}.
   *
   * @return of the only node type
   */
  public Tensor node() {
    return tensor(ArrayKind.NODE, null, null);
  }

  /**
   * The seed in whose tree each node is; see {@link NodeArrays#tree}.
   *
   * @return of the only node type
   */
  public Tensor tree() {
    return tensor(ArrayKind.TREE, null, null);
  }

  /**
   * The walks; see {@link NodeArrays#walk}.
   *
   * @return of the only node type
   */
  public Tensor walk() {
    return tensor(ArrayKind.WALK, null, null);
  }

  /**
   * The edges of the walks; see {@link NodeArrays#walkEdge}.
   *
   * @return of the only node type
   */
  public Tensor walkEdge() {
    return tensor(ArrayKind.WALK_EDGE, null, null);
  }

  /**
   * The local id of the seed that each node is a neighbour of; see {@link NodeArrays#nearSeed}.
   *
   * @return of the only node type
   */
  public Tensor nearSeed() {
    return tensor(ArrayKind.NEAR_SEED, null, null);
  }

  /**
   * Neighbours that edges do not express; see {@link NodeArrays#nearNode}.
   *
   * @return of the only node type
   */
  public Tensor nearNode() {
    return tensor(ArrayKind.NEAR_NODE, null, null);
  }

  /**
   * Their scores; see {@link NodeArrays#nearScore}.
   *
   * @return of the only node type
   */
  public Tensor nearScore() {
    return tensor(ArrayKind.NEAR_SCORE, null, null);
  }

  /**
   * Distinct seeds, then new nodes of each hop; see {@link NodeArrays#numSampledNodes}.
   *
   * @return of the only node type
   */
  public long[] numSampledNodes() {
    return tensor(ArrayKind.NUM_NODES, null, null).toLongs();
  }

  /**
   * Local id of each edge's source; see {@link EdgeArrays#row}.
   *
   * @return of the only edge type
   */
  public Tensor row() {
    return tensor(ArrayKind.ROW, null, null);
  }

  /**
   * Local id of each edge's target; see {@link EdgeArrays#col}.
   *
   * @return of the only edge type
   */
  public Tensor col() {
    return tensor(ArrayKind.COL, null, null);
  }

  /**
   * Both ends of each edge; see {@link EdgeArrays#edgeIndex}.
   *
   * @return of the only edge type
   */
  public Tensor edgeIndex() {
    return tensor(ArrayKind.EDGE_INDEX, null, null);
  }

  /**
   * Dataset id of each edge; see {@link EdgeArrays#edge}.
   *
   * @return of the only edge type
   */
  public Tensor edge() {
    return tensor(ArrayKind.EDGE, null, null);
  }

  /**
   * Edges of each hop; see {@link EdgeArrays#numSampledEdges}.
   *
   * @return of the only edge type
   */
  public long[] numSampledEdges() {
    return tensor(ArrayKind.NUM_EDGES, null, null).toLongs();
  }

  /**
   * Local id of each seed; see {@link NodeArrays#seed}.
   *
   * @return of the type of the seeds
   */
  public Tensor seed() {
    return tensor(ArrayKind.SEED, seedType.node(), null);
  }

  /**
   * Position of each seed or link in the loader's seeds; see {@link NodeArrays#input} and {@link
   * EdgeArrays#input}.
   *
   * @return of the type of the seeds or links
   */
  public Tensor input() {
    String type = seedType.link() != null ? seedType.link() : seedType.node();
    return tensor(ArrayKind.INPUT, type, null);
  }

  /**
   * Local id of each link's source, then those of negative pairs; see {@link
   * EdgeArrays#linkSource}.
   *
   * @return of the type of the links
   */
  public Tensor linkSource() {
    return tensor(ArrayKind.LINK_SOURCE, seedType.link(), null);
  }

  /**
   * Local id of each link's target, then those of negative pairs; see {@link
   * EdgeArrays#linkTarget}.
   *
   * @return of the type of the links
   */
  public Tensor linkTarget() {
    return tensor(ArrayKind.LINK_TARGET, seedType.link(), null);
  }

  /**
   * Local ids of the targets drawn for each link; see {@link EdgeArrays#linkNegative}.
   *
   * @return of the type of the links
   */
  public Tensor linkNegative() {
    return tensor(ArrayKind.LINK_NEGATIVE, seedType.link(), null);
  }

  /**
   * Labels of the links, then 0 for each negative pair; see {@link EdgeArrays#linkLabel}.
   *
   * @return of the type of the links
   */
  public Tensor linkLabel() {
    return tensor(ArrayKind.LINK_LABEL, seedType.link(), null);
  }

  /**
   * Time of each seed; see {@link NodeArrays#seedTime}.
   *
   * @return of the type of the seeds
   */
  public Tensor seedTime() {
    return tensor(ArrayKind.SEED_TIME, seedType.node(), null);
  }

  /**
   * Number of distinct seeds, which are the first nodes of their type.
   *
   * @return 0 or more
   */
  public int batchSize() {
    return (int) tensor(ArrayKind.NUM_NODES, seedType.node(), null).toLongs()[0];
  }

  /**
   * Number of nodes, over all types.
   *
   * @return 0 or more
   */
  public long numNodes() {
    return nodes().values().stream().mapToLong(NodeArrays::numNodes).sum();
  }

  /**
   * Number of edges, over all types.
   *
   * @return 0 or more
   */
  public long numEdges() {
    return edges().values().stream().mapToLong(EdgeArrays::numEdges).sum();
  }

  /**
   * A gathered column by its name alone: there must be one type that has it.
   *
   * @param name of a column of nodes or edges
   * @return [nodes, ...], [seeds, ...] or [edges, ...]
   * @throws GlsException.NotFound if no type has it
   * @throws GlsException.InvalidArgument if several types have it
   */
  public Tensor column(String name) {
    Objects.requireNonNull(name, "name");
    List<BatchArray> owners =
        arrays().stream()
            .filter(a -> isColumn(a) && name.equals(a.name()))
            .collect(Collectors.toList());
    if (owners.isEmpty()) {
      throw new GlsException.NotFound(
          "the batch has no column \"" + name + "\"; gathered were: " + columns(),
          Map.of("column", name));
    }
    if (owners.size() > 1) {
      String types = owners.stream().map(BatchArray::type).collect(Collectors.joining(", "));
      throw GlsException.invalid("name", "several types have a column \"" + name + "\": " + types);
    }
    return tensor(owners.get(0).kind(), owners.get(0).type(), name);
  }

  /**
   * An array that the loader's {@link BatchTransform} returned.
   *
   * @param name as it named it
   * @return closed with this batch
   * @throws GlsException.NotFound if no array has this name
   */
  public Tensor attached(String name) {
    return tensor(ArrayKind.ATTACHED, null, Objects.requireNonNull(name, "name"));
  }

  /**
   * Names of the columns that were gathered, over all types.
   *
   * @return each once
   */
  public List<String> columns() {
    LinkedHashSet<String> names = new LinkedHashSet<>();
    for (BatchArray array : arrays()) {
      if (isColumn(array)) {
        names.add(array.name());
      }
    }
    return List.copyOf(names);
  }

  /** Those of one type. All arrays are looked through once for all types. */
  synchronized List<String> columns(ArrayKind kind, String type) {
    if (columns == null) {
      columns =
          arrays().stream()
              .filter(Batch::isColumn)
              .collect(
                  Collectors.groupingBy(
                      a -> new ColumnsKey(a.kind(), a.type()),
                      Collectors.mapping(BatchArray::name, Collectors.toUnmodifiableList())));
    }
    checkOpen();
    return columns.getOrDefault(new ColumnsKey(kind, type), List.of());
  }

  private static boolean isColumn(BatchArray array) {
    return array.kind() == ArrayKind.NODE_COLUMN || array.kind() == ArrayKind.EDGE_COLUMN;
  }

  /**
   * Positive labels of the anchors: local ids of nodes of the labels' type. Anchors are the first
   * of {@link NodeArrays#seed}, as many as there are rows.
   *
   * @param supervision its name: that of its edge type, unless it has another
   * @return [anchors, m], -1 where there are no more, INT64 or INT32
   * @throws GlsException.NotFound if there is no such supervision
   */
  public Tensor positives(String supervision) {
    return labels(ArrayKind.ANCHOR_POSITIVE, supervision);
  }

  /**
   * Negative labels of the anchors; see {@link #positives}.
   *
   * @param supervision its name
   * @return [anchors, m], -1 where there are no more, INT64 or INT32
   * @throws GlsException.NotFound if there is no such supervision
   */
  public Tensor negatives(String supervision) {
    return labels(ArrayKind.ANCHOR_NEGATIVE, supervision);
  }

  private Tensor labels(ArrayKind kind, String supervision) {
    for (BatchArray array : arrays()) {
      if (array.kind() == kind && array.name().equals(supervision)) {
        return tensor(kind, array.type(), supervision);
      }
    }
    throw new GlsException.NotFound(
        "the batch has no labels \"" + supervision + "\" of this role",
        Map.of("name", supervision));
  }

  /** Lets go of the batch and its tensors. Buffers made of them stay valid. */
  @Override
  public void close() {
    synchronized (this) {
      if (tensors != null) {
        tensors.values().forEach(Tensor::close);
      }
      cleanable.clean();
    }
  }

  @Override
  public String toString() {
    if (state.handle.isClosed()) {
      return "Batch(closed)";
    }
    return "Batch(epoch=" + epoch() + ", number=" + number() + ", columns=" + columns() + ")";
  }
}
