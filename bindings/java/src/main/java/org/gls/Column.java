package org.gls;

import java.util.List;
import java.util.Optional;

/**
 * A column of a node or edge type.
 *
 * @param name its name
 * @param role what it is for
 * @param dtype type of its elements
 * @param shape extents of the whole column, rows first
 * @param rowStride bytes from one row to the next, as stored
 * @param bits of each code of a quantised column, which is FLOAT32 to users; else 0
 * @param codebook what each code of a quantised column stands for; else empty
 * @param logicalType Arrow's format string of a column of timestamps, dates, times or durations,
 *     such as "tsu:UTC"; empty: plain numbers
 */
public record Column(
    String name,
    Role role,
    DType dtype,
    List<Long> shape,
    long rowStride,
    int bits,
    List<Float> codebook,
    Optional<String> logicalType) {}
