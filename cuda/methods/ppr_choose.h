// Chooses the neighbours of a seed among the nodes that a push has reached, with one warp. For .cu
// files.
#pragma once

#include "cuda/methods/ppr_push.h"
#include "cuda/primitives/sort.h"
#include "cuda/primitives/weight_search.h"

namespace gls::cuda {

template <typename Before>
__device__ void sort_by_warp(PushedOnDevice* items, int64_t count, const Before& before) {
  sort_together(items, count, WarpTeam().rank(), kWarp, before, [] { __syncwarp(); });
}

struct ByTypeAndValue {
  __device__ bool operator()(const PushedOnDevice& a, const PushedOnDevice& b) const {
    return a.type != b.type ? a.type < b.type : comes_first(a.value, a.node, b.value, b.node);
  }
};
struct ByTypeAndNode {
  __device__ bool operator()(const PushedOnDevice& a, const PushedOnDevice& b) const {
    if (a.type != b.type || a.node != b.node) {
      return a.type != b.type ? a.type < b.type : a.node < b.node;
    }
    return owns_first(a.value, a.channel, b.value, b.channel);
  }
};

// All lanes of the warp hold equal data, and call the same functions.
class WarpChoice {
 public:
  // `bins` is the warp's shared memory; `left` has kMostChannels elements.
  __device__ WarpChoice(const PprWork& work, int64_t warp, Bins* bins, int64_t* left)
      : work_(work),
        found_(work.memory.found + static_cast<uint64_t>(warp) * work.memory.found_room),
        candidates_(work.memory.candidates + static_cast<uint64_t>(warp) * work.memory.found_room),
        bins_(bins),
        left_(left) {}

  __device__ void begin() { num_found_ = 0; }

  // Keeps the nodes that push number `push` chooses.
  __device__ void add(const WarpPush& push, int64_t number) {
    for (int64_t type = 0; type < work_.num_types; ++type) {
      const Choosing first = {push, work_.type_begins[type], work_.type_begins[type + 1],
                              PushChoice::kFirst, work_.top_up};
      Choosing left = first;
      left.choice = PushChoice::kLeft;
      int64_t num_first = 0;
      int64_t num_left = 0;
      for (int64_t from = 0; from < push.num_met(); from += kWarp) {
        const int64_t i = from + lane();
        int all = 0;
        uint64_t rank = 0;
        WarpTeam().before(i < push.num_met() && first(i, &rank), &all);
        num_first += all;
        WarpTeam().before(i < push.num_met() && left(i, &rank), &all);
        num_left += all;
      }
      const int64_t most = work_.neighbors;
      take(first, num_first, num_first < most ? num_first : most, type, number);
      const int64_t places = num_first < most ? most - num_first : 0;
      take(left, num_left, num_left < places ? num_left : places, type, number);
    }
    __syncwarp();
  }

  // Writes the rows of the seed. False: there is no room for them.
  __device__ bool finish(int64_t local) {
    if (work_.places == nullptr) {
      sort_by_warp(found_, num_found_, ByTypeAndValue{});
      const int64_t row = stage(num_found_);
      write(found_, num_found_, row, local, [&](const PushedOnDevice& one, int64_t at) {
        float* const score = work_.staged_scores + at * work_.columns;
        score[0] = static_cast<float>(one.value);
        score[1] = static_cast<float>(push_proximity(one.hop));
      });
      return row >= 0;
    }
    find_candidates();
    int64_t chosen = 0;
    for (int64_t begin = 0; begin < num_candidates_;) {
      const int64_t end = end_of_type(candidates_, num_candidates_, begin);
      chosen += choose(begin, end);
      begin = end;
    }
    const int64_t row = stage(chosen);
    write(candidates_, num_candidates_, row, local,
          [&](const PushedOnDevice& one, int64_t at) { write_channels(one, at); });
    return row >= 0;
  }

 private:
  static constexpr unsigned kAll = 0xffffffffu;
  static __device__ int lane() { return WarpTeam().rank(); }

