package org.gls;

import java.util.Objects;
import org.gls.low.SamplerOptions;

/**
 * Where the labels of anchors come from: seeds whose links are to be predicted. With {@link
 * SamplingBuilder#supervision} every seed is an anchor, and its labels are seeds after the anchors.
 * Batches then have {@link Batch#positives} and {@link Batch#negatives}.
 */
public final class Supervision {
  // gls.h
  private static final int SAMPLED = 1;

  private final String edgeType;
  private String nodeType;
  private String name;
  private boolean negative;
  private boolean sampled;
  private int maxLabels;

  private Supervision(String edgeType, String name) {
    this.edgeType = edgeType;
    this.name = name;
  }

  /**
   * Labels are the targets of an anchor's edges, in the order stored, whatever the direction, times
   * and exclusions of the sampler. Needs {@link Layout#CSR}.
   *
   * @param edgeType for labels only, unless it is {@link #sampled}: no neighbour is taken through
   *     it
   * @return positive labels, all of them
   */
  public static Supervision of(String edgeType) {
    return new Supervision(Objects.requireNonNull(edgeType, "edgeType"), null);
  }

  /**
   * Labels are given with the anchors: {@link SampleRequest#anchorLabels}, {@link
   * NeighborLoader.Builder#anchorLabels}.
   *
   * @param name what batches call them
   * @return positive labels, of the only node type
   */
  public static Supervision given(String name) {
    return new Supervision(null, Objects.requireNonNull(name, "name"));
  }

  /**
   * Type of labels that are given.
   *
   * @param type null, the default: the only one
   * @return this
   */
  public Supervision nodeType(String type) {
    this.nodeType = type;
    return this;
  }

  /**
   * What batches call the labels.
   *
   * @param name by default that of the edge type
   * @return this
   */
  public Supervision name(String name) {
    this.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Whether the labels are negative; the library treats both alike.
   *
   * @param negative false by default
   * @return this
   */
  public Supervision negative(boolean negative) {
    this.negative = negative;
    return this;
  }

  /**
   * Whether the edge type is sampled, too. Edges from an anchor to its labels are then not used for
   * their batch, nor those that {@link SamplingBuilder#excludeMode} adds to them.
   *
   * @param sampled false by default
   * @return this
   */
  public Supervision sampled(boolean sampled) {
    this.sampled = sampled;
    return this;
  }

  /**
   * Labels of an anchor, at most: of more, as many are drawn anew for each batch, and rows of
   * labels are always that long.
   *
   * @param labels 0, the default: all, in rows as long as the longest
   * @return this
   */
  public Supervision maxLabels(int labels) {
    if (labels < 0) {
      throw GlsException.invalid("maxLabels", labels + " is negative");
    }
    this.maxLabels = labels;
    return this;
  }

  void addTo(SamplerOptions low) {
    low.addSupervision(
        edgeType, nodeType, name, negative ? 1 : 0, sampled ? SAMPLED : 0, maxLabels);
  }
}
