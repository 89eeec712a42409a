package org.gls;

import java.util.Optional;

/**
 * Neighbours by node, as stored; see {@link Dataset#topology}.
 *
 * @param indptr where the neighbours of each node begin
 * @param indices the neighbours
 * @param edgeIds id of each edge; empty when that is its position in {@code indices}
 */
public record Topology(Tensor indptr, Tensor indices, Optional<Tensor> edgeIds)
    implements AutoCloseable {
  /** Closes the tensors. */
  @Override
  public void close() {
    indptr.close();
    indices.close();
    edgeIds.ifPresent(Tensor::close);
  }
}
