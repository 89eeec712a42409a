// What a GPU must do for the library: the interface of the plugin libgls_cuda.so.
//
// The plugin is a library with its own copies of everything static, so only these interfaces and
// plain values cross: no Status, no string, no container, and nothing throws. What is asked for is
// queued on a stream and done in its order; who called may go on at once, unless said otherwise.
// Pointers "on the device" may be to memory of the host that the device reads, see pin().
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/gpu_file.h"
#include "device/pad_work.h"
#include "rules/row_plan.h"
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
  bool host_writes = false;  // the processor writes its memory as its own
};

// Of what was given back, as much as is kept unless somebody says more or less, see
// Gpu::keep_free(): what is kept is missing elsewhere, and what is not has to be mapped again.
inline uint64_t kept_by_default(const GpuInfo& info) { return info.bytes / 8; }

// How a row is stored that is gathered.
enum class RowForm : uint32_t {
  kSame,    // as it is to be given
  kHalf,    // float16, given as float32
  kBfloat,  // bfloat16, given as float32
  kCodes1,  // codes of so many bits, given as float32
  kCodes2,
  kCodes4,
  kCodes8,
};

// out[i] = rows[ids[i]], without gaps, and zeros in the rows from `count` to `total`.
struct GatherWork {
  const void* rows;      // on the device
  int64_t stride;        // bytes from row to row
  int64_t num_rows;      // ids are below this
  int64_t row_elements;  // numbers in a row
  int64_t row_bytes;     // stored
  RowForm form;
  const void* by_byte;  // codes: what each byte stands for, on the device
  // Some of the rows again where they are read faster: in slot slots[id], where that is not
  // negative. Or, without slots and with `by_sign`, in slot -1 - id of negative ids.
  const int32_t* slots;
  bool by_sign;
  // A slot is a row of cached[slot >> place_bits], in this device's memory or in that of others,
  // which it reaches: the row numbered by the bits below.
  const void* cached[kMostMembers];
  int64_t cached_stride;
  uint32_t place_bits;  // 1 to 31
  uint32_t own;         // which of them is in this device's memory
  // Added to: ids that were found [0] there, [1] in `rows`, [2] in memory of others. On the device;
  // NULL: not counted.
  uint64_t* asked;
  const void* ids;  // int32 or int64 [count], on the device
  bool wide;
  int64_t count;
  int64_t total;
  void* out;
};

// One edge type of a sampler: how its rows are stored, and how many are picked of each.
struct EdgePlan {
  const int64_t* indptr;  // all three on the device
  const void* indices;
  const void* edge_ids;  // NULL: the id of an edge is its position
  bool wide_indices;
  bool wide_edge_ids;
  uint64_t num_rows;
  uint64_t num_edges;
  uint64_t num_neighbors;
  uint32_t anchor_type;  // of the nodes whose rows are picked from
  uint32_t neighbor_type;
  const int64_t* fanouts;   // by hop; -1: all
  const char* name;         // for errors
  LeftOut left_out{};       // of all batches, on the device
  TimesOfType times{};      // on the device
  WeightsOfType weights{};  // on the device
  // Some of the rows again, where they are read faster: hot_rows[hot_slots[row]], where that is not
  // negative. NULL: none.
  const int32_t* hot_slots = nullptr;
  const HotRow* hot_rows = nullptr;
  const void* hot_indices = nullptr;   // as wide as all
  const void* hot_edge_ids = nullptr;  // likewise
};

// docs/contract.md section 6.
struct WalksPlan {
  const uint32_t* path = nullptr;  // edge types in turn
  size_t path_length = 0;
  int64_t length = 0;  // steps; 0: there are no walks
  int64_t walks = 1;   // of each seed
  double restart = 0;
  double stop = 0;
  // Of the second order, where these are not both 1: one edge type, between nodes of one type, and
  // what steps back and away weigh.
  double back = 1;
  double away = 1;
  bool ascending = false;  // rows of that type ascend
};

