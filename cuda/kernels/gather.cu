#include "cuda/kernels/gather.h"
#include "cuda/primitives/launch.h"
#include "tensor/half.h"

namespace gls::cuda {
namespace {

constexpr int kThreads = 256;
// Rows whose loads are in flight at once in each thread, which loads this many bytes at a time.
// With some 60 registers, 1024 threads fit on a multiprocessor. By 16 or 8 bytes they have 64 KB in
// flight, and by 4 bytes 32 KB. Over 132 multiprocessors that is 8 and 4 MB, more than the 3.4 TB/s
// * 0.7 us = 2.4 MB that keep memory busy. More rows take so many registers that fewer threads fit.
// Rows whose width is not a multiple of 16 bytes are loaded in narrower words, because copied rows
// are packed and begin anywhere. Adjacent threads still load adjacent bytes.
constexpr int rows_in_flight(int bytes) { return bytes >= 16 ? 4 : 8; }
// Of a launch, whose blocks cover all rows. More than fit at once, because some have less work.
constexpr int64_t kMostBlocks = 4096;
// For rows in host memory. PCIe 5 with 16 lanes transfers some 55 GB/s, and a read takes some 2 us.
// So 55 GB/s * 2 us = 110 KB in flight keep it busy. These blocks have 64 * 256 threads * 64 bytes
// = 1 MB in flight, or 128 KB of rows that are loaded by single bytes. NVLink of a Grace, with 450
// GB/s and less latency, needs no more. Cached rows in device memory meanwhile reach 1 MB / 0.7 us
// = 1.5 TB/s. More blocks would only wait on all multiprocessors, which the model's kernels need.
constexpr int64_t kMostBlocksOnHost = 64;

// ---- conversions: a row has units, each loaded by one thread at once, and then converted ----

template <typename Word>
struct Copy {
  using Raw = Word;
  using Out = Word;
  static constexpr int kTableFloats = 0;
  static constexpr int kOutPerUnit = sizeof(Word);  // in the unit of `width`
  static constexpr int kRowsInFlight = rows_in_flight(sizeof(Word));

  static __device__ Raw load(const char* row, int64_t unit) {
    return __ldg(reinterpret_cast<const Word*>(row) + unit);
  }
  static __device__ Out make(Raw raw, int64_t /*unit*/, const float* /*table*/) { return raw; }
};

// One float, or four aligned floats.
template <int kFloats>
struct Floats;
template <>
struct Floats<1> {
  using Type = float;
  template <typename At>
  static __device__ Type make(At at) {
    return at(0);
  }
};
template <>
struct Floats<4> {
  using Type = float4;
  template <typename At>
  static __device__ Type make(At at) {
    return make_float4(at(0), at(1), at(2), at(3));
  }
};

template <bool kBfloat, int kFloats>
struct Widen {
  using Raw = uint64_t;
  using Out = typename Floats<kFloats>::Type;
  static constexpr int kTableFloats = 0;
  static constexpr int kOutPerUnit = kFloats;
  static constexpr int kRowsInFlight = kFloats == 4 ? 4 : 8;

  static __device__ Raw load(const char* row, int64_t unit) {
    if constexpr (kFloats == 4) {
      return __ldg(reinterpret_cast<const uint64_t*>(row) + unit);
    } else {
      const auto* bytes = reinterpret_cast<const unsigned char*>(row) + 2 * unit;
      return __ldg(bytes) | static_cast<Raw>(__ldg(bytes + 1)) << 8;
    }
  }
  static __device__ Out make(Raw raw, int64_t /*unit*/, const float* /*table*/) {
    return Floats<kFloats>::make([raw](int i) {
      const auto bits = static_cast<uint16_t>(raw >> (16 * i));
      return kBfloat ? bfloat_to_float(bits) : half_to_float(bits);
    });
  }
};

template <int kBytes>
struct Bytes;
template <>
struct Bytes<1> {
  using Type = uint8_t;
};
template <>
struct Bytes<2> {
  using Type = uint16_t;
};
template <>
struct Bytes<4> {
  using Type = uint32_t;
};

template <int kBits, int kFloats>
struct Decode {
  static constexpr int kPerByte = 8 / kBits;
  // Four codes of one bit take half a byte.
  using Raw = typename Bytes<(kBits * kFloats + 7) / 8>::Type;
  using Out = typename Floats<kFloats>::Type;
  static constexpr int kTableFloats = 256 * kPerByte;
  static constexpr int kOutPerUnit = kFloats;
  static constexpr int kRowsInFlight = kFloats == 4 ? 4 : 8;

