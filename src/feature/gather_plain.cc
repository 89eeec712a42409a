// Gathering for any CPU.
#include "feature/gather_common.h"
#include "tensor/half.h"

namespace gls::kernels {
namespace {

template <typename Id>
void copy(const GatherArgs& args) {
  const int64_t bytes = args.row_bytes;
  if (bytes < 32) {
    gather_short<Id>(args);
    return;
  }
  gather_rows<Id>(args, bytes, [bytes](const char* from, char* to) {
    __builtin_memcpy(to, from, static_cast<uint64_t>(bytes));
  });
}

template <typename Id, float (*kWiden)(uint16_t)>
void widen(const GatherArgs& args) {
  const int64_t elements = args.row_elements;
  gather_rows<Id>(args, 4 * elements, [elements](const char* from, char* to) {
    for (int64_t i = 0; i < elements; ++i) {
      uint16_t narrow;
      __builtin_memcpy(&narrow, from + 2 * i, 2);
      const float wide = kWiden(narrow);
      __builtin_memcpy(to + 4 * i, &wide, 4);
    }
  });
}

template <typename Id, int64_t kPerByte>
void decode(const GatherArgs& args) {
  gather_rows<Id>(args, 4 * args.row_elements,
                  [&](const char* from, char* to) { decode_row<kPerByte>(args, from, to); });
}

float from_half(uint16_t bits) { return half_to_float(bits); }
float from_bfloat(uint16_t bits) { return bfloat_to_float(bits); }

}  // namespace

const GatherTable& plain_gather() {
  static constexpr GatherTable table = {{copy<int32_t>, copy<int64_t>},
                                        {widen<int32_t, from_half>, widen<int64_t, from_half>},
                                        {widen<int32_t, from_bfloat>, widen<int64_t, from_bfloat>},
                                        {{decode<int32_t, 8>, decode<int64_t, 8>},
                                         {decode<int32_t, 4>, decode<int64_t, 4>},
                                         {decode<int32_t, 2>, decode<int64_t, 2>},
                                         {decode<int32_t, 1>, decode<int64_t, 1>}}};
  return table;
}

const GatherTable& gather_table_for(int level) {
#if defined(__x86_64__)
  if (level >= 2) {
    return avx512_gather();
  }
  if (level == 1) {
    return avx2_gather();
  }
#endif
  static_cast<void>(level);
  return plain_gather();
}

}  // namespace gls::kernels
