package org.gls;

import java.util.List;
import org.gls.low.WalkOptions;

/**
 * Random walks instead of neighbourhoods. Each step follows one edge of the walk's current node,
 * with equal probabilities or in proportion to {@link SamplingBuilder#weight}. A walk ends at a
 * node without edges. {@link SamplingBuilder#walks} passes it to samplers and loaders.
 */
public final class Walks {
  private final List<String> path;
  private int length;
  private int perSeed = 1;
  private double p = 1;
  private double q = 1;
  private double restart;
  private double stop;

  private Walks(List<String> path, int length) {
    this.path = path;
    length(length);
  }

  /**
   * Walks along the only edge type.
   *
   * @param steps of each walk
   * @return one walk from each seed, until {@link #perSeed}
   */
  public static Walks ofLength(int steps) {
    return new Walks(List.of(), steps);
  }

  /**
   * Walks along edge types in turn, each beginning at the node type where the one before ends.
   *
   * @param path names of edge types; a walk has as many steps, until {@link #length}
   * @return one walk from each seed, until {@link #perSeed}
   */
  public static Walks along(String... path) {
    return new Walks(List.of(path), 0);
  }

  /**
   * Steps of each walk. A walk that is longer than the path goes along it again.
   *
   * @param steps 0: as many as the path has
   * @return this
   */
  public Walks length(int steps) {
    if (steps < 0) {
      throw GlsException.invalid("length", steps + " is negative");
    }
    this.length = steps;
    return this;
  }

  /**
   * Walks from each seed.
   *
   * @param walks 1 by default
   * @return this
   */
  public Walks perSeed(int walks) {
    if (walks <= 0) {
      throw GlsException.invalid("walks", walks + " is not positive");
    }
    this.perSeed = walks;
    return this;
  }

  /**
   * The biases of node2vec (Grover and Leskovec, KDD 2016). Other values than 1 need one edge type,
   * between nodes of one type.
   *
   * @param p a step back to the previous node weighs 1/p; 1 by default
   * @param q a step to a node without an edge from the previous node weighs 1/q; 1 by default.
   *     Edges count in the direction of the walk
   * @return this
   */
  public Walks biases(double p, double q) {
    if (p == 0 || q == 0) { // which the library takes for its default
      throw GlsException.invalid(p == 0 ? "p" : "q", "it is 0, expected a finite number above 0");
    }
    this.p = p;
    this.q = q;
    return this;
  }

  /**
   * Probability, before each step, of going back to the seed instead, where the path begins again.
   * Only within one node type.
   *
   * @param probability 0 by default
   * @return this
   */
  public Walks restart(double probability) {
    this.restart = probability;
    return this;
  }

  /**
   * Probability, before each step, of ending.
   *
   * @param probability 0 by default
   * @return this
   */
  public Walks stop(double probability) {
    this.stop = probability;
    return this;
  }

  /** To be deleted by the caller. */
  WalkOptions low() {
    WalkOptions low = new WalkOptions();
    low.setLength(length);
    low.setWalks(perSeed);
    low.setBiases(p, q);
    low.setRestart(restart);
    low.setStop(stop);
    path.forEach(low::addPath);
    return low;
  }
}
