package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Serves parts of a graph until it is closed, on threads of its own.
 *
 * <p>Clients open {@code gls://host:port} with {@link Dataset#open(String)}, and get the batches
 * that the whole graph would give in one process. How connections are protected, and who may
 * connect, is said by the settings {@code net.*} of the context, or by their environment variables:
 * without a key, certificates or {@code net.plain} nothing is served.
 */
public final class Server implements AutoCloseable {
  private final Handle<org.gls.low.Server> handle;
  private final Cleaner.Cleanable cleanable;
  private final Functions functions;

  private Server(org.gls.low.Server low, int threads) {
    functions = new Functions(threads);
    handle = new Handle<>("server", low, org.gls.low.Server::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * Options of a server.
   *
   * @param path a folder of parts, which {@link Dataset#partition} made, where parts that are not
   *     served need not be; or the folder of a dataset, which is served as one part
   * @return for {@link Builder#start}
   */
  public static Builder builder(Path path) {
    return new Builder(Objects.requireNonNull(path, "path"));
  }

  /**
   * Asks one server alone whether it serves, in this process or elsewhere, and what. It serves when
   * it listens, lets in who has this context's key or certificate, and answers. The other servers
   * of the graph are not asked and need not be there. A server that was stopped no longer listens,
   * however long requests under way take.
   *
   * @param context whose settings say how connections are protected
   * @param address "host:port"
   * @param timeout how long that may take
   * @return what it says of itself
   * @throws GlsException.IoError if nobody listens there, or it does not let this process in
   * @throws GlsException.TimedOut if it did not answer in time
   * @throws GlsException.InvalidArgument if nothing protects connections, or for the address
   */
  public static ServerProbe probe(Context context, String address, Duration timeout) {
    Objects.requireNonNull(address, "address");
    long millis = Math.max(0, timeout.toMillis());
    org.gls.low.ServerProbe said =
        context.handle.call(low -> org.gls.low.ServerProbe.ask(low, address, millis));
    try {
      List<Integer> parts = new ArrayList<>();
      for (int i = 0; i < said.numParts(); ++i) {
        parts.add((int) said.part(i));
      }
      return new ServerProbe(
          said.name(), said.version(), said.graph(), List.copyOf(parts), (int) said.graphParts());
    } finally {
      said.delete();
    }
  }

  /**
   * Where it listens.
   *
   * @return "host:port", with the port that was found
   */
  public String address() {
    return handle.call(org.gls.low.Server::address);
  }

  /**
   * What it does at this moment, and has done so far.
   *
   * @return the numbers at this moment
   */
  public ServerInfo info() {
    org.gls.low.ServerInfo i = handle.call(org.gls.low.Server::info);
    try {
      return new ServerInfo(
          (int) i.getParts(),
          (int) i.getGraphParts(),
          i.getClients(),
          i.getStrangers(),
          i.getAccepted(),
          i.getAdmitted(),
          i.getEvicted(),
          i.getRequests(),
          i.getFailures());
    } finally {
      i.delete();
    }
  }

  /**
   * Takes no more requests, lets those under way end, and closes the connections. Clients that ask
   * again wait for a server at the same address, or go to another one that has the part.
   *
   * @param timeout how long requests under way may take
   */
  public void stop(Duration timeout) {
    long millis = Math.max(0, timeout.toMillis());
    handle.run(low -> low.stop(millis));
  }

  /**
   * Lets clients call a function of this process with {@link Dataset#call(int, String, byte[])}. It
   * is called by threads of this package, and what it returns answers the call; what it throws
   * reaches the caller as an error with its words. It stays until the server is closed.
   *
   * @param name 1 to 255 bytes
   * @param function for several calls at once
   * @throws GlsException.AlreadyExists if there is one of this name
   * @throws GlsException.InvalidState if it was stopped
   */
  public void function(String name, CallFunction function) {
    functions.add(name, function, (text, queue) -> handle.run(low -> low.function(text, queue)));
  }

  /**
   * As {@link #function}, of a function that answers when it likes.
   *
   * @param name 1 to 255 bytes
   * @param function for several calls at once
   */
  public void functionLater(String name, CallFunctionLater function) {
    functions.addLater(
        name, function, (text, queue) -> handle.run(low -> low.function(text, queue)));
  }

  /** Stops it at once, unless it was stopped. */
  @Override
  public void close() {
    cleanable.clean();
    functions.close();
  }

  /** Options of a server. */
  public static final class Builder {
    private final Path path;
    private String listen;
    private String name;
    private final List<Integer> parts = new ArrayList<>();
    private final List<String> servers = new ArrayList<>();
    private int numThreads;
    private long tableBytes;
    private OpenOptions open = new OpenOptions();

    private Builder(Path path) {
      this.path = path;
    }

    /**
     * The interface to listen on; 127.0.0.1:0 unless it is said.
     *
     * @param address "host:port"; port 0: any that is free
     * @return this
     */
    public Builder listen(String address) {
      this.listen = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * A part to be served, and then only those that are named; all unless one is.
     *
     * @param part from 0
     * @return this
     */
    public Builder part(int part) {
      if (part < 0) {
        throw GlsException.invalid("part", part + ", expected at least 0");
      }
      parts.add(part);
      return this;
    }

    /**
     * Another server of the graph: clients are told of it, and it of this one. It need not be there
     * yet.
     *
     * @param address "host:port"
     * @return this
     */
    public Builder server(String address) {
      servers.add(Objects.requireNonNull(address, "address"));
      return this;
    }

    /**
     * In errors and logs of clients; made of the process id unless it is said.
     *
     * @param name for people
     * @return this
     */
    public Builder name(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Threads that answer requests; as many as the context has unless it is said.
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
     * Memory for tables of clients, at most; it holds none unless it is said. Of servers of the
     * same part one alone may hold tables. See {@link Dataset#table(String, String, TableOptions)}.
     *
     * @param bytes 0 or more
     * @return this
     */
    public Builder tableBytes(long bytes) {
      if (bytes < 0) {
        throw GlsException.invalid("tableBytes", bytes + ", expected at least 0");
      }
      this.tableBytes = bytes;
      return this;
    }

    /**
     * How the parts are opened, and in which context: its settings and log are the server's.
     *
     * @param options instead of the defaults
     * @return this
     */
    public Builder open(OpenOptions options) {
      this.open = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Begins to serve.
     *
     * @return a new server
     * @throws GlsException.InvalidArgument if nothing protects connections, or an address or key
     *     cannot be used
     * @throws GlsException.FileNotFound if there is no such folder or part, or no file of a key
     * @throws GlsException.AlreadyExists if the address is taken
     * @throws GlsException.IoError if no interface has it
     */
    public Server start() {
      Context context = open.context != null ? open.context : Context.getDefault();
      int threads = numThreads > 0 ? numThreads : Functions.threadsOf(context);
      org.gls.low.ServerOptions low = new org.gls.low.ServerOptions();
      try {
        if (listen != null) {
          low.setListen(listen);
        }
        if (name != null) {
          low.setName(name);
        }
        parts.forEach(low::addPart);
        servers.forEach(low::addServer);
        low.setNumThreads(numThreads);
        low.setTableBytes(tableBytes);
        low.setResidency(open.residency.number);
        low.setVerify(open.verify);
        return context.handle.call(
            c ->
                new Server(
                    low.start(c, path.toString(), Interruptible.of(open.progress)), threads));
      } finally {
        low.delete();
      }
    }
  }
}
