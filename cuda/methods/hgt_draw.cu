// Draws from the candidates of a type: docs/contract.md section 2, "With weights", without
// replacement. The weights of the list are computed here, and the list may be long.
#include "cuda/methods/hgt.h"
#include "cuda/primitives/arena.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/grid_partition.h"
#include "cuda/primitives/scan.h"
#include "host_device/alias_rule.h"
#include "host_device/hgt_rule.h"

namespace gls::cuda {
namespace {

static_assert(kScanThreads == kThreads);

// ---- the list of candidates --------------------------------------------------------------------

struct IsCandidate {
  MetNodes met;
  int64_t first_key;
  int64_t end_key;
  __device__ int64_t operator()(int64_t i) const {
    return met.taken[i] == 0 && met.keys[i] >= first_key && met.keys[i] < end_key ? 1 : 0;
  }
};
struct OnlyCount {
  __device__ void operator()(int64_t, int64_t, int64_t) const {}
};
struct ListOne {
  uint32_t* list;
  __device__ void operator()(int64_t i, int64_t before, int64_t own) const {
    if (own != 0) {
      list[before] = static_cast<uint32_t>(i);
    }
  }
};

template <typename Take>
cudaError_t go_over(const Candidates& all, int64_t* count, const Take& take, cudaStream_t stream) {
  return running_sums(IsCandidate{all.met, all.first_key, all.end_key}, TellTotal{count}, take,
                      all.met.count, all.most, all.sums, stream);
}

// ---- their alias table -------------------------------------------------------------------------

struct DrawSpace {
  int64_t* numbers;  // on the device, in the form that running sums use
  void* scan;
  double* sums;          // [count]: cumulative weights
  int32_t* parts;        // [count]: running parts
  uint64_t* lacks;       // [count]: as in AliasSums
  AliasSlot* slots;      // [count]
  uint32_t* first_draw;  // [count]: the first draw of the entry
  uint32_t* drawn;       // [draws]
  uint64_t bytes;

  DrawSpace(void* memory, int64_t count, int64_t num_draws) {
    Places places(static_cast<char*>(memory));
    const auto entries = static_cast<uint64_t>(count);
    numbers = places.next<int64_t>(3 * sizeof(int64_t));
    scan = places.next(kScanBytes);
    sums = places.next<double>(entries * sizeof(double));
    parts = places.next<int32_t>(entries * sizeof(int32_t));
    lacks = places.next<uint64_t>(entries * sizeof(uint64_t));
    slots = places.next<AliasSlot>(entries * sizeof(AliasSlot));
    first_draw = places.next<uint32_t>(entries * sizeof(uint32_t));
    drawn = places.next<uint32_t>(static_cast<uint64_t>(num_draws) * sizeof(uint32_t));
    bytes = places.size();
  }
  GLS_HOST_DEVICE int64_t* count() const { return numbers; }
  GLS_HOST_DEVICE int64_t* num_draws() const { return numbers + 1; }
  GLS_HOST_DEVICE int64_t* found() const { return numbers + 2; }  // written by draws
};

// Sums of float64 depend on the order: one thread adds, and the block reads and writes.
__global__ void __launch_bounds__(kThreads) sums_kernel(HgtDraw draw, DrawSpace space) {
  constexpr int kTile = 4 * kThreads;
  __shared__ double tile[kTile];
  double sum = 0;
  for (int64_t first = 0; first < draw.count; first += kTile) {
    const auto size = static_cast<int>(draw.count - first < kTile ? draw.count - first : kTile);
    for (int i = static_cast<int>(threadIdx.x); i < size; i += kThreads) {
      tile[i] = hgt_weight(draw.scores[draw.list[first + i]]);
    }
    __syncthreads();
    for (int i = 0; threadIdx.x == 0 && i < size; ++i) {
      sum += tile[i];
      tile[i] = sum;
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < size; i += kThreads) {
      space.sums[first + i] = tile[i];
    }
    __syncthreads();
  }
}

// All weights are positive, because scores are.
__global__ void __launch_bounds__(kThreads) parts_kernel(DrawSpace space, int64_t count) {
  const double total = space.sums[count - 1];
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    space.parts[i] = running_parts(static_cast<int32_t>(i) + 1, space.sums[i], total, count);
  }
}

struct LackOf {
  const int32_t* parts;
  uint64_t count;
  __device__ int64_t operator()(int64_t i) const {
    return static_cast<int64_t>(
        AliasSums::lack_of(AliasSums::size_of(parts, count, static_cast<uint64_t>(i))));
  }
};
struct NoTotal {
  __device__ void operator()(int64_t) const {}
};
struct TellLacks {
  uint64_t* lacks;
  __device__ void operator()(int64_t i, int64_t before, int64_t own) const {
    lacks[i] = static_cast<uint64_t>(before + own);
  }
};

__global__ void __launch_bounds__(kThreads) slots_kernel(DrawSpace space, int64_t count) {
  const AliasSums sums = {space.parts, space.lacks, static_cast<uint64_t>(count)};
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    space.slots[i] = sums[static_cast<uint64_t>(i)];
    space.first_draw[i] = ~uint32_t{0};
  }
}

