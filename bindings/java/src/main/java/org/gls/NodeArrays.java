package org.gls;

import java.util.List;
import java.util.Objects;

/** The arrays of a batch for one node type. */
public final class NodeArrays {
  private final Batch batch;
  private final String type;

  NodeArrays(Batch batch, String type) {
    this.batch = batch;
    this.type = type;
  }

  /**
   * The node type.
   *
   * @return its name
   */
  public String type() {
    return type;
  }

  /**
   * Dataset ids: distinct seeds first, then in the order of sampling.
   *
   * @return [nodes], INT64 or INT32
   */
  public Tensor node() {
    return batch.tensor(ArrayKind.NODE, type, null);
  }

  /**
   * Local id of each seed as given; repeated seeds share one, unless disjoint.
   *
   * @return [seeds], INT64 or INT32
   */
  public Tensor seed() {
    return batch.tensor(ArrayKind.SEED, type, null);
  }

  /**
   * Position of the seed in whose tree a node is.
   *
   * @return [nodes], INT64 or INT32
   * @throws GlsException.NotFound if sampled neither disjoint nor by times
   */
  public Tensor tree() {
    return batch.tensor(ArrayKind.TREE, type, null);
  }

  /**
   * Position of each seed in the loader's seeds.
   *
   * @return [seeds], INT64
   * @throws GlsException.NotFound for batches of a sampler, types without seeds, and where links
   *     are seeds, see {@link EdgeArrays#input}
   */
  public Tensor input() {
    return batch.tensor(ArrayKind.INPUT, type, null);
  }

  /**
   * Time of each seed as given.
   *
   * @return [seeds], INT64
   * @throws GlsException.NotFound if not sampled by times
   */
  public Tensor seedTime() {
    return batch.tensor(ArrayKind.SEED_TIME, type, null);
  }

  /**
   * Walks, those of a seed together: local ids of their nodes, the seed first, -1 after the end.
   * The columns have the node types that the path gives them.
   *
   * @return [seeds * walks, length + 1], INT64 or INT32
   * @throws GlsException.NotFound if no walks begin at this type
   */
  public Tensor walk() {
    return batch.tensor(ArrayKind.WALK, type, null);
  }

  /**
   * The edge of each step of the {@link #walk walks}: dataset ids, -1 where none was followed.
   *
   * @return [seeds * walks, length], INT64 or INT32
   * @throws GlsException.NotFound if no walks begin at this type, or without edge ids
   */
  public Tensor walkEdge() {
    return batch.tensor(ArrayKind.WALK_EDGE, type, null);
  }

  /**
   * Which are nodes of the batch, and no padding.
   *
   * @return [N], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}
   */
  public Tensor mask() {
    return batch.tensor(ArrayKind.NODE_MASK, type, null);
  }

  /**
   * Which are seeds, and no padding.
   *
   * @return [B], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}, or
   *     the seeds are of another type
   */
  public Tensor seedMask() {
    return batch.tensor(ArrayKind.SEED_MASK, type, null);
  }

  /**
   * Which rows are walks, and no padding.
   *
   * @return [seeds * walks], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}, or
   *     no walks begin at this type
   */
  public Tensor walkMask() {
    return batch.tensor(ArrayKind.WALK_MASK, type, null);
  }

  /**
   * Which are neighbours, and no padding.
   *
   * @return [K], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}, or
   *     finds no neighbours of this type
   */
  public Tensor nearMask() {
    return batch.tensor(ArrayKind.NEAR_MASK, type, null);
  }

  /**
   * Which rows of labels are of anchors, and no padding.
   *
   * @return [anchors], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}, or
   *     anchors are of another type
   */
  public Tensor anchorMask() {
    return batch.tensor(ArrayKind.ANCHOR_MASK, type, null);
  }

  /**
   * The local id of the seed that each neighbour belongs to. Edges do not express these neighbours.
   * The sampler must have {@link Importance}, for the seeds' type, or {@link Ppr}, for every type.
   *
   * @return local ids in the seeds' type [neighbours], INT64 or INT32
   * @throws GlsException.NotFound if the sampler finds none of this type
   */
  public Tensor nearSeed() {
    return batch.tensor(ArrayKind.NEAR_SEED, type, null);
  }

  /**
   * The neighbours that edges do not express, see {@link #nearSeed}.
   *
   * @return local ids [neighbours], INT64 or INT32
   * @throws GlsException.NotFound if the sampler finds none of this type
   */
  public Tensor nearNode() {
    return batch.tensor(ArrayKind.NEAR_NODE, type, null);
  }

  /**
   * Two numbers for each of {@link #nearNode}. Importance: the share of the node's visits that the
   * neighbour has, and their number. PPR: the score, and 1 / (1 + steps from the seed); with {@link
   * Ppr#channel channels} the highest of each, then three more for each channel.
   *
   * @return [neighbours, 2], or [neighbours, 2 + 3 * channels], FLOAT32
   * @throws GlsException.NotFound if the sampler finds none of this type
   */
  public Tensor nearScore() {
    return batch.tensor(ArrayKind.NEAR_SCORE, type, null);
  }

  /**
   * Distinct seeds, then new nodes of each hop; of walks and PPR, the seeds and all others.
   *
   * @return hops + 1 counts, a copy
   */
  public long[] numSampledNodes() {
    return batch.tensor(ArrayKind.NUM_NODES, type, null).toLongs();
  }

  /**
   * Number of nodes of this type.
   *
   * @return 0 or more
   */
  public long numNodes() {
    return node().size();
  }

  /**
   * A gathered column.
   *
   * @param name its name
   * @return [nodes, ...] or [seeds, ...]
   * @throws GlsException.NotFound if it was not gathered
   */
  public Tensor column(String name) {
    return batch.tensor(ArrayKind.NODE_COLUMN, type, Objects.requireNonNull(name, "name"));
  }

  /**
   * Names of the columns that were gathered.
   *
   * @return in the library's order
   */
  public List<String> columns() {
    return batch.columns(ArrayKind.NODE_COLUMN, type);
  }
}
