// Rows of a column by id, from a GPU's memory, from pinned memory of the host, or from the host
// with a cache of rows on the GPU. The bytes are those of src/feature/gather.h.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "rules/row_plan.h"

namespace gls::cuda {

// What becomes of a row on its way.
enum class RowWay : int32_t { kCopy, kHalf, kBfloat, kCode1, kCode2, kCode4, kCode8 };

// Where rows lie: memory that the device can address. Rows and memory of any alignment, also those
// of 16-bit floats.
struct RowSource {
  const void* rows;      // row 0
  int64_t stride;        // bytes from row to row
  bool on_host = false;  // else in memory of a device
};

// Rows that are found in a cache. All memory is the device's, or of devices that it reaches.
struct RowCache {
  const int32_t* slots = nullptr;  // of each row of the source: its slot in the cache, or -1
  bool by_sign = false;            // without slots: ids below 0 are slots -1 - id of the cache
  // A slot is a row of rows[slot >> place_bits], numbered by the bits below; `own` is this device,
  // the others are peers, whose memory it reads.
  const void* rows[device::kMostMembers] = {};
  int64_t stride = 0;  // bytes from row to row
  uint32_t place_bits = 31;
  uint32_t own = 0;
  // Rows that were asked for, added to what is there: [0] in the cache here, [1] in the source,
  // [2] in the cache of a peer. Or null.
  unsigned long long* asked = nullptr;
};

// `fault` of no fault. Who begins a batch writes it.
inline constexpr unsigned long long kNoFault = ~0ull;

struct Gather {
  RowWay way = RowWay::kCopy;
  RowSource source{};
  int64_t source_rows = 0;  // ids are 0 .. source_rows - 1
  // Of the output, for ways that give float32; bytes of a row for kCopy.
  int64_t width = 0;
  const float* by_byte =
      nullptr;                // codes: device memory, as Codebook::by_byte(), of 256 * 8 / bits
  const void* ids = nullptr;  // int32 or int64, device memory
  bool wide = false;
  const int64_t* count = nullptr;  // of ids, device memory; null: `capacity`
  int64_t capacity = 0;            // most ids there can be; a larger count is taken as this
  // Packed rows: `capacity` or `rows` of them, whichever is more. What gives float32 must be
  // aligned to 4 bytes.
  void* out = nullptr;
  int64_t rows = 0;  // zeros follow the rows of the ids until there are so many
  RowCache cache{};  // without slots and by_sign: none
  // Device memory, or null: becomes the least index of an id that is no row, if that is less than
  // what is there. Nothing is read for such ids; their rows are zeros.
  unsigned long long* fault = nullptr;
};

// Puts it in `stream`. An error is one of launching, or cudaErrorInvalidValue for an output that is
// not aligned. A count that is not yet known costs nothing: what is above it ends at once.
cudaError_t gather(const Gather& what, cudaStream_t stream);

// slots[row] = slot of each change; memory that the device can address.
cudaError_t set_slots(int32_t* slots, const device::SlotChange* changes, int64_t count,
                      cudaStream_t stream);

}  // namespace gls::cuda
