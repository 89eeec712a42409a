#ifndef GLS_GROUP_H
#define GLS_GROUP_H

#include <gls/base.h>
#include <gls/context.h>
#include <gls/function.h>
#include <gls/future.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Group: processes that were started together, and functions that the caller defines
 * --------------------------------------------------------------------------------------------- */

/** A process's membership of a group, until it leaves or is released, with its own threads. */
typedef struct gls_group gls_group_t;

/** Which launcher sets rank, world size and the address of rank 0, where the options do not. */
typedef int32_t gls_launcher_t;
enum {
  GLS_LAUNCHER_AUTO = 0,      /**< the first launcher below whose variables are set; without any, the
                                   process is alone, in a group of one */
  GLS_LAUNCHER_ARGUMENTS = 1, /**< no launcher: `world_size` is needed */
  GLS_LAUNCHER_TORCHRUN = 2,  /**< RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT */
  GLS_LAUNCHER_OPENMPI = 3,   /**< OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE */
  GLS_LAUNCHER_SLURM = 4,     /**< SLURM_PROCID, SLURM_NTASKS or SLURM_STEP_NUM_TASKS, SLURM_LOCALID;
                                   rank 0 is on the first host of SLURM_STEP_NODELIST */
  GLS_LAUNCHER_PMIX = 5       /**< PMIX_RANK, and PMI_RANK and PMI_SIZE of MPICH and its relatives;
                                   without a size, GLS_WORLD_SIZE */
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
  gls_launcher_t launcher;  /**< GLS_LAUNCHER_* */
  uint32_t rank;            /**< this process, 0 .. world_size-1; ignored without `world_size` */
  uint32_t world_size;      /**< how many processes, at most 16384; 0: as the launcher sets */
  uint32_t num_threads;     /**< threads that run functions; 0: as many as the context has */
  const char *rendezvous;   /**< "host:port" where rank 0 listens and the others connect. It is never
                                 MASTER_PORT, where torchrun's own store listens; NULL: the host is
                                 GLS_MASTER_ADDR or from the launcher. The port is GLS_MASTER_PORT,
                                 or derived from the launcher's job and `name`, 16384 to 32767 */
  const char *listen;       /**< "host:port" to listen on; port 0: any free one, and for rank 0 that
                                 of `rendezvous`; NULL: rank 0 on `rendezvous`, the others on
                                 "127.0.0.1:0". That is an error if rank 0 is on another machine: set
                                 "0.0.0.0:0" there, or one interface */
  const char *process_name; /**< name of this process in errors and logs of the others; NULL: made of
                                 `name`, rank, host and process id */
  gls_exchange_fn exchange; /**< sends the address of rank 0 to the others, instead of `rendezvous`,
                                 which is then NULL: rank 0 listens on `listen`; may be NULL */
  void *exchange_user_data;
  gls_progress_fn progress; /**< of waiting for the others; may be NULL */
  void *progress_user_data;
} gls_group_options_t;
#define GLS_GROUP_OPTIONS_INIT GLS_INIT(gls_group_options_t)

/** [any] Joins a group and waits until all of its processes have joined, in any order. A process can be
 *  in several groups with different names. The settings "net.*" configure how connections are
 *  protected, as for servers. If the rank of a process is taken, or its group or world size differs
 *  from rank 0's, joining fails for all processes. The errors name that process. A process that joined
 *  and ended before all have joined may join again.
 *
 *  Launchers may report that they started different numbers of processes on two hosts (torchrun, Open
 *  MPI, MPICH and PMIx report it; Slurm is not checked). Then joining is an error for all, because a
 *  device chosen by local rank would be wrong on some. To allow it, set `rank` and `world_size`.
 *  @param options     may be NULL
 *  @param timeout_ms  how long to wait for all to join; default: 120 s
 *  @param out         release with gls_group_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; a value from the launcher; nothing protects
 *          connections; a name or size that differs from the others'); GLS_ERR_NOT_FOUND (the launcher
 *          has not set a required variable); GLS_ERR_ALREADY_EXISTS (another process has this rank; the
 *          address is taken); GLS_ERR_TIMED_OUT (the message names missing, joined and rejected
 *          processes, or says why rank 0 was not reached); GLS_ERR_CANCELED; GLS_ERR_IO;
 *          GLS_ERR_UNSUPPORTED (libgls_tcp.so is missing; launchers have started different numbers of
 *          processes on two hosts, which the message names) */
GLS_API gls_status_t gls_group_join(gls_context_t *ctx, const gls_group_options_t *options,
                                    int64_t timeout_ms, gls_group_t **out, gls_error_t **err);
/** [one] Leaves at once if the process has not left: the others then consider it lost. Waits for
 *  running functions, so a function must not call it. */