// docs/contract.md section 8: in each hop the walks of WalksPlan go from each node of the frontier,
// and the nodes at the ends of their traversals that are visited most are its neighbours.
struct NearPlan {
  int64_t neighbors = 0;  // 0: walks are those of section 6
  int64_t traversal = 0;  // steps
  // Nodes whose walks a processor takes together, of at most so many in turn. These decide what
  // fault it meets first.
  int64_t together = 0;
  int64_t at_once = 0;
};

// docs/contract.md section 11: in each hop nodes next to the batch are drawn by budgets.
struct BudgetsPlan {
  const int64_t* samples = nullptr;  // [node types, hops]; -1: all
  int64_t most_neighbors = 0;        // of a node along an edge type; 0: there are no budgets
};

// docs/contract.md section 9, along the edge types that are named.
struct PprPlan {
  int64_t neighbors = 0;  // of each type; 0: there are none
  double alpha = 0;
  double epsilon = 0;
  bool top_up = false;
  uint64_t max_edges = 0;
  int64_t row_limit = 0;  // 0: none
  size_t num_pushes = 0;  // one, or one for each channel
  // [num_pushes * node types + 1]: where the edge types begin that lead from nodes of a type.
  const size_t* step_begins = nullptr;
  const uint32_t* steps = nullptr;
  const size_t* places = nullptr;  // of each channel, among the neighbours; NULL: there are none
};

// docs/contract.md sections 2 and 3: picks of each row by itself. Or walks: then there is one hop,
// of no fanouts, which meets what they meet. Or neighbours by walks, or budgets: then hops have no
// fanouts. Or neighbours by personalised PageRank, in one hop of no fanouts; then seeds are of one
// type.
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
  bool in_time = false;  // seeds have times; then it is disjoint
  bool times_strict = false;
  bool times_last = false;
  int64_t time_window = 0;
  WalksPlan walks{};
  NearPlan near{};
  // Then edges are those considered or induced; per_hop has one number.
  BudgetsPlan budgets{};
  PprPlan ppr{};
  // The edges are all between nodes of the batch, of the types that have rows; per_hop has one
  // number.
  bool induced = false;
  // Nodes are picked by layer; then not by weight, without replacement, and not the last in time.
  bool by_layer = false;
  bool layer_dependent = false;
  // By edge type, that whose edges are its own backwards, or -1: each edge is there once, both
  // ways, and per_hop has one number. NULL: edges are those that were picked.
  const int32_t* mirrors = nullptr;
  bool anchors_last = false;  // of the two arrays of an edge type's ends, which lie together
};

struct SeedsOfType {
  uint32_t node_type;
  const int64_t* ids;  // of the host; in range
  int64_t count;
};

// Some of the seeds of the last list of a type that has any.
struct SeedPlaces {
  uint32_t node_type;
  const int64_t* places;  // of the host: in the list, or -1
  int64_t count;
};

// Negatives of links: docs/contract.md section 5. Decided by rules/negative_rule.h.
struct NegativesWork {
  NegativeDraws draws;  // sums on the device
  int64_t count = 0;    // not 0
  // They are no edges of this type, looked for in its rows, of sources or of targets. NULL: they
  // may be edges.
  const EdgePlan* edges = nullptr;
  bool rows_of_targets = false;
  bool ascending = false;  // rows do
};

// Negatives that are seeds, which are drawn with the batch: the number of the first source of
// pairs, and of the first target, among all seeds in turn. These are 0 there. The sources of the
// links are the first of all seeds.
struct DrawnSeeds {
  const NegativesWork* negatives = nullptr;  // NULL: there are none
  int64_t first_source = 0;
  int64_t first_target = 0;
};