  static __device__ Raw load(const char* row, int64_t unit) {
    return __ldg(reinterpret_cast<const Raw*>(row + unit * kFloats * kBits / 8));
  }
  static __device__ Out make(Raw raw, int64_t unit, const float* table) {
    const int first = static_cast<int>(unit * kFloats % kPerByte);
    return Floats<kFloats>::make([raw, first, table](int i) {
      const int at = first + i;
      const unsigned byte = static_cast<unsigned>(raw) >> (8 * (at / kPerByte)) & 0xffu;
      return table[byte * kPerByte + static_cast<unsigned>(at % kPerByte)];
    });
  }
};

// ---- the kernel ----

struct Task {
  Gather what;
  int64_t units;  // of a row
  int lanes;      // threads for a row, a power of two up to 32
};

// The address of output row `i`; null: zeros. The first thread of a row counts.
__device__ const char* place_of(const Gather& what, int64_t i, int64_t count, bool counts,
                                unsigned* asked) {
  if (i >= count) {
    return nullptr;
  }
  const int64_t id = what.wide ? __ldg(static_cast<const int64_t*>(what.ids) + i)
                               : int64_t{__ldg(static_cast<const int32_t*>(what.ids) + i)};
  const bool named = what.cache.by_sign && id < 0;  // a row of the cache
  if (!named && (id < 0 || id >= what.source_rows)) {
    if (counts && what.fault != nullptr) {
      atomicMin(what.fault, static_cast<unsigned long long>(i));
    }
    return nullptr;
  }
  const int64_t slot = named                         ? -1 - id
                       : what.cache.slots != nullptr ? int64_t{__ldg(what.cache.slots + id)}
                                                     : int64_t{-1};
  if (slot < 0) {
    asked[1] += counts ? 1 : 0;
    return static_cast<const char*>(what.source.rows) + id * what.source.stride;
  }
  const auto member = static_cast<uint32_t>(slot >> what.cache.place_bits);
  const int64_t place = slot & ((int64_t{1} << what.cache.place_bits) - 1);
  asked[0] += counts && member == what.cache.own ? 1 : 0;
  asked[2] += counts && member != what.cache.own ? 1 : 0;
  return static_cast<const char*>(what.cache.rows[member]) + place * what.cache.stride;
}

template <typename Way>
__global__ void __launch_bounds__(kThreads) gather_kernel(Task task) {
  constexpr int kRowsInFlight = Way::kRowsInFlight;
  const Gather& what = task.what;
  const float* table = nullptr;
  if constexpr (Way::kTableFloats > 0) {
    __shared__ float by_byte[Way::kTableFloats];
    for (int i = static_cast<int>(threadIdx.x); i < Way::kTableFloats; i += kThreads) {
      by_byte[i] = __ldg(what.by_byte + i);
    }
    __syncthreads();
    table = by_byte;
  }

  int64_t count = what.capacity;
  if (what.count != nullptr) {
    const int64_t told = *what.count;
    count = told < count ? told : count;
  }
  const int64_t rows = count > what.rows ? count : what.rows;
  const int lane = static_cast<int>(threadIdx.x) & (task.lanes - 1);
  const int group = static_cast<int>(threadIdx.x) / task.lanes;
  const int groups = kThreads / task.lanes;
  const int64_t tile = int64_t{kRowsInFlight} * groups;
  auto* const out = static_cast<typename Way::Out*>(what.out);
  unsigned asked[3] = {0, 0, 0};
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * tile; first < rows;
       first += static_cast<int64_t>(gridDim.x) * tile) {
    // Adjacent groups take adjacent rows, and so write adjacent memory.
    const char* from[kRowsInFlight];
#pragma unroll
    for (int k = 0; k < kRowsInFlight; ++k) {
      from[k] = place_of(what, first + k * groups + group, count, lane == 0, asked);
    }
    for (int64_t unit = lane; unit < task.units; unit += task.lanes) {
      typename Way::Raw raw[kRowsInFlight];
#pragma unroll
      for (int k = 0; k < kRowsInFlight; ++k) {
        raw[k] = from[k] != nullptr ? Way::load(from[k], unit) : typename Way::Raw{};
      }
#pragma unroll
      for (int k = 0; k < kRowsInFlight; ++k) {
        const int64_t i = first + k * groups + group;
        if (i < rows) {
          out[i * task.units + unit] =
              from[k] != nullptr ? Way::make(raw[k], unit, table) : typename Way::Out{};
        }
      }
    }
  }

