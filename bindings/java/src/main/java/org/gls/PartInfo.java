package org.gls;

/**
 * Which part of a graph a dataset is; see {@link Dataset#part}.
 *
 * @param number from 0
 * @param parts how many there are
 * @param graph names the partition, 16 hexadecimal digits
 */
public record PartInfo(int number, int parts, String graph) {}
