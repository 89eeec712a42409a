// Samples one batch on a GPU: seeds, then hop by hop and edge type by edge type, as BatchWorker of
// src/sample does on a CPU.
//
// The device knows the numbers of nodes and edges, and arrays have the largest possible sizes. If
// that needs too much memory, a hop uses true sizes, for which the host waits.
#pragma once

#include <vector>

#include "cuda/drivers/batch_bounds.h"
#include "cuda/kernels/bidirectional.h"
#include "cuda/kernels/copy.h"
#include "cuda/kernels/pick.h"
#include "cuda/kernels/relabel.h"
#include "cuda/methods/hgt.h"
#include "cuda/methods/importance.h"
#include "cuda/methods/negatives.h"
#include "cuda/methods/ppr.h"
#include "cuda/methods/walk.h"
#include "cuda/primitives/device_block.h"

namespace gls::cuda {

inline StoredRows stored_rows(const device::EdgePlan& plan) {
  return {plan.indptr,
          {plan.indices, plan.wide_indices},
          {plan.edge_ids, plan.wide_edge_ids},
          plan.hot_slots,
          plan.hot_rows,
          {plan.hot_indices, plan.wide_indices},
          {plan.hot_edge_ids, plan.wide_edge_ids},
          plan.num_edges,
          plan.num_neighbors};
}

// Memory that is reused across batches: host memory for copies.
struct KeptMemory {
  explicit KeptMemory(device::Gpu& gpu_in) : gpu(gpu_in), in(gpu_in), out(gpu_in) {}
  device::Gpu& gpu;
  PinnedBlock in;
  PinnedBlock out;
};

// Reports that the indptr of a node, the first value, runs from the second to the third. Returns
// false.
bool say_bad_row(const char* edge_type, uint64_t num_edges, const int64_t* values,
                 device::GpuError* error);

class BatchRun {
 public:
  // While sizes are unknown, arrays of more than `most_bytes` in total are not allocated.
  BatchRun(const OwnPlan& plan, KeptMemory* kept, uint64_t most_bytes,
           const device::SampleWork& work, device::Stream stream, device::GpuError* error);
  ~BatchRun();
  BatchRun(const BatchRun&) = delete;
  BatchRun& operator=(const BatchRun&) = delete;

  bool run(device::SampleAnswer* answer);

 private:
  // Indices of numbers on the device, all int64.
  struct Counters {
    size_t zero = 0;
    // [hops + 1, types]: seeds, then hops. From the current hop on, the numbers so far.
    size_t nodes_after = 0;
    size_t picks = 0;              // [steps]
    size_t edges_before = 0;       // [steps]: edges of the type in earlier hops
    size_t faults = 0;             // [steps, 3]
    size_t values = 0;             // [5]: details of the fault
    size_t walk_fault = 0;         // the place of the fault
    size_t walk_nodes = 0;         // in the array of walks
    size_t walked = 0;             // of them: nodes of a type
    size_t virtual_nodes = 0;      // nodes of the frontier in the current group
    size_t importance_found = 0;   // their neighbours
    size_t importance_of_hop = 0;  // and all neighbours of the hop
    size_t importance_begins = 0;  // [types]: the start of each type's neighbours
    size_t virtual_counts = 0;     // [types]
    size_t push_fault = 0;         // the first seed with a fault
    size_t push_staged = 0;        // rows found by pushes
    size_t push_round = 0;         // see PushRound
    size_t negative_fault = 0;     // the place of the fault
    size_t no_negative = 0;        // the first number without a negative
    size_t joined = 0;             // picks of a type and its mirror
    size_t range = 0;              // [2]: the first and the end of the nodes in the current group
    size_t met = 0;                // visited nodes, for HGT
    size_t shares = 0;             // shares of the current group, or of taken nodes
    size_t candidates = 0;         // [types]
    size_t lists = 0;              // [lists]: the number of seeds in each
    size_t size = 0;
    // Behind them; the device does not write these, except seeds that it draws:
    size_t seeds = 0;     // of all lists
    size_t trees = 0;     // of the seeds, with disjoint trees only
    size_t times = 0;     // of the seeds, for temporal samplers only
    size_t places = 0;    // of all lists of positions
    size_t excluded = 0;  // positions and filters, by edge type
    size_t walks = 0;     // the path, and types of columns
    size_t pushes = 0;    // see PushWords
    size_t copied = 0;    // the total, including these
  };
  static constexpr size_t kNone = ~size_t{0};
  struct NodeState {
    DeviceBlock ids;
    DeviceBlock trees;
    DeviceBlock table;
    RelabelTable slots = {};
    const void* seed = nullptr;  // local ids of the last list with seeds
    int64_t num_seeds = 0;
  };
  struct EdgeState {
    DeviceBlock anchors;
    DeviceBlock neighbors;
    DeviceBlock edge_ids;
    size_t last_step = kNone;          // the last step with work
    device::ExclusionFilter excluded;  // for this batch, on the device
  };
  // For HGT: some nodes of a type, by local id, whose shares are written or edges kept together.
  struct Range {
    size_t node_type = 0;
    int64_t first = 0;
    int64_t end = 0;
    int64_t size() const { return end - first; }
    Range first_half() const { return {node_type, first, first + size() / 2}; }
    Range second_half() const { return {node_type, first + size() / 2, end}; }
  };
  struct RangeStep {
    size_t edge_type;
    PickStep pick;
  };
  // The importance neighbours of one type.
  struct ImportanceOfType {
    int64_t first = 0;
    int64_t count = 0;
  };
  // Indices of numbers of a round of pushes: the next seed, rows without room, seeds to repeat.
  enum PushRound : uint8_t { kNext, kNotStaged, kUndone, kNumOfRound };
  // Offsets of a plan's arrays, in words from places_.pushes on.
  struct PushWords {
    size_t rows;  // WalkRows
    size_t neighbor_types;
    size_t step_begins;
    size_t steps;
    size_t type_begins;
    size_t places;
    size_t size;
  };
  // Memory for the pushed seeds, and for the rows found.
  struct PushBlocks {
    DeviceBlock seeds;
    DeviceBlock ids;
    DeviceBlock scores;
  };
  // Sizes of the larger arrays, if some hops run without waiting.
  struct Need {
    uint64_t rows = 0;
    uint64_t picks = 0;
    uint64_t bytes = 0;
    int64_t most_picks = 0;
  };

