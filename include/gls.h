/** @file gls.h
 *  The stable C ABI of libgls: Graph Loading and Sampling.
 *
 *  C99. Strings are UTF-8 and NUL-terminated. No C++, CUDA or third-party type appears here; arrays
 *  travel as DLPack tensors.
 *
 *  Rules that hold for every function, so that they need not be repeated below:
 *
 *  - **Status.** A function that can fail returns a ::gls_status_t: 0 is success, a positive value
 *    is a state (nothing failed), a negative value is an error. Programs decide by the value;
 *    people read the text. The last parameter, `err`, may be NULL. If it is not, an error stores an
 *    object in `*err`, which you release with gls_error_release(); success leaves `*err` unchanged.
 *  - **Errors of any function**, not repeated below: ::GLS_ERR_INVALID_ARGUMENT for a NULL that must
 *    not be one, a wrong `struct_size`, flag or reserved field; ::GLS_ERR_OUT_OF_MEMORY;
 *    ::GLS_ERR_INVALID_STATE after a fork; ::GLS_ERR_INTERNAL.
 *  - **Failure changes nothing.** On an error no output parameter is written and there is nothing
 *    to clean up.
 *  - **Ownership.** `T **out` hands over one object; give it back with `gls_T_release`, which
 *    returns void and accepts NULL. A returned `const` pointer is borrowed and lives as long as the
 *    object that returned it. Inputs are borrowed for the call unless the text says "taken": a taken
 *    tensor belongs to the library from the moment the call succeeds, and stays the caller's if it
 *    fails.
 *  - **Children keep their parents alive.** A dataset holds its context, a sampler its dataset, a
 *    loader its sampler, a tensor its batch. Release in any order.
 *  - **Threads.** Each function carries a mark. [any]: any number of threads may call it on one
 *    object at the same time. [one]: one thread at a time per object; different objects are
 *    independent. `release` is [one] and must be the last call on the object by any thread.
 *  - **Options.** Structs start with `struct_size`; use the `GLS_*_INIT` initialiser. Zero means
 *    the default for every field; reserved fields must be zero. An option that needs another option
 *    is refused while that other one is not set. A struct longer than the library knows is accepted
 *    when the unknown bytes are zero and refused otherwise, so no option is ever silently ignored.
 *    Structs that the library fills (`*_info_t`, `*_stats_t`) also need `struct_size`: the library
 *    writes at most that many bytes.
 *  - **Types.** A node type is a name ("paper"). An edge type is three names joined by two
 *    underscores: "author__writes__paper" (source, relation, target). Where a dataset has only one
 *    node type, or only one edge type, NULL stands for it.
 *  - **Fork.** In a child process forked after the library was used, every object made before the
 *    fork returns ::GLS_ERR_INVALID_STATE; releasing it is legal and does nothing. Tensors and
 *    errors are the child's own memory and stay usable.
 *
 *  Every symbol exists since version 0.1 unless it says otherwise.
 */
#ifndef GLS_H
#define GLS_H

#include <stddef.h>
#include <stdint.h>

/** Version of this header; gls_version() returns that of the loaded library. */
#define GLS_VERSION_MAJOR 0
#define GLS_VERSION_MINOR 1
#define GLS_VERSION_PATCH 0
#define GLS_VERSION (GLS_VERSION_MAJOR * 1000000 + GLS_VERSION_MINOR * 1000 + GLS_VERSION_PATCH)

#if defined(_WIN32)
#define GLS_API __declspec(dllimport)
#elif defined(__GNUC__)
#define GLS_API __attribute__((visibility("default")))
#else
#define GLS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * DLPack 1.1 (https://dmlc.github.io/dlpack), declared here so that this header needs no other.
 * Include dlpack/dlpack.h before gls.h to use its own declarations; both describe one layout.
 * --------------------------------------------------------------------------------------------- */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

#ifdef __cplusplus
typedef enum : int32_t { /* devices newer than this list are valid values too */
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U
} DLDataTypeCode;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
#endif /* DLPACK_DLPACK_H_ */

#if !defined(DLPACK_MAJOR_VERSION) || DLPACK_MAJOR_VERSION < 1 || \
    (DLPACK_MAJOR_VERSION == 1 && !defined(DLPACK_FLAG_BITMASK_READ_ONLY))
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#endif

/* ------------------------------------------------------------------------------------------------
 * Status and errors
 * --------------------------------------------------------------------------------------------- */

/** An integer and not an enum: a newer library may return values that this header does not name.
 *  Treat an unknown negative value as ::GLS_ERR_INTERNAL and an unknown positive one as a state. */
typedef int32_t gls_status_t;

enum {
  GLS_OK = 0,
  GLS_IN_PROGRESS = 1, /**< the time limit passed and nothing is ready yet; ask again */
  GLS_END = 2,         /**< the epoch is over */

  GLS_ERR_INVALID_ARGUMENT = -1, /**< the call is wrong: correct the call */
  GLS_ERR_OUT_OF_MEMORY = -2,    /**< memory, or a stated memory bound, does not suffice */
  GLS_ERR_NOT_FOUND = -3,        /**< a file, type, column, set or key does not exist */
  GLS_ERR_UNSUPPORTED = -4,      /**< valid, but not by this build, machine or dataset */
  GLS_ERR_INVALID_STATE = -5,    /**< right call, wrong moment (after fork, after a failure) */
  GLS_ERR_TIMED_OUT = -6,        /**< a deadline passed */
  GLS_ERR_CANCELED = -7,         /**< cancel was called, or a function of the caller's asked to stop */
  GLS_ERR_IO = -8,               /**< the operating system refused: file, disk, permission */
  GLS_ERR_CORRUPT_DATA = -9,     /**< a file or array is damaged or inconsistent */
  GLS_ERR_ALREADY_EXISTS = -10,  /**< the thing to be created already exists */
  GLS_ERR_INTERNAL = -11         /**< a fault of the library: please report it */
};

typedef struct gls_error gls_error_t; /**< immutable; every call on it is [any] */

/** [any] "GLS_ERR_IO" for ::GLS_ERR_IO; "GLS_UNKNOWN" for a value this library does not know. */
GLS_API const char *gls_status_name(gls_status_t status);
/** [any] The status the failing function returned. */
GLS_API gls_status_t gls_error_status(const gls_error_t *err);
/** [any] One sentence naming the argument or file, its value and what was expected. Never NULL. */
GLS_API const char *gls_error_message(const gls_error_t *err);
/** [any] A detail of an error for programs; the message contains it, too. Keys are "argument", "file",
 *  "type", "column", "setting", "offset" (of a byte or an element), "line" (of a text file) and "field"
 *  (of a manifest). A failed transform sets "epoch" and "batch" of its batch. Errors of a cluster set
 *  "peer" (an address), "rank", "part", "operation" (of a group) and "function".
 *  @return NULL when this error has no such detail. */
GLS_API const char *gls_error_detail(const gls_error_t *err, const char *key);
/** [any] The keys of the details this error has, in no particular order: 0, 1, ...
 *  @return NULL when `index` is too large. */
GLS_API const char *gls_error_detail_key(const gls_error_t *err, size_t index);
GLS_API void gls_error_release(gls_error_t *err);

/** [any] ::GLS_VERSION of the loaded library. */
GLS_API uint32_t gls_version(void);
/** [any] Version of the loaded library as text, for example "0.1.0". Static. */
GLS_API const char *gls_version_string(void);

/* ------------------------------------------------------------------------------------------------
 * Tensors: DLPack in and out
 * --------------------------------------------------------------------------------------------- */

/** An owned tensor is DLPack's own managed tensor, so any DLPack consumer accepts it as it is. Strides
 *  are always set, and `lanes` of the dtype is 1. Data is aligned to its dtype. Data that the library
 *  allocates is aligned to 64 bytes, except GLS_BATCH_COL. ::DLPACK_FLAG_BITMASK_READ_ONLY is set on
 *  memory that must not be written (mapped files, borrowed read-only buffers). */
typedef struct DLManagedTensorVersioned gls_tensor_t;

/** Called once, from any thread, when the library no longer needs `user_data`. Must not call the
 *  library and must not unwind. */
typedef void (*gls_destroy_fn)(void *user_data);

/** [any] Makes an owned tensor of memory that belongs to the caller; only the shape and strides are
 *  copied. `destroy` (may be NULL) is called with `user_data` when the last user is done, and is not
 *  called when this function fails.
 *  @param view       CPU tensor; NULL strides mean row-major
 *  @param read_only  non-zero: consumers must not write it
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for a bad shape or dtype; GLS_ERR_UNSUPPORTED for a device
 *          other than the CPU */
GLS_API gls_status_t gls_tensor_wrap(const DLTensor *view, int32_t read_only, void *user_data,
                                     gls_destroy_fn destroy, gls_tensor_t **out,
                                     gls_error_t **err);
/** [any] Maps a NumPy `.npy` file read-only; only its header is read. The format is 1 to 3, C order,
 *  little-endian, with numbers of fixed width.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND; GLS_ERR_IO; GLS_ERR_CORRUPT_DATA (not a `.npy` file, or a wrong
 *          length); GLS_ERR_UNSUPPORTED (Fortran order, big-endian, strings, objects) */
GLS_API gls_status_t gls_tensor_map_npy(const char *path, gls_tensor_t **out, gls_error_t **err);
/** [any] Turns `tensor` (taken) into the struct that DLPack consumers older than 1.0 know.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for a read-only tensor, which the old struct cannot
 *          express */
GLS_API gls_status_t gls_tensor_to_legacy(gls_tensor_t *tensor, DLManagedTensor **out,
                                          gls_error_t **err);
/** [any] Turns an old DLPack tensor (taken) into an owned tensor.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shape or dtype); GLS_ERR_UNSUPPORTED for a device
 *          other than the CPU */
GLS_API gls_status_t gls_tensor_from_legacy(DLManagedTensor *legacy, int32_t read_only,
                                            gls_tensor_t **out, gls_error_t **err);
/** Calls the tensor's own deleter. NULL-safe. */
GLS_API void gls_tensor_release(gls_tensor_t *tensor);

/* ------------------------------------------------------------------------------------------------
 * Context: threads, memory pool, log, settings
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_context gls_context_t;

enum {
  GLS_LOG_ERROR = 1, /**< cannot go on */
  GLS_LOG_WARN = 2,  /**< odd, but goes on */
  GLS_LOG_INFO = 3,  /**< a few lines per run */
  GLS_LOG_DEBUG = 4, /**< grows with the number of objects */
  GLS_LOG_TRACE = 5  /**< grows with the number of events */
};

/** Receives log lines, from any library thread, several at once. Must not call the library, block
 *  or unwind. `component` and `text` live for the call. */
typedef void (*gls_log_fn)(void *user_data, int32_t level, const char *component,
                           const char *text);

typedef struct gls_context_options {
  size_t struct_size;
  uint32_t num_threads;       /**< worker threads; 0: one per core this process may use
                                   (affinity and quotas of its cgroups) */
  int32_t log_level;          /**< most verbose level to report; 0: setting "log.level" */
  gls_log_fn log;             /**< NULL: standard error, where lines are dropped that its reader does not
                                   accept */
  void *log_user_data;
  gls_destroy_fn log_destroy; /**< runs once with log_user_data, also when create fails */
} gls_context_options_t;
#define GLS_CONTEXT_OPTIONS_INIT \
  { sizeof(gls_context_options_t), 0, 0, NULL, NULL, NULL }

/** [any] Starts the worker threads. `options` may be NULL. Several contexts may live at once.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option, or a setting in the environment);
 *          GLS_ERR_OUT_OF_MEMORY (also when the system refuses to start that many threads) */
GLS_API gls_status_t gls_context_create(const gls_context_options_t *options, gls_context_t **out,
                                        gls_error_t **err);
GLS_API void gls_context_release(gls_context_t *ctx);

/** [any] Changes a setting for objects created from now on. The value is text, checked against the
 *  setting's type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND for an unknown key; GLS_ERR_INVALID_ARGUMENT for its value;
 *          GLS_ERR_INVALID_STATE for "threads", which are made with the context */
GLS_API gls_status_t gls_context_set(gls_context_t *ctx, const char *key, const char *value,
                                     gls_error_t **err);
/** [any] Writes the value in force, as text, with its NUL, into `buffer`.
 *  @param length  out, may be NULL: length without the NUL, also set when `capacity` is too small
 *  @return GLS_OK; GLS_ERR_NOT_FOUND; GLS_ERR_INVALID_ARGUMENT when `capacity` is too small */
GLS_API gls_status_t gls_context_get(const gls_context_t *ctx, const char *key, char *buffer,
                                     size_t capacity, size_t *length, gls_error_t **err);

/** One tunable. All pointers are static. */
typedef struct gls_setting_info {
  size_t struct_size;
  const char *key;           /**< "memory.huge_pages" */
  const char *type;          /**< "int", "size" (accepts 64K, 2M, 1G), "bool", "text", or "a|b|c" */
  const char *default_value;
  const char *env;           /**< environment variable read at context creation: GLS_... */
  const char *help;          /**< one sentence */
} gls_setting_info_t;
/** [any] Number of settings this library has. */
GLS_API size_t gls_setting_count(void);
/** [any] Describes setting `index`, in alphabetical order of the keys.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_setting_get_info(size_t index, gls_setting_info_t *out, gls_error_t **err);

/** A GPU. */
typedef struct gls_device_info {
  size_t struct_size;
  char name[256];
  uint64_t bytes;      /**< of its memory */
  uint64_t free_bytes; /**< now, for all processes; 0: not known, because this process does not use the GPU
                            yet */
  int32_t major;       /**< compute capability */
  int32_t minor;
} gls_device_info_t;
/** [any] Number of GPUs that datasets, samplers and loaders can work on. The first is {kDLCUDA, 0}. The
 *  number is also 0 when the plugin libgls_cuda.so or its driver is missing; then gls_device_get_info()
 *  of the first GPU reports why. */
GLS_API uint32_t gls_device_count(void);
/** [any] Describes a GPU. The first call that names a GPU creates the state that loaders keep for it.
 *  @param device  {kDLCUDA, n}
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for another kind of device; GLS_ERR_UNSUPPORTED (no plugin
 *          libgls_cuda.so, no driver, or no such GPU: the message says which) */
GLS_API gls_status_t gls_device_get_info(DLDevice device, gls_device_info_t *out, gls_error_t **err);

/** Reports progress of a long call, from the thread that made it.
 *  @param stage  what is being done, for people: "reading edges"
 *  @param done   how far, in `unit`
 *  @param total  how far it will go; 0 while unknown
 *  @return 0 to go on; anything else ends the call with ::GLS_ERR_CANCELED and leaves nothing
 *          behind */
typedef int32_t (*gls_progress_fn)(void *user_data, const char *stage, uint64_t done,
                                   uint64_t total, const char *unit);

/** Says whether the call that blocks on this thread is to end. The thread that made the call runs it, at
 *  most every 50 ms. It may cancel the call that asks, and call the library with other objects; it must not
 *  unwind.
 *  @return 0 to go on; anything else ends the call with ::GLS_ERR_CANCELED */
typedef int32_t (*gls_interrupt_fn)(void *user_data);
/** [any] Sets the function that calls of this thread ask while they block: where they wait for servers,
 *  feeds, other processes or batches, and where long calls report progress. A call that ends so gives up what it
 *  asked for. Its object stays usable: the next gls_loader_next() returns the batch that was due, and
 *  gls_answer_wait() may wait again. A program ends blocked calls by it when a signal came: the signal's
 *  handler sets a flag, which the function reads. gls_server_stop() and gls_group_leave() are cut short and
 *  succeed; releasing asks nothing. A call that does not block asks nothing, and costs the same with and
 *  without a function.
 *  @param check               NULL: calls of this thread are not interrupted, as at first
 *  @param previous            out, may be NULL: the function that was set, to be set again
 *  @param previous_user_data  out, may be NULL: its data */
GLS_API void gls_thread_set_interrupt(gls_interrupt_fn check, void *user_data,
                                      gls_interrupt_fn *previous, void **previous_user_data);

/* ------------------------------------------------------------------------------------------------
 * Dataset: an immutable graph with its columns. Every call on it is [any].
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_dataset gls_dataset_t;

enum {
  GLS_LAYOUT_CSC = 1, /**< in-neighbours: indptr over targets, indices are sources */
  GLS_LAYOUT_CSR = 2  /**< out-neighbours: indptr over sources, indices are targets */
};

/** What a column is for. It only chooses defaults: you can request any column by name. */
enum {
  GLS_ROLE_FEATURE = 0, /**< gathered for every node or edge of a batch */
  GLS_ROLE_LABEL = 1,   /**< gathered for the seeds */
  GLS_ROLE_WEIGHT = 2,  /**< sampling weights; not gathered by default */
  GLS_ROLE_TIME = 3,    /**< timestamps; not gathered by default */
  GLS_ROLE_OTHER = 4    /**< not gathered by default */
};

enum {
  GLS_RESIDENCY_MAPPED = 0,   /**< files are mapped: opens at once, memory is shared by processes */
  GLS_RESIDENCY_TOPOLOGY = 1, /**< topology is read into private memory (huge pages where granted):
                                   faster sampling, opening takes as long as reading it */
  GLS_RESIDENCY_ALL = 2       /**< topology and all columns are */
};

typedef struct gls_dataset_options {
  size_t struct_size;
  int32_t residency;        /**< GLS_RESIDENCY_* */
  int32_t verify_checksums; /**< non-zero: read every byte and compare checksums before returning; for a
                                 folder of parts also books, id sets and keys of the whole graph */
  gls_progress_fn progress; /**< of reading what the two fields above request, and of finding servers; may
                                 be NULL */
  void *progress_user_data;
} gls_dataset_options_t;
#define GLS_DATASET_OPTIONS_INIT \
  { sizeof(gls_dataset_options_t), 0, 0, NULL, NULL }

/** [any] Opens a graph. `path` names one of these; ids and batches are the same bytes for all three:
 *
 *  - a dataset folder;
 *  - a folder of parts (gls_dataset_partition()), opened as the whole graph that was partitioned;
 *  - "gls://host:port,host:port": a graph whose parts are on servers (gls_server_start()).
 *
 *  By default the time does not depend on the size of the graph: the library reads and checks the
 *  manifest and the array headers, and maps the arrays. Checks that need every index run when the index
 *  is used, and in gls_dataset_verify(). Do not change a folder while it is open; replace it by
 *  renaming. If a file is truncated nevertheless, every call that reads the dataset returns GLS_ERR_IO,
 *  while the setting "memory.file_guard" is true. Links to files outside the folder need the setting
 *  "dataset.outside_links".
 *
 *  For a graph in parts, samplers pick in the parts, or fetch the rows that they read. Loaders gather
 *  from the parts, which also answer queries for edges and degrees. GLS_ERR_UNSUPPORTED there: its
 *  tensors except id sets and keys; gls_dataset_save(), gls_dataset_verify(), gls_dataset_partition().
 *
 *  A few addresses of servers are enough, because each server knows the others. The call waits for
 *  servers that are not reachable yet (setting "cluster.open_timeout_ms"). The settings "net.*"
 *  configure how connections are protected. When a server is lost, the client retries it, or another
 *  server of the same part, until "cluster.request_timeout_ms" has passed.
 *  @param options  may be NULL. For a graph on servers the client sets only `progress`, which reports
 *                  finding the servers. The other options belong to the servers and give
 *                  GLS_ERR_UNSUPPORTED here
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such folder, no manifest; no file of a key); GLS_ERR_IO (also
 *          a link out of the folder); GLS_ERR_CORRUPT_DATA (damaged or foreign files);
 *          GLS_ERR_INVALID_ARGUMENT (nothing protects connections, or an address or key cannot be
 *          used); GLS_ERR_UNSUPPORTED (newer format, or libgls_tcp.so is missing); GLS_ERR_TIMED_OUT
 *          (servers were not reached, or no server has a part: the message says which and why);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_open(gls_context_t *ctx, const char *path,
                                      const gls_dataset_options_t *options, gls_dataset_t **out,
                                      gls_error_t **err);
/** [any] Makes another handle of an open dataset that works on a device. Unless options say otherwise,
 *  its samplers sample there, their loaders deliver there, and gls_dataset_rows() returns rows there.
 *  The call copies and reads nothing. Batches and rows are the same bytes. Everything else that a
 *  dataset returns (gls_dataset_tensor(), degrees, keys) stays on the host. Columns that
 *  gls_dataset_rows() was called for stay on the device, where loaders keep them, until the last such
 *  handle is released.
 *  @param device  {kDLCUDA, n}: GPU n, which needs the plugin libgls_cuda.so; {kDLCPU, 0}: the host;
 *                 {0, 0}: where `dataset` is
 *  @param out     owned by the caller; neither handle needs the other
 *  @return GLS_OK; GLS_ERR_UNSUPPORTED (no plugin libgls_cuda.so, no driver, or no such GPU: the
 *          message says which); GLS_ERR_INVALID_ARGUMENT (a negative number) */
