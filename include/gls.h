/** @file gls.h
 *  The stable C ABI of libgls: Graph Loading and Sampling.
 *
 *  C99. Strings are UTF-8 and NUL-terminated. No C++, CUDA or third-party type appears here; arrays
 *  travel as DLPack tensors.
 *
 *  Rules that hold for every function, so that they need not be repeated below:
 *
 *  - **Status.** A function that can fail returns a ::gls_status_t: 0 is success, a positive value
 *    is a state (nothing failed), a negative value is an error. The value is for decisions, the
 *    text for people: the last parameter, `err`, may be NULL; otherwise on an error `*err` receives
 *    an object to be released with gls_error_release(), and on success it is left as it was.
 *  - **Errors of any function**, not repeated below: ::GLS_ERR_INVALID_ARGUMENT for a NULL that must
 *    not be one, a wrong `struct_size`, flag or reserved field; ::GLS_ERR_OUT_OF_MEMORY;
 *    ::GLS_ERR_INVALID_STATE after a fork; ::GLS_ERR_INTERNAL.
 *  - **Failure changes nothing.** On an error no output parameter is written and there is nothing
 *    to clean up.
 *  - **Ownership.** `T **out` hands over one object; give it back with `gls_T_release`, which
 *    returns void and accepts NULL. A returned `const` pointer is borrowed and lives as long as the
 *    object it was asked of. Inputs are borrowed for the call unless the text says "taken": a taken
 *    tensor belongs to the library from the moment the call succeeds, and stays the caller's if it
 *    fails.
 *  - **Children keep their parents alive.** A dataset holds its context, a sampler its dataset, a
 *    loader its sampler, a tensor its batch. Release in any order.
 *  - **Threads.** Each function carries a mark. [any]: any number of threads may call it on one
 *    object at the same time. [one]: one thread at a time per object; different objects are
 *    independent. `release` is [one] and must be the last call on the object by any thread.
 *  - **Options.** Structs start with `struct_size`; use the `GLS_*_INIT` initialiser. Zero means
 *    the default for every field; reserved fields must be zero. An option that has no effect without
 *    another, which is not set, is refused. A longer struct than the library
 *    knows is accepted when the unknown bytes are zero and refused otherwise, so no option is ever
 *    silently ignored.
 *    Structs that the library fills (`*_info_t`, `*_stats_t`) also need `struct_size`: the library
 *    writes at most that many bytes.
 *  - **Types.** A node type is a name ("paper"). An edge type is three names joined by two
 *    underscores: "author__writes__paper" (source, relation, target). Where a dataset has only one
 *    node type, or only one edge type, NULL stands for it.
 *  - **Fork.** In a child process forked after the library was used, every object made before the
 *    fork answers ::GLS_ERR_INVALID_STATE; releasing it is legal and does nothing. Tensors and
 *    errors are memory of the child's own and stay usable.
 *
 *  Every symbol exists since version 0.1 unless it says otherwise.
 */
#ifndef GLS_H
#define GLS_H

#include <stddef.h>
#include <stdint.h>

/** Version of this header; gls_version() tells that of the loaded library. */
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

  GLS_ERR_INVALID_ARGUMENT = -1, /**< the call is wrong: mend the call */
  GLS_ERR_OUT_OF_MEMORY = -2,    /**< memory, or a stated memory bound, does not suffice */
  GLS_ERR_NOT_FOUND = -3,        /**< a file, type, column, set or key does not exist */
  GLS_ERR_UNSUPPORTED = -4,      /**< valid, but not by this build, machine or dataset */
  GLS_ERR_INVALID_STATE = -5,    /**< right call, wrong moment (after fork, after a failure) */
  GLS_ERR_TIMED_OUT = -6,        /**< a deadline passed */
  GLS_ERR_CANCELED = -7,         /**< cancel was called, or a function of the caller's asked to stop */
  GLS_ERR_IO = -8,               /**< the operating system refused: file, disk, permission */
  GLS_ERR_CORRUPT_DATA = -9,     /**< a file or array is damaged or inconsistent */
  GLS_ERR_ALREADY_EXISTS = -10,  /**< the thing to be created is there already */
  GLS_ERR_INTERNAL = -11         /**< a fault of the library: please report it */
};

typedef struct gls_error gls_error_t; /**< immutable; every call on it is [any] */

/** [any] "GLS_ERR_IO" for ::GLS_ERR_IO; "GLS_UNKNOWN" for a value this library does not know. */
GLS_API const char *gls_status_name(gls_status_t status);
/** [any] The status the failing function returned. */
GLS_API gls_status_t gls_error_status(const gls_error_t *err);
/** [any] One sentence naming the argument or file, its value and what was expected. Never NULL. */
GLS_API const char *gls_error_message(const gls_error_t *err);
/** [any] A detail for machines: "argument", "file", "type", "column", "setting", "offset" (of a byte
 *  or an element), "line" (of a text file), "field" (of a manifest), "epoch" and "batch" (of a batch whose
 *  transform failed), "peer" (an address), "rank", "part", "operation" (of a group), "function". What it
 *  says is in the message, too.
 *  @return NULL when this error has no such detail. */
GLS_API const char *gls_error_detail(const gls_error_t *err, const char *key);
/** [any] The keys of the details this error has, in no particular order: 0, 1, ...
 *  @return NULL when `index` is too large. */
GLS_API const char *gls_error_detail_key(const gls_error_t *err, size_t index);
GLS_API void gls_error_release(gls_error_t *err);

/** [any] ::GLS_VERSION of the loaded library. */
GLS_API uint32_t gls_version(void);
/** [any] The same as text, for example "0.1.0". Static. */
GLS_API const char *gls_version_string(void);

/* ------------------------------------------------------------------------------------------------
 * Tensors: DLPack in and out
 * --------------------------------------------------------------------------------------------- */

/** An owned tensor is DLPack's own managed tensor, so any DLPack consumer takes it as it is.
 *  Strides are always set; the dtype's `lanes` is 1; data is aligned to its dtype (to 64 bytes for
 *  everything the library allocates, but for GLS_BATCH_COL). ::DLPACK_FLAG_BITMASK_READ_ONLY is set
 *  on memory that must not be written (mapped files, borrowed read-only buffers). */
typedef struct DLManagedTensorVersioned gls_tensor_t;

/** Called once, from any thread, when the library lets go of `user_data`. Must not call the
 *  library and must not unwind. */
typedef void (*gls_destroy_fn)(void *user_data);

/** [any] Makes an owned tensor of memory that belongs to the caller; nothing but the shape and
 *  strides is copied. `destroy` (may be NULL) is called with `user_data` when the last user is
 *  done, and is not called when this function fails.
 *  @param view       CPU tensor; NULL strides mean row-major
 *  @param read_only  non-zero: consumers must not write it
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for a bad shape or dtype; GLS_ERR_UNSUPPORTED for a
 *          device other than the CPU */
GLS_API gls_status_t gls_tensor_wrap(const DLTensor *view, int32_t read_only, void *user_data,
                                     gls_destroy_fn destroy, gls_tensor_t **out,
                                     gls_error_t **err);
/** [any] Maps a NumPy `.npy` file (format 1 to 3, C order, little-endian, fixed-width numbers)
 *  read-only; nothing is read but the header.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND; GLS_ERR_IO; GLS_ERR_CORRUPT_DATA (no `.npy`, wrong length);
 *          GLS_ERR_UNSUPPORTED (Fortran order, big-endian, strings, objects) */
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
  gls_log_fn log;             /**< NULL: standard error; lines that its reader does not take are dropped */
  void *log_user_data;
  gls_destroy_fn log_destroy; /**< runs once with log_user_data, also when create fails */
} gls_context_options_t;
#define GLS_CONTEXT_OPTIONS_INIT \
  { sizeof(gls_context_options_t), 0, 0, NULL, NULL, NULL }

/** [any] Starts the worker threads. `options` may be NULL. Several contexts may live at once.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option, or a setting in the environment);
 *          GLS_ERR_OUT_OF_MEMORY (also when the system does not give so many threads) */
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
  uint64_t free_bytes; /**< now, for all processes; 0: not known, as this process uses nothing there yet */
  int32_t major;       /**< compute capability */
  int32_t minor;
} gls_device_info_t;
/** [any] How many GPUs there are that datasets, samplers and loaders can work on: the first is {kDLCUDA, 0}.
 *  0 also where the part "cuda" or its driver is missing; gls_device_get_info() of the first says why. */
GLS_API uint32_t gls_device_count(void);
/** [any] Describes a GPU. What loaders keep of it is made by the first call that names it.
 *  @param device  {kDLCUDA, n}
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for another kind of device; GLS_ERR_UNSUPPORTED (no part
 *          "cuda", no driver, or no such GPU: the text says which) */
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

/** What a column is for. It only chooses defaults: any column can be asked for by name. */
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
  int32_t verify_checksums; /**< non-zero: read every byte and compare before returning; of a folder of parts
                                 also books, id sets and keys of the whole */
  gls_progress_fn progress; /**< of reading what the two fields above ask for, and of finding servers;
                                 may be NULL */
  void *progress_user_data;
} gls_dataset_options_t;
#define GLS_DATASET_OPTIONS_INIT \
  { sizeof(gls_dataset_options_t), 0, 0, NULL, NULL }

/** [any] Opens a dataset folder, a folder of parts (gls_dataset_partition()) as the whole graph that was
 *  cut, or, by "gls://host:port,host:port", a graph whose parts servers have (gls_server_start()): ids
 *  are the whole's, and batches are the same bytes. By default the time does not depend on the size of
 *  the graph: the manifest and the array headers are read and checked, the arrays are mapped. What
 *  cannot be checked without reading every index is checked where it is used, and by
 *  gls_dataset_verify(). A folder must not be changed while it is open (replace it by renaming); a file that
 *  is cut short all the same is GLS_ERR_IO of every call that reads the dataset, while the setting
 *  "memory.file_guard" is true. Links to files out of the folder need the setting "dataset.outside_links".
 *  Of a graph in parts, samplers pick from the parts, or fetch the rows that they read, and loaders
 *  gather from the parts, which also answer queries of edges and degrees. GLS_ERR_UNSUPPORTED there:
 *  its tensors but id sets and keys; gls_dataset_save(), gls_dataset_verify(), gls_dataset_partition().
 *  Of servers a few addresses are enough: they know the others. Those that are not there yet are waited
 *  for (setting "cluster.open_timeout_ms"). How connections are protected is said by the settings
 *  "net.*". A server that is lost is asked again when it is back, and one that serves the same part
 *  instead of it, until "cluster.request_timeout_ms" is over.
 *  @param options  may be NULL. Of a graph that is served only `progress` is for who opens it, of finding
 *                  its servers; the others are theirs, and GLS_ERR_UNSUPPORTED here
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such folder, no manifest; no file of a key); GLS_ERR_IO (also a
 *          link out of the folder); GLS_ERR_CORRUPT_DATA (damaged or foreign files);
 *          GLS_ERR_INVALID_ARGUMENT (nothing protects connections, or an address or key cannot be used);
 *          GLS_ERR_UNSUPPORTED (newer format, or libgls_tcp.so is missing); GLS_ERR_TIMED_OUT (servers were not reached, or nobody has a part:
 *          the message says which and why); GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_open(gls_context_t *ctx, const char *path,
                                      const gls_dataset_options_t *options, gls_dataset_t **out,
                                      gls_error_t **err);
/** [any] Another handle of a dataset that is open, which works on a device: samplers of it sample there, their
 *  loaders deliver there, and gls_dataset_rows() gives rows there, unless options say otherwise. Nothing is
 *  copied or read by this call. Batches and rows are the same bytes, and all else that a dataset answers
 *  (gls_dataset_tensor(), degrees, keys) is on the host as ever. Columns that gls_dataset_rows() was asked for
 *  stay on the device, where loaders have them, until the last such handle is released.
 *  @param device  {kDLCUDA, n}: GPU n, for which the part "cuda" must be there; {kDLCPU, 0}: the host;
 *                 {0, 0}: where `dataset` is
 *  @param out     owned by the caller; neither handle needs the other
 *  @return GLS_OK; GLS_ERR_UNSUPPORTED (no part "cuda", no driver, or no such GPU: the text says which);
 *          GLS_ERR_INVALID_ARGUMENT (a negative number) */
GLS_API gls_status_t gls_dataset_on_device(const gls_dataset_t *dataset, DLDevice device,
                                           gls_dataset_t **out, gls_error_t **err);
/** [any] The device that a dataset works on: {kDLCPU, 0} unless gls_dataset_on_device() said another.
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
  uint32_t bits;        /**< of a quantised column: of each code, 1, 2, 4 or 8; else 0. Such a column is
                             float32 [rows, width], and so it is gathered; what is stored is codes */
  uint32_t reserved;
  const float *codebook; /**< of a quantised column: what each code stands for [2^bits]; else NULL */
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

/** Which array gls_dataset_tensor() hands out. */
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
/** A read-only view of one whole array, without a copy; it keeps the dataset alive. Of a quantised column
 *  that is its codes, uint8 [rows, ceil(width * bits / 8)].
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, column, set, or array stored);
 *          GLS_ERR_INVALID_ARGUMENT (`array`; `type` is NULL and there are several);
 *          GLS_ERR_UNSUPPORTED (a column or topology of a graph in parts or of servers, which is nowhere as
 *          a whole. gls_dataset_rows() gives rows of a column; gls_dataset_degrees(),
 *          gls_dataset_find_edges(), gls_dataset_has_edges(), and a hop of gls_sampler_sample() with fanout
 *          -1, which takes all neighbours, tell of edges; a part's own folder can be opened by itself) */
GLS_API gls_status_t gls_dataset_tensor(const gls_dataset_t *dataset, int32_t array,
                                        const char *type, const char *name, gls_tensor_t **out,
                                        gls_error_t **err);

/** The node that was called `key` (text, or an integer written in decimal) when the data was
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

/** Both ends of edges. Takes O(log nodes) for each; the first call for a type whose edge ids are not
 *  positions also reads all of them, and keeps 8 bytes per edge with the dataset.
 *  @param edge_type  NULL: the only one
 *  @param edges   int32 or int64 [n] edge ids
 *  @param source  out: int64 [n]
 *  @param target  out: int64 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (indices or edge ids of the dataset);
 *          GLS_ERR_IO, GLS_ERR_TIMED_OUT (who serves the graph is not there) */
GLS_API gls_status_t gls_dataset_find_edges(const gls_dataset_t *dataset, const char *edge_type,
                                            const DLTensor *edges, gls_tensor_t **source,
                                            gls_tensor_t **target, gls_error_t **err);
/** Whether there is an edge from source[i] to target[i], by looking through the shorter of the two
 *  nodes' rows that are stored.
 *  @param edge_type  NULL: the only one
 *  @param source  int32 or int64 [n] nodes
 *  @param target  int32 or int64 [n] nodes
 *  @param out     bool [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (lengths; a node out of range,
 *          with its position and value); GLS_ERR_CORRUPT_DATA (indptr of the dataset);
 *          GLS_ERR_IO, GLS_ERR_TIMED_OUT (who serves the graph is not there) */
GLS_API gls_status_t gls_dataset_has_edges(const gls_dataset_t *dataset, const char *edge_type,
                                           const DLTensor *source, const DLTensor *target,
                                           gls_tensor_t **out, gls_error_t **err);
/** Degrees: how many edges of a type come in to its targets, or go out from its sources. Reads all
 *  edges where the layout that has them by node (CSC for in, CSR for out) is not stored.
 *  @param edge_type  NULL: the only one
 *  @param direction  GLS_DIRECTION_IN or GLS_DIRECTION_OUT
 *  @param nodes      int32 or int64 [n]; NULL: all nodes at that end
 *  @param out        int64 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (a node out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (indptr or indices of the dataset);
 *          GLS_ERR_IO, GLS_ERR_TIMED_OUT (who serves the graph is not there) */
GLS_API gls_status_t gls_dataset_degrees(const gls_dataset_t *dataset, const char *edge_type,
                                         int32_t direction, const DLTensor *nodes,
                                         gls_tensor_t **out, gls_error_t **err);