  // The number of a step, by hop and edge type, as in `faults`. Work after all hops is one more
  // step.
  size_t step_number(size_t hop, size_t edge_type) const {
    return hop * plan_.edges.size() + edge_type;
  }
  bool place_counters();
  bool count_seeds();
  bool copy_in();
  bool add_seeds();
  bool run_hops();
  bool leaves_out(size_t edge_type) const {
    return plan_.edges[edge_type].rows.excluded.count > 0 || edges_[edge_type].excluded.count > 0;
  }
  bool in_time(size_t edge_type) const {
    const device::TimesOfType& times = plan_.edges[edge_type].rows.times;
    return times.edge.data != nullptr || times.node.data != nullptr;
  }
  // The weights of rows with tables are read only if this batch excludes some of their edges.
  device::WeightsOfType weights_of(size_t edge_type) const {
    device::WeightsOfType weights = plan_.edges[edge_type].rows.weights;
    if (has_tables(weights) && !leaves_out(edge_type)) {
      weights.exact = {};
    }
    return weights;
  }
  // For each pick, the number of its entry.
  uint64_t ranks_bytes(size_t edge_type, int64_t picks) const {
    return in_time(edge_type) || by_weight(weights_of(edge_type))
               ? static_cast<uint64_t>(picks) * sizeof(int64_t)
               : 0;
  }
  uint64_t rows_bytes_of(size_t edge_type, int64_t nodes) const {
    const device::WeightsOfType weights = weights_of(edge_type);
    return rows_bytes(nodes, leaves_out(edge_type), in_time(edge_type) || weighs_anew(weights),
                      has_tables(weights));
  }
  bool look_ahead(size_t hop);
  // Allocates all memory of the batch before its answer in one block.
  bool reserve_all(const Need& need, const BatchBounds& end);
  bool run_hop(size_t hop);
  bool run_step(size_t hop, size_t edge_type);
  PickStep pick_step(size_t hop, size_t edge_type) const;
  uint64_t picks_bytes(size_t hop, size_t edge_type, int64_t nodes, int64_t picks) const;
  Need need_from(size_t hop, BatchBounds* bounds) const;
  NumberedNodes numbered(size_t node_type) const;
  bool reserve_nodes(size_t node_type, int64_t count);
  // Of at most `used` nodes, the table has room for `count`. Their keys are below `num_keys`.
  bool reserve_table(NodeState* nodes, const NumberedNodes& numbered, uint64_t num_keys,
                     int64_t used, int64_t count);
  uint64_t num_keys(size_t node_type) const {
    return static_cast<uint64_t>(plan_.node_counts[node_type]) *
           (plan_.disjoint ? static_cast<uint64_t>(num_seeds_) : 1);
  }
  bool reserve_edges(size_t edge_type, int64_t count);
  // See batch_negatives.cc.
  NegativesStep negatives_step() const;
  bool draw_seeds();
  bool check_negative_fault();
  bool tell_negatives_first(device::SampleAnswer* answer);
  // See batch_walks.cc.
  int64_t num_walks() const { return num_seeds_ * plan_.walks.walks; }
  size_t walk_words() const;
  void copy_walk_plan(int64_t* to) const;
  WalkWork walk_work() const;
  bool run_walks();
  bool number_walks(size_t node_type);
  bool check_walk_fault();
  // Reports the fault from the numbers that were read.
  bool say_walk_fault();
  bool say_fault_of_kind(size_t edge_type);
  // See batch_importance.cc.
  bool run_importance(size_t hop);
  bool find_importance_of(ImportanceWork* work, int64_t end, int64_t* row_of_hop);
  // See batch_hgt.cc.
  bool run_hgt(size_t hop);
  int64_t first_key(size_t node_type) const;
  uint64_t num_met_keys() const { return static_cast<uint64_t>(first_key(nodes_.size())); }
  MetNodes met_nodes() const;
  bool reserve_met(int64_t count);
  bool meet(int64_t* keys, int64_t count, const IdsOut& numbers, void* scratch);
  bool meet_seeds();
  PickStep range_step(size_t hop, size_t edge_type) const;
  bool share_out(size_t hop, const Range& range);
  bool count_range(size_t hop, const Range& range, std::vector<RangeStep>* steps, Shares* shares);
  bool give_shares(const std::vector<RangeStep>& steps, int64_t total, Shares* shares);
  bool check_shares(size_t hop);
  bool draw_hgt(size_t hop);
  bool draw_type(size_t hop, size_t node_type, int64_t candidates);
  // See batch_hgt_considered.cc.
  bool consider();
  bool consider_range(size_t edge_type, const Range& range);
  // See batch_ppr.cc.
  PushWords push_words() const;
  void copy_push_plan(int64_t* to) const;
  PprWork ppr_work(size_t seed_type, int64_t num_seeds) const;
  bool run_pushes();
  bool push_in_rounds(PprWork* work, PushBlocks* blocks);
  bool make_room(PprWork* work, uint64_t nodes);
  uint64_t push_memory_bytes(PprWork* work, uint64_t nodes, int64_t warps) const;
  bool reserve_staged(int64_t rows, int64_t used, PprWork* work, PushBlocks* blocks);
  bool tell_push_fault(const PprWork& work, unsigned long long fault);
  bool say_met_too_many();
  bool number_pushed(const PprRows& rows, const PprWork& work);
  int64_t nodes_in_reach(size_t seed_type, int64_t most_of_type) const;
  // See batch_induce.cc.
  bool induce();
  bool induce_type(size_t edge_type, int64_t num_nodes);
  // See batch_bidirectional.cc.
  bool join_bidirectional();
  bool join_type(size_t edge_type, EdgeState* joined);
  PickedEdges picked(size_t edge_type) const;
  bool read_counters();
  void know_sizes(size_t hop);
  bool check_faults();
  bool tell_fault(size_t hop, size_t edge_type, FaultKind kind, int64_t where);
  // `where` is the place of the fault; the last argument is the index of its details among the
  // numbers.
  bool say_fault(size_t edge_type, FaultKind kind, int64_t where, size_t values);
  bool finish(device::SampleAnswer* answer);
  void lay_out(Places* places, device::SampleAnswer* answer, bool copy);
  void copy_ends(Places* places, const EdgeState& type, int64_t count, bool copy,
                 device::EdgeArrays* out);
  void* taken(Places* places, size_t list, int64_t at, bool copy);
  void* copied(Places* places, const void* from, int64_t count, bool wide, bool copy);
  bool too_many_nodes();
  bool good(cudaError_t result, const char* what) {
    fine_ = cuda::good(result, what, error_) && fine_;
    return fine_;
  }