GLS_API gls_status_t gls_dataset_on_device(const gls_dataset_t *dataset, DLDevice device,
                                           gls_dataset_t **out, gls_error_t **err);
/** [any] The device that a dataset works on: {kDLCPU, 0} unless gls_dataset_on_device() set another.
 *  @return GLS_OK */
GLS_API gls_status_t gls_dataset_device(const gls_dataset_t *dataset, DLDevice *out,
                                        gls_error_t **err);
GLS_API void gls_dataset_release(gls_dataset_t *dataset);

typedef struct gls_node_type_info {
  size_t struct_size;
  const char *name;
  int64_t num_nodes;
  size_t num_columns;
  size_t num_id_sets;
  int32_t has_keys; /**< non-zero: original ids were kept, see gls_dataset_find_node() */
  int32_t reserved;
} gls_node_type_info_t;

typedef struct gls_edge_type_info {
  size_t struct_size;
  const char *name;     /**< "author__writes__paper" */
  const char *source;   /**< node type */
  const char *relation;
  const char *target;   /**< node type */
  int64_t num_edges;
  size_t num_columns;
  uint32_t layouts;     /**< GLS_LAYOUT_* bits that are stored */
  uint32_t index_bits;  /**< 32 or 64: width of the stored neighbour ids */
} gls_edge_type_info_t;

typedef struct gls_column_info {
  size_t struct_size;
  const char *name;
  int32_t role;         /**< GLS_ROLE_* */
  DLDataType dtype;
  int32_t ndim;         /**< dimensions of the whole column: 1 + those of one row */
  const int64_t *shape; /**< rows first */
  int64_t row_stride;   /**< bytes from one row to the next (rows may be padded), as stored */
  uint32_t bits;        /**< bits of each code of a quantised column: 1, 2, 4 or 8; else 0. The dtype and
                             shape describe such a column as float32 [rows, width], as loaders gather it;
                             codes are stored */
  uint32_t reserved;
  const float *codebook; /**< the number for each code of a quantised column [2^bits]; else NULL */
} gls_column_info_t;

typedef struct gls_id_set_info {
  size_t struct_size;
  const char *name; /**< "train", "valid", "test", or any other */
  int64_t num_ids;
} gls_id_set_info_t;

/** Number of node types. */
GLS_API size_t gls_dataset_num_node_types(const gls_dataset_t *dataset);
/** Number of edge types. */
GLS_API size_t gls_dataset_num_edge_types(const gls_dataset_t *dataset);
/** Describes node type `index`. Types are numbered in the manifest's order, which is part of the
 *  sampling contract. Pointers in the descriptions live as long as the dataset.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_dataset_node_type(const gls_dataset_t *dataset, size_t index,
                                           gls_node_type_info_t *out, gls_error_t **err);
/** Describes edge type `index`.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_dataset_edge_type(const gls_dataset_t *dataset, size_t index,
                                           gls_edge_type_info_t *out, gls_error_t **err);
/** @return the number of nodes of `type`; -1 when there is no such type */
GLS_API int64_t gls_dataset_num_nodes(const gls_dataset_t *dataset, const char *type);
/** @return the number of edges of `type`; -1 when there is no such type */
GLS_API int64_t gls_dataset_num_edges(const gls_dataset_t *dataset, const char *type);
/** Describes column `index` of a node type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, `index` too large); GLS_ERR_INVALID_ARGUMENT
 *          when `type` is NULL and there are several */
GLS_API gls_status_t gls_dataset_node_column(const gls_dataset_t *dataset, const char *type,
                                             size_t index, gls_column_info_t *out,
                                             gls_error_t **err);
/** Describes column `index` of an edge type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, `index` too large); GLS_ERR_INVALID_ARGUMENT
 *          when `type` is NULL and there are several */
GLS_API gls_status_t gls_dataset_edge_column(const gls_dataset_t *dataset, const char *type,
                                             size_t index, gls_column_info_t *out,
                                             gls_error_t **err);
/** Describes id set `index` of a node type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, `index` too large); GLS_ERR_INVALID_ARGUMENT
 *          when `type` is NULL and there are several */
GLS_API gls_status_t gls_dataset_id_set(const gls_dataset_t *dataset, const char *type,
                                        size_t index, gls_id_set_info_t *out, gls_error_t **err);

/** Which array gls_dataset_tensor() returns. */
enum {
  GLS_ARRAY_NODE_COLUMN = 0, /**< `type` a node type, `name` a column: [nodes, ...] */
  GLS_ARRAY_EDGE_COLUMN = 1, /**< `type` an edge type, `name` a column: [edges, ...] */
  GLS_ARRAY_ID_SET = 2,      /**< `type` a node type, `name` a set: int64 or int32 [ids] */
  GLS_ARRAY_CSC_INDPTR = 3,  /**< `type` an edge type, `name` NULL: int64 [targets + 1] */
  GLS_ARRAY_CSC_INDICES = 4, /**< int32 or int64 [edges]: sources */
  GLS_ARRAY_CSC_EDGE_IDS = 5, /**< int32 or int64 [edges]; GLS_ERR_NOT_FOUND when ids are positions */
  GLS_ARRAY_CSR_INDPTR = 6,
  GLS_ARRAY_CSR_INDICES = 7,
  GLS_ARRAY_CSR_EDGE_IDS = 8
};
/** A read-only view of one whole array, without a copy; it keeps the dataset alive. For a quantised
 *  column these are its codes, uint8 [rows, ceil(width * bits / 8)]. A column or topology of a graph in
 *  parts or on servers does not exist as a whole. Read such a graph by gls_dataset_rows(),
 *  gls_dataset_degrees(), gls_dataset_find_edges() and gls_dataset_has_edges(). For all neighbours call
 *  gls_sampler_sample() with one hop of fanout -1. The folder of a part can be opened by itself.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, column, set, or array stored);
 *          GLS_ERR_INVALID_ARGUMENT (`array`; `type` is NULL and there are several);
 *          GLS_ERR_UNSUPPORTED (a column or topology of a graph in parts or on servers) */
GLS_API gls_status_t gls_dataset_tensor(const gls_dataset_t *dataset, int32_t array,
                                        const char *type, const char *name, gls_tensor_t **out,
                                        gls_error_t **err);

/** The node whose original id was `key` (text, or an integer written in decimal) when the data was
 *  imported. Takes O(log nodes).
 *  @return GLS_OK; GLS_ERR_NOT_FOUND; GLS_ERR_UNSUPPORTED when the type kept no original ids */
GLS_API gls_status_t gls_dataset_find_node(const gls_dataset_t *dataset, const char *type,
                                           const char *key, int64_t *out, gls_error_t **err);
/** Writes the original id of a node, as text with its NUL, into `buffer`.
 *  @param length  out, may be NULL: length without the NUL, also set when `capacity` is too small
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (id out of range, `capacity` too small);
 *          GLS_ERR_UNSUPPORTED when the type kept no original ids */
GLS_API gls_status_t gls_dataset_node_key(const gls_dataset_t *dataset, const char *type,
                                          int64_t node, char *buffer, size_t capacity,
                                          size_t *length, gls_error_t **err);

/** Both ends of edges. Takes O(log nodes) for each edge. For a type whose edge ids are not positions,
 *  the first call also reads all ids and keeps 8 bytes per edge with the dataset.
 *  @param edge_type  NULL: the only one
 *  @param edges      int32 or int64 [n] edge ids
 *  @param source     out: int64 [n]
 *  @param target     out: int64 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (indices or edge ids of the dataset); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_find_edges(const gls_dataset_t *dataset, const char *edge_type,
                                            const DLTensor *edges, gls_tensor_t **source,
                                            gls_tensor_t **target, gls_error_t **err);
/** Whether there is an edge from source[i] to target[i]. Searches the shorter of the two nodes' stored
 *  rows.
 *  @param edge_type  NULL: the only one
 *  @param source     int32 or int64 [n] nodes
 *  @param target     int32 or int64 [n] nodes
 *  @param out        bool [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (lengths; a node out of range,
 *          with its position and value); GLS_ERR_CORRUPT_DATA (indptr of the dataset); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_has_edges(const gls_dataset_t *dataset, const char *edge_type,
                                           const DLTensor *source, const DLTensor *target,
                                           gls_tensor_t **out, gls_error_t **err);
/** Degrees: how many edges of a type enter each target, or leave each source. Reads all edges if the
 *  layout of that end (CSC for in, CSR for out) is not stored.
 *  @param edge_type  NULL: the only one
 *  @param direction  GLS_DIRECTION_IN or GLS_DIRECTION_OUT
 *  @param nodes      int32 or int64 [n]; NULL: all nodes at that end
 *  @param out        int64 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (a node out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (indptr or indices of the dataset); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_degrees(const gls_dataset_t *dataset, const char *edge_type,
                                         int32_t direction, const DLTensor *nodes,
                                         gls_tensor_t **out, gls_error_t **err);

/** Rows of a column by id, gathered as loaders gather them. For a graph in parts each row comes from
 *  its owner or from a copy in this process. A row is fetched once however often its id occurs. To read a
 *  whole column in place, see gls_dataset_tensor().
 *  @param type    node or edge type; NULL: the only node type
 *  @param column  any column of the type; a quantised one is decoded
 *  @param ids     int32 or int64 [n] nodes or edges, in any order, repeated ids allowed; borrowed
 *  @param out     [n, ...] rows in the order of the ids, of the column's dtype (gls_column_info_t), in
 *                 new memory that may be written. For a dataset on a device (gls_dataset_on_device())
 *                 the rows are in its memory, complete for any stream, see gls_tensor_record_stream().
 *                 The first call for a column places it as loaders do (settings "device.*"; with
 *                 "device.group" call in the same order in all processes). Rows of a graph on servers
 *                 are received on the host and then moved
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type, column; a part that is open by itself has no row for an
 *          id); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its position and value); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT (a server of the graph cannot be reached); GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_dataset_rows(const gls_dataset_t *dataset, const char *type,
                                      const char *column, const DLTensor *ids, gls_tensor_t **out,
                                      gls_error_t **err);
/** The part that owns each of some nodes or edges: which server has its row, and which process should
 *  train on it. An edge belongs to the owner of its target where in-neighbours are stored
 *  (GLS_LAYOUT_CSC), else to the owner of its source. Nodes need no request to a server, nor do edges
 *  of a type that has columns, or ids that are not positions. Other edges are found as by
 *  gls_dataset_find_edges().
 *  @param type  node or edge type; NULL: the only node type
 *  @param ids   int32 or int64 [n]; borrowed
 *  @param out   int32 [n]: parts. For a dataset that is not in parts all are 0. For a part that is open
 *               by itself, with ids of its own: its number if it owns the id, else -1 (another part)
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (the book); GLS_ERR_IO, GLS_ERR_TIMED_OUT (a
 *          server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_owners(const gls_dataset_t *dataset, const char *type,
                                        const DLTensor *ids, gls_tensor_t **out, gls_error_t **err);

/** A trainer's share of some ids, to be its seeds: equal shares, each with as many ids of its own part
 *  as fit. Each rank computes its share from the same arguments, without communication. The shares are
 *  disjoint in positions and cover all ids; the first n % world_size ranks get one id more than the
 *  others.
 *
 *  The ids of a part are distributed evenly over its ranks, in runs of the given order, as far as their
 *  shares have room. The remaining ids fill up other shares, in order of rank. For a dataset that is
 *  not in parts, or a part that is open by itself, shares are runs of the given order.
 *
 *  Without `rank_parts`, rank r of W belongs to part r*P/W (rounded down) of P, because launchers
 *  number the trainers of one machine consecutively. With fewer ranks than parts, part p belongs to
 *  rank p*W/P. Owners are found as by gls_dataset_owners(); a loader of the share has `world_size` 1.
 *  @param type        node or edge type; NULL: the only node type
 *  @param ids         int32 or int64 [n], in any order, repeated ids allowed; borrowed. NULL: all of
 *                     the type
 *  @param rank        0 .. world_size-1
 *  @param world_size  how many trainers share the ids, at least 1
 *  @param rank_parts  int32 or int64 [world_size]: the part of each rank; the same in all processes;
 *                     borrowed; 0 where shares are runs. NULL: as above
 *  @param out         int64: the ids of the share, in the order they were given
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id, `rank`, `world_size`, or
 *          a number of a part out of range; the length of `rank_parts`); GLS_ERR_CORRUPT_DATA (the
 *          book); GLS_ERR_IO, GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_share_ids(const gls_dataset_t *dataset, const char *type,
                                           const DLTensor *ids, uint32_t rank,
                                           uint32_t world_size, const DLTensor *rank_parts,
                                           gls_tensor_t **out, gls_error_t **err);

/** Splits ids for training, validation and test. The split of an id depends only on the id and the
 *  seed, so it does not change when other ids are added or removed. Splits have about their shares.
 *  [any]
 *  @param ids        int32 or int64 [n], any numbers
 *  @param seed       other seeds, other splits
 *  @param shares     [num_parts] what each split gets, relative to their sum
 *  @param num_parts  1 to 256
 *  @param out        uint8 [n]: 0 .. num_parts - 1
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shares that are negative, not finite or all 0) */
GLS_API gls_status_t gls_split_ids(const DLTensor *ids, uint64_t seed, const double *shares,
                                   size_t num_parts, gls_tensor_t **out, gls_error_t **err);

/** The three splits. */
enum { GLS_PART_TRAIN = 0, GLS_PART_VALID = 1, GLS_PART_TEST = 2 };

enum {
  GLS_SPLIT_UNDIRECTED = 1u << 0 /**< opposite edges between two nodes are one link: the edge from the
                                      lower to the higher node; both are in its split. Both ends have the
                                      same node type */
};

/** How to split the edges of a type. A number below 1 is a share, rounded down; a number from 1 on is a
 *  count. */
typedef struct gls_link_split_options {
  size_t struct_size;
  uint64_t seed;
  double valid;       /**< links for validation */
  double test;        /**< links for test */
  double supervision; /**< of the links for training, how many are labels only and not sampled; 0: all of
                           them are both */
  uint32_t flags;     /**< GLS_SPLIT_* */
  uint32_t reserved;
} gls_link_split_options_t;
#define GLS_LINK_SPLIT_OPTIONS_INIT \
  { sizeof(gls_link_split_options_t), 0, 0, 0, 0, 0, 0 }

/** One split of a random split of all edges of a type, in exact numbers, as PyG's RandomLinkSplit makes
 *  them. Takes 9 bytes per edge, 32 more where they are undirected.
 *  @param edge_type  NULL: the only one
 *  @param options    the same for all splits
 *  @param part       GLS_PART_*
 *  @param links      out: int64 [n] ids of the edges that are links of this split, ascending: seeds for
 *                    a sampler or loader, which draws the negatives
 *  @param exclude    out: int64 [m] ids of the edges that its sampler must exclude, ascending, with
 *                    opposite edges. Training excludes all links of the other splits and those for
 *                    supervision; validation excludes those for validation and test; test excludes
 *                    those for test. If reverse edges have a type of their own with the same ids,
 *                    GLS_EXCLUDE_REVERSE_TYPES of the sampler excludes them
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an option; no links are left for
 *          training); GLS_ERR_CORRUPT_DATA (indices or edge ids of the dataset) */
GLS_API gls_status_t gls_dataset_split_links(const gls_dataset_t *dataset, const char *edge_type,
                                             const gls_link_split_options_t *options,
                                             int32_t part, gls_tensor_t **links,
                                             gls_tensor_t **exclude, gls_error_t **err);

typedef struct gls_verify_options {
  size_t struct_size;
  gls_progress_fn progress; /**< may be NULL */
  void *progress_user_data;
} gls_verify_options_t;
#define GLS_VERIFY_OPTIONS_INIT \
  { sizeof(gls_verify_options_t), NULL, NULL }
/** Reads and checks everything, and stops at the first fault. It checks checksums, that indptr is
 *  monotone, and that every index and edge id is in range. Every edge id must be used once, and CSC and
 *  CSR must describe the same edges. Id sets must be in range, weights finite and not negative, and
 *  keys sorted and UTF-8.
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA naming file, position and value; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_verify(const gls_dataset_t *dataset,
                                        const gls_verify_options_t *options, gls_error_t **err);

typedef struct gls_write_options {
  size_t struct_size;
  uint64_t memory;          /**< bytes the call may use besides mapped input; 0: a quarter of RAM */
  uint32_t layouts;         /**< GLS_LAYOUT_* to store; 0: GLS_LAYOUT_CSC (save: those that the dataset
                                 has) */
  int32_t overwrite;        /**< non-zero: replace an existing dataset at `path`, atomically where the file
                                 system can exchange two names; anything else at `path` is
                                 GLS_ERR_ALREADY_EXISTS */
  int32_t no_row_padding;   /**< non-zero: rows of columns are not padded to cache lines */
  int32_t reserved;
  gls_progress_fn progress; /**< may be NULL */
  void *progress_user_data;
} gls_write_options_t;
#define GLS_WRITE_OPTIONS_INIT \
  { sizeof(gls_write_options_t), 0, 0, 0, 0, 0, NULL, NULL }
/** Writes the dataset to a new folder. The folder appears at `path` complete or not at all.
 *  @return GLS_OK; GLS_ERR_UNSUPPORTED (an edge type lacks a requested layout; the message names both);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO (with the file's name; also a full disk);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_save(const gls_dataset_t *dataset, const char *path,
                                      const gls_write_options_t *options, gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Parts: a graph divided for several machines. A partition is a folder with a `partition.json`, the
 * book (the owner of each node) and `part-0`, `part-1`, ...: ordinary datasets, each with its own ids.
 * --------------------------------------------------------------------------------------------- */

/** How owners of nodes are chosen. An edge belongs to the owner of its target where in-neighbours are
 *  stored (GLS_LAYOUT_CSC), else to the owner of its source. */
