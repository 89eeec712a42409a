package org.gls;

/**
 * Both ends of some edges; see {@link Dataset#findEdges}.
 *
 * @param source node ids, INT64 [edges]
 * @param target node ids, INT64 [edges]
 */
public record EdgeEnds(Tensor source, Tensor target) implements AutoCloseable {
  /** Takes {@code low}. */
  static EdgeEnds of(org.gls.low.EdgeEnds low) {
    try {
      Tensor source = Tensor.of(low.source());
      try {
        return new EdgeEnds(source, Tensor.of(low.target()));
      } catch (RuntimeException | Error error) {
        source.close();
        throw error;
      }
    } finally {
      low.delete();
    }
  }

  /** Closes the tensors. */
  @Override
  public void close() {
    source.close();
    target.close();
  }
}
