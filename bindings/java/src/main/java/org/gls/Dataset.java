package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.Future;

/**
 * An immutable graph of one or several node and edge types, with columns and id sets. Made by
 * {@link #open(Path)} or {@link DatasetBuilder}.
 *
 * <p>Where there is only one node type, or only one edge type, null stands for its name.
 */
public final class Dataset implements AutoCloseable {
  // GLS_ARRAY_*
  private static final int NODE_COLUMN = 0;
  private static final int EDGE_COLUMN = 1;
  private static final int ID_SET = 2;
  private static final int CSC = 3;
  private static final int CSR = 6;

  final Handle<org.gls.low.Dataset> handle;
  private final Cleaner.Cleanable cleanable;
  private final Structure structure;
  final long patience; // milliseconds that a question to servers may take; -1: without limit

  /** Takes {@code low}. */
  Dataset(org.gls.low.Dataset low, long patience) {
    this.patience = patience;
    try {
      structure = Structure.of(low);
    } catch (RuntimeException | Error error) {
      low.delete();
      throw error;
    }
    handle = new Handle<>("dataset", low, org.gls.low.Dataset::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * Opens a dataset folder, which takes no time.
   *
   * @param path the folder; it must not be changed while it is open
   * @return a new dataset
   * @throws GlsException.FileNotFound if there is no such folder, or it holds no dataset
   * @throws GlsException.CorruptData if files are damaged
   * @throws GlsException.IoError if the system refuses
   * @throws GlsException.Unsupported if the format is newer
   */
  public static Dataset open(Path path) {
    return open(path, new OpenOptions());
  }

  /**
   * Opens a dataset folder. Interrupting the thread ends a call that reads.
   *
   * @param path the folder; it must not be changed while it is open
   * @param options how
   * @return a new dataset
   */
  public static Dataset open(Path path, OpenOptions options) {
    return open(path.toString(), options);
  }

  /**
   * Opens a graph. It may be a dataset folder, a folder of parts, which opens as the whole graph,
   * or "gls://host:port,host:port". The latter are addresses of some {@link Server servers}, which
   * know the others.
   *
   * @param place the path of a folder, or a text that begins with gls://
   * @return a new dataset
   * @throws GlsException.TimedOut if servers were not reached, or no server has a part; the message
   *     names which and why
   */
  public static Dataset open(String place) {
    return open(place, new OpenOptions());
  }

  /**
   * Opens a graph where it is, as {@link #open(String)}. Interrupting the thread ends a call that
   * reads or waits.
   *
   * @param place the path of a folder, or what begins with gls://
   * @param options how
   * @return a new dataset
   */
  public static Dataset open(String place, OpenOptions options) {
    Objects.requireNonNull(place, "place");
    Context context = options.context != null ? options.context : Context.getDefault();
    long patience = Long.parseLong(context.get("cluster.request_timeout_ms"));
    return context.handle.call(
        low ->
            new Dataset(
                org.gls.low.Dataset.open(
                    low,
                    place,
                    options.residency.number,
                    options.verify,
                    Interruptible.of(options.progress)),
                patience > 0 ? patience : -1));
  }

  // ---- devices ----

  /**
   * A view of this dataset that works on a device. Its samplers and loaders sample and deliver
   * there, unless they are given another device, and its {@link #rows} returns rows there. Creating
   * it copies and reads nothing, and does not change this dataset. All other results of the view
   * are on the host.
   *
   * <p>Columns that {@link #rows} was called for stay in memory of the device. Loaders use them
   * there, too. They stay until the last dataset that works on the device is closed.
   *
   * @param device a GPU, or {@link Device#HOST}
   * @return to be closed by the caller; neither dataset needs the other to stay open
   * @throws GlsException.Unsupported if this GPU does not exist, or GPUs cannot be used here; the
   *     text gives the reason
   */
  public Dataset on(Device device) {
    Objects.requireNonNull(device, "device");
    return new Dataset(handle.call(low -> low.onDevice(device.type(), device.index())), patience);
  }

  /**
   * As {@link #on(Device)}, by name.
   *
   * @param device see {@link Device#of}
   * @return to be closed by the caller
   */
  public Dataset on(String device) {
    return on(Device.of(device));
  }

  /**
   * Where it works.
   *
   * @return {@link Device#HOST} unless {@link #on} set another
   */
  public Device device() {
    return handle.call(low -> new Device(low.deviceType(), low.deviceId()));
  }

  // ---- stores ----

  /**
   * This graph with the columns and edge types of stores, which follow its own. A sampler or loader
   * makes the same batches as with arrays of the same contents. Nothing is asked before a batch
   * needs it.
   *
   * @param stores may be closed before the dataset
   * @return to be closed by the caller; neither dataset needs the other to stay open
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.AlreadyExists if the graph has a column or layout already
   * @throws GlsException.InvalidArgument if two stores do not agree
   * @throws GlsException.Unsupported for neighbours of a graph in parts or on servers
   */
  public Dataset withStores(Store... stores) {
    return new Dataset(
        Store.callWith(stores, list -> handle.call(low -> low.withStores(list))), patience);
  }

  // ---- description ----

  Structure structure() {
    if (handle.isClosed()) {
      throw handle.closed();
    }
    return structure;
  }

  /**
   * The node types, with their columns and id sets.
   *
   * @return in the dataset's order
   */
  public List<NodeType> nodeTypes() {
    return structure().nodeTypes();
  }

  /**
   * The edge types, with their columns and layouts.
   *
   * @return in the dataset's order
   */
  public List<EdgeType> edgeTypes() {
    return structure().edgeTypes();
  }

  /**
   * A node type.
   *
   * @param name null: the only one
   * @return its description
   * @throws GlsException.NotFound if no node type has this name
   */
  public NodeType nodeType(String name) {
    return structure().nodeType(name);
  }

  /**
   * An edge type.
   *
   * @param name null: the only one
   * @return its description
   * @throws GlsException.NotFound if no edge type has this name
   */
  public EdgeType edgeType(String name) {
    return structure().edgeType(name);
  }

  /**
   * Number of nodes of the only type.
   *
   * @return 0 or more
   */
  public long numNodes() {
    return nodeType(null).numNodes();
  }

  /**
   * Number of edges of the only type.
   *
   * @return 0 or more
   */
  public long numEdges() {
    return edgeType(null).numEdges();
  }

  // ---- arrays ----

  /**
   * A whole column of a node type, in place and read-only.
   *
   * @param type null: the only one
   * @param name of the column
   * @return [nodes, ...]; rows may be padded
   */
  public Tensor nodeColumn(String type, String name) {
    return array(NODE_COLUMN, type, Objects.requireNonNull(name, "name"));
  }

  /**
   * A whole column of an edge type, in place and read-only.
   *
   * @param type null: the only one
   * @param name of the column
   * @return [edges, ...], by edge id; rows may be padded
   */
  public Tensor edgeColumn(String type, String name) {
    return array(EDGE_COLUMN, type, Objects.requireNonNull(name, "name"));
  }

  /**
   * The ids of a named set of nodes, in place and read-only.
   *
   * @param type null: the only one
   * @param name of the set
   * @return [ids], INT64 or INT32
   */
  public Tensor idSet(String type, String name) {
    return array(ID_SET, type, Objects.requireNonNull(name, "name"));
  }

  /**
   * A stored topology, in place and read-only.
   *
   * @param type null: the only one
   * @param layout CSC gives the sources of each target's edges, CSR the targets of each source's
   * @return its arrays
   * @throws GlsException.NotFound if it is not stored
   */
  public Topology topology(String type, Layout layout) {
    int first = layout == Layout.CSC ? CSC : CSR;
    Tensor indptr = array(first, type, null);
    try {
      Tensor indices = array(first + 1, type, null);
      Optional<Tensor> ids;
      try {
        ids = Optional.of(array(first + 2, type, null));
      } catch (GlsException.NotFound positions) {
        ids = Optional.empty();
      } catch (RuntimeException | Error error) {
        indices.close();
        throw error;
      }
      return new Topology(indptr, indices, ids);
    } catch (RuntimeException | Error error) {
      indptr.close();
      throw error;
    }
  }

  /**
   * The nodes of a type as a stream of Arrow batches, one node a row, ascending. Programs that have
   * Arrow for Java call {@link org.gls.arrow.ArrowStreams#nodes}, which names the fields.
   *
   * <p>The stream keeps the memory of the dataset. Id sets are not in it; quantised columns are
   * decoded.
   *
   * @param type null: the only one
   * @param stream address of an empty {@code ArrowArrayStream}, see Arrow's C stream interface; the
   *     caller calls its {@code release}
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.Unsupported for a graph in parts or on servers, and for a BFLOAT16 column,
   *     which Arrow has not
   */
  public void nodesToArrow(String type, long stream) {
    toArrow(stream, low -> low.nodesToArrow(type, stream));
  }

  /**
   * The edges of a type as a stream of Arrow batches, one edge a row, in ascending order of edge
   * ids. Programs that have Arrow for Java call {@link org.gls.arrow.ArrowStreams#edges}. Otherwise
   * as {@link #nodesToArrow}.
   *
   * <p>Where edge ids are not positions, this keeps 8 bytes for each edge, as {@link #findEdges}
   * does.
   *
   * @param type null: the only one
   * @param stream address of an empty {@code ArrowArrayStream}; the caller calls its {@code
   *     release}
   */
  public void edgesToArrow(String type, long stream) {
    toArrow(stream, low -> low.edgesToArrow(type, stream));
  }

  private void toArrow(long stream, Consumer<org.gls.low.Dataset> call) {
    if (stream == 0) {
      throw GlsException.invalid("stream", "the address is 0");
    }
    handle.run(call);
  }

  private Tensor array(int array, String type, String name) {
    return Tensor.of(handle.call(low -> low.tensor(array, type, name)));
  }

  // ---- questions ----

  /**
   * Both ends of edges.
   *
   * <p>Where edge ids of a type are not positions, the first call for the type reads all of them.
   * It keeps 8 bytes for each edge with the dataset.
   *
   * @param type of the edges; null: the only one
   * @param edges ids, INT32 or INT64 [edges]
   * @return to be closed by the caller
   * @throws GlsException.InvalidArgument for an id out of range, naming its position
   */
  public EdgeEnds findEdges(String type, Tensor edges) {
    Objects.requireNonNull(edges, "edges");
    return edges.handle().call(ids -> handle.call(low -> EdgeEnds.of(low.findEdges(type, ids))));
  }

  /**
   * Whether there is an edge from each source to its target.
   *
   * @param type of the edges; null: the only one
   * @param source nodes, INT32 or INT64 [pairs]
   * @param target nodes, INT32 or INT64 [pairs]
   * @return BOOL [pairs]
   * @throws GlsException.InvalidArgument for a node out of range, naming its position
   */
  public Tensor hasEdges(String type, Tensor source, Tensor target) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(target, "target");
    return source
        .handle()
        .call(
            from ->
                target
                    .handle()
                    .call(to -> Tensor.of(handle.call(low -> low.hasEdges(type, from, to)))));
  }

  /**
   * How many edges come in to targets, or go out from sources. Reads all edges where the layout
   * that has them by node is not stored: CSC for IN, CSR for OUT.
   *
   * @param type of the edges; null: the only one
   * @param direction which edges
   * @param nodes INT32 or INT64 [nodes]; null: all at that end
   * @return INT64 [nodes]
   * @throws GlsException.InvalidArgument for a node out of range, naming its position
   */
  public Tensor degrees(String type, Direction direction, Tensor nodes) {
    int number = Objects.requireNonNull(direction, "direction").number;
    return callWith(nodes, ids -> Tensor.of(handle.call(low -> low.degrees(type, number, ids))));
  }

  /**
   * Rows of a column by id. In a graph in parts they come from the owners of the ids, each row
   * once, however often its id is given. A quantised column is decoded.
   *
   * <p>A dataset {@link #on} a GPU gathers them as loaders do, from the place that the settings
   * "device.*" choose for the column. The first call for the column places it there. Rows of a
   * graph on servers are copied to the GPU.
   *
   * @param type node or edge type; null: the only node type
   * @param column its name
   * @param ids INT32 or INT64 [ids] nodes or edges, in any order, more than once, too
   * @return [ids, ...] of the column's type, in memory of their own on the {@link #device}; to be
   *     closed by the caller
   * @throws GlsException.NotFound if there is no such type or column, or a part that is open by
   *     itself has no row for an id
   * @throws GlsException.InvalidArgument for an id out of range, naming its position
   */
  public Tensor rows(String type, String column, Tensor ids) {
    Objects.requireNonNull(column, "column");
    Objects.requireNonNull(ids, "ids");
    return ids.handle().call(given -> Tensor.of(handle.call(low -> low.rows(type, column, given))));
  }

  /**
   * The part that owns each node or edge. An edge belongs to the owner of its target where the
   * layout CSC is stored, else to that of its source. In a dataset without parts all are 0. A part
   * that is open by itself uses its own ids: the result is the part's number, or -1 where another
   * part is the owner.
   *
   * @param type node or edge type; null: the only node type
   * @param ids INT32 or INT64 [ids]
   * @return INT32 [ids], to be closed by the caller
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.InvalidArgument for an id out of range, naming its position
   */
  public Tensor owners(String type, Tensor ids) {
    Objects.requireNonNull(ids, "ids");
    return ids.handle().call(given -> Tensor.of(handle.call(low -> low.owners(type, given))));
  }

  /**
   * A trainer's share of some ids, to be the seeds of its loader. Shares are even: they differ by
   * one id at most, and together they are all of the ids. Each has as many ids of the trainer's own
   * part as fit. Every trainer computes its share from equal arguments, without asking another. In
   * a dataset without parts, and in a part that is open by itself, shares are runs of the given
   * order.
   *
   * <p>The ranks of a part are consecutive, as launchers number the trainers of one machine. With
   * more parts than ranks, the parts of a rank are consecutive.
   *
   * @param type node or edge type; null: the only node type
   * @param ids INT32 or INT64 [ids], in any order; null: all of the type
   * @param rank 0 .. worldSize - 1
   * @param worldSize number of trainers
   * @return INT64, in the given order; to be closed by the caller
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.InvalidArgument for a number out of range
   */
  public Tensor shareIds(String type, Tensor ids, int rank, int worldSize) {
    return shareIds(type, ids, rank, worldSize, null);
  }

  /**
   * As {@link #shareIds(String, Tensor, int, int)}, with ranks whose parts are given.
   *
   * @param type node or edge type; null: the only node type
   * @param ids INT32 or INT64 [ids], in any order; null: all of the type
   * @param rank 0 .. worldSize - 1
   * @param worldSize number of trainers
   * @param rankParts INT32 or INT64 [worldSize] the part of each rank, equal for all trainers;
   *     null: ranks in order
   * @return INT64, in the given order; to be closed by the caller
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.InvalidArgument for a number out of range, or a wrong number of parts
   */
  public Tensor shareIds(String type, Tensor ids, int rank, int worldSize, Tensor rankParts) {
    if (rank < 0) {
      throw GlsException.invalid("rank", rank + " is negative");
    }
    if (worldSize < 0) {
      throw GlsException.invalid("worldSize", worldSize + " is negative");
    }
    return callWith(
        ids,
        given ->
            callWith(
                rankParts,
                parts ->
                    Tensor.of(
                        handle.call(low -> low.shareIds(type, given, rank, worldSize, parts)))));
  }

  private static <R> R callWith(Tensor tensor, Handle.Call<org.gls.low.Tensor, R> call) {
    return tensor == null ? call.on(null) : tensor.handle().call(call);
  }

  /**
   * One split of a random split of all edges of a type. The edges are not copied. It lists its
   * links, and the links that a loader must exclude, so that no link is seen before its time.
   *
   * @param type of the edges; null: the only one
   * @param options the same for all splits
   * @param split which
   * @return to be closed by the caller
   * @throws GlsException.InvalidArgument for sizes that leave none for training
   */
  public LinkPart splitLinks(String type, LinkSplit options, Split split) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(split, "split");
    return handle.call(low -> options.links(low, type, split));
  }