enum {
  GLS_PARTITION_STREAM = 0, /**< fewer edges between parts than at random, by passes over the graph, mapped */
  GLS_PARTITION_METIS = 1,  /**< few edges between parts; needs the plugin libgls_metis.so, and memory for
                                 several copies of the edges */
  GLS_PARTITION_RANDOM = 2, /**< exactly even */
  GLS_PARTITION_HASH = 3,   /**< by hash of the id and the seed alone */
  GLS_PARTITION_GIVEN = 4   /**< given by `owners` or `owners_file` */
};

typedef struct gls_partition_options {
  size_t struct_size;
  int32_t method;          /**< GLS_PARTITION_* */
  uint32_t parts;          /**< 1 to 65535 */
  uint64_t seed;
  const char *const *balance_sets; /**< names of id sets to distribute evenly, too */
  size_t num_balance_sets;
  double imbalance;        /**< how much more than the mean a part may have, for each balanced quantity; 0:
                                0.05 */
  int32_t balance_edges;   /**< non-zero: in-degrees are distributed evenly, too */
  uint32_t halo_hops;      /**< a part also has complete rows of nodes up to this many hops from those that
                                it owns. With hops - 1 it can sample for its own nodes alone. A process
                                that opens the part beside servers of the other parts asks these servers
                                for rows without edges. If datasets have one layout, it asks for nothing
                                else within those hops */
  int64_t hot_rows;        /**< how many nodes of each type that a part does not own have rows in its
                                features and labels: those at the ends of most of its edges (but see
                                `hot_id_set` and `hot_fanouts`) */
  double hot_fraction;     /**< `hot_rows` as a fraction of the nodes that the part owns; one of the two is
                                0 */
  const DLTensor *const *owners; /**< GLS_PARTITION_GIVEN: for each node type, in their order, integers
                                      [nodes] from 0 to parts - 1; borrowed for the call */
  size_t num_owners;
  const char *owners_file; /**< GLS_PARTITION_GIVEN: owners of all nodes, type after type: a .npy file of
                                integers, or text with one number per line (as METIS writes it) */
  int32_t overwrite;       /**< non-zero: replace a partition at `path`; anything else at `path` is
                                GLS_ERR_ALREADY_EXISTS */
  int32_t no_row_padding;  /**< non-zero: rows of columns are not padded to cache lines */
  gls_progress_fn progress; /**< may be NULL */
  void *progress_user_data;
  const char *hot_id_set;  /**< measures which nodes are hot: some batches of a part's own nodes in this id
                                set are sampled, and the nodes that they request most are hot. Small sets
                                are sampled several times. Batches follow in-edges of every type where all
                                types have a CSC, else out-edges; NULL: samples all own nodes if
                                `hot_fanouts` is given, else nothing is measured, and nodes at the ends of
                                most edges are hot */
  const int64_t *hot_fanouts; /**< fanout of each hop of these batches, for all edge types: 1 or more, or
                                   -1 for all neighbours. Use the fanouts of the training. Borrowed for the
                                   call; NULL: 15 and 10 */
  size_t num_hot_fanouts;  /**< hops */
  int64_t hot_max_seeds;   /**< how many of a part's own nodes of each type are sampled at most, chosen by
                                `seed`; 0: all those in `hot_id_set`, or 1048576 of all */
} gls_partition_options_t;
#define GLS_PARTITION_OPTIONS_INIT                                                              \
  {                                                                                             \
    sizeof(gls_partition_options_t), 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, \
        NULL, NULL, NULL, 0, 0                                                                  \
  }

/** [any] Verifies the dataset, as gls_dataset_verify(), and writes its parts to a new folder, which
 *  appears at `path` complete or not at all. Besides mapped input it needs memory:
 *
 *  - what the method needs to find owners;
 *  - a byte or two per node, and about a byte per node and edge;
 *  - 8 to 24 bytes per node with a key of the largest part;
 *  - if hot nodes are measured, 4 bytes per node, 8 to 16 per seed, and a batch of 64 seeds on each
 *    thread.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; an owner that is not a part; content of
 *          `owners_file`); GLS_ERR_NOT_FOUND (an id set; `owners_file`); GLS_ERR_UNSUPPORTED (the
 *          dataset is a part; METIS is not installed, or the graph is too large for it);
 *          GLS_ERR_CORRUPT_DATA (the dataset; a damaged .npy); GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO;
 *          GLS_ERR_OUT_OF_MEMORY; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_partition(const gls_dataset_t *dataset, const char *path,
                                           const gls_partition_options_t *options, gls_error_t **err);

typedef struct gls_part_info {
  size_t struct_size;
  uint32_t number; /**< from 0 */
  uint32_t parts;  /**< number of parts; 0: the dataset is not a part */
  const char *graph; /**< names the partition, 16 hexadecimal digits; owned by the dataset; NULL: not a
                          part */
} gls_part_info_t;
/** [any] Which part of a graph this dataset is, if it was opened from the folder of a part.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_dataset_part(const gls_dataset_t *dataset, gls_part_info_t *out,
                                      gls_error_t **err);
/** [any] How many parts the graph of a dataset has, and which of them are local: this process reads
 *  their rows without a request to a server.
 *
 *  - A folder of parts that is open as a whole: all parts are local.
 *  - A graph on servers: local are parts of servers in this process, and those mapped from the files of
 *    servers on this host; there may be none.
 *  - A dataset that is not in parts: it is part 0 of one.
 *  - A part that is open by itself: the number of parts of its graph, and its own number.
 *
 *  The call sends no request; the result is fixed when the dataset is opened.
 *  @param count  out: how many parts the graph has, at least 1; may be NULL
 *  @param here   out: int64 [local parts], their numbers, ascending; may be NULL
 *  @return GLS_OK */
GLS_API gls_status_t gls_dataset_parts(const gls_dataset_t *dataset, uint32_t *count,
                                       gls_tensor_t **here, gls_error_t **err);
/** [any] The global id of each id of a part. Columns with role feature or label have rows for the first
 *  ids only, at least for the owned ids. A request for other rows is an error.
 *  @param type   node or edge type; NULL: the only node type
 *  @param out    int64 [ids of the part]: global ids of the owned, ascending, then of the others.
 *                Read-only; keeps the dataset alive
 *  @param owned  out: how many are owned; may be NULL
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_UNSUPPORTED (the dataset is not a part) */
GLS_API gls_status_t gls_dataset_whole_ids(const gls_dataset_t *dataset, const char *type,
                                           gls_tensor_t **out, int64_t *owned, gls_error_t **err);

/** A folder of parts. */
typedef struct gls_partition gls_partition_t;

/** [any] Opens a folder of parts: reads its description and maps the book. It does not open the parts;
 *  open a part with gls_dataset_open() of `path`/part-N.
 *  @param out  release with gls_partition_release()
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (not a folder of parts); GLS_ERR_CORRUPT_DATA; GLS_ERR_UNSUPPORTED
 *          (a newer version); GLS_ERR_IO */
GLS_API gls_status_t gls_partition_open(gls_context_t *ctx, const char *path, gls_partition_t **out,
                                        gls_error_t **err);
/** [any] @param partition  may be NULL */
GLS_API void gls_partition_release(gls_partition_t *partition);

typedef struct gls_partition_info {
  size_t struct_size;
  uint32_t parts;
  uint32_t reserved;
  const char *graph;   /**< names the partition, 16 hexadecimal digits. The partition owns all strings */
  const char *method;  /**< how owners were chosen, as text for people */
  const char *options; /**< options of the method, as text for people */
  size_t num_node_types;
  size_t num_edge_types;
} gls_partition_info_t;
/** [any] Describes a partition.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_partition_get_info(const gls_partition_t *partition,
                                            gls_partition_info_t *out, gls_error_t **err);

typedef struct gls_partition_type {
  size_t struct_size;
  const char *name;   /**< name of a node type, or relation of an edge type. The partition owns all strings */
  const char *source; /**< source type of an edge type; else NULL */
  const char *target; /**< target type of an edge type; else NULL */
  int64_t count;      /**< nodes or edges in the whole graph */
} gls_partition_type_t;
/** [any] Describes a type of the whole graph.
 *  @param edges  non-zero: edge type number `index`; else the node type
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (index); GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_partition_get_type(const gls_partition_t *partition, int32_t edges, size_t index,
                                        gls_partition_type_t *out, gls_error_t **err);
/** [any] The part that owns each of some nodes.
 *  @param node_type  NULL: the only one
 *  @param ids        int32 or int64 [n], global ids; borrowed
 *  @param out        int32 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (dtype, shape, an id out of
 *          range, with its value); GLS_ERR_CORRUPT_DATA (the book) */
GLS_API gls_status_t gls_partition_owners(const gls_partition_t *partition, const char *node_type,
                                          const DLTensor *ids, gls_tensor_t **out, gls_error_t **err);
/** [any] Writes the whole graph again: the folder that gls_dataset_save() would have written, byte for
 *  byte. Compares each array with its stored checksum.
 *  @param options  `overwrite` and progress; the rest must be 0. May be NULL
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA (the parts do not make up the whole graph, naming file, type
 *          and id); GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED (an option); GLS_ERR_IO;
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_partition_merge(const gls_partition_t *partition, const char *path,
                                         const gls_write_options_t *options, gls_error_t **err);
/** [any] Reads and checks everything, and stops at the first fault. It checks each part as
 *  gls_dataset_verify() does. Every node and edge must be owned once, and by the part that the book
 *  names. The owned nodes and edges must make up the whole graph. Halos, hot rows, id sets and keys
 *  must equal those of their owners or of the whole graph.
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA naming file, type and id; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_partition_verify(const gls_partition_t *partition,
                                          const gls_verify_options_t *options, gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Server: parts of a graph for other processes, which open it with gls_dataset_open()
 * --------------------------------------------------------------------------------------------- */

/** Serves from its creation until it is stopped or released, on its own threads. */
typedef struct gls_server gls_server_t;

typedef struct gls_server_options {
  size_t struct_size;
  const char *listen;          /**< "host:port" of the interface to listen on; port 0: any free one; NULL:
                                    "127.0.0.1:0" */
  const uint32_t *parts;       /**< parts to serve; NULL: all of the graph */
  size_t num_parts;
  const char *const *servers;  /**< addresses of other servers of the graph. Clients learn these addresses,
                                    and those servers learn the address of this one; they need not run yet */
  size_t num_servers;
  const char *name;            /**< name of the server in errors and logs of clients; NULL: made of the
                                    process id */
  uint32_t num_threads;        /**< threads that answer requests; 0: as many as the context has */
  uint32_t reserved;
  const gls_dataset_options_t *open; /**< how the folders of the parts are opened; may be NULL */
  uint64_t table_bytes; /**< bytes of memory for tables of clients (gls_table_open()), at most; 0: it holds
                             no tables */
} gls_server_options_t;
#define GLS_SERVER_OPTIONS_INIT \
  { sizeof(gls_server_options_t), NULL, NULL, 0, NULL, 0, NULL, 0, 0, NULL, 0 }

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
/** Stops the server at once if it was not stopped: requests in progress fail at their clients.
 *  @param server  may be NULL */
GLS_API void gls_server_release(gls_server_t *server);

/** [any] Address that it listens on, "host:port", with the actual port. Lives as long as the server. */
GLS_API const char *gls_server_address(const gls_server_t *server);
/** [any] Accepts no more requests, notifies clients, lets requests in progress end, and closes. Clients
 *  with further requests wait for a server at the same address, or use another one. A second call does
 *  nothing.
 *  @param timeout_ms  how long requests in progress may take; negative: without limit
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
 *  @param timeout_ms  for the whole call; negative: without limit, except for the 5 seconds of the
 *                     handshake
 *  @param out         release with gls_probe_release()
 *  @return GLS_OK: it serves; GLS_ERR_IO (nothing listens at the address; the client is not admitted;
 *          the connection was lost); GLS_ERR_TIMED_OUT; GLS_ERR_INVALID_ARGUMENT (the address; nothing
 *          protects connections; a key or certificate that cannot be used); GLS_ERR_NOT_FOUND (a file
 *          of a key or certificate); GLS_ERR_UNSUPPORTED (another protocol; the process at this address
 *          serves no graph; libgls_tcp.so is missing) */
GLS_API gls_status_t gls_server_probe(gls_context_t *ctx, const char *address, int64_t timeout_ms,
                                      gls_probe_t **out, gls_error_t **err);
/** [any] @param probe  may be NULL */
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

/* ------------------------------------------------------------------------------------------------
 * Table: rows that training changes, such as embeddings of nodes, with their optimiser
 * --------------------------------------------------------------------------------------------- */

/** A named table with a row for each node or edge of a type. Its rows are in memory of this process.
 *  For a graph on servers they are in memory of the servers: each server has the rows that its parts
 *  own. */
typedef struct gls_table gls_table_t;

/** How a step changes the rows that it has gradients for. g is the gradient of a number w; sums are
 *  float32. */
enum {
  GLS_OPTIMIZER_NONE = 0,    /**< steps are not possible: only gls_table_write() changes rows */
  GLS_OPTIMIZER_SGD = 1,     /**< w -= rate * g */
  GLS_OPTIMIZER_ADAGRAD = 2, /**< s += g * g; w -= rate * g / (sqrt(s) + epsilon) */
  GLS_OPTIMIZER_ADAM = 3     /**< m += (1 - beta1) * (g - m); v += (1 - beta2) * (g * g - v); w -= rate *
                                  sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon). Only rows of
                                  the step change, and t counts all steps: as torch.optim.SparseAdam. With
                                  ::GLS_TABLE_ROW_STEPS w -= rate * (m / (1 - beta1^t)) / (sqrt(v / (1 -
                                  beta2^t)) + epsilon), where t counts the steps of each row: as DGL's
                                  SparseAdam */
};
enum {
  GLS_TABLE_MEAN = 1,     /**< use the mean of the gradients that a step has for a row, not their sum */
  GLS_TABLE_ROW_STEPS = 2 /**< see ::GLS_OPTIMIZER_ADAM */
};

typedef struct gls_table_options {
  size_t struct_size;
  int64_t width;      /**< numbers of a row, 1 to 2^20 */
  DLDataType dtype;   /**< of the numbers; optimisers need float32; {0, 0, 0}: float32 */
  uint32_t flags;     /**< GLS_TABLE_* */
  double low;         /**< first value of each number: random in [low, high), or `low` if both are equal */
  double high;        /**< see `low`; only float32 tables take other values than 0 */
  uint64_t seed;      /**< of the random first values, together with `name`, id and position in the row;
                           independent of the process that holds the row */
  int32_t optimizer;  /**< GLS_OPTIMIZER_* */
  int32_t reserved;
  double epsilon;     /**< of Adagrad and Adam; negative: none; 0: 1e-10 for Adagrad, 1e-8 for Adam */
  double beta1;       /**< of Adam, below 1; negative: none; 0: 0.9 */
  double beta2;       /**< of Adam, below 1; negative: none; 0: 0.999 */
  uint32_t rank;       /**< this trainer among those that take steps together, 0 .. world_size-1 */
  uint32_t world_size; /**< number of these trainers, at most 16384; 0: this one alone */
} gls_table_options_t;
#define GLS_TABLE_OPTIONS_INIT \
  { sizeof(gls_table_options_t), 0, {0, 0, 0}, 0, 0.0, 0.0, 0, 0, 0, 0.0, 0.0, 0.0, 0, 0 }

/** [any] Makes a table, or attaches to the table of this type and name, whose options must then be
 *  equal. A table of a local dataset lives as long as the dataset, also after gls_table_release(). A
 *  table on servers lives until it is dropped (gls_table_drop()) or a server ends. If a server ends,
 *  its rows are lost and every call on the table is an error: open the table again and load it
 *  (gls_table_load()). If several servers have the same part, only one of them may hold tables
 *  ("table_bytes" of gls_server_options_t), because tables are not replicated.
 *  @param type     node or edge type; NULL: the only node type
 *  @param name     as that of a column: 1 to 255 bytes of UTF-8 without control characters and "__"
 *  @param options  NULL: the table exists, and this process takes no steps
 *  @param out      release with gls_table_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; `world_size` for a dataset that is not served);
 *          GLS_ERR_NOT_FOUND (type; without options: no such table); GLS_ERR_ALREADY_EXISTS (it exists
 *          with another width, dtype, first values or optimiser, which the message names);
 *          GLS_ERR_OUT_OF_MEMORY (of this process, or of a server's memory for tables);
 *          GLS_ERR_UNSUPPORTED (no server of a part holds tables, or two of them do; the dataset is a
 *          part that is open by itself. Also edges without columns of a graph in parts, and an
 *          optimiser for another dtype than float32); GLS_ERR_IO, GLS_ERR_TIMED_OUT (a server cannot be
 *          reached) */
GLS_API gls_status_t gls_table_open(const gls_dataset_t *dataset, const char *type, const char *name,
                                    const gls_table_options_t *options, gls_table_t **out,
                                    gls_error_t **err);
/** Releases the handle; the table itself stays. @param table may be NULL */
GLS_API void gls_table_release(gls_table_t *table);

typedef struct gls_table_info {
  size_t struct_size;
  const char *name;    /**< the table owns all strings */
  const char *type;    /**< an edge type is joined by underscores */
  int64_t rows;        /**< as many as the type has nodes or edges */
  int64_t width;
  DLDataType dtype;
  uint32_t flags;
  int32_t optimizer;
  uint32_t rank;
  uint32_t world_size;
  int64_t step;        /**< number of steps taken, as far as this handle knows */
  uint64_t bytes;      /**< of all its rows, with the state of the optimiser */
} gls_table_info_t;
/** [any] Describes the table.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_table_get_info(const gls_table_t *table, gls_table_info_t *out, gls_error_t **err);

/** [any] Rows by id. Servers are asked in parallel, for each row once however often its id occurs. A
 *  row is read before or after a step or a write, never in the middle of it. One call may read some
 *  rows before a step and other rows after it.
 *  @param ids  int32 or int64 [n], in any order, repeated ids allowed; borrowed
 *  @param out  [n, width] in the order of the ids, new memory that may be written
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an id out of range, with its position and value);
 *          GLS_ERR_INVALID_STATE (a server lost the table, or it was dropped); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT */
GLS_API gls_status_t gls_table_rows(const gls_table_t *table, const DLTensor *ids, gls_tensor_t **out,
                                    gls_error_t **err);
/** [any] Writes rows. If an id occurs several times, its last row counts. Among writers at the same
 *  time, the last one counts, for each row as a whole. When the call fails, some rows may be written.
 *  @param ids   int32 or int64 [n]; borrowed
 *  @param rows  [n, width] of the table's dtype, on the host; borrowed
 *  @return as for gls_table_rows(); GLS_ERR_INVALID_ARGUMENT (shape or dtype of `rows`) */
GLS_API gls_status_t gls_table_write(const gls_table_t *table, const DLTensor *ids, const DLTensor *rows,
                                     gls_error_t **err);
