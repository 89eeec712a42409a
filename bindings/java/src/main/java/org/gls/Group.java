package org.gls;

import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.Future;
import org.gls.low.GroupOptions;
import org.gls.low.MemberInfo;

/**
 * This process as a member of a group of processes that were started together, until it leaves or
 * is closed.
 *
 * <p>Rank, world size and the address of rank 0 are arguments, or come from torchrun, Open MPI,
 * Slurm or PMIx. Without any of them the process is alone, in a group of one. The settings {@code
 * net.*} of the context configure how connections are protected, as for a {@link Server}.
 *
 * <pre>{@code
 * try (Group group = Group.join()) {
 *   group.function("hello", call -> ("hello " + new String(call.data(), UTF_8)).getBytes(UTF_8));
 *   group.barrier();
 *   byte[] reply = group.call(0, "hello", "world".getBytes(UTF_8));
 *   group.leave(Duration.ofSeconds(10));
 * }
 * }</pre>
 *
 * <p>Barriers and all-gathers are for one thread at a time. All other methods are for any thread.
 */
public final class Group implements AutoCloseable {
  private final Handle<org.gls.low.Group> handle;
  private final Functions functions;
  private final Object operations = new Object(); // which begin one at a time
  private final Cleaner.Cleanable cleanable;

  private Group(org.gls.low.Group low, int threads) {
    functions = new Functions(threads);
    handle = new Handle<>("group", low, org.gls.low.Group::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * Joins with the settings of the launcher.
   *
   * @return when all processes have joined
   */
  public static Group join() {
    return builder().join();
  }

  /**
   * Options of a group.
   *
   * @return for {@link Builder#join}
   */
  public static Builder builder() {
    return new Builder();
  }

  // ---- members ----

  /**
   * The place of this process.
   *
   * @return the numbers at this moment
   */
  public GroupInfo info() {
    return handle.call(
        low -> {
          org.gls.low.GroupInfo i = low.info();
          try {
            return new GroupInfo(
                low.name(),
                (int) i.getRank(),
                (int) i.getWorldSize(),
                (int) i.getLocalRank(),
                (int) i.getLocalSize(),
                Launcher.of(i.getLauncher()),
                i.getOperations());
          } finally {
            i.delete();
          }
        });
  }

  /**
   * All processes.
   *
   * @return by rank
   */
  public List<Member> members() {
    int count = info().worldSize();
    List<Member> out = new ArrayList<>();
    for (int rank = 0; rank < count; ++rank) {
      int which = rank;
      MemberInfo i = handle.call(low -> low.member(which));
      try {
        out.add(new Member(i.name(), i.host(), i.address(), i.process()));
      } finally {
        i.delete();
      }
    }
    return List.copyOf(out);
  }

  // ---- all together ----

  /** Waits, without limit, until all processes have called it; see {@link #barrier(Duration)}. */
  public void barrier() {
    Futures.await(beginBarrier(-1), low -> null);
  }

  /**
   * Waits until all processes have called it. A barrier that timed out or was interrupted is not
   * over for the other processes: calling it again continues it.
   *
   * @param timeout how long
   * @throws GlsException.TimedOut naming the missing ranks
   * @throws GlsException.IoError if a process is lost or has left
   * @throws GlsException.InvalidState if the other processes do something else, or another
   *     operation runs in this process
   * @throws GlsException.Interrupted if the thread is interrupted; its flag stays set
   */
  public void barrier(Duration timeout) {
    Futures.await(beginBarrier(Futures.millis(timeout)), low -> null);
  }

  /**
   * As {@link #barrier(Duration)} without waiting. It is completed by the common pool.
   *
   * @param timeout how long it may take
   * @return null, later
   */
  public CompletableFuture<Void> barrierAsync(Duration timeout) {
    return Futures.future(beginBarrier(Futures.millis(timeout)), low -> null);
  }

  private Future beginBarrier(long millis) {
    synchronized (operations) {
      return handle.call(low -> low.barrier(millis));
    }
  }

  /**
   * As {@link #allGather(byte[], Duration)} without limit.
   *
   * @param data of this process; null: no bytes
   * @return the bytes of all processes, by rank
   */
  public List<byte[]> allGather(byte[] data) {
    return Futures.await(beginGather(data, -1), Group::all);
  }

  /**
   * Gives bytes of each process to all of them. They may differ in size. Errors are those of {@link
   * #barrier(Duration)}.
   *
   * @param data of this process; null: no bytes
   * @param timeout how long
   * @return the bytes of all processes, by rank
   */
  public List<byte[]> allGather(byte[] data, Duration timeout) {
    return Futures.await(beginGather(data, Futures.millis(timeout)), Group::all);
  }

  /**
   * As {@link #allGather(byte[], Duration)} without waiting. It is completed by the common pool.
   *
   * @param data of this process; null: no bytes
   * @param timeout how long it may take
   * @return the bytes of all processes, by rank, later
   */
  public CompletableFuture<List<byte[]>> allGatherAsync(byte[] data, Duration timeout) {
    return Futures.future(beginGather(data, Futures.millis(timeout)), Group::all);
  }

  private Future beginGather(byte[] data, long millis) {
    synchronized (operations) {
      return handle.call(low -> Futures.withBytes(data, bytes -> low.allGather(bytes, millis)));
    }
  }

  private static List<byte[]> all(Future future) {
    List<byte[]> out = new ArrayList<>();
    for (long i = 0; i < future.count(); ++i) {
      out.add(future.bytes(i));
    }
    return out;
  }

  // ---- functions ----

  /**
   * Lets the other processes call a function of this process by a name. Threads of this package run
   * it. Its result answers the call; the caller receives an exception as an error with the same
   * text. The function stays until the group is closed.
   *
   * @param name 1 to 255 bytes
   * @param function for several calls at once
   * @throws GlsException.AlreadyExists if a function of this name exists
   * @throws GlsException.InvalidState if the group was left
   */
  public void function(String name, CallFunction function) {
    functions.add(name, function, (text, queue) -> handle.run(low -> low.function(text, queue)));
  }

  /**
   * As {@link #function}, for a function that may answer later.
   *
   * @param name 1 to 255 bytes
   * @param function for several calls at once
   */
  public void functionLater(String name, CallFunctionLater function) {
    functions.addLater(
        name, function, (text, queue) -> handle.run(low -> low.function(text, queue)));
  }

  /**
   * As {@link #call(int, String, byte[], CallOptions)} with default options.
   *
   * @param rank of the process to call, which may be this one
   * @param function its name there
   * @param data bytes for the function; null: no bytes
   * @return its answer
   */
  public byte[] call(int rank, String function, byte[] data) {
    return call(rank, function, data, CallOptions.DEFAULTS);
  }

  /**
   * Calls a function of a process of the group, and waits for the answer.
   *
   * @param rank of the process to call, which may be this one
   * @param function its name there
   * @param data bytes for the function; null: no bytes
   * @param options how it is called
   * @return its answer
   * @throws GlsException.NotFound if this function does not exist; the message names the existing
   *     ones
   * @throws GlsException.TimedOut if no answer arrives in time
   * @throws GlsException.IoError if the process is lost
   * @throws GlsException as the function threw it, if it threw one; any other exception becomes
   *     {@link GlsException.InvalidArgument}
   * @throws GlsException.Interrupted if the thread is interrupted; its flag stays set
   */
  public byte[] call(int rank, String function, byte[] data, CallOptions options) {
    return Futures.await(begin(rank, function, data, options), Futures::first);
  }

  /**
   * As {@link #callAsync(int, String, byte[], CallOptions)} with default options.
   *
   * @param rank of the process to call, which may be this one
   * @param function its name there
   * @param data bytes for the function; null: no bytes
   * @return its answer, later
   */
  public CompletableFuture<byte[]> callAsync(int rank, String function, byte[] data) {
    return callAsync(rank, function, data, CallOptions.DEFAULTS);
  }

  /**
   * As {@link #call(int, String, byte[], CallOptions)} without waiting. It is completed by the
   * common pool.
   *
   * @param rank of the process to call, which may be this one
   * @param function its name there
   * @param data bytes for the function; null: no bytes
   * @param options how it is called
   * @return its answer, later; cancelling it cancels the call
   */
  public CompletableFuture<byte[]> callAsync(
      int rank, String function, byte[] data, CallOptions options) {
    return Futures.future(begin(rank, function, data, options), Futures::first);
  }

  private Future begin(int rank, String function, byte[] data, CallOptions options) {
    Objects.requireNonNull(function, "function");
    long millis = options.timeoutMillis;
    boolean again = options.idempotent;
    if (rank < 0) {
      throw GlsException.invalid("rank", rank + ", expected at least 0");
    }
    return handle.call(
        low -> Futures.withBytes(data, bytes -> low.call(rank, function, bytes, millis, again)));
  }

  // ---- the end ----

  /**
   * Accepts no more calls, lets running calls end, and leaves. Operations of other processes that
   * need this one end with an error that reports it. A second call does nothing.
   *
   * @param timeout how long running calls may take
   */
  public void leave(Duration timeout) {
    long millis = Futures.millis(timeout);
    handle.run(low -> low.leave(millis));
  }

  /** Leaves at once, unless it has left: the other processes see this one as lost. */
  @Override
  public void close() {
    cleanable.clean();
    functions.close();
  }

  /** Options of a group. */
  public static final class Builder {
    private String name;
    private Launcher launcher = Launcher.AUTO;
    private int rank;
    private int worldSize;
    private int numThreads;
    private String rendezvous;
    private String listen;
    private String processName;
    private long timeoutMillis = Futures.TIMEOUT_DEFAULT; // -1: without limit
    private Exchange exchange;
    private Progress progress;
    private Context context;

    private Builder() {}

    /**
     * The name of the group, equal in all its processes; "gls" by default.
     *
     * @param name one process may be in several groups
     * @return this
     */
    public Builder name(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * The launcher that sets what these options do not set.
     *
     * @param launcher instead of AUTO
     * @return this
     */
    public Builder launcher(Launcher launcher) {
      this.launcher = Objects.requireNonNull(launcher, "launcher");
      return this;
    }

    /**
     * The place of this process; by default the launcher sets it.
     *
     * @param rank 0 to worldSize - 1
     * @param worldSize number of processes
     * @return this
     */
    public Builder place(int rank, int worldSize) {
      if (rank < 0 || worldSize < 1) {
        throw GlsException.invalid("rank", rank + " of " + worldSize);
      }
      this.rank = rank;
      this.worldSize = worldSize;
      return this;
    }

    /**
     * Threads that run functions; by default as many as the context has.
     *
     * @param threads 1 or more
     * @return this
     */
    public Builder numThreads(int threads) {
      if (threads < 1) {
        throw GlsException.invalid("numThreads", threads + ", expected at least 1");
      }
      this.numThreads = threads;
      return this;
    }

    /**
     * The address where rank 0 listens and the others connect; by default the environment sets it.
     *
     * @param address "host:port"
     * @return this
     */
    public Builder rendezvous(String address) {
      this.rendezvous = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * The address to listen on. By default rank 0 listens at the rendezvous, and the others on
     * 127.0.0.1:0. On several machines use "0.0.0.0:0", or one interface.
     *
     * @param address "host:port"
     * @return this
     */
    public Builder listen(String address) {
      this.listen = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * The name of this process in errors and logs of the others.
     *
     * @param name for people
     * @return this
     */
    public Builder processName(String name) {
      this.processName = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * How long to wait for all processes to join; 120 s by default.
     *
     * @param timeout from the call of join(); zero: the others have joined already
     * @return this
     */
    public Builder timeout(Duration timeout) {
      this.timeoutMillis = Futures.millis(timeout);
      return this;
    }

    /**
     * Waits for all processes without limit.
     *
     * @return this
     */
    public Builder withoutTimeout() {
      this.timeoutMillis = -1;
      return this;
    }

    /**
     * Distributes the address of rank 0 to all processes, instead of a rendezvous. Needs {@link
     * #place}.
     *
     * @param exchange an implementation of the caller
     * @return this
     */
    public Builder exchange(Exchange exchange) {
      this.exchange = Objects.requireNonNull(exchange, "exchange");
      return this;
    }

    /**
     * Where to report the progress of waiting for the other processes.
     *
     * @param progress null, the default: it is not reported
     * @return this
     */
    public Builder progress(Progress progress) {
      this.progress = progress;
      return this;
    }

    /**
     * The context whose settings and log the group uses.
     *
     * @param context instead of the default one
     * @return this
     */
    public Builder context(Context context) {
      this.context = Objects.requireNonNull(context, "context");
      return this;
    }

    /**
     * Joins, and waits until all processes have joined. Interrupting the thread ends the wait.
     *
     * @return a new group
     * @throws GlsException.TimedOut naming the missing ranks
     * @throws GlsException.AlreadyExists if another process has this rank, or the address is taken
     * @throws GlsException.NotFound if the launcher has not set a required variable
     * @throws GlsException.InvalidArgument if nothing protects connections, or the other processes
     *     belong to another group
     */
    public Group join() {
      Context chosen = context != null ? context : Context.getDefault();
      if (exchange != null && worldSize == 0) {
        throw GlsException.invalid("exchange", "place() is needed as well");
      }
      int threads = numThreads > 0 ? numThreads : Functions.threadsOf(chosen);
      GroupOptions low = new GroupOptions();
      try {
        if (name != null) {
          low.setName(name);
        }
        if (rendezvous != null) {
          low.setRendezvous(rendezvous);
        }
        if (listen != null) {
          low.setListen(listen);
        }
        if (processName != null) {
          low.setProcessName(processName);
        }
        low.setLauncher(launcher.number);
        low.setPlace(rank, worldSize);
        low.setNumThreads(1); // of the library, which only hand over
        low.setTimeout(timeoutMillis);
        UnaryOperator<byte[]> all = exchange == null ? null : this::exchange;
        return chosen.handle.call(
            c -> new Group(low.join(c, all, Interruptible.of(progress)), threads));
      } finally {
        low.delete();
      }
    }

    /** Those of all, one after another. */
    private byte[] exchange(byte[] mine) {
      List<byte[]> all = exchange.exchange(mine);
      if (all.size() != worldSize) {
        throw GlsException.invalid(
            "exchange", "it returned " + all.size() + " items, expected " + worldSize);
      }
      byte[] out = new byte[Math.multiplyExact(mine.length, worldSize)];
      for (int i = 0; i < worldSize; ++i) {
        byte[] item = all.get(i);
        if (item.length != mine.length) {
          throw GlsException.invalid(
              "exchange", "it returned " + item.length + " bytes, expected " + mine.length);
        }
        System.arraycopy(item, 0, out, i * mine.length, item.length);
      }
      return out;
    }
  }
}