// ---- draws -------------------------------------------------------------------------------------

__global__ void __launch_bounds__(kThreads)
    draw_kernel(HgtDraw draw, DrawSpace space, int64_t num_draws) {
  RowDraws draws(draw.key, draw.word, 0);
  for (int64_t j = thread_number(); j < num_draws; j += num_threads()) {
    const uint32_t entry = alias_drawn(space.slots, static_cast<uint64_t>(draw.count), draws,
                                       static_cast<uint32_t>(j));
    space.drawn[j] = entry;
    atomicMin(space.first_draw + entry, static_cast<uint32_t>(j));
  }
}

struct IsNew {
  const uint32_t* drawn;
  const uint32_t* first_draw;
  __device__ int64_t operator()(int64_t j) const {
    return first_draw[drawn[j]] == static_cast<uint32_t>(j) ? 1 : 0;
  }
};
struct PickNew {
  const uint32_t* drawn;
  uint32_t* picks;
  int64_t wanted;
  __device__ void operator()(int64_t j, int64_t before, int64_t own) const {
    if (own != 0 && before < wanted) {
      picks[before] = drawn[j];
    }
  }
};

// Makes the missing picks one after another from the remaining entries. Each search first finds one
// of as many pieces of the list as there are threads, and then searches that piece.
__global__ void __launch_bounds__(kThreads)
    missing_kernel(HgtDraw draw, DrawSpace space, int64_t num_draws) {
  __shared__ int64_t pieces[kThreads];
  __shared__ int64_t found;
  if (*space.found() >= draw.wanted) {
    return;
  }
  const int64_t count = draw.count;
  const int64_t size = (count + kThreads - 1) / kThreads;
  // The remaining parts of each entry; the old contents are not needed any more.
  uint32_t* const left = space.first_draw;
  for (int64_t i = threadIdx.x; i < count; i += kThreads) {
    left[i] = static_cast<uint32_t>(space.parts[i] - (i == 0 ? 0 : space.parts[i - 1]));
  }
  __syncthreads();
  for (int64_t k = threadIdx.x; k < *space.found(); k += kThreads) {
    left[draw.picks[k]] = 0;
  }
  __syncthreads();
  int64_t own = 0;
  for (int64_t i = threadIdx.x * size; i < (threadIdx.x + 1) * size && i < count; ++i) {
    own += left[i];
  }
  pieces[threadIdx.x] = own;
  int64_t total = 0;
  scan::block_sum(own, &total);
  RowDraws draws(draw.key, draw.word, 0);
  const BlockTeam team{nullptr};  // without counts
  for (int64_t k = *space.found(); k < draw.wanted; ++k) {
    const uint32_t number =
        alias_upper(static_cast<uint64_t>(count), draws, static_cast<uint32_t>(num_draws + k));
    int64_t target = part_of_remaining(number, static_cast<uint64_t>(total));
    find_part(team, pieces, 0, kThreads, target, &found);
    const int64_t piece = found;
    int64_t before = 0;
    scan::block_sum(static_cast<int>(threadIdx.x) < piece ? pieces[threadIdx.x] : 0, &before);
    target -= before;
    const int64_t begin = piece * size;
    find_part(team, left, begin, begin + size < count ? begin + size : count, target, &found);
    const int64_t entry = found;
    const auto parts = static_cast<int64_t>(left[entry]);
    total -= parts;
    __syncthreads();  // all threads have read
    if (threadIdx.x == 0) {
      draw.picks[k] = static_cast<uint32_t>(entry);
      pieces[piece] -= parts;
      left[entry] = 0;
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kThreads) take_kernel(TakenCandidates taken, MetNodes met) {
  for (int64_t i = thread_number(); i < taken.count; i += num_threads()) {
    const uint32_t node = taken.list[taken.picks == nullptr ? i : taken.picks[i]];
    met.taken[node] = 1;
    taken.ids[i] = met.keys[node] - taken.first_key;
  }
}

int64_t draws_for(int64_t count, int64_t wanted) {
  return static_cast<int64_t>(
      alias_draws(static_cast<uint64_t>(count), static_cast<uint64_t>(wanted)));
}

}  // namespace

uint64_t hgt_scan_bytes() { return kScanBytes; }

cudaError_t count_candidates(const Candidates& candidates, int64_t* count, cudaStream_t stream) {
  return go_over(candidates, count, OnlyCount{}, stream);
}

cudaError_t list_candidates(const Candidates& candidates, int64_t* count, uint32_t* list,
                            cudaStream_t stream) {
  return go_over(candidates, count, ListOne{list}, stream);
}

uint64_t hgt_draw_bytes(int64_t count, int64_t wanted) {
  return DrawSpace(nullptr, count, draws_for(count, wanted)).bytes;
}

cudaError_t draw_candidates(const HgtDraw& draw, cudaStream_t stream) {
  const int64_t count = draw.count;
  const int64_t num_draws = draws_for(count, draw.wanted);
  const DrawSpace space(draw.scratch, count, num_draws);
  const LackOf lack = {space.parts, static_cast<uint64_t>(count)};
  cudaError_t result = set_numbers(space.count(), count, num_draws, stream);
  const auto then = [&](const auto& work) {
    if (result == cudaSuccess) {
      result = work();
    }
  };
  then([&] { return launch(sums_kernel, Grid{1, kThreads, 0, stream}, draw, space); });
  then([&] { return launch(parts_kernel, grid_for(count, stream), space, count); });
  then([&] {
    return running_sums(lack, NoTotal{}, TellLacks{space.lacks}, space.count(), count, space.scan,
                        stream);
  });
  then([&] { return launch(slots_kernel, grid_for(count, stream), space, count); });
  then([&] { return launch(draw_kernel, grid_for(num_draws, stream), draw, space, num_draws); });
  then([&] {
    return running_sums(IsNew{space.drawn, space.first_draw}, TellTotal{space.found()},
                        PickNew{space.drawn, draw.picks, draw.wanted}, space.num_draws(), num_draws,
                        space.scan, stream);
  });
  then([&] {
    return launch(missing_kernel, Grid{1, kThreads, 0, stream}, draw, space, num_draws);
  });
  return result;
}

cudaError_t take_candidates(const TakenCandidates& taken, const MetNodes& met,
                            cudaStream_t stream) {
  return launch(take_kernel, grid_for(taken.count, stream), taken, met);
}

}  // namespace gls::cuda
