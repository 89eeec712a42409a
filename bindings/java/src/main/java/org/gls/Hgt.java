package org.gls;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.gls.low.HgtOptions;

/**
 * Nodes of each type that are drawn from budgets (Hu, Dong, Wang, Sun: Heterogeneous Graph
 * Transformer, WWW 2020). Every node of the batch divides a budget of 1 evenly among its neighbours
 * of each edge type. Each hop draws nodes of each type, without replacement, in proportion to the
 * square of their budgets. {@link SamplingBuilder#hgt} passes it to samplers and loaders.
 */
public final class Hgt {
  private record Samples(String nodeType, int[] perHop) {}

  private final List<Samples> samples = new ArrayList<>();
  private int mostNeighbors = 50;

  private Hgt() {}

  /**
   * Nodes to draw per hop, of every node type without numbers of its own.
   *
   * @param perHop -1: all there are; without any, every type needs its own
   * @return to be completed
   */
  public static Hgt of(int... perHop) {
    Hgt hgt = new Hgt();
    if (perHop.length > 0) {
      hgt.samples.add(new Samples(null, perHop.clone()));
    }
    return hgt;
  }

  /**
   * Nodes of one type to draw per hop.
   *
   * @param nodeType a node type
   * @param perHop -1: all there are
   * @return this
   */
  public Hgt samples(String nodeType, int... perHop) {
    samples.add(new Samples(Objects.requireNonNull(nodeType, "nodeType"), perHop.clone()));
    return this;
  }

  /**
   * How many neighbours of a node are considered along one edge type: of more as many are drawn,
   * uniformly. They have its shares, and edges to them are reported; with {@link Subgraph#INDUCED}
   * all edges between nodes of the batch.
   *
   * @param neighbors at least 1; 50 by default
   * @return this
   */
  public Hgt mostNeighbors(int neighbors) {
    this.mostNeighbors = Importance.positive("mostNeighbors", neighbors);
    return this;
  }

  /** To be deleted by the caller. */
  HgtOptions low() {
    HgtOptions low = new HgtOptions();
    for (Samples one : samples) {
      low.addSamples(one.nodeType());
      for (int count : one.perHop()) {
        low.addHop(count);
      }
    }
    low.setMostNeighbors(mostNeighbors);
    return low;
  }
}
