package org.gls;

import java.lang.ref.Cleaner;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.FetchQueue;

/**
 * A column, or the neighbours of an edge type, that the caller's code answers. {@link
 * Dataset#withStores} makes a dataset that has it.
 *
 * <p>Daemon threads of this package call the code, as many as questions are in work at once. They
 * end when the store and the datasets that have it are closed. Code that refers to its store keeps
 * the store reachable, so close such a store.
 *
 * <p>An exception fails the batch that asked: a {@link GlsException} with its own status, any other
 * as {@link GlsException.InvalidArgument}. The name of the store and the exception's text are in
 * the message.
 */
public final class Store implements AutoCloseable {
  private final Handle<org.gls.low.Store> handle;
  private final Cleaner.Cleanable cleanable;

  private Store(org.gls.low.Store low) {
    handle = new Handle<>("store", low, org.gls.low.Store::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * A store of a column. Columns of labels, weights and times may be in stores, too.
   *
   * @param options the column, and how the store is asked
   * @param fetch writes rows
   * @return to be closed by the caller; datasets that have it keep it
   * @throws GlsException.InvalidArgument for a name, shape, type or option that cannot be
   */
  public static Store column(ColumnStoreOptions options, ColumnFetch fetch) {
    Objects.requireNonNull(fetch, "fetch");
    return makeColumn(options, question -> question.answer(fetch));
  }

  /**
   * As {@link #column}, with code that may answer later.
   *
   * @param options the column, and how the store is asked
   * @param fetch writes rows
   * @return to be closed by the caller; datasets that have it keep it
   */
  public static Store columnLater(ColumnStoreOptions options, ColumnFetchLater fetch) {
    Objects.requireNonNull(fetch, "fetch");
    return makeColumn(options, question -> question.answerLater(fetch));
  }

  /**
   * A store of neighbours. Each question asks for all neighbours of some nodes; the library picks
   * from them. Two stores may have both layouts of one edge type.
   *
   * @param options the edge type, and how the store is asked
   * @param fetch finds neighbours
   * @return to be closed by the caller; datasets that have it keep it
   * @throws GlsException.InvalidArgument for a name, number or option that cannot be
   */
  public static Store neighbors(NeighborStoreOptions options, NeighborFetch fetch) {
    Objects.requireNonNull(fetch, "fetch");
    return makeNeighbors(options, question -> question.answer(fetch));
  }

  /**
   * As {@link #neighbors}, with code that may answer later.
   *
   * @param options the edge type, and how the store is asked
   * @param fetch finds neighbours
   * @return to be closed by the caller; datasets that have it keep it
   */
  public static Store neighborsLater(NeighborStoreOptions options, NeighborFetchLater fetch) {
    Objects.requireNonNull(fetch, "fetch");
    return makeNeighbors(options, question -> question.answerLater(fetch));
  }

  private static Store makeColumn(ColumnStoreOptions options, Consumer<Question> answer) {
    org.gls.low.RowShape shape = options.lowShape();
    org.gls.low.StoreOptions low = null;
    try {
      low = options.low(options.mostIds());
      org.gls.low.StoreOptions given = low;
      return make(
          options,
          answer,
          queue ->
              options
                  .context()
                  .handle
                  .call(
                      context ->
                          org.gls.low.Store.column(
                              context,
                              options.type,
                              options.name,
                              options.roleNumber(),
                              options.dtype.code,
                              options.dtype.bits(),
                              shape,
                              given,
                              queue)));
    } finally {
      shape.delete();
      if (low != null) {
        low.delete();
      }
    }
  }

  private static Store makeNeighbors(NeighborStoreOptions options, Consumer<Question> answer) {
    org.gls.low.StoreOptions low = options.low(Integer.MAX_VALUE);
    try {
      return make(
          options,
          answer,
          queue ->
              options
                  .context()
                  .handle
                  .call(
                      context ->
                          org.gls.low.Store.neighbors(
                              context,
                              options.edgeType,
                              options.numEdges,
                              options.layout.number,
                              options.hasEdgeIds(),
                              low,
                              queue)));
    } finally {
      low.delete();
    }
  }

  private static Store make(
      StoreOptions<?> options,
      Consumer<Question> answer,
      Function<FetchQueue, org.gls.low.Store> create) {
    Fetches fetches = new Fetches(options.mostThreads(), answer);
    Store store = new Store(create.apply(fetches.queue()));
    try {
      fetches.start();
    } catch (Throwable error) {
      store.close();
      throw error;
    }
    return store;
  }

  /**
   * What it was asked.
   *
   * @return since it was made
   */
  public StoreStats stats() {
    return handle.call(
        low ->
            new StoreStats(
                low.fetches(),
                low.ids(),
                low.cachedIds(),
                low.failures(),
                low.fetchNs(),
                low.waitNs(),
                low.cacheBytes()));
  }

  /** A call with all these stores, none of which is closed meanwhile. */
  static <R> R callWith(Store[] stores, Function<org.gls.low.StoreList, R> call) {
    org.gls.low.StoreList low = new org.gls.low.StoreList();
    int entered = 0;
    try {
      for (Store store : stores) {
        low.add(store.handle.enter());
        ++entered;
      }
      return call.apply(low);
    } finally {
      while (entered > 0) {
        stores[--entered].handle.leave();
      }
      low.delete();
    }
  }

  /** Lets go of the store. Datasets that have it stay usable. */
  @Override
  public void close() {
    cleanable.clean();
  }
}
