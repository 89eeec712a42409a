#include "cuda/grid.h"
#include "cuda/pick.h"
#include "cuda/scan.h"
#include "cuda/walk.h"
#include "sample/walk_rule.h"

namespace gls::cuda {
namespace {

// Walks that a processor takes step by step together, which decides what fault it meets first.
constexpr int64_t kTogether = 256;

struct Step {
  int64_t node = -1;  // -1: there is nothing to go along
  int64_t edge = -1;
  bool at_fault = false;
  FaultKind kind = FaultKind::kRow;
  int64_t values[3] = {};  // as of read_fault()
};

__device__ Step fault_of(FaultKind kind, int64_t a, int64_t b, int64_t c) {
  Step out;
  out.at_fault = true;
  out.kind = kind;
  out.values[0] = a;
  out.values[1] = b;
  out.values[2] = c;
  return out;
}

__device__ Step go_along(const WalkRows& rows, int64_t node, uint64_t draw, bool edges) {
  FoundRow row;
  if (!find_row(rows, node, &row)) {
    return fault_of(FaultKind::kRow, node, rows.indptr[node], rows.indptr[node + 1]);
  }
  const int64_t begin = row.begin;
  const int64_t end = begin + static_cast<int64_t>(row.degree);
  const auto gaps = [&](const device::LeftOut& left_out) {
    return may_touch(left_out, static_cast<uint64_t>(node))
               ? gaps_within({left_out.positions, left_out.count}, begin, end)
               : Gaps{};
  };
  const Gaps always = gaps(rows.left_out_always);
  const Gaps now = gaps(rows.left_out_now);
  const int64_t degree = end - begin - always.count - now.count;
  if (degree == 0) {
    return {};
  }
  const uint64_t entry = walk_entry(draw, static_cast<uint64_t>(degree));
  const int64_t position = kept_position(begin, static_cast<int64_t>(entry), always, now);
  Step out;
  const RowEntries entries(rows, row);
  out.node = entries.neighbor(position);
  if (static_cast<uint64_t>(out.node) >= rows.num_neighbors) {
    return fault_of(FaultKind::kIndex, position, out.node, 0);
  }
  if (edges) {
    out.edge = entries.edge(position);
    if (static_cast<uint64_t>(out.edge) >= rows.num_edges) {
      return fault_of(FaultKind::kEdgeId, position, out.edge, 0);
    }
  }
  return out;
}

__device__ WalkTurn turn_at(const WalkWork& work, uint64_t key, int64_t step) {
  return work.stop > 0 || work.restart > 0
             ? walk_turn(walk_draws(key, static_cast<uint32_t>(step), 0), work.stop, work.restart)
             : WalkTurn::kGo;
}

__device__ uint64_t pick_at(uint64_t key, int64_t step) {
  return walk_draws(key, static_cast<uint32_t>(step), 1).first;
}

__global__ void __launch_bounds__(kThreads) walk_kernel(WalkWork work) {
  for (int64_t number = thread_number(); number < work.count; number += num_threads()) {
    const int64_t seed = work.seeds[number / work.walks];
    const uint64_t key = walk_key(work.key, static_cast<uint64_t>(number));
    int64_t node = seed;
    int64_t path_at = 0;
    int64_t at = number * (work.length + 1);
    work.nodes.set(at, seed);
    for (int64_t step = 0; step < work.length; ++step) {
      int64_t edge = -1;
      const WalkTurn turn = node < 0 ? WalkTurn::kEnd : turn_at(work, key, step);
      if (turn == WalkTurn::kRestart) {
        node = seed;
        path_at = 0;
      } else if (turn == WalkTurn::kGo) {
        const Step next =
            go_along(work.path[path_at], node, pick_at(key, step), work.edges.data != nullptr);
        if (next.at_fault) {
          const int64_t place =
              (number / kTogether * work.length + step) * kTogether + number % kTogether;
          atomicMin(work.fault, static_cast<unsigned long long>(place));
        }
        node = next.node;
        edge = next.edge;
        path_at = path_at + 1 == work.path_length ? 0 : path_at + 1;
      } else {
        node = -1;
      }
      work.nodes.set(++at, node);
      if (work.edges.data != nullptr) {
        work.edges.set(number * work.length + step, edge);
      }
    }
  }
}

// Once more what the walk did there.
__global__ void walk_fault_kernel(WalkWork work, WalkPlace place, IdsIn ids, int64_t* values) {
  const uint64_t key = walk_key(work.key, static_cast<uint64_t>(place.number));
  int64_t path_at = 0;
  for (int64_t step = 0; step < place.step; ++step) {
    path_at = turn_at(work, key, step) == WalkTurn::kRestart || path_at + 1 == work.path_length
                  ? 0
                  : path_at + 1;
  }
  const IdsIn nodes = {work.nodes.data, work.nodes.wide};
  const int64_t node = ids[nodes[place.number * (work.length + 1) + place.step]];
  const Step next =
      go_along(work.path[path_at], node, pick_at(key, place.step), work.edges.data != nullptr);
  values[0] = static_cast<int64_t>(next.kind);
  values[1] = path_at;
  for (int i = 0; i < 3; ++i) {
    values[2 + i] = next.values[i];
  }
}

// ---- numbering ---------------------------------------------------------------------------------

struct IsOfType {
  WalkedNodes nodes;
  __device__ int64_t operator()(int64_t i) const {
    const IdsIn ids = {nodes.walks.data, nodes.walks.wide};
    return nodes.types[i % nodes.columns] == nodes.type && ids[i] >= 0 ? 1 : 0;
  }
};

struct TellFound {
  int64_t* found;
  __device__ void operator()(int64_t count) const { *found = count; }
};

struct CollectNode {
  WalkedNodes nodes;
  __device__ void operator()(int64_t i, int64_t before, int64_t is_one) const {
    if (is_one != 0) {
      const IdsIn ids = {nodes.walks.data, nodes.walks.wide};
      nodes.ids.set(before, ids[i]);
      nodes.places[before] = i;
    }
  }
};

__global__ void __launch_bounds__(kThreads) put_local_kernel(WalkedNodes nodes, IdsIn local) {
  const int64_t count = *nodes.found;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    nodes.walks.set(nodes.places[i], local[i]);
  }
}

}  // namespace

cudaError_t walk(const WalkWork& work, cudaStream_t stream) {
  return launch(walk_kernel, grid_for(work.count, stream), work);
}

WalkPlace place_of_fault(const WalkWork& work, unsigned long long fault) {
  const auto place = static_cast<int64_t>(fault);
  const int64_t in_turn = place / kTogether;
  return {in_turn / work.length * kTogether + place % kTogether, in_turn % work.length};
}

cudaError_t read_walk_fault(const WalkWork& work, const WalkPlace& place, const IdsIn& ids,
                            int64_t* values, cudaStream_t stream) {
  return launch(walk_fault_kernel, Grid{1, 1, 0, stream}, work, place, ids, values);
}

uint64_t collect_bytes() { return kScanBytes; }

cudaError_t collect_walked(const WalkedNodes& nodes, cudaStream_t stream) {
  return running_sums(IsOfType{nodes}, TellFound{nodes.found}, CollectNode{nodes}, nodes.all,
                      nodes.count, nodes.sums, stream);
}

cudaError_t put_local_ids(const WalkedNodes& nodes, const IdsIn& local, cudaStream_t stream) {
  return launch(put_local_kernel, grid_for(nodes.count, stream), nodes, local);
}

}  // namespace gls::cuda