  /**
   * The part of each id, by hash: a function of the id and the seed alone. So it does not change
   * when other ids are added or removed.
   *
   * @param ids any numbers, INT32 or INT64 [ids]
   * @param seed other seeds, other splits
   * @param shares what each part gets, relative to their sum
   * @return UINT8 [ids]: 0 for the first part
   * @throws GlsException.InvalidArgument for shares that are negative, not finite or all 0
   */
  public static Tensor splitIds(Tensor ids, long seed, double... shares) {
    org.gls.low.SplitShares low = new org.gls.low.SplitShares();
    try {
      for (double share : shares) {
        low.add(share);
      }
      return Tensor.of(ids.handle().call(given -> low.split(given, seed)));
    } finally {
      low.delete();
    }
  }

  // ---- rows that training changes ----

  /**
   * Makes a table, or attaches to the existing one of this type and name, which then must match the
   * options. A table of a dataset in this process lives as long as the dataset, even when this
   * table is closed. A table at servers lives until it is dropped or a server ends.
   *
   * @param type node or edge type; null: the only node type
   * @param name the rules for names of columns apply
   * @param options what the table is, and which trainer this is
   * @return to be closed by the caller; the table itself stays
   * @throws GlsException.InvalidArgument for an option, such as several trainers for a dataset that
   *     no server serves
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.AlreadyExists if a different table of this name exists; the message names
   *     the difference
   * @throws GlsException.OutOfMemory if memory of this process, or a server's memory for tables,
   *     does not suffice
   * @throws GlsException.Unsupported if no server or several servers of a part hold tables. Also if
   *     this is a part that is open by itself, or the optimiser needs FLOAT32. Also for edges
   *     without columns of a graph in parts
   */
  public Table table(String type, String name, TableOptions options) {
    return Table.open(this, type, name, Objects.requireNonNull(options, "options"));
  }

