#include "cuda/methods/ppr.h"
#include "cuda/methods/ppr_choose.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/scan.h"

namespace gls::cuda {
namespace {

// Few threads, so that the seeds of a batch are spread over the whole GPU.
constexpr int kPushThreads = 64;
constexpr int kPushWarps = kPushThreads / kWarp;

// A warp processes one seed after another. The bounds allow as many blocks as its 128 registers
// permit; the compiler would choose fewer.
__global__ void __launch_bounds__(kPushThreads, 8) push_kernel(PprWork work) {
  __shared__ Bins bins[kPushWarps];
  __shared__ int64_t left[kPushWarps][kMostChannels];
  const int64_t warp = thread_number() / kWarp;
  if (warp >= work.num_warps) {
    return;
  }
  const int in_block = static_cast<int>(threadIdx.x) / kWarp;
  WarpPush push(work, warp);
  WarpChoice choice(work, warp, bins + in_block, left[in_block]);
  while (true) {
    unsigned long long number = 0;
    if (WarpTeam().rank() == 0) {
      number = atomicAdd(reinterpret_cast<unsigned long long*>(work.next), 1ull);
    }
    number = __shfl_sync(0xffffffffu, number, 0);
    if (number >= static_cast<unsigned long long>(work.num_pending)) {
      return;
    }
    const uint32_t local = work.pending[number];
    unsigned long long fault = 0;
    if (WarpTeam().rank() == 0) {
      fault = *static_cast<volatile unsigned long long*>(work.fault);
    }
    if (local > __shfl_sync(0xffffffffu, fault, 0)) {
      continue;  // a CPU does not reach this case
    }
    choice.begin();
    PushEnd end = PushEnd::kDone;
    for (int64_t p = 0; end == PushEnd::kDone && p < work.num_pushes; ++p) {
      end = push.run(p, local);
      if (end == PushEnd::kDone) {
        choice.add(push, p);
      }
      push.clear();
    }
    if (end == PushEnd::kDone && !choice.finish(local)) {
      end = PushEnd::kNoRoom;
    }
    if (end == PushEnd::kNoRoom && WarpTeam().rank() == 0) {
      work.undone[atomicAdd(reinterpret_cast<unsigned long long*>(work.num_undone), 1ull)] = local;
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    list_kernel(uint32_t* pending, int64_t count, int64_t num_types, int64_t* all) {
  if (thread_number() == 0) {
    *all = count * num_types;
  }
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    pending[i] = static_cast<uint32_t>(i);
  }
}

// Computes the start of each type's rows, from the numbers of each seed.
__global__ void __launch_bounds__(kThreads) types_kernel(PprRows rows, const int64_t* sum) {
  for (int64_t t = thread_number(); t < rows.num_types; t += num_threads()) {
    const int64_t begin = rows.begins[t * rows.num_seeds];
    const int64_t end = t + 1 < rows.num_types ? rows.begins[(t + 1) * rows.num_seeds] : *sum;
    rows.type_begins[t] = begin;
    rows.type_counts[t] = end - begin;
  }
}

// One warp for a seed's rows of one type.
__global__ void __launch_bounds__(kThreads) write_kernel(PprRows rows, PprRowsOut out) {
  const int64_t all = rows.num_types * rows.num_seeds;
  for (int64_t i = thread_number() / kWarp; i < all; i += num_threads() / kWarp) {
    const int64_t from = rows.staged_begins[i];
    const int64_t to = rows.begins[i];
    const int64_t count = rows.counts[i];
    for (int64_t k = WarpTeam().rank(); k < count; k += kWarp) {
      out.out_seeds.set(to + k, i % rows.num_seeds);
      out.out_ids.set(to + k, out.ids[from + k]);
    }
    for (int64_t k = WarpTeam().rank(); k < count * out.columns; k += kWarp) {
      out.out_scores[to * out.columns + k] = out.scores[from * out.columns + k];
    }
  }
}

}  // namespace

cudaError_t find_pushed(const PprWork& work, cudaStream_t stream) {
  const uint64_t bytes =
      static_cast<uint64_t>(work.num_warps) * work.memory.slots * sizeof(unsigned long long);
  static_assert(kFreeKey == ~0ull);
  const cudaError_t result = cudaMemsetAsync(work.memory.keys, 0xff, bytes, stream);
  const auto blocks = static_cast<unsigned>((work.num_warps + kPushWarps - 1) / kPushWarps);
  return result != cudaSuccess ? result
                               : launch(push_kernel, Grid{blocks, kPushThreads, 0, stream}, work);
}

cudaError_t list_seeds(uint32_t* pending, int64_t count, int64_t num_types, int64_t* all,
                       cudaStream_t stream) {
  return launch(list_kernel, grid_for(count, stream), pending, count, num_types, all);
}

cudaError_t count_pushed(const PprRows& rows, int64_t* sum, cudaStream_t stream) {
  const int64_t all = rows.num_types * rows.num_seeds;
  const cudaError_t result = running_sums(NumberOf{rows.counts}, TellTotal{sum},
                                          TellBegin{rows.begins}, rows.all, all, rows.sums, stream);
  return result != cudaSuccess ? result
                               : launch(types_kernel, grid_for(rows.num_types, stream), rows,
                                        static_cast<const int64_t*>(sum));
}

cudaError_t write_pushed(const PprRows& rows, const PprRowsOut& out, cudaStream_t stream) {
  return launch(write_kernel, grid_for(rows.num_types * rows.num_seeds, stream, kWarp), rows, out);
}

}  // namespace gls::cuda
