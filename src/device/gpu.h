// The functions that the library needs from a GPU: the interface of the plugin libgls_cuda.so.
//
// The plugin is a library with its own copies of all static data. Therefore only these interfaces
// and plain values cross: no Status, no string, no container, and nothing throws. Work is queued on
// a stream and done in its order. Calls return at once, unless their comment says otherwise.
// Pointers "on the device" may also point to host memory that the device reads; see pin().
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/gpu_file.h"
#include "device/pad_work.h"
#include "host_device/row_plan.h"
#include "system/plugin.h"

namespace gls::device {

using Stream = void*;  // a cudaStream_t

struct GpuError {
  int32_t code = 0;  // GLS_ERR_*
  char text[1024] = {};
};

struct GpuInfo {
  char name[256] = {};
  uint64_t bytes = 0;  // of memory
  int32_t major = 0;   // compute capability
  int32_t minor = 0;
  bool host_writes = false;  // the CPU can write its memory directly
};

// The amount of returned memory that is kept by default; see Gpu::keep_free(). Kept memory is
// missing for other programs, and other memory must be mapped again.
inline uint64_t kept_by_default(const GpuInfo& info) { return info.bytes / 8; }

// The stored form of a gathered row.
enum class RowForm : uint32_t {
  kSame,    // in the output's dtype
  kHalf,    // float16, returned as float32
  kBfloat,  // bfloat16, returned as float32
  kCodes1,  // codes of 1 bit, returned as float32
  kCodes2,
  kCodes4,
  kCodes8,
};

// out[i] = rows[ids[i]], without gaps, and zeros in the rows from `count` to `total`.
struct GatherWork {
  const void* rows;      // on the device
  int64_t stride;        // bytes from row to row
  int64_t num_rows;      // ids are below this
  int64_t row_elements;  // elements in a row
  int64_t row_bytes;     // as stored
  RowForm form;
  const void* by_byte;  // codes: the values of each byte, on the device
  // Copies of some rows in faster memory: row `id` is in slot slots[id], if that is not negative.
  // Or, without slots and with `by_sign`, a negative id means slot -1 - id.
  const int32_t* slots;
  bool by_sign;
  // A slot names a row of cached[slot >> place_bits], which is in this device's memory or in that
  // of a peer. The lower bits are the number of the row.
  const void* cached[kMostMembers];
  int64_t cached_stride;
  uint32_t place_bits;  // 1 to 31
  uint32_t own;         // index of the one in this device's memory
  // Counters, which are increased: ids found [0] in this device's slots, [1] in `rows`, [2] in
  // memory of peers. On the device; NULL: not counted.
  uint64_t* asked;
  const void* ids;  // int32 or int64 [count], on the device
  bool wide;
  int64_t count;
  int64_t total;
  void* out;
};

// One edge type of a sampler: its stored rows, and the number of picks from each.
struct EdgePlan {
  const int64_t* indptr;  // all three on the device
  const void* indices;
  const void* edge_ids;  // NULL: the id of an edge is its position
  bool wide_indices;
  bool wide_edge_ids;
  uint64_t num_rows;
  uint64_t num_edges;
  uint64_t num_neighbors;
  uint32_t anchor_type;  // type of the nodes that own the rows
  uint32_t neighbor_type;
  const int64_t* fanouts;      // by hop; -1: all
  const char* name;            // for errors
  ExclusionFilter excluded{};  // of all batches, on the device
  TimesOfType times{};         // on the device
  WeightsOfType weights{};     // on the device
  // Copies of some rows in faster memory: hot_rows[hot_slots[row]], if the slot is not negative.
  // NULL: none.
  const int32_t* hot_slots = nullptr;
  const HotRow* hot_rows = nullptr;
  const void* hot_indices = nullptr;   // as wide as the others
  const void* hot_edge_ids = nullptr;  // as wide as the others
};

// Random walks: docs/contract.md section 6.
struct WalksPlan {
  const uint32_t* path = nullptr;  // edge types in order
  size_t path_length = 0;
  int64_t length = 0;  // steps; 0: no walks
  int64_t walks = 1;   // for each seed
  double restart = 0;
  double stop = 0;
  // For second-order walks, if they are not both 1: the weights of steps back and away. The path is
  // then one edge type between nodes of one type.
  double back = 1;
  double away = 1;
  bool ascending = false;  // rows of that type ascend
};

// Importance neighbours, docs/contract.md section 8. In each hop, the walks of WalksPlan start at
// each node of the frontier. The nodes visited most at the ends of traversals are its neighbours.
struct ImportancePlan {
  int64_t neighbors = 0;  // 0: walks are those of section 6
  int64_t traversal = 0;  // steps
  // The number of nodes that a CPU processes together. It determines the first fault that a CPU
  // would report.
  int64_t together = 0;
  int64_t at_once = 0;
};

// HGT sampling, docs/contract.md section 11: each hop draws nodes next to the batch.
struct HgtDrawPlan {
  const int64_t* samples = nullptr;  // [node types, hops]; -1: all
  int64_t most_neighbors = 0;        // of a node along an edge type; 0: not HGT
};

// Personalised PageRank, docs/contract.md section 9, along the named edge types.
struct PprPlan {
  int64_t neighbors = 0;  // of each type; 0: not used
  double alpha = 0;
  double epsilon = 0;
  bool top_up = false;
  uint64_t max_edges = 0;
  int64_t row_limit = 0;  // 0: no limit
  size_t num_pushes = 0;  // one, or one for each channel
  // [num_pushes * node types + 1]: the start of the edge types that lead from nodes of a type.
  const size_t* step_begins = nullptr;
  const uint32_t* steps = nullptr;
  const size_t* places = nullptr;  // quota of each channel among the neighbours; NULL: no channels
};

// The method of a sampler. Neighbour sampling picks from each row (docs/contract.md sections 2 and
// 3). Walks have one hop without fanouts, which visits their nodes. Importance and HGT have hops
// without fanouts. Personalised PageRank has one hop without fanouts, and seeds of one type.
struct SamplerPlan {
  uint32_t num_node_types;
  const int64_t* node_counts;
  uint32_t num_edge_types;
  const EdgePlan* edges;
  uint32_t num_hops;
  uint32_t replace;  // 0: never, 1: where the fanout exceeds the row, 2: always
  bool wide;         // ids and local ids as int64
  bool disjoint;
  bool edge_ids;
  bool in_time = false;  // seeds have times; then trees are disjoint
  bool times_strict = false;
  bool times_last = false;
  int64_t time_window = 0;
  WalksPlan walks{};
  ImportancePlan importance{};
  // With HGT, edges are those considered, or induced ones; per_hop has one number.
  HgtDrawPlan budgets{};
  PprPlan ppr{};
  // The edges are all edges between nodes of the batch, of the types with rows; per_hop has one
  // number.
  bool induced = false;
  // LABOR; then without weights, replacement, and picks of the latest edges.
  bool by_labor = false;
  bool layer_dependent = false;
  // By edge type: the type whose edges are its reverse edges, or -1. Each edge then occurs once in
  // each direction, and per_hop has one number. NULL: edges are those that were picked.
  const int32_t* mirrors = nullptr;
  bool anchors_last = false;  // of an edge type's two arrays of ends, which are contiguous
};

struct SeedsOfType {
  uint32_t node_type;
  const int64_t* ids;  // on the host; in range
  int64_t count;
};

// Some of the seeds of the last list of a type that has any.
struct SeedPlaces {
  uint32_t node_type;
  const int64_t* places;  // on the host: positions in the list, or -1
  int64_t count;
};

// Negatives of links: docs/contract.md section 5. host_device/negative_rule.h defines them.
struct NegativesWork {
  NegativeDraws draws;  // cumulative weights are on the device
  int64_t count = 0;    // not 0
  // Negatives must not be edges of this type, which are searched in its rows, of sources or of
  // targets. NULL: they may be edges.
  const EdgePlan* edges = nullptr;
  bool rows_of_targets = false;
  bool ascending = false;  // the rows ascend
};

// Negatives that are seeds, drawn together with the batch: the positions of the first source of
// pairs and of the first target among all seeds. The seeds at these positions are 0. The sources of
// the links are the first seeds.
struct DrawnSeeds {
  const NegativesWork* negatives = nullptr;  // NULL: no negatives
  int64_t first_source = 0;
  int64_t first_target = 0;
};

struct SampleWork {
  uint64_t key;  // of the batch
  const SeedsOfType* seeds;
  size_t num_seeds;
  const SeedPlaces* places = nullptr;  // positions whose local ids are requested
  size_t num_places = 0;
  // By edge type, on the host, in addition to those in the plan. NULL: no edges.
  const ExclusionFilter* excluded = nullptr;
  const int64_t* times = nullptr;  // of all seeds in order, for temporal samplers
  NumberKeys numbers{};            // for LABOR
  DrawnSeeds drawn{};
  uint64_t hgt_key = 0;  // for HGT
};

// Arrays of a batch, in the form of sample/batch/batch.h; they are in one block.
struct NodeArrays {
  void* ids = nullptr;
  void* trees = nullptr;  // only with disjoint trees
  void* seed = nullptr;
  int64_t num_seeds = 0;       // number of given seeds
  int64_t* per_hop = nullptr;  // memory of the caller, [hops + 1]
};
struct EdgeArrays {
  // The two arrays are contiguous: anchors come first, or last if the plan says so.
  void* anchors = nullptr;  // local ids of the expanded ends
  void* neighbors = nullptr;
  void* edge_ids = nullptr;    // on request; int64 if ids are wide or the type has many edges
  int64_t* per_hop = nullptr;  // memory of the caller, [hops]
};
// Importance neighbours, which no edges represent.
struct ImportanceArrays {
  void* seed = nullptr;   // [count] local ids of the seeds
  void* node = nullptr;   // [count] local ids of their neighbours
  void* score = nullptr;  // float32 [count, columns]
  int64_t count = 0;
};
struct SampleAnswer {
  // Owned by the caller from now on, see Gpu::release(); NULL: all arrays are empty.
  void* block = nullptr;
  uint64_t bytes = 0;
  NodeArrays* nodes = nullptr;  // memory of the caller, by node type
  EdgeArrays* edges = nullptr;  // memory of the caller, by edge type
  void** at_places = nullptr;   // by list of positions: local ids, or -1 where a position is
  void* walk = nullptr;         // [seeds * walks, length + 1] local ids; -1 after the end
  // [seeds * walks, length] on request; int64 if the ids of an edge type of the path are.
  void* walk_edge = nullptr;
  ImportanceArrays* virtual_neighbors = nullptr;  // memory of the caller, by node type
  int64_t no_negative = -1;  // the first number without a negative; then there is no block
};

// Names memory of a device for other processes of the machine.
struct MemoryHandle {
  unsigned char bytes[64] = {};
};

// Samples batches on a GPU by one SamplerPlan.
class GpuSampler {
 public:
  virtual void destroy() noexcept = 0;  // call it when none of its work is queued
  // Waits for the sizes. One thread at a time.
  virtual bool sample(const SampleWork& work, Stream stream, SampleAnswer* answer,
                      GpuError* error) noexcept = 0;
  // Draws only the negatives of links with these sources, and waits. Writes to the caller's arrays;
  // `sources` only for pairs. -1 where none was found.
  virtual bool draw(const NegativesWork& work, const int64_t* link_sources, int64_t num_links,
                    Stream stream, int64_t* sources, int64_t* targets,
                    GpuError* error) noexcept = 0;

