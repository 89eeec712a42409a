package org.gls;

/**
 * In proportion to what seeds are drawn; see {@link NeighborLoader.Builder#drawSeeds(SeedLaw,
 * long)}. The laws are those of GraphSAINT (Zeng et al., ICLR 2020).
 */
public enum SeedLaw {
  /** All alike. */
  UNIFORM(0),
  /** Of nodes: the number of edges, of all types, from the node. */
  DEGREE(1),
  /** Of links given as edge ids: 1 / (edges from the source) + 1 / (edges to the target). */
  INVERSE_DEGREE(2);

  final int number;

  SeedLaw(int number) {
    this.number = number;
  }
}
