// Tests which times of a row are in a range, with AVX-512.
#pragma once

#include <immintrin.h>

#include "sample/kernels/kernels.h"

namespace gls::kernels {
// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers)
namespace {

inline void times_within_512(const void* times, int64_t count, int64_t low, int64_t high,
                             uint64_t* words) {
  const auto* const from = static_cast<const int32_t*>(times);
  const __m512i first = _mm512_set1_epi32(static_cast<int>(low));
  const __m512i last = _mm512_set1_epi32(static_cast<int>(high));
  for (int64_t at = 0; at < count; at += 64) {
    uint64_t word = 0;
    for (int64_t i = 0; i < 64 && at + i < count; i += 16) {
      const int64_t left = count - at - i;
      const auto valid =
          left >= 16 ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << left) - 1);
      const __m512i lanes = _mm512_maskz_loadu_epi32(valid, from + at + i);
      const __mmask16 fits = _mm512_mask_cmple_epi32_mask(
          _mm512_mask_cmpge_epi32_mask(valid, lanes, first), lanes, last);
      word |= uint64_t{fits} << i;
    }
    words[at / 64] = word;
  }
}

inline void wide_times_within_512(const void* times, int64_t count, int64_t low, int64_t high,
                                  uint64_t* words) {
  const auto* const from = static_cast<const int64_t*>(times);
  const __m512i first = _mm512_set1_epi64(low);
  const __m512i last = _mm512_set1_epi64(high);
  for (int64_t at = 0; at < count; at += 64) {
    uint64_t word = 0;
    for (int64_t i = 0; i < 64 && at + i < count; i += 8) {
      const int64_t left = count - at - i;
      const auto valid =
          left >= 8 ? static_cast<__mmask8>(0xff) : static_cast<__mmask8>((1u << left) - 1);
      const __m512i lanes = _mm512_maskz_loadu_epi64(valid, from + at + i);
      const __mmask8 fits = _mm512_mask_cmple_epi64_mask(
          _mm512_mask_cmpge_epi64_mask(valid, lanes, first), lanes, last);
      word |= uint64_t{fits} << i;
    }
    words[at / 64] = word;
  }
}

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
}  // namespace gls::kernels
