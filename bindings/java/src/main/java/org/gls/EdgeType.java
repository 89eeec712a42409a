package org.gls;

import java.util.Map;
import java.util.Set;

/**
 * An edge type of a dataset.
 *
 * @param name "source__relation__target"
 * @param source node type
 * @param relation the middle of the name
 * @param target node type
 * @param numEdges how many edges it has
 * @param layouts which topologies are stored
 * @param indexBits 32 or 64: width of the stored neighbour ids
 * @param columns by name
 */
public record EdgeType(
    String name,
    String source,
    String relation,
    String target,
    long numEdges,
    Set<Layout> layouts,
    int indexBits,
    Map<String, Column> columns) {
  /**
   * The name of an edge type.
   *
   * @param source node type
   * @param relation what the edges mean
   * @param target node type
   * @return "source__relation__target"
   */
  public static String join(String source, String relation, String target) {
    return source + "__" + relation + "__" + target;
  }
}