  // The nodes of a type that may be chosen in one step. Ranks are not negative, so their bits order
  // them.
  struct Choosing {
    const WarpPush& push;
    int64_t begin;
    int64_t end;
    PushChoice choice;
    bool top_up;

    __device__ bool operator()(int64_t number, uint64_t* rank) const {
      const auto key = static_cast<int64_t>(push.key(number));
      if (key < begin || key >= end) {
        return false;
      }
      const PushState& state = push.state(number);
      *rank = static_cast<uint64_t>(__double_as_longlong(push_rank(state)));
      return push_choice(state, top_up) == choice;
    }
  };

  // Takes the `wanted` best of `count` nodes.
  __device__ void take(const Choosing& choosing, int64_t count, int64_t wanted, int64_t type,
                       int64_t channel) {
    if (wanted == 0) {
      return;
    }
    const WarpPush& push = choosing.push;
    Threshold least = {0, 0, 0};
    uint64_t last_key = ~uint64_t{0};  // among those with the lowest rank
    if (count > wanted) {
      least = find_threshold(WarpTeam{}, 0, push.num_met(), wanted, choosing, bins_);
    }
    if (least.skipped > 0) {
      const auto keys = [&](int64_t number, uint64_t* order) {
        uint64_t rank = 0;
        *order = ~uint64_t{push.key(number)};
        return choosing(number, &rank) && rank == least.order;
      };
      last_key = ~find_threshold(WarpTeam{}, 0, push.num_met(), least.taken, keys, bins_).order;
    }
    for (int64_t from = 0; from < push.num_met(); from += kWarp) {
      const int64_t i = from + lane();
      uint64_t rank = 0;
      const bool taken = i < push.num_met() && choosing(i, &rank) && rank >= least.order &&
                         (rank > least.order || push.key(i) <= last_key);
      int all = 0;
      const int before = WarpTeam().before(taken, &all);
      if (taken) {
        const PushState& state = push.state(i);
        found_[num_found_ + before] = {static_cast<int64_t>(push.key(i)) - choosing.begin,
                                       push_value(state, work_.top_up),
                                       static_cast<uint32_t>(type),
                                       static_cast<uint32_t>(channel),
                                       state.hop,
                                       0,
                                       1,
                                       1};
      }
      num_found_ += all;
    }
  }

  // ---- channels
  // Lists each node once, in the channel that it belongs to, in the order of channels.
  __device__ void find_candidates() {
    sort_by_warp(found_, num_found_, ByTypeAndNode{});
    num_candidates_ = 0;
    for (int64_t from = 0; from < num_found_; from += kWarp) {
      const int64_t i = from + lane();
      const bool first = i < num_found_ && (i == 0 || !same_node(i, i - 1));
      int all = 0;
      const int before = WarpTeam().before(first, &all);
      if (first) {
        PushedOnDevice one = found_[i];
        one.begin = static_cast<uint32_t>(i);
        while (i + one.count < num_found_ && same_node(i, i + one.count)) {
          ++one.count;
        }
        one.chosen = 0;
        candidates_[num_candidates_ + before] = one;
      }
      num_candidates_ += all;
    }
    __syncwarp();
    sort_by_warp(candidates_, num_candidates_, ByTypeAndValue{});
  }
  __device__ bool same_node(int64_t a, int64_t b) const {
    return found_[a].type == found_[b].type && found_[a].node == found_[b].node;
  }
  static __device__ int64_t end_of_type(const PushedOnDevice* items, int64_t count, int64_t begin) {
    int64_t low = begin;  // of the type
    int64_t high = count;
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      const bool same = items[middle].type == items[begin].type;
      low = same ? middle : low;
      high = same ? high : middle;
    }
    return high;
  }