  /**
   * Attaches to an existing table, to read and write its rows. It takes no steps.
   *
   * @param type node or edge type; null: the only node type
   * @param name of the table
   * @return to be closed by the caller; the table itself stays
   * @throws GlsException.NotFound if there is no such type or table
   */
  public Table table(String type, String name) {
    return Table.open(this, type, name, null);
  }

  // ---- parts ----

  /**
   * Which part of a graph this is, if it was opened from a folder of parts.
   *
   * @return empty: it is no part
   */
  public Optional<PartInfo> part() {
    return handle.call(
        low -> {
          long parts = low.numParts();
          return parts == 0
              ? Optional.empty()
              : Optional.of(new PartInfo((int) low.partNumber(), (int) parts, low.partGraph()));
        });
  }

  /**
   * How many parts the graph has, and which of them are local. A part is local if this process
   * reads its rows without a request to a server:
   *
   * <ul>
   *   <li>A folder of parts that is open as a whole: all parts.
   *   <li>A graph on servers: the parts of servers in this process, and parts that are mapped from
   *       the files of servers on this host. There may be none.
   *   <li>A dataset without parts: part 0 of one.
   *   <li>A part that is open by itself: the parts of its graph, and its own number.
   * </ul>
   *
   * @return as it was when the dataset was opened
   */
  public Parts parts() {
    return handle.call(low -> Parts.of(low.parts()));
  }

