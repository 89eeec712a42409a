// Forward push from one seed by one warp, in the CPU's order. For .cu files.
//
// Edges are processed 32 at a time, one per lane. Lanes that reach the same node find each other,
// and the first of them adds all their shares in order. So sums equal those of a CPU. Nodes also
// join the queue in the CPU's order, which is that of the lanes whose shares made them join.
#pragma once

#include "cuda/kernels/hash_table.h"
#include "cuda/kernels/picker.h"
#include "cuda/methods/ppr.h"
#include "cuda/methods/walk_step.h"
#include "cuda/primitives/thread_group.h"

namespace gls::cuda {

enum class PushEnd : uint8_t { kDone, kNoRoom, kFault };

// All lanes of the warp hold equal data, and call the same functions.
class WarpPush {
 public:
  __device__ WarpPush(const PprWork& work, int64_t warp)
      : work_(work),
        table_{work.memory.keys + warp_first(warp, work.memory.slots), work.memory.slots - 1},
        states_(work.memory.states + warp_first(warp, work.memory.slots)),
        met_(work.memory.met + warp_first(warp, room())),
        queue_(work.memory.queue + warp_first(warp, room())),
        picked_(work.memory.picked + warp_first(warp, work.memory.picked_slots)) {}

  // Runs push `number` of the seed.
  __device__ PushEnd run(int64_t number, int64_t local) {
    local_ = local;
    steps_ = work_.step_begins + number * work_.num_types;
    num_met_ = 0;
    front_ = 0;
    end_ = 0;
    edges_ = 0;
    const int64_t node = work_.seeds[local];
    int64_t degree = 0;
    if (!find_degree(work_.seed_type, node, &degree)) {
      if (lane() == 0) {
        tell_row(work_.seed_type, node);
      }
      return PushEnd::kFault;
    }
    if (lane() == 0) {
      const uint32_t slot = table_.enter(key_of(work_.seed_type, node));
      states_[slot] = seed_state(work_.alpha, push_limit(work_.factor, degree));
      met_[0] = slot;
      queue_[0] = slot;
    }
    num_met_ = 1;
    end_ = 1;
    __syncwarp();
    PushEnd end = PushEnd::kDone;
    while (end == PushEnd::kDone && front_ < end_ && edges_ < work_.max_edges) {
      end = push(queue_[front_++ & (room() - 1)]);
    }
    return end;
  }
  // Clears the visited nodes.
  __device__ void clear() {
    __syncwarp();  // other lanes may still read what was pushed last
    for (int64_t i = lane(); i < num_met_; i += kWarp) {
      table_.keys[met_[i]] = kFreeKey;
    }
    num_met_ = 0;
    __syncwarp();
  }

  __device__ int64_t num_met() const { return num_met_; }
  // The number of a visited node among those of all types.
  __device__ unsigned long long key(int64_t number) const { return table_.keys[met_[number]]; }
  __device__ const PushState& state(int64_t number) const { return states_[met_[number]]; }

 private:
  static constexpr unsigned kAll = 0xffffffffu;

  static __device__ int lane() { return WarpTeam().rank(); }
  static __device__ uint64_t warp_first(int64_t warp, uint64_t each) {
    return static_cast<uint64_t>(warp) * each;
  }
  __device__ uint64_t room() const { return work_.memory.slots / 2; }
  __device__ unsigned long long key_of(int64_t type, int64_t node) const {
    return static_cast<unsigned long long>(work_.type_begins[type] + node);
  }
  __device__ int64_t type_of(unsigned long long key) const {
    int64_t low = 0;
    int64_t high = work_.num_types;
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      const bool above = static_cast<unsigned long long>(work_.type_begins[middle]) > key;
      low = above ? low : middle;
      high = above ? middle : high;
    }
    return low;
  }
  __device__ PickWay way(const WalkRow& row) const {
    return pick_way(static_cast<uint64_t>(row.degree), limit(), Replace::kNever);
  }
  __device__ int64_t limit() const { return work_.row_limit > 0 ? work_.row_limit : -1; }
  __device__ int64_t picks_of(const WalkRow& row) const {
    return static_cast<int64_t>(
        row_picks(static_cast<uint64_t>(row.degree), limit(), Replace::kNever));
  }

