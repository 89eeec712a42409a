// Filters ids with AVX-512.
#pragma once

#include <immintrin.h>

#include "sample/kernels/kernels.h"

namespace gls::kernels {
// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers)
namespace {

// Handles sixteen 32-bit ids at a time. Few are kept, so the upper eight are seldom written.
inline int64_t sift_512(const SiftArgs& args, int64_t first, int64_t count, int64_t* ids,
                        int64_t* positions) {
  const auto* const from = static_cast<const int32_t*>(args.ids) + first;
  constexpr uint64_t kNegative = uint64_t{1} << 31;
  const auto limit = static_cast<uint32_t>(args.limit < kNegative ? args.limit : kNegative);
  const __m512i limits = _mm512_set1_epi32(static_cast<int>(limit));
  const __m512i offset = _mm512_set1_epi32(static_cast<int>(args.offset));
  const __m512i bits = _mm512_set1_epi32(static_cast<int>(args.mask));
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto store = [](int64_t* to, __m512i kept, int num_kept, int64_t plus) {
    const __m512i base = _mm512_set1_epi64(plus);
    const __m512i lower = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(kept));
    _mm512_storeu_si512(to, _mm512_add_epi64(lower, base));
    if (num_kept > 8) {
      const __m512i upper = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(kept, 1));
      _mm512_storeu_si512(to + 8, _mm512_add_epi64(upper, base));
    }
  };
  uint32_t bad = 0;
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i += 16) {
    const int64_t left = count - i;
    const auto valid =
        left >= 16 ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << left) - 1);
    const __m512i id = _mm512_maskz_loadu_epi32(valid, from + i);
    bad |= _mm512_mask_cmpge_epu32_mask(valid, id, limits);
    const __m512i bit = _mm512_and_si512(_mm512_add_epi32(id, offset), bits);
    const __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(bit, 5), args.filter, 4);
    const __m512i at =
        _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(bit, _mm512_set1_epi32(31)));
    const __mmask16 hit = _mm512_mask_test_epi32_mask(valid, word, at);
    const int num_kept = __builtin_popcount(hit);
    store(ids + kept, _mm512_maskz_compress_epi32(hit, id), num_kept, 0);
    store(positions + kept, _mm512_maskz_compress_epi32(hit, lane), num_kept, first + i);
    kept += num_kept;
  }
  return bad != 0 ? -1 : kept;
}

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
}  // namespace gls::kernels