/** Rows of a column by id, gathered as loaders do: of a graph in parts from those who own them, or who
 *  have them here, each row once however often its id is there. To read a whole column in place, see
 *  gls_dataset_tensor().
 *  @param type    node or edge type; NULL: the only node type
 *  @param column  any column of the type; a quantised one is decoded
 *  @param ids     int32 or int64 [n] nodes or edges, in any order, more than once, too; borrowed
 *  @param out     [n, ...] rows in the order of the ids, of the column's dtype (gls_column_info_t), memory
 *                 of their own that may be written. Of a dataset on a device (gls_dataset_on_device()) in
 *                 its memory, complete for whatever stream, see gls_tensor_record_stream(): the first call
 *                 for a column places it as loaders do (settings "device.*"; with "device.group" in the
 *                 same order in all processes). Of a graph that is elsewhere, rows come to the host
 *                 and are moved
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type, column; a part of a graph that is open by itself has no row
 *          for an id); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its position and value);
 *          GLS_ERR_IO, GLS_ERR_TIMED_OUT (who serves the graph is not there); GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_dataset_rows(const gls_dataset_t *dataset, const char *type,
                                      const char *column, const DLTensor *ids, gls_tensor_t **out,
                                      gls_error_t **err);
/** The part that owns each of some nodes or edges: which server has its row, and which process should
 *  train on it. An edge is owned with its target where in-neighbours are stored (GLS_LAYOUT_CSC), else
 *  with its source. Nobody is asked about nodes, nor about edges of a type that has columns, or ids that are
 *  not positions; for other edges as gls_dataset_find_edges().
 *  @param type  node or edge type; NULL: the only node type
 *  @param ids   int32 or int64 [n]; borrowed
 *  @param out   int32 [n]: parts. Of a dataset that is in no parts all are 0; of a part that is open by
 *               itself, in ids of its own, its number where it owns them, else -1: another part
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (the book); GLS_ERR_IO, GLS_ERR_TIMED_OUT (who
 *          serves the graph is not there) */
GLS_API gls_status_t gls_dataset_owners(const gls_dataset_t *dataset, const char *type,
                                        const DLTensor *ids, gls_tensor_t **out, gls_error_t **err);

/** A trainer's share of some ids, to be its seeds: even, and with as many of its own part as fit. Each rank
 *  finds its own from the same arguments, and asks no other. Shares have no position in common and are all
 *  of the ids together; the first n % world_size ranks have one more than the others. The ids of a part are
 *  dealt to its ranks evenly, in runs of the given order, as far as shares have room; those that are left
 *  fill up other shares, in order of rank. Of a dataset that is in no parts, and of a part that is open by
 *  itself, shares are runs of the given order.
 *  Without `rank_parts`, rank r of W is one of part r*P/W (rounded down) of P, as launchers number the
 *  trainers of one machine one after another; with fewer ranks than parts, part p is of rank p*W/P.
 *  Owners are found as by gls_dataset_owners(); a loader of the share has `world_size` 1.
 *  @param type  node or edge type; NULL: the only node type
 *  @param ids   int32 or int64 [n], in any order, more than once, too; borrowed. NULL: all of the type
 *  @param rank  0 .. world_size-1
 *  @param world_size  how many trainers share the ids, at least 1
 *  @param rank_parts  int32 or int64 [world_size]: the part of each rank; the same for all; borrowed; 0
 *                     where shares are runs. NULL: as above
 *  @param out   int64: the ids of the share, in the order they were given
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id, `rank`, `world_size`, or a
 *          number of a part out of range; the length of `rank_parts`); GLS_ERR_CORRUPT_DATA (the book);
 *          GLS_ERR_IO, GLS_ERR_TIMED_OUT (who serves the graph is not there) */
GLS_API gls_status_t gls_dataset_share_ids(const gls_dataset_t *dataset, const char *type,
                                           const DLTensor *ids, uint32_t rank,
                                           uint32_t world_size, const DLTensor *rank_parts,
                                           gls_tensor_t **out, gls_error_t **err);

/** Splits ids into parts, for training, validation and test: each id's part depends on nothing but
 *  the id and the seed, so it stays when others come or go. Parts have about their shares.
 *  [any]
 *  @param ids     int32 or int64 [n], any numbers
 *  @param seed    other seeds, other splits
 *  @param shares  [num_parts] what each part gets, relative to their sum
 *  @param num_parts  1 to 256
 *  @param out     uint8 [n]: 0 .. num_parts - 1
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shares that are negative, not finite or all 0) */
GLS_API gls_status_t gls_split_ids(const DLTensor *ids, uint64_t seed, const double *shares,
                                   size_t num_parts, gls_tensor_t **out, gls_error_t **err);

/** Parts of a split. */
enum { GLS_PART_TRAIN = 0, GLS_PART_VALID = 1, GLS_PART_TEST = 2 };

enum {
  GLS_SPLIT_UNDIRECTED = 1u << 0 /**< opposite edges between two nodes are one link: the edge from
                                      the lower to the higher node, whose part both share. Both ends
                                      are of one type */
};

/** How to split the edges of a type. A number below 1 is a share, rounded down; from 1 on, how many. */
typedef struct gls_link_split_options {
  size_t struct_size;
  uint64_t seed;
  double valid;       /**< links for validation */
  double test;        /**< links for test */
  double supervision; /**< of the links for training, those that are labels only and not sampled;
                           0: all of them are both */
  uint32_t flags;     /**< GLS_SPLIT_* */
  uint32_t reserved;
} gls_link_split_options_t;
#define GLS_LINK_SPLIT_OPTIONS_INIT \
  { sizeof(gls_link_split_options_t), 0, 0, 0, 0, 0, 0 }

/** One part of a random split of all edges of a type, in exact numbers, as PyG's RandomLinkSplit
 *  makes them. Takes 9 bytes per edge, 32 more where they are undirected.
 *  @param edge_type  NULL: the only one
 *  @param options  the same for all parts of a split
 *  @param part     GLS_PART_*
 *  @param links    out: int64 [n] ids of the edges that are links of this part, ascending: seeds for a
 *                  sampler or loader, which draws the negatives
 *  @param exclude  out: int64 [m] ids of the edges that its sampler must exclude, ascending: for
 *                  training all links of the other parts, and those for supervision; for validation
 *                  those for validation and test; for test those for test. With opposite edges. In
 *                  a graph whose reverse edges are of a type of their own with the same ids, the
 *                  sampler's GLS_EXCLUDE_REVERSE_TYPES does the same to them
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an option; none are left for
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
/** Reads everything: checksums, indptr monotone, every index and edge id in range, every edge id
 *  used once, CSC and CSR describe the same edges, id sets in range, weights finite and not
 *  negative, keys sorted and UTF-8. Stops at the first fault.
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA naming file, position and value; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_verify(const gls_dataset_t *dataset,
                                        const gls_verify_options_t *options, gls_error_t **err);

typedef struct gls_write_options {
  size_t struct_size;
  uint64_t memory;          /**< bytes the call may use besides mapped input; 0: a quarter of RAM */
  uint32_t layouts;         /**< GLS_LAYOUT_* to store; 0: GLS_LAYOUT_CSC (save: those it has) */
  int32_t overwrite;        /**< non-zero: an existing dataset at `path` is replaced, atomically
                                 where the file system can exchange two names; what is there and is
                                 no dataset folder is GLS_ERR_ALREADY_EXISTS */
  int32_t no_row_padding;   /**< non-zero: rows of columns are not padded to cache lines */
  int32_t reserved;
  gls_progress_fn progress; /**< may be NULL */
  void *progress_user_data;
} gls_write_options_t;
#define GLS_WRITE_OPTIONS_INIT \
  { sizeof(gls_write_options_t), 0, 0, 0, 0, 0, NULL, NULL }
/** Writes the dataset to a new folder. The folder appears at `path` complete or not at all.
 *  @return GLS_OK; GLS_ERR_UNSUPPORTED (an edge type lacks a layout that was asked for; both are
 *          named); GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO (with the file's name; also a full disk);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_save(const gls_dataset_t *dataset, const char *path,
                                      const gls_write_options_t *options, gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Parts: a graph cut for several machines. A partition is a folder with a `partition.json`, the book
 * (who owns each node) and `part-0`, `part-1`, ...: each an ordinary dataset, in ids of its own.
 * --------------------------------------------------------------------------------------------- */

/** How owners of nodes are chosen. An edge belongs to the owner of its target where in-neighbours are
 *  stored (GLS_LAYOUT_CSC), else to that of its source. */
enum {
  GLS_PARTITION_STREAM = 0, /**< fewer edges between parts than at random, in passes over the graph as
                                 it is mapped */
  GLS_PARTITION_METIS = 1,  /**< few edges between parts; needs the plugin libgls_metis.so, and memory
                                 for several copies of the edges */
  GLS_PARTITION_RANDOM = 2, /**< exactly even */
  GLS_PARTITION_HASH = 3,   /**< of the id and the seed alone */
  GLS_PARTITION_GIVEN = 4   /**< in `owners` or `owners_file` */
};

typedef struct gls_partition_options {
  size_t struct_size;
  int32_t method;          /**< GLS_PARTITION_* */
  uint32_t parts;          /**< 1 to 65535 */
  uint64_t seed;
  const char *const *balance_sets; /**< names of id sets that are shared out evenly, too */
  size_t num_balance_sets;
  double imbalance;        /**< a part may have so much more than the mean, of each thing that is
                                balanced; 0: 0.05 */
  int32_t balance_edges;   /**< non-zero: in-degrees are shared out evenly, too */
  uint32_t halo_hops;      /**< rows of nodes so many hops from those that a part owns are complete in
                                it, too: with hops - 1 a part can sample for its own nodes alone. Who has
                                it open beside servers of the others asks these for what has no edges,
                                and where datasets have one layout for nothing else of those hops */
  int64_t hot_rows;        /**< so many nodes of each type that a part does not own, those at the ends
                                of the most of its edges (but see `hot_id_set` and `hot_fanouts`), have
                                rows in its features and labels */
  double hot_fraction;     /**< the same as a fraction of the nodes it owns; one of the two is 0 */
  const DLTensor *const *owners; /**< GLS_PARTITION_GIVEN: of each node type, in their order, integers
                                      [nodes] from 0 to parts - 1; borrowed for the call */
  size_t num_owners;
  const char *owners_file; /**< GLS_PARTITION_GIVEN: a .npy file of integers, or text with a number per
                                line (as METIS writes it), of all nodes of all types one after another */
  int32_t overwrite;       /**< non-zero: a partition at `path` is replaced; what is there and is none
                                is GLS_ERR_ALREADY_EXISTS */
  int32_t no_row_padding;  /**< non-zero: rows of columns are not padded to cache lines */
  gls_progress_fn progress; /**< may be NULL */
  void *progress_user_data;
  const char *hot_id_set;  /**< the hot nodes are those that batches of a part's own nodes in this id
                                set ask for most, as is measured by sampling some; NULL: of all its own
                                nodes if `hot_fanouts` is given, else nothing is measured, and they are
                                those at the ends of the most edges. Small sets are sampled from several
                                times. Every type's in-edges are followed where all types have a CSC, else
                                out-edges */
  const int64_t *hot_fanouts; /**< of each hop of these batches, for all edge types: 1 or more, or -1 for
                                all neighbours; those that training will use. Borrowed for the call; NULL:
                                15 and 10 */
  size_t num_hot_fanouts;  /**< hops */
  int64_t hot_max_seeds;   /**< at most so many of a part's own nodes of each type are sampled from, chosen
                                by `seed`; 0: all those in `hot_id_set`, or 1048576 of all */
} gls_partition_options_t;
#define GLS_PARTITION_OPTIONS_INIT                                                              \
  {                                                                                             \
    sizeof(gls_partition_options_t), 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, \
        NULL, NULL, NULL, 0, 0                                                                  \
  }

/** [any] Verifies the dataset, as gls_dataset_verify(), and writes its parts to a new folder, which
 *  appears at `path` complete or not at all. Besides mapped input it takes what the method needs to
 *  find owners, a byte or two per node, about a byte per node and edge, and 8 to 24 bytes per node with
 *  a key of the largest part; where hot nodes are measured, 4 bytes per node, 8 to 16 per seed, and what
 *  batches of 64 seeds take on each thread.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; an owner that is no part; what `owners_file`
 *          says); GLS_ERR_NOT_FOUND (an id set; `owners_file`); GLS_ERR_UNSUPPORTED (the dataset is a part;
 *          METIS is not installed, or the graph too large for it); GLS_ERR_CORRUPT_DATA (the dataset; a
 *          damaged .npy); GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO; GLS_ERR_OUT_OF_MEMORY; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_partition(const gls_dataset_t *dataset, const char *path,
                                           const gls_partition_options_t *options, gls_error_t **err);

typedef struct gls_part_info {
  size_t struct_size;
  uint32_t number; /**< from 0 */
  uint32_t parts;  /**< 0: the dataset is no part */
  const char *graph; /**< names the partition, 16 hexadecimal digits; NULL: no part. The dataset's */
} gls_part_info_t;
/** [any] Which part of a graph a dataset is that was opened from a folder of parts.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_dataset_part(const gls_dataset_t *dataset, gls_part_info_t *out,
                                      gls_error_t **err);
/** [any] In how many parts the graph of a dataset is, and which of them are at hand: those whose rows are
 *  read in this process, without a question to a server. Of a folder of parts that is open as a whole they
 *  are all; of a graph that is served, the parts of servers of this process and those that are mapped from
 *  the files of servers on this host, maybe none. A dataset that is in no parts is part 0 of one, and of a
 *  part that is open by itself these are the parts of its graph and its own number. Nobody is asked, and the
 *  answer stays as it was when the dataset was opened.
 *  @param count  out: how many parts the graph has, at least 1; may be NULL
 *  @param here   out: int64 [parts at hand], their numbers, ascending; may be NULL
 *  @return GLS_OK */
GLS_API gls_status_t gls_dataset_parts(const gls_dataset_t *dataset, uint32_t *count,
                                       gls_tensor_t **here, gls_error_t **err);
/** [any] What the ids of a part are in the whole. Columns with role feature or label have rows for a
 *  beginning of the ids only: at least for the owned. Asking for others is an error.
 *  @param type   node or edge type; NULL: the only node type
 *  @param out    int64 [ids of the part]: the owned ascending, then the others. Read-only; keeps the
 *                dataset alive
 *  @param owned  out: how many are owned; may be NULL
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_UNSUPPORTED (the dataset is no part) */
GLS_API gls_status_t gls_dataset_whole_ids(const gls_dataset_t *dataset, const char *type,
                                           gls_tensor_t **out, int64_t *owned, gls_error_t **err);

/** A folder of parts. */
typedef struct gls_partition gls_partition_t;

/** [any] Opens a folder of parts: reads its description and maps the book. Parts are not opened; open
 *  one with gls_dataset_open() of `path`/part-N.
 *  @param out  release with gls_partition_release()
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no folder of parts); GLS_ERR_CORRUPT_DATA; GLS_ERR_UNSUPPORTED
 *          (a newer version); GLS_ERR_IO */
GLS_API gls_status_t gls_partition_open(gls_context_t *ctx, const char *path, gls_partition_t **out,
                                        gls_error_t **err);
/** [any] @param partition  may be NULL */
GLS_API void gls_partition_release(gls_partition_t *partition);

typedef struct gls_partition_info {
  size_t struct_size;
  uint32_t parts;
  uint32_t reserved;
  const char *graph;   /**< names the partition, 16 hexadecimal digits. Strings are the partition's */
  const char *method;  /**< how owners were chosen; for people */
  const char *options; /**< the same */
  size_t num_node_types;
  size_t num_edge_types;
} gls_partition_info_t;
/** [any] What a partition is.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_partition_get_info(const gls_partition_t *partition,
                                            gls_partition_info_t *out, gls_error_t **err);

typedef struct gls_partition_type {
  size_t struct_size;
  const char *name;   /**< of a node type; of an edge type its relation. Strings are the partition's */
  const char *source; /**< of an edge type: its source's type; else NULL */
  const char *target; /**< of an edge type: its target's type; else NULL */
  int64_t count;      /**< nodes or edges in the whole */
} gls_partition_type_t;
/** [any] A type of the whole.
 *  @param edges  non-zero: edge type number `index`; else the node type
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (index); GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_partition_get_type(const gls_partition_t *partition, int32_t edges, size_t index,
                                        gls_partition_type_t *out, gls_error_t **err);
/** [any] The part that owns each of some nodes.
 *  @param node_type  NULL: the only one
 *  @param ids        int32 or int64 [n], ids of the whole; borrowed
 *  @param out        int32 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (dtype, shape, an id that is out
 *          of range, with its value); GLS_ERR_CORRUPT_DATA (the book) */
GLS_API gls_status_t gls_partition_owners(const gls_partition_t *partition, const char *node_type,
                                          const DLTensor *ids, gls_tensor_t **out, gls_error_t **err);