struct SampleWork {
  uint64_t key;  // of the batch
  const SeedsOfType* seeds;
  size_t num_seeds;
  const SeedPlaces* places = nullptr;  // whose local ids are asked for
  size_t num_places = 0;
  // By edge type, of the host; none of them is in the plan. NULL: there are none.
  const LeftOut* left_out = nullptr;
  const int64_t* times = nullptr;  // of all seeds in turn, where the plan goes by times
  NumberKeys numbers{};            // where the plan goes by layer
  DrawnSeeds drawn{};
  uint64_t budget_key = 0;  // where the plan has budgets
};

// Arrays of a batch, as sample/batch/batch.h has them; they lie in one block.
struct NodeArrays {
  void* ids = nullptr;
  void* trees = nullptr;  // disjoint only
  void* seed = nullptr;
  int64_t num_seeds = 0;       // that were given
  int64_t* per_hop = nullptr;  // the caller's [hops + 1]
};
struct EdgeArrays {
  // One follows the other: the anchors first, or last by the plan.
  void* anchors = nullptr;  // local ids at the frontier's end
  void* neighbors = nullptr;
  void* edge_ids = nullptr;    // on request; int64 where wide or where there are so many edges
  int64_t* per_hop = nullptr;  // the caller's [hops]
};
// Neighbours that edges do not say.
struct NearArrays {
  void* seed = nullptr;   // [count] local ids of whom each is a neighbour
  void* node = nullptr;   // [count] local ids
  void* score = nullptr;  // float32 [count, columns]
  int64_t count = 0;
};
struct SampleAnswer {
  void* block = nullptr;  // the caller's from now on, see Gpu::release(); NULL: all are empty
  uint64_t bytes = 0;
  NodeArrays* nodes = nullptr;  // the caller's, by node type
  EdgeArrays* edges = nullptr;  // by edge type
  void** at_places = nullptr;   // by list of places: local ids, or -1 where a place is
  void* walk = nullptr;         // [seeds * walks, length + 1] local ids; -1 after the end
  // [seeds * walks, length] on request, int64 where those of an edge type of the path are.
  void* walk_edge = nullptr;
  NearArrays* near = nullptr;  // the caller's, by node type
  int64_t no_negative = -1;    // the first number that none was found for; then there is no block
};

// Says to other processes of the machine which memory of a device is meant.
struct MemoryHandle {
  unsigned char bytes[64] = {};
};

class GpuSampler {
 public:
  virtual void destroy() noexcept = 0;  // once nothing of it is queued
  // Waits for the sizes. One thread at a time.
  virtual bool sample(const SampleWork& work, Stream stream, SampleAnswer* answer,
                      GpuError* error) noexcept = 0;
  // Waits for negatives alone, of links with these sources. To the caller's arrays; `sources` of
  // pairs only. -1 where none was found.
  virtual bool draw(const NegativesWork& work, const int64_t* link_sources, int64_t num_links,
                    Stream stream, int64_t* sources, int64_t* targets,
                    GpuError* error) noexcept = 0;

 protected:
  ~GpuSampler() = default;
};

// Any number of threads at once. False: `error` says why, and nothing was queued. A thread has the
// device of its own for calls of CUDA afterwards that it had before, and what anybody is capturing
// into a CUDA graph meanwhile goes on.
class Gpu {
 public:
  virtual void destroy() noexcept = 0;
  virtual void info(GpuInfo* out) noexcept = 0;
  // Whether this process has anything there, whoever it is of. The first of most of the calls below
  // takes hundreds of MiB.
  virtual bool in_use() noexcept = 0;
  virtual bool free_memory(uint64_t* bytes, GpuError* error) noexcept = 0;

