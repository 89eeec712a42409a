package org.gls;

/**
 * What a {@link Server} does at this moment, and has done so far.
 *
 * @param parts that it serves
 * @param graphParts that the graph has
 * @param clients connected and let in, now
 * @param strangers connected and not let in yet
 * @param accepted connections since it was started
 * @param admitted of these, let in
 * @param evicted of these, cut off as strangers because others came
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