  /**
   * The ids of a part in the whole graph. Columns with role FEATURE or LABEL have rows for the
   * first ids only, at least for the owned ones. Reading rows of others is an error.
   *
   * @param type node or edge type; null: the only node type
   * @return in place and read-only; to be closed by the caller
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.Unsupported if this is no part
   */
  public GlobalIds globalIds(String type) {
    return handle.call(low -> GlobalIds.of(low.globalIds(type)));
  }

  // ---- original ids ----

  /**
   * The node that had this name when the data was imported.
   *
   * @param type null: the only one
   * @param key text, or an integer in decimal
   * @return its id
   * @throws GlsException.NotFound if there was none
   * @throws GlsException.Unsupported if the type kept no original ids
   */
  public long findNode(String type, String key) {
    Objects.requireNonNull(key, "key");
    return handle.call(low -> low.findNode(type, key));
  }

  /**
   * The key of a node in the imported data.
   *
   * @param type null: the only one
   * @param node its id
   * @return text, or an integer in decimal
   * @throws GlsException.Unsupported if the type kept no original ids
   */
  public String nodeKey(String type, long node) {
    return handle.call(low -> low.nodeKey(type, node));
  }

  // ---- functions of its servers ----

  /**
   * As {@link #call(int, String, byte[], CallOptions)} with default options.
   *
   * @param part of the graph, which was opened by "gls://..."
   * @param function its name there
   * @param data what it is given; null: no bytes
   * @return its answer
   */
  public byte[] call(int part, String function, byte[] data) {
    return call(part, function, data, CallOptions.DEFAULTS);
  }

