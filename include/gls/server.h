#ifndef GLS_SERVER_H
#define GLS_SERVER_H

#include <gls/base.h>
#include <gls/context.h>
#include <gls/dataset.h>
#include <gls/function.h>
#include <gls/future.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Server: parts of a graph for other processes, which open it with gls_dataset_open()
 * --------------------------------------------------------------------------------------------- */

/** Serves from its creation until it is stopped or released, on its own threads. */
typedef struct gls_server gls_server_t;

typedef struct gls_server_options {
  size_t struct_size;
  const char *listen;                /**< "host:port" of the interface to listen on; port 0: any free
                                          one; NULL: "127.0.0.1:0" */
  const uint32_t *parts;             /**< parts to serve; NULL: all of the graph */
  size_t num_parts;
  const char *const *servers;        /**< addresses of other servers of the graph. Clients learn
                                          these addresses, and those servers learn the address of
                                          this one; they need not run yet */
  size_t num_servers;
  const char *name;                  /**< name of the server in errors and logs of clients; NULL:
                                          made of the process id */
  uint32_t num_threads;              /**< threads that answer requests; 0: as many as the context has */
  uint32_t reserved;
  const gls_dataset_options_t *open; /**< how the folders of the parts are opened; may be NULL */
  uint64_t table_bytes;              /**< bytes of memory for tables of clients (gls_table_open()),
                                          at most; 0: it holds no tables */
} gls_server_options_t;
#define GLS_SERVER_OPTIONS_INIT GLS_INIT(gls_server_options_t)

/** [any] Serves parts of a graph. The settings "net.*" of the context configure how connections are
 *  protected and which clients are admitted; without a key, certificates or "net.plain" the call is an
 *  error. Clients get the structure of the graph, picks of their samplers and rows of columns. Clients
 *  cannot change the served graph. Several servers may have the same part; then a client uses another
 *  one when one fails.
 *  @param path     a folder of parts (gls_dataset_partition()), which may lack the parts that are not
 *                  served. A folder of a dataset that is not in parts is served as a single part
 *  @param options  may be NULL
 *  @param out      release with gls_server_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; the address; a key or certificate that cannot
 *          be used; nothing protects connections); GLS_ERR_NOT_FOUND (no such folder, or no folder of
 *          this part; a file of a key or certificate); GLS_ERR_CORRUPT_DATA; GLS_ERR_ALREADY_EXISTS
 *          (the address is taken); GLS_ERR_IO (no interface has the address); GLS_ERR_UNSUPPORTED
 *          (libgls_tcp.so is missing); GLS_ERR_CANCELED */
GLS_API gls_status_t gls_server_start(gls_context_t *ctx, const char *path,
                                      const gls_server_options_t *options, gls_server_t **out,
                                      gls_error_t **err);
/** [one] Stops the server at once if it was not stopped: requests in progress fail at their clients.
 *  @param server  may be NULL */
GLS_API void gls_server_release(gls_server_t *server);

/** [any] Address that it listens on, "host:port", with the actual port. Lives as long as the server. */
GLS_API const char *gls_server_address(const gls_server_t *server);
/** [any] Accepts no more requests, notifies clients, lets requests in progress end, and closes. Clients
 *  with further requests wait for a server at the same address, or use another one. A second call does
 *  nothing.
 *  @param timeout_ms  how long requests in progress may take
 *  @return GLS_OK */
GLS_API gls_status_t gls_server_stop(gls_server_t *server, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_server_info {
  size_t struct_size;
  uint32_t parts;       /**< number of parts that it serves */
  uint32_t graph_parts; /**< number of parts of the graph */
  uint64_t clients;     /**< connected and admitted now; other servers do not count */
  uint64_t strangers;   /**< connected and not admitted yet */
  uint64_t accepted;    /**< connections since it was started */
  uint64_t admitted;    /**< of these, admitted */
  uint64_t evicted;     /**< of these, closed before admission to make room for others */
  uint64_t requests;    /**< answered since it was started */
  uint64_t failures;    /**< of these, answered by an error */
} gls_server_info_t;
/** [any] State of the server now, and its totals.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_server_get_info(const gls_server_t *server, gls_server_info_t *out,
                                         gls_error_t **err);

/** Description of a server by itself. Every call on it is [any]. */
typedef struct gls_probe gls_probe_t;

/** [any] Asks one server, local or remote, whether it serves. The server serves if it listens, admits a
 *  client with this context's key or certificate, and answers. Other servers of the graph get no
 *  request and need not run. A server that is stopped no longer listens, however long requests in
 *  progress take.
 *  @param ctx         its settings "net.*" configure how connections are protected
 *  @param address     "host:port"
 *  @param timeout_ms  for the whole call; default: setting "cluster.request_timeout_ms". The handshake
 *                     has 5 seconds at most
 *  @param out         release with gls_probe_release()
 *  @return GLS_OK: it serves; GLS_ERR_IO (nothing listens at the address; the client is not admitted;
 *          the connection was lost); GLS_ERR_TIMED_OUT; GLS_ERR_INVALID_ARGUMENT (the address; nothing
 *          protects connections; a key or certificate that cannot be used); GLS_ERR_NOT_FOUND (a file
 *          of a key or certificate); GLS_ERR_UNSUPPORTED (another protocol; the process at this address
 *          serves no graph; libgls_tcp.so is missing) */
GLS_API gls_status_t gls_server_probe(gls_context_t *ctx, const char *address, int64_t timeout_ms,
                                      gls_probe_t **out, gls_error_t **err);
/** [one] @param probe  may be NULL */
GLS_API void gls_probe_release(gls_probe_t *probe);

typedef struct gls_probe_info {
  size_t struct_size;
  const char *name;      /**< of the server, in errors and logs. The probe owns strings and `parts` */
  const char *version;   /**< of its library, "0.1.0" */
  const char *graph;     /**< names the partition, 16 hexadecimal digits */
  const uint32_t *parts; /**< parts that it serves, ascending [num_parts] */
  size_t num_parts;
  uint32_t graph_parts;  /**< number of parts of the graph */
  uint32_t reserved;
} gls_probe_info_t;
/** [any] The description that the server sent.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_probe_get_info(const gls_probe_t *probe, gls_probe_info_t *out,
                                        gls_error_t **err);

/** [any] Lets clients of a server call a function, see gls_group_function() and gls_dataset_call().
 *  @param destroy  runs with `user_data`, as of gls_group_function()
 *  @return as for gls_group_function() */
GLS_API gls_status_t gls_server_function(gls_server_t *server, const char *name,
                                         gls_function_fn function, void *user_data,
                                         gls_destroy_fn destroy, gls_error_t **err);
/** [any] Calls a function of a server that has this part of a graph, see gls_group_call(). Among
 *  several servers it calls a connected one, beginning with a random one. If the server is lost, the
 *  client waits for it until the time is over. It calls another server of the part instead if nothing
 *  was sent yet, or with ::GLS_CALL_IDEMPOTENT.
 *  @param dataset     opened by "gls://..."
 *  @param timeout_ms  as of gls_group_call()
 *  @param options     may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (part, name, size, an option); GLS_ERR_UNSUPPORTED (the
 *          graph is not on servers). The future reports all other errors */
GLS_API gls_status_t gls_dataset_call(const gls_dataset_t *dataset, uint32_t part,
                                      const char *function, const void *data, size_t size,
                                      int64_t timeout_ms, const gls_call_options_t *options,
                                      gls_future_t **out, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_SERVER_H */
