package org.gls;

import java.util.List;
import java.util.Objects;

/** The arrays of a batch for one edge type. */
public final class EdgeArrays {
  private final Batch batch;
  private final String type;

  EdgeArrays(Batch batch, String type) {
    this.batch = batch;
    this.type = type;
  }

  /**
   * The edge type.
   *
   * @return "source__relation__target"
   */
  public String type() {
    return type;
  }

  /**
   * Local id of each edge's source.
   *
   * @return [edges], INT64 or INT32
   */
  public Tensor row() {
    return batch.tensor(ArrayKind.ROW, type, null);
  }

  /**
   * Local id of each edge's target.
   *
   * @return [edges], INT64 or INT32
   */
  public Tensor col() {
    return batch.tensor(ArrayKind.COL, type, null);
  }

  /**
   * Both ends of each edge: {@link #row} and {@link #col}, in the same memory.
   *
   * @return [2, edges], INT64 or INT32
   */
  public Tensor edgeIndex() {
    return batch.tensor(ArrayKind.EDGE_INDEX, type, null);
  }

  /**
   * Dataset id of each edge.
   *
   * @return [edges], INT64 or INT32
   * @throws GlsException.NotFound if sampled without edge ids
   */
  public Tensor edge() {
    return batch.tensor(ArrayKind.EDGE, type, null);
  }

  /**
   * Local id of each link's source, then those of negative pairs.
   *
   * @return [links and pairs], INT64 or INT32
   * @throws GlsException.NotFound if no links of this type are seeds
   */
  public Tensor linkSource() {
    return batch.tensor(ArrayKind.LINK_SOURCE, type, null);
  }

  /**
   * Local id of each link's target, then those of negative pairs.
   *
   * @return [links and pairs], INT64 or INT32
   * @throws GlsException.NotFound if no links of this type are seeds
   */
  public Tensor linkTarget() {
    return batch.tensor(ArrayKind.LINK_TARGET, type, null);
  }

  /**
   * Local ids of the targets drawn for each link, -1 where there is none.
   *
   * @return [links, amount], INT64 or INT32
   * @throws GlsException.NotFound if sampled without {@link Negatives#triplet}, or no links of this
   *     type are seeds
   */
  public Tensor linkNegative() {
    return batch.tensor(ArrayKind.LINK_NEGATIVE, type, null);
  }

  /**
   * Labels of the links, then 0 for each negative pair. Where none were given, pairs make them 1
   * and 0 in FLOAT32.
   *
   * @return [links and pairs], of the type of those given
   * @throws GlsException.NotFound if there are neither labels nor {@link Negatives#binary}, or no
   *     links of this type are seeds
   */
  public Tensor linkLabel() {
    return batch.tensor(ArrayKind.LINK_LABEL, type, null);
  }

  /**
   * Position of each link in the loader's seeds.
   *
   * @return [links], INT64
   * @throws GlsException.NotFound for batches of a sampler, and types without links that are seeds
   */
  public Tensor input() {
    return batch.tensor(ArrayKind.INPUT, type, null);
  }

  /**
   * Which are edges of the batch, and no padding.
   *
   * @return [E], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}
   */
  public Tensor mask() {
    return batch.tensor(ArrayKind.EDGE_MASK, type, null);
  }

  /**
   * Which are links or negative pairs, and no padding. The first are links, as many as a batch has;
   * the others are pairs.
   *
   * @return [links and pairs], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}, or
   *     no links of this type are seeds
   */
  public Tensor linkMask() {
    return batch.tensor(ArrayKind.LINK_MASK, type, null);
  }

  /**
   * Which targets of triplets were drawn.
   *
   * @return [links, amount], BOOL
   * @throws GlsException.NotFound if the loader does not {@link NeighborLoader.Builder#pad pad}, or
   *     draws no triplets for links of this type
   */
  public Tensor linkNegativeMask() {
    return batch.tensor(ArrayKind.LINK_NEGATIVE_MASK, type, null);
  }

  /**
   * Edges of each hop; of an induced subgraph all edges together.
   *
   * @return one count for each hop, or one of all; a copy
   */
  public long[] numSampledEdges() {
    return batch.tensor(ArrayKind.NUM_EDGES, type, null).toLongs();
  }

  /**
   * Number of edges of this type.
   *
   * @return 0 or more
   */
  public long numEdges() {
    return row().size();
  }

  /**
   * A gathered column.
   *
   * @param name its name
   * @return [edges, ...]
   * @throws GlsException.NotFound if it was not gathered
   */
  public Tensor column(String name) {
    return batch.tensor(ArrayKind.EDGE_COLUMN, type, Objects.requireNonNull(name, "name"));
  }

  /**
   * Names of the columns that were gathered.
   *
   * @return in the library's order
   */
  public List<String> columns() {
    return batch.columns(ArrayKind.EDGE_COLUMN, type);
  }
}
