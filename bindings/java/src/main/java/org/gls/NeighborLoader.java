package org.gls;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.internal.Ready;
import org.gls.low.LoaderOptions;

/**
 * Iterates over mini-batches of a graph; each {@link #iterator} is the next epoch.
 *
 * <p>Batches are made ahead by the context's threads. They do not depend on the number of threads.
 *
 * <p>Several threads may take batches from one loader: each batch goes to one of them. Interrupting
 * a thread that waits for a batch makes it throw {@link GlsException.Interrupted} at once; no batch
 * is lost. {@link #nextAsync} gives batches without a thread that waits.
 */
public final class NeighborLoader implements Iterable<Batch>, AutoCloseable {
  // gls.h
  private static final int SHUFFLE = 1;
  private static final int DROP_LAST = 2;
  private static final int NO_COLUMNS = 4;
  private static final int INPUT = 8;

  private final Handle<org.gls.low.Loader> handle;
  private final Cleaner.Cleanable cleanable;
  private final Takers takers;
  private final Structure structure;
  private volatile SeedType seedType; // null: another process makes the batches, none was seen yet
  private final Transforms transforms; // null: none

  private NeighborLoader(
      org.gls.low.Loader low, Structure structure, SeedType seedType, Transforms transforms) {
    this.structure = structure;
    this.seedType = seedType;
    this.transforms = transforms;
    handle = new Handle<>("loader", low, NeighborLoader::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
    takers = new Takers(handle, transforms == null ? error -> error : transforms::explain);
  }

  /** A loader whose batches another process makes; takes {@code low}. */
  static NeighborLoader attached(org.gls.low.Loader low) {
    org.gls.low.Dataset names = null;
    try {
      names = low.dataset();
      return new NeighborLoader(low, Structure.of(names), null, null);
    } catch (Throwable error) {
      low.delete();
      throw error;
    } finally {
      if (names != null) {
        names.delete();
      }
    }
  }

  /** What a feed is made with. */
  Feed serve(Function<org.gls.low.Loader, Feed> made) {
    return handle.call(made::apply);
  }

  /** Waits for the batches in work, which the thread that serves all loaders must not. */
  private static void delete(org.gls.low.Loader low) {
    if (Ready.isServing()) {
      Thread thread = new Thread(low::delete, "gls-release");
      thread.setDaemon(true);
      thread.start();
    } else {
      low.delete();
    }
  }

  /**
   * Options of a loader.
   *
   * @param dataset the graph
   * @return for {@link Builder#build}
   */
  public static Builder builder(Dataset dataset) {
    return new Builder(dataset);
  }

  // ---- batches ----

  /**
   * The next batch of the current epoch.
   *
   * @return empty when the epoch is over, again and again, until {@link #setEpoch}
   * @throws GlsException.Canceled after {@link #cancel}
   * @throws GlsException.Interrupted if the thread is or was interrupted; its flag stays set
   * @throws GlsException of sampling, gathering or the transform, for the batch that failed: the
   *     next call continues with the batch after it
   */
  public Optional<Batch> next() {
    return Optional.ofNullable(take(Takers.ANY, Takers.FOREVER));
  }

  /**
   * The next batch of the current epoch, if it is ready in time.
   *
   * @param timeout how long to wait; zero: not at all
   * @return empty when the epoch is over
   * @throws GlsException.TimedOut if there is none yet; ask again
   */
  public Optional<Batch> next(Duration timeout) {
    return Optional.ofNullable(take(Takers.ANY, Futures.nanos(timeout))); // the longest: FOREVER
  }

  /** null at the end of the epoch. */
  private Batch take(long iteration, long nanos) {
    try {
      return wrap(takers.take(iteration, nanos));
    } finally {
      Reference.reachabilityFence(this); // a loader that is waited for is not forgotten
    }
  }

  private Batch wrap(org.gls.low.Batch low) {
    if (low != null && seedType == null) {
      seedType = seedTypeOf(low);
    }
    return low == null ? null : new Batch(low, structure, seedType);
  }

  /** Read from its array of positions, which every batch of a loader has. */
  private SeedType seedTypeOf(org.gls.low.Batch low) {
    SeedType found = null;
    for (long i = 0; i < low.numArrays(); ++i) {
      if (low.array(i) == INPUT) {
        // Of several types arrays are asked for by type.
        found = found != null ? SeedType.nodes(null) : inputOf(low.arrayType(i));
      }
    }
    if (found == null) {
      throw new IllegalStateException("a batch without seeds");
    }
    return found;
  }

  private SeedType inputOf(String type) {
    for (EdgeType edges : structure.edgeTypes()) {
      if (edges.name().equals(type)) {
        return SeedType.links(edges);
      }
    }
    return SeedType.nodes(type);
  }

  /**
   * The next batch of the current epoch, without waiting: as {@link #nextAsync(Executor)} with the
   * common pool of {@link CompletableFuture}.
   *
   * @return empty when the epoch is over
   */
  public CompletableFuture<Optional<Batch>> nextAsync() {
    return async(null);
  }

  /**
   * The next batch of the current epoch, without waiting. No thread waits for it either.
   *
   * <p>If it is ready, so is the future, and stages that depend on it run where they are added.
   * Else the executor completes it, and runs them; one that refuses is replaced by the common pool.
   * An executor that runs its tasks at once, as {@code Runnable::run}, runs them on the thread that
   * serves all loaders: they must be short there, and {@link #next} does not wait there.
   *
   * <p>Futures and threads in {@link #next} are served in the order in which they came. Cancelling
   * a future that was not served, or ending it in another way as {@link
   * CompletableFuture#orTimeout} does, leaves its batch to the next one. One that has been served
   * cannot be cancelled.
   *
   * <p>The future ends as {@link #next} does: also with the errors of the batch, with {@link
   * GlsException.Canceled} after {@link #cancel}, and with {@link IllegalStateException} after
   * {@link #close}. It is for the current epoch alone: {@link #iterator}, {@link #setEpoch} and
   * {@link #restore} end it with {@link GlsException.InvalidState}.
   *
   * @param executor completes the future if that must wait
   * @return empty when the epoch is over
   */
  public CompletableFuture<Optional<Batch>> nextAsync(Executor executor) {
    return async(Objects.requireNonNull(executor, "executor"));
  }

  private CompletableFuture<Optional<Batch>> async(Executor executor) {
    BatchFuture future =
        new BatchFuture(
            takers,
            executor,
            outcome -> {
              if (outcome.error() != null) {
                throw outcome.error();
              }
              return Optional.ofNullable(wrap(outcome.batch()));
            });
    future.begin();
    return future;
  }

  /**
   * The batches of the next epoch. The first call gives the first epoch; after {@link #restore}, it
   * gives the rest of the restored epoch. Ends the iterator in use.
   *
   * <p>{@link Iterator#hasNext} waits for a batch, which {@link Iterator#next} then gives.
   *
   * @return batches, to be closed by the caller
   */
  @Override
  public Iterator<Batch> iterator() {
    return new Epoch(takers.begin());
  }

  /**
   * The batches of the next epoch as a stream; that epoch begins when the stream is used.
   *
   * @return sequential; batches are to be closed by the caller
   */
  public Stream<Batch> stream() {
    int kind = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.IMMUTABLE;
    return StreamSupport.stream(
        () -> Spliterators.spliteratorUnknownSize(iterator(), kind), kind, false);
  }

  /** The rest of an epoch. */
  private final class Epoch implements Iterator<Batch> {
    private final long own;
    private Batch ready;
    private boolean over;

    Epoch(long own) {
      this.own = own;
    }

    @Override
    public boolean hasNext() {
      if (ready == null && !over) {
        ready = take(own, Takers.FOREVER);
        over = ready == null;
      }
      return ready != null;
    }

    @Override
    public Batch next() {
      if (!hasNext()) {
        throw new NoSuchElementException("the epoch is over");
      }
      Batch out = ready;
      ready = null;
      return out;
    }
  }

  // ---- epochs ----

  /**
   * The current epoch.
   *
   * @return unsigned
   */
  public long epoch() {
    return handle.call(org.gls.low.Loader::epoch);
  }

  /**
   * Goes to the start of an epoch, for {@link #next} and for the next {@link #iterator}; ends the
   * iterator in use and a cancelled state.
   *
   * <p>After {@link #restore} a call with the epoch of the restored state changes nothing. So a
   * loop that sets the epoch each time resumes in the middle.
   *
   * @param epoch unsigned
   */
  public void setEpoch(long epoch) {
    takers.seek(epoch);
  }

  /**
   * Makes all waiting and all later calls and futures for a batch end with {@link
   * GlsException.Canceled}, until the next {@link #iterator} or {@link #setEpoch}.
   */
  public void cancel() {
    handle.run(org.gls.low.Loader::cancel);
    takers.serve(); // waiting takers get the error
  }

  /**
   * Any batch of any epoch by its number, with the same bytes as in an iteration. The calling
   * thread makes it, and no batch before it. It does not change iteration, totals and state. For
   * any number of threads at once.
   *
   * @param epoch unsigned
   * @param batch its number among those of all trainers, below {@link #numGlobalBatches}
   * @return to be closed by the caller
   * @throws GlsException.InvalidArgument if an epoch has no such batch
   */
  public Batch sample(long epoch, long batch) {
    try {
      return wrap(handle.call(low -> low.sample(epoch, batch)));
    } catch (GlsException error) {
      throw transforms == null ? error : transforms.explain(error);
    }
  }

  /**
   * GraphSAINT's normalisation, estimated by making batches on the context's threads and counting
   * how often each node and edge is in them. They are far from those that are trained on, and the
   * loader stays where it is. Interrupting the thread ends it.
   *
   * @param options what to count
   * @return to be closed by the caller
   * @throws GlsException.InvalidArgument for options that make no sense
   */
  public SaintNorms saintNorms(NormOptions options) {
    return SaintNorms.of(
        handle.call(
            low ->
                low.saintNorms(
                    options.nodeType,
                    options.edgeType,
                    options.epoch,
                    options.batches,
                    options.coverage,
                    true,
                    options.edges,
                    Interruptible.of(options.progress))));
  }

  /**
   * Plans an epoch before it runs, by sampling its batches on the context's threads. The numbers of
   * nodes, edges and rows are exact. For each size of memory the plan says what is read from disk,
   * and predicts the time. No row is read, and the loader stays where it is. It takes as long as
   * sampling, and some seconds for the sizes of memory. Interrupting the thread ends it.
   *
   * @param options what to plan
   * @return a JSON text; "The plan of an epoch" in the reference lists its fields
   * @throws GlsException.InvalidArgument if the epoch has no batches or fewer than those options
   * @throws GlsException.Unsupported if other processes make the batches
   */
  public String plan(PlanOptions options) {
    Progress progress = Interruptible.of(options.progress);
    return options.call(given -> handle.call(low -> low.plan(given, progress)));
  }

  // ---- state ----

  /**
   * The position after the delivered batches, and the options that it depends on. A loader with
   * other numbers of threads or trainers may resume from it, in any language.
   *
   * @return a JSON text
   */
  public String save() {
    return handle.call(org.gls.low.Loader::save);
  }

  /**
   * Continues where a saved loader stood: {@link #next} and the next {@link #iterator} give the
   * rest of that epoch, which is nothing for one that was saved at its end. Ends the iterator in
   * use and a cancelled state.
   *
   * @param state what {@link #save} gave
   * @throws GlsException.InvalidArgument if it is of another dataset, seeds, seed, batch size,
   *     order or contract
   */
  public void restore(String state) {
    takers.restore(Objects.requireNonNull(state, "state"));
  }

  /**
   * Totals since the loader was made.
   *
   * @return a snapshot
   */
  public LoaderStats stats() {
    org.gls.low.LoaderStats s = handle.call(org.gls.low.Loader::stats);
    try {
      return new LoaderStats(
          s.getBatches(),
          s.getSeeds(),
          s.getNodes(),
          s.getEdges(),
          s.getGatheredRows(),
          s.getGatheredBytes(),
          s.getSampleNs(),
          s.getGatherNs(),
          s.getWorkerWaitNs(),
          s.getCallerWaitNs(),
          s.getWallNs(),
          s.getReadyBatches(),
          s.getReadyBytes(),
          s.getPeakBytes(),
          s.getDeviceRows(),
          s.getPinnedRows(),
          s.getHostRows(),
          s.getRemoteRows(),
          s.getPeerRows(),
          s.getDiskRows(),
          s.getDiskRowBytes(),
          s.getDiskReadBytes(),
          s.getDiskPackedBytes());
    } finally {
      s.delete();
    }
  }

  /**
   * Global number of the next batch this loader hands out; beyond the last at the end of an epoch.
   *
   * @return unsigned
   */
  public long nextBatch() {
    return handle.call(org.gls.low.Loader::nextBatch);
  }

  /**
   * Batches of this trainer in a whole epoch.
   *
   * @return 0 or more
   */
  public long numBatches() {
    return handle.call(org.gls.low.Loader::numBatches);
  }

  /**
   * Batches of all trainers in a whole epoch, without repeats.
   *
   * @return 0 or more
   */
  public long numGlobalBatches() {
    return handle.call(org.gls.low.Loader::numGlobalBatches);
  }

  /**
   * Rows to which arrays of a type are padded.
   *
   * @param type node or edge type
   * @return 1 or more
   * @throws GlsException.NotFound if there is no such type, or batches are not padded
   */
  public long padSize(String type) {
    return handle.call(low -> low.padSize(type));
  }

  /**
   * Seeds of an epoch, over all trainers.
   *
   * @return 0 or more
   */
  public long numSeeds() {
    return handle.call(org.gls.low.Loader::numSeeds);
  }

  /**
   * Seeds per batch.
   *
   * @return 1 or more
   */
  public long batchSize() {
    return handle.call(org.gls.low.Loader::batchSize);
  }

  /**
   * Where the loader stands, for people.
   *
   * @return such as "NeighborLoader(epoch=0, batches=16, batchSize=64, seeds=1000)"
   */
  @Override
  public String toString() {
    if (handle.isClosed()) {
      return "NeighborLoader(closed)";
    }
    return String.format(
        "NeighborLoader(epoch=%s, batches=%d, batchSize=%d, seeds=%d)",
        Long.toUnsignedString(epoch()), numBatches(), batchSize(), numSeeds());
  }

  /** Takes and drops so many batches without making Java objects of them; for measurements. */
  long drain(long count) {
    long[] taken = new long[1];
    takers.move(low -> taken[0] = low.drain(count));
    return taken[0];
  }

  /**
   * Stops the work in progress. Threads and futures that wait for a batch get an {@link
   * IllegalStateException}. Delivered batches stay usable.
   */
  @Override
  public void close() {
    org.gls.low.Loader low;
    try {
      low = handle.enter();
    } catch (IllegalStateException closed) {
      return;
    }
    try {
      cleanable.clean();
      low.cancel(); // no call that moves the loader begins any more, so it stays cancelled
    } finally {
      handle.leave();
    }
    takers.serve(); // waiting takers get an error
  }

  /** Options of a loader. */
  public static final class Builder extends SamplingBuilder<Builder> {
    private record Request(String type, String name, Rows rows, DType dtype) {}

    private String nodeType;
    private boolean ofLinks;
    private String linkType;
    private String idSet;
    private Tensor seeds;
    private Tensor times;
    private Tensor labels;
    private Tensor[] anchorLabels = {};
    private final List<SeedSet> seedSets = new ArrayList<>();
    private int batchSize;
    private int flags;
    private int rank;
    private int worldSize = 1;
    private Even even = Even.NONE;
    private MadeBy madeBy = MadeBy.HERE;
    private int workers;
    private int prefetch;
    private long prefetchBytes;
    private final List<Request> columns = new ArrayList<>();
    private Pad pad;
    private BatchTransform transform;
    private SeedLaw law; // not null: seeds are drawn
    private String seedWeight;
    private long batches;
    private String clusterColumn;
    private Tensor clusters;

    private Builder(Dataset dataset) {
      super(dataset);
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * Type of the seeds.
     *
     * @param type null, the default: the only one
     * @return this
     */
    public Builder nodeType(String type) {
      this.nodeType = type;
      return this;
    }

    /**
     * The seeds are links of this type: each end of a link is a seed of its node type. {@link
     * #seeds(Tensor)} selects the links; by default they are all edges of the type. They have
     * neither a node type nor an id set.
     *
     * @param edgeType "source__relation__target"; null: the only one
     * @return this
     */
    public Builder links(String edgeType) {
      this.ofLinks = true;
      this.linkType = edgeType;
      return this;
    }

    /**
     * The seeds are an id set of the dataset. Without seeds, all nodes of the type are.
     *
     * @param idSet for example "train"
     * @return this
     */
    public Builder seeds(String idSet) {
      this.idSet = Objects.requireNonNull(idSet, "idSet");
      this.seeds = null;
      return this;
    }

    /**
     * The seeds are these nodes or {@link #links}.
     *
     * @param ids INT32 or INT64 [seeds], used in place; must stay open until the loader is built.
     *     Of links also sources and targets [2, seeds], which need not be edges, see {@link
     *     Tensor#pairs}
     * @return this
     */
    public Builder seeds(Tensor ids) {
      this.seeds = Objects.requireNonNull(ids, "ids");
      this.idSet = null;
      return this;
    }

    /**
     * The seeds are these nodes or {@link #links}.
     *
     * @param ids a copy of them is made; an array also for a single one, as {@code seeds(42)} could
     *     be meant for {@link #seed}
     * @return this
     */
    public Builder seeds(long[] ids) {
      return seeds(Tensor.of(ids, new long[0]));
    }

    /**
     * The time of each seed, where the loader goes by times.
     *
     * @param times INT32 or INT64 [seeds], used in place; must stay open until the loader is built.
     *     null, the default: their own, from the column {@link #nodeTime}, which links have not
     * @return this
     */
    public Builder times(Tensor times) {
      this.times = times;
      return this;
    }

    /**
     * The label of each of the {@link #links}. Batches have them as {@link EdgeArrays#linkLabel}.
     *
     * @param labels any numbers [seeds], or a row for each [seeds, ...], used in place; must stay
     *     open until the loader is built. null, the default: none, and {@link Negatives#binary}
     *     makes them 1 and 0
     * @return this
     */
    public Builder labels(Tensor labels) {
      this.labels = labels;
      return this;
    }

    /**
     * Given labels of anchors; see {@link #supervision}.
     *
     * @param labels one for each supervision. Without an edge type: INT32 or INT64 [seeds, m], -1
     *     where there is no label; used in place, must stay open until the loader is built. Else
     *     null
     * @return this
     */
    public Builder anchorLabels(Tensor... labels) {
      this.anchorLabels = labels.clone();
      return this;
    }

    /**
     * Adds the seeds of one node type; call it once for each type. They replace {@link #nodeType},
     * {@link #links}, {@link #seeds}, {@link #times} and {@link #labels}. A batch has {@link
     * #batchSize} seeds in all. {@link NodeArrays#seed} and {@link NodeArrays#input} give them by
     * type.
     *
     * @param nodeType null: the only one
     * @param ids INT32 or INT64 [seeds], used in place; must stay open until the loader is built.
     *     null: all nodes of the type
     * @param times of the seeds [seeds], used in place as well; null: their own
     * @return this
     */
    public Builder addSeeds(String nodeType, Tensor ids, Tensor times) {
      seedSets.add(new SeedSet(false, nodeType, ids, times, null));
      return this;
    }

    /**
     * Adds the links of one edge type; call it once for each type. {@link Batch#edges(String)} has
     * their arrays.
     *
     * @param edgeType "source__relation__target"
     * @param links ids [links], or sources and targets [2, links], used in place; must stay open
     *     until the loader is built. null: all edges of the type
     * @param times of the links [links], used in place as well; null: they have none
     * @param labels of the links, used in place as well; null: they have none
     * @return this
     */
    public Builder addLinks(String edgeType, Tensor links, Tensor times, Tensor labels) {
      seedSets.add(
          new SeedSet(true, Objects.requireNonNull(edgeType, "edgeType"), links, times, labels));
      return this;
    }

    private record SeedSet(boolean links, String type, Tensor ids, Tensor times, Tensor labels) {

      private void addTo(LoaderOptions options) {
        lend(ids, low -> lend(times, of -> lend(labels, l -> add(options, low, of, l))));
      }

      private void add(
          LoaderOptions options,
          org.gls.low.Tensor ids,
          org.gls.low.Tensor times,
          org.gls.low.Tensor labels) {
        options.addSeedSet(links, type, null, ids, times, labels);
      }

      private static void lend(Tensor tensor, Consumer<org.gls.low.Tensor> use) {
        if (tensor == null) {
          use.accept(null);
        } else {
          tensor.handle().run(use::accept);
        }
      }
    }

    /**
     * Draws the seeds of each batch anew, with replacement. There is no order to shuffle.
     *
     * @param law in proportion to what
     * @param batches of an epoch, of all trainers; 0: as many as if each seed were taken once
     * @return this
     */
    public Builder drawSeeds(SeedLaw law, long batches) {
      return rule(Objects.requireNonNull(law, "law"), null, batches, null, null);
    }

    /**
     * Draws the seeds of each batch anew, in proportion to a column.
     *
     * @param column of non-negative numbers, of the nodes or, for links, of the edges
     * @param batches of an epoch, of all trainers; 0: as many as if each seed were taken once
     * @return this
     */
    public Builder drawSeeds(String column, long batches) {
      return rule(SeedLaw.UNIFORM, Objects.requireNonNull(column, "column"), batches, null, null);
    }

    /**
     * Each batch has all seeds in {@link #batchSize} clusters of nodes; shuffling is of clusters.
     *
     * @param clusters INT32 or INT64, one for each node of the type, below their number; negative:
     *     in none. Used in place; must stay open until the loader is built
     * @return this
     */
    public Builder clusters(Tensor clusters) {
      return rule(null, null, 0, null, Objects.requireNonNull(clusters, "clusters"));
    }

    /**
     * Each batch has all seeds in {@link #batchSize} clusters of nodes.
     *
     * @param column of nodes, with their clusters
     * @return this
     */
    public Builder clusters(String column) {
      return rule(null, null, 0, Objects.requireNonNull(column, "column"), null);
    }

    private Builder rule(
        SeedLaw law, String seedWeight, long batches, String clusterColumn, Tensor clusters) {
      if (batches < 0) {
        throw GlsException.invalid("batches", batches + " is negative");
      }
      this.law = law;
      this.seedWeight = seedWeight;
      this.batches = batches;
      this.clusterColumn = clusterColumn;
      this.clusters = clusters;
      return this;
    }

    /**
     * Seeds per batch.
     *
     * @param batchSize 1024 by default
     * @return this
     */
    public Builder batchSize(int batchSize) {
      this.batchSize = positive("batchSize", batchSize);
      return this;
    }

    /**
     * Whether each epoch has an order of its own, a function of the seed and the epoch.
     *
     * @param shuffle false by default
     * @return this
     */
    public Builder shuffle(boolean shuffle) {
      return loaderFlag(SHUFFLE, shuffle);
    }

    /**
     * Whether to leave out a last batch that is not full.
     *
     * @param dropLast false by default
     * @return this
     */
    public Builder dropLast(boolean dropLast) {
      return loaderFlag(DROP_LAST, dropLast);
    }

    private Builder loaderFlag(int bit, boolean set) {
      flags = set ? flags | bit : flags & ~bit;
      return this;
    }

    /**
     * Which trainer this is, of those that share each epoch.
     *
     * @param rank 0 .. worldSize - 1
     * @param worldSize number of trainers
     * @return this
     */
    public Builder trainer(int rank, int worldSize) {
      if (rank < 0) {
        throw GlsException.invalid("rank", rank + " is negative");
      }
      this.rank = rank;
      this.worldSize = positive("worldSize", worldSize);
      return this;
    }

    /**
     * What to do about trainers having different numbers of batches.
     *
     * @param even NONE by default
     * @return this
     */
    public Builder even(Even even) {
      this.even = Objects.requireNonNull(even, "even");
      return this;
    }

    /**
     * Which processes make the batches.
     *
     * @param madeBy HERE by default
     * @return this
     */
    public Builder madeBy(MadeBy madeBy) {
      this.madeBy = Objects.requireNonNull(madeBy, "madeBy");
      return this;
    }

    /**
     * Batches in work at once.
     *
     * @param workers by default as many as the context has threads, but 3 at most where a GPU
     *     samples. With {@link MadeBy#SERVERS}: the batches requested at once, 8 by default
     * @return this
     */
    public Builder numWorkers(int workers) {
      this.workers = positive("numWorkers", workers);
      return this;
    }

    /**
     * Finished batches kept ready at most.
     *
     * @param batches by default two per worker, or 4 where a GPU samples and the number of workers
     *     is not set
     * @return this
     */
    public Builder prefetch(int batches) {
      this.prefetch = positive("batches", batches);
      return this;
    }

    /**
     * Bytes of batches in work or ready at most; one batch may always be made.
     *
     * @param bytes 1 GiB by default
     * @return this
     */
    public Builder prefetchBytes(long bytes) {
      if (bytes <= 0) {
        throw GlsException.invalid("bytes", bytes + " is not positive");
      }
      this.prefetchBytes = bytes;
      return this;
    }

    /**
     * Makes all batches of one shape.
     *
     * @param pad its sizes, or how they are estimated
     * @return this
     */
    public Builder pad(Pad pad) {
      this.pad = Objects.requireNonNull(pad, "pad");
      return this;
    }

    /**
     * A column to gather. Without any: those of role FEATURE for all nodes (and edges, given edge
     * ids), labels for the seeds.
     *
     * @param name of every type that has it
     * @return this
     */
    public Builder column(String name) {
      return column(null, name, Rows.AUTO, null);
    }

    /**
     * A column to gather.
     *
     * @param type node or edge type; null: every type that has it. Columns of edges need {@link
     *     #edgeIds}
     * @param name of the column
     * @param rows for which nodes
     * @param dtype null: as stored; FLOAT16 and BFLOAT16 can be widened to FLOAT32
     * @return this
     */
    public Builder column(String type, String name, Rows rows, DType dtype) {
      columns.add(
          new Request(
              type,
              Objects.requireNonNull(name, "name"),
              Objects.requireNonNull(rows, "rows"),
              dtype));
      return loaderFlag(NO_COLUMNS, true);
    }

    /**
     * Gathers only the columns of calls of {@link #column}.
     *
     * @return this
     */
    public Builder noColumns() {
      return loaderFlag(NO_COLUMNS, true);
    }

    /**
     * Changes each batch after its columns were gathered and before it is delivered.
     *
     * @param transform null, the default: none
     * @return this
     */
    public Builder transform(BatchTransform transform) {
      this.transform = transform;
      return this;
    }

    private static int positive(String argument, int value) {
      if (value <= 0) {
        throw GlsException.invalid(argument, value + " is not positive");
      }
      return value;
    }

    /**
     * Makes a loader at epoch 0. Work starts with the first call for a batch.
     *
     * @return a new loader
     * @throws GlsException.InvalidArgument for options that make no sense
     * @throws GlsException.NotFound for a type, column or set that does not exist
     * @throws GlsException.Unsupported for what this dataset or machine cannot do
     */
    public NeighborLoader build() {
      return OwnNames.ofLoader(this::make);
    }

    private SeedType typeOfSets(Structure structure) {
      SeedSet first = seedSets.get(0);
      if (seedSets.size() > 1) {
        return SeedType.nodes(null); // arrays are asked for by type
      }
      if (first.links()) {
        return SeedType.links(structure.edgeType(first.type()));
      }
      return SeedType.nodes(first.type() != null ? first.type() : structure.onlyNodeType());
    }

    private NeighborLoader make() {
      Structure structure = dataset.structure();
      boolean several = !seedSets.isEmpty();
      SeedType seedType =
          several && !ofLinks
              ? typeOfSets(structure)
              : ofLinks
                  ? SeedType.links(structure.edgeType(linkType))
                  : SeedType.nodes(nodeType != null ? nodeType : structure.onlyNodeType());
      org.gls.low.Sampler sampler = makeSampler();
      LoaderOptions options = new LoaderOptions();
      try {
        // With seeds of several types, what else says which they are is passed on to be refused.
        options.setNodeType(nodeType);
        options.setEdgeType(several && !ofLinks ? null : seedType.link());
        options.setIdSet(idSet);
        for (SeedSet set : seedSets) {
          set.addTo(options);
        }
        options.setBatchSize(batchSize);
        options.setFlags(flags);
        options.setTrainer(rank, worldSize);
        options.setEven(even.number);
        options.setMadeBy(madeBy.number);
        options.setNumWorkers(workers);
        options.setPrefetch(prefetch);
        options.setPrefetchBytes(prefetchBytes);
        if (pad != null) {
          pad.addTo(options);
        }
        for (Request one : columns) {
          DType dtype = one.dtype();
          options.addColumn(
              one.type(),
              one.name(),
              one.rows().number,
              dtype == null ? 0 : dtype.code,
              dtype == null ? 0 : dtype.bits());
        }
        if (times != null) {
          times.handle().run(options::setTimes);
        }
        if (labels != null) {
          labels.handle().run(options::setLabels);
        }
        Transforms transforms = null;
        if (transform != null) {
          transforms = new Transforms(transform, made -> new Batch(made, structure, seedType));
          options.setTransform(transforms.queue());
        }
        for (Tensor rows : anchorLabels) {
          if (rows == null) {
            options.addAnchorLabels(null);
          } else {
            rows.handle().run(options::addAnchorLabels);
          }
        }
        if (law != null) {
          options.setDrawn(law.number, seedWeight, batches);
        } else if (clusters != null) {
          clusters.handle().run(given -> options.setClusters(null, given));
        } else if (clusterColumn != null) {
          options.setClusters(clusterColumn, null);
        }
        org.gls.low.Loader low =
            seeds == null
                ? new org.gls.low.Loader(sampler, null, options)
                : seeds.handle().call(ids -> new org.gls.low.Loader(sampler, ids, options));
        NeighborLoader loader = new NeighborLoader(low, structure, seedType, transforms);
        if (transforms != null) {
          transforms.start();
        }
        return loader;
      } finally {
        options.delete();
        sampler.delete();
      }
    }
  }
}