/** [any] Writes the whole again: the folder that gls_dataset_save() would have written of it, byte for byte.
 *  Each array is compared with the checksum that was kept of it.
 *  @param options  `overwrite` and progress; the rest must be 0. May be NULL
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA (the parts do not make up the whole, naming file, type and id);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED (an option); GLS_ERR_IO; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_partition_merge(const gls_partition_t *partition, const char *path,
                                         const gls_write_options_t *options, gls_error_t **err);
/** [any] Reads everything: each part as gls_dataset_verify(); that every node and edge is owned once and as
 *  the book says; that what is owned makes up the whole; that halos, hot rows, id sets and keys are as
 *  their owners or the whole have them. Stops at the first fault.
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA naming file, type and id; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_partition_verify(const gls_partition_t *partition,
                                          const gls_verify_options_t *options, gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Server: parts of a graph for processes elsewhere, which open it with gls_dataset_open()
 * --------------------------------------------------------------------------------------------- */

/** Serves from when it is made until it is stopped or released, on threads of its own. */
typedef struct gls_server gls_server_t;

typedef struct gls_server_options {
  size_t struct_size;
  const char *listen;          /**< "host:port" of the interface to listen on; port 0: any that is free;
                                    NULL: "127.0.0.1:0" */
  const uint32_t *parts;       /**< which parts; NULL: all of the graph */
  size_t num_parts;
  const char *const *servers;  /**< addresses of other servers of the graph: clients are told of them,
                                    and they of this one; they need not be there yet */
  size_t num_servers;
  const char *name;            /**< in errors and logs of clients; NULL: made of the process id */
  uint32_t num_threads;        /**< that answer requests; 0: as many as the context has */
  uint32_t reserved;
  const gls_dataset_options_t *open; /**< how the folders of the parts are opened; may be NULL */
  uint64_t table_bytes; /**< memory for tables of clients (gls_table_open()), at most; 0: it holds none */
} gls_server_options_t;
#define GLS_SERVER_OPTIONS_INIT \
  { sizeof(gls_server_options_t), NULL, NULL, 0, NULL, 0, NULL, 0, 0, NULL, 0 }

/** [any] Serves parts of a graph. How connections are protected, and who may connect, is said by the
 *  settings "net.*" of the context: without a key, certificates or "net.plain" it is an error. Clients
 *  get the structure of the graph, picks of their samplers and rows of columns; nothing that they send
 *  changes the graph that is served. Several servers may have the same part: then clients ask another one when
 *  one fails.
 *  @param path     a folder of parts (gls_dataset_partition()), in which those that are not served
 *                  need not be; or the folder of a dataset that was not cut, which is served as the
 *                  one part that it would be
 *  @param options  may be NULL
 *  @param out      release with gls_server_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; the address; a key or certificate that cannot be
 *          used; nothing protects connections); GLS_ERR_NOT_FOUND (no such folder, or none of this
 *          part; a file of a key or certificate); GLS_ERR_CORRUPT_DATA; GLS_ERR_ALREADY_EXISTS (the
 *          address is taken); GLS_ERR_IO (no interface has it); GLS_ERR_UNSUPPORTED (libgls_tcp.so is missing);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_server_start(gls_context_t *ctx, const char *path,
                                      const gls_server_options_t *options, gls_server_t **out,
                                      gls_error_t **err);
/** Stops it at once if it was not stopped: requests under way end with an error at their clients.
 *  @param server  may be NULL */
GLS_API void gls_server_release(gls_server_t *server);

/** [any] Where it listens, "host:port", with the port that was found. Lives as long as the server. */
GLS_API const char *gls_server_address(const gls_server_t *server);
/** [any] Takes no more requests, tells clients, lets requests under way end, and closes. Clients that
 *  ask again wait for a server at the same address, or go to another one. A second call does nothing.
 *  @param timeout_ms  how long requests under way may take; negative: without limit
 *  @return GLS_OK */
GLS_API gls_status_t gls_server_stop(gls_server_t *server, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_server_info {
  size_t struct_size;
  uint32_t parts;       /**< that it serves */
  uint32_t graph_parts; /**< that the graph has */
  uint64_t clients;     /**< connected and let in, now; other servers are none */
  uint64_t strangers;   /**< connected and not let in yet */
  uint64_t accepted;    /**< connections since it was started */
  uint64_t admitted;    /**< of these, let in */
  uint64_t evicted;     /**< of these, cut off as strangers because others came */
  uint64_t requests;    /**< answered since it was started */
  uint64_t failures;    /**< of these, by an error */
} gls_server_info_t;
/** [any] What it does at this moment, and has done so far.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_server_get_info(const gls_server_t *server, gls_server_info_t *out,
                                         gls_error_t **err);

/** What a server said of itself. Every call on it is [any]. */
typedef struct gls_probe gls_probe_t;

/** [any] Asks one server alone whether it serves, in this process or elsewhere: it listens, lets in who has
 *  this context's key or certificate, and answers. The other servers of the graph are not asked and need
 *  not be there. A server that is stopped no longer listens, however long requests under way take.
 *  @param ctx      its settings "net.*" say how connections are protected
 *  @param address  "host:port"
 *  @param timeout_ms  for all of it; negative: without limit, but for the 5 seconds of greeting
 *  @param out      release with gls_probe_release()
 *  @return GLS_OK: it serves; GLS_ERR_IO (nobody listens there; it is not let in; it was lost);
 *          GLS_ERR_TIMED_OUT; GLS_ERR_INVALID_ARGUMENT (the address; nothing protects connections; a key or
 *          certificate that cannot be used); GLS_ERR_NOT_FOUND (a file of a key or certificate);
 *          GLS_ERR_UNSUPPORTED (another protocol; who listens there serves no graph; libgls_tcp.so is missing) */
GLS_API gls_status_t gls_server_probe(gls_context_t *ctx, const char *address, int64_t timeout_ms,
                                      gls_probe_t **out, gls_error_t **err);
/** [any] @param probe  may be NULL */
GLS_API void gls_probe_release(gls_probe_t *probe);

typedef struct gls_probe_info {
  size_t struct_size;
  const char *name;      /**< of the server, in errors and logs. Strings and `parts` are the probe's */
  const char *version;   /**< of its library, "0.1.0" */
  const char *graph;     /**< names the partition, 16 hexadecimal digits */
  const uint32_t *parts; /**< that it serves, ascending [num_parts] */
  size_t num_parts;
  uint32_t graph_parts;  /**< that the graph has */
  uint32_t reserved;
} gls_probe_info_t;
/** [any] What the server said.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_probe_get_info(const gls_probe_t *probe, gls_probe_info_t *out,
                                        gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Table: rows that training changes, as embeddings of nodes, with their optimiser
 * --------------------------------------------------------------------------------------------- */

/** A named table with a row for each node or edge of a type, of a dataset here in memory of this process,
 *  of a dataset that is served in that of the servers: each has the rows that its parts own. */
typedef struct gls_table gls_table_t;

/** How a step changes the rows whose gradients it has; g is the gradient of a number w, sums are float32. */
enum {
  GLS_OPTIMIZER_NONE = 0,    /**< not at all: rows are written (gls_table_write()) */
  GLS_OPTIMIZER_SGD = 1,     /**< w -= rate * g */
  GLS_OPTIMIZER_ADAGRAD = 2, /**< s += g * g; w -= rate * g / (sqrt(s) + epsilon) */
  GLS_OPTIMIZER_ADAM = 3     /**< m += (1 - beta1) * (g - m); v += (1 - beta2) * (g * g - v);
                                  w -= rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon),
                                  of the rows of a step alone, t steps after the beginning: as
                                  torch.optim.SparseAdam. With ::GLS_TABLE_ROW_STEPS
                                  w -= rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon), where t
                                  counts the steps of each row: as DGL's SparseAdam */
};
enum {
  GLS_TABLE_MEAN = 1,     /**< the gradient of a row is the mean of those that a step has for it, not their sum */
  GLS_TABLE_ROW_STEPS = 2 /**< see ::GLS_OPTIMIZER_ADAM */
};

typedef struct gls_table_options {
  size_t struct_size;
  int64_t width;      /**< numbers of a row, 1 to 2^20 */
  DLDataType dtype;   /**< of the numbers; {0, 0, 0}: float32, as all optimisers need it */
  uint32_t flags;     /**< GLS_TABLE_* */
  double low;         /**< each number begins with one that is drawn from [low, high), or with `low` where the */
  double high;        /**< two are the same; anything but 0 for float32 alone */
  uint64_t seed;      /**< of what is drawn, together with `name`, id and place in the row: the same
                           whoever holds it */
  int32_t optimizer;  /**< GLS_OPTIMIZER_* */
  int32_t reserved;
  double epsilon;     /**< of Adagrad and Adam; 0: 1e-10 for Adagrad, 1e-8 for Adam; negative: none */
  double beta1;       /**< of Adam, below 1; 0: 0.9; negative: none */
  double beta2;       /**< the same; 0: 0.999 */
  uint32_t rank;       /**< of this trainer among those that take steps together, 0 .. world_size-1 */
  uint32_t world_size; /**< how many these are, at most 16384; 0: this one alone */
} gls_table_options_t;
#define GLS_TABLE_OPTIONS_INIT \
  { sizeof(gls_table_options_t), 0, {0, 0, 0}, 0, 0.0, 0.0, 0, 0, 0, 0.0, 0.0, 0.0, 0, 0 }

/** [any] Makes a table, or attaches to the one of this type and name, which then must be what the options
 *  say. One of a dataset here lives as long as the dataset, also when it is released; one at servers until
 *  it is dropped (gls_table_drop()) or a server ends: then its rows are lost, every call on the table is
 *  an error, and it is opened again and loaded (gls_table_load()). Of servers of the same part one alone
 *  may hold tables ("table_bytes" of gls_server_options_t), as nobody keeps two the same.
 *  @param type     node or edge type; NULL: the only node type
 *  @param name     as that of a column: 1 to 255 bytes of UTF-8 without control characters and "__"
 *  @param options  NULL: the table is there, and this process takes no steps
 *  @param out      release with gls_table_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; `world_size` where nobody serves the dataset);
 *          GLS_ERR_NOT_FOUND (type; without options: no such table); GLS_ERR_ALREADY_EXISTS (it is there with
 *          another width, dtype, beginning or optimiser, which the message names);
 *          GLS_ERR_OUT_OF_MEMORY (of this process, or of what a server has for tables);
 *          GLS_ERR_UNSUPPORTED (no server of a part holds tables, or two of them do; the dataset is a part
 *          that is open by itself; edges of a graph in parts that have no columns; an optimiser of what is not
 *          float32); GLS_ERR_IO, GLS_ERR_TIMED_OUT (a
 *          server is not there) */
GLS_API gls_status_t gls_table_open(const gls_dataset_t *dataset, const char *type, const char *name,
                                    const gls_table_options_t *options, gls_table_t **out,
                                    gls_error_t **err);
/** The table itself stays. @param table  may be NULL */
GLS_API void gls_table_release(gls_table_t *table);

typedef struct gls_table_info {
  size_t struct_size;
  const char *name;    /**< strings are the table's */
  const char *type;    /**< joined where it is an edge type */
  int64_t rows;        /**< as many as the type has nodes or edges */
  int64_t width;
  DLDataType dtype;
  uint32_t flags;
  int32_t optimizer;
  uint32_t rank;
  uint32_t world_size;
  int64_t step;        /**< how many were taken, as far as this handle knows */
  uint64_t bytes;      /**< of all its rows, with what the optimiser keeps */
} gls_table_info_t;
/** [any] What it is.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_table_get_info(const gls_table_t *table, gls_table_info_t *out, gls_error_t **err);

/** [any] Rows by id, those of servers asked in parallel, each row once however often its id is there. A row is
 *  read before a step or a write, or after it, and never amid it; of different rows of one call some may be
 *  read before and some after.
 *  @param ids  int32 or int64 [n], in any order, more than once, too; borrowed
 *  @param out  [n, width] in the order of the ids, memory of their own that may be written
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an id out of range, with its position and value);
 *          GLS_ERR_INVALID_STATE (a server lost the table, or it was dropped); GLS_ERR_IO, GLS_ERR_TIMED_OUT */
GLS_API gls_status_t gls_table_rows(const gls_table_t *table, const DLTensor *ids, gls_tensor_t **out,
                                    gls_error_t **err);
/** [any] Writes rows. Of an id that is there more than once the last row counts; of writers at the same time,
 *  whoever comes last, for each row as a whole. When it fails, some rows may be written.
 *  @param ids   int32 or int64 [n]; borrowed
 *  @param rows  [n, width] of the table's dtype, on the host; borrowed
 *  @return as for gls_table_rows(); GLS_ERR_INVALID_ARGUMENT (shape or dtype of `rows`) */
GLS_API gls_status_t gls_table_write(const gls_table_t *table, const DLTensor *ids, const DLTensor *rows,
                                     gls_error_t **err);
/** [one] Takes a step of the optimiser together with all trainers: waits until each has come with its
 *  gradients, and returns when the rows are changed. A row's gradients are summed by each trainer in
 *  the order of `ids`, then over the trainers in the order of their ranks, and the row is changed once: the
 *  outcome depends neither on who comes first nor on the parts. Who has nothing to say comes with no ids.
 *  After an error the step was not taken, unless the way to a server was lost: then, and where parts are at
 *  different steps as another trainer ended, it may be that some have taken it, and the next call must have the
 *  same arguments. A step that was taken is not taken twice. Tables are independent: several may have steps at
 *  the same time.
 *  @param ids        int32 or int64 [n], in any order, more than once, too; borrowed
 *  @param gradients  float32 [n, width], on the host; borrowed
 *  @param learning_rate  the same of all trainers
 *  @param timeout_ms  how long to wait for the others; 0: setting "cluster.request_timeout_ms"; negative:
 *                     without limit
 *  @return as for gls_table_rows(); GLS_ERR_INVALID_ARGUMENT (shape or dtype of `gradients`, or more than
 *          1 GiB of them for a part; a gradient, or the sum of those of an id, that is NaN or infinite, of which
 *          the message names the row: nothing is changed, and the other trainers still wait; a learning rate that
 *          is not finite, or not that of the others; `world_size` is not that of the others; another trainer has
 *          this rank); GLS_ERR_UNSUPPORTED (they lie in memory
 *          of a device); GLS_ERR_OUT_OF_MEMORY (also of what a server has for tables, which gradients that
 *          wait for others are part of); GLS_ERR_TIMED_OUT (the message says which ranks are missing);
 *          GLS_ERR_INVALID_STATE (the table has no optimiser, or was attached to without options; it is being
 *          loaded; parts are at different steps, as a trainer ended amid one, or this handle is behind: load
 *          it; other arguments than those of a step that some parts may have taken) */
GLS_API gls_status_t gls_table_step(gls_table_t *table, const DLTensor *ids, const DLTensor *gradients,
                                    double learning_rate, int64_t timeout_ms, gls_error_t **err);

/** [one] Saves this trainer's share of the rows, an even run of ids, with what the optimiser keeps. Every
 *  trainer calls it after the same step, and each sees what that step left, as
 *  the next one waits for all; only gls_table_write() must rest meanwhile. A step that is taken while rows are
 *  read makes it fail. Nothing of the files depends on the parts: they can be loaded with others, or by another
 *  number of trainers.
 *  @param path  a folder; it is made where it is not there. What all trainers save goes into one folder, or into one
 *               of each that are put together before they are loaded. No share is overwritten; what is left of a save that was
 *               cut off is replaced
 *  @return as for gls_table_rows(); GLS_ERR_ALREADY_EXISTS (this share was saved there, or something else: another
 *          table or step, or by another number of trainers); GLS_ERR_INVALID_STATE (a step was taken meanwhile,
 *          or parts are at different steps); GLS_ERR_IO */
GLS_API gls_status_t gls_table_save(const gls_table_t *table, const char *path, gls_error_t **err);
/** [one] Loads what was saved: this trainer its share, and returns when all trainers have theirs.
 *  Steps go on where they were saved. Every trainer calls it. All files that this trainer needs are checked
 *  before the first row is written; from then on no step is taken until a load has ended well.
 *  @param path  a folder with all that was saved at one step, by any number of trainers
 *  @param timeout_ms  as of gls_table_step()
 *  @return as for gls_table_step(); GLS_ERR_NOT_FOUND (no such folder; a trainer's share is missing, which the
 *          message names); GLS_ERR_CORRUPT_DATA; GLS_ERR_INVALID_ARGUMENT (it is of a table of another type,
 *          count of rows, width, dtype or optimiser; what was saved there is not of one table and step) */
GLS_API gls_status_t gls_table_load(gls_table_t *table, const char *path, int64_t timeout_ms,
                                    gls_error_t **err);
/** [any] Drops the table for all: memory of its rows is free, calls on it fail, and its name may be used again.
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
  int64_t num_nodes; /**< 0: found from the edges, columns and id sets. Where only the largest id
                          tells, more than 64 nodes for each time that an id is given are an error,
                          and more than 8 a warning (in graphs of more than 2^20 nodes) */
  int32_t ids;       /**< GLS_IDS_*: what text files call nodes; arrays must be dense */
  int32_t reserved;
} gls_node_type_options_t;
#define GLS_NODE_TYPE_OPTIONS_INIT \
  { sizeof(gls_node_type_options_t), 0, 0, 0 }

