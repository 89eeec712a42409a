package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;

/**
 * Rows that training changes, such as embeddings of nodes, with their optimiser: one row for each
 * node or edge of a type. {@link Dataset#table(String, String, TableOptions)} makes it. Rows of a
 * served dataset are in memory of the servers that own them. Rows of any other dataset are in this
 * process.
 *
 * <pre>{@code
 * TableOptions options =
 *     new TableOptions(64).uniform(-0.1, 0.1).optimizer(Optimizer.ADAGRAD).trainer(rank, worldSize);
 * try (Table table = dataset.table("user", "embedding", options)) {
 *   for (Batch batch : loader) {
 *     try (batch) {
 *       Tensor users = batch.nodes("user").node();
 *       try (Tensor rows = table.rows(users);
 *           Tensor gradients = backward(batch, rows)) {
 *         table.step(users, gradients, 0.01);
 *       }
 *     }
 *   }
 *   table.save(path);
 * }
 * }</pre>
 *
 * <p>Reading and writing is for any thread; steps, saving and loading of one object take turns. A
 * thread that waits for other trainers sees an interruption within a quarter of a second. After a
 * longer wait it takes at most as long again.
 *
 * <p>When a server ends, its rows are lost, and every call on the table is an error: open it again
 * and load it.
 */
public final class Table implements AutoCloseable {
  private static final long LEAST_SLICE_MILLIS = 250; // how long an interruption may have to wait

  private final Handle<org.gls.low.Table> handle;
  private final Cleaner.Cleanable cleanable;
  private final ReentrantLock turn = new ReentrantLock();
  private final boolean alone; // there are no other trainers
  private final long patience; // milliseconds to wait for them; -1: without limit

