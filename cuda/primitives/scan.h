// Running sums for kernels; the device knows the number of elements. Included by .cu files.
//
// A fixed number of blocks divides the elements. Each block reads its elements twice: for their
// sum, and, after adding the sums of earlier blocks, for the start of each element. So inputs and
// results need not be arrays.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/launch.h"

namespace gls::cuda {

inline constexpr int kScanThreads = 256;
inline constexpr int64_t kScanBlocks = 1024;
inline constexpr uint64_t kScanBytes = kScanBlocks * sizeof(int64_t);

namespace scan {

// Elements per thread at once, so that it waits for memory once for all of them.
constexpr int kItems = 4;

// The number of elements, which the device knows: from `begin` to `end`.
struct Count {
  const int64_t* end;
  const int64_t* begin = nullptr;  // NULL: 0
  Count(const int64_t* end_in, const int64_t* begin_in = nullptr) : end(end_in), begin(begin_in) {}
  __device__ int64_t operator()() const { return *end - (begin == nullptr ? 0 : *begin); }
};

struct Part {
  int64_t begin;
  int64_t end;
};

__device__ inline Part part_of_block(int64_t count) {
  const int64_t tiles = (count + kScanThreads - 1) / kScanThreads;
  const int64_t size = (tiles + gridDim.x - 1) / gridDim.x * kScanThreads;
  const int64_t begin = size * blockIdx.x;
  return {begin < count ? begin : count, begin + size < count ? begin + size : count};
}

// The sum of the numbers of all threads, each of which has several. The first numbers of all
// threads come before the second ones. before[k] is the sum of the numbers before number k of this
// thread. All threads of the block call it.
template <int kCount>
__device__ int64_t block_sums(const int64_t (&numbers)[kCount], int64_t (&before)[kCount]) {
  constexpr int kWarps = kScanThreads / 32;
  __shared__ int64_t sums[kCount][kWarps];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  for (int k = 0; k < kCount; ++k) {
    int64_t sum = numbers[k];
    for (int step = 1; step < 32; step *= 2) {
      const int64_t others = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(step));
      sum += lane >= step ? others : 0;
    }
    if (lane == 31) {
      sums[k][warp] = sum;
    }
    before[k] = sum - numbers[k];
  }
  __syncthreads();
  int64_t all = 0;
  for (int k = 0; k < kCount; ++k) {
    before[k] += all;
    for (int w = 0; w < kWarps; ++w) {
      before[k] += w < warp ? sums[k][w] : 0;
      all += sums[k][w];
    }
  }
  __syncthreads();  // no thread may write before all have read
  return all;
}

// For one number each: the sum of those of earlier threads, and the sum of all in `total`.
__device__ inline int64_t block_sum(int64_t number, int64_t* total) {
  const int64_t numbers[1] = {number};
  int64_t before[1];
  *total = block_sums(numbers, before);
  return before[0];
}

template <typename Number>
__global__ void __launch_bounds__(kScanThreads)
    sum_kernel(Number number, Count count, int64_t* sums) {
  const Part part = part_of_block(count());
  int64_t sum = 0;
  for (int64_t first = part.begin; first < part.end; first += kItems * kScanThreads) {
    for (int k = 0; k < kItems; ++k) {
      const int64_t i = first + k * kScanThreads + threadIdx.x;
      sum += i < part.end ? number(i) : 0;
    }
  }
  int64_t total = 0;
  block_sum(sum, &total);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
  }
}

template <typename Number, typename Total, typename Take>
__global__ void __launch_bounds__(kScanThreads)
    take_kernel(Number number, Total take_total, Take take, Count count, const int64_t* sums) {
  const Part part = part_of_block(count());
  const bool is_last = blockIdx.x == gridDim.x - 1;
  if (part.begin == part.end && !is_last) {
    return;
  }
  int64_t of_blocks = 0;
  for (unsigned block = threadIdx.x; block < blockIdx.x; block += kScanThreads) {
    of_blocks += sums[block];
  }
  int64_t before = 0;
  block_sum(of_blocks, &before);
  for (int64_t first = part.begin; first < part.end; first += kItems * kScanThreads) {
    int64_t numbers[kItems];
    for (int k = 0; k < kItems; ++k) {
      const int64_t i = first + k * kScanThreads + threadIdx.x;
      numbers[k] = i < part.end ? number(i) : 0;
    }
    int64_t of_threads[kItems];
    const int64_t total = block_sums(numbers, of_threads);
    for (int k = 0; k < kItems; ++k) {
      const int64_t i = first + k * kScanThreads + threadIdx.x;
      if (i < part.end) {
        take(i, before + of_threads[k], numbers[k]);
      }
    }
    before += total;
  }
  if (is_last && threadIdx.x == 0) {
    take_total(before);
  }
}

}  // namespace scan

// The usual arguments of running_sums(): elements of an array, and the destinations of the total
// and of each start.
struct NumberOf {
  const int64_t* numbers;
  __device__ int64_t operator()(int64_t i) const { return numbers[i]; }
};
struct TellTotal {
  int64_t* total;
  __device__ void operator()(int64_t sum) const { *total = sum; }
};
struct TellBegin {
  int64_t* begins;
  __device__ void operator()(int64_t i, int64_t before, int64_t) const { begins[i] = before; }
};

// Calls take(i, number(0) + ... + number(i - 1), number(i)) for each i below the count, and
// take_total(number(0) + ...) once, on any thread and at any time. These must not change what
// `number` and `take` read. The count is at most `most`, which is not 0. The second pass uses
// `again` for numbers, in case the first pass stored them. `scratch`: kScanBytes of device memory.
template <typename Number, typename Again, typename Total, typename Take>
cudaError_t running_sums(const Number& number, const Again& again, const Total& take_total,
                         const Take& take, const scan::Count& count, int64_t most, void* scratch,
                         cudaStream_t stream) {
  auto* const sums = static_cast<int64_t*>(scratch);
  const int64_t tiles = (most + kScanThreads - 1) / kScanThreads;
  const auto blocks = static_cast<unsigned>(tiles < kScanBlocks ? tiles : kScanBlocks);
  const Grid grid{blocks, kScanThreads, 0, stream};
  const cudaError_t result = launch(scan::sum_kernel<Number>, grid, number, count, sums);
  return result != cudaSuccess ? result
                               : launch(scan::take_kernel<Again, Total, Take>, grid, again,
                                        take_total, take, count, static_cast<const int64_t*>(sums));
}
template <typename Number, typename Total, typename Take>
cudaError_t running_sums(const Number& number, const Total& take_total, const Take& take,
                         const scan::Count& count, int64_t most, void* scratch,
                         cudaStream_t stream) {
  return running_sums(number, number, take_total, take, count, most, scratch, stream);
}

}  // namespace gls::cuda