/** Declares a node type. Types named by an edge type are declared by that, with defaults; this call
 *  must then come first. Names (of types, columns and sets) are non-empty UTF-8 of at most 255 bytes
 *  without control characters, and without "__" or '_' at either end.
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_node_type(gls_builder_t *builder, const char *type,
                                               const gls_node_type_options_t *options,
                                               gls_error_t **err);

enum {
  GLS_EDGES_ADD_REVERSE = 1u << 0, /**< also store each edge turned round: within one node type as
                                       edges E .. 2E-1 of this type (edge e + E is the reverse of
                                       e); between two as the type "target__rev_relation__source"
                                       with equal ids */
  GLS_TEXT_RAGGED = 1u << 1       /**< of gls_text_options_t alone: lines may have more or fewer
                                       fields than the first; those that are not read are passed over */
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
  GLS_HEADER_DETECT = 0, /**< a first line is a header when none of the fields that must be numbers
                              (ids that are no strings, columns) is one, and always when a field is
                              asked for by name; a line with some numbers is data */
  GLS_HEADER_YES = 1,
  GLS_HEADER_NO = 2
};

enum { GLS_COMMENT_NONE = '\n' }; /**< as gls_text_options_t::comment: there are no comments */

enum {
  GLS_ENCODING_DETECT = 0, /**< UTF-8, or UTF-16 where the file begins with its byte order mark */
  GLS_ENCODING_UTF8 = 1,
  GLS_ENCODING_LATIN1 = 2, /**< ISO 8859-1: each byte is a code point */
  GLS_ENCODING_UTF16 = 3   /**< in the byte order of its mark; without one, in that which makes the
                                first character one of ASCII */
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

/** Adds an edge type given as delimited text: one edge a line, plain or gzip (told by content).
 *  Fields may be quoted with '"' ("" stands for one quote), within one line. Lines end with LF or
 *  CRLF. The file is read when the dataset is built or written. Its text becomes UTF-8. A damaged line
 *  is an error naming file and line: one with another number of fields than the first (but see
 *  GLS_TEXT_RAGGED), a carriage return inside it, a quote that does not end, an id or value that is
 *  none, a negative weight or one that is not finite.
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_edges_text(gls_builder_t *builder, const char *edge_type,
                                                const char *path,
                                                const gls_text_options_t *options,
                                                gls_error_t **err);
/** Adds the nodes of a type given as delimited text: one node a line. Their order in the file
 *  becomes their numbering, and edges may then only name these nodes. With GLS_IDS_DENSE the list must
 *  be 0, 1, 2, ... in this order.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_nodes_text(gls_builder_t *builder, const char *type,
                                                const char *path,
                                                const gls_text_options_t *options,
                                                gls_error_t **err);
/** Adds a Planetoid graph ("ind.NAME.x", ".tx", ".allx", ".y", ".ty", ".ally", ".graph",
 *  ".test.index") as node type "node" and edge type "node__to__node", both directions stored,
 *  without self-loops and repeated edges; columns "x" (float32) and "y" (int64, -1 where unknown);
 *  id sets "train", "valid" and "test" of the public split.
 *  @param folder  where the files lie
 *  @param name    "cora", "citeseer", "pubmed"
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (a file); GLS_ERR_IO; GLS_ERR_CORRUPT_DATA;
 *          GLS_ERR_ALREADY_EXISTS; the files are read by this call */
GLS_API gls_status_t gls_builder_add_planetoid(gls_builder_t *builder, const char *folder,
                                               const char *name, gls_error_t **err);

/** Adds a column of a node type. Nothing is copied: row i is node i; rows must each be contiguous,
 *  the stride between rows is free.
 *  @param tensor  [nodes, ...] of any fixed-width number or bool; taken
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, role; shape or dtype); GLS_ERR_NOT_FOUND (type);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU. The number
 *          of rows, and that weights are finite and not negative, are checked when the dataset is
 *          built or written */
GLS_API gls_status_t gls_builder_add_node_column(gls_builder_t *builder, const char *type,
                                                 const char *name, int32_t role,
                                                 gls_tensor_t *tensor, gls_error_t **err);
/** Adds a column of an edge type: row e belongs to edge id e. Otherwise as for nodes.
 *  @param tensor  [edges, ...]; taken
 *  @return as for nodes */
GLS_API gls_status_t gls_builder_add_edge_column(gls_builder_t *builder, const char *edge_type,
                                                 const char *name, int32_t role,
                                                 gls_tensor_t *tensor, gls_error_t **err);
/** Numbers of a few bits: how a quantised column is packed, and what its codes stand for. A row of `width`
 *  codes is packed into ceil(width * bits / 8) bytes, from the highest bits of each byte down; what is left
 *  of its last byte is not read. */
typedef struct gls_quantization_options {
  size_t struct_size;
  uint32_t bits;         /**< of a code: 1, 2, 4 or 8 */
  uint32_t reserved;
  int64_t width;         /**< numbers in a row, 1 to 2^31; to gls_quantize() 0 */
  const float *codebook; /**< what each code stands for, `num_codebook` finite numbers; NULL: code c is
                              low + c / (2^bits - 1) * (high - low), in float64 in this order, rounded to
                              float32 */
  size_t num_codebook;   /**< 2^bits, or 0 without a codebook */
  double low;            /**< without a codebook; below `high` */
  double high;
} gls_quantization_options_t;
#define GLS_QUANTIZATION_OPTIONS_INIT \
  { sizeof(gls_quantization_options_t), 0, 0, 0, NULL, 0, 0, 0 }

/** Adds a quantised column of a node type: rows of codes that are stored as they are and decoded when they
 *  are gathered. To all others the column is float32 [nodes, width].
 *  @param codes  uint8 [nodes, ceil(width * bits / 8)], row i that of node i; the stride between rows is
 *                free; taken
 *  @return as for gls_builder_add_node_column(); GLS_ERR_INVALID_ARGUMENT also for what does not fit in
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
/** Packs numbers as codes, evenly from `low` to `high`: x becomes (x - low) / (high - low) * (2^bits - 1),
 *  in float64 in this order, after x was moved into low .. high, rounded to the nearest whole number, of two
 *  the even one. Runs on the calling thread.
 *  [any]
 *  @param numbers       [rows, width] of any fixed-width number
 *  @param quantization  without a codebook
 *  @param out           uint8 [rows, ceil(width * bits / 8)]
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shape or dtype; a NaN, with its row and place) */
GLS_API gls_status_t gls_quantize(const DLTensor *numbers, const gls_quantization_options_t *quantization,
                                  gls_tensor_t **out, gls_error_t **err);

/** Adds a named set of node ids, in the order given.
 *  @param ids  int32 or int64 [n]; taken
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; dtype or shape); GLS_ERR_NOT_FOUND (type);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU */
GLS_API gls_status_t gls_builder_add_id_set(gls_builder_t *builder, const char *type,
                                            const char *name, gls_tensor_t *ids,
                                            gls_error_t **err);

/** Makes a dataset in memory: ready topologies, columns and id sets are used in place, edge lists
 *  are sorted into the layouts asked for. Every index is checked. The builder is empty afterwards
 *  (on success) and can be used again.
 *  @param options  may be NULL; `overwrite` and `no_row_padding` have no meaning here
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an id, index or number of rows that does not fit, or a
 *          weight that is negative or not finite, with its position); GLS_ERR_CORRUPT_DATA (a file or line of text, with its number; a node that
 *          a list does not have); GLS_ERR_UNSUPPORTED (a file that is no text, or is compressed in
 *          another way than gzip); GLS_ERR_NOT_FOUND (a file); GLS_ERR_IO; GLS_ERR_OUT_OF_MEMORY
 *          (also when `memory` does not suffice); GLS_ERR_CANCELED */
GLS_API gls_status_t gls_builder_build(gls_builder_t *builder, const gls_write_options_t *options,
                                       gls_dataset_t **out, gls_error_t **err);
/** Makes a dataset folder, in bounded memory, streaming; see gls_dataset_save() for atomicity. The
 *  builder is empty afterwards (on success).
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
  GLS_SAMPLER_IMPORTANCE = 2, /**< the nodes that random walks visit most, see
                                   ::gls_importance_options_t */
  GLS_SAMPLER_PPR = 3,        /**< the nodes of highest personalised PageRank, see
                                   ::gls_ppr_options_t */
  GLS_SAMPLER_HGT = 4         /**< in each hop a number of nodes of each type, by how much of the
                                   batch they are next to, see ::gls_hgt_options_t */
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
  GLS_SAMPLE_EXCLUDE_LINKS = 1u << 5, /**< links that are seeds are not used for their batch, nor those
                                           that `exclude_mode` adds to them; loaders of nodes refuse it */
  GLS_SAMPLE_LAYER_DEPENDENT = 1u << 6 /**< with ::GLS_PICK_LAYER: a node has the same random number in
                                            all hops */
};

/** How a row's picks go together with those of other rows. */
enum {
  GLS_PICK_INDEPENDENT = 0, /**< they do not: each row has random numbers of its own */
  GLS_PICK_LAYER = 1        /**< each neighbour has one random number for all rows, which take those of
                                 the smallest: so they pick the same nodes, and a batch has fewer,
                                 while each row by itself is sampled as ever. With weights only nearly in
                                 proportion to them. Takes neither replacement nor ::GLS_TIME_LAST.
                                 Source: Balin and Catalyurek, Layer-Neighbor Sampling (LABOR-0),
                                 NeurIPS 2023 */
};

enum {
  GLS_EXCLUDE_SELF = 0,         /**< just the edges named */
  GLS_EXCLUDE_REVERSE_ID = 1,   /**< and, for edge e, the edge whose id is in row e of the int64
                                     column `reverse_column` of the same edge type */
  GLS_EXCLUDE_REVERSE_TYPES = 2 /**< and, for edge e of a type in `reverse_types`, edge e of the
                                     type paired with it; a pair holds both ways */
};

/** What is drawn for links that are seeds. */
enum {
  GLS_NEGATIVE_NONE = 0,
  GLS_NEGATIVE_BINARY = 1, /**< `amount` pairs of nodes per link, both ends drawn */
  GLS_NEGATIVE_TRIPLET = 2 /**< `amount` targets for each link, whose source is kept */
};

enum {
  GLS_NEGATIVE_STRICT = 1u << 0,     /**< no edge of the dataset is drawn */
  GLS_NEGATIVE_ALLOW_SHORT = 1u << 1 /**< where `tries` draws found none, or all weights are 0,
                                          there is none (-1 in triplets); else that is
                                          ::GLS_ERR_NOT_FOUND */
};

/** Negatives for links: nodes of the link's two types, from the whole graph. */
typedef struct gls_negative_options {
  size_t struct_size;
  int32_t mode;              /**< GLS_NEGATIVE_* */
  uint32_t flags;            /**< GLS_NEGATIVE_STRICT, GLS_NEGATIVE_ALLOW_SHORT */
  double amount;             /**< per link; a whole number for triplets, rounded up over all links for
                                  binary; 0: 1 */
  double degree_power;       /**< nodes are drawn in proportion to their degree in the links' type to
                                  this power: a multiple of 0.25 up to 2; 0: uniformly */
  const char *source_weight; /**< or in proportion to a node column of non-negative numbers: sources,
                                  which only binary negatives draw */
  const char *target_weight; /**< and targets; NULL: uniformly */
  uint32_t tries;            /**< draws for each strict negative, at most 2048; 0: 64 */
  uint32_t reserved;
} gls_negative_options_t;
#define GLS_NEGATIVE_OPTIONS_INIT \
  { sizeof(gls_negative_options_t), 0, 0, 0, 0, NULL, NULL, 0, 0 }

/** Random walks. Each step follows one edge, in the sampler's direction, of the row of the node the
 *  walk is at: any with the same probability, or in proportion to `weight`. A walk ends where that row
 *  is empty.
 *  Sources: node2vec: Grover and Leskovec, KDD 2016; its steps by rejection: Yang et al., KnightKing,
 *  SOSP 2019. */
typedef struct gls_walk_options {
  size_t struct_size;
  uint32_t length; /**< steps of a walk, at most 2^20; 0: as many as `path` has */
  uint32_t walks;  /**< from each seed, at most 2^20; 0: 1 */
  double p;        /**< node2vec: a step back to the node before weighs 1/p; 0: 1 */
  double q;        /**< node2vec: a step to a node that no edge leads to from the node before, in the
                        direction of the walk, weighs 1/q; 0: 1. Other than 1 they need a path of one
                        edge type, between nodes of one type */
  double restart;  /**< probability, before each step, of going back to the seed instead, where the
                        path begins again; needs a path within one node type */
  double stop;     /**< probability, before each step, of ending */
  const char *const *path; /**< edge types to follow in turn, each beginning at the node type where
                                the one before ends, over and over (then the last ends where the first
                                begins); NULL: the only one, between nodes of one type */
  size_t path_length;
} gls_walk_options_t;
#define GLS_WALK_OPTIONS_INIT \
  { sizeof(gls_walk_options_t), 0, 0, 0, 0, 0, 0, NULL, 0 }

/** Importance neighbours: the nodes that short random walks from a node visit most. A walk goes along
 *  `path` once or several times; the node at the end of each traversal is a visit. The node that walks
 *  begin at counts as any other. Walks follow edges as those of ::gls_walk_options_t do, by `weight` if
 *  it is given.
 *  Source: PinSAGE: Ying et al., KDD 2018. */
typedef struct gls_importance_options {
  size_t struct_size;
  uint32_t neighbors;  /**< of each node, those of most visits, ties by lower id; at least 1 */
  uint32_t walks;      /**< from each node; 0: 10 */
  uint32_t traversals; /**< of the path, by each walk; 0: 2. At most 2^20 traversals by all walks of a
                            node */
  uint32_t hops;       /**< neighbours of neighbours, at most 255; 0: 1 */
  double stop;         /**< probability, before each traversal but the first, of ending the walk */
  const char *const *path; /**< edge types to follow in turn, each beginning at the node type where
                                the one before ends, the last ending where the first begins; NULL: the
                                only one, between nodes of one type */
  size_t path_length;
} gls_importance_options_t;
#define GLS_IMPORTANCE_OPTIONS_INIT \
  { sizeof(gls_importance_options_t), 0, 0, 0, 0, 0, NULL, 0 }

enum {
  GLS_PPR_NO_TOP_UP = 1u << 0 /**< report only nodes that were pushed; else, where these are fewer than
                                   `neighbors`, others follow by their residual, and residuals are
                                   added to scores */
};

/** Some edge types that residuals are pushed along by themselves, and how many of the neighbours are to
 *  come from there. */
typedef struct gls_ppr_channel {
  const char *const *edge_types; /**< at least one; channels may share them */
  size_t num_edge_types;
  double share;                  /**< of `neighbors`, above 0 */
  uint64_t reserved;
} gls_ppr_channel_t;

/** Personalised PageRank: the nodes at which walks from a seed are found that end at each step with
 *  probability `alpha`, computed by forward push, and not by walking. The nodes of all types are one
 *  graph. Nothing is random, but for `row_limit`.
 *  Source: Andersen, Chung, Lang, FOCS 2006. */
