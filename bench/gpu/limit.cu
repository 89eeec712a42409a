#include <cuda_runtime.h>

#include <bit>

#include "bench/gpu/limit.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/launch.h"

namespace gls::bench {
namespace {

using cuda::Grid;
using cuda::num_threads;
using cuda::thread_number;

constexpr unsigned kThreads = 256;
constexpr int64_t kMostBlocks = int64_t{1} << 16;
constexpr int64_t kEach = 8;  // of a thread, at once

// A few operations for each read: what a kernel that does nothing else can afford.
__device__ uint64_t mixed(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

__device__ int64_t anywhere(uint64_t salt, int64_t number, uint64_t below) {
  return static_cast<int64_t>(__umul64hi(mixed(salt + static_cast<uint64_t>(number)), below));
}

__global__ void read_sectors(const uint32_t* memory, uint64_t sectors, int64_t reads, uint64_t salt,
                             uint32_t* sink) {
  uint32_t sum = 0;
  const int64_t threads = num_threads();
  for (int64_t at = thread_number(); at < reads; at += kEach * threads) {
    uint32_t found[kEach];
#pragma unroll
    for (int64_t k = 0; k < kEach; ++k) {
      found[k] =
          at + k * threads < reads ? memory[8 * anywhere(salt, at + k * threads, sectors)] : 0;
    }
#pragma unroll
    for (int64_t k = 0; k < kEach; ++k) {
      sum ^= found[k];
    }
  }
  if (sum == 0x5eed5eedu && salt == 0) {
    *sink = sum;
  }
}

// A thread moves pieces of 16 bytes, several at once; neighbours move those of one row.
__global__ void read_rows(const uint4* memory, uint64_t rows, int shift, int64_t pieces,
                          uint64_t salt, uint4* out) {
  const int64_t threads = num_threads();
  for (int64_t at = thread_number(); at < pieces; at += 4 * threads) {
    uint4 found[4];
#pragma unroll
    for (int64_t k = 0; k < 4; ++k) {
      const int64_t piece = at + k * threads;
      if (piece < pieces) {
        const int64_t row = anywhere(salt, piece >> shift, rows);
        found[k] = memory[(row << shift) + (piece & ((int64_t{1} << shift) - 1))];
      }
    }
#pragma unroll
    for (int64_t k = 0; k < 4; ++k) {
      if (at + k * threads < pieces) {
        out[at + k * threads] = found[k];
      }
    }
  }
}

__global__ void write_numbers(int64_t words, uint64_t salt, uint64_t* out) {
  for (int64_t at = thread_number(); at < words; at += num_threads()) {
    out[at] = mixed(salt + static_cast<uint64_t>(at));
  }
}

__global__ void copy_pieces(const uint4* from, int64_t pieces, uint4* to) {
  const int64_t threads = num_threads();
  for (int64_t at = thread_number(); at < pieces; at += 4 * threads) {
    uint4 found[4];
#pragma unroll
    for (int64_t k = 0; k < 4; ++k) {
      if (at + k * threads < pieces) {
        found[k] = from[at + k * threads];
      }
    }
#pragma unroll
    for (int64_t k = 0; k < 4; ++k) {
      if (at + k * threads < pieces) {
        to[at + k * threads] = found[k];
      }
    }
  }
}

Grid grid(int64_t items, int64_t each, void* stream) {
  const int64_t threads = (items + each - 1) / each;
  const int64_t blocks = (threads + kThreads - 1) / kThreads;
  return {static_cast<unsigned>(blocks < 1             ? 1
                                : blocks < kMostBlocks ? blocks
                                                       : kMostBlocks),
          kThreads, 0, static_cast<cudaStream_t>(stream)};
}

}  // namespace

bool random_reads(int device, const void* memory, uint64_t bytes, uint64_t reads, uint64_t salt,
                  uint32_t* sink, void* stream) {
  const auto count = static_cast<int64_t>(reads);
  return cudaSetDevice(device) == cudaSuccess &&
         cuda::launch(read_sectors, grid(count, kEach, stream),
                      static_cast<const uint32_t*>(memory), bytes / 32, count, salt | 1,
                      sink) == cudaSuccess;
}

bool random_rows(int device, const void* memory, uint64_t rows, uint64_t row_bytes, uint64_t count,
                 uint64_t salt, void* out, void* stream) {
  const int shift = std::countr_zero(row_bytes / 16);
  const auto pieces = static_cast<int64_t>(count << shift);
  return cudaSetDevice(device) == cudaSuccess &&
         cuda::launch(read_rows, grid(pieces, 4, stream), static_cast<const uint4*>(memory), rows,
                      shift, pieces, salt, static_cast<uint4*>(out)) == cudaSuccess;
}

bool fill(int device, uint64_t bytes, uint64_t salt, void* memory, void* stream) {
  const auto words = static_cast<int64_t>(bytes / 8);
  return cudaSetDevice(device) == cudaSuccess &&
         cuda::launch(write_numbers, grid(words, 8, stream), words, salt,
                      static_cast<uint64_t*>(memory)) == cudaSuccess;
}

bool plain_copy(int device, const void* from, uint64_t bytes, void* to, void* stream) {
  const auto pieces = static_cast<int64_t>(bytes / 16);
  return cudaSetDevice(device) == cudaSuccess &&
         cuda::launch(copy_pieces, grid(pieces, 4, stream), static_cast<const uint4*>(from), pieces,
                      static_cast<uint4*>(to)) == cudaSuccess;
}

}  // namespace gls::bench