  private Table(org.gls.low.Table low, boolean alone, long patience) {
    this.alone = alone;
    this.patience = patience;
    handle = new Handle<>("table", low, org.gls.low.Table::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /** {@code options} may be null. */
  static Table open(Dataset dataset, String type, String name, TableOptions options) {
    Objects.requireNonNull(name, "name");
    org.gls.low.TableOptions low = options == null ? null : options.low();
    boolean alone = options == null || options.worldSize <= 1;
    try {
      return dataset.handle.call(
          of -> new Table(org.gls.low.Table.open(of, type, name, low), alone, dataset.patience));
    } finally {
      if (low != null) {
        low.delete();
      }
    }
  }

  /**
   * What it is.
   *
   * @return the numbers at this moment
   */
  public TableInfo info() {
    org.gls.low.TableInfo i = handle.call(org.gls.low.Table::info);
    try {
      return new TableInfo(
          i.name(),
          i.type(),
          i.rows(),
          i.width(),
          DType.of(i.dtypeCode(), i.dtypeBits()),
          (i.flags() & TableOptions.MEAN) != 0,
          (i.flags() & TableOptions.ROW_STEPS) != 0,
          Optimizer.of(i.optimizer()),
          (int) i.rank(),
          (int) i.worldSize(),
          i.step(),
          i.bytes());
    } finally {
      i.delete();
    }
  }

  /**
   * Rows by id. A row is read before a step or a write, or after it, and never amid it. Of
   * different rows in one call, some may be read before it and some after.
   *
   * @param ids INT32 or INT64 [ids], in any order, with repeats
   * @return [ids, width], memory of their own; to be closed by the caller
   * @throws GlsException.InvalidArgument for an id out of range, naming its position
   * @throws GlsException.InvalidState if a server lost the table, or it was dropped
   */
  public Tensor rows(Tensor ids) {
    Objects.requireNonNull(ids, "ids");
    return ids.handle().call(given -> Tensor.of(handle.call(low -> low.rows(given))));
  }

  /**
   * Writes rows. For an id that is given more than once, the last row counts. Of concurrent
   * writers, the last one wins, for each row as a whole. When the call fails, some rows may be
   * written.
   *
   * @param ids INT32 or INT64 [ids]
   * @param rows [ids, width] of the table's type, on the host
   * @throws GlsException.InvalidArgument for an id out of range, naming its position, and for rows
   *     of another shape or type
   * @throws GlsException.InvalidState if a server lost the table, or it was dropped
   */
  public void write(Tensor ids, Tensor rows) {
    Objects.requireNonNull(ids, "ids");
    Objects.requireNonNull(rows, "rows");
    withBoth(ids, rows, (of, values) -> handle.run(low -> low.write(of, values)));
  }

  // ---- all trainers together ----

  /**
   * As {@link #step(Tensor, Tensor, double, Duration)}. The wait for other trainers is limited by
   * the setting "cluster.request_timeout_ms" at the time when the dataset was opened.
   *
   * @param ids INT32 or INT64 [ids], in any order, with repeats
   * @param gradients FLOAT32 [ids, width], on the host
   * @param learningRate equal for all trainers
   */
  public void step(Tensor ids, Tensor gradients, double learningRate) {
    step(ids, gradients, learningRate, patience);
  }

  /**
   * Takes a step of the optimiser together with all trainers. It waits until each trainer has sent
   * its gradients, and returns when the rows are changed. A trainer without gradients calls it with
   * no ids.
   *
   * <p>Each trainer sums a row's gradients in the order of {@code ids}. The sums of the trainers
   * are added in the order of their ranks, and the row is changed once. So the outcome depends
   * neither on the order of arrival nor on the parts.
   *
   * <p>After an error, an interruption included, the step was not taken, unless the connection to a
   * server was lost. In that case some parts may have taken it, and the next call must have equal
   * arguments. A step is never taken twice.
   *
   * @param ids INT32 or INT64 [ids], in any order, with repeats
   * @param gradients FLOAT32 [ids, width], on the host
   * @param learningRate equal for all trainers
   * @param timeout how long to wait for the other trainers; zero: not at all
   * @throws GlsException.InvalidArgument for an id out of range, naming its position. For gradients
   *     of another shape or type, or more than 1 GiB of them for a part. For gradients that are NaN
   *     or infinite, or whose sum is, naming the row. For a learning rate that is not finite, or
   *     differs from that of the other trainers. For another number of trainers than theirs, or the
   *     rank of another trainer
   * @throws GlsException.OutOfMemory if a server's memory for tables cannot keep the gradients
   *     until all trainers have sent theirs
   * @throws GlsException.TimedOut naming the missing ranks
   * @throws GlsException.InvalidState if the table has no optimiser, was attached to without
   *     options, was dropped or lost, or is being loaded. Also if its parts are at different steps,
   *     because a trainer ended amid one, or if this object is behind: load the table
   * @throws GlsException.Interrupted if the thread is interrupted; its flag stays set
   */
  public void step(Tensor ids, Tensor gradients, double learningRate, Duration timeout) {
    step(ids, gradients, learningRate, Futures.millis(timeout));
  }

  private void step(Tensor ids, Tensor gradients, double learningRate, long millis) {
    Objects.requireNonNull(ids, "ids");
    Objects.requireNonNull(gradients, "gradients");
    withBoth(
        ids,
        gradients,
        (of, given) ->
            together(millis, slice -> handle.run(low -> low.step(of, given, learningRate, slice))));
  }

  /**
   * Saves this trainer's share of the rows, with the state of the optimiser. Every trainer calls it
   * after the same step. Each saves the state after that step, because the next step waits for all
   * trainers. Only {@link #write} must not run meanwhile. If a step is taken amid it, the save
   * fails.
   *
   * <p>The files do not depend on the parts: they can be loaded with other parts, or by another
   * number of trainers.
   *
   * @param path a folder, created if missing. It is one folder for all trainers, or one for each,
   *     to be merged before loading. Nothing is overwritten
   * @throws GlsException.AlreadyExists if the folder has this share, or something else: another
   *     table or step, or shares of another number of trainers
   * @throws GlsException.InvalidState if a step was taken meanwhile, or parts are at different
   *     steps
   * @throws GlsException.IoError if the system refuses
   */
  public void save(Path path) {
    Objects.requireNonNull(path, "path");
    turn.lock();
    try {
      handle.run(low -> low.save(path.toString()));
    } finally {
      turn.unlock();
    }
  }

  /**
   * As {@link #load(Path, Duration)}. The wait for other trainers is limited by the setting
   * "cluster.request_timeout_ms" at the time when the dataset was opened.
   *
   * @param path a folder
   */
  public void load(Path path) {
    load(path, patience);
  }

  /**
   * Loads a saved table. Every trainer calls it. Each loads its share, and the call returns when
   * all trainers have theirs. Steps continue from the saved step.
   *
   * <p>All files that this trainer needs are checked before the first row is written. From then on
   * no step is taken until a load has succeeded.
   *
   * @param path a folder with all shares of one step, saved by any number of trainers
   * @param timeout how long to wait for the other trainers; zero: not at all
   * @throws GlsException.NotFound if the folder does not exist, or a trainer's share is missing;
   *     the message names it
   * @throws GlsException.CorruptData if files are damaged
   * @throws GlsException.InvalidArgument if it is of a table of another type, number of rows,
   *     width, type of numbers or optimiser. Also if not all shares are of one table and step
   * @throws GlsException.TimedOut naming the missing ranks
   * @throws GlsException.Interrupted if the thread is interrupted while it waits; its flag stays
   *     set
   */
  public void load(Path path, Duration timeout) {
    load(path, Futures.millis(timeout));
  }

  private void load(Path path, long millis) {
    Objects.requireNonNull(path, "path");
    together(millis, slice -> handle.run(low -> low.load(path.toString(), slice)));
  }

  /**
   * Makes a call that waits for the other trainers. Calling it again continues it. So it waits in
   * slices, and checks for an interruption between them. Slices grow, because each one sends or
   * loads all data again.
   */
  private void together(long millis, LongConsumer call) {
    long begin = System.nanoTime();
    lock();
    try {
      if (alone) {
        call.accept(millis);
        return;
      }
      for (; ; ) {
        long waited = (System.nanoTime() - begin) / 1_000_000;
        long left = millis < 0 ? Long.MAX_VALUE : Math.max(0, millis - waited);
        long slice = Math.min(left, Math.max(LEAST_SLICE_MILLIS, waited));
        try {
          call.accept(slice);
          return;
        } catch (GlsException.TimedOut error) {
          if (slice == left) {
            throw error;
          }
        }
        if (Thread.currentThread().isInterrupted()) {
          throw interrupted();
        }
      }
    } finally {
      turn.unlock();
    }
  }

  private void lock() {
    try {
      turn.lockInterruptibly();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw interrupted();
    }
  }

  private static GlsException.Interrupted interrupted() {
    return new GlsException.Interrupted("the thread was interrupted while a table's trainers met");
  }

  private static void withBoth(
      Tensor first, Tensor second, BiConsumer<org.gls.low.Tensor, org.gls.low.Tensor> call) {
    first.handle().run(a -> second.handle().run(b -> call.accept(a, b)));
  }

  // ---- the end ----

  /**
   * Drops the table for all: memory of its rows is free, calls on it fail, and its name may be used
   * again. A second time nothing happens.
   */
  public void drop() {
    handle.run(org.gls.low.Table::drop);
  }

  /** Lets go of the table, which itself stays. */
  @Override
  public void close() {
    cleanable.clean();
  }
}