typedef struct gls_ppr_options {
  size_t struct_size;
  uint32_t neighbors; /**< of each seed in each node type, those of highest score, ties by lower id;
                           0: 50 */
  uint32_t flags;     /**< GLS_PPR_NO_TOP_UP */
  double alpha;       /**< probability of ending, 1e-6 to 1; 0: 0.5 */
  double epsilon;     /**< a node is pushed while its residual exceeds alpha * epsilon * degree, 1e-12 to
                           1; 0: 1e-4. A seed reads about 1 / (alpha * epsilon) edges at most, besides
                           its own */
  uint64_t max_edges; /**< the pushing of a seed ends when it has read so many edges: its scores are
                           then less exact, and with top-up hold what was left over; 0: 2^24 */
  uint32_t row_limit; /**< rows longer than this are sampled down to it, each edge type for itself; 0:
                           all edges are used */
  uint32_t reserved;
  const char *const *edge_types; /**< those to push along; NULL: all */
  size_t num_edge_types;
  const gls_ppr_channel_t *channels; /**< each pushes by itself, along edge types of its own, which are
                                          among `edge_types`, and finds `neighbors` at most. A node
                                          belongs to the channel in which its score is highest, ties to
                                          the first. Each channel gets its share of `neighbors`, by
                                          largest remainder, for those that belong to it; what is
                                          left over goes to the highest scores of all channels.
                                          GLS_BATCH_NEAR_SCORE has three more columns for each; NULL:
                                          all edge types together */
  size_t num_channels;               /**< at most 64, whose shares add up to 1 but for 1e-6 */
} gls_ppr_options_t;
#define GLS_PPR_OPTIONS_INIT \
  { sizeof(gls_ppr_options_t), 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0 }

/** How many nodes of a type to draw in each hop; -1: all there are, 0: none. */
typedef struct gls_node_samples {
  const char *node_type;  /**< NULL: every node type without an entry of its own */
  const int64_t *per_hop;
  size_t num_hops;        /**< 1 to 255, the same for every entry */
} gls_node_samples_t;

/** Samples of nodes, by budgets: every node of the batch shares out 1 evenly among its neighbours of
 *  each edge type, in the sampler's direction; in each hop nodes of each type are drawn, without
 *  replacement, in proportion to the square of what they have got so far. A batch so has nodes of every
 *  type in given numbers, and many edges between them.
 *  Source: HGSampling: Hu, Dong, Wang, Sun, Heterogeneous Graph Transformer, WWW 2020. */
typedef struct gls_hgt_options {
  size_t struct_size;
  const gls_node_samples_t *samples;
  size_t num_samples;      /**< at least 1, and every node type must be covered */
  uint32_t most_neighbors; /**< of a node along one edge type: of more as many are drawn, uniformly;
                                they have its shares, and edges to them are reported, or with
                                GLS_SUBGRAPH_INDUCED all edges between nodes of the batch; at most 2^28;
                                0: 50 */
  uint32_t reserved;
} gls_hgt_options_t;
#define GLS_HGT_OPTIONS_INIT \
  { sizeof(gls_hgt_options_t), NULL, 0, 0, 0 }

/** Which of the neighbours that are early enough to take. */
enum {
  GLS_TIME_UNIFORM = 0, /**< any of them, as without times */
  GLS_TIME_LAST = 1     /**< the latest `fanout`; of equal times those stored later */
};

/** Which edges between the sampled nodes to report. */
enum {
  GLS_SUBGRAPH_SAMPLED = 0, /**< those that were picked */
  GLS_SUBGRAPH_INDUCED = 1, /**< all between nodes of the batch (of one tree, where each seed grows
                                 its own) that are neither excluded nor out of time; needs the layout
                                 of the sampler's direction of every edge type. Of walks: between the
                                 nodes they met */
  GLS_SUBGRAPH_BIDIRECTIONAL = 2 /**< those that were picked and their reverses, each pair of nodes
                                 once, in order of the frontier's ends, then the others. The reverses
                                 are of the same edge type if its ends are; `reverse_types` names types
                                 that are each other's. A reverse has the id of the edge picked */
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
                              parallel edges between the two are meant) */
} gls_edge_set_t;

typedef struct gls_type_pair {
  const char *edge_type;
  const char *reverse_type;
} gls_type_pair_t;

/** What labels of anchors are. */
enum {
  GLS_LABEL_POSITIVE = 0, /**< nodes that belong to the anchor */
  GLS_LABEL_NEGATIVE = 1  /**< nodes that do not */
};

enum {
  GLS_SUPERVISION_SAMPLED = 1u << 0 /**< the edge type is sampled, too, by fanouts of its own; edges
                                         from an anchor to its labels are not used for their batch,
                                         nor those that `exclude_mode` adds to them */
};

/** Labels of anchors, for the prediction of links. With supervisions every seed of a request, and of
 *  a loader, is an anchor; its labels become seeds after it. Unless GLS_SUPERVISION_SAMPLED says so,
 *  `edge_type` is not sampled: its fanouts are 0 without an entry of its own, and induced subgraphs
 *  leave it out. */
typedef struct gls_supervision {
  const char *edge_type; /**< labels are the targets of an anchor's edges of this type, in the order
                              stored, whatever the direction, times and exclusions of the sampler;
                              needs CSR; NULL: labels are given with the anchors */
  const char *node_type; /**< where labels are given: their type; NULL: the only one; else NULL */
  const char *name;      /**< of its array; NULL: that of `edge_type` */
  int32_t role;          /**< GLS_LABEL_*; each at most once with the same name */
  uint32_t flags;        /**< GLS_SUPERVISION_* */
  uint32_t max_labels;   /**< labels of an anchor, at most 2^28: of more, as many are drawn anew for
                              each batch, without replacement, and rows of labels are always that
                              long; 0: all */
  uint32_t reserved;
} gls_supervision_t;

typedef struct gls_sampler_options {
  size_t struct_size;
  int32_t kind;           /**< GLS_SAMPLER_* */
  uint32_t flags;         /**< GLS_SAMPLE_* */
  uint64_t seed;          /**< same seed, same batches */
  const gls_fanout_t *fanouts;
  size_t num_fanouts;     /**< at least 1, and every edge type must be covered; 0 with
                               GLS_SUBGRAPH_INDUCED: no hops, just the seeds; 0 for other kinds
                               than GLS_SAMPLER_NEIGHBOR */
  int32_t direction;      /**< GLS_DIRECTION_* */
  int32_t replace;        /**< GLS_REPLACE_* */
  const char *weight;     /**< edge column of non-negative numbers, one per edge: probability
                               proportional to weight, weight 0 never taken; edge types without
                               this column are sampled uniformly; NULL: uniform */
  const gls_edge_set_t *exclude; /**< edges never used by this sampler; copied */
  size_t num_exclude;
  int32_t exclude_mode;   /**< GLS_EXCLUDE_*; also for the sets given per call. Other than
                               GLS_EXCLUDE_SELF it is refused by loaders, and by requests for links, that
                               exclude no edges */
  uint32_t contract;      /**< version of the sampling contract; 0: the newest (1) */
  const char *reverse_column;
  const gls_type_pair_t *reverse_types; /**< with GLS_EXCLUDE_REVERSE_TYPES, and with
                               GLS_SUBGRAPH_BIDIRECTIONAL; as many edges of one as of the other */
  size_t num_reverse_types;
  const char *node_time;  /**< node column of integers, one per node: a neighbour may be used for a
                               seed of time t if its own is at most t. Types without this column are
                               always early enough. Each seed then grows its own tree, as with
                               GLS_SAMPLE_DISJOINT, and needs a time. NULL: no times of nodes */
  const char *edge_time;  /**< the same for edges; with `node_time` both must be early enough */
  int64_t time_window;    /**< above 0: times below t - time_window are too early */
  int32_t time_strategy;  /**< GLS_TIME_*; LAST goes by `edge_time` if given, else `node_time`, and
                               takes neither weights nor replacement */
  int32_t subgraph;       /**< GLS_SUBGRAPH_* */
  const gls_negative_options_t *negatives; /**< what is drawn for links, which all seeds then are;
                                                NULL: nothing */
  const gls_walk_options_t *walk; /**< of the kind GLS_SAMPLER_WALK, which needs them, and of `flags`
                                       takes GLS_SAMPLE_EDGE_IDS and GLS_SAMPLE_INT32, and neither
                                       fanouts, replacement, times nor negatives; NULL for other kinds */
  int32_t pick;           /**< GLS_PICK_* */
  uint32_t batch_dependency; /**< with ::GLS_PICK_LAYER: a node keeps its random number for so many
                                  batches in a row (of all trainers), and one node in so many gets a new
                                  one with each batch; epochs share none; 0 or 1: all are new in each
                                  batch */
  const gls_supervision_t *supervisions; /**< seeds are anchors with labels; neither for walks nor with
                                              negatives; NULL: they are not */
  size_t num_supervisions;               /**< at most 65536 */
  const gls_importance_options_t *importance; /**< of the kind GLS_SAMPLER_IMPORTANCE, which needs them,
                                                   and of `flags` takes GLS_SAMPLE_INT32, and otherwise
                                                   what walks take; NULL for other kinds */
  const gls_ppr_options_t *ppr; /**< of the kind GLS_SAMPLER_PPR, which needs them, and takes what
                                     GLS_SAMPLER_IMPORTANCE takes, but no weights; NULL for other
                                     kinds */
  const gls_hgt_options_t *hgt; /**< of the kind GLS_SAMPLER_HGT, which needs them, and of `flags` takes
                                     GLS_SAMPLE_EDGE_IDS and GLS_SAMPLE_INT32, otherwise what walks take,
                                     but no weights; NULL for other kinds */
  DLDevice device;              /**< where gls_sampler_sample() samples and batches lie, and loaders of this
                                     sampler deliver unless they say otherwise: {0, 0}: where the dataset
                                     is; {kDLCPU, 0}: the host; {kDLCUDA, n}: GPU n, for which the part
                                     "cuda" must be there. The bytes are the same. What the GPU cannot
                                     sample the processor samples, and it is moved, or it is an error:
                                     setting "device.sampling" when the sampler is made */
} gls_sampler_options_t;
#define GLS_SAMPLER_OPTIONS_INIT                                                       \
  {                                                                                    \
    sizeof(gls_sampler_options_t), 0, 0, 0, NULL, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, \
        NULL, 0, NULL, NULL, 0, 0, 0, NULL, NULL, 0, 0, NULL, 0, NULL, NULL, NULL,     \
        { (DLDeviceType)0, 0 }                                                         \
  }

/** [any] Checks the options against the dataset; samples nothing yet. Walks with `q` read the indices
 *  of their edge type once. With a device, topology and what else it samples from is placed there as for a
 *  loader, with which it is shared (settings "device.*").
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT; GLS_ERR_NOT_FOUND (edge type, column);
 *          GLS_ERR_UNSUPPORTED (the layout the direction needs is not stored; `device`: no part "cuda", no
 *          driver, no such GPU, or "device.sampling" is device and the GPU cannot sample so);
 *          GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_sampler_create(gls_dataset_t *dataset,
                                        const gls_sampler_options_t *options, gls_sampler_t **out,
                                        gls_error_t **err);
/** [any] Where a sampler's batches lie: {kDLCPU, 0}, or the device of its options or its dataset.
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
  const DLTensor *links;  /**< int32 or int64: [n] ids of edges, or [2, n] sources and targets, which
                               need not be edges */
  const DLTensor *times;  /**< int32 or int64 [n], where the sampler goes by times, else NULL */
  const DLTensor *labels; /**< [n, ...] of any number or bool: a row for each link; NULL: binary
                               negatives give 1 and 0 in float32 */
} gls_link_set_t;
#define GLS_LINK_SET_INIT \
  { sizeof(gls_link_set_t), NULL, NULL, NULL, NULL }

typedef struct gls_sample_request {
  size_t struct_size;
  const gls_seed_set_t *seeds; /**< each node type at most once; may be empty; for walks and importance
                                    only the type at which they begin, for PPR and of anchors one type */
  size_t num_seeds;
  uint64_t epoch;              /**< with `batch`, part of the random key */
  uint64_t batch;
  const gls_edge_set_t *exclude; /**< edges not to be used for this batch */
  size_t num_exclude;
  const DLTensor *const *times; /**< where the sampler goes by times, else NULL: for each of `seeds`
                                     its times, int32 or int64 [n], one for each seed */
  const gls_link_set_t *links; /**< instead of `seeds`; NULL: none */
  const DLTensor *const *labels; /**< for each supervision of the sampler: NULL, or where it has no
                                      edge type int32 or int64 [n, m], a row for each anchor, -1
                                      where there is no label; NULL: there is no such supervision */
  size_t num_labels;             /**< as many as supervisions, or 0 */
} gls_sample_request_t;
#define GLS_SAMPLE_REQUEST_INIT \
  { sizeof(gls_sample_request_t), NULL, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0 }

/** [any] Samples one batch on the calling thread; no columns are gathered. Of a sampler with a device, arrays
 *  lie in its memory but for GLS_BATCH_NUM_NODES and GLS_BATCH_NUM_EDGES, complete for whatever stream, see
 *  gls_batch_record_stream(); those of the request are on the host all the same. With weights and edges in
 *  `exclude` the processor may sample, and "device.sampling" = device makes that GLS_ERR_UNSUPPORTED.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (a seed or link out of range, with its position and
 *          value); GLS_ERR_CORRUPT_DATA (an index or edge id out of range was met in the dataset, or
 *          a weight that is negative or not finite); GLS_ERR_NOT_FOUND (a strict negative, or the
 *          column of weights for one); GLS_ERR_UNSUPPORTED (more than 2^31 - 1 nodes of a type, or
 *          in walks, or too many trees); GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_sampler_sample(const gls_sampler_t *sampler,
                                        const gls_sample_request_t *request, gls_batch_t **out,
                                        gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Loader: an epoch of batches, sampled and gathered ahead of the caller
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_loader gls_loader_t;

enum {
  GLS_LOADER_SHUFFLE = 1u << 0,   /**< a new order each epoch, a function of (seed, epoch) */
  GLS_LOADER_DROP_LAST = 1u << 1, /**< leave out a last batch that is not full */
  GLS_LOADER_NO_COLUMNS = 1u << 2 /**< gather nothing unless `columns` asks for it */
};

