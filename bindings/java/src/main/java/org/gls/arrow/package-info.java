/**
 * Batches as Apache Arrow vectors, without a copy. For programs that have {@code arrow-vector} and
 * one of Arrow's allocators; the rest of the library does not need them.
 */
package org.gls.arrow;
