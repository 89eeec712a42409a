// Running sums of as many numbers as the device knows there are, for kernels: included by .cu
// files.
//
// Each of a fixed number of blocks has a part of the numbers, and goes over it twice: for its sum,
// and then for what each number begins at. So numbers and results need not be arrays.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/launch.h"

namespace gls::cuda {

inline constexpr int kScanThreads = 256;
inline constexpr int64_t kScanBlocks = 512;
inline constexpr uint64_t kScanBytes = kScanBlocks * sizeof(int64_t);

namespace scan {

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

// The sum of the numbers of the threads before this one, and that of all in `total`. All threads of
// the block call it.
__device__ inline int64_t block_sum(int64_t number, int64_t* total) {
  constexpr int kWarps = kScanThreads / 32;
  __shared__ int64_t sums[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  int64_t sum = number;
  for (int step = 1; step < 32; step *= 2) {
    const int64_t before = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(step));
    sum += lane >= step ? before : 0;
  }
  if (lane == 31) {
    sums[warp] = sum;
  }
  __syncthreads();
  int64_t before = 0;
  int64_t all = 0;
  for (int w = 0; w < kWarps; ++w) {
    before += w < warp ? sums[w] : 0;
    all += sums[w];
  }
  __syncthreads();  // others may not write before all have read
  *total = all;
  return before + sum - number;
}

template <typename Number>
__global__ void __launch_bounds__(kScanThreads)
    sum_kernel(Number number, const int64_t* count, int64_t* sums) {
  const Part part = part_of_block(*count);
  if (part.begin == part.end) {
    if (threadIdx.x == 0) {
      sums[blockIdx.x] = 0;
    }
    return;
  }
  int64_t sum = 0;
  for (int64_t i = part.begin + threadIdx.x; i < part.end; i += kScanThreads) {
    sum += number(i);
  }
  int64_t total = 0;
  block_sum(sum, &total);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
  }
}

// Sums become those of the blocks before.
template <typename Total>
__global__ void __launch_bounds__(kScanThreads)
    join_kernel(Total take_total, int64_t* sums, int blocks) {
  int64_t before = 0;
  for (int first = 0; first < blocks; first += kScanThreads) {
    int64_t total = 0;
    const int at = first + static_cast<int>(threadIdx.x);
    const int64_t sum = block_sum(at < blocks ? sums[at] : 0, &total);
    if (at < blocks) {
      sums[at] = before + sum;
    }
    before += total;
  }
  if (threadIdx.x == 0) {
    take_total(before);
  }
}

template <typename Number, typename Take>
__global__ void __launch_bounds__(kScanThreads)
    take_kernel(Number number, Take take, const int64_t* count, const int64_t* sums) {
  const Part part = part_of_block(*count);
  int64_t before = sums[blockIdx.x];
  for (int64_t first = part.begin; first < part.end; first += kScanThreads) {
    const int64_t i = first + threadIdx.x;
    const int64_t here = i < part.end ? number(i) : 0;
    int64_t total = 0;
    const int64_t sum = block_sum(here, &total);
    if (i < part.end) {
      take(i, before + sum, here);
    }
    before += total;
  }
}

}  // namespace scan

// The usual ones for running_sums(): numbers of an array, and where the total and what each number
// begins at go.
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

// take(i, number(0) + ... + number(i - 1), number(i)) for each i below *count, once
// take_total(number(0) + ...) was called by one thread. *count is at most `most`, which is not 0.
// `scratch`: kScanBytes of the device.
template <typename Number, typename Total, typename Take>
cudaError_t running_sums(const Number& number, const Total& take_total, const Take& take,
                         const int64_t* count, int64_t most, void* scratch, cudaStream_t stream) {
  auto* const sums = static_cast<int64_t*>(scratch);
  const int64_t tiles = (most + kScanThreads - 1) / kScanThreads;
  const auto blocks = static_cast<unsigned>(tiles < kScanBlocks ? tiles : kScanBlocks);
  const Grid all{blocks, kScanThreads, 0, stream};
  cudaError_t result = launch(scan::sum_kernel<Number>, all, number, count, sums);
  if (result == cudaSuccess) {
    result = launch(scan::join_kernel<Total>, Grid{1, kScanThreads, 0, stream}, take_total, sums,
                    static_cast<int>(blocks));
  }
  if (result == cudaSuccess) {
    result = launch(scan::take_kernel<Number, Take>, all, number, take, count,
                    static_cast<const int64_t*>(sums));
  }
  return result;
}

}  // namespace gls::cuda
