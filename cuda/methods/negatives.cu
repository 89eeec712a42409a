#include "cuda/methods/negatives.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/row_search.h"
#include "cuda/primitives/thread_group.h"
#include "host_device/negative_rule.h"

namespace gls::cuda {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

GLS_HOST_DEVICE NegativePair pair_of(const NegativesStep& step, int64_t number, uint32_t tried) {
  const auto at = static_cast<uint64_t>(number);
  return negative_of_try(
      step.draws, at, tried,
      step.draws.each == 0 ? -1 : step.link_sources[link_of_negative(step.draws, at)]);
}

// A number below count * tries for each try, in the CPU's order: round by round, where all tries of
// one negative come before those of the next.
struct TryPlace {
  int64_t number = 0;
  uint32_t tried = 0;
};

GLS_HOST_DEVICE unsigned long long number_of(const NegativesStep& step, const TryPlace& place,
                                             uint32_t done, uint32_t round) {
  return static_cast<unsigned long long>(int64_t{done} * step.count + place.number * round +
                                         (place.tried - done));
}

GLS_HOST_DEVICE TryPlace try_at(const NegativesStep& step, unsigned long long number) {
  auto rest = static_cast<int64_t>(number);
  uint32_t done = 0;
  uint32_t round = tries_of_round(done, step.draws.tries);
  while (rest >= round * step.count) {
    rest -= round * step.count;
    done += round;
    round = tries_of_round(done, step.draws.tries);
  }
  return {rest / round, done + static_cast<uint32_t>(rest % round)};
}

// The row in which a pair is searched.
GLS_HOST_DEVICE int64_t row_of(const NegativesStep& step, const NegativePair& pair) {
  return step.rows_of_targets ? pair.target : pair.source;
}
GLS_HOST_DEVICE int64_t neighbor_of(const NegativesStep& step, const NegativePair& pair) {
  return step.rows_of_targets ? pair.source : pair.target;
}

// ---- kernels -----------------------------------------------------------------------------------

__device__ void write_negative(const NegativesStep& step, int64_t number,
                               const NegativePair& pair) {
  step.targets[number] = pair.target;
  if (step.draws.each == 0) {
    step.sources[number] = pair.source;
  }
}

// For negatives that may be edges.
__global__ void __launch_bounds__(kThreads) draw_kernel(NegativesStep step) {
  for (int64_t i = thread_number(); i < step.count; i += num_threads()) {
    write_negative(step, i, pair_of(step, i, 0));
  }
}

// The first trying lane whose pair is not an edge; -1: all are edges. Rows are valid.
__device__ int first_no_edge(const NegativesStep& step, bool tries, const NegativePair& pair,
                             const FoundRow& row) {
  const auto end = row.begin + static_cast<int64_t>(row.degree);
  const int64_t neighbor = neighbor_of(step, pair);
  if (step.ascending) {
    const bool good = tries && !bisect_row(RowEntries(step.rows, row), row.begin, end, neighbor);
    return __ffs(static_cast<int>(__ballot_sync(kAllLanes, good ? 1 : 0))) - 1;
  }
  for (unsigned left = __ballot_sync(kAllLanes, tries ? 1 : 0); left != 0; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    FoundRow other;
    find_row(step.rows, __shfl_sync(kAllLanes, row_of(step, pair), lane), &other);
    const auto other_end = other.begin + static_cast<int64_t>(other.degree);
    if (!scan_row(RowEntries(step.rows, other), other.begin, other_end,
                  __shfl_sync(kAllLanes, neighbor, lane), [](int64_t) { return true; })) {
      return lane;
    }
  }
  return -1;
}

// One warp for each negative, with one try per lane. As on a CPU, all tries of a round are checked
// for faults, and tested for edges until one is not an edge.
__device__ bool draw_strict(const NegativesStep& step, int64_t number, NegativePair* found) {
  const auto rank = static_cast<uint32_t>(WarpTeam().rank());
  bool is_found = false;
  for (uint32_t done = 0; done < step.draws.tries && !is_found;) {
    const uint32_t round = tries_of_round(done, step.draws.tries);
    for (uint32_t first = done; first < done + round; first += kWarp) {
      const bool tries = first + rank < done + round;
      NegativePair pair;
      FoundRow row = {};
      bool at_fault = false;
      if (tries) {
        pair = pair_of(step, number, first + rank);
        at_fault = !find_row(step.rows, row_of(step, pair), &row);
      }
      if (WarpTeam().any(at_fault)) {
        if (at_fault) {
          atomicMin(step.fault, number_of(step, {number, first + rank}, done, round));
        }
        return false;
      }
      const int lane = is_found ? -1 : first_no_edge(step, tries, pair, row);
      if (lane >= 0) {
        is_found = true;
        *found = {__shfl_sync(kAllLanes, pair.source, lane),
                  __shfl_sync(kAllLanes, pair.target, lane)};
      }
    }
    done += round;
  }
  return is_found;
}

__global__ void __launch_bounds__(kThreads) draw_strict_kernel(NegativesStep step) {
  for (int64_t i = thread_number() / kWarp; i < step.count; i += num_threads() / kWarp) {
    NegativePair found;
    const bool is_found = draw_strict(step, i, &found);
    if (WarpTeam().rank() != 0) {
      continue;
    }
    if (is_found) {
      write_negative(step, i, found);
    } else {
      atomicMin(step.missing, static_cast<unsigned long long>(i));
    }
  }
}

__global__ void negative_fault_kernel(NegativesStep step, TryPlace place, int64_t* values) {
  const int64_t node = row_of(step, pair_of(step, place.number, place.tried));
  values[0] = node;
  values[1] = step.rows.indptr[node];
  values[2] = step.rows.indptr[node + 1];
}

}  // namespace

cudaError_t draw_negatives(const NegativesStep& step, cudaStream_t stream) {
  return step.strict ? launch(draw_strict_kernel, grid_for(step.count, stream, kWarp), step)
                     : launch(draw_kernel, grid_for(step.count, stream), step);
}

cudaError_t read_negative_fault(const NegativesStep& step, unsigned long long fault,
                                int64_t* values, cudaStream_t stream) {
  return launch(negative_fault_kernel, Grid{1, 1, 0, stream}, step, try_at(step, fault), values);
}

}  // namespace gls::cuda
