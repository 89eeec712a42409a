// Inner loops of feature gathering, one set per instruction set; plain structs only, for the reason
// given in sample/kernels/kernels.h.
#pragma once

#include <cstdint>

namespace gls::kernels {

struct GatherArgs {
  const char* rows;  // source, row 0
  int64_t stride;    // bytes from row to row of the source
  int64_t row_elements;
  int64_t row_bytes;  // of the source, without padding
  const void* ids;    // int32 or int64, in range
  int64_t count;
  char* out;                       // rows packed without gaps
  int64_t ahead;                   // rows to ask memory for in advance
  bool streaming;                  // write past the caches
  const float* by_byte = nullptr;  // codes: what each byte stands for
  // The row of `out` that each id's goes to; null: one after the other.
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
