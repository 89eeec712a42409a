// Gathers rows of a column by id: from a GPU's memory, from pinned host memory, or from the host
// with a cache of rows on the GPU. The results equal those of src/feature/gather.h.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "host_device/row_plan.h"

namespace gls::cuda {

// The conversion of a row.
enum class RowRoute : int32_t { kCopy, kHalf, kBfloat, kCode1, kCode2, kCode4, kCode8 };

// Rows in memory that the device can address. Rows and memory may have any alignment, also those of
// 16-bit floats.
struct RowSource {
  const void* rows;      // row 0
  int64_t stride;        // bytes from row to row
  bool on_host = false;  // false: in memory of a device
};

// A cache of rows. All memory is on this device, or on devices that it can read.
struct RowCache {
  const int32_t* slots = nullptr;  // for each row of the source: its slot in the cache, or -1
  bool by_sign = false;            // without slots: an id below 0 means slot -1 - id of the cache
  // A slot is a row of rows[slot >> place_bits], numbered by the lower bits. `own` is this device;
  // the others are peers, whose memory it reads.
  const void* rows[device::kMostMembers] = {};
  int64_t stride = 0;  // bytes from row to row
  uint32_t place_bits = 31;
  uint32_t own = 0;
  // Counters of requested rows, which are increased: [0] in this device's cache, [1] in the source,
  // [2] in the cache of a peer. Or null.
  unsigned long long* asked = nullptr;
};

// `fault` without a fault. The code that starts a batch writes it.
inline constexpr unsigned long long kNoFault = ~0ull;

struct Gather {
  RowRoute way = RowRoute::kCopy;
  RowSource source{};
  int64_t source_rows = 0;  // ids are 0 .. source_rows - 1
  // Elements of an output row, for conversions to float32; bytes of a row for kCopy.
  int64_t width = 0;
  const float* by_byte =
      nullptr;                // codes: device memory, as Codebook::by_byte(), of 256 * 8 / bits
  const void* ids = nullptr;  // int32 or int64, device memory
  bool wide = false;
  const int64_t* count = nullptr;  // number of ids, in device memory; null: `capacity`
  int64_t capacity = 0;            // most ids possible; a larger count is limited to this
  // Packed rows: the larger of `capacity` and `rows`. Output of float32 must be aligned to 4 bytes.
  void* out = nullptr;
  int64_t rows = 0;  // zeros follow the rows of the ids up to this number of rows
  RowCache cache{};  // without slots and by_sign: no cache
  // Device memory, or null. Becomes the lowest index of an id that is not a row, if it is below the
  // present value. Nothing is read for such ids; their rows are zeros.
  unsigned long long* fault = nullptr;
};

// Queues it in `stream`. Errors are those of launching, or cudaErrorInvalidValue for an output that
// is not aligned. An unknown count costs nothing: threads above it end at once.
cudaError_t gather(const Gather& what, cudaStream_t stream);

// slots[row] = slot for each change, in memory that the device can address.
cudaError_t set_slots(int32_t* slots, const device::SlotChange* changes, int64_t count,
                      cudaStream_t stream);

}  // namespace gls::cuda
