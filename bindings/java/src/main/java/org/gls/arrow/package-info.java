/**
 * Apache Arrow: arrays of batches as vectors, without a copy, and nodes and edges as streams of
 * Arrow batches. For programs that have {@code arrow-vector} and one of Arrow's allocators; streams
 * need {@code arrow-c-data}, too. The rest of the library does not need them.
 */
package org.gls.arrow;
