package org.gls;

import java.util.List;
import org.gls.low.ImportanceOptions;

/**
 * The nodes that short random walks from a node visit most, as PinSAGE's neighbours (Ying et al.,
 * KDD 2018). The node at the end of each traversal of the path is a visit; the node that walks
 * begin at counts as any other. Steps are those of {@link Walks}. Samplers and loaders are given it
 * by {@link SamplingBuilder#importance}.
 */
public final class Importance {
  private final int neighbors;
  private int walks = 10;
  private int traversals = 2;
  private int hops = 1;
  private double stop;
  private List<String> path = List.of();

  private Importance(int neighbors) {
    this.neighbors = positive("neighbors", neighbors);
  }

  /**
   * Ten walks from each node, which go along the only edge type twice.
   *
   * @param neighbors of each node, those of most visits; ties by lower id
   * @return to be completed
   */
  public static Importance of(int neighbors) {
    return new Importance(neighbors);
  }

  static int positive(String argument, int value) {
    if (value <= 0) {
      throw GlsException.invalid(argument, value + " is not positive");
    }
    return value;
  }

  /**
   * Walks from each node.
   *
   * @param walks 10 by default
   * @return this
   */
  public Importance walks(int walks) {
    this.walks = positive("walks", walks);
    return this;
  }

  /**
   * How often each walk goes along the path.
   *
   * @param traversals 2 by default
   * @return this
   */
  public Importance traversals(int traversals) {
    this.traversals = positive("traversals", traversals);
    return this;
  }

  /**
   * Neighbours of neighbours.
   *
   * @param hops 1 by default
   * @return this
   */
  public Importance hops(int hops) {
    this.hops = positive("hops", hops);
    return this;
  }

  /**
   * Probability, before each traversal but the first, of ending the walk.
   *
   * @param probability 0 by default
   * @return this
   */
  public Importance stop(double probability) {
    this.stop = probability;
    return this;
  }

  /**
   * Edge types to follow in turn, back to the node type at which the first begins.
   *
   * @param path names of edge types; the only one by default
   * @return this
   */
  public Importance along(String... path) {
    this.path = List.of(path);
    return this;
  }

  /** To be deleted by the caller. */
  ImportanceOptions low() {
    ImportanceOptions low = new ImportanceOptions();
    low.setNeighbors(neighbors);
    low.setWalks(walks, traversals);
    low.setHops(hops);
    low.setStop(stop);
    path.forEach(low::addPath);
    return low;
  }
}
