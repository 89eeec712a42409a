package org.gls;

/**
 * What one layer of a model computes: the states of the output nodes, from those of the input
 * nodes.
 *
 * <p>With L hops, blocks are numbered l = 0 .. L-1. The outputs of block l are the seeds and the
 * nodes of the first L-1-l hops. Its inputs are these nodes and those of one more hop. Both are in
 * the order of the batch, so the outputs are the first of the inputs. The outputs of one block are
 * the inputs of the next.
 *
 * <p>All arrays but {@link #indptr} are views of the batch's arrays. Each node's edges were sampled
 * once, when it was expanded, and are equal in all blocks that compute it. Padding is left out.
 *
 * <p>Messages go toward the seeds: with {@link Direction#OUT} that is against the edges, and then
 * {@link #src} are nodes of the type of their targets. The tensors are closed with the batch.
 */
public final class Block {
  // GLS_BLOCK_*
  private static final int SRC_NODE = 0;
  private static final int DST_NODE = 1;
  private static final int SRC = 2;
  private static final int DST = 3;
  private static final int INDPTR = 4;
  private static final int EDGE = 5;

  private final Batch batch;
  private final int layer;

  Block(Batch batch, int layer) {
    this.batch = batch;
    this.layer = layer;
  }

  /**
   * Number of the layer.
   *
   * @return 0 for the one that is computed first, and has the most nodes
   */
  public int layer() {
    return layer;
  }

  /**
   * Dataset ids of the nodes that the layer reads: the beginning of {@link NodeArrays#node}.
   *
   * @param type node type; null: the only one
   * @return [inputs], INT64 or INT32
   */
  public Tensor inputNodes(String type) {
    return batch.blockTensor(layer, SRC_NODE, type);
  }

  /**
   * Dataset ids of the nodes that the layer computes: the beginning of the same.
   *
   * @param type node type; null: the only one
   * @return [outputs], INT64 or INT32
   */
  public Tensor outputNodes(String type) {
    return batch.blockTensor(layer, DST_NODE, type);
  }

  /**
   * Local id of the input node of each edge: with {@link #indptr} the block in CSC.
   *
   * @param type edge type; null: the only one
   * @return [edges], INT64 or INT32
   */
  public Tensor src(String type) {
    return batch.blockTensor(layer, SRC, type);
  }

  /**
   * Local id of the output node of each edge.
   *
   * @param type edge type; null: the only one
   * @return [edges], ascending, INT64 or INT32
   */
  public Tensor dst(String type) {
    return batch.blockTensor(layer, DST, type);
  }

  /**
   * Where the edges to each output node begin, and where the last end.
   *
   * @param type edge type; null: the only one
   * @return [outputs + 1], INT64 or INT32
   */
  public Tensor indptr(String type) {
    return batch.blockTensor(layer, INDPTR, type);
  }

  /**
   * Dataset id of each edge.
   *
   * @param type edge type; null: the only one
   * @return [edges], INT64 or INT32
   * @throws GlsException.NotFound if sampled without edge ids
   */
  public Tensor edge(String type) {
    return batch.blockTensor(layer, EDGE, type);
  }
}
