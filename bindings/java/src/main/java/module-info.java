/**
 * GLS: graph loading and sampling for training graph neural networks on mini-batches.
 *
 * <p>Everything is in {@link org.gls}, which needs nothing but Java. {@link org.gls.arrow} and
 * {@link org.gls.djl} are for programs that have Apache Arrow or the Deep Java Library.
 */
module org.gls {
  requires static ai.djl.api;
  requires static org.apache.arrow.c;
  requires static org.apache.arrow.memory.core;
  requires static org.apache.arrow.vector;

  exports org.gls;
  exports org.gls.arrow;
  exports org.gls.djl;
}
