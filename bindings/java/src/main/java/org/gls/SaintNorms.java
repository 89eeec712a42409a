package org.gls;

/**
 * GraphSAINT's norms; see {@link NeighborLoader#saintNorms}.
 *
 * @param node FLOAT32 [nodes]: weighs the loss of each node
 * @param edge FLOAT32 [edges], by edge id: weighs its message; null where not asked for
 */
public record SaintNorms(Tensor node, Tensor edge) implements AutoCloseable {
  /** Takes {@code low}. */
  static SaintNorms of(org.gls.low.SaintNorms low) {
    try {
      Tensor node = Tensor.of(low.node());
      try {
        org.gls.low.Tensor edge = low.edge();
        return new SaintNorms(node, edge == null ? null : Tensor.of(edge));
      } catch (RuntimeException | Error error) {
        node.close();
        throw error;
      }
    } finally {
      low.delete();
    }
  }

  /** Closes the tensors. */
  @Override
  public void close() {
    node.close();
    if (edge != null) {
      edge.close();
    }
  }
}