/** [one] Takes a step of the optimiser together with all trainers: waits until each trainer has sent
 *  its gradients, and returns when the rows are changed. A trainer without gradients calls it without
 *  ids. Each trainer sums a row's gradients in the order of `ids`. These sums are then added in the
 *  order of the ranks, and the row is changed once. So the result depends neither on the order of
 *  arrival nor on the parts. Tables are independent: several may have steps at the same time.
 *
 *  After an error the step was not taken, with two exceptions: the connection to a server was lost, or
 *  parts are at different steps because another trainer ended. Then some parts may have taken the step,
 *  and the next call must have the same arguments. A step is never taken twice.
 *  @param ids            int32 or int64 [n], in any order, repeated ids allowed; borrowed
 *  @param gradients      float32 [n, width], on the host; borrowed
 *  @param learning_rate  equal in all trainers
 *  @param timeout_ms     how long to wait for the others; 0: setting "cluster.request_timeout_ms";
 *                        negative: without limit
 *  @return as for gls_table_rows(); GLS_ERR_INVALID_ARGUMENT (shape or dtype of `gradients`, or more
 *          than 1 GiB of them for a part. Also a gradient, or the sum for an id, that is NaN or
 *          infinite: the message names the row, nothing changes, and the other trainers continue to
 *          wait. Also a learning rate that is not finite, a learning rate or `world_size` that differs
 *          from the others', or a rank that is taken); GLS_ERR_UNSUPPORTED (gradients in memory of a
 *          device); GLS_ERR_OUT_OF_MEMORY (also of a server's memory for tables, which includes
 *          gradients that wait for others); GLS_ERR_TIMED_OUT (the message says which ranks are
 *          missing); GLS_ERR_INVALID_STATE (the table has no optimiser, or was opened without options;
 *          it is being loaded. If parts are at different steps because a trainer ended in the middle of
 *          one, or this handle is behind, load the table. Also other arguments than those of a step
 *          that some parts may have taken) */
GLS_API gls_status_t gls_table_step(gls_table_t *table, const DLTensor *ids, const DLTensor *gradients,
                                    double learning_rate, int64_t timeout_ms, gls_error_t **err);

/** [one] Saves this trainer's share of the rows, an even run of ids, with the state of the optimiser.
 *  Every trainer calls it after the same step. All shares are of that step, because the next step waits
 *  for all trainers; only avoid gls_table_write() during the call. A step that is taken while rows are
 *  read makes the call fail. The files do not depend on the parts: you can load them with other parts,
 *  or by another number of trainers.
 *  @param path  a folder, which is created if it does not exist. All trainers save into one folder, or
 *               each into its own; then put the files together before loading. A share is never
 *               overwritten; remains of an interrupted save are replaced
 *  @return as for gls_table_rows(); GLS_ERR_ALREADY_EXISTS (the folder has this share already, or files
 *          of another table, step or number of trainers); GLS_ERR_INVALID_STATE (a step was taken
 *          during the call, or parts are at different steps); GLS_ERR_IO */
GLS_API gls_status_t gls_table_save(const gls_table_t *table, const char *path, gls_error_t **err);
/** [one] Loads a saved table: this trainer loads its share, and the call returns when all trainers have
 *  loaded theirs. Steps continue from the saved step. Every trainer calls it. The call checks all files
 *  that this trainer needs before it writes the first row. From then on no step is taken until a load
 *  has succeeded.
 *  @param path        a folder with all that was saved at one step, by any number of trainers
 *  @param timeout_ms  as of gls_table_step()
 *  @return as for gls_table_step(); GLS_ERR_NOT_FOUND (no such folder; a trainer's share is missing,
 *          which the message names); GLS_ERR_CORRUPT_DATA; GLS_ERR_INVALID_ARGUMENT (type, count of
 *          rows, width, dtype or optimiser differ from the table's; or the files are not all of one
 *          table and step) */
GLS_API gls_status_t gls_table_load(gls_table_t *table, const char *path, int64_t timeout_ms,
                                    gls_error_t **err);
/** [any] Drops the table for all processes: the memory of its rows is freed, calls on it fail, and its
 *  name may be used again.
 *  @return GLS_OK, also when it was dropped before; GLS_ERR_IO, GLS_ERR_TIMED_OUT */
GLS_API gls_status_t gls_table_drop(const gls_table_t *table, gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Builder: makes datasets, from memory and from files. [one]
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_builder gls_builder_t;

/** Makes an empty builder.
 *  @return GLS_OK */
GLS_API gls_status_t gls_builder_create(gls_context_t *ctx, gls_builder_t **out,
                                        gls_error_t **err);
GLS_API void gls_builder_release(gls_builder_t *builder);

enum {
  GLS_IDS_DENSE = 0,   /**< ids in the input are 0 .. num_nodes-1 already */
  GLS_IDS_INTEGER = 1, /**< any integers; numbered in ascending order, originals kept as keys */
  GLS_IDS_STRING = 2   /**< any text; numbered in ascending order of its UTF-8 bytes, originals kept
                            as keys */
};

typedef struct gls_node_type_options {
  size_t struct_size;
  int64_t num_nodes; /**< 0: found from the edges, columns and id sets. If only the largest id determines
                          it, more than 64 nodes per given id are an error, and more than 8 a warning (in
                          graphs of more than 2^20 nodes) */
  int32_t ids;       /**< GLS_IDS_*: how text files name nodes; arrays must be dense */
  int32_t reserved;
} gls_node_type_options_t;
#define GLS_NODE_TYPE_OPTIONS_INIT \
  { sizeof(gls_node_type_options_t), 0, 0, 0 }

/** Declares a node type. An edge type declares its node types with defaults, so this call must come
 *  before it. Names (of types, columns and sets) are non-empty UTF-8 of at most 255 bytes without
 *  control characters, and without "__" or '_' at either end.
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_node_type(gls_builder_t *builder, const char *type,
                                               const gls_node_type_options_t *options,
                                               gls_error_t **err);

enum {
  GLS_EDGES_ADD_REVERSE = 1u << 0, /**< also store the reverse of each edge. Within one node type reverses
                                        are edges E .. 2E-1 of this type (edge e + E is the reverse of e).
                                        Between two they are the type "target__rev_relation__source" with
                                        equal ids */
  GLS_TEXT_RAGGED = 1u << 1       /**< of gls_text_options_t alone: lines may have more or fewer fields
                                       than the first; fields that are not read are ignored */
};

typedef struct gls_edge_type_options {
  size_t struct_size;
  uint32_t flags; /**< GLS_EDGES_* */
  uint32_t reserved;
} gls_edge_type_options_t;
#define GLS_EDGE_TYPE_OPTIONS_INIT \
  { sizeof(gls_edge_type_options_t), 0, 0 }

/** Adds an edge type given as two arrays: edge i goes from `source[i]` to `target[i]` and has id i.
 *  Neighbours are stored in the order of edge ids.
 *  @param edge_type  "source__relation__target"
 *  @param source   int32 or int64 [edges], contiguous; taken
 *  @param target   the same
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; dtype, shape or lengths of the arrays);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU. Ids are
 *          checked when the dataset is built or written */
GLS_API gls_status_t gls_builder_add_edges(gls_builder_t *builder, const char *edge_type,
                                           gls_tensor_t *source, gls_tensor_t *target,
                                           const gls_edge_type_options_t *options,
                                           gls_error_t **err);
/** Adds an edge type given as a ready topology; the arrays are used as they are, without a copy.
 *  Call it twice to give CSC and CSR; then both need `edge_ids` unless ids are positions.
 *  @param layout    GLS_LAYOUT_CSC or GLS_LAYOUT_CSR
 *  @param indptr    int64 [nodes + 1]; taken
 *  @param indices   int32 or int64 [edges]; taken
 *  @param edge_ids  int32 or int64 [edges], or NULL when the id is the position; taken
 *  @return as for gls_builder_add_edges(); the arrays are checked when the dataset is built or
 *          written */
GLS_API gls_status_t gls_builder_add_topology(gls_builder_t *builder, const char *edge_type,
                                              int32_t layout, gls_tensor_t *indptr,
                                              gls_tensor_t *indices, gls_tensor_t *edge_ids,
                                              gls_error_t **err);

/** A field of a delimited file that becomes a column. */
typedef struct gls_text_column {
  const char *field; /**< its name in the header line, or its number from 0 written as "#2" */
  const char *name;  /**< name of the column; NULL: as the field */
  const char *dtype; /**< "float32", "int64", ... */
  int32_t role;      /**< GLS_ROLE_* */
  int32_t reserved;
} gls_text_column_t;

enum {
  GLS_HEADER_DETECT = 0, /**< the first line is a header when no field that must be a number (ids other
                              than strings, columns) is one, and always when a field is selected by name; a
                              line with some numbers is data */
  GLS_HEADER_YES = 1,
  GLS_HEADER_NO = 2
};

enum { GLS_COMMENT_NONE = '\n' }; /**< as gls_text_options_t::comment: there are no comments */

enum {
  GLS_ENCODING_DETECT = 0, /**< UTF-8, or UTF-16 where the file begins with its byte order mark */
  GLS_ENCODING_UTF8 = 1,
  GLS_ENCODING_LATIN1 = 2, /**< ISO 8859-1: each byte is a code point */
  GLS_ENCODING_UTF16 = 3   /**< in the byte order of its mark; without a mark, in the order that makes the
                                first character ASCII */
};

typedef struct gls_text_options {
  size_t struct_size;
  char delimiter;           /**< 0: the first of tab, comma, semicolon, pipe that ends the first field of
                                 the first line, else runs of blanks */
  char comment;             /**< lines beginning with it are skipped; 0: '#' and '%', with a warning
                                 if there are any after the first line; GLS_COMMENT_NONE */
  int16_t reserved0;
  int32_t header;           /**< GLS_HEADER_* */
  const char *source_field; /**< edges: NULL: "#0"; nodes: the key, NULL: "#0" */
  const char *target_field; /**< edges: NULL: "#1"; nodes: NULL */
  const gls_text_column_t *columns;
  size_t num_columns;
  uint32_t flags;           /**< GLS_EDGES_* and GLS_TEXT_* */
  int32_t encoding;         /**< GLS_ENCODING_* */
} gls_text_options_t;
#define GLS_TEXT_OPTIONS_INIT \
  { sizeof(gls_text_options_t), 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0 }

/** Adds an edge type given as delimited text: one edge a line, plain or gzip (detected by content).
 *  Lines end with LF or CRLF. Fields may be quoted with '"' ("" stands for one quote), within one line.
 *  The file is read, and its text converted to UTF-8, when the dataset is built or written. A damaged
 *  line is then an error naming file and line:
 *
 *  - a number of fields that differs from the first line (but see GLS_TEXT_RAGGED);
 *  - a carriage return inside the line, or a quote that does not end;
 *  - an id or value that cannot be read, or a weight that is negative or not finite.
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_edges_text(gls_builder_t *builder, const char *edge_type,
                                                const char *path,
                                                const gls_text_options_t *options,
                                                gls_error_t **err);
/** Adds the nodes of a type given as delimited text: one node a line. Their order in the file becomes
 *  their numbering, and edges may then only name these nodes. With GLS_IDS_DENSE the list must be 0, 1,
 *  2, ... in this order.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_nodes_text(gls_builder_t *builder, const char *type,
                                                const char *path,
                                                const gls_text_options_t *options,
                                                gls_error_t **err);

/** Adds a column of a node type, without a copy: row i is node i. Each row must be contiguous; the
 *  stride between rows is free.
 *  @param tensor  [nodes, ...] of any fixed-width number or bool; taken
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, role; shape or dtype); GLS_ERR_NOT_FOUND (type);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU. The number of
 *          rows, and that weights are finite and not negative, are checked when the dataset is built or
 *          written */
GLS_API gls_status_t gls_builder_add_node_column(gls_builder_t *builder, const char *type,
                                                 const char *name, int32_t role,
                                                 gls_tensor_t *tensor, gls_error_t **err);
/** Adds a column of an edge type: row e belongs to edge id e. Otherwise as for nodes.
 *  @param tensor  [edges, ...]; taken
 *  @return as for nodes */
GLS_API gls_status_t gls_builder_add_edge_column(gls_builder_t *builder, const char *edge_type,
                                                 const char *name, int32_t role,
                                                 gls_tensor_t *tensor, gls_error_t **err);
/** Numbers of a few bits: how a quantised column is packed, and the number for each code. A row of
 *  `width` codes takes ceil(width * bits / 8) bytes. Codes fill each byte from its highest bits down;
 *  unused bits of the last byte are ignored. */
typedef struct gls_quantization_options {
  size_t struct_size;
  uint32_t bits;         /**< of a code: 1, 2, 4 or 8 */
  uint32_t reserved;
  int64_t width;         /**< numbers in a row, 1 to 2^31; 0 for gls_quantize() */
  const float *codebook; /**< the number for each code, `num_codebook` finite numbers; NULL: code c is low
                              + c / (2^bits - 1) * (high - low), in float64 in this order, rounded to
                              float32 */
  size_t num_codebook;   /**< 2^bits, or 0 without a codebook */
  double low;            /**< without a codebook; below `high` */
  double high;
} gls_quantization_options_t;
#define GLS_QUANTIZATION_OPTIONS_INIT \
  { sizeof(gls_quantization_options_t), 0, 0, 0, NULL, 0, 0, 0 }

/** Adds a quantised column of a node type: rows of codes, stored as they are and decoded when gathered.
 *  All other calls treat the column as float32 [nodes, width].
 *  @param codes  uint8 [nodes, ceil(width * bits / 8)], row i for node i; the stride between rows is
 *                free; taken
 *  @return as for gls_builder_add_node_column(); GLS_ERR_INVALID_ARGUMENT also for a mismatch with
 *          `quantization` */
GLS_API gls_status_t gls_builder_add_node_codes(gls_builder_t *builder, const char *type,
                                                const char *name, int32_t role,
                                                gls_tensor_t *codes,
                                                const gls_quantization_options_t *quantization,
                                                gls_error_t **err);
/** Adds a quantised column of an edge type: row e belongs to edge id e. Otherwise as for nodes.
 *  @param codes  uint8 [edges, ceil(width * bits / 8)]; taken
 *  @return as for nodes */
GLS_API gls_status_t gls_builder_add_edge_codes(gls_builder_t *builder, const char *edge_type,
                                                const char *name, int32_t role,
                                                gls_tensor_t *codes,
                                                const gls_quantization_options_t *quantization,
                                                gls_error_t **err);
/** Packs numbers as codes, evenly from `low` to `high`. First x is clamped to low .. high. Then x
 *  becomes (x - low) / (high - low) * (2^bits - 1), in float64 in this order. The result is rounded to
 *  the nearest whole number, ties to even. Runs on the calling thread. [any]
 *  @param numbers       [rows, width] of any fixed-width number
 *  @param quantization  without a codebook
 *  @param out           uint8 [rows, ceil(width * bits / 8)]
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shape or dtype; a NaN, with its row and position) */
GLS_API gls_status_t gls_quantize(const DLTensor *numbers, const gls_quantization_options_t *quantization,
                                  gls_tensor_t **out, gls_error_t **err);

/** Adds a named set of node ids, in the order given.
 *  @param ids  int32 or int64 [n]; taken
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; dtype or shape); GLS_ERR_NOT_FOUND (type);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU */
GLS_API gls_status_t gls_builder_add_id_set(gls_builder_t *builder, const char *type,
                                            const char *name, gls_tensor_t *ids,
                                            gls_error_t **err);

/** Makes a dataset in memory. Ready topologies, columns and id sets are used in place; edge lists are
 *  sorted into the requested layouts. Every index is checked. After success the builder is empty and
 *  can be used again.
 *  @param options  may be NULL; `overwrite` and `no_row_padding` have no meaning here
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an id, index or number of rows that does not fit, or a
 *          weight that is negative or not finite, with its position); GLS_ERR_CORRUPT_DATA (a file or
 *          line of text, with its number; a node that is missing in its list); GLS_ERR_UNSUPPORTED (a
 *          file that is not text, or is compressed in another way than gzip); GLS_ERR_NOT_FOUND (a
 *          file); GLS_ERR_IO; GLS_ERR_OUT_OF_MEMORY (also when `memory` does not suffice);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_builder_build(gls_builder_t *builder, const gls_write_options_t *options,
                                       gls_dataset_t **out, gls_error_t **err);
/** Makes a dataset folder, streaming, in bounded memory; see gls_dataset_save() for atomicity. After
 *  success the builder is empty.
 *  @return as for gls_builder_build(); GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO also for a full disk */
