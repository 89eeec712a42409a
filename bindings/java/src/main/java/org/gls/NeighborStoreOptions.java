package org.gls;

import java.util.Objects;

/** The neighbours that a {@link Store} has, and how the store is asked. */
public final class NeighborStoreOptions extends StoreOptions<NeighborStoreOptions> {
  final String edgeType;
  final long numEdges;
  final Layout layout;
  private boolean edgeIds;

  /**
   * The neighbours of an edge type, without edge ids.
   *
   * @param edgeType such as "user__follows__user"; the dataset has the node types
   * @param numEdges edge ids are below it; without edge ids it is an estimate
   * @param layout {@link Layout#CSC}: the sources of the edges to each node. {@link Layout#CSR}:
   *     the targets of the edges from it
   */
  public NeighborStoreOptions(String edgeType, long numEdges, Layout layout) {
    this.edgeType = Objects.requireNonNull(edgeType, "edgeType");
    this.numEdges = numEdges;
    this.layout = Objects.requireNonNull(layout, "layout");
  }

  @Override
  NeighborStoreOptions self() {
    return this;
  }

  /**
   * Whether answers have edge ids. Batches with edge ids, columns of edges, and excluded edges that
   * are given by id need them.
   *
   * @param edgeIds false by default
   * @return this
   */
  public NeighborStoreOptions edgeIds(boolean edgeIds) {
    this.edgeIds = edgeIds;
    return this;
  }

  boolean hasEdgeIds() {
    return edgeIds;
  }
}