 protected:
  ~GpuSampler() = default;
};

// Any number of threads may call these functions at once. False: `error` gives the reason, and
// nothing was queued. Afterwards the thread has the same current CUDA device as before. Captures of
// other code into CUDA graphs continue.
class Gpu {
 public:
  virtual void destroy() noexcept = 0;
  virtual void info(GpuInfo* out) noexcept = 0;
  // Whether this process uses the device, in any library. The first of most calls below takes
  // hundreds of MiB.
  virtual bool in_use() noexcept = 0;
  virtual bool free_memory(uint64_t* bytes, GpuError* error) noexcept = 0;

  // Allocates device memory for work queued on the stream later. release() returns it for work
  // queued on that stream later.
  virtual bool allocate(uint64_t bytes, Stream stream, void** out, GpuError* error) noexcept = 0;
  virtual void release(void* memory, Stream stream) noexcept = 0;
  // Returns memory for any stream, after all work that is queued on these streams now. The streams
  // may belong to other code, and must exist until then. If one is not a stream any more, the
  // memory is kept forever.
  virtual void release_after(void* memory, const Stream* streams, size_t count) noexcept = 0;
  // Keeps this much returned memory for later allocations, including memory in use. Memory beyond
  // it is free for other programs.
  virtual bool keep_free(uint64_t bytes, GpuError* error) noexcept = 0;
  // Host memory with the fastest copies, which the device also reads in place.
  virtual bool allocate_pinned(uint64_t bytes, void** out, GpuError* error) noexcept = 0;
  virtual void release_pinned(void* memory) noexcept = 0;
  // Lets the device read host memory in place, at the address `seen`.
  virtual bool pin(const void* memory, uint64_t bytes, const void** seen,
                   GpuError* error) noexcept = 0;
  virtual void unpin(const void* memory) noexcept = 0;