GLS_API gls_status_t gls_builder_write(gls_builder_t *builder, const char *path,
                                       const gls_write_options_t *options, gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Sampler
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_sampler gls_sampler_t;
typedef struct gls_batch gls_batch_t;

/** New methods are new kinds, not new functions. */
enum {
  GLS_SAMPLER_NEIGHBOR = 0,   /**< neighbourhoods, hop by hop */
  GLS_SAMPLER_WALK = 1,       /**< random walks from the seeds, see ::gls_walk_options_t */
  GLS_SAMPLER_IMPORTANCE = 2, /**< the nodes that random walks visit most, see ::gls_importance_options_t */
  GLS_SAMPLER_PPR = 3,        /**< the nodes of highest personalised PageRank, see
                                   ::gls_ppr_options_t */
  GLS_SAMPLER_HGT = 4         /**< in each hop a given number of nodes of each type, by their weight as
                                   neighbours of the batch, see ::gls_hgt_options_t */
};

enum {
  GLS_DIRECTION_IN = 0, /**< follow edges from target to source (needs CSC) */
  GLS_DIRECTION_OUT = 1 /**< follow edges from source to target (needs CSR) */
};

enum {
  GLS_REPLACE_NEVER = 0,  /**< distinct edges */
  GLS_REPLACE_ABOVE = 1,  /**< all neighbours while there are at most `fanout`; beyond that, draws
                               with replacement */
  GLS_REPLACE_ALWAYS = 2  /**< `fanout` draws with replacement from any non-empty neighbourhood, as
                               PyG and DGL do */
};

enum {
  GLS_SAMPLE_EDGE_IDS = 1u << 0,     /**< report the id of every sampled edge */
  GLS_SAMPLE_DISJOINT = 1u << 1,     /**< each seed grows its own tree; adds GLS_BATCH_TREE */
  GLS_SAMPLE_TOWARD_SEEDS = 1u << 2, /**< `col` is always the end nearer to the seed, also with
                                          GLS_DIRECTION_OUT */
  GLS_SAMPLE_INT32 = 1u << 3,        /**< local and global ids as int32; every count must fit */
  GLS_SAMPLE_TIME_STRICT = 1u << 4,  /**< times must be below that of the seed, not equal to it */
  GLS_SAMPLE_EXCLUDE_LINKS = 1u << 5, /**< a batch does not use the links that are its seeds, nor edges
                                           that `exclude_mode` adds to them; loaders of nodes refuse it */
  GLS_SAMPLE_LAYER_DEPENDENT = 1u << 6 /**< with ::GLS_PICK_LAYER: a node has the same random number in
                                            all hops */
};

/** Whether the picks of one row depend on those of other rows. */
enum {
  GLS_PICK_INDEPENDENT = 0, /**< no: each row has its own random numbers */
  GLS_PICK_LAYER = 1        /**< each neighbour has one random number for all rows, and a row picks those
                                 with the smallest numbers. So rows pick the same nodes, and a batch has
                                 fewer nodes; each row by itself has the same distribution as independent
                                 picks. With weights, picks are only nearly in proportion to them. Excludes
                                 replacement and ::GLS_TIME_LAST. Source: Balin and Catalyurek,
                                 Layer-Neighbor Sampling (LABOR-0), NeurIPS 2023 */
};

enum {
  GLS_EXCLUDE_SELF = 0,         /**< only the given edges */
  GLS_EXCLUDE_REVERSE_ID = 1,   /**< also, for edge e, the edge whose id is in row e of the int64 column
                                     `reverse_column` of the same edge type */
  GLS_EXCLUDE_REVERSE_TYPES = 2 /**< also, for edge e of a type in `reverse_types`, edge e of the type
                                     paired with it; a pair holds in both directions */
};

/** What to draw for links that are seeds. */
enum {
  GLS_NEGATIVE_NONE = 0,
  GLS_NEGATIVE_BINARY = 1, /**< `amount` pairs of nodes per link, both ends drawn */
  GLS_NEGATIVE_TRIPLET = 2 /**< `amount` targets for each link, whose source is kept */
};

enum {
  GLS_NEGATIVE_STRICT = 1u << 0,      /**< no edge of the dataset is drawn */
  GLS_NEGATIVE_ALLOW_SHORT = 1u << 1, /**< a negative is missing (-1 in triplets) if `tries` draws found
                                           none, all weights are 0, or no node exists in time; without
                                           this flag that is ::GLS_ERR_NOT_FOUND */
  GLS_NEGATIVE_IN_TIME = 1u << 2,     /**< draws only nodes that exist at the time of their link: those
                                           whose `node_time` is at most that time, or below it with
                                           ::GLS_SAMPLE_TIME_STRICT. `time_window` has no effect. Nodes
                                           of a type without the column always exist. Needs `node_time`
                                           in a type that is drawn from. With a device, the CPU makes
                                           such draws */
  GLS_NEGATIVE_OLDEST = 1u << 3       /**< with ::GLS_NEGATIVE_IN_TIME: draws the oldest node if none
                                           exists at that time; among several, the lowest id */
};

/** Negatives for links: nodes of the link's two types, from the whole graph. */
typedef struct gls_negative_options {
  size_t struct_size;
  int32_t mode;              /**< GLS_NEGATIVE_* */
  uint32_t flags;            /**< GLS_NEGATIVE_STRICT to GLS_NEGATIVE_OLDEST */
  double amount;             /**< per link; a whole number for triplets; rounded up over all links for
                                  binary negatives; 0: 1 */
  double degree_power;       /**< draws nodes in proportion to this power of their degree in the links'
                                  type: a multiple of 0.25 up to 2; 0: uniformly */
  const char *source_weight; /**< or draws in proportion to a node column of non-negative numbers: for
                                  sources, which only binary negatives draw; NULL: as `degree_power` sets */
  const char *target_weight; /**< a node column for targets, as `source_weight`; NULL: as `degree_power`
                                  sets */
  uint32_t tries;            /**< draws for each strict negative, at most 2048; 0: 64 */
  uint32_t reserved;
} gls_negative_options_t;
#define GLS_NEGATIVE_OPTIONS_INIT \
  { sizeof(gls_negative_options_t), 0, 0, 0, 0, NULL, NULL, 0, 0 }

/** Random walks. Each step follows one edge, in the sampler's direction, of the current node's row:
 *  uniformly, or in proportion to `weight`. A walk ends where the row is empty.
 *
 *  Sources: node2vec: Grover and Leskovec, KDD 2016; its steps by rejection: Yang et al., KnightKing,
 *  SOSP 2019. */
typedef struct gls_walk_options {
  size_t struct_size;
  uint32_t length; /**< steps of a walk, at most 2^20; 0: as many as `path` has */
  uint32_t walks;  /**< from each seed, at most 2^20; 0: 1 */
  double p;        /**< node2vec: a step back to the previous node weighs 1/p; 0: 1 */
  double q;        /**< node2vec: a step to a node without an edge from the previous node, in the direction
                        of the walk, weighs 1/q. Other values of p and q than 1 need a path of one edge
                        type, between nodes of one type; 0: 1 */
  double restart;  /**< probability, before each step, of returning to the seed instead, where the path
                        begins again; needs a path within one node type */
  double stop;     /**< probability, before each step, of ending */
  const char *const *path; /**< edge types to follow in turn. Each begins at the node type where the
                                previous one ends. The path repeats; then the last type must end where the
                                first begins; NULL: the only one, between nodes of one type */
  size_t path_length;
} gls_walk_options_t;
#define GLS_WALK_OPTIONS_INIT \
  { sizeof(gls_walk_options_t), 0, 0, 0, 0, 0, 0, NULL, 0 }

/** Importance neighbours: the nodes that short random walks from a node visit most. A walk traverses
 *  `path` once or several times, and visits the node at the end of each traversal. The start node of
 *  the walk counts like any other node. Walks follow edges as those of ::gls_walk_options_t do, by
 *  `weight` if it is given.
 *
 *  Source: PinSAGE: Ying et al., KDD 2018. */
typedef struct gls_importance_options {
  size_t struct_size;
  uint32_t neighbors;  /**< neighbours of each node: those with most visits, ties by lower id; at least 1 */
  uint32_t walks;      /**< from each node; 0: 10 */
  uint32_t traversals; /**< traversals of the path by each walk, at most 2^20 by all walks of a node; 0: 2 */
  uint32_t hops;       /**< neighbours of neighbours, at most 255; 0: 1 */
  double stop;         /**< probability, before each traversal but the first, of ending the walk */
  const char *const *path; /**< edge types to follow in turn. Each begins at the node type where the
                                previous one ends, and the last ends where the first begins; NULL: the only
                                one, between nodes of one type */
  size_t path_length;
} gls_importance_options_t;
#define GLS_IMPORTANCE_OPTIONS_INIT \
  { sizeof(gls_importance_options_t), 0, 0, 0, 0, 0, NULL, 0 }

enum {
  GLS_PPR_NO_TOP_UP = 1u << 0 /**< report only nodes that were pushed. Without it, if these are fewer than
                                   `neighbors`, others follow by their residual, and residuals are added to
                                   scores */
};

/** Edge types along which residuals are pushed separately, and their share of the neighbours. */
typedef struct gls_ppr_channel {
  const char *const *edge_types; /**< at least one; channels may share them */
  size_t num_edge_types;
  double share;                  /**< of `neighbors`, above 0 */
  uint64_t reserved;
} gls_ppr_channel_t;

/** Personalised PageRank: the nodes where walks from a seed probably end, if a walk ends at each step
 *  with probability `alpha`. Computed by forward push, not by walks. The nodes of all types are one
 *  graph. Only `row_limit` uses random numbers.
 *
 *  Source: Andersen, Chung, Lang, FOCS 2006. */
typedef struct gls_ppr_options {
  size_t struct_size;
  uint32_t neighbors; /**< neighbours of each seed in each node type: those with the highest score, ties by
                           lower id; 0: 50 */
  uint32_t flags;     /**< GLS_PPR_NO_TOP_UP */
  double alpha;       /**< probability of ending, 1e-6 to 1; 0: 0.5 */
  double epsilon;     /**< a node is pushed while its residual exceeds alpha * epsilon * degree, 1e-12 to
                           1. A seed reads about 1 / (alpha * epsilon) edges at most, besides its own; 0:
                           1e-4 */
  uint64_t max_edges; /**< the push for a seed ends when it has read this many edges. Its scores are then
                           less exact, and with top-up include the remaining residuals; 0: 2^24 */
  uint32_t row_limit; /**< longer rows are sampled down to this length, each edge type separately; 0: all
                           edges are used */
  uint32_t reserved;
  const char *const *edge_types; /**< edge types to push along; NULL: all */
  size_t num_edge_types;
  const gls_ppr_channel_t *channels; /**< each channel pushes separately, along its own edge types, which
                                          are among `edge_types`, and finds at most `neighbors`. A node
                                          belongs to the channel with its highest score, ties to the first.
                                          Each channel gets its share of `neighbors`, by largest remainder,
                                          for the nodes that belong to it. Unused places go to the highest
                                          scores of all channels. GLS_BATCH_NEAR_SCORE has three more
                                          columns for each channel; NULL: all edge types together */
  size_t num_channels;               /**< at most 64; their shares add up to 1 within 1e-6 */
} gls_ppr_options_t;
#define GLS_PPR_OPTIONS_INIT \
  { sizeof(gls_ppr_options_t), 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0 }

/** How many nodes of a type to draw in each hop; -1: all available, 0: none. */
typedef struct gls_node_samples {
  const char *node_type;  /**< NULL: every node type without an entry of its own */
  const int64_t *per_hop;
  size_t num_hops;        /**< 1 to 255, the same for every entry */
} gls_node_samples_t;

/** Samples nodes by budgets. Every node of the batch distributes 1 evenly among its neighbours of each
 *  edge type, in the sampler's direction. A node's budget is the sum of what it received. Each hop
 *  draws nodes of each type, without replacement, in proportion to the square of their budget. So a
 *  batch has given numbers of nodes of every type, and many edges between them.
 *
 *  Source: HGSampling: Hu, Dong, Wang, Sun, Heterogeneous Graph Transformer, WWW 2020. */
typedef struct gls_hgt_options {
  size_t struct_size;
  const gls_node_samples_t *samples;
  size_t num_samples;      /**< at least 1, and every node type must be covered */
  uint32_t most_neighbors; /**< how many neighbours of a node, along one edge type, share its 1, at most
                                2^28. If it has more, this many are drawn uniformly. Edges to these are
                                reported, or with GLS_SUBGRAPH_INDUCED all edges between nodes of the
                                batch; 0: 50 */
  uint32_t reserved;
} gls_hgt_options_t;
#define GLS_HGT_OPTIONS_INIT \
  { sizeof(gls_hgt_options_t), NULL, 0, 0, 0 }

/** Which of the neighbours that are early enough to pick. */
enum {
  GLS_TIME_UNIFORM = 0, /**< any of them, as without times */
  GLS_TIME_LAST = 1     /**< the latest `fanout`; among equal times those stored later */
};

/** Which edges between the sampled nodes to report. */
enum {
  GLS_SUBGRAPH_SAMPLED = 0, /**< the picked edges */
  GLS_SUBGRAPH_INDUCED = 1, /**< all edges between nodes of the batch (of one tree, where each seed grows
                                 its own) that are neither excluded nor out of time. For walks: between the
                                 nodes that they visited. Needs the layout of the sampler's direction of
                                 every edge type */
  GLS_SUBGRAPH_BIDIRECTIONAL = 2 /**< the picked edges and their reverses, each pair of nodes once, in
                                      order of the frontier's ends, then the others. Reverses are of the
                                      same edge type if both its ends are of one node type; `reverse_types`
                                      names pairs of types that reverse each other. A reverse has the id of
                                      the picked edge */
};

/** Fanouts of one edge type: how many neighbours to take per hop; -1 takes all, 0 none. */
typedef struct gls_fanout {
  const char *edge_type;  /**< NULL: every edge type without an entry of its own */
  const int64_t *per_hop;
  size_t num_hops;        /**< 1 to 255, the same for every entry */
} gls_fanout_t;

/** A set of edges of one type. */
typedef struct gls_edge_set {
  const char *edge_type;
  const DLTensor *edges; /**< int32 or int64: [n] edge ids, or [2, n] sources and targets (then all
                              parallel edges between the two) */
} gls_edge_set_t;

typedef struct gls_type_pair {
  const char *edge_type;
  const char *reverse_type;
} gls_type_pair_t;

/** What a label means for its anchor. */
enum {
  GLS_LABEL_POSITIVE = 0, /**< nodes that belong to the anchor */
  GLS_LABEL_NEGATIVE = 1  /**< nodes that do not */
};

enum {
  GLS_SUPERVISION_SAMPLED = 1u << 0 /**< the edge type is also sampled, by its own fanouts; a batch does
                                         not use the edges from its anchors to their labels, nor edges that
                                         `exclude_mode` adds to them */
};

/** Labels of anchors, for link prediction. With supervisions every seed of a request or loader is an
 *  anchor; its labels become seeds after it. Without GLS_SUPERVISION_SAMPLED, `edge_type` is not
 *  sampled: its fanouts are 0 without an entry of its own, and induced subgraphs omit it. */
typedef struct gls_supervision {
  const char *edge_type; /**< labels are the targets of an anchor's edges of this type, in stored order,
                              whatever the direction, times and exclusions of the sampler; needs CSR; NULL:
                              labels are given with the anchors */
  const char *node_type; /**< node type of given labels, NULL: the only one; else NULL */
  const char *name;      /**< name of its array; NULL: that of `edge_type` */
  int32_t role;          /**< GLS_LABEL_*; each at most once with the same name */
  uint32_t flags;        /**< GLS_SUPERVISION_* */
  uint32_t max_labels;   /**< labels of an anchor, at most 2^28. From more labels, this many are drawn anew
                              for each batch, without replacement, and rows of labels always have this
                              length; 0: all */
  uint32_t reserved;
} gls_supervision_t;

typedef struct gls_sampler_options {
  size_t struct_size;
  int32_t kind;           /**< GLS_SAMPLER_* */
  uint32_t flags;         /**< GLS_SAMPLE_* */
  uint64_t seed;          /**< same seed, same batches */
  const gls_fanout_t *fanouts;
  size_t num_fanouts;     /**< at least 1, and every edge type must be covered. 0 with
                               GLS_SUBGRAPH_INDUCED: no hops, only the seeds. Always 0 for other kinds than
                               GLS_SAMPLER_NEIGHBOR */
  int32_t direction;      /**< GLS_DIRECTION_* */
  int32_t replace;        /**< GLS_REPLACE_* */
  const char *weight;     /**< edge column of non-negative numbers, one per edge. Picks are in proportion
                               to the weight, and weight 0 is never picked; edge types without this column
                               are sampled uniformly; NULL: uniform */
  const gls_edge_set_t *exclude; /**< edges never used by this sampler; copied */
  size_t num_exclude;
  int32_t exclude_mode;   /**< GLS_EXCLUDE_*; also for the sets given per call. Loaders, and requests for
                               links, refuse other modes than GLS_EXCLUDE_SELF if they exclude no edges */
  uint32_t contract;      /**< version of the sampling contract; 0: the newest (1) */
  const char *reverse_column;
  const gls_type_pair_t *reverse_types; /**< with GLS_EXCLUDE_REVERSE_TYPES or GLS_SUBGRAPH_BIDIRECTIONAL;
                                             both types of a pair have equally many edges */
  size_t num_reverse_types;
  const char *node_time;  /**< node column of integers, one per node: a seed of time t may use neighbours
                               whose time is at most t. Types without this column are always early enough.
                               Each seed then grows its own tree, as with GLS_SAMPLE_DISJOINT, and needs a
                               time; NULL: no times of nodes */
  const char *edge_time;  /**< edge column of times, used like `node_time`; with both, both must be early
                               enough; NULL: no times of edges */
  int64_t time_window;    /**< above 0: times below t - time_window are too early */
  int32_t time_strategy;  /**< GLS_TIME_*; LAST uses `edge_time` if given, else `node_time`, and excludes
                               weights and replacement */
  int32_t subgraph;       /**< GLS_SUBGRAPH_* */
  const gls_negative_options_t *negatives; /**< negatives to draw for links; then all seeds are links;
                                                NULL: no negatives */
  const gls_walk_options_t *walk; /**< options of the kind GLS_SAMPLER_WALK, which requires them; NULL for
                                       other kinds. Allowed `flags` are GLS_SAMPLE_EDGE_IDS and
                                       GLS_SAMPLE_INT32; fanouts, replacement, times and negatives are
                                       refused */
  int32_t pick;           /**< GLS_PICK_* */
  uint32_t batch_dependency; /**< with ::GLS_PICK_LAYER: how many consecutive batches (of all trainers) a
                                  node keeps its random number. One node in this many gets a new number
                                  with each batch; epochs share none; 0 or 1: all numbers are new in each
                                  batch */
  const gls_supervision_t *supervisions; /**< labels of the seeds, which are then anchors; refused with
                                              walks and negatives; NULL: no labels */
  size_t num_supervisions;               /**< at most 65536 */
  const gls_importance_options_t *importance; /**< options of the kind GLS_SAMPLER_IMPORTANCE, which
                                                   requires them; NULL for other kinds. Allowed `flags` are
                                                   GLS_SAMPLE_INT32; all else as for `walk` */
  const gls_ppr_options_t *ppr; /**< options of the kind GLS_SAMPLER_PPR, which requires them; NULL for
                                     other kinds. All else as for `importance`, but weights are refused */
  const gls_hgt_options_t *hgt; /**< options of the kind GLS_SAMPLER_HGT, which requires them; NULL for
                                     other kinds. All else as for `walk`, but weights are refused */
  DLDevice device;              /**< where gls_sampler_sample() samples and its batches are, and where
                                     loaders of this sampler deliver unless they set a device. {kDLCPU, 0}:
                                     the host. {kDLCUDA, n}: GPU n, which needs the plugin libgls_cuda.so.
                                     The bytes are equal. If the GPU cannot sample with these options, the
                                     CPU samples and the batch is moved, or it is an error: see setting
                                     "device.sampling" when the sampler is made; {0, 0}: where the dataset
                                     is */
} gls_sampler_options_t;
#define GLS_SAMPLER_OPTIONS_INIT                                                       \
  {                                                                                    \
    sizeof(gls_sampler_options_t), 0, 0, 0, NULL, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, \
        NULL, 0, NULL, NULL, 0, 0, 0, NULL, NULL, 0, 0, NULL, 0, NULL, NULL, NULL,     \
        { (DLDeviceType)0, 0 }                                                         \
  }

/** [any] Checks the options against the dataset; samples nothing yet. Walks with `q` read the indices
 *  of their edge type once. With a device, topology and everything else it samples from is placed there
 *  as for a loader, and shared with loaders (settings "device.*").
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT; GLS_ERR_NOT_FOUND (edge type, column); GLS_ERR_UNSUPPORTED
 *          (the layout of the direction is not stored; `device`: no plugin libgls_cuda.so, no driver,
 *          no such GPU, or "device.sampling" is "device" and the GPU cannot sample with these options);
 *          GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_sampler_create(gls_dataset_t *dataset,
                                        const gls_sampler_options_t *options, gls_sampler_t **out,
                                        gls_error_t **err);
/** [any] Where a sampler's batches are: {kDLCPU, 0}, or the device of its options or its dataset.
 *  @return GLS_OK */
GLS_API gls_status_t gls_sampler_device(const gls_sampler_t *sampler, DLDevice *out,
                                        gls_error_t **err);
GLS_API void gls_sampler_release(gls_sampler_t *sampler);

/** Seeds of one node type. */
typedef struct gls_seed_set {
  const char *node_type;
  const DLTensor *ids; /**< int32 or int64 [n] */
} gls_seed_set_t;

/** Links as seeds: each end is a seed of its node type. */
typedef struct gls_link_set {
  size_t struct_size;
  const char *edge_type;  /**< NULL: the only one */
  const DLTensor *links;  /**< int32 or int64: [n] ids of edges, or [2, n] sources and targets, which need
                               not be edges */
  const DLTensor *times;  /**< int32 or int64 [n], if the sampler uses times, else NULL */
  const DLTensor *labels; /**< [n, ...] of any number or bool: a row for each link; NULL: with binary
                               negatives, labels are 1 and 0 in float32 */
} gls_link_set_t;
#define GLS_LINK_SET_INIT \
  { sizeof(gls_link_set_t), NULL, NULL, NULL, NULL }

typedef struct gls_sample_request {
  size_t struct_size;
  const gls_seed_set_t *seeds; /**< each node type at most once; may be empty. Walks and importance accept
                                    only the type where they begin; PPR and anchors accept one type */
  size_t num_seeds;
  uint64_t epoch;              /**< part of the random key, with `batch` */
  uint64_t batch;
  const gls_edge_set_t *exclude; /**< edges that this batch must not use */
  size_t num_exclude;
  const DLTensor *const *times; /**< if the sampler uses times, else NULL: for each of `seeds` int32 or
                                     int64 [n], one time for each seed */
  const gls_link_set_t *links; /**< links as seeds, instead of `seeds`; NULL: none */
  const DLTensor *const *labels; /**< an entry for each supervision of the sampler: NULL, or for one
                                      without an edge type int32 or int64 [n, m], a row for each anchor, -1
                                      where a label is missing; NULL: no supervision needs labels */
  size_t num_labels;             /**< as many as supervisions, or 0 */
} gls_sample_request_t;
#define GLS_SAMPLE_REQUEST_INIT \
  { sizeof(gls_sample_request_t), NULL, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0 }

/** [any] Samples one batch on the calling thread; gathers no columns. Arrays of the request are on the
 *  host. If the sampler has a device, arrays of the batch are in its memory, except GLS_BATCH_NUM_NODES
 *  and GLS_BATCH_NUM_EDGES. They are complete for any stream, see gls_batch_record_stream(). With
 *  weights and edges in `exclude` the CPU may sample instead; "device.sampling" = "device" makes that
 *  GLS_ERR_UNSUPPORTED.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (a seed or link out of range, with its position and value);
 *          GLS_ERR_CORRUPT_DATA (the dataset has an index or edge id out of range, or a weight that is
 *          negative or not finite); GLS_ERR_NOT_FOUND (no strict negative, no negative in time, or no
 *          column of weights for one); GLS_ERR_UNSUPPORTED (more than 2^31 - 1 nodes of a type, or in walks, or too many
 *          trees); GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_sampler_sample(const gls_sampler_t *sampler,
                                        const gls_sample_request_t *request, gls_batch_t **out,
                                        gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Loader: an epoch of batches, sampled and gathered ahead of the caller
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_loader gls_loader_t;

enum {
  GLS_LOADER_SHUFFLE = 1u << 0,   /**< a new order each epoch, a function of (seed, epoch) */
  GLS_LOADER_DROP_LAST = 1u << 1, /**< omit a last batch that is not full */
  GLS_LOADER_NO_COLUMNS = 1u << 2 /**< gather nothing unless `columns` asks for it */
};