  // ---- faults: reported by one lane, for a seed that is processed once
  __device__ void tell(int64_t kind, int64_t edge_type, int64_t a, int64_t b, int64_t c) const {
    int64_t* const out = work_.faults + local_ * kPushFaultWords;
    out[0] = kind;
    out[1] = edge_type;
    out[2] = a;
    out[3] = b;
    out[4] = c;
    tell_fault(work_.fault, local_);
  }
  // Reports the first invalid row of a node.
  __device__ void tell_row(int64_t type, int64_t node) const {
    for (int64_t s = steps_[type]; s < steps_[type + 1]; ++s) {
      const WalkRows& rows = work_.rows[work_.steps[s]];
      WalkRow row;
      if (!find_walk_row(rows, node, &row)) {
        tell(static_cast<int64_t>(FaultKind::kRow), work_.steps[s], node, rows.indptr[node],
             rows.indptr[node + 1]);
        return;
      }
    }
  }

  // False: a row is invalid.
  __device__ bool find_degree(int64_t type, int64_t node, int64_t* degree) const {
    *degree = 0;
    for (int64_t s = steps_[type]; s < steps_[type + 1]; ++s) {
      WalkRow row;
      if (!find_walk_row(work_.rows[work_.steps[s]], node, &row)) {
        return false;
      }
      *degree += row.degree;
    }
    return true;
  }

  __device__ PushEnd push(uint32_t slot) {
    PushState state = states_[slot];
    __syncwarp();  // no lane may write before all have read
    const double residual = start_push(&state);
    if (lane() == 0) {
      states_[slot] = state;
    }
    __syncwarp();
    const unsigned long long key = table_.keys[slot];
    const int64_t type = type_of(key);
    const int64_t node = static_cast<int64_t>(key) - work_.type_begins[type];
    int64_t taken = 0;
    for (int64_t s = steps_[type]; s < steps_[type + 1]; ++s) {
      WalkRow row;
      find_walk_row(work_.rows[work_.steps[s]], node, &row);  // it is valid: its degree was found
      taken += picks_of(row);
    }
    if (taken == 0) {
      return PushEnd::kDone;
    }
    if (meets_too_many(num_met_, taken)) {
      if (lane() == 0) {
        tell(kMetTooMany, 0, 0, 0, 0);
      }
      return PushEnd::kFault;
    }
    edges_ += static_cast<uint64_t>(taken);
    const double share = push_share(work_.alpha, residual, taken);
    PushEnd end = PushEnd::kDone;
    for (int64_t s = steps_[type]; end == PushEnd::kDone && s < steps_[type + 1]; ++s) {
      end = spread(work_.steps[s], node, share, state.hop + 1);
    }
    return end;
  }

  __device__ PushEnd spread(int64_t edge_type, int64_t node, double share, int32_t hop) {
    const WalkRows& rows = work_.rows[edge_type];
    WalkRow row;
    find_walk_row(rows, node, &row);
    const int64_t count = picks_of(row);
    const bool cut = way(row) == PickWay::kDistinct;
    RowDraws draws(work_.key, row_word(0, static_cast<uint32_t>(edge_type)),
                   static_cast<uint64_t>(node));
    if (cut) {
      clear_picked();
    }
    const RowEntries entries(rows, row.row);
    for (int64_t from = 0; from < count; from += kWarp) {
      if (static_cast<uint64_t>(num_met_ + kWarp) > room()) {
        return PushEnd::kNoRoom;
      }
      const int64_t number = from + lane();
      const bool active = number < count;
      const int64_t entry =
          cut ? pick_distinct(&draws, static_cast<uint64_t>(row.degree), number, active) : number;
      const int64_t position = active ? row.position(entry) : 0;
      const int64_t neighbor = active ? entries.neighbor(position) : 0;
      const unsigned outside = __ballot_sync(
          kAll, static_cast<uint64_t>(neighbor) >= rows.num_neighbors && active ? 1 : 0);
      if (outside != 0) {
        if (lane() == __ffs(static_cast<int>(outside)) - 1) {
          tell(static_cast<int64_t>(FaultKind::kIndex), edge_type, position, neighbor, 0);
        }
        return PushEnd::kFault;
      }
      if (!receive(work_.neighbor_types[edge_type], neighbor, active, share, hop)) {
        return PushEnd::kFault;
      }
    }
    return PushEnd::kDone;
  }