  // Device memory that other devices also read: those of this process after reach(), and those of
  // other processes by a handle, until they have closed it. May wait for all queued work.
  virtual bool allocate_shared(uint64_t bytes, void** out, GpuError* error) noexcept = 0;
  virtual void release_shared(void* memory) noexcept = 0;
  // From now on, this device can read such memory of device `other` of this process.
  virtual bool reach(int32_t other, GpuError* error) noexcept = 0;
  virtual bool export_shared(const void* memory, MemoryHandle* out, GpuError* error) noexcept = 0;
  // Not in the process that owns the memory.
  virtual bool import_shared(const MemoryHandle& handle, const void** out,
                             GpuError* error) noexcept = 0;
  virtual void close_imported(const void* memory) noexcept = 0;

  virtual bool open_stream(Stream* out, GpuError* error) noexcept = 0;
  virtual void close_stream(Stream stream) noexcept = 0;
  // Waits for the queued work, and reports its outcome. An error if the stream, which may belong to
  // other code, is being captured into a CUDA graph.
  virtual bool finish(Stream stream, GpuError* error) noexcept = 0;
  // Work queued on `stream` from now on waits for work queued on `other` now. `other` may belong to
  // other code, but must not be captured into a CUDA graph.
  virtual bool follow(Stream stream, Stream other, GpuError* error) noexcept = 0;

