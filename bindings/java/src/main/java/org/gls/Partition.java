package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;

/**
 * A folder of parts, which {@link Dataset#partition} made: a graph cut for several machines. Part n
 * is the dataset in the folder "part-n", with ids of its own. Open it with {@link
 * Dataset#open(Path)}. Types and ids of this class are those of the whole graph.
 */
public final class Partition implements AutoCloseable {
  private final Handle<org.gls.low.Partition> handle;
  private final Cleaner.Cleanable cleanable;
  private final Description description;

  /**
   * A node type of the whole.
   *
   * @param name its name
   * @param numNodes how many nodes it has
   */
  public record NodeCount(String name, long numNodes) {}

  /**
   * An edge type of the whole.
   *
   * @param name "source__relation__target"
   * @param source node type
   * @param relation the middle of the name
   * @param target node type
   * @param numEdges how many edges it has
   */
  public record EdgeCount(
      String name, String source, String relation, String target, long numEdges) {}

  /** A partition's description, read once. */
  private record Description(
      int parts,
      String graph,
      String method,
      String options,
      List<NodeCount> nodeTypes,
      List<EdgeCount> edgeTypes) {
    static Description of(org.gls.low.Partition low) {
      List<NodeCount> nodes = new ArrayList<>();
      for (long type = 0; type < low.numNodeTypes(); ++type) {
        nodes.add(new NodeCount(low.nodeType(type), low.numNodes(type)));
      }
      List<EdgeCount> edges = new ArrayList<>();
      for (long type = 0; type < low.numEdgeTypes(); ++type) {
        edges.add(
            new EdgeCount(
                low.edgeType(type),
                low.edgeSource(type),
                low.edgeRelation(type),
                low.edgeTarget(type),
                low.numEdges(type)));
      }
      return new Description(
          (int) low.parts(),
          low.graph(),
          low.method(),
          low.options(),
          List.copyOf(nodes),
          List.copyOf(edges));
    }
  }

  /** Takes {@code low}. */
  private Partition(org.gls.low.Partition low) {
    try {
      description = Description.of(low);
    } catch (RuntimeException | Error error) {
      low.delete();
      throw error;
    }
    handle = new Handle<>("partition", low, org.gls.low.Partition::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * Opens a folder of parts in the default context: reads its description and maps the partition
   * book, which has the owner of each node. Parts are not opened.
   *
   * @param path the folder; it must not be changed while it is open
   * @return a new partition
   * @throws GlsException.FileNotFound if there is no such folder, or it holds no parts
   * @throws GlsException.CorruptData if files are damaged
   * @throws GlsException.IoError if the system refuses
   * @throws GlsException.Unsupported if the format is newer
   */
  public static Partition open(Path path) {
    return open(path, Context.getDefault());
  }

  /**
   * As {@link #open(Path)}.
   *
   * @param path the folder; it must not be changed while it is open
   * @param context instead of the default one
   * @return a new partition
   */
  public static Partition open(Path path, Context context) {
    Objects.requireNonNull(path, "path");
    return context.handle.call(
        low -> new Partition(org.gls.low.Partition.open(low, path.toString())));
  }

  // ---- description ----

  private Description description() {
    if (handle.isClosed()) {
      throw handle.closed();
    }
    return description;
  }

  /**
   * Number of parts.
   *
   * @return 1 to 65535
   */
  public int parts() {
    return description().parts();
  }

  /**
   * Names the partition.
   *
   * @return 16 hexadecimal digits
   */
  public String graph() {
    return description().graph();
  }

  /**
   * How owners were chosen.
   *
   * @return for people
   */
  public String method() {
    return description().method();
  }

  /**
   * With which options the graph was cut.
   *
   * @return for people
   */
  public String options() {
    return description().options();
  }

  /**
   * The node types of the whole.
   *
   * @return in its order
   */
  public List<NodeCount> nodeTypes() {
    return description().nodeTypes();
  }

  /**
   * The edge types of the whole.
   *
   * @return in its order
   */
  public List<EdgeCount> edgeTypes() {
    return description().edgeTypes();
  }

  /**
   * The part that owns each of some nodes.
   *
   * @param nodeType null: the only one
   * @param ids of the whole, INT32 or INT64 [ids]
   * @return INT32 [ids], to be closed by the caller
   * @throws GlsException.NotFound if there is no such type
   * @throws GlsException.InvalidArgument for an id out of range, with its value
   * @throws GlsException.CorruptData if the book is damaged
   */
  public Tensor owners(String nodeType, Tensor ids) {
    Objects.requireNonNull(ids, "ids");
    return ids.handle().call(given -> Tensor.of(handle.call(low -> low.owners(nodeType, given))));
  }

  // ---- long calls ----

  /**
   * Writes the whole again, to a new folder: the one that {@link Dataset#save(Path)} would have
   * written of it, byte for byte.
   *
   * @param path the folder, which appears complete or not at all
   * @throws GlsException.CorruptData if the parts do not make up the whole, naming file, type and
   *     id
   * @throws GlsException.FileExists if the folder exists
   */
  public void merge(Path path) {
    merge(path, false, null);
  }

  /**
   * As {@link #merge(Path)}. Interrupting the thread ends it.
   *
   * @param path the folder, which appears complete or not at all
   * @param overwrite whether an existing dataset may be replaced
   * @param progress null: it is not reported
   */
  public void merge(Path path, boolean overwrite, Progress progress) {
    Objects.requireNonNull(path, "path");
    handle.run(low -> low.merge(path.toString(), overwrite, Interruptible.of(progress)));
  }

  /**
   * Reads everything and checks that each part is sound. Every node and edge must have one owner,
   * and the owned ones must make up the whole. Stops at the first fault.
   *
   * @throws GlsException.CorruptData naming file, type and id
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

  /** Lets go of the partition. Tensors made from it stay usable. */
  @Override
  public void close() {
    cleanable.clean();
  }

  @Override
  public String toString() {
    if (handle.isClosed()) {
      return "Partition(closed)";
    }
    return "Partition(" + parts() + " parts by " + method() + ", " + graph() + ")";
  }
}