  // Memory of the device, for what is queued on the stream later; given back, it is for what is
  // queued on that stream later.
  virtual bool allocate(uint64_t bytes, Stream stream, void** out, GpuError* error) noexcept = 0;
  virtual void release(void* memory, Stream stream) noexcept = 0;
  // Given back, for anybody, once all that is queued on the streams by now is done. These may be
  // anybody's, and stay until then. One that is no stream any more keeps it for ever.
  virtual void release_after(void* memory, const Stream* streams, size_t count) noexcept = 0;
  // Of what was given back so much is kept for who asks next, with what is in use: beyond it, it is
  // for other programs.
  virtual bool keep_free(uint64_t bytes, GpuError* error) noexcept = 0;
  // Memory of the host that copies are quickest from, and which the device reads in place.
  virtual bool allocate_pinned(uint64_t bytes, void** out, GpuError* error) noexcept = 0;
  virtual void release_pinned(void* memory) noexcept = 0;
  // Lets the device read memory of the host in place, which it finds at `seen`.
  virtual bool pin(const void* memory, uint64_t bytes, const void** seen,
                   GpuError* error) noexcept = 0;
  virtual void unpin(const void* memory) noexcept = 0;

  // Memory of the device that other devices read, too: those of this process that reach() it, and
  // those of other processes by a handle, until who opened that has closed it. May wait for all
  // that is queued.
  virtual bool allocate_shared(uint64_t bytes, void** out, GpuError* error) noexcept = 0;
  virtual void release_shared(void* memory) noexcept = 0;
  // From now on this device reads such memory of device `other` of this process.
  virtual bool reach(int32_t other, GpuError* error) noexcept = 0;
  virtual bool export_shared(const void* memory, MemoryHandle* out, GpuError* error) noexcept = 0;
  // Not in the process that it is of.
  virtual bool import_shared(const MemoryHandle& handle, const void** out,
                             GpuError* error) noexcept = 0;
  virtual void close_imported(const void* memory) noexcept = 0;

  virtual bool open_stream(Stream* out, GpuError* error) noexcept = 0;
  virtual void close_stream(Stream stream) noexcept = 0;
  // Waits until what is queued is done, and says whether it went well. An error where the stream,
  // which may be anybody's, is being captured into a CUDA graph.
  virtual bool finish(Stream stream, GpuError* error) noexcept = 0;
  // What is queued on `stream` from now on waits for what is queued on `other` by now, which may be
  // anybody's, but not being captured into a CUDA graph.
  virtual bool follow(Stream stream, Stream other, GpuError* error) noexcept = 0;

  // Memory of the host may be used again when finish() was called.
  virtual bool copy_in(void* to, const void* from, uint64_t bytes, Stream stream,
                       GpuError* error) noexcept = 0;
  virtual bool copy_out(void* to, const void* from, uint64_t bytes, Stream stream,
                        GpuError* error) noexcept = 0;
  virtual bool gather(const GatherWork& work, Stream stream, GpuError* error) noexcept = 0;
  // slots[row] = slot of each change, whose rows differ. The changes are read in place.
  virtual bool set_slots(int32_t* slots, const SlotChange* changes, int64_t count, Stream stream,
                         GpuError* error) noexcept = 0;
  // The works need not outlive the call, and none reads what another writes.
  virtual bool pad(const PadWork* works, size_t count, Stream stream, GpuError* error) noexcept = 0;
  virtual GpuSampler* open_sampler(const SamplerPlan& plan, GpuError* error) noexcept = 0;

  // GPUDirect Storage. `fd` reads past the page cache (O_DIRECT), and is open longer than the file.
  virtual GpuFile* open_file(int fd, GpuError* error) noexcept = 0;
  // With so many bytes of memory of the device; a multiple of kFileBlock.
  virtual GpuFileReader* open_file_reader(uint64_t bytes, GpuError* error) noexcept = 0;

 protected:
  ~Gpu() = default;
};

inline constexpr uint32_t kGpuPluginVersion = 10;

// The plugin's struct.
struct GpuPlugin {
  PluginHeader header;
  int32_t (*count)(GpuError* error) noexcept;  // of devices; negative: `error` says why
  Gpu* (*open)(int32_t device, GpuError* error) noexcept;
};

}  // namespace gls::device