GLS_API void gls_group_release(gls_group_t *group);
/** [any] Accepts no more calls, lets calls in progress end, and leaves. Barriers and all-gathers of the
 *  others that need this process fail. A second call does nothing.
 *  @param timeout_ms  how long calls in progress may take
 *  @return GLS_OK */
GLS_API gls_status_t gls_group_leave(gls_group_t *group, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_group_info {
  size_t struct_size;
  const char *name;
  uint32_t rank;
  uint32_t world_size;
  uint32_t local_rank;     /**< rank among the processes on this host: from the launcher, else in the
                                order of their ranks */
  uint32_t local_size;     /**< number of processes on this host */
  gls_launcher_t launcher; /**< GLS_LAUNCHER_* that set the values; GLS_LAUNCHER_AUTO: none, because
                                the process is alone */
  uint32_t reserved;
  uint64_t operations;     /**< barriers and all-gathers that succeeded in this process */
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
GLS_API gls_status_t gls_group_get_member_info(const gls_group_t *group, uint32_t rank,
                                               gls_member_info_t *out, gls_error_t **err);

/** [one] Waits until all processes of the group have reached the barrier. Barriers and all-gathers are
 *  operations, numbered from 1 in each process. All processes must do the same operation under each
 *  number. If they differ, all get an error that names each process and its operation.
 *
 *  When a required process is lost or has left, this operation and all later ones end with
 *  ::GLS_ERR_IO for all within seconds. If it is silent but has not ended, the setting
 *  "net.peer_timeout_ms" limits the wait. The message and details name the process and the operation.
 *  An operation that timed out or was cancelled continues in the other processes: repeat the call,
 *  which continues it under its number.
 *  @param timeout_ms  how long to wait
 *  @param out         NULL: wait in this call. Else receives a future without bytes
 *  @return GLS_OK; GLS_ERR_TIMED_OUT (the message names missing processes); GLS_ERR_IO (a process is
 *          lost or has left); GLS_ERR_INVALID_STATE (others do another operation; one is in progress
 *          in this process; the process has left) */
GLS_API gls_status_t gls_group_barrier(gls_group_t *group, int64_t timeout_ms, gls_future_t **out,
                                       gls_error_t **err);
/** [one] Sends bytes of each process to all of them: an operation, see gls_group_barrier(). The future
 *  has `world_size` items, one for each rank, which may differ in size; all together have at most 1
 *  GiB. A process that continues after a timeout keeps the bytes of its first call.
 *  @param data        `size` bytes, which are copied; may be NULL if there are none
 *  @param timeout_ms  as of gls_group_barrier()
 *  @param out         wait for it with gls_future_wait()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (size); GLS_ERR_INVALID_STATE (an operation is in progress
 *          in this process; the process has left). The future reports later failures, as of
 *          gls_group_barrier() */
GLS_API gls_status_t gls_group_all_gather(gls_group_t *group, const void *data, size_t size,
                                          int64_t timeout_ms, gls_future_t **out,
                                          gls_error_t **err);

/** [any] Lets other processes of the group call a function of this one. Every process that may connect
 *  may call it. Calls that arrived before this fail, because the function did not exist: put a barrier
 *  between this and the first call.
 *  @param name     1 to 255 bytes; names that begin with "gls." are reserved for the library
 *  @param destroy  runs with `user_data` when the group and the last call of the function are released,
 *                  or when this call fails. An answered call counts as released. It does not run in a
 *                  forked child. May be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name); GLS_ERR_ALREADY_EXISTS (a function has this name);
 *          GLS_ERR_INVALID_STATE (the process has left) */
GLS_API gls_status_t gls_group_function(gls_group_t *group, const char *name,
                                        gls_function_fn function, void *user_data,
                                        gls_destroy_fn destroy, gls_error_t **err);
/** [any] Calls a function of a process of the group, also of this one. Does not wait; connects first if
 *  there is no connection. The future has one item, the reply. Its errors are those of the function,
 *  ::GLS_ERR_NOT_FOUND (no such function; the message lists the existing ones), ::GLS_ERR_TIMED_OUT,
 *  ::GLS_ERR_CANCELED, ::GLS_ERR_IO (the process is lost). Each message begins with the names of the
 *  function and the called process.
 *  @param data        `size` bytes, which are copied; at most 1 GiB less the length of the name
 *  @param timeout_ms  until the reply, including connecting and retries; default: setting
 *                     "cluster.request_timeout_ms"
 *  @param options     may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (rank, name, size, an option); GLS_ERR_INVALID_STATE (the
 *          process has left). The future reports all other errors */
GLS_API gls_status_t gls_group_call(gls_group_t *group, uint32_t rank, const char *function,
                                    const void *data, size_t size, int64_t timeout_ms,
                                    const gls_call_options_t *options, gls_future_t **out,
                                    gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_GROUP_H */