  if (what.cache.asked != nullptr) {
    __shared__ unsigned sums[3];
    if (threadIdx.x < 3) {
      sums[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int tier = 0; tier < 3; ++tier) {
      if (asked[tier] > 0) {
        atomicAdd(&sums[tier], asked[tier]);
      }
    }
    __syncthreads();
    if (threadIdx.x < 3 && sums[threadIdx.x] > 0) {
      atomicAdd(what.cache.asked + threadIdx.x, sums[threadIdx.x]);
    }
  }
}

// ---- the choice of conversion and number of threads ----

template <typename Way>
cudaError_t start(const Gather& what, cudaStream_t stream) {
  Task task{what, what.width / Way::kOutPerUnit, 1};
  while (task.lanes < 32 && task.lanes < task.units) {
    task.lanes *= 2;
  }
  const int64_t most_rows = what.capacity > what.rows ? what.capacity : what.rows;
  const int64_t tile = int64_t{Way::kRowsInFlight} * (kThreads / task.lanes);
  const int64_t tiles = (most_rows + tile - 1) / tile;
  const int64_t most = what.source.on_host ? kMostBlocksOnHost : kMostBlocks;
  const auto blocks = static_cast<unsigned>(tiles < most ? tiles : most);
  return launch(gather_kernel<Way>, Grid{blocks, kThreads, 0, stream}, task);
}

// The largest power of two, up to 16, that divides all of the numbers.
template <typename... Numbers>
uint64_t common_alignment(Numbers... numbers) {
  const uint64_t all = (uint64_t{16} | ... | static_cast<uint64_t>(numbers));
  return all & (~all + 1);
}

uint64_t address(const void* at) { return reinterpret_cast<uintptr_t>(at); }

// Of the rows in all places.
uint64_t alignment_of_rows(const Gather& what) {
  uint64_t all = common_alignment(address(what.source.rows), what.source.stride);
  if (what.cache.slots != nullptr || what.cache.by_sign) {
    all |= common_alignment(what.cache.stride);
    for (const void* const rows : what.cache.rows) {
      all |= address(rows);
    }
  }
  return common_alignment(all);
}

cudaError_t copy(const Gather& what, cudaStream_t stream) {
  switch (common_alignment(alignment_of_rows(what), address(what.out), what.width)) {
    case 16:
      return start<Copy<uint4>>(what, stream);
    case 8:
      return start<Copy<uint64_t>>(what, stream);
    case 4:
      return start<Copy<uint32_t>>(what, stream);
    case 2:
      return start<Copy<uint16_t>>(what, stream);
    default:
      return start<Copy<uint8_t>>(what, stream);
  }
}

// Four floats at a time if rows allow it: `Four` loads `bytes` for them.
template <typename Four, typename One>
cudaError_t floats(const Gather& what, uint64_t bytes, cudaStream_t stream) {
  if (address(what.out) % sizeof(float) != 0) {
    return cudaErrorInvalidValue;
  }
  return address(what.out) % sizeof(float4) == 0 && what.width % 4 == 0 &&
                 alignment_of_rows(what) >= bytes
             ? start<Four>(what, stream)
             : start<One>(what, stream);
}

__global__ void __launch_bounds__(kThreads)
    slots_kernel(int32_t* slots, const device::SlotChange* changes, int64_t count) {
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += static_cast<int64_t>(gridDim.x) * kThreads) {
    slots[changes[i].row] = static_cast<int32_t>(changes[i].slot);
  }
}

}  // namespace

cudaError_t gather(const Gather& what, cudaStream_t stream) {
  if (what.width == 0 || (what.capacity == 0 && what.rows == 0)) {
    return cudaSuccess;
  }
  switch (what.way) {
    case RowRoute::kCopy:
      return copy(what, stream);
    case RowRoute::kHalf:
      return floats<Widen<false, 4>, Widen<false, 1>>(what, 8, stream);
    case RowRoute::kBfloat:
      return floats<Widen<true, 4>, Widen<true, 1>>(what, 8, stream);
    case RowRoute::kCode1:
      return floats<Decode<1, 4>, Decode<1, 1>>(what, 1, stream);
    case RowRoute::kCode2:
      return floats<Decode<2, 4>, Decode<2, 1>>(what, 1, stream);
    case RowRoute::kCode4:
      return floats<Decode<4, 4>, Decode<4, 1>>(what, 2, stream);
    case RowRoute::kCode8:
      return floats<Decode<8, 4>, Decode<8, 1>>(what, 4, stream);
  }
  return cudaErrorInvalidValue;
}

cudaError_t set_slots(int32_t* slots, const device::SlotChange* changes, int64_t count,
                      cudaStream_t stream) {
  const int64_t blocks = (count + kThreads - 1) / kThreads;
  return count == 0
             ? cudaSuccess
             : launch(slots_kernel,
                      Grid{static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks),
                           kThreads, 0, stream},
                      slots, changes, count);
}

}  // namespace gls::cuda
