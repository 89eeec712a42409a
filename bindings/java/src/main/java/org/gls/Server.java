package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;

/**
 * Serves parts of a graph until it is closed, on threads of its own.
 *
 * <p>Clients open {@code gls://host:port} with {@link Dataset#open(String)}, and get the batches
 * that the whole graph would give in one process.
 *
 * <p>The settings {@code net.*} of the context, or their environment variables, configure how
 * connections are protected and which clients may connect. A server needs a key, certificates or
 * {@code net.plain}; otherwise it does not start.
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
   * @param path a folder of parts, which {@link Dataset#partition} made; parts that are not served
   *     may be missing. Or the folder of a dataset, which is served as one part
   * @return for {@link Builder#start}
   */
  public static Builder builder(Path path) {
    return new Builder(Objects.requireNonNull(path, "path"));
  }

  /**
   * Checks whether one server serves, in this process or a remote one, and what it serves. A server
   * serves if it listens, accepts this context's key or certificate, and answers. The other servers
   * of the graph are not asked and need not run. A stopped server no longer listens, even while its
   * last requests still run.
   *
   * @param context whose settings configure how connections are protected
   * @param address "host:port"
   * @param timeout how long the probe may take
   * @return the server's description of itself
   * @throws GlsException.IoError if no server listens there, or it rejects this process
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
   * Accepts no more requests, lets running ones end, and closes the connections. Clients that ask
   * again wait for a server at the same address, or use another one that has the part.
   *
   * @param timeout how long requests under way may take
   */
  public void stop(Duration timeout) {
    long millis = Math.max(0, timeout.toMillis());
    handle.run(low -> low.stop(millis));
  }

  /**
   * Lets clients call a function of this process with {@link Dataset#call(int, String, byte[])}.
   * Threads of this package run it. Its result answers the call; the caller receives an exception
   * as an error with the same text. The function stays until the server is closed.
   *
   * @param name 1 to 255 bytes
   * @param function for several calls at once
   * @throws GlsException.AlreadyExists if a function of this name exists
   * @throws GlsException.InvalidState if it was stopped
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

  /** Stops the server at once, unless it was stopped. */
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
     * The interface to listen on; 127.0.0.1:0 by default.
     *
     * @param address "host:port"; port 0: any free port
     * @return this
     */
    public Builder listen(String address) {
      this.listen = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * A part to serve. Once a part is named, only named parts are served; by default all are.
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
     * Another server of the graph. Clients learn its address from this server, and it learns this
     * server's address. It may start later.
     *
     * @param address "host:port"
     * @return this
     */
    public Builder server(String address) {
      servers.add(Objects.requireNonNull(address, "address"));
      return this;
    }

    /**
     * The name in errors and logs of clients; made from the process id by default.
     *
     * @param name for people
     * @return this
     */
    public Builder name(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Threads that answer requests; by default as many as the context has.
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
     * Memory for tables of clients, at most. By default the server holds no tables. Only one server
     * of each part may hold tables. See {@link Dataset#table(String, String, TableOptions)}.
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
     * How the parts are opened, and in which context. The server uses its settings and log.
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
     * @throws GlsException.FileNotFound if the folder, a part or the file of a key does not exist
     * @throws GlsException.AlreadyExists if the address is taken
     * @throws GlsException.IoError if no interface has the address
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