enum {
  GLS_EVEN_NONE = 0,  /**< trainers may get counts that differ by one */
  GLS_EVEN_DROP = 1,  /**< omit the last batches, so that all counts are equal */
  GLS_EVEN_REPEAT = 2 /**< repeat the epoch's first batches at its end, so that all counts are equal */
};

/** Which rows of a column to gather. */
enum {
  GLS_GATHER_AUTO = 0,  /**< labels: seeds; everything else: all */
  GLS_GATHER_ALL = 1,   /**< for every sampled node, or every sampled edge */
  GLS_GATHER_SEEDS = 2  /**< node columns only: for the seeds */
};

/** A column to gather. */
typedef struct gls_column_request {
  const char *type;     /**< node or edge type; NULL: every type that has the column */
  const char *name;
  int32_t rows;         /**< GLS_GATHER_* */
  DLDataType dtype;     /**< {0,0,0}: as stored; float16 and bfloat16 can be widened to float32 */
} gls_column_request_t;

/** Rows of a node or edge type. */
typedef struct gls_pad_size {
  const char *type;
  int64_t rows;
} gls_pad_size_t;

/** Batches of one shape, for CUDA graphs, torch.compile and XLA, for all kinds of samplers and seeds.
 *  Arrays of nodes and edges are padded to a size for each type, and INPUT to the batch size. All
 *  others are padded to the most that these seeds can have, except those of importance and PPR, which
 *  are estimated. Masks mark the real rows, and counts count only these. Without padding, arrays equal
 *  those of a loader that does not pad (rows of LINK_NEGATIVE follow the first entries of LINK_MASK). A
 *  batch that does not fit keeps its own shapes, has masks, too, and GLS_PADDING_OVERFLOW.
 *
 *  Every node type needs a spare row. Padding has the id -1 and zeros in columns; edges, links, seeds,
 *  walks and neighbours refer to the first spare node of their type. docs/contract.md, "Padding", gives
 *  the padding of each array, and the size that replaces the batch size with ::GLS_SEEDS_CLUSTER.
 *  Batches that cannot have edges have no room for them, unless a size sets it. */
typedef struct gls_pad_options {
  size_t struct_size;
  const gls_pad_size_t *sizes; /**< sizes of types; the library estimates those of all others */
  size_t num_sizes;
  uint32_t batches;            /**< how many batches of epoch 0, evenly spread, are sampled for estimates;
                                    0: 16 */
  uint32_t multiple;           /**< estimates are rounded up to a multiple of this; 0: 64 */
  double sigma;                /**< an estimate is the mean and this many standard deviations; 0: 3 */
} gls_pad_options_t;
#define GLS_PAD_OPTIONS_INIT \
  { sizeof(gls_pad_options_t), NULL, 0, 0, 0, 0 }

/** Changes a batch after its columns are gathered and before it is delivered. It may write into the
 *  arrays, except those marked read-only, and attach its own arrays with gls_batch_attach(). It is
 *  called once for each batch that is made, by the thread that makes it: a worker, or the caller of
 *  gls_loader_sample(). Calls for several batches run at the same time, in any order, also for batches
 *  that are later dropped. Batches are still delivered in their order. It must not unwind.
 *
 *  Inside it, call any function on `batch` except gls_batch_release(), but no function on the loader
 *  and none that waits for a loader. Use other objects as their marks allow. The library holds no lock.
 *  The handle is borrowed and ends with the call; tensors taken from it may be kept.
 *  @param batch    still without gather_ns, and without what this call attaches
 *  @param message  `capacity` bytes, empty: on an error, its description, in UTF-8 with its NUL
 *  @return GLS_OK, or a GLS_ERR_*: that batch fails with it and is dropped, and the loader continues
 *          with the next. Any other number becomes ::GLS_ERR_INVALID_ARGUMENT */
typedef gls_status_t (*gls_transform_fn)(gls_batch_t *batch, void *user_data, char *message,
                                         size_t capacity);

/** Which seeds make a batch. */
enum {
  GLS_SEEDS_ORDER = 0,  /**< each once in an epoch, `batch_size` at a time */
  GLS_SEEDS_DRAW = 1,   /**< `batch_size` seeds are drawn anew for each batch, with replacement: uniformly,
                             or by `seed_weight` or `seed_law`. Every batch is full, and there is no order:
                             GLS_LOADER_SHUFFLE and GLS_LOADER_DROP_LAST are refused */
  GLS_SEEDS_CLUSTER = 2 /**< all seeds in `batch_size` clusters of nodes; the epoch's order is an order of
                             clusters */
};

/** The weight that seeds are drawn in proportion to. Source: Zeng et al., GraphSAINT, ICLR 2020. */
enum {
  GLS_LAW_UNIFORM = 0,
  GLS_LAW_DEGREE = 1,        /**< for nodes: the number of edges of all types whose source is the node */
  GLS_LAW_INVERSE_DEGREE = 2 /**< for links, given as edge ids: 1 / (edges of their type from the source) +
                                  1 / (edges of their type to the target) */
};

/** Which processes make the batches. The batches are equal. */
enum {
  GLS_MADE_HERE = 0,      /**< this process, on the context's threads */
  GLS_MADE_BY_SERVERS = 1 /**< the servers of a graph opened as "gls://host:port": they sample and gather;
                               this process pads and transforms. A batch is one request, limited by
                               `cluster.request_timeout_ms`, and goes to another server when its server
                               fails. A server makes the next few batches ahead; it makes a batch once if
                               several clients request it. Needs every server to find the others
                               (`--server`) */
};

/** The seeds of one type, for a loader that takes several types. */
typedef struct gls_loader_seeds {
  const char *node_type;  /**< the seeds are nodes of this type; NULL: see `edge_type` */
  const char *edge_type;  /**< the seeds are links of this type; NULL: they are nodes; if `node_type` is
                               NULL, too, nodes of the only type */
  const char *id_set;     /**< nodes: the seeds are this id set; NULL: see `ids` */
  gls_tensor_t *ids;      /**< as `seeds` of gls_loader_create(); NULL: all of the type; taken */
  gls_tensor_t *times;    /**< as `times` of gls_loader_options_t, for these seeds; may be NULL; taken */
  gls_tensor_t *labels;   /**< links: as `labels` of gls_loader_options_t; may be NULL; taken */
} gls_loader_seeds_t;

typedef struct gls_loader_options {
  size_t struct_size;
  const char *node_type;  /**< type of the seeds; NULL: the only one, or the type where walks begin, or
                               that of the anchors */
  const char *id_set;     /**< the seeds are this id set; NULL: the seeds given to the call, else all nodes
                               of the type */
  uint32_t batch_size;    /**< seeds per batch; 0: 1024 */
  uint32_t flags;         /**< GLS_LOADER_* */
  uint32_t rank;          /**< this trainer, 0 .. world_size-1 */
  uint32_t world_size;    /**< trainers that share the epoch; 0: 1 */
  int32_t even;           /**< GLS_EVEN_* */
  uint32_t num_workers;   /**< batches in progress at once. With ::GLS_MADE_BY_SERVERS requests in progress
                               at once, at most 32, each on a thread that only waits; 0: the context's
                               threads, or at most 3 of these where a GPU samples, or 8 with
                               ::GLS_MADE_BY_SERVERS */
  uint32_t prefetch;      /**< finished batches to keep ready, at most; 0: 2 per worker, or 4 where a GPU
                               samples and `num_workers` is 0 */
  uint32_t reserved0;
  uint64_t prefetch_bytes; /**< bytes of batches in progress or ready, at most (one batch may always be
                                made); 0: 1 GiB, or a quarter of the memory available to the process if
                                that is less */
  const gls_column_request_t *columns; /**< columns to gather; NULL: by role, see GLS_ROLE_* */
  size_t num_columns;
  DLDevice device;        /**< where batches are delivered. {kDLCPU, 0}: the host. {kDLCUDA, n}: GPU n,
                               which needs the plugin libgls_cuda.so. Then all arrays of a batch are in its
                               memory, also in a transform, except the counts GLS_BATCH_NUM_NODES and
                               GLS_BATCH_NUM_EDGES and arrays that a transform attaches. The bytes are
                               equal; settings "device.*" control what is kept there. A loader on the
                               device of its sampler samples as decided when the sampler was made; {0, 0}:
                               where batches of the sampler are */
  gls_tensor_t *times;    /**< int32 or int64 [n]: time of each seed, if the sampler uses times; taken;
                               NULL: its row of the column `node_time`, which links do not have */
  const char *edge_type;  /**< the seeds are links of this type, [n] ids or [2, n] sources and targets, all
                               edges of the type if none are given; NULL: the seeds are nodes */
  gls_tensor_t *labels;   /**< [n, ...]: a row of labels for each link; may be NULL; taken */
  const gls_pad_options_t *pad; /**< pads batches to one shape; NULL: each batch has its own size */
  gls_transform_fn transform; /**< a last stage before delivery, by the caller; NULL: none */
  void *transform_data;       /**< passed to `transform` */
  gls_destroy_fn transform_release; /**< called once with `transform_data` when the loader is released and
                                         the last `transform` has ended; not called when
                                         gls_loader_create() fails, nor in a forked child; may be NULL */
  gls_tensor_t *const *anchor_labels; /**< as `labels` of a request, a row for each seed; taken */
  size_t num_anchor_labels;
  int32_t seed_rule;      /**< GLS_SEEDS_* */
  int32_t seed_law;       /**< GLS_LAW_*; for GLS_SEEDS_DRAW, as are the next two fields */
  const char *seed_weight; /**< draws in proportion to a column of non-negative numbers, of the nodes or,
                                for links given as edge ids, of the edges; NULL: see `seed_law` */
  uint64_t batches;       /**< batches per epoch, of all trainers, at most 2^32; 0: as many as without
                               draws */
  const char *cluster;    /**< for GLS_SEEDS_CLUSTER: a node column of whole numbers below the number of
                               nodes; a negative number is not in a cluster, and so not in a batch */
  gls_tensor_t *clusters; /**< `cluster` as an array, int32 or int64 [nodes of the type]; taken */
  int32_t made_by;        /**< GLS_MADE_* */
  int32_t reserved1;
  const gls_loader_seeds_t *seed_sets; /**< the seeds of several types, all nodes or all links, each type
                                at most once. They replace the argument `seeds` and the fields
                                `node_type`, `id_set`, `edge_type`, `times` and `labels`. One order of
                                the epoch has all of them, and a batch has `batch_size` in all. Several
                                types are GLS_ERR_UNSUPPORTED with `pad`, GLS_MADE_BY_SERVERS and rules
                                other than GLS_SEEDS_ORDER. Walks, importance, PPR and supervisions
                                begin at one type and refuse them. NULL: the seeds have one type */
  size_t num_seed_sets;
} gls_loader_options_t;
#define GLS_LOADER_OPTIONS_INIT                                                     \
  {                                                                                 \
    sizeof(gls_loader_options_t), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, \
        { (DLDeviceType)0, 0 }, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, \
        0, NULL, 0, NULL, NULL, 0, 0, NULL, 0                                       \
  }

/** [any] Makes a loader at epoch 0, batch 0. Work starts with the first gls_loader_next() or
 *  gls_loader_notify(). Batch b of an epoch has seeds [b * batch_size, (b + 1) * batch_size) of the
 *  epoch's order; trainer `rank` gets the batches rank, rank + world_size, ...
 *  @param seeds    int32 or int64 [n] node ids, or links, see `edge_type`; NULL: see `id_set`; taken
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; a seed out of range, with its position and
 *          value; nothing can be drawn); GLS_ERR_NOT_FOUND (type, id set, column); GLS_ERR_CORRUPT_DATA
 *          (the id set; weights, edge ids or indices that links or draws need); GLS_ERR_UNSUPPORTED
 *          (`device`: no plugin libgls_cuda.so, no driver, no such GPU. `made_by`: the dataset has no
 *          servers, or the options are too large for them, such as more than 16 MiB of excluded edges);
 *          GLS_ERR_IO and GLS_ERR_TIMED_OUT (no server answered) */
GLS_API gls_status_t gls_loader_create(gls_sampler_t *sampler, gls_tensor_t *seeds,
                                       const gls_loader_options_t *options, gls_loader_t **out,
                                       gls_error_t **err);
/** Stops the work in progress and waits for it to end, also for a running gls_transform_fn. So a
 *  transform must not call it. Requests to servers are cancelled; it does not wait for servers. */
GLS_API void gls_loader_release(gls_loader_t *loader);

/** [one] The next batch of the epoch, in order. After an error of a batch, the next call continues with
 *  the batch after it.
 *  @param timeout_ms  how long to wait: negative without limit, 0 not at all
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed; GLS_END when the epoch is over (every time,
 *          until gls_loader_seek()); GLS_ERR_CANCELED after gls_loader_cancel(); any error of sampling,
 *          gathering or the transform, for the batch that failed */
GLS_API gls_status_t gls_loader_next(gls_loader_t *loader, int64_t timeout_ms, gls_batch_t **out,
                                     gls_error_t **err);
/** Called from any thread, possibly before the call that registered it returns. Must not call the
 *  library, block or unwind. */
typedef void (*gls_ready_fn)(void *user_data);
/** [one] Registers a callback for the moment when gls_loader_next() will not wait. Event loops and
 *  futures need it, because they have no thread to wait with. Starts the work, as gls_loader_next()
 *  does. If this call returns ::GLS_IN_PROGRESS, `ready` is called with `user_data` exactly once,
 *  otherwise never.
 *
 *  The call comes when there is a result, or when the loader is cancelled, moved (seek, restore), given
 *  another callback, or released. So it can come without a result: call gls_loader_next() with a
 *  timeout of 0. After gls_loader_release() returns, the call has ended. In a forked child there is no
 *  call.
 *  @return GLS_OK: there is a batch, an error, or the end of the epoch now. If memory was short,
 *          gls_loader_next() may still find no batch; then call it again; GLS_IN_PROGRESS: `ready` will
 *          be called; GLS_ERR_CANCELED after gls_loader_cancel(); GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_loader_notify(gls_loader_t *loader, gls_ready_fn ready, void *user_data,
                                       gls_error_t **err);
/** [one] Goes to the start of an epoch and drops batches made ahead. Ends a cancelled state.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_seek(gls_loader_t *loader, uint64_t epoch, gls_error_t **err);
/** [any] Makes any batch of any epoch on the calling thread, with the same bytes that gls_loader_next()
 *  returns for it. The loader's position, bounds and totals do not change. Earlier batches are not
 *  made, because the epoch's order is computed, not stored.
 *  @param batch  its global number, below `num_global_batches` of gls_loader_get_info(), so of any
 *                trainer
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (there is no such batch); any error of sampling, gathering
 *          or the transform */
GLS_API gls_status_t gls_loader_sample(const gls_loader_t *loader, uint64_t epoch, uint64_t batch,
                                       gls_batch_t **out, gls_error_t **err);
typedef struct gls_norm_options {
  size_t struct_size;
  const char *node_type; /**< for `node_norm` or `coverage`; NULL: the only one */
  const char *edge_type; /**< for `edge_norm`; NULL: the only one */
  uint64_t epoch;        /**< batches are of epoch 2^63 + this (modulo 2^64), then of the next */
  uint64_t batches;      /**< how many batches are counted, below 2^32; with `coverage`: at most */
  double coverage;       /**< above 0: counts until this many times the nodes of `node_type` were in
                              batches. Without it and without `batches`: one epoch */
  gls_progress_fn progress; /**< may be NULL; the unit is nodes with `coverage`, else batches */
  void *progress_user_data;
} gls_norm_options_t;
#define GLS_NORM_OPTIONS_INIT \
  { sizeof(gls_norm_options_t), NULL, NULL, 0, 0, 0, NULL, NULL }
/** [any] GraphSAINT's normalisation: an estimate made from batches on the context's threads, by
 *  counting how often each node and edge is in them. These batches are far from those of the training,
 *  so that the estimates do not depend on what they correct. The loader does not change.
 *  @param node_norm  out, may be NULL: float32 [nodes], batches / times counted / nodes; a node that
 *                    never occurred counts as 0.1 times
 *  @param edge_norm  out, may be NULL: float32 [edges], by edge id: times counted of its target / of
 *                    the edge, at most 10000, and 0.1 if neither occurred; needs GLS_SAMPLE_EDGE_IDS
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; an epoch without batches, or without nodes of
 *          the type); GLS_ERR_NOT_FOUND (a type); GLS_ERR_CANCELED; any error of sampling */
GLS_API gls_status_t gls_loader_saint_norms(const gls_loader_t *loader,
                                            const gls_norm_options_t *options,
                                            gls_tensor_t **node_norm, gls_tensor_t **edge_norm,
                                            gls_error_t **err);
/** [any] Makes the waiting and all later gls_loader_next() return ::GLS_ERR_CANCELED, until
 *  gls_loader_seek(). It does not wait: batches in progress are finished and dropped, and a
 *  gls_transform_fn may still be running. */
GLS_API void gls_loader_cancel(gls_loader_t *loader);

