/**
 * Batches as arrays of the Deep Java Library. For programs that have its {@code api} and an engine;
 * the rest of the library does not need them.
 */
package org.gls.djl;
