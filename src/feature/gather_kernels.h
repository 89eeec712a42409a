// Inner loops of gathering, one set per instruction set; plain structs only, for the reason in
// sample/kernels/kernels.h.
#pragma once

#include <cstdint>

namespace gls::kernels {

struct GatherArgs {
  const char* rows;  // the source's row 0
  int64_t stride;    // bytes from row to row in the source
  int64_t row_elements;
  int64_t row_bytes;  // of the source, without padding
  const void* ids;    // int32 or int64, in range
  int64_t count;
  char* out;                       // rows packed without gaps
  int64_t ahead;                   // rows to prefetch
  bool streaming;                  // writes bypass the caches
  const float* by_byte = nullptr;  // codes: the values of each byte
  // The row of `out` for each id; null: consecutive rows.
  const int64_t* places = nullptr;
};

using GatherFn = void (*)(const GatherArgs& args);

struct GatherTable {
  GatherFn copy[2];       // [wide ids]
  GatherFn half[2];       // float16 to float32
  GatherFn bfloat[2];     // bfloat16 to float32
  GatherFn decode[4][2];  // codes to float32; [binary logarithm of their bits]
};

const GatherTable& gather_table_for(int level);
const GatherTable& plain_gather();
#if defined(__x86_64__)
const GatherTable& avx2_gather();
const GatherTable& avx512_gather();
#endif

}  // namespace gls::kernels
