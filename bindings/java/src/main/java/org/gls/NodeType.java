package org.gls;

import java.util.Map;

/**
 * A node type of a dataset.
 *
 * @param name its name
 * @param numNodes how many nodes it has
 * @param hasKeys whether the ids that nodes had when they were imported were kept
 * @param columns by name
 * @param idSets named sets of nodes, and how many ids each holds
 */
public record NodeType(
    String name,
    long numNodes,
    boolean hasKeys,
    Map<String, Column> columns,
    Map<String, Long> idSets) {}
