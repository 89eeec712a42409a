/** @file gls.h
 *  The stable C ABI of libgls: Graph Loading and Sampling.
 *
 *  C99. Strings are UTF-8 and NUL-terminated. No C++, CUDA or third-party type appears here; arrays
 *  travel as DLPack tensors.
 *
 *  This header includes all headers of the folder `gls`. To sample on one machine, gls/loader.h is
 *  enough: each header includes all that it needs.
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
 *  - **Failure changes nothing.** On an error no output parameter is written and there is nothing to
 *    clean up.
 *  - **Ownership.** `T **out` hands over one object; give it back with `gls_T_release`, which
 *    returns void and accepts NULL. A returned `const` pointer is borrowed and lives as long as the
 *    object that returned it. Inputs are borrowed for the call unless the text says "taken": a
 *    taken tensor belongs to the library from the moment the call succeeds, and stays the caller's
 *    if it fails.
 *  - **User data.** The `destroy` function of user data runs exactly once: when the library no
 *    longer needs the data, or at once if the call fails. So the caller never releases them after
 *    the call, unless the `struct_size` of the options is wrong, as then nothing can be read.
 *  - **Children keep their parents alive.** A dataset holds its context, a sampler its dataset, a
 *    loader its sampler, a tensor its batch. Release in any order.
 *  - **Threads.** Each function carries a mark. [any]: any number of threads may call it on one
 *    object at the same time. [one]: one thread at a time per object; different objects are
 *    independent. `release` is [one] and must be the last call on the object by any thread.
 *  - **Timeouts.** Each `timeout_ms` follows one rule. Negative: waits without limit. 0: polls, it
 *    does not wait for others. GLS_TIMEOUT_DEFAULT: the default that the function documents, often
 *    a setting; without limit if it documents none.
 *  - **Options.** Structs start with `struct_size`; the `GLS_*_INIT` initialiser sets it and nothing
 *    else. Zero means the default for every field; reserved fields must be zero. An option that
 *    needs another option is refused while that other one is not set. A struct longer than the
 *    library knows is accepted when the unknown bytes are zero and refused otherwise, so no option
 *    is ever silently ignored. Structs that the library fills (`*_info_t`, `*_stats_t`) also need
 *    `struct_size`: the library writes at most that many bytes.
 *  - **Frozen structs** have no `struct_size`, because they are elements of arrays. Their layout
 *    never changes: a new field would be a new struct.
 *  - **Numbers with names.** A choice is an `int32_t` and a set of flags a `uint32_t`, each with a
 *    type of its own, such as gls_direction_t and gls_sample_flags_t. Both may get new values.
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

#include <gls/version.h>
#include <gls/base.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>
#include <gls/context.h>
#include <gls/device.h>
#include <gls/dataset.h>
#include <gls/query.h>
#include <gls/split.h>
#include <gls/partition.h>
#include <gls/builder.h>
#include <gls/arrow.h>
#include <gls/recipe.h>
#include <gls/export.h>
#include <gls/store.h>
#include <gls/sampler.h>
#include <gls/batch.h>
#include <gls/loader.h>
#include <gls/feed.h>
#include <gls/future.h>
#include <gls/function.h>
#include <gls/group.h>
#include <gls/server.h>
#include <gls/table.h>

#endif /* GLS_H */
