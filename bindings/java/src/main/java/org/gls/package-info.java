/**
 * Graph loading and sampling for training graph neural networks on mini-batches.
 *
 * <p>A {@link org.gls.Dataset} is a graph, opened from a folder or made by a {@link
 * org.gls.DatasetBuilder}. A {@link org.gls.NeighborLoader} iterates over its mini-batches, which
 * native threads make ahead; a {@link org.gls.Sampler} makes single ones. Every array of a {@link
 * org.gls.Batch} is a {@link org.gls.Tensor}, whose buffers are the library's own memory. A {@link
 * org.gls.Table} has rows that training changes.
 *
 * <pre>{@code
 * try (Dataset dataset = Dataset.open(Path.of("cora"));
 *     NeighborLoader loader =
 *         NeighborLoader.builder(dataset)
 *             .fanouts(10, 10)
 *             .seeds("train")
 *             .batchSize(64)
 *             .shuffle(true)
 *             .build()) {
 *   for (Batch batch : loader) {
 *     try (batch) {
 *       FloatBuffer x = batch.column("x").floats();
 *       LongBuffer row = batch.row().longs(), col = batch.col().longs();
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p><b>Closing.</b> Objects with native memory are {@link AutoCloseable}. Closing one twice does
 * nothing. Using a closed one throws {@link IllegalStateException}. Closing one that another thread
 * is using is safe: that thread's call ends first, or, where it waits, is woken. The garbage
 * collector cleans up objects that are never closed. Objects made from another object stay usable
 * when it is closed: a loader needs neither its dataset nor its context to stay open.
 *
 * <p><b>Buffers</b> are the library's memory in place. They stay valid for as long as they, or
 * views made of them, are reachable, even when their batch is closed.
 *
 * <p><b>Threads.</b> All classes may be used by several threads at once. Calls that change a
 * loader, a builder or a table's place among its steps take turns.
 *
 * <p><b>Failure</b> is a {@link org.gls.GlsException}; its subclasses tell the kind. {@code null}
 * arguments throw {@link NullPointerException} unless the text allows null.
 */
package org.gls;
