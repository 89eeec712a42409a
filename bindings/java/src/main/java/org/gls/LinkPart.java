package org.gls;

/**
 * One part of a split of links; see {@link Dataset#splitLinks}.
 *
 * @param links ids of the edges that are links of this part, INT64 [links]: seeds of a loader of
 *     links, whose {@link Negatives} draw the negatives
 * @param exclude ids of the edges that loader must exclude, INT64 [edges]
 */
public record LinkPart(Tensor links, Tensor exclude) implements AutoCloseable {
  /** Takes {@code low}. */
  static LinkPart of(org.gls.low.LinkPart low) {
    try {
      Tensor links = Tensor.of(low.links());
      try {
        return new LinkPart(links, Tensor.of(low.exclude()));
      } catch (RuntimeException | Error error) {
        links.close();
        throw error;
      }
    } finally {
      low.delete();
    }
  }

  /** Closes the tensors. */
  @Override
  public void close() {
    links.close();
    exclude.close();
  }
}
