// What kernels are written in: indices, barriers, warps, atomics. The threads of a block take turns
// on one thread of the processor; each has a stack of its own from where it first waits for others.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
// One block runs on a thread of the processor at a time.
#define __shared__ static thread_local

struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct uint3 {
  unsigned x, y, z;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};
constexpr uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
constexpr ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }

inline constexpr int warpSize = 32;

namespace gls::cuda_on_host {

// Of the kernel that this thread started last.
unsigned last_blocks();

struct Place {
  uint3 thread;
  uint3 block;
  dim3 threads;  // of a block
  dim3 blocks;
};
// Of the thread that runs now. A function, as a thread's own variables may not be remembered across
// a change of stacks.
Place& place();

enum class Meeting : uint8_t { kNone, kBlock, kWarp, kShuffle, kBallot, kMatch };
// Waits for all of the block, or for the lanes of `mask`. `value` is what the lane brings; the
// answer is what `from` brings, or a mask of lanes.
uint64_t meet(Meeting meeting, uint32_t mask, uint64_t value, int from);
unsigned char* dynamic_shared();

// What all threads have asked of the runtime so far, for tests that count it.
struct Calls {
  uint64_t kernels = 0;
  uint64_t copies = 0;
  uint64_t sets = 0;
  uint64_t pool = 0;  // blocks that were taken or given back

  Calls operator-(const Calls& before) const {
    return {kernels - before.kernels, copies - before.copies, sets - before.sets,
            pool - before.pool};
  }
};
Calls calls();
// One more of a kind.
void count(uint64_t Calls::*kind);

inline unsigned lane() { return place().thread.x % 32; }

template <typename T>
uint64_t bits_of(T value) {
  static_assert(sizeof(T) <= 8);
  uint64_t out = 0;
  std::memcpy(&out, &value, sizeof value);
  return out;
}
template <typename T>
T value_of(uint64_t bits) {
  T out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}

}  // namespace gls::cuda_on_host

#define threadIdx (gls::cuda_on_host::place().thread)
#define blockIdx (gls::cuda_on_host::place().block)
#define blockDim (gls::cuda_on_host::place().threads)
#define gridDim (gls::cuda_on_host::place().blocks)

// ---- meeting
// -------------------------------------------------------------------------------------

inline void __syncthreads() {
  gls::cuda_on_host::meet(gls::cuda_on_host::Meeting::kBlock, 0, 0, 0);
}
inline void __syncwarp(unsigned mask = ~0u) {
  gls::cuda_on_host::meet(gls::cuda_on_host::Meeting::kWarp, mask, 0, 0);
}
template <typename T>
T shuffle_from(unsigned mask, T value, int from) {
  using namespace gls::cuda_on_host;
  return value_of<T>(meet(Meeting::kShuffle, mask, bits_of(value), from));
}
template <typename T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const int lane = static_cast<int>(gls::cuda_on_host::lane());
  return shuffle_from(mask, value, lane / width * width + (from & (width - 1)));
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = static_cast<int>(gls::cuda_on_host::lane());
  const int from = lane - static_cast<int>(by);
  return shuffle_from(mask, value, from < lane / width * width ? lane : from);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = static_cast<int>(gls::cuda_on_host::lane());
  const int from = lane + static_cast<int>(by);
  return shuffle_from(mask, value, from >= (lane / width + 1) * width ? lane : from);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
  const int lane = static_cast<int>(gls::cuda_on_host::lane());
  const int from = lane ^ with;
  return shuffle_from(mask, value, from >= (lane / width + 1) * width ? lane : from);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  using namespace gls::cuda_on_host;
  return static_cast<unsigned>(meet(Meeting::kBallot, mask, predicate != 0 ? 1 : 0, 0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) == mask ? 1 : 0;
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value) {
  using namespace gls::cuda_on_host;
  return static_cast<unsigned>(meet(Meeting::kMatch, mask, bits_of(value), 0));
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// ---- numbers
// -------------------------------------------------------------------------------------

template <typename T>
T __ldg(const T* from) {
  return *from;
}
template <typename T>
T __ldcs(const T* from) {
  return *from;
}
template <typename T>
void __stcs(T* to, T value) {
  *to = value;
}
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}

// ---- atomics: also against blocks of other kernels that run at the same time
// -----------------------

template <typename T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <typename T>
T atomicSub(T* at, std::type_identity_t<T> value) {
  return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
template <typename T>
T atomicOr(T* at, std::type_identity_t<T> value) {
  return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
template <typename T>
T atomicAnd(T* at, std::type_identity_t<T> value) {
  return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
template <typename T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
template <typename T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <typename T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (value < old &&
         !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
template <typename T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (old < value &&
         !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
