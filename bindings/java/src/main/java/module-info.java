/**
 * GLS: graph loading and sampling for training graph neural networks on mini-batches.
 *
 * <p>Everything public is in {@link org.gls}.
 */
module org.gls {
  exports org.gls;
}
