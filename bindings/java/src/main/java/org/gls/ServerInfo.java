package org.gls;

/**
 * What a {@link Server} does at this moment, and has done so far.
 *
 * @param parts that it serves
 * @param graphParts that the graph has
 * @param clients connected and admitted, now
 * @param strangers connected and not yet admitted
 * @param accepted connections since it was started
 * @param admitted of these
 * @param evicted of these, strangers that were disconnected to make room for others
 * @param requests answered since it was started
 * @param failures of these, by an error
 */
public record ServerInfo(
    int parts,
    int graphParts,
    long clients,
    long strangers,
    long accepted,
    long admitted,
    long evicted,
    long requests,
    long failures) {}