  /**
   * Calls a function of a server that has a part, see {@link Server#function}, and waits for the
   * answer.
   *
   * @param part of the graph, which was opened by "gls://..."
   * @param function its name there
   * @param data bytes for the function; null: no bytes
   * @param options how it is called
   * @return its answer
   * @throws GlsException.NotFound if this function does not exist; the message names the existing
   *     ones
   * @throws GlsException.TimedOut if no answer arrives in time
   * @throws GlsException.IoError if the process is lost
   * @throws GlsException.Unsupported if no server serves this dataset
   * @throws GlsException as the function threw it, if it threw one; any other exception becomes
   *     {@link GlsException.InvalidArgument}
   * @throws GlsException.Interrupted if the thread is interrupted; its flag stays set
   */
  public byte[] call(int part, String function, byte[] data, CallOptions options) {
    return Futures.await(begin(part, function, data, options), Futures::first);
  }

  /**
   * As {@link #callAsync(int, String, byte[], CallOptions)} with default options.
   *
   * @param part of the graph, which was opened by "gls://..."
   * @param function its name there
   * @param data bytes for the function; null: no bytes
   * @return its answer, later
   */
  public CompletableFuture<byte[]> callAsync(int part, String function, byte[] data) {
    return callAsync(part, function, data, CallOptions.DEFAULTS);
  }