typedef struct gls_loader_info {
  size_t struct_size;
  uint64_t epoch;        /**< current one */
  uint64_t next_batch;   /**< global number of the next batch that this loader delivers; at the end of the
                              epoch, a number beyond its last */
  uint64_t num_batches;  /**< batches of this trainer per epoch */
  uint64_t num_global_batches; /**< batches of all trainers per epoch, without repeats */
  uint64_t num_seeds;    /**< seeds in its list */
  uint64_t batch_size;
} gls_loader_info_t;
/** [any] Position and size of the loader.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_get_info(const gls_loader_t *loader, gls_loader_info_t *out,
                                     gls_error_t **err);

/** [any] The size to which arrays of a node or edge type are padded.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, or batches are not padded) */
GLS_API gls_status_t gls_loader_pad_size(const gls_loader_t *loader, const char *type,
                                         int64_t *rows, gls_error_t **err);

/** Totals since the loader was made. Times of workers are summed over workers. */
typedef struct gls_loader_stats {
  size_t struct_size;
  uint64_t batches;         /**< delivered */
  uint64_t seeds;
  uint64_t nodes;           /**< sampled, over all types */
  uint64_t edges;
  uint64_t gathered_rows;
  uint64_t gathered_bytes;
  uint64_t sample_ns;       /**< workers: in sampling */
  uint64_t gather_ns;       /**< workers: in gathering */
  uint64_t worker_wait_ns;  /**< workers: waiting because the bounds were reached */
  uint64_t caller_wait_ns;  /**< caller: inside gls_loader_next() */
  uint64_t wall_ns;         /**< from the first gls_loader_next() or gls_loader_notify() of each
                                 epoch to its last gls_loader_next() */
  uint64_t ready_batches;   /**< now */
  uint64_t ready_bytes;     /**< now */
  uint64_t peak_bytes;      /**< most bytes in progress or ready at once */
  uint64_t device_rows;     /**< gathered rows that were read in memory of a GPU; see settings "device.*".
                                 Padding rows are in none of the five */
  uint64_t pinned_rows;     /**< read by a GPU in memory of the host */
  uint64_t host_rows;       /**< read by the CPU, or from files directly into memory of a GPU; see setting
                                 "device.direct_storage" */
  uint64_t remote_rows;     /**< requested from servers, other parts or other processes, including rows
                                 that these have locally */
  uint64_t peer_rows;       /**< read by a GPU in memory of other GPUs of its group; see setting
                                 "device.group" */
} gls_loader_stats_t;
/** [any] The current totals.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_get_stats(const gls_loader_t *loader, gls_loader_stats_t *out,
                                      gls_error_t **err);

#define GLS_LOADER_STATE_MAX 1024 /**< a buffer of this size always holds a loader's state */
/** [any] Writes the position (epoch, next batch to deliver) and what it depends on, as JSON text with
 *  its NUL.
 *  @param length  out, may be NULL: length without the NUL, also when `capacity` is too small
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT when `capacity` is too small */
GLS_API gls_status_t gls_loader_save(const gls_loader_t *loader, char *buffer, size_t capacity,
                                     size_t *length, gls_error_t **err);
/** [one] Continues from a saved position; ends a cancelled state. Threads, prefetch and world size may
 *  differ. After `n` steps of `w` trainers the first n*w batches of the epoch are done. The new
 *  trainers share the rest: rank r of v gets n*w + r, n*w + r + v, ...
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT when the state does not fit this loader, naming what
 *          differs: the dataset (its types, counts and columns are compared), node type, seed set,
 *          seed, batch size, order or contract; GLS_ERR_UNSUPPORTED for the state of a newer library */