  // Chooses among the candidates of a type; returns their number.
  __device__ int64_t choose(int64_t begin, int64_t end) {
    for (int64_t c = lane(); c < work_.num_pushes; c += kWarp) {
      left_[c] = work_.places[c];
    }
    __syncwarp();
    int64_t places = work_.neighbors;
    for (int64_t from = begin; from < end; from += kWarp) {
      const int64_t i = from + lane();
      const uint32_t channel = i < end ? candidates_[i].channel : ~uint32_t{0};
      const unsigned same = __match_any_sync(kAll, channel);
      const int before = __popc(same & ((1u << lane()) - 1));
      const int64_t quota = i < end ? left_[channel] : 0;
      const bool chosen = before < quota;
      __syncwarp();  // no lane may write before all have read
      if (i < end && before == 0) {
        const int64_t taken = __popc(same);
        left_[channel] -= taken < quota ? taken : quota;
      }
      if (chosen) {
        candidates_[i].chosen = 1;
      }
      __syncwarp();
      places -= __popc(__ballot_sync(kAll, chosen ? 1 : 0));
    }
    __syncwarp();
    for (int64_t from = begin; from < end && places > 0; from += kWarp) {
      const int64_t i = from + lane();
      const bool free = i < end && candidates_[i].chosen == 0;
      int all = 0;
      const int before = WarpTeam().before(free, &all);
      if (free && before < places) {
        candidates_[i].chosen = 1;
      }
      places -= all < places ? all : places;
    }
    __syncwarp();
    return work_.neighbors - places;
  }

  __device__ void write_channels(const PushedOnDevice& one, int64_t at) const {
    float* const score = work_.staged_scores + at * work_.columns;
    for (int64_t c = 0; c < work_.columns; ++c) {
      score[c] = 0;
    }
    double nearest = 0;
    for (uint32_t i = one.begin; i < one.begin + one.count; ++i) {
      const PushedOnDevice& found = found_[i];
      const double proximity = push_proximity(found.hop);
      float* const of_channel = score + 2 + int64_t{3} * found.channel;
      of_channel[0] = static_cast<float>(found.value);
      of_channel[1] = static_cast<float>(proximity);
      of_channel[2] = 1;
      nearest = proximity > nearest ? proximity : nearest;
    }
    score[0] = static_cast<float>(one.value);
    score[1] = static_cast<float>(nearest);
  }

  // ---- rows
  // The start of this many rows; -1: there is no room for them.
  __device__ int64_t stage(int64_t count) const {
    unsigned long long begin = ~0ull;
    if (lane() == 0) {
      auto* const staged = reinterpret_cast<unsigned long long*>(work_.staged);
      const auto more = static_cast<unsigned long long>(count);
      unsigned long long was = *static_cast<volatile unsigned long long*>(staged);
      while (was + more <= static_cast<unsigned long long>(work_.staged_room) && begin == ~0ull) {
        const unsigned long long found = atomicCAS(staged, was, was + more);
        begin = found == was ? was : begin;
        was = found;
      }
      if (begin == ~0ull) {
        atomicAdd(reinterpret_cast<unsigned long long*>(work_.not_staged), more);
      }
    }
    return static_cast<int64_t>(__shfl_sync(kAll, begin, 0));
  }

  // Writes the chosen nodes in order, from number `row` on.
  template <typename Write>
  __device__ void write(const PushedOnDevice* items, int64_t count, int64_t row, int64_t local,
                        const Write& write_score) const {
    for (int64_t begin = 0; row >= 0 && begin < count;) {
      const int64_t end = end_of_type(items, count, begin);
      int64_t written = 0;
      for (int64_t from = begin; from < end; from += kWarp) {
        const int64_t i = from + lane();
        const bool chosen = i < end && items[i].chosen != 0;
        int all = 0;
        const int before = WarpTeam().before(chosen, &all);
        if (chosen) {
          const int64_t at = row + written + before;
          work_.staged_ids[at] = items[i].node;
          write_score(items[i], at);
        }
        written += all;
      }
      if (lane() == 0) {
        const int64_t of_seed = items[begin].type * work_.num_seeds + local;
        work_.counts[of_seed] = written;
        work_.begins[of_seed] = row;
      }
      row += written;
      begin = end;
    }
  }

  const PprWork& work_;
  PushedOnDevice* const found_;
  PushedOnDevice* const candidates_;
  Bins* const bins_;
  int64_t* const left_;
  int64_t num_found_ = 0;
  int64_t num_candidates_ = 0;
};

}  // namespace gls::cuda