  /**
   * As {@link #call(int, String, byte[], CallOptions)} without waiting. It is completed by the
   * common pool.
   *
   * @param part of the graph, which was opened by "gls://..."
   * @param function its name there
   * @param data bytes for the function; null: no bytes
   * @param options how it is called
   * @return its answer, later; cancelling it cancels the call
   */
  public CompletableFuture<byte[]> callAsync(
      int part, String function, byte[] data, CallOptions options) {
    return Futures.future(begin(part, function, data, options), Futures::first);
  }

  private Future begin(int part, String function, byte[] data, CallOptions options) {
    Objects.requireNonNull(function, "function");
    long millis = options.timeoutMillis;
    boolean again = options.idempotent;
    if (part < 0) {
      throw GlsException.invalid("part", part + ", expected at least 0");
    }
    return handle.call(
        low -> Futures.withBytes(data, bytes -> low.call(part, function, bytes, millis, again)));
  }

  // ---- long calls ----

  /**
   * Reads everything and checks that it is sound; stops at the first fault.
   *
   * @throws GlsException.CorruptData naming file, position and value
   */
  public void verify() {
    verify(null);
  }

  /**
   * As {@link #verify()}. Interrupting the thread ends it.
   *
   * @param progress null: it is not reported
   */
  public void verify(Progress progress) {
    handle.run(low -> low.verify(Interruptible.of(progress)));
  }