GLS_API gls_status_t gls_loader_restore(gls_loader_t *loader, const char *state,
                                        gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Batch: what was sampled and gathered. Immutable except in a gls_transform_fn. Every call on it is
 * [any] unless it is marked.
 * --------------------------------------------------------------------------------------------- */

enum {
  GLS_PADDING_NONE = 0,     /**< the loader does not pad */
  GLS_PADDING_FITS = 1,     /**< the arrays have the loader's sizes */
  GLS_PADDING_OVERFLOW = 2  /**< the batch does not fit: the arrays have their own sizes */
};

typedef struct gls_batch_info {
  size_t struct_size;
  uint64_t epoch;
  uint64_t batch;      /**< global number in the epoch */
  uint64_t num_hops;   /**< 1 for walks and PPR */
  uint64_t bytes;      /**< memory the batch holds */
  uint64_t sample_ns;  /**< time its worker spent sampling it */
  uint64_t gather_ns;
  int32_t padding;     /**< GLS_PADDING_* */
  uint32_t reserved;   /**< 0 */
} gls_batch_info_t;
/** Position and cost of the batch.
 *  @return GLS_OK */
GLS_API gls_status_t gls_batch_get_info(const gls_batch_t *batch, gls_batch_info_t *out,
                                    gls_error_t **err);

/** The arrays of a batch. B: seeds as given, and labels of anchors; S: distinct seeds; N: nodes; E:
 *  edges, of one type. "id" is int64, or int32 with GLS_SAMPLE_INT32 (edge ids: int32 if those of the
 *  dataset fit). */
enum {
  GLS_BATCH_NODE = 0,       /**< node type; id [N]: dataset ids, seeds first, then by first visit */
  GLS_BATCH_ROW = 1,        /**< edge type; id [E]: local id of each edge's source */
  GLS_BATCH_COL = 2,        /**< edge type; id [E]: local id of each edge's target */
  GLS_BATCH_EDGE = 3,       /**< edge type; id [E]: dataset edge ids; with GLS_SAMPLE_EDGE_IDS */
  GLS_BATCH_TREE = 4,       /**< node type; id [N]: position of the seed whose tree the node is in; if each
                                 seed grows its own */
  GLS_BATCH_NUM_NODES = 5,  /**< node type; int64 [hops + 1]: new nodes, seeds then per hop; for walks and
                                 PPR [2]: seeds, then the others */
  GLS_BATCH_NUM_EDGES = 6,  /**< edge type; int64 [hops]; with GLS_SUBGRAPH_INDUCED or
                                   GLS_SUBGRAPH_BIDIRECTIONAL [1] */
  GLS_BATCH_SEED = 7,       /**< node type; id [B]: local id of each seed as given */
  GLS_BATCH_INPUT = 8,      /**< node type, or edge type where links are seeds; int64 [seeds]: position of
                                 each in the loader's seeds of that type; only in batches of a loader */
  GLS_BATCH_NODE_COLUMN = 9,  /**< node type and column; [N, ...], or [S, ...] for seeds only */
  GLS_BATCH_EDGE_COLUMN = 10, /**< edge type and column; [E, ...] */
  GLS_BATCH_SEED_TIME = 11,   /**< node type; int64 [B]: time of each seed as given; if the sampler uses
                                   times */
  GLS_BATCH_LINK_SOURCE = 12, /**< edge type; id [L]: local id of each link's source, then those of
                                   binary negatives */
  GLS_BATCH_LINK_TARGET = 13, /**< edge type; id [L] */
  GLS_BATCH_LINK_NEGATIVE = 14, /**< edge type; id [links, amount]: local ids of the targets drawn in
                                     triplets, -1 where one is missing */
  GLS_BATCH_LINK_LABEL = 15,  /**< edge type; [L, ...]: given labels, then 0 for binary negatives */
  GLS_BATCH_WALK = 16,        /**< node type of the seeds; id [B * walks, length + 1]: local ids of the
                                   nodes of each walk, walks of a seed together, the seed first; -1 after
                                   the end. Each column has the node type that the path gives it. Batches
                                   of walks have no other edges, unless induced: ROW, COL and EDGE are
                                   empty */
  GLS_BATCH_WALK_EDGE = 17,   /**< node type of the seeds; id [B * walks, length]: dataset id of the edge
                                   of each step, of the type that the path gives it; -1 without a step;
                                   with GLS_SAMPLE_EDGE_IDS */
  GLS_BATCH_NEAR_SEED = 18,   /**< node type of the neighbours; id [K]: local id, in the seeds' type, of
                                   the node that the neighbour belongs to. Only of the kinds
                                   GLS_SAMPLER_IMPORTANCE (only the seeds' type) and GLS_SAMPLER_PPR. Their
                                   batches have no other edges: ROW and COL are empty */
  GLS_BATCH_NEAR_NODE = 19,   /**< node type; id [K]: local id of the neighbour */
  GLS_BATCH_NEAR_SCORE = 20,  /**< node type; float32 [K, 2]. Importance: the neighbour's share of the
                                   node's visits, and their number. PPR: the score, and 1 / (1 + steps from
                                   the seed). With C channels [K, 2 + 3 * C]: the highest of each of the
                                   two, then for each channel that found the neighbour these two and 1, for
                                   the others 0, 0, 0 */
  GLS_BATCH_ANCHOR_POSITIVE = 21, /**< node type of the labels and name of the supervision; id [anchors,
                                       m]: local ids of the labels of each anchor, then -1. m is
                                       `max_labels`, else the most labels of an anchor; given labels keep
                                       their shape. Anchors are the first GLS_BATCH_SEED of their type */
  GLS_BATCH_ANCHOR_NEGATIVE = 22, /**< negative labels, as GLS_BATCH_ANCHOR_POSITIVE */
  GLS_BATCH_ATTACHED = 23,    /**< no type; a name: an array given to gls_batch_attach() */
  GLS_BATCH_NODE_MASK = 24,   /**< node type; bool [N]: true for nodes of the batch, false for padding.
                                   Batches have masks if the loader pads */
  GLS_BATCH_EDGE_MASK = 25,   /**< edge type; bool [E] */
  GLS_BATCH_SEED_MASK = 26,   /**< node type of seeds; bool [B] */
  GLS_BATCH_LINK_MASK = 27,   /**< edge type; bool [L] */
  GLS_BATCH_LINK_NEGATIVE_MASK = 28, /**< edge type; bool [links, amount]: true for targets that were
                                          found, false for padding links */
  GLS_BATCH_WALK_MASK = 29,   /**< node type of the seeds; bool [B * walks] */
  GLS_BATCH_NEAR_MASK = 30,   /**< node type; bool [K] */
  GLS_BATCH_ANCHOR_MASK = 31, /**< node type of the anchors; bool [anchors]: for the rows of labels */
  GLS_BATCH_EDGE_INDEX = 32   /**< edge type; id [2, E], contiguous: GLS_BATCH_ROW and GLS_BATCH_COL are
                                   its two rows, in the same memory. gls_batch_array() lists only these two */
};

/** One array of a batch. */
typedef struct gls_array_info {
  size_t struct_size;
  int32_t array;    /**< GLS_BATCH_* */
  int32_t rows;     /**< node columns: GLS_GATHER_ALL or GLS_GATHER_SEEDS */
  const char *type; /**< node or edge type; "" for attached arrays */
  const char *name; /**< column, supervision or attached array; NULL for other arrays */
} gls_array_info_t;
/** Number of arrays the batch has. */
GLS_API size_t gls_batch_num_arrays(const gls_batch_t *batch);
/** Describes array `index`. Its names live as long as the batch.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_batch_array(const gls_batch_t *batch, size_t index,
                                     gls_array_info_t *out, gls_error_t **err);
/** One array, without a copy. The tensor keeps the batch's memory alive, and may be written: only
 *  gls_batch_block_tensor() reads it again. Two calls for one array return the same memory.
 *  @param type  node or edge type; NULL: the only one; for attached arrays "" or NULL
 *  @param name  column, supervision or attached array; NULL for other arrays
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, column, attached array, or the option was not set);
 *          GLS_ERR_INVALID_ARGUMENT (a missing name, a name for an array without one, or a type for an
 *          attached array) */
GLS_API gls_status_t gls_batch_tensor(const gls_batch_t *batch, int32_t array, const char *type,
                                      const char *name, gls_tensor_t **out, gls_error_t **err);

/** The arrays of a block. A model has L layers, as many as the batch has hops. Layer l = 0 .. L-1
 *  computes its destinations: the nodes of the seeds and the first L-1-l hops. Its sources are the
 *  destinations, then the nodes of one more hop. So a block is the first part of the batch's arrays.
 *  Messages go toward the seeds. If sampling followed edges (::GLS_DIRECTION_OUT), messages go against
 *  them, and the sources of a block have the type of the edges' targets. Each node's edges were picked
 *  once, at its first visit, and belong to all layers that compute the node. Padding is omitted.
 *
 *  S, D: sources and destinations of a node type; E: edges of an edge type. "id" as above. */
enum {
  GLS_BLOCK_SRC_NODE = 0, /**< node type; id [S]: dataset ids; the beginning of GLS_BATCH_NODE */
  GLS_BLOCK_DST_NODE = 1, /**< node type; id [D]: dataset ids; the beginning of GLS_BATCH_NODE */
  GLS_BLOCK_SRC = 2,      /**< edge type; id [E]: local id of the end each message comes from */
  GLS_BLOCK_DST = 3,      /**< edge type; id [E]: local id of the end it goes to; ascending */
  GLS_BLOCK_INDPTR = 4,   /**< edge type; id [D + 1]: where the edges to each destination begin, and where
                               the last end. With GLS_BLOCK_SRC it is the block in CSC. Equals the
                               beginning of the array of layer 0 */
  GLS_BLOCK_EDGE = 5      /**< edge type; id [E]: dataset edge ids; with GLS_SAMPLE_EDGE_IDS */
};
/** One array of the block of one layer. Arrays share the memory of gls_batch_tensor(). Only
 *  GLS_BLOCK_INDPTR has its own memory: each call counts it from the current edges. Batches of the kind
 *  ::GLS_SAMPLER_NEIGHBOR have blocks, unless their subgraph is induced or bidirectional: then every
 *  layer uses all edges.
 *  @param layer  below the batch's `num_hops`; 0 has the most nodes, and is computed first
 *  @param array  GLS_BLOCK_*
 *  @param type   node or edge type; NULL: the only one
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (`layer`, `array`); GLS_ERR_NOT_FOUND (no such type, or no
 *          edge ids); GLS_ERR_UNSUPPORTED (a batch without blocks); GLS_ERR_INVALID_STATE when counts
 *          or ends of edges were overwritten with impossible values */
GLS_API gls_status_t gls_batch_block_tensor(const gls_batch_t *batch, uint64_t layer, int32_t array,
                                            const char *type, gls_tensor_t **out,
                                            gls_error_t **err);
/** [one] Adds an array to a batch, in a gls_transform_fn. The array is listed after all others, in the
 *  order of attachment, counts in the bytes of the batch, and is delivered with it. Other calls on the
 *  batch may run at the same time, except those that list arrays.
 *  @param name    as names of columns; attached arrays have a namespace of their own
 *  @param tensor  CPU, of any fixed-width number or bool; taken. Its deleter may be called by any
 *                 thread, without a lock of the library
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; shape or dtype); GLS_ERR_ALREADY_EXISTS;
 *          GLS_ERR_UNSUPPORTED for a device other than the CPU; GLS_ERR_INVALID_STATE outside of a
 *          gls_transform_fn */
GLS_API gls_status_t gls_batch_attach(gls_batch_t *batch, const char *name, gls_tensor_t *tensor,
                                      gls_error_t **err);
/** [any] Names a stream of a GPU, a cudaStream_t, that uses the arrays of a batch. Arrays on a GPU are
 *  complete when the batch is delivered, so no stream needs to wait for them. Later batches reuse the
 *  memory once the batch and its tensors are released. The reuse waits for the work queued by then on
 *  the named streams. If you name no stream, wait for your work before you release them. The same holds
 *  for a batch in pinned memory of a feed (gls_attach_options_t.pin), from which streams copy.
 *  @param stream  NULL: the default stream. It must exist until the memory is released
 *  @return GLS_OK, also for a batch on the host */
GLS_API gls_status_t gls_batch_record_stream(const gls_batch_t *batch, void *stream,
                                             gls_error_t **err);
/** [any] Names a stream for one array, as gls_batch_record_stream() does for a batch; the batch may be
 *  released already. Use it when you pass a tensor to a DLPack consumer that names a stream. It has no
 *  effect for arrays on the host: in pinned memory of a feed, name streams for the batch.
 *  @param tensor  of gls_batch_tensor(), gls_batch_block_tensor() or gls_dataset_rows()
 *  @return GLS_OK, also for a tensor on the host; GLS_ERR_INVALID_ARGUMENT (another tensor) */
GLS_API gls_status_t gls_tensor_record_stream(const gls_tensor_t *tensor, void *stream,
                                              gls_error_t **err);
/** [any] The same batch with its arrays in memory of the host. Arrays on a GPU are copied, after the
 *  work that is queued now on the named streams.
 *  @return GLS_OK; GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_batch_to_host(const gls_batch_t *batch, gls_batch_t **out,
                                       gls_error_t **err);
/** Has no effect on the handle that is passed to a gls_transform_fn. */
GLS_API void gls_batch_release(gls_batch_t *batch);

/* ------------------------------------------------------------------------------------------------
 * Feed: the batches of a loader for trainers in other processes of this machine, in shared memory
 * --------------------------------------------------------------------------------------------- */

/** Serves the batches of a loader on a Unix-domain socket, on its own threads and those of the context.
 *  Each trainer has its own shared memory, a bounded number of bytes. The feed writes the trainer's
 *  batches there once, and the trainer reads them in place. A slow trainer does not block the others.
 *  The memory has no name: the kernel frees it when the last process that has it ends. */
typedef struct gls_feed gls_feed_t;

typedef struct gls_feed_options {
  size_t struct_size;
  const char *path;    /**< path of the socket, at most 107 bytes. A socket that a killed process left is
                            replaced. Every process that may open it may attach */
  uint32_t consumers;  /**< trainers at one time, and their `world_size` if they set none; 0: 1 */
  uint32_t mode;       /**< permissions of the socket, as of chmod(2); 0: 0600, the owner alone */
  uint64_t bytes;      /**< shared memory of each trainer, for all batches that are ready for it or that it
                            holds; allocated as needed; 0: 256 MiB */
  uint32_t prefetch;   /**< batches ready for each trainer, at most; 0: as set in the loader */
  uint32_t reserved;
} gls_feed_options_t;
#define GLS_FEED_OPTIONS_INIT \
  { sizeof(gls_feed_options_t), NULL, 0, 0, 0, 0, 0 }

/** [any] Begins to serve. The loader's position does not matter and does not change: each trainer
 *  chooses where it begins. `num_workers` and `prefetch_bytes` of the loader apply to each trainer.
 *  @param loader  of this process, with `world_size` 1: trainers set theirs when they attach
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; the loader's `world_size`);
 *          GLS_ERR_ALREADY_EXISTS (another feed serves at this path, or the file is not a socket);
 *          GLS_ERR_UNSUPPORTED (an attached loader, or a system without sealed memory. Also a loader
 *          that delivers on a device, by its own option or that of its sampler or dataset);
 *          GLS_ERR_NOT_FOUND (the folder); GLS_ERR_IO */
GLS_API gls_status_t gls_feed_create(gls_loader_t *loader, const gls_feed_options_t *options,
                                     gls_feed_t **out, gls_error_t **err);
/** Ends the feed: attached trainers get ::GLS_ERR_IO for batches that they have not received. Waits for
 *  batches in progress, as gls_loader_release() does. */
GLS_API void gls_feed_release(gls_feed_t *feed);
/** [any] Waits until a trainer has attached and all trainers have detached.
 *  @param timeout_ms  how long to wait: negative without limit, 0 not at all
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed */
GLS_API gls_status_t gls_feed_wait(gls_feed_t *feed, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_feed_info {
  size_t struct_size;
  uint64_t consumers;   /**< trainers attached now */
  uint64_t attached;    /**< trainers attached since it was made */
  uint64_t lost;        /**< of these, gone without releasing their loader, as when killed */
  uint64_t batches;     /**< sent */
  uint64_t batch_bytes; /**< of these */
  uint64_t used_bytes;  /**< shared memory that batches use now */
  uint64_t wait_ns;     /**< summed over trainers: a batch was sampled, but there was no room for it */
  uint64_t copied_bytes; /**< of `batch_bytes`: arrays that were copied into shared memory. Columns are
                              gathered directly into it, unless servers make the batches or the loader has
                              a transform */
} gls_feed_info_t;
/** [any] Totals of the feed, slightly delayed: a batch that has just arrived may not be counted yet.
 *  @return GLS_OK */
GLS_API gls_status_t gls_feed_get_info(const gls_feed_t *feed, gls_feed_info_t *out,
                                       gls_error_t **err);

typedef struct gls_attach_options {
  size_t struct_size;
  const char *const *paths; /**< feeds of loaders with equal options, which share the work; the batches and
                                 their order are those of one loader */
  size_t num_paths;
  uint32_t rank;         /**< this trainer, 0 .. world_size-1 */
  uint32_t world_size;   /**< trainers that share the epoch; 0: the feed's `consumers` */
  int64_t timeout_ms;    /**< how long to wait until the feeds exist; negative: without limit; 0: 10 s */
  uint32_t stall_ms;     /**< how long gls_loader_next() waits, whatever its limit, when this trainer's
                              memory is full of batches that it holds itself; 0: 10 s */
  uint32_t reserved;
  DLDevice pin;          /**< {kDLCUDA, n}: GPU n pins the shared memory, so that copies of batches to GPUs
                              are asynchronous; needs the plugin libgls_cuda.so. All of the memory is
                              allocated at once then; {0, 0}: it is not pinned */
} gls_attach_options_t;
#define GLS_ATTACH_OPTIONS_INIT \
  { sizeof(gls_attach_options_t), NULL, 0, 0, 0, 0, 0, 0, { (DLDeviceType)0, 0 } }

/** [any] A loader whose batches other processes make: those that the loader behind the feed would give
 *  this trainer. Their arrays are in shared memory that this process cannot write, and are marked
 *  read-only. They do not change until the last tensor and batch is released, also when the feed ends.
 *  In a forked child they may change. Everything that a feed sends is checked before use, except the
 *  numbers in arrays.
 *
 *  Pinned memory counts as the host. A queued copy reads the memory until the copy is done: name its
 *  stream by gls_batch_record_stream(), or release tensors and batch after the copy. Otherwise the feed
 *  overwrites the batch during the copy.
 *
 *  All calls on a loader are allowed except gls_loader_sample() and gls_loader_saint_norms(). States
 *  are those of the loader behind the feed. gls_loader_next() can also return:
 *
 *  - ::GLS_ERR_IO when a feed ended, was killed or released (every time: attach again, and restore the
 *    state);
 *  - ::GLS_ERR_CORRUPT_DATA when the feed sends invalid data;
 *  - ::GLS_ERR_OUT_OF_MEMORY, see `stall_ms`, or when a batch is larger than `bytes` of the feed.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; feeds of different loaders); GLS_ERR_TIMED_OUT
 *          (no feed existed in time); GLS_ERR_ALREADY_EXISTS (a trainer of this rank is attached);
 *          GLS_ERR_INVALID_STATE (as many trainers as the feed accepts are attached);
 *          GLS_ERR_UNSUPPORTED (a feed of another version; `pin`: no plugin libgls_cuda.so, no driver,
 *          no such GPU, or a GPU that does not pin read-only memory: the message says which);
 *          GLS_ERR_CORRUPT_DATA; GLS_ERR_IO */
GLS_API gls_status_t gls_feed_attach(gls_context_t *ctx, const gls_attach_options_t *options,
                                     gls_loader_t **out, gls_error_t **err);
/** [any] The dataset of a loader's batches, on the host. For an attached loader it has the types and
 *  the names of columns, without nodes or edges.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_dataset(const gls_loader_t *loader, gls_dataset_t **out,
                                        gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Group: processes that were started together, and functions that the caller defines
 * --------------------------------------------------------------------------------------------- */

/** A process's membership of a group, until it leaves or is released, with its own threads. */
typedef struct gls_group gls_group_t;
/** The future result of an asynchronous operation: a barrier, an all-gather, or a call of a function. */
typedef struct gls_answer gls_answer_t;
/** A call of a function of this process. It must be answered once. */
typedef struct gls_call gls_call_t;

/** Which launcher sets rank, world size and the address of rank 0, where the options do not. */
enum {
  GLS_LAUNCHER_AUTO = 0,      /**< the first launcher below whose variables are set; without any, the
                                   process is alone, in a group of one */
  GLS_LAUNCHER_ARGUMENTS = 1, /**< no launcher: `world_size` is needed */
  GLS_LAUNCHER_TORCHRUN = 2,  /**< RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT */
  GLS_LAUNCHER_OPENMPI = 3,   /**< OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE */
  GLS_LAUNCHER_SLURM = 4,     /**< SLURM_PROCID, SLURM_NTASKS or SLURM_STEP_NUM_TASKS, SLURM_LOCALID; rank 0
                                   is on the first host of SLURM_STEP_NODELIST */
  GLS_LAUNCHER_PMIX = 5       /**< PMIX_RANK, and PMI_RANK and PMI_SIZE of MPICH and its relatives; without
                                   a size, GLS_WORLD_SIZE */
};

/** Exchanges bytes among all processes of a group by a method of the caller, as MPI_Allgather() does.
 *  gls_group_join() calls it once, on its thread, in each process. Must not unwind.
 *  @param mine  of this process: `size` bytes, the same number in all
 *  @param all   out: those of all processes, by rank: `world_size` times `size` bytes
 *  @return 0; anything else ends gls_group_join() with ::GLS_ERR_CANCELED */
typedef int32_t (*gls_exchange_fn)(void *user_data, const void *mine, size_t size, void *all);

typedef struct gls_group_options {
  size_t struct_size;
  const char *name;         /**< name of the group, the same in all its processes; NULL: "gls" */
  int32_t launcher;         /**< GLS_LAUNCHER_* */
  uint32_t rank;            /**< this process, 0 .. world_size-1; ignored without `world_size` */
  uint32_t world_size;      /**< how many processes, at most 16384; 0: as the launcher sets */
  uint32_t num_threads;     /**< threads that run functions; 0: as many as the context has */
  const char *rendezvous;   /**< "host:port" where rank 0 listens and the others connect. It is never
                                 MASTER_PORT, where torchrun's own store listens; NULL: the host is
                                 GLS_MASTER_ADDR or from the launcher. The port is GLS_MASTER_PORT, or
                                 derived from the launcher's job and `name`, 16384 to 32767 */
  const char *listen;       /**< "host:port" to listen on; port 0: any free one, and for rank 0 that of
                                 `rendezvous`; NULL: rank 0 on `rendezvous`, the others on "127.0.0.1:0".
                                 That is an error if rank 0 is on another machine: set "0.0.0.0:0" there,
                                 or one interface */
  const char *process_name; /**< name of this process in errors and logs of the others; NULL: made of
                                 `name`, rank, host and process id */
  gls_exchange_fn exchange; /**< sends the address of rank 0 to the others, instead of `rendezvous`, which
                                 is then NULL: rank 0 listens on `listen`; may be NULL */
  void *exchange_user_data;
  int64_t timeout_ms;       /**< how long to wait for all to join; negative: without limit; 0: 120 s */
  gls_progress_fn progress; /**< of waiting for the others; may be NULL */
  void *progress_user_data;
} gls_group_options_t;
#define GLS_GROUP_OPTIONS_INIT \
  { sizeof(gls_group_options_t), NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL }

/** [any] Joins a group and waits until all of its processes have joined, in any order. A process can be
 *  in several groups with different names. The settings "net.*" configure how connections are
 *  protected, as for servers. If the rank of a process is taken, or its group or world size differs
 *  from rank 0's, joining fails for all processes. The errors name that process. A process that joined
 *  and ended before all have joined may join again.
 *
 *  Launchers may report that they started different numbers of processes on two hosts (torchrun, Open
 *  MPI, MPICH and PMIx report it; Slurm is not checked). Then joining is an error for all, because a
 *  device chosen by local rank would be wrong on some. To allow it, set `rank` and `world_size`.
 *  @param options  may be NULL
 *  @param out      release with gls_group_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; a value from the launcher; nothing protects
 *          connections; a name or size that differs from the others'); GLS_ERR_NOT_FOUND (the launcher
 *          has not set a required variable); GLS_ERR_ALREADY_EXISTS (another process has this rank; the
 *          address is taken); GLS_ERR_TIMED_OUT (the message names missing, joined and rejected
 *          processes, or says why rank 0 was not reached); GLS_ERR_CANCELED; GLS_ERR_IO;
 *          GLS_ERR_UNSUPPORTED (libgls_tcp.so is missing; launchers have started different numbers of
 *          processes on two hosts, which the message names) */
GLS_API gls_status_t gls_group_join(gls_context_t *ctx, const gls_group_options_t *options,
                                    gls_group_t **out, gls_error_t **err);
/** Leaves at once if the process has not left: the others then consider it lost. Waits for running
 *  functions, so a function must not call it. */
GLS_API void gls_group_release(gls_group_t *group);
/** [any] Accepts no more calls, lets calls in progress end, and leaves. Barriers and all-gathers of the
 *  others that need this process fail with an error that says so. A second call does nothing.
 *  @param timeout_ms  how long calls in progress may take; negative: without limit
 *  @return GLS_OK */
GLS_API gls_status_t gls_group_leave(gls_group_t *group, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_group_info {
  size_t struct_size;
  const char *name;
  uint32_t rank;
  uint32_t world_size;
  uint32_t local_rank;  /**< rank among the processes on this host: from the launcher, else in the order of
                             their ranks */
  uint32_t local_size;  /**< number of processes on this host */
  int32_t launcher;     /**< GLS_LAUNCHER_* that set the values; GLS_LAUNCHER_AUTO: none, because the
                             process is alone */
  uint32_t reserved;
  uint64_t operations;  /**< barriers and all-gathers that succeeded in this process */
} gls_group_info_t;
/** [any] Rank and sizes of this process. The name lives as long as the group.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_group_get_info(const gls_group_t *group, gls_group_info_t *out,
                                        gls_error_t **err);

/** A process of a group. The texts live as long as the group. */
typedef struct gls_member_info {
  size_t struct_size;
  const char *name;    /**< in errors and logs */
  const char *host;
  const char *address; /**< "host:port" that accepts its calls */
  uint64_t process;    /**< its id on that host */
} gls_member_info_t;
/** [any] Describes the process of a rank.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (rank, struct_size) */
GLS_API gls_status_t gls_group_member(const gls_group_t *group, uint32_t rank, gls_member_info_t *out,
                                      gls_error_t **err);

/** [one] Waits until all processes of the group have reached the barrier. Barriers and all-gathers are
 *  operations, numbered from 1 in each process. All processes must do the same operation under each
 *  number. If they differ, all get an error that names each process and its operation.
 *
 *  When a required process is lost or has left, this operation and all later ones end with ::GLS_ERR_IO
 *  for all within seconds. If it is silent but has not ended, the setting "net.peer_timeout_ms" limits
 *  the wait. The message and details name the process and the operation. An operation that timed out or
 *  was cancelled continues in the other processes: the same call here continues it, under the same
 *  number.
 *  @param timeout_ms  how long to wait: negative without limit
 *  @param out         NULL: wait in this call. Else receives the answer to wait for, without bytes
 *  @return GLS_OK; GLS_ERR_TIMED_OUT (the message names missing processes); GLS_ERR_IO (a process is
 *          lost or has left); GLS_ERR_INVALID_STATE (others do another operation; one is in progress in
 *          this process; the process has left) */
GLS_API gls_status_t gls_group_barrier(gls_group_t *group, int64_t timeout_ms, gls_answer_t **out,
                                       gls_error_t **err);
/** [one] Sends bytes of each process to all of them: an operation, see gls_group_barrier(). The answer
 *  has `world_size` items, one for each rank, which may differ in size; all together have at most 1
 *  GiB. A process that continues after a timeout keeps the bytes of its first call.
 *  @param data  `size` bytes, which are copied; may be NULL if there are none
 *  @param out   wait for it with gls_answer_wait()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (size); GLS_ERR_INVALID_STATE (an operation is in progress
 *          in this process; the process has left). The answer reports later failures, as of
 *          gls_group_barrier() */
GLS_API gls_status_t gls_group_all_gather(gls_group_t *group, const void *data, size_t size,
                                          int64_t timeout_ms, gls_answer_t **out, gls_error_t **err);

/** Answers a call of a function, now or later. The function owns `call`: it answers with
 *  gls_call_reply() or gls_call_fail() and releases with gls_call_release(), on any thread. It runs on
 *  threads that the group or server reserves for functions, several at once. It may use the library
 *  without restriction, but a function that waits for its own calls occupies one of these threads.
 *  Queued calls are scheduled round-robin by caller. A call that its caller no longer waits for does
 *  not start. Must not unwind. */
typedef void (*gls_function_fn)(gls_call_t *call, void *user_data);

/** [any] Lets other processes of the group call a function of this one. Every process that may connect
 *  may call it. Calls that arrived before this fail, because the function did not exist: put a barrier
 *  between this and the first call.
 *  @param name     1 to 255 bytes; names that begin with "gls." are reserved for the library
 *  @param destroy  called once with `user_data`, after the group and the last call of the function are
 *                  released; an answered call counts as released. Not called when this fails, nor in a
 *                  forked child; may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name); GLS_ERR_ALREADY_EXISTS (a function has this name);
 *          GLS_ERR_INVALID_STATE (the process has left) */
GLS_API gls_status_t gls_group_function(gls_group_t *group, const char *name, gls_function_fn function,
                                        void *user_data, gls_destroy_fn destroy, gls_error_t **err);
/** [any] Lets clients of a server call a function, see gls_group_function() and gls_dataset_call().
 *  @return as for gls_group_function() */
GLS_API gls_status_t gls_server_function(gls_server_t *server, const char *name,
                                         gls_function_fn function, void *user_data,
                                         gls_destroy_fn destroy, gls_error_t **err);

/** Function, caller and argument of a call. All pointers live as long as the call. */
typedef struct gls_call_info {
  size_t struct_size;
  const char *function;
  const char *caller;  /**< name and location of the calling process */
  int64_t rank;        /**< rank of the caller in the group; -1: the caller is a client of a server */
  int64_t part;        /**< part that it was called for; -1: called as a process of the group */
  const void *data;    /**< argument: `size` bytes */
  size_t size;
  int32_t canceled;    /**< non-zero: the caller no longer waits for the answer */
  int32_t reserved;
} gls_call_info_t;
/** [any] Describes a call: its function, caller and argument.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_call_get_info(const gls_call_t *call, gls_call_info_t *out, gls_error_t **err);
/** [any] Answers a call with bytes, which are copied.
 *  @return GLS_OK, also when the caller no longer waits; GLS_ERR_INVALID_ARGUMENT (more than 1 GiB less
 *          64 bytes); GLS_ERR_INVALID_STATE (the call has been answered) */
GLS_API gls_status_t gls_call_reply(gls_call_t *call, const void *data, size_t size, gls_error_t **err);
/** [any] Answers a call with an error. The caller gets it with the name of this process and of the
 *  function before the message.
 *  @param status   GLS_ERR_*; anything else becomes ::GLS_ERR_INTERNAL
 *  @param message  text of the error; may be NULL
 *  @return GLS_OK, also when the caller no longer waits; GLS_ERR_INVALID_STATE (the call has been
 *          answered) */
GLS_API gls_status_t gls_call_fail(gls_call_t *call, gls_status_t status, const char *message,
                                   gls_error_t **err);
/** If the call has not been answered, the caller gets an error that says so. */
GLS_API void gls_call_release(gls_call_t *call);

enum {
  GLS_CALL_IDEMPOTENT = 1 /**< calling the function twice has the same effect as once. If the called
                               process is lost before it answers, the function is called again, there or at
                               another server of the part. Without this flag that is an error, because the
                               function may have run */
};
typedef struct gls_call_options {
  size_t struct_size;
  int64_t timeout_ms; /**< until the answer, including connecting and retries; negative: without limit; 0:
                           setting "cluster.request_timeout_ms" */
  uint32_t flags;     /**< GLS_CALL_* */
  uint32_t reserved;
} gls_call_options_t;
#define GLS_CALL_OPTIONS_INIT \
  { sizeof(gls_call_options_t), 0, 0, 0 }

/** [any] Calls a function of a process of the group, also of this one. Does not wait; connects first if
 *  there is no connection. The answer has one item, the reply. Its errors are those of the function,
 *  ::GLS_ERR_NOT_FOUND (no such function; the message lists the existing ones), ::GLS_ERR_TIMED_OUT,
 *  ::GLS_ERR_CANCELED, ::GLS_ERR_IO (the process is lost). Each message begins with the names of the
 *  function and the called process.
 *  @param data     `size` bytes, which are copied; at most 1 GiB less the length of the name
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (rank, name, size, an option); GLS_ERR_INVALID_STATE (the
 *          process has left). The answer reports all other errors */
GLS_API gls_status_t gls_group_call(gls_group_t *group, uint32_t rank, const char *function,
                                    const void *data, size_t size, const gls_call_options_t *options,
                                    gls_answer_t **out, gls_error_t **err);
/** [any] Calls a function of a server that has this part of a graph, see gls_group_call(). Among
 *  several servers it calls a connected one, beginning with a random one. If the server is lost, the
 *  client waits for it until the time is over. It calls another server of the part instead if nothing
 *  was sent yet, or with ::GLS_CALL_IDEMPOTENT.
 *  @param dataset  opened by "gls://..."
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (part, name, size, an option); GLS_ERR_UNSUPPORTED (the
 *          graph is not on servers). The answer reports all other errors */
GLS_API gls_status_t gls_dataset_call(const gls_dataset_t *dataset, uint32_t part, const char *function,
                                      const void *data, size_t size, const gls_call_options_t *options,
                                      gls_answer_t **out, gls_error_t **err);

/** [any] Waits until the operation is over; every call returns the same result.
 *  @param timeout_ms  how long to wait: negative without limit, 0 not at all
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed; any error of the operation */
GLS_API gls_status_t gls_answer_wait(const gls_answer_t *answer, int64_t timeout_ms, gls_error_t **err);
/** [any] Registers a callback for the moment when gls_answer_wait() will not wait, as
 *  gls_loader_notify().
 *  @return GLS_OK: it is over, and `ready` will not be called; GLS_IN_PROGRESS: `ready` will be called,
 *          once, also when the answer is released before; GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_answer_notify(gls_answer_t *answer, gls_ready_fn ready, void *user_data,
                                       gls_error_t **err);
/** [any] Number of items; 0 until the operation is over, and after an error. */
GLS_API size_t gls_answer_count(const gls_answer_t *answer);
/** [any] An item: uint8 [bytes], read-only. It outlives the answer.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_answer_bytes(const gls_answer_t *answer, size_t index, gls_tensor_t **out,
                                      gls_error_t **err);
/** [any] Ends it with ::GLS_ERR_CANCELED, if it is not over. A running function is not stopped, but can
 *  see the cancellation. */
GLS_API void gls_answer_cancel(gls_answer_t *answer);
/** Cancels the operation if it is not over. */
GLS_API void gls_answer_release(gls_answer_t *answer);

#ifdef __cplusplus
}
#endif
#endif /* GLS_H */