  // Adds a share to the node of each lane with `active`, in the order of lanes. False: a row of a
  // node is invalid.
  __device__ bool receive(int64_t type, int64_t node, bool active, double share, int32_t hop) {
    const unsigned long long key = active ? key_of(type, node) : kFreeKey;
    const unsigned same = __match_any_sync(kAll, key);
    const int first = __ffs(static_cast<int>(same)) - 1;
    const bool leads = active && lane() == first;
    uint32_t slot = 0;
    bool is_new = false;
    if (leads) {
      slot = table_.enter(key, &is_new);
    }
    int added = 0;
    const int before = WarpTeam().before(is_new, &added);
    if (is_new) {
      met_[num_met_ + before] = slot;
    }
    num_met_ += added;
    int64_t degree = 0;
    const bool fine = !is_new || find_degree(type, node, &degree);
    const unsigned at_fault = __ballot_sync(kAll, fine ? 0 : 1);
    if (at_fault != 0) {
      if (lane() == __ffs(static_cast<int>(at_fault)) - 1) {
        tell_row(type, node);
      }
      __syncwarp();
      return false;
    }
    int joins = -1;  // the lane whose share makes the node join the queue
    if (leads) {
      PushState state = is_new ? met_state(push_limit(work_.factor, degree), hop) : states_[slot];
      for (unsigned left = same; left != 0; left &= left - 1) {
        if (receive_share(&state, share, hop)) {
          joins = __ffs(static_cast<int>(left)) - 1;
        }
      }
      states_[slot] = state;
    }
    joins = __shfl_sync(kAll, joins, first);
    slot = __shfl_sync(kAll, slot, first);
    int joined = 0;
    const int rank = WarpTeam().before(joins == lane(), &joined);
    if (joins == lane()) {
      queue_[(end_ + static_cast<uint64_t>(rank)) & (room() - 1)] = slot;
    }
    end_ += static_cast<uint64_t>(joined);
    __syncwarp();
    return true;
  }

  // ---- entries of rows with a limit, by Floyd's rule (host_device/row_rule.h)
  __device__ void clear_picked() {
    for (uint64_t i = static_cast<uint64_t>(lane()); i < work_.memory.picked_slots; i += kWarp) {
      picked_[i] = kFreeKey;
    }
    __syncwarp();
  }
  // Pick `number` of each lane with `active`; earlier picks are known.
  __device__ int64_t pick_distinct(RowDraws* draws, uint64_t degree, int64_t number, bool active) {
    const KeySlots table = {picked_, work_.memory.picked_slots - 1};
    const auto fanout = static_cast<uint64_t>(work_.row_limit);
    const auto j = static_cast<uint32_t>(number);
    unsigned long long pick = kFreeKey;
    unsigned long long top = kFreeKey;
    if (active) {
      pick = floyd_draw(*draws, degree, fanout, j);
      top = floyd_top(degree, fanout, j);
      uint64_t place = 0;
      pick = table.find(pick, &place) ? top : pick;
    }
    for (int shown = 0; shown < kWarp - 1; ++shown) {
      const unsigned long long earlier = __shfl_sync(kAll, pick, shown);
      pick = lane() > shown && pick == earlier ? top : pick;
    }
    if (active) {
      table.enter(pick);
    }
    __syncwarp();
    return static_cast<int64_t>(pick);
  }

  const PprWork& work_;
  const KeySlots table_;
  PushState* const states_;
  uint32_t* const met_;
  uint32_t* const queue_;
  unsigned long long* const picked_;
  const int64_t* steps_ = nullptr;  // of the push, by node type
  int64_t local_ = 0;
  int64_t num_met_ = 0;
  uint64_t front_ = 0;
  uint64_t end_ = 0;
  uint64_t edges_ = 0;
};

}  // namespace gls::cuda
