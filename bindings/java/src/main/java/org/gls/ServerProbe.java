package org.gls;

import java.util.List;

/**
 * A server's description of itself, from {@link Server#probe}.
 *
 * @param name of the server, in errors and logs
 * @param version of its library
 * @param graph names the partition, 16 hexadecimal digits
 * @param parts that it serves, ascending
 * @param graphParts that the graph has
 */
public record ServerProbe(
    String name, String version, String graph, List<Integer> parts, int graphParts) {}