enum {
  GLS_EVEN_NONE = 0,  /**< trainers may get counts that differ by one */
  GLS_EVEN_DROP = 1,  /**< leave out the last batches, so that all counts are equal */
  GLS_EVEN_REPEAT = 2 /**< repeat the epoch's first batches at its end, so that they are */
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

/** Batches of one shape, for CUDA graphs, torch.compile and XLA, of all kinds of samplers and seeds.
 *  Arrays are filled up: those of nodes and edges to a size for each type, INPUT to the batch size, all
 *  others, but for those of importance and PPR, to what as many seeds can have at most. Masks tell what
 *  is real, and counts count that alone: without what the masks leave out, arrays are those of a loader
 *  that does not pad (rows of LINK_NEGATIVE go by the first entries of LINK_MASK). Nothing is
 *  added to a batch that does not fit (every node type needs a row to spare): it has its own shapes,
 *  masks all the same, and GLS_PADDING_OVERFLOW.
 *
 *  What is added, "spare" being the first node added of the type concerned. Nodes have the id -1, zeros in
 *  all columns, and a TREE that no seed has. Edges go from spare to spare, and have the id -1 and zeros in
 *  all columns. Seeds are spare, their time 0, their INPUT -1; SEED has room for all negatives and labels.
 *  With anchors it is the first batch_size for these, and their labels after them; TREE counts seeds without
 *  padding. Links go from spare to spare, and LABEL is zeros. The first batch_size are the links, and the
 *  pairs drawn for them follow; where some were not found, as many are added at the end. LINK_NEGATIVE: the
 *  rows of links added are spare; in those of others, what was not found stays -1, and its mask is false.
 *  Walks are spare and then -1, as those that ended at once, and WALK_EDGE is -1. Importance and PPR:
 *  NEAR_SEED and NEAR_NODE are spare, the scores 0; how many rows there are is estimated. Labels of anchors
 *  are rows of -1; all rows of a supervision must be as long: `max_labels`, or those that are given.
 *
 *  Of ::GLS_SEEDS_CLUSTER no batch size says how many seeds there are: for these, the size of their node
 *  type stands in its place. Batches that cannot have edges have no room for them, unless a size says so. */
typedef struct gls_pad_options {
  size_t struct_size;
  const gls_pad_size_t *sizes; /**< sizes of types; those of all others are estimated */
  size_t num_sizes;
  uint32_t batches;            /**< how many of epoch 0, evenly spread, are sampled for estimates; 0: 16 */
  uint32_t multiple;           /**< estimates are rounded up to a multiple of this; 0: 64 */
  double sigma;                /**< an estimate is the mean and this many standard deviations; 0: 3 */
} gls_pad_options_t;
#define GLS_PAD_OPTIONS_INIT \
  { sizeof(gls_pad_options_t), NULL, 0, 0, 0, 0 }

/** Changes a batch after its columns were gathered and before it is handed out: it may write into the
 *  arrays, except those marked read-only, and attach arrays of its own with gls_batch_attach().
 *  Called once for each batch that is made, by the thread that makes it: a worker, or the caller of
 *  gls_loader_sample(); for several batches at the same time, in any order, also for batches that are
 *  then dropped. Batches are handed out in their order all the same. It must not unwind.
 *
 *  Inside, every call on `batch` may be made but gls_batch_release(), none on the loader, and none
 *  that waits for a loader; other objects may be used as their marks say. No lock of the library is
 *  held. The handle is borrowed and ends with the call; tensors taken from it may be kept.
 *
 *  @param batch     still without gather_ns, and without what this call attaches
 *  @param message   `capacity` bytes, empty: on an error, what went wrong, in UTF-8 with its NUL
 *  @return GLS_OK, or a GLS_ERR_*: that batch fails with it and is dropped, and the loader goes on with
 *          the next. Any other number becomes ::GLS_ERR_INVALID_ARGUMENT */
typedef gls_status_t (*gls_transform_fn)(gls_batch_t *batch, void *user_data, char *message,
                                         size_t capacity);

/** Which seeds make a batch. */
enum {
  GLS_SEEDS_ORDER = 0,  /**< each once in an epoch, `batch_size` at a time */
  GLS_SEEDS_DRAW = 1,   /**< `batch_size` are drawn anew for each batch, with replacement: any of them
                             with the same probability, or by `seed_weight` or `seed_law`. Every batch
                             is full, and there is no order: GLS_LOADER_SHUFFLE and
                             GLS_LOADER_DROP_LAST are refused */
  GLS_SEEDS_CLUSTER = 2 /**< all seeds in `batch_size` clusters of nodes; the epoch's order is one of
                             clusters */
};

/** In proportion to what seeds are drawn. Source: Zeng et al., GraphSAINT, ICLR 2020. */
enum {
  GLS_LAW_UNIFORM = 0,
  GLS_LAW_DEGREE = 1,        /**< nodes: the number of edges of all types that have it as their source */
  GLS_LAW_INVERSE_DEGREE = 2 /**< links, given as edge ids: 1 / (edges of their type from the source)
                                  + 1 / (edges of their type to the target) */
};

/** Which processes make the batches. They are the same. */
enum {
  GLS_MADE_HERE = 0,      /**< this one, on the context's threads */
  GLS_MADE_BY_SERVERS = 1 /**< the servers of a graph that was opened as "gls://host:port": they sample
                               and gather, and this process pads and transforms. A batch is one question,
                               of `cluster.request_timeout_ms`; each goes to another server when its own
                               fails. A server makes the next few batches ahead, and one that several
                               clients ask for once. Needs every server to find the others (`--server`) */
};

typedef struct gls_loader_options {
  size_t struct_size;
  const char *node_type;  /**< type of the seeds; NULL: the only one, or that at which walks begin, or
                               that of the anchors */
  const char *id_set;     /**< seeds are this id set; NULL: those the call is given, else all nodes
                               of the type */
  uint32_t batch_size;    /**< seeds per batch; 0: 1024 */
  uint32_t flags;         /**< GLS_LOADER_* */
  uint32_t rank;          /**< this trainer, 0 .. world_size-1 */
  uint32_t world_size;    /**< trainers that share the epoch; 0: 1 */
  int32_t even;           /**< GLS_EVEN_* */
  uint32_t num_workers;   /**< batches in work at once; 0: the context's threads, or of these 3 at most
                               where a GPU samples. Of ::GLS_MADE_BY_SERVERS: batches asked for at once,
                               at most 32, each by a thread that only waits; 0: 8 */
  uint32_t prefetch;      /**< finished batches kept ready at most; 0: 2 per worker, or 4 where a GPU
                               samples and `num_workers` is 0 */
  uint32_t reserved0;
  uint64_t prefetch_bytes; /**< bytes of batches in work or ready at most (one batch may always be
                                made); 0: 1 GiB, or a quarter of the memory that the process may
                                use where that is less */
  const gls_column_request_t *columns; /**< what to gather; NULL: by role, see GLS_ROLE_* */
  size_t num_columns;
  DLDevice device;        /**< where batches are delivered: {0, 0}: where those of the sampler lie;
                               {kDLCPU, 0}: the host; {kDLCUDA, n}: GPU n, for which the part "cuda" must
                               be there. Then all arrays of a batch lie on it, also where a transform
                               sees them, but for the counts GLS_BATCH_NUM_NODES and
                               GLS_BATCH_NUM_EDGES and what a transform attaches. The bytes are the
                               same; settings "device.*" say what is kept there. On the device of the
                               sampler the two sample as it was decided when that was made */
  gls_tensor_t *times;    /**< int32 or int64 [n]: time of each seed, where the sampler goes by times;
                               NULL: its row of the column `node_time`, which links do not have;
                               taken */
  const char *edge_type;  /**< not NULL: the seeds are links of this type, [n] ids or [2, n] sources
                               and targets, all edges of it if none are given */
  gls_tensor_t *labels;   /**< [n, ...]: a row of labels for each link; may be NULL; taken */
  const gls_pad_options_t *pad; /**< batches of one shape; NULL: each as large as it is */
  gls_transform_fn transform; /**< a stage of the caller's own, the last before delivery; NULL: none */
  void *transform_data;       /**< handed to `transform` */
  gls_destroy_fn transform_release; /**< called once with `transform_data` when the loader is released
                                         and the last `transform` is over; not when
                                         gls_loader_create() fails, nor in a forked child; may be NULL */
  gls_tensor_t *const *anchor_labels; /**< as `labels` of a request, a row for each seed; taken */
  size_t num_anchor_labels;
  int32_t seed_rule;      /**< GLS_SEEDS_* */
  int32_t seed_law;       /**< GLS_LAW_*; of GLS_SEEDS_DRAW, as are the next two */
  const char *seed_weight; /**< draws in proportion to a column of non-negative numbers, of the nodes
                                or, for links given as edge ids, of the edges; NULL: see `seed_law` */
  uint64_t batches;       /**< per epoch, of all trainers, at most 2^32; 0: as many as without draws */
  const char *cluster;    /**< of GLS_SEEDS_CLUSTER: a node column of whole numbers below the number of
                               nodes; negative: in no cluster, and so in no batch */
  gls_tensor_t *clusters; /**< the same as an array, int32 or int64 [nodes of the type]; taken */
  int32_t made_by;        /**< GLS_MADE_* */
  int32_t reserved1;
} gls_loader_options_t;
#define GLS_LOADER_OPTIONS_INIT                                                     \
  {                                                                                 \
    sizeof(gls_loader_options_t), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, \
        { (DLDeviceType)0, 0 }, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, \
        0, NULL, 0, NULL, NULL, 0, 0                                                \
  }

/** [any] Makes a loader at epoch 0, batch 0. Work starts with the first gls_loader_next()
 *  or gls_loader_notify().
 *  Batch b of an epoch holds seeds [b * batch_size, (b + 1) * batch_size) of the epoch's order;
 *  trainer `rank` gets the batches rank, rank + world_size, ...
 *  @param seeds    int32 or int64 [n] node ids, or links, see `edge_type`; NULL: see `id_set`; taken
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; a seed out of range, with its position and
 *          value; nothing can be drawn); GLS_ERR_NOT_FOUND (type, id set, column);
 *          GLS_ERR_CORRUPT_DATA (the id set; weights, edge ids or indices that links or draws need);
 *          GLS_ERR_UNSUPPORTED (`device`: no part "cuda", no driver, no such GPU; `made_by`: the dataset has no servers, or these do not make such
 *          batches: what they depend on is too long, as are more than 16 MiB of edges that the sampler
 *          leaves out); GLS_ERR_IO and GLS_ERR_TIMED_OUT (no server answered) */
GLS_API gls_status_t gls_loader_create(gls_sampler_t *sampler, gls_tensor_t *seeds,
                                       const gls_loader_options_t *options, gls_loader_t **out,
                                       gls_error_t **err);
/** Stops the work in progress and waits for it to end, also for a running gls_transform_fn; so it must
 *  not be called by one. What is asked of servers is given up, so that it waits for none of them. */
GLS_API void gls_loader_release(gls_loader_t *loader);

/** [one] The next batch of the epoch, in order.
 *  @param timeout_ms  how long to wait: negative without limit, 0 not at all
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed; GLS_END when the epoch is over (again and
 *          again, until gls_loader_seek()); GLS_ERR_CANCELED after gls_loader_cancel(); any error
 *          of sampling, gathering or the transform, for the batch that failed: the next call goes on
 *          with the batch after it */
GLS_API gls_status_t gls_loader_next(gls_loader_t *loader, int64_t timeout_ms, gls_batch_t **out,
                                     gls_error_t **err);
/** Called from any thread, maybe before the call that asked for it returns to its caller. Must not
 *  call the library, block or unwind. */
typedef void (*gls_ready_fn)(void *user_data);
/** [one] Asks to be told when gls_loader_next() will not wait: for event loops and futures, which
 *  have no thread to wait with. Starts the work, as gls_loader_next() does.
 *  `ready` is called with `user_data` exactly once if this returns ::GLS_IN_PROGRESS, and never
 *  otherwise: when there is something, or when the loader is cancelled, sent elsewhere (seek,
 *  restore), asked again, or released. So it may be called for nothing; ask gls_loader_next() with
 *  a timeout of 0. When gls_loader_release() returns, the call is over. A forked child gets none.
 *  @return GLS_OK: there is something now, a batch, an error, or the end of the epoch; where memory
 *          was short, gls_loader_next() may still find none, and is then to be asked for again;
 *          GLS_IN_PROGRESS: `ready` will be called; GLS_ERR_CANCELED after gls_loader_cancel();
 *          GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_loader_notify(gls_loader_t *loader, gls_ready_fn ready, void *user_data,
                                       gls_error_t **err);
/** [one] Goes to the start of an epoch; batches made ahead are dropped. Ends a cancelled state.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_seek(gls_loader_t *loader, uint64_t epoch, gls_error_t **err);
/** [any] Makes any batch of any epoch on the calling thread, the same bytes that gls_loader_next()
 *  gives for it; the loader's position, its bounds and its totals are not touched. Nothing before
 *  it is made: the epoch's order is computed, not stored.
 *  @param batch  its global number, below `num_global_batches` of gls_loader_get_info(): batches of
 *                all trainers can be had
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (there is no such batch); any error of sampling,
 *          gathering or the transform */
GLS_API gls_status_t gls_loader_sample(const gls_loader_t *loader, uint64_t epoch, uint64_t batch,
                                       gls_batch_t **out, gls_error_t **err);
typedef struct gls_norm_options {
  size_t struct_size;
  const char *node_type; /**< of `node_norm` or `coverage`; NULL: the only one */
  const char *edge_type; /**< of `edge_norm`; NULL: the only one */
  uint64_t epoch;        /**< batches are those of epoch 2^63 + this (modulo 2^64), then of the next */
  uint64_t batches;      /**< how many are counted, below 2^32; with `coverage`: at most */
  double coverage;       /**< above 0: count until so many times the nodes of `node_type` were in
                              batches. 0, and no `batches`: those of one epoch */
  gls_progress_fn progress; /**< may be NULL; the unit is nodes with `coverage`, else batches */
  void *progress_user_data;
} gls_norm_options_t;
#define GLS_NORM_OPTIONS_INIT \
  { sizeof(gls_norm_options_t), NULL, NULL, 0, 0, 0, NULL, NULL }
/** [any] GraphSAINT's normalisation, estimated by making batches on the context's threads and counting
 *  how often each node and edge is in them: batches far from those that are trained on, so that the
 *  estimates do not depend on what they correct. The loader is not touched.
 *  @param node_norm  out, may be NULL: float32 [nodes], batches / times counted / nodes; a node that was
 *                    never met counts as met 0.1 times
 *  @param edge_norm  out, may be NULL: float32 [edges], by edge id: times counted of its target / of the
 *                    edge, at most 10000, and 0.1 where neither was met; needs GLS_SAMPLE_EDGE_IDS
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; an epoch without batches, or without nodes of
 *          the type); GLS_ERR_NOT_FOUND (a type); GLS_ERR_CANCELED; any error of sampling */
GLS_API gls_status_t gls_loader_saint_norms(const gls_loader_t *loader,
                                            const gls_norm_options_t *options,
                                            gls_tensor_t **node_norm, gls_tensor_t **edge_norm,
                                            gls_error_t **err);
/** [any] Makes the waiting and all later gls_loader_next() return ::GLS_ERR_CANCELED, until
 *  gls_loader_seek(). It does not wait: batches in work are finished and dropped, and a
 *  gls_transform_fn may still be running. */
GLS_API void gls_loader_cancel(gls_loader_t *loader);

typedef struct gls_loader_info {
  size_t struct_size;
  uint64_t epoch;        /**< current one */
  uint64_t next_batch;   /**< global number of the next batch this loader hands out; at the end of
                              the epoch, a number beyond its last */
  uint64_t num_batches;  /**< batches of this trainer per epoch */
  uint64_t num_global_batches; /**< batches of all trainers per epoch, without repeats */
  uint64_t num_seeds;    /**< in the list it draws or takes them from */
  uint64_t batch_size;
} gls_loader_info_t;
/** [any] Where the loader stands, and how much there is.
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
  uint64_t batches;         /**< handed out */
  uint64_t seeds;
  uint64_t nodes;           /**< sampled, over all types */
  uint64_t edges;
  uint64_t gathered_rows;
  uint64_t gathered_bytes;
  uint64_t sample_ns;       /**< workers: in sampling */
  uint64_t gather_ns;       /**< workers: in gathering */
  uint64_t worker_wait_ns;  /**< workers: work at hand, but the bounds were reached */
  uint64_t caller_wait_ns;  /**< caller: inside gls_loader_next() */
  uint64_t wall_ns;         /**< from the first gls_loader_next() or gls_loader_notify() of each
                                 epoch to its last gls_loader_next() */
  uint64_t ready_batches;   /**< now */
  uint64_t ready_bytes;     /**< now */
  uint64_t peak_bytes;      /**< most bytes in work or ready at once */
  uint64_t device_rows;     /**< of gathered rows, those read in memory of a GPU; see settings
                                 "device.*". Rows that only fill up a batch are in none of the five */
  uint64_t pinned_rows;     /**< read by a GPU in memory of the host */
  uint64_t host_rows;       /**< read by the processor, or from files straight into memory of a GPU;
                                 see setting "device.direct_storage" */
  uint64_t remote_rows;     /**< asked from servers, other parts or other processes, which includes
                                 what those have here */
  uint64_t peer_rows;       /**< read by a GPU in memory of others of its group; see setting
                                 "device.group" */
} gls_loader_stats_t;
/** [any] The totals at this moment.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_get_stats(const gls_loader_t *loader, gls_loader_stats_t *out,
                                      gls_error_t **err);

#define GLS_LOADER_STATE_MAX 1024 /**< a buffer of this size always holds a loader's state */
/** [any] Writes the position (epoch, next batch to be handed out) and what it depends on as a JSON
 *  text with its NUL.
 *  @param length  out, may be NULL: length without the NUL, also when `capacity` is too small
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT when `capacity` is too small */
GLS_API gls_status_t gls_loader_save(const gls_loader_t *loader, char *buffer, size_t capacity,
                                     size_t *length, gls_error_t **err);
/** [one] Continues where a saved loader stood; ends a cancelled state. Threads, prefetch and world
 *  size may differ: after `n` steps of `w` trainers the first n*w batches of the epoch are done, and
 *  the new trainers share the rest: rank r of v gets n*w + r, n*w + r + v, ...
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT when the state is of another dataset (its types, counts
 *          and columns are compared), node type, seed set, seed, batch size, order or contract,
 *          naming which; GLS_ERR_UNSUPPORTED for the state of a newer library */
