package org.gls;

/**
 * What one array of a batch is.
 *
 * @param kind what it holds
 * @param type node or edge type; empty for attached arrays
 * @param name column, supervision or attached array; null for other arrays
 * @param rows node columns: whether for all nodes or the seeds
 */
public record BatchArray(ArrayKind kind, String type, String name, Rows rows) {}