  int64_t* counter(size_t place) const {
    return reinterpret_cast<int64_t*>(counters_.data()) + place;
  }
  int64_t read(size_t place) const {
    return reinterpret_cast<const int64_t*>(kept_->out.data())[place];
  }
  size_t nodes_after(size_t hop, size_t node_type) const {
    return places_.nodes_after + hop * plan_.node_counts.size() + node_type;
  }
  size_t nodes_now(size_t node_type) const { return nodes_after(plan_.num_hops, node_type); }

  const OwnPlan& plan_;
  KeptMemory* const kept_;
  const uint64_t most_bytes_;
  const device::SampleWork& work_;
  const device::Stream stream_;
  const cudaStream_t cuda_stream_;
  device::GpuError* const error_;
  bool waits_ = true;  // waits for the sizes of each hop
  bool fine_ = true;
  bool finished_ = false;

  Counters places_;
  int64_t num_seeds_ = 0;
  size_t adding_ = 0;     // new nodes are seeds, or nodes of hop adding_ - 1
  DeviceBlock counters_;  // and the data that are copied with them
  DeviceBlock all_;       // the block that others borrow from
  DeviceBlock seed_locals_;
  DeviceBlock tree_keys_;
  // For one step; the next one reuses them.
  DeviceBlock rows_;
  DeviceBlock picks_;
  DeviceBlock walk_;
  DeviceBlock walk_edges_;
  DeviceBlock importance_ids_;  // of a hop
  DeviceBlock importance_seeds_;
  DeviceBlock importance_nodes_;
  DeviceBlock importance_scores_;
  int64_t num_importance_ = 0;
  // For HGT: all visited nodes, their scores, and the last shares.
  NodeState met_;
  DeviceBlock scores_;
  DeviceBlock taken_;
  DeviceBlock shares_;
  DeviceBlock candidates_;
  Range shared_;          // the nodes whose faults are not checked yet
  Shares shared_places_;  // of these nodes
  std::vector<ImportanceOfType> importance_of_;
  std::vector<NodeState> nodes_;
  std::vector<EdgeState> edges_;
  std::vector<ArrayCopy> copies_;  // of the answer
  BatchBounds bounds_;
};

}  // namespace gls::cuda
