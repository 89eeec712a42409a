package org.gls;

import java.util.LinkedHashMap;
import java.util.Map;
import org.gls.low.LoaderOptions;

/**
 * Batches of one shape, for programs that are compiled for fixed shapes.
 *
 * <p>Padding has these values:
 *
 * <ul>
 *   <li>Nodes have the id -1 and zeros in all columns.
 *   <li>Edges have the id -1, and go from and to the first padding node.
 *   <li>Seeds are filled up to the batch size with the first padding node. So are both ends of
 *       links, whose labels are zeros. Negative pairs begin after as many links as a batch has.
 *   <li>Walks are filled up with walks that ended at once, and neighbours with the first padding
 *       node.
 *   <li>Labels of anchors are filled up with rows of -1. The edge types of these labels then need a
 *       most number of edges.
 * </ul>
 *
 * <p>Masks mark the real entries. A batch that is too large keeps its own shapes and has {@link
 * Padding#OVERFLOW}.
 */
public final class Pad {
  private final Map<String, Long> sizes = new LinkedHashMap<>();
  private int batches;
  private int multiple;
  private double sigma;

  private Pad() {}

  /**
   * All sizes are estimated.
   *
   * @return with the defaults: 16 batches, multiples of 64, 3 standard deviations
   */
  public static Pad estimated() {
    return new Pad();
  }

  /**
   * The size of a type, which is then not estimated.
   *
   * @param type node or edge type
   * @param rows a node type needs one more than it has nodes
   * @return this
   */
  public Pad size(String type, long rows) {
    sizes.put(type, rows);
    return this;
  }

  /**
   * What estimates are made from.
   *
   * @param batches of epoch 0, evenly spread
   * @return this
   */
  public Pad batches(int batches) {
    if (batches <= 0) {
      throw GlsException.invalid("batches", batches + " is not positive");
    }
    this.batches = batches;
    return this;
  }

  /**
   * Rounds estimates up.
   *
   * @param multiple to a multiple of this
   * @return this
   */
  public Pad multiple(int multiple) {
    if (multiple <= 0) {
      throw GlsException.invalid("multiple", multiple + " is not positive");
    }
    this.multiple = multiple;
    return this;
  }

  /**
   * How much room there is for large batches.
   *
   * @param sigma an estimate is the mean and this many standard deviations
   * @return this
   */
  public Pad sigma(double sigma) {
    if (!(sigma > 0)) {
      throw GlsException.invalid("sigma", sigma + " is not positive");
    }
    this.sigma = sigma;
    return this;
  }

  void addTo(LoaderOptions options) {
    options.setPad(batches, multiple, sigma);
    sizes.forEach(options::addPadSize);
  }
}
