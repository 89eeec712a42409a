#include <immintrin.h>

#include "feature/gather_common.h"
#include "tensor/half.h"

namespace gls::kernels {
namespace {

inline __m256i load32(const char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
inline void copy32(const char* from, char* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), load32(from));
}

inline void stream32(const char* from, char* to, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), load32(from + at));
  }
}

// Whole vectors, then one that overlaps them and ends with the row.
inline void copy_row32(const char* from, char* to, int64_t bytes) {
  int64_t at = 0;
  for (; at + 32 <= bytes; at += 32) {
    copy32(from + at, to + at);
  }
  copy32(from + bytes - 32, to + bytes - 32);
}

template <typename Id>
void copy(const GatherArgs& args) {
  const int64_t bytes = args.row_bytes;
  if (bytes < 32) {
    gather_short<Id>(args);
  } else if (args.streaming && bytes % 64 == 0) {
    gather_rows<Id>(args, bytes,
                    [bytes](const char* from, char* to) { stream32(from, to, bytes); });
    _mm_sfence();
  } else if (args.streaming && bytes >= 128 && bytes <= kWidestStaged && args.places == nullptr) {
    gather_staged<Id>(
        args, bytes, [bytes](const char* from, char* to) { copy_row32(from, to, bytes); },
        stream32);
    _mm_sfence();
  } else if (args.streaming && bytes >= 128) {
    // Vectors completely inside the row bypass the caches; its ends do not.
    gather_rows<Id>(args, bytes, [bytes](const char* from, char* to) {
      copy32(from, to);
      int64_t at = 32 - static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % 32);
      for (; at + 32 <= bytes; at += 32) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), load32(from + at));
      }
      copy32(from + bytes - 32, to + bytes - 32);
    });
    _mm_sfence();
  } else {
    gather_rows<Id>(args, bytes,
                    [bytes](const char* from, char* to) { copy_row32(from, to, bytes); });
  }
}

// Rows that are computed by make_row(from, to), with four bytes for each element.
template <typename Id, typename MakeRow>
void gather_as_float(const GatherArgs& args, MakeRow make_row) {
  const int64_t bytes = 4 * args.row_elements;
  if (args.streaming && bytes <= kWidestStaged && args.places == nullptr) {
    gather_staged<Id>(args, bytes, make_row, stream32);
    _mm_sfence();
  } else {
    gather_rows<Id>(args, bytes, make_row);
  }
}

template <typename Id, bool kIsHalf>
void widen(const GatherArgs& args) {
  const int64_t elements = args.row_elements;
  const auto widen_row = [elements](const char* from, char* to) {
    int64_t i = 0;
    for (; i + 8 <= elements; i += 8) {
      const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
      const __m256 wide =
          kIsHalf ? _mm256_cvtph_ps(narrow)
                  : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(narrow), 16));
      _mm256_storeu_ps(reinterpret_cast<float*>(to + 4 * i), wide);
    }
    for (; i < elements; ++i) {
      uint16_t narrow;
      __builtin_memcpy(&narrow, from + 2 * i, 2);
      const float wide = kIsHalf ? half_to_float(narrow) : bfloat_to_float(narrow);
      __builtin_memcpy(to + 4 * i, &wide, 4);
    }
  };
  gather_as_float<Id>(args, widen_row);
}

template <typename Id, int64_t kPerByte>
void decode(const GatherArgs& args) {
  gather_as_float<Id>(args,
                      [&](const char* from, char* to) { decode_row<kPerByte>(args, from, to); });
}

}  // namespace

const GatherTable& avx2_gather() {
  static constexpr GatherTable table = {{copy<int32_t>, copy<int64_t>},
                                        {widen<int32_t, true>, widen<int64_t, true>},
                                        {widen<int32_t, false>, widen<int64_t, false>},
                                        {{decode<int32_t, 8>, decode<int64_t, 8>},
                                         {decode<int32_t, 4>, decode<int64_t, 4>},
                                         {decode<int32_t, 2>, decode<int64_t, 2>},
                                         {decode<int32_t, 1>, decode<int64_t, 1>}}};
  return table;
}

}  // namespace gls::kernels