GLS_API gls_status_t gls_loader_restore(gls_loader_t *loader, const char *state,
                                        gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Batch: what was sampled and gathered. Immutable but in a gls_transform_fn; every call on it is [any]
 * unless it is marked.
 * --------------------------------------------------------------------------------------------- */

enum {
  GLS_PADDING_NONE = 0,     /**< nobody asked for it */
  GLS_PADDING_FITS = 1,     /**< the arrays have the loader's sizes */
  GLS_PADDING_OVERFLOW = 2  /**< there is more than fits: the arrays have their own sizes */
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
/** Where the batch stands and what it took.
 *  @return GLS_OK */
GLS_API gls_status_t gls_batch_get_info(const gls_batch_t *batch, gls_batch_info_t *out,
                                    gls_error_t **err);

/** What an array of a batch is. B: seeds given, and labels of anchors; S: distinct seeds; N: nodes; E: edges, of one type.
 *  "id" is int64, or int32 with GLS_SAMPLE_INT32 (edge ids: int32 where the dataset's fit). */
enum {
  GLS_BATCH_NODE = 0,       /**< node type; id [N]: dataset ids, seeds first, then as met */
  GLS_BATCH_ROW = 1,        /**< edge type; id [E]: local id of each edge's source */
  GLS_BATCH_COL = 2,        /**< edge type; id [E]: local id of each edge's target */
  GLS_BATCH_EDGE = 3,       /**< edge type; id [E]: dataset edge ids; with GLS_SAMPLE_EDGE_IDS */
  GLS_BATCH_TREE = 4,       /**< node type; id [N]: position of the seed whose tree the node is in;
                                 where each seed grows its own */
  GLS_BATCH_NUM_NODES = 5,  /**< node type; int64 [hops + 1]: new nodes, seeds then per hop; of walks
                                 and PPR [2]: seeds, then the others */
  GLS_BATCH_NUM_EDGES = 6,  /**< edge type; int64 [hops]; with GLS_SUBGRAPH_INDUCED or
                                   GLS_SUBGRAPH_BIDIRECTIONAL [1] */
  GLS_BATCH_SEED = 7,       /**< node type; id [B]: local id of each seed as given */
  GLS_BATCH_INPUT = 8,      /**< node type, or edge type where links are seeds; int64 [seeds]: position
                                 of each in the loader's seeds; only batches of a loader have it */
  GLS_BATCH_NODE_COLUMN = 9,  /**< node type and column; [N, ...], or [S, ...] for seeds only */
  GLS_BATCH_EDGE_COLUMN = 10, /**< edge type and column; [E, ...] */
  GLS_BATCH_SEED_TIME = 11,   /**< node type; int64 [B]: time of each seed as given; where the
                                   sampler goes by times */
  GLS_BATCH_LINK_SOURCE = 12, /**< edge type; id [L]: local id of each link's source, then those of
                                   binary negatives */
  GLS_BATCH_LINK_TARGET = 13, /**< edge type; id [L] */
  GLS_BATCH_LINK_NEGATIVE = 14, /**< edge type; id [links, amount]: local ids of the targets drawn in
                                     triplets, -1 where there is none */
  GLS_BATCH_LINK_LABEL = 15,  /**< edge type; [L, ...]: labels given, then 0 for binary negatives */
  GLS_BATCH_WALK = 16,        /**< node type of the seeds; id [B * walks, length + 1]: local ids of the
                                   nodes of each walk, those of a seed together, the seed first; -1
                                   after its end. Each column has the node type that the path gives it.
                                   Batches of walks have no other edges, unless induced: ROW, COL and
                                   EDGE are empty */
  GLS_BATCH_WALK_EDGE = 17,   /**< node type of the seeds; id [B * walks, length]: dataset id of the
                                   edge of each step, of the type that the path gives it; -1 where none
                                   was followed; with GLS_SAMPLE_EDGE_IDS */
  GLS_BATCH_NEAR_SEED = 18,   /**< node type of the neighbours; id [K]: local id, in the seeds' type, of
                                   the node whose neighbour it is; of the kinds GLS_SAMPLER_IMPORTANCE
                                   (only of the seeds' type) and GLS_SAMPLER_PPR, whose batches have no
                                   other edges: ROW and COL are empty */
  GLS_BATCH_NEAR_NODE = 19,   /**< node type; id [K]: local id of the neighbour */
  GLS_BATCH_NEAR_SCORE = 20,  /**< node type; float32 [K, 2]: importance: the share of the node's visits
                                   that the neighbour has, and their number; PPR: the score, and
                                   1 / (1 + steps from the seed), and with C channels [K, 2 + 3 * C]:
                                   the highest of each of the two, and then for each channel that
                                   found the neighbour these two and 1, for the others 0, 0, 0 */
  GLS_BATCH_ANCHOR_POSITIVE = 21, /**< node type of the labels and name of the supervision; id [anchors,
                                   m]: local ids of the labels of each anchor, then -1; m is
                                   `max_labels`, else the most that one has; of labels that were given,
                                   as those lay. Anchors are the first GLS_BATCH_SEED of their type */
  GLS_BATCH_ANCHOR_NEGATIVE = 22, /**< the same */
  GLS_BATCH_ATTACHED = 23,    /**< no type; a name: what gls_batch_attach() was given */
  GLS_BATCH_NODE_MASK = 24,   /**< node type; bool [N]: which are nodes of the batch; the others are
                                   padding. The masks are there where the loader pads batches */
  GLS_BATCH_EDGE_MASK = 25,   /**< edge type; bool [E] */
  GLS_BATCH_SEED_MASK = 26,   /**< node type of seeds; bool [B] */
  GLS_BATCH_LINK_MASK = 27,   /**< edge type; bool [L] */
  GLS_BATCH_LINK_NEGATIVE_MASK = 28, /**< edge type; bool [links, amount]: which targets were found,
                                          none of links that were added */
  GLS_BATCH_WALK_MASK = 29,   /**< node type of the seeds; bool [B * walks] */
  GLS_BATCH_NEAR_MASK = 30,   /**< node type; bool [K] */
  GLS_BATCH_ANCHOR_MASK = 31, /**< node type of the anchors; bool [anchors]: of the rows of labels */
  GLS_BATCH_EDGE_INDEX = 32   /**< edge type; id [2, E], contiguous: GLS_BATCH_ROW and GLS_BATCH_COL, which
                                   are its two rows, in the same memory. gls_batch_array() lists these
                                   two alone */
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
/** One array, without a copy. The tensor keeps the batch's memory alive, and may be written: the
 *  library does not read it again, but for gls_batch_block_tensor(). Two calls for one array give the
 *  same memory.
 *  @param type  node or edge type; NULL: the only one; for attached arrays "" or NULL
 *  @param name  column, supervision or attached array; NULL for other arrays
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, column, attached array, or the option was not
 *          set); GLS_ERR_INVALID_ARGUMENT (no name where there must be one, or one for another
 *          array; a type for an attached one) */
GLS_API gls_status_t gls_batch_tensor(const gls_batch_t *batch, int32_t array, const char *type,
                                      const char *name, gls_tensor_t **out, gls_error_t **err);

/** What an array of a block is. A model of L layers, as many as the batch has hops, computes layer
 *  l = 0 .. L-1 for the nodes of the seeds and the first L-1-l hops, its destinations, from those of one hop
 *  more, its sources: they are the destinations and then others. So a block is the beginnings of the
 *  batch's arrays. Messages go toward the seeds; where sampling followed edges (::GLS_DIRECTION_OUT),
 *  against them, and then the sources of a block are of the type of the edges' targets. Each node's edges
 *  were picked once, when it was met, and belong to all layers that compute it. Padding is left out.
 *  S, D: sources and destinations of a node type; E: edges of an edge type. "id" as above. */
enum {
  GLS_BLOCK_SRC_NODE = 0, /**< node type; id [S]: dataset ids; the beginning of GLS_BATCH_NODE */
  GLS_BLOCK_DST_NODE = 1, /**< node type; id [D]: dataset ids; the beginning of the same */
  GLS_BLOCK_SRC = 2,      /**< edge type; id [E]: local id of the end each message comes from */
  GLS_BLOCK_DST = 3,      /**< edge type; id [E]: local id of the end it goes to; ascending */
  GLS_BLOCK_INDPTR = 4,   /**< edge type; id [D + 1]: where the edges to each destination begin, and
                               where the last end: with GLS_BLOCK_SRC the block in CSC; the beginning of
                               that of layer 0 */
  GLS_BLOCK_EDGE = 5      /**< edge type; id [E]: dataset edge ids; with GLS_SAMPLE_EDGE_IDS */
};
/** One array of the block of one layer. All but GLS_BLOCK_INDPTR are the memory of gls_batch_tensor();
 *  that one is counted by each call, from the edges as they are then, and belongs to the tensor alone.
 *  Batches of the kind ::GLS_SAMPLER_NEIGHBOR have blocks, unless their subgraph is induced or
 *  bidirectional: then every layer uses all edges.
 *  @param layer  below the batch's `num_hops`; 0 has the most nodes, and is the first to be computed
 *  @param array  GLS_BLOCK_*
 *  @param type   node or edge type; NULL: the only one
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (`layer`, `array`); GLS_ERR_NOT_FOUND (no such type, or no
 *          edge ids); GLS_ERR_UNSUPPORTED (a batch without blocks); GLS_ERR_INVALID_STATE when counts or
 *          ends of edges were written over, so that they say nothing of the kind any more */
GLS_API gls_status_t gls_batch_block_tensor(const gls_batch_t *batch, uint64_t layer, int32_t array,
                                            const char *type, gls_tensor_t **out,
                                            gls_error_t **err);
/** [one] Adds an array to a batch, in a gls_transform_fn: it is listed after all others, in the order of
 *  attaching, counts in the bytes of the batch, and goes with it. Other calls on the batch may be made
 *  at the same time, but for those that list arrays.
 *  @param name    as names of columns; attached arrays have names of their own
 *  @param tensor  CPU, of any fixed-width number or bool; taken. Its deleter may be called by any
 *                 thread, without a lock of the library
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; shape or dtype); GLS_ERR_ALREADY_EXISTS;
 *          GLS_ERR_UNSUPPORTED for a device other than the CPU; GLS_ERR_INVALID_STATE outside of a
 *          gls_transform_fn */
GLS_API gls_status_t gls_batch_attach(gls_batch_t *batch, const char *name, gls_tensor_t *tensor,
                                      gls_error_t **err);
/** [any] Names a stream of a GPU, a cudaStream_t, on which the arrays of a batch are used that lie on
 *  one. They are complete when the batch is handed out, so that no stream need wait for them; but once
 *  the batch and its tensors are released, their memory is given to later batches, after what is queued
 *  by then on the streams that were named. Who names none waits for his work before he releases them.
 *  The same holds for a batch in pinned memory of a feed (gls_attach_options_t.pin), from which streams copy.
 *  @param stream  NULL: the default stream. It must exist until the memory is released
 *  @return GLS_OK, also for a batch on the host */
GLS_API gls_status_t gls_batch_record_stream(const gls_batch_t *batch, void *stream,
                                             gls_error_t **err);
/** [any] The same, said of one array: for whoever has it without its batch, which may be gone. Who gives a tensor
 *  to a consumer of DLPack that names a stream, names it here. Of arrays on the host it says nothing: in pinned
 *  memory of a feed, streams are named for the batch.
 *  @param tensor  of gls_batch_tensor(), gls_batch_block_tensor() or gls_dataset_rows()
 *  @return GLS_OK, also for a tensor on the host; GLS_ERR_INVALID_ARGUMENT (another tensor) */
GLS_API gls_status_t gls_tensor_record_stream(const gls_tensor_t *tensor, void *stream,
                                              gls_error_t **err);
/** [any] The same batch with its arrays in memory of the host: a copy of those that lie on a GPU, made
 *  after what is queued by now on streams that were named.
 *  @return GLS_OK; GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_batch_to_host(const gls_batch_t *batch, gls_batch_t **out,
                                       gls_error_t **err);
/** Does nothing to the handle that a gls_transform_fn is given. */
GLS_API void gls_batch_release(gls_batch_t *batch);

/* ------------------------------------------------------------------------------------------------
 * Feed: the batches of a loader for trainers in other processes of this machine, in shared memory
 * --------------------------------------------------------------------------------------------- */

/** Serves what a loader makes on a Unix-domain socket, on threads of its own and the context's. Each
 *  trainer has shared memory of its own, a bounded number of bytes, in which its batches are written
 *  once and read in place; a slow trainer holds up nobody else. The memory has no name: the kernel frees
 *  it with the last process that has it, however that ends. */
typedef struct gls_feed gls_feed_t;

typedef struct gls_feed_options {
  size_t struct_size;
  const char *path;    /**< of the socket, at most 107 bytes. One that a killed process left is replaced.
                            Who may open it may attach */
  uint32_t consumers;  /**< trainers at one time; 0: 1. Also their `world_size` where they name none */
  uint32_t mode;       /**< permissions of the socket, as of chmod(2); 0: 0600, the owner alone */
  uint64_t bytes;      /**< shared memory of each trainer, for all batches that are ready for it or that
                            it still holds; taken as it is used; 0: 256 MiB */
  uint32_t prefetch;   /**< batches ready for each trainer at most; 0: as the loader says */
  uint32_t reserved;
} gls_feed_options_t;
#define GLS_FEED_OPTIONS_INIT \
  { sizeof(gls_feed_options_t), NULL, 0, 0, 0, 0, 0 }

/** [any] Begins to serve. The loader's place is of no matter and stays as it is: each trainer says where
 *  it begins. Its `num_workers` and `prefetch_bytes` hold for each trainer.
 *  @param loader  with `world_size` 1, as trainers name theirs when they attach; of this process
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; the loader's `world_size`);
 *          GLS_ERR_ALREADY_EXISTS (another feed serves there, or a file is there that is no socket);
 *          GLS_ERR_UNSUPPORTED (an attached loader, one that delivers on a device, by itself or as its
 *          sampler or dataset does, or a system without sealed memory);
 *          GLS_ERR_NOT_FOUND (the folder); GLS_ERR_IO */
GLS_API gls_status_t gls_feed_create(gls_loader_t *loader, const gls_feed_options_t *options,
                                     gls_feed_t **out, gls_error_t **err);
/** Ends it: trainers that are attached get ::GLS_ERR_IO for batches that they do not have yet. Waits for
 *  batches in work, as gls_loader_release() does. */
GLS_API void gls_feed_release(gls_feed_t *feed);
/** [any] Waits until a trainer was attached and none is any more.
 *  @param timeout_ms  how long to wait: negative without limit, 0 not at all
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed */
GLS_API gls_status_t gls_feed_wait(gls_feed_t *feed, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_feed_info {
  size_t struct_size;
  uint64_t consumers;   /**< attached now */
  uint64_t attached;    /**< since it was made */
  uint64_t lost;        /**< of these, gone without releasing their loader, as when killed */
  uint64_t batches;     /**< sent */
  uint64_t batch_bytes; /**< of these */
  uint64_t used_bytes;  /**< shared memory that batches lie in now */
  uint64_t wait_ns;     /**< summed over trainers: a batch was sampled, but there was no room for it */
  uint64_t copied_bytes; /**< of `batch_bytes`: arrays that were made elsewhere and copied. Columns are
                              gathered where they are read, unless servers make the batches or the
                              loader has a transform */
} gls_feed_info_t;
/** [any] The numbers as they were a moment ago: a batch that has just arrived may not be counted yet.
 *  @return GLS_OK */
GLS_API gls_status_t gls_feed_get_info(const gls_feed_t *feed, gls_feed_info_t *out,
                                       gls_error_t **err);

typedef struct gls_attach_options {
  size_t struct_size;
  const char *const *paths; /**< feeds of loaders that were made alike, which share the work; the batches
                                 and their order are those of one loader */
  size_t num_paths;
  uint32_t rank;         /**< this trainer, 0 .. world_size-1 */
  uint32_t world_size;   /**< trainers that share the epoch; 0: the feed's `consumers` */
  int64_t timeout_ms;    /**< how long to wait for the feeds to be there; 0: 10 s; negative: without
                              limit */
  uint32_t stall_ms;     /**< how long gls_loader_next() waits, whatever its limit, when this trainer's
                              memory is full of batches that it holds itself; 0: 10 s */
  uint32_t reserved;
  DLDevice pin;          /**< {kDLCUDA, n}: the shared memory is pinned, so that copies of batches to GPUs
                              are asynchronous; n is the GPU that it is pinned by, for which the part
                              "cuda" must be there. All of it is taken at once then. {0, 0}: it is not */
} gls_attach_options_t;
#define GLS_ATTACH_OPTIONS_INIT \
  { sizeof(gls_attach_options_t), NULL, 0, 0, 0, 0, 0, 0, { (DLDeviceType)0, 0 } }

/** [any] A loader whose batches other processes make. Its batches are those that the loader behind the
 *  feed would give this trainer. Their arrays lie in shared memory that this process cannot write, and
 *  are marked read-only; they stay as they are until the last tensor and batch is released, also when
 *  the feed is gone. In a forked child they may change. What comes from a feed is checked before it is
 *  used, but for the numbers in arrays. Also where it is pinned, tensors are said to lie on the host. A copy
 *  that was queued reads the memory until it is done: name its stream by gls_batch_record_stream(), or release
 *  tensors and batch after that. Else the feed writes a later batch over what is being copied.
 *  All calls on a loader may be made but gls_loader_sample() and gls_loader_saint_norms(). States are
 *  those of the loader behind the feed. gls_loader_next() may also give ::GLS_ERR_IO when a feed is
 *  gone, killed or released (again and again: attach anew, and restore the state), ::GLS_ERR_CORRUPT_DATA
 *  when it sends what cannot be, and ::GLS_ERR_OUT_OF_MEMORY, see `stall_ms`, or when a batch is larger
 *  than `bytes` of the feed.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; feeds of different loaders);
 *          GLS_ERR_TIMED_OUT (no feed was there in time); GLS_ERR_ALREADY_EXISTS (a trainer of this rank
 *          is attached); GLS_ERR_INVALID_STATE (as many trainers as the feed takes are attached);
 *          GLS_ERR_UNSUPPORTED (a feed of another version; `pin`: no part "cuda", no driver, no such GPU, or
 *          one that does not pin memory that is only read: the text says which);
 *          GLS_ERR_CORRUPT_DATA; GLS_ERR_IO */
GLS_API gls_status_t gls_feed_attach(gls_context_t *ctx, const gls_attach_options_t *options,
                                     gls_loader_t **out, gls_error_t **err);
/** [any] The dataset that a loader's batches are of, on the host. Of an attached loader: its types and the names of
 *  its columns, without nodes or edges.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_dataset(const gls_loader_t *loader, gls_dataset_t **out,
                                        gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Group: processes that were started together, and functions of the caller's own
 * --------------------------------------------------------------------------------------------- */

/** A process's place in a group, until it leaves or is released, with threads of its own. */
typedef struct gls_group gls_group_t;
/** What is to come of something that was begun: a barrier, an all-gather, a call of a function. */
typedef struct gls_answer gls_answer_t;
/** A call of a function of this process, which is to be answered once. */
typedef struct gls_call gls_call_t;

/** Who says rank, world size and where rank 0 is, where the options do not. */
enum {
  GLS_LAUNCHER_AUTO = 0,      /**< whoever has set its variables, in the order below; nobody: the process
                                   is alone, in a group of one */
  GLS_LAUNCHER_ARGUMENTS = 1, /**< nobody: `world_size` is needed */
  GLS_LAUNCHER_TORCHRUN = 2,  /**< RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT */
  GLS_LAUNCHER_OPENMPI = 3,   /**< OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE */
  GLS_LAUNCHER_SLURM = 4,     /**< SLURM_PROCID, SLURM_NTASKS or SLURM_STEP_NUM_TASKS, SLURM_LOCALID; rank 0
                                   is on the first host of SLURM_STEP_NODELIST */
  GLS_LAUNCHER_PMIX = 5       /**< PMIX_RANK, and PMI_RANK and PMI_SIZE of MPICH and its kin; where there is
                                   no size, GLS_WORLD_SIZE */
};

/** Exchanges bytes among all processes of a group by means of the caller's own, as MPI_Allgather() does.
 *  Called once, by gls_group_join() on its thread, in each process. Must not unwind.
 *  @param mine  of this process: `size` bytes, the same number in all
 *  @param all   out: those of all, by rank: `world_size` times `size` bytes
 *  @return 0; anything else ends gls_group_join() with ::GLS_ERR_CANCELED */
typedef int32_t (*gls_exchange_fn)(void *user_data, const void *mine, size_t size, void *all);

typedef struct gls_group_options {
  size_t struct_size;
  const char *name;         /**< of the group, the same in all its processes; NULL: "gls" */
  int32_t launcher;         /**< GLS_LAUNCHER_* */
  uint32_t rank;            /**< this process, 0 .. world_size-1; of no meaning without `world_size` */
  uint32_t world_size;      /**< how many processes, at most 16384; 0: as the launcher says */
  uint32_t num_threads;     /**< that run functions; 0: as many as the context has */
  const char *rendezvous;   /**< "host:port" where rank 0 listens and the others find it; NULL: GLS_MASTER_ADDR
                                 or what the launcher says, and GLS_MASTER_PORT or a port that is made of what
                                 the launcher says of the job and of `name`, 16384 to 32767. Never
                                 MASTER_PORT, where torchrun's own store listens */
  const char *listen;       /**< "host:port" to listen on; port 0: any that is free, and of rank 0 that
                                 of `rendezvous`. NULL: rank 0 on `rendezvous`, the others on "127.0.0.1:0",
                                 which is an error where rank 0 is on another machine: say "0.0.0.0:0" there,
                                 or one interface */
  const char *process_name; /**< of this process, in errors and logs of the others; NULL: made of `name`, rank,
                                 host and process id */
  gls_exchange_fn exchange; /**< tells the others where rank 0 is, instead of `rendezvous`, which is then
                                 NULL: rank 0 listens on `listen`; may be NULL */
  void *exchange_user_data;
  int64_t timeout_ms;       /**< how long to wait for all to join; 0: 120 s; negative: without limit */
  gls_progress_fn progress; /**< of waiting for the others; may be NULL */
  void *progress_user_data;
} gls_group_options_t;
#define GLS_GROUP_OPTIONS_INIT \
  { sizeof(gls_group_options_t), NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL }

/** [any] Joins a group and waits until all of its processes have. They may come in any order. Each
 *  process can be in several groups, of different names. How connections are protected is said by the
 *  settings "net.*", as of servers. A process whose rank is taken, or which means another group or world
 *  size than rank 0, ends the joining of all, and the errors name it. One that has joined and is gone
 *  before all have, may come again. Where the launchers of two hosts say that they have started uneven
 *  numbers of processes (torchrun, Open MPI, MPICH and PMIx do say it, Slurm is not asked), joining is an
 *  error for all, as a device that is chosen by local rank would be wrong on some: who means it says
 *  `rank` and `world_size`.
 *  @param options  may be NULL
 *  @param out      release with gls_group_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; what the launcher says; nothing protects
 *          connections; a name or size that is not that of the others); GLS_ERR_NOT_FOUND (the launcher has
 *          not set what is needed); GLS_ERR_ALREADY_EXISTS (another process has this rank; the address is
 *          taken); GLS_ERR_TIMED_OUT (the message says which ranks are missing, who is here, and who was
 *          turned away, or why rank 0 was not reached); GLS_ERR_CANCELED; GLS_ERR_IO; GLS_ERR_UNSUPPORTED
 *          (libgls_tcp.so is missing; the group is uneven: launchers have started different numbers of
 *          processes on two hosts, which the message names) */
GLS_API gls_status_t gls_group_join(gls_context_t *ctx, const gls_group_options_t *options,
                                    gls_group_t **out, gls_error_t **err);
/** Leaves at once if it was not left: for the others this process is lost. Waits for functions that are
 *  running; so it must not be called by one. */
GLS_API void gls_group_release(gls_group_t *group);
/** [any] Takes no more calls, lets those under way end, and leaves. Barriers and all-gathers of the others
 *  that need this process end with an error that says so. A second call does nothing.
 *  @param timeout_ms  how long calls under way may take; negative: without limit
 *  @return GLS_OK */
GLS_API gls_status_t gls_group_leave(gls_group_t *group, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_group_info {
  size_t struct_size;
  const char *name;
  uint32_t rank;
  uint32_t world_size;
  uint32_t local_rank;  /**< among those on this host: as the launcher says, else in the order of their ranks */
  uint32_t local_size;  /**< how many are on this host */
  int32_t launcher;     /**< GLS_LAUNCHER_* that was believed; GLS_LAUNCHER_AUTO: nobody, as it is alone */
  uint32_t reserved;
  uint64_t operations;  /**< barriers and all-gathers that ended well, here */
} gls_group_info_t;
/** [any] The place of this process. The name lives as long as the group.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_group_get_info(const gls_group_t *group, gls_group_info_t *out,
                                        gls_error_t **err);

/** A process of a group. The texts live as long as the group. */
typedef struct gls_member_info {
  size_t struct_size;
  const char *name;    /**< in errors and logs */
  const char *host;
  const char *address; /**< "host:port" where it can be called */
  uint64_t process;    /**< its id on that host */
} gls_member_info_t;
/** [any] Who has a rank.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (rank, struct_size) */
GLS_API gls_status_t gls_group_member(const gls_group_t *group, uint32_t rank, gls_member_info_t *out,
                                      gls_error_t **err);

/** [one] Waits until all processes of the group are here. Barriers and all-gathers are operations, with
 *  numbers that count from 1 in each process; all must do the same one under each number, and where they do
 *  not, it is an error for all that says who does what. When a process that is needed is lost or has left,
 *  the operation ends with ::GLS_ERR_IO for all within seconds (setting "net.peer_timeout_ms" where it does
 *  not end but falls silent), also every later one; the message and details name it and the operation.
 *  An operation that timed out or was cancelled is not over for the others: to do the same again here
 *  goes on with it, under the same number.
 *  @param timeout_ms  how long to wait: negative without limit
 *  @param out         NULL: wait here. Else receives the answer to wait for, without bytes
 *  @return GLS_OK; GLS_ERR_TIMED_OUT (the message says who is missing); GLS_ERR_IO (a process is lost or
 *          has left); GLS_ERR_INVALID_STATE (others do another operation; one is under way here; the group was
 *          left) */
GLS_API gls_status_t gls_group_barrier(gls_group_t *group, int64_t timeout_ms, gls_answer_t **out,
                                       gls_error_t **err);
/** [one] Gives bytes of each process to all of them: an operation, see gls_group_barrier(). The answer has
 *  `world_size` items, those of the processes by their ranks, which may differ in size; all together at
 *  most 1 GiB. Those of a process that goes on after a timeout stay what they were at first.
 *  @param data  `size` bytes, which are copied; may be NULL if there are none
 *  @param out   wait for it with gls_answer_wait()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (size); GLS_ERR_INVALID_STATE (an operation is under way here;
 *          the group was left). What fails later is reported by the answer, as of gls_group_barrier() */
GLS_API gls_status_t gls_group_all_gather(gls_group_t *group, const void *data, size_t size,
                                          int64_t timeout_ms, gls_answer_t **out, gls_error_t **err);

/** Answers a call of a function, now or later: `call` is the function's own from now on. It is answered with
 *  gls_call_reply() or gls_call_fail() and given back with gls_call_release(), by any thread. Runs on
 *  threads of the group or server that are there for functions, several at once; it may use the library
 *  as it likes, but what waits for calls of its own keeps one of these threads. Calls that wait for a thread
 *  have turns by who calls; those that nobody waits for any more are not begun. Must not unwind. */
typedef void (*gls_function_fn)(gls_call_t *call, void *user_data);

/** [any] Lets other processes of the group call a function of this one. Whoever may connect may call it.
 *  Calls that came before this are over, as no such function was there: a barrier between this and the
 *  first call makes sure.
 *  @param name     1 to 255 bytes; names that begin with "gls." are the library's own
 *  @param destroy  called once with `user_data`, when the group is released and the last call of the function
 *                  is answered or given back; not when this fails, nor in a forked child; may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name); GLS_ERR_ALREADY_EXISTS (there is one of this name);
 *          GLS_ERR_INVALID_STATE (the group was left) */
GLS_API gls_status_t gls_group_function(gls_group_t *group, const char *name, gls_function_fn function,
                                        void *user_data, gls_destroy_fn destroy, gls_error_t **err);
/** [any] Lets clients of a server call a function, see gls_group_function() and gls_dataset_call().
 *  @return as for gls_group_function() */
GLS_API gls_status_t gls_server_function(gls_server_t *server, const char *name,
                                         gls_function_fn function, void *user_data,
                                         gls_destroy_fn destroy, gls_error_t **err);

/** What a function was called with. All pointers live as long as the call. */
typedef struct gls_call_info {
  size_t struct_size;
  const char *function;
  const char *caller;  /**< the name of the process that calls, and where it is */
  int64_t rank;        /**< in the group, of who calls; -1: it calls as a client of a server */
  int64_t part;        /**< that it was called for; -1: as a process of the group */
  const void *data;    /**< what it was given: `size` bytes */
  size_t size;
  int32_t canceled;    /**< non-zero: nobody waits for the answer any more */
  int32_t reserved;
} gls_call_info_t;
/** [any] What a function was called with.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_call_get_info(const gls_call_t *call, gls_call_info_t *out, gls_error_t **err);
/** [any] Answers a call with bytes, which are copied.
 *  @return GLS_OK, also when nobody waits any more; GLS_ERR_INVALID_ARGUMENT (more than 1 GiB less 64 bytes);
 *          GLS_ERR_INVALID_STATE (it was answered) */
GLS_API gls_status_t gls_call_reply(gls_call_t *call, const void *data, size_t size, gls_error_t **err);
/** [any] Answers a call with an error, which the caller gets with the name of this process and of the
 *  function before its words.
 *  @param status   GLS_ERR_*; anything else becomes ::GLS_ERR_INTERNAL
 *  @param message  the words; may be NULL
 *  @return GLS_OK, also when nobody waits any more; GLS_ERR_INVALID_STATE (it was answered) */
GLS_API gls_status_t gls_call_fail(gls_call_t *call, gls_status_t status, const char *message,
                                   gls_error_t **err);
/** If it was not answered, the caller gets an error that says so. */
GLS_API void gls_call_release(gls_call_t *call);

enum {
  GLS_CALL_IDEMPOTENT = 1 /**< to call the function twice is as good as once: when the process that was
                               called is lost before it answered, it is called again, there or at another
                               server of the part. Else that is an error, as nobody knows whether it ran */
};
typedef struct gls_call_options {
  size_t struct_size;
  int64_t timeout_ms; /**< until there is an answer, with connecting and asking again; 0: setting
                           "cluster.request_timeout_ms"; negative: without limit */
  uint32_t flags;     /**< GLS_CALL_* */
  uint32_t reserved;
} gls_call_options_t;
#define GLS_CALL_OPTIONS_INIT \
  { sizeof(gls_call_options_t), 0, 0, 0 }

/** [any] Calls a function of a process of the group, also of this one. Does not wait: where there is no
 *  connection yet, one is made. The answer has one item, the reply. Its errors are those of the function,
 *  ::GLS_ERR_NOT_FOUND (no such function; the message names those there are), ::GLS_ERR_TIMED_OUT,
 *  ::GLS_ERR_CANCELED, ::GLS_ERR_IO (the process is lost). Each begins with the function and who was called.
 *  @param data     `size` bytes, which are copied; at most 1 GiB less what the name takes
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (rank, name, size, an option); GLS_ERR_INVALID_STATE (the group
 *          was left). All else is reported by the answer */
GLS_API gls_status_t gls_group_call(gls_group_t *group, uint32_t rank, const char *function,
                                    const void *data, size_t size, const gls_call_options_t *options,
                                    gls_answer_t **out, gls_error_t **err);
/** [any] Calls a function of a server that has this part of a graph, see gls_group_call(). Of several
 *  servers one that is connected is called, beginning with a random one. A server that is lost is waited for
 *  until the time is over, and another one that has the part called instead, if nothing was sent yet
 *  or with ::GLS_CALL_IDEMPOTENT.
 *  @param dataset  opened by "gls://..."
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (part, name, size, an option); GLS_ERR_UNSUPPORTED (no graph
 *          that is served). All else is reported by the answer */
GLS_API gls_status_t gls_dataset_call(const gls_dataset_t *dataset, uint32_t part, const char *function,
                                      const void *data, size_t size, const gls_call_options_t *options,
                                      gls_answer_t **out, gls_error_t **err);

/** [any] Waits until it is over; again and again the same.
 *  @param timeout_ms  how long to wait: negative without limit, 0 not at all
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed; any error of what was begun */
GLS_API gls_status_t gls_answer_wait(const gls_answer_t *answer, int64_t timeout_ms, gls_error_t **err);
/** [any] Asks to be told when gls_answer_wait() will not wait, as gls_loader_notify().
 *  @return GLS_OK: it is over, and `ready` will not be called; GLS_IN_PROGRESS: `ready` will be called, once,
 *          also when the answer is released before; GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_answer_notify(gls_answer_t *answer, gls_ready_fn ready, void *user_data,
                                       gls_error_t **err);
/** [any] How many items there are; 0 while it is not over, and of errors. */
GLS_API size_t gls_answer_count(const gls_answer_t *answer);
/** [any] An item: uint8 [bytes], read-only. It outlives the answer.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when there are not so many */
GLS_API gls_status_t gls_answer_bytes(const gls_answer_t *answer, size_t index, gls_tensor_t **out,
                                      gls_error_t **err);
/** [any] Ends it with ::GLS_ERR_CANCELED, if it is not over. A function that runs is not stopped, but can see
 *  it. */
GLS_API void gls_answer_cancel(gls_answer_t *answer);
/** Cancels what is not over. */
GLS_API void gls_answer_release(gls_answer_t *answer);

#ifdef __cplusplus
}
#endif
#endif /* GLS_H */