  /**
   * Writes the dataset to a new folder, which appears complete or not at all.
   *
   * @param path the folder
   * @throws GlsException.FileExists if the folder exists
   */
  public void save(Path path) {
    save(path, new WriteOptions());
  }

  /**
   * Writes the dataset to a new folder, which appears complete or not at all. Interrupting the
   * thread ends it.
   *
   * @param path the folder
   * @param options how
   */
  public void save(Path path, WriteOptions options) {
    Objects.requireNonNull(path, "path");
    org.gls.low.WriteOptions lowOptions = options.low();
    try {
      handle.run(low -> low.save(path.toString(), lowOptions, options.progress()));
    } finally {
      lowOptions.delete();
    }
  }

  /**
   * As {@link #export(String, Path, ExportOptions)} with default options.
   *
   * @param format "parquet", "pyg", "dgl" or "graphbolt"
   * @param path a folder; a file for "pyg", and for "dgl" with the choice form=graph
   */
  public void export(String format, Path path) {
    export(format, path, new ExportOptions());
  }

  /**
   * Writes the dataset as files of another system. Needs the plugin libgls_formats.so. Ids, the
   * order of edge ids, types and bits are kept. The files appear under their names when all of them
   * are complete. Interrupting the thread ends it.
   *
   * @param format "parquet", "pyg", "dgl" or "graphbolt"
   * @param path a folder; a file for "pyg", and for "dgl" with the choice form=graph
   * @param options how
   * @throws GlsException.InvalidArgument for an unknown format or choice
   * @throws GlsException.AlreadyExists if something is there
   * @throws GlsException.Unsupported if the plugin is missing, or the format has no place for
   *     contents
   */
  public void export(String format, Path path, ExportOptions options) {
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(path, "path");
    handle.run(low -> options.export(low, format, path.toString()));
  }

  /**
   * Verifies the dataset, cuts the graph, and writes its parts to a new folder, which appears
   * complete or not at all; see {@link Partition}. Interrupting the thread ends it.
   *
   * @param path the folder
   * @param options how
   * @throws GlsException.InvalidArgument for a number of parts out of range, or an owner that is no
   *     part
   * @throws GlsException.NotFound if there is no such id set
   * @throws GlsException.Unsupported if this is a part, METIS is not installed, or the graph is too
   *     large for it
   * @throws GlsException.CorruptData if the dataset or the file of owners is damaged
   * @throws GlsException.FileExists if the folder is there
   */
  public void partition(Path path, PartitionOptions options) {
    Objects.requireNonNull(path, "path");
    org.gls.low.PartitionOptions lowOptions = options.low();
    try {
      handle.run(low -> low.partition(path.toString(), lowOptions, options.progress()));
    } finally {
      lowOptions.delete();
    }
  }

  /** Lets go of the dataset. Samplers, loaders and tensors made from it stay usable. */
  @Override
  public void close() {
    cleanable.clean();
  }

  @Override
  public String toString() {
    if (handle.isClosed()) {
      return "Dataset(closed)";
    }
    StringBuilder out = new StringBuilder("Dataset(");
    for (NodeType type : structure.nodeTypes()) {
      out.append(type.name()).append(": ").append(type.numNodes()).append(" nodes, ");
    }
    for (EdgeType type : structure.edgeTypes()) {
      out.append(type.name()).append(": ").append(type.numEdges()).append(" edges, ");
    }
    out.setLength(Math.max(out.length() - 2, "Dataset(".length()));
    return out.append(")").toString();
  }
}
