package org.gls;

import java.util.ArrayList;
import java.util.List;
import org.gls.low.PprOptions;

/**
 * The nodes of highest personalised PageRank of each seed, in each node type, by forward push
 * (Andersen, Chung, Lang, FOCS 2006). Nothing is random, but for {@link #rowLimit}. Samplers and
 * loaders are given it by {@link SamplingBuilder#ppr}.
 */
public final class Ppr {
  private static final int NO_TOP_UP = 1;

  private final int neighbors;
  private double alpha = 0.5;
  private double epsilon = 1e-4;
  private boolean topUp = true;
  private long maxEdges = 1L << 24;
  private int rowLimit;
  private List<String> edgeTypes = List.of();
  private final List<Channel> channels = new ArrayList<>();

  private static final class Channel {
    private final double share;
    private final List<String> edgeTypes;

    private Channel(double share, List<String> edgeTypes) {
      this.share = share;
      this.edgeTypes = edgeTypes;
    }
  }

  private Ppr(int neighbors) {
    this.neighbors = Importance.positive("neighbors", neighbors);
  }

  /**
   * Walks that end at each step with probability 0.5, along all edge types.
   *
   * @param neighbors of each seed in each node type, those of highest score; ties by lower id
   * @return to be completed
   */
  public static Ppr of(int neighbors) {
    return new Ppr(neighbors);
  }

  /**
   * Probability, at each step, that the walk ends.
   *
   * @param alpha 1e-6 to 1; 0.5 by default
   * @return this
   */
  public Ppr alpha(double alpha) {
    this.alpha = nonZero("alpha", alpha);
    return this;
  }

  private static double nonZero(String argument, double value) {
    if (value == 0) { // which the library takes for its default
      throw GlsException.invalid(argument, "it is 0, expected a number above 0");
    }
    return value;
  }

  /**
   * Nodes are pushed while their residual exceeds alpha * epsilon * degree.
   *
   * @param epsilon 1e-12 to 1; 1e-4 by default
   * @return this
   */
  public Ppr epsilon(double epsilon) {
    this.epsilon = nonZero("epsilon", epsilon);
    return this;
  }

  /**
   * Whether other nodes are added when fewer nodes were pushed than requested. They follow in the
   * order of their residuals, and residuals are added to scores.
   *
   * @param topUp true by default
   * @return this
   */
  public Ppr topUp(boolean topUp) {
    this.topUp = topUp;
    return this;
  }

  /**
   * A seed's pushing ends when it has read so many edges; its scores are then less exact.
   *
   * @param edges at most 2^31; 2^24 by default
   * @return this
   */
  public Ppr maxEdges(long edges) {
    if (edges <= 0) {
      throw GlsException.invalid("maxEdges", edges + " is not positive");
    }
    this.maxEdges = edges;
    return this;
  }

  /**
   * Rows longer than this are sampled down to it, each edge type for itself.
   *
   * @param edges 0, the default: none are
   * @return this
   */
  public Ppr rowLimit(int edges) {
    if (edges < 0) {
      throw GlsException.invalid("rowLimit", edges + " is negative");
    }
    this.rowLimit = edges;
    return this;
  }

  /**
   * Edge types to push along.
   *
   * @param edgeTypes names; all by default
   * @return this
   */
  public Ppr along(String... edgeTypes) {
    this.edgeTypes = List.of(edgeTypes);
    return this;
  }

  /**
   * One more channel, which pushes by itself. A node belongs to the channel where its score is
   * highest, ties to the first. Each channel first fills its own places among the neighbours; what
   * is left over goes to the highest scores of all. {@link NodeArrays#nearScore} has three more
   * columns for each: score, hop proximity, and whether the channel found the neighbour, 0 in all
   * three where it did not.
   *
   * @param share of the neighbours; those of all channels, at most 64, add up to 1
   * @param edgeTypes names; at least one
   * @return this
   */
  public Ppr channel(double share, String... edgeTypes) {
    channels.add(new Channel(share, List.of(edgeTypes)));
    return this;
  }

  /** To be deleted by the caller. */
  PprOptions low() {
    PprOptions low = new PprOptions();
    low.setNeighbors(neighbors);
    low.setFlags(topUp ? 0 : NO_TOP_UP);
    low.setAlpha(alpha);
    low.setEpsilon(epsilon);
    low.setMaxEdges(maxEdges);
    low.setRowLimit(rowLimit);
    edgeTypes.forEach(low::addEdgeType);
    for (Channel channel : channels) {
      low.addChannel(channel.share);
      channel.edgeTypes.forEach(low::addChannelType);
    }
    return low;
  }
}