  // Host memory may be reused after finish().
  virtual bool copy_in(void* to, const void* from, uint64_t bytes, Stream stream,
                       GpuError* error) noexcept = 0;
  virtual bool copy_out(void* to, const void* from, uint64_t bytes, Stream stream,
                        GpuError* error) noexcept = 0;
  virtual bool gather(const GatherWork& work, Stream stream, GpuError* error) noexcept = 0;
  // slots[row] = slot for each change, whose rows are distinct. The changes are read in place.
  virtual bool set_slots(int32_t* slots, const SlotChange* changes, int64_t count, Stream stream,
                         GpuError* error) noexcept = 0;
  // The works need not outlive the call, and must not read each other's output.
  virtual bool pad(const PadWork* works, size_t count, Stream stream, GpuError* error) noexcept = 0;
  virtual GpuSampler* open_sampler(const SamplerPlan& plan, GpuError* error) noexcept = 0;

  // GPUDirect Storage. `fd` bypasses the page cache (O_DIRECT), and must stay open longer than the
  // file.
  virtual GpuFile* open_file(int fd, GpuError* error) noexcept = 0;
  // A reader with this much device memory, a multiple of kFileBlock.
  virtual GpuFileReader* open_file_reader(uint64_t bytes, GpuError* error) noexcept = 0;

 protected:
  ~Gpu() = default;
};

inline constexpr uint32_t kGpuPluginVersion = 10;

// The struct that the plugin exports.
struct GpuPlugin {
  PluginHeader header;
  // The number of devices; negative: `error` gives the reason.
  int32_t (*count)(GpuError* error) noexcept;
  Gpu* (*open)(int32_t device, GpuError* error) noexcept;
};

}  // namespace gls::device
