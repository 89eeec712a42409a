// Second-order walks: docs/contract.md section 6, "node2vec". A thread makes a walk, as in walk.cu,
// and its own tries. It also searches for the link from the previous node to an entry's node, if
// rows ascend. If they do not, the warp searches for one of its walks after another, because rows
// may be long.
#include <limits>

#include "cuda/kernels/row_weights.h"
#include "cuda/methods/walk_step.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/row_search.h"
#include "cuda/primitives/thread_group.h"
#include "host_device/alias_rule.h"

namespace gls::cuda {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr double kLargest = std::numeric_limits<double>::max();

// A walk at the start of a step.
struct BiasedWalk {
  bool goes = false;  // along an edge, if there is one
  int64_t node = -1;
  int64_t previous = -1;  // the node before; -1: the step is first-order
  uint64_t key = 0;
  int64_t step = 0;
};

// Whether the graph has an edge from one node to another that is not excluded. The lanes of a warp
// pass equal nodes; `from` was visited along its row.
__device__ bool linked_together(const WalkWork& work, const WalkRows& rows, int64_t from,
                                int64_t to) {
  WalkRow row;
  find_walk_row(rows, from, &row);
  const RowEntries entries(rows, row.row);
  if (work.ascending && !row.has_gaps()) {
    return bisect_row(entries, row.begin(), row.end(), to);
  }
  return scan_row(entries, row.begin(), row.end(), to, [&](int64_t position) {
    return !is_gap(row.always, position) && !is_gap(row.now, position);
  });
}

// The results for the lanes that ask, each from the previous node of its own walk, which was
// visited along its row.
__device__ bool linked(const WalkWork& work, const WalkRows& rows, bool asks, int64_t from,
                       int64_t to) {
  WalkRow row;
  if (asks) {
    find_walk_row(rows, from, &row);
  }
  const bool alone = asks && work.ascending && !row.has_gaps();
  bool answer = alone && bisect_row(RowEntries(rows, row.row), row.begin(), row.end(), to);
  for (unsigned left = __ballot_sync(kAllLanes, asks && !alone ? 1 : 0); left != 0;
       left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    const bool found = linked_together(work, rows, __shfl_sync(kAllLanes, from, lane),
                                       __shfl_sync(kAllLanes, to, lane));
    answer = WarpTeam().rank() == lane ? found : answer;
  }
  return answer;
}

// Uses the weights of all entries, because no try was accepted. All lanes have the same walk.
__device__ WalkMove move_exactly(const WalkWork& work, const WalkRows& rows,
                                 const BiasedWalk& walk) {
  WalkRow row;
  find_walk_row(rows, walk.node, &row);
  const RowEntries entries(rows, row.row);
  const auto weight = [&](int64_t position, int64_t candidate) {
    const bool back = candidate == walk.previous;
    const double bias =
        work.bias.of(back, !back && work.bias.asks_links() &&
                               linked_together(work, rows, walk.previous, candidate));
    return rows.weights.rows == nullptr
               ? bias
               : number_at(rows.weights.exact, entries.edge(position)) * bias;
  };
  double total = 0;
  int64_t positive = 0;
  for (int64_t i = 0; i < row.degree; ++i) {
    const int64_t position = row.position(i);
    const int64_t candidate = entries.neighbor(position);
    if (static_cast<uint64_t>(candidate) >= rows.num_neighbors) {
      return walk_fault(FaultKind::kIndex, row.round_of(kWalkTries), position, candidate, 0);
    }
    const double one = weight(position, candidate);
    total += one;
    positive += one > 0 ? 1 : 0;
  }
  if (total > kLargest || row.degree > kAllParts) {
    return walk_fault(FaultKind::kWeights, row.round_of(kWalkTries), walk.node, 0, 0);
  }
  const int32_t part =
      part_of_wide(walk_draws(walk.key, static_cast<uint32_t>(walk.step), 1 + kWalkTries).first);
  double sum = 0;
  int32_t met = 0;
  for (int64_t i = 0; i < row.degree && positive > 0; ++i) {
    const int64_t position = row.position(i);
    const double one = weight(position, entries.neighbor(position));
    sum += one;
    met += one > 0 ? 1 : 0;
    if (running_parts(met, sum, total, positive) > part) {
      return move_along(rows, row, position, kWalkTries, work.edges.data != nullptr);
    }
  }
  return {};
}

// The state of a lane's try: finished, rejected, or waiting for a link.
struct Tried {
  bool over = true;
  bool asks = false;
  int64_t position = 0;
  int64_t candidate = -1;
  double unit = 0;
  WalkMove move;
};

__device__ Tried try_entry(const WalkWork& work, const WalkRows& rows, const BiasedWalk& walk,
                           const WalkRow& row, uint32_t tried) {
  Tried out;
  const WalkDraws draws = walk_draws(walk.key, static_cast<uint32_t>(walk.step), 1 + tried);
  out.position = row.selected(draws.first);
  if (walk.previous >= 0) {
    out.candidate = RowEntries(rows, row.row).neighbor(out.position);
    if (static_cast<uint64_t>(out.candidate) >= rows.num_neighbors) {
      out.move = walk_fault(FaultKind::kIndex, row.round_of(tried), out.position, out.candidate, 0);
      return out;
    }
    out.unit = RowDraws::unit_of(draws.second);
    const WalkTry turn = judge_walk(work.bias, out.candidate == walk.previous, out.unit);
    out.asks = turn == WalkTry::kAskLink;
    if (turn != WalkTry::kTake) {
      out.over = false;
      return out;
    }
  }
  out.move = move_along(rows, row, out.position, tried, work.edges.data != nullptr);
  return out;
}

// One step of each lane's walk. All lanes of a warp call it.
__device__ WalkMove take_step(const WalkWork& work, const BiasedWalk& walk) {
  const WalkRows& rows = work.path[0];  // there is one edge type
  WalkMove out;
  WalkRow row;
  bool pending = walk.goes;
  if (pending && !find_tried_row(rows, walk.node, &row)) {
    out = bad_walk_row(rows, walk.node);
    pending = false;
  }
  pending = pending && row.degree > 0;
  for (uint32_t tried = 0; tried < kWalkTries && WarpTeam().any(pending); ++tried) {
    Tried result;
    if (pending) {
      result = try_entry(work, rows, walk, row, tried);
    }
    const bool is_linked =
        linked(work, rows, pending && result.asks, walk.previous, result.candidate);
    if (pending && result.asks && accepts_walk(work.bias, is_linked, result.unit)) {
      result.over = true;
      result.move = move_along(rows, row, result.position, tried, work.edges.data != nullptr);
    }
    if (pending && result.over) {
      out = result.move;
      pending = false;
    }
  }
  for (unsigned left = __ballot_sync(kAllLanes, pending ? 1 : 0); left != 0; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    const BiasedWalk one = {true, __shfl_sync(kAllLanes, walk.node, lane),
                            __shfl_sync(kAllLanes, walk.previous, lane),
                            __shfl_sync(kAllLanes, walk.key, lane), walk.step};
    const WalkMove move = move_exactly(work, rows, one);
    if (WarpTeam().rank() == lane) {
      out = move;
    }
  }
  return out;
}

__global__ void __launch_bounds__(kWalkThreads) biased_kernel(WalkWork work) {
  const int64_t lane = WarpTeam().rank();
  for (int64_t first = thread_number() - lane; first < work.count; first += num_threads()) {
    const int64_t number = first + lane;
    const bool is_walk = number < work.count;
    const int64_t seed = is_walk ? work.seeds[number / work.walks] : 0;
    BiasedWalk walk;
    walk.node = is_walk ? seed : -1;
    walk.key = walk_key(work.key, static_cast<uint64_t>(number));
    if (is_walk) {
      work.nodes.set(number * (work.length + 1), seed);
    }
    for (walk.step = 0; walk.step < work.length; ++walk.step) {
      const WalkTurn turn = walk.node < 0 ? WalkTurn::kEnd : turn_at(work, walk.key, walk.step);
      walk.goes = turn == WalkTurn::kGo;
      const WalkMove move = take_step(work, walk);
      if (move.at_fault) {
        tell_walk_fault(work, number, walk.step, move);
      }
      walk.previous = walk.goes ? walk.node : -1;
      walk.node = turn == WalkTurn::kRestart ? seed : move.at_fault ? -1 : move.node;
      if (is_walk) {
        work.nodes.set(number * (work.length + 1) + walk.step + 1, walk.node);
        if (work.edges.data != nullptr) {
          work.edges.set(number * work.length + walk.step, move.at_fault ? -1 : move.edge);
        }
      }
    }
  }
}

// Repeats what the faulty walk did at that place, with one warp.
__global__ void __launch_bounds__(kWarp)
    biased_fault_kernel(WalkWork work, WalkPlace place, IdsIn ids, int64_t* values) {
  const IdsIn nodes = {work.nodes.data, work.nodes.wide};
  const int64_t at = place.number * (work.length + 1) + place.step;
  BiasedWalk walk;
  walk.goes = WarpTeam().rank() == 0;
  walk.key = walk_key(work.key, static_cast<uint64_t>(place.number));
  walk.step = place.step;
  walk.node = ids[nodes[at]];
  walk.previous = place.step > 0 && turn_at(work, walk.key, place.step - 1) == WalkTurn::kGo
                      ? ids[nodes[at - 1]]
                      : -1;
  const WalkMove move = take_step(work, walk);
  if (walk.goes) {
    write_walk_fault(move, 0, values);
  }
}

}  // namespace

cudaError_t walk_biased(const WalkWork& work, cudaStream_t stream) {
  return launch(biased_kernel, walk_grid(work.count, stream), work);
}

cudaError_t read_biased_fault(const WalkWork& work, const WalkPlace& place, const IdsIn& ids,
                              int64_t* values, cudaStream_t stream) {
  return launch(biased_fault_kernel, Grid{1, kWarp, 0, stream}, work, place, ids, values);
}

}  // namespace gls::cuda
