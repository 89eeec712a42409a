package org.gls;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How to get a loader whose batches {@link Feed feeds} in other processes make.
 *
 * <p>It is a {@link NeighborLoader} in all but this: batches by number, norms and plans are for the
 * process that has the graph, and arrays cannot be written. When a feed is gone, {@link
 * GlsException.IoError} comes after the batches that had arrived: attach again, and restore the
 * state.
 */
public final class Attach {
  private static final long SLICE_MILLIS = 300; // how long an interruption may have to wait
  private static final long MAX_STALL = (1L << 32) - 1;

  private final List<Path> paths = new ArrayList<>();
  private int rank;
  private int worldSize;
  private long timeoutNanos = Duration.ofSeconds(10).toNanos();
  private long stallMillis; // 0: the default of the library
  private int pin = -1;

  private Attach() {}

  /**
   * To a feed.
   *
   * @param path of its socket
   * @return for {@link #open}
   */
  public static Attach to(Path path) {
    return new Attach().and(path);
  }

  /**
   * And to another feed, of a loader that was made alike: they share the work, and the batches and
   * their order are those of one loader.
   *
   * @param path of its socket
   * @return this
   */
  public Attach and(Path path) {
    paths.add(Objects.requireNonNull(path, "path"));
    return this;
  }

  /**
   * Which trainer this process is. By default it is the first of as many as the feed has
   * configured.
   *
   * @param rank from 0
   * @param worldSize how many share each epoch; 0: as the feed has configured
   * @return this
   */
  public Attach trainer(int rank, int worldSize) {
    if (rank < 0 || worldSize < 0) {
      throw GlsException.invalid(
          "rank", rank + " of " + worldSize + ", expected no negative numbers");
    }
    this.rank = rank;
    this.worldSize = worldSize;
    return this;
  }

  /**
   * How long to wait until the feeds are running; 10 s by default.
   *
   * @param timeout zero: not at all
   * @return this
   */
  public Attach timeout(Duration timeout) {
    this.timeoutNanos = Futures.nanos(timeout);
    return this;
  }

  /**
   * Waits until the feeds are running however long it takes.
   *
   * @return this
   */
  public Attach withoutTimeout() {
    this.timeoutNanos = Long.MAX_VALUE;
    return this;
  }

  /**
   * How long to wait for a batch while batches that the program keeps fill this trainer's memory.
   * Then the loader throws {@link GlsException.OutOfMemory}. 10 s by default.
   *
   * @param stall rounded up to milliseconds, 1 to 2^32 - 1
   * @return this
   */
  public Attach stall(Duration stall) {
    long millis = Futures.millis("stall", stall);
    this.stallMillis = millis < 0 ? MAX_STALL : Math.min(Math.max(1, millis), MAX_STALL);
    return this;
  }

  /**
   * Pins the shared memory, so that copies of batches to GPUs are asynchronous. By default it is
   * not pinned. Pinning takes all of the memory at once. Name the streams of such copies by {@link
   * Batch#recordStream}, or a later batch is written over the data that is being copied.
   *
   * @param gpu by which it is pinned, from 0
   * @return this
   */
  public Attach pin(int gpu) {
    if (gpu < 0) {
      throw GlsException.invalid("pin", "GPU " + gpu + ", expected 0 or more");
    }
    this.pin = gpu;
    return this;
  }

  /**
   * The loader, of the default context.
   *
   * @return as {@link #open(Context)}
   */
  public NeighborLoader open() {
    return open(Context.getDefault());
  }

  /**
   * The loader.
   *
   * @param context its log is used
   * @return a new loader
   * @throws GlsException.TimedOut if a feed was not there in time
   * @throws GlsException.AlreadyExists if a trainer of this rank is attached
   * @throws GlsException.Unsupported if the memory cannot be pinned
   * @throws GlsException.Interrupted if the thread is or was interrupted; its flag stays set
   */
  public NeighborLoader open(Context context) {
    org.gls.low.Attachment low = new org.gls.low.Attachment();
    try {
      paths.forEach(path -> low.addPath(path.toString()));
      low.setTrainer(rank, worldSize);
      low.setStallMs(stallMillis);
      if (pin >= 0) {
        low.setPin(pin);
      }
      long start = System.nanoTime();
      for (; ; ) {
        if (Thread.currentThread().isInterrupted()) {
          throw new GlsException.Interrupted("the thread was interrupted while a feed was awaited");
        }
        long left = Futures.millisLeft(start, timeoutNanos);
        low.setTimeoutMs(Math.min(left, SLICE_MILLIS));
        try {
          return NeighborLoader.attached(context.handle.call(low::attach));
        } catch (GlsException.TimedOut error) {
          if (left <= SLICE_MILLIS) {
            throw error;
          }
        }
      }
    } finally {
      low.delete();
    }
  }
}
