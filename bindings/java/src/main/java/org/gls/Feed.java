package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;

/**
 * Serves the batches of a loader to trainers in other processes of this machine, until it is
 * closed.
 *
 * <p>Trainers {@link Attach attach} and get the batches that a loader of their rank would give
 * them. Each has shared memory of its own, in which batches are written once and read in place.
 */
public final class Feed implements AutoCloseable {
  private static final long SLICE_MILLIS = 50; // how long an interruption may have to wait

  private final NeighborLoader loader; // whose transform is needed
  private final Handle<org.gls.low.Feed> handle;
  private final Cleaner.Cleanable cleanable;

  private Feed(NeighborLoader loader, org.gls.low.Feed low) {
    this.loader = loader;
    handle = new Handle<>("feed", low, org.gls.low.Feed::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * Options of a feed.
   *
   * @param loader made for one trainer; where it stands is of no matter
   * @param path where the socket is made; one that a killed process left is replaced
   * @return for {@link Builder#build}
   */
  public static Builder builder(NeighborLoader loader, Path path) {
    return new Builder(
        Objects.requireNonNull(loader, "loader"), Objects.requireNonNull(path, "path"));
  }

  /**
   * Waits until trainers were attached and all of them have left.
   *
   * @param timeout how long to wait; zero: not at all
   * @return whether it is so
   * @throws GlsException.Interrupted if the thread is or was interrupted; its flag stays set
   */
  public boolean await(Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    for (; ; ) {
      if (Thread.currentThread().isInterrupted()) {
        throw new GlsException.Interrupted("the thread was interrupted while a feed served");
      }
      long left = Math.max(0, (end - System.nanoTime()) / 1_000_000);
      if (handle.call(low -> low.isOver(Math.min(left, SLICE_MILLIS)))) {
        return true;
      }
      if (left == 0) {
        return false;
      }
    }
  }

  /**
   * What it has done so far.
   *
   * @return the numbers at this moment
   */
  public FeedInfo info() {
    org.gls.low.FeedInfo i = handle.call(org.gls.low.Feed::info);
    try {
      return new FeedInfo(
          i.getConsumers(),
          i.getAttached(),
          i.getLost(),
          i.getBatches(),
          i.getBatchBytes(),
          i.getUsedBytes(),
          i.getWaitNs(),
          i.getCopiedBytes());
    } finally {
      i.delete();
    }
  }

  /**
   * The loader whose batches it serves.
   *
   * @return the one it was made with
   */
  public NeighborLoader loader() {
    return loader;
  }

  /** Ends it. Trainers get {@link GlsException.IoError} for batches that they do not have yet. */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** Options of a feed. */
  public static final class Builder {
    private final NeighborLoader loader;
    private final Path path;
    private long consumers;
    private long mode;
    private long bytes;
    private long prefetch;

    private Builder(NeighborLoader loader, Path path) {
      this.loader = loader;
      this.path = path;
    }

    /**
     * Trainers at one time; 1 by default.
     *
     * @param consumers 1 or more
     * @return this
     */
    public Builder consumers(int consumers) {
      this.consumers = positive("consumers", consumers);
      return this;
    }

    /**
     * Shared memory of each trainer; 256 MiB by default.
     *
     * @param bytes 1 or more
     * @return this
     */
    public Builder bytes(long bytes) {
      this.bytes = positive("bytes", bytes);
      return this;
    }

    /**
     * Batches ready for each trainer at most; by default as many as the loader keeps.
     *
     * @param batches 1 or more
     * @return this
     */
    public Builder prefetch(int batches) {
      this.prefetch = positive("prefetch", batches);
      return this;
    }

    /**
     * Permissions of the socket; 0600 by default. Every process that may open it may attach.
     *
     * @param mode as of chmod
     * @return this
     */
    public Builder mode(int mode) {
      this.mode = positive("mode", mode);
      return this;
    }

    /**
     * Begins to serve.
     *
     * @return a new feed
     * @throws GlsException.FileExists if another feed serves there
     * @throws GlsException.IoError if the system refuses
     */
    public Feed build() {
      return loader.serve(
          low ->
              new Feed(
                  loader,
                  new org.gls.low.Feed(low, path.toString(), consumers, mode, bytes, prefetch)));
    }

    private static long positive(String name, long value) {
      if (value < 1) {
        throw GlsException.invalid(name, value + ", expected at least 1");
      }
      return value;
    }
  }
}
