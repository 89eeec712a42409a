// A cheap counter hash in place of Philox, to bound what Philox costs: a few rounds of 32-bit
// multiplication over a lane number and a row's key. Its quality is not tested, so it may be
// cheaper than any sound one. For the benchmark only.
#pragma once

#include "sample/kernels/uniform_avx512.h"

namespace gls::kernels {
namespace {

template <int kBlocks>
struct HashWords512 {
  static constexpr int kNodes = kBlocks <= 2 ? 4 : kBlocks == 4 ? 2 : 1;
  static constexpr int kWords = 4 * kBlocks;

  static inline __m512i mix(__m512i lane, uint64_t key) {
    const auto constant = [](uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); };
    __m512i x = _mm512_add_epi32(_mm512_mullo_epi32(lane, constant(0x9e3779b9u)),
                                 constant(static_cast<uint32_t>(key)));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    x = _mm512_mullo_epi32(x, constant(0x7feb352du));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 15));
    x = _mm512_add_epi32(x, constant(static_cast<uint32_t>(key >> 32)));
    x = _mm512_mullo_epi32(x, constant(0x846ca68bu));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    x = _mm512_mullo_epi32(x, constant(0x9e3779b1u));
    return _mm512_xor_si512(x, _mm512_srli_epi32(x, 15));
  }

  static inline void draw(__m512i nodes, __m512i keys, uint32_t row_word, uint32_t* out) {
    alignas(64) uint64_t node[8];
    alignas(64) uint64_t key[8];
    _mm512_store_si512(node, nodes);
    _mm512_store_si512(key, keys);
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int n = 0; n < kNodes; ++n) {
      const uint64_t a = node[n] ^ 0xa0761d6478bd642fu;
      const uint64_t b = (key[n] + row_word) | 1;
      const auto product = static_cast<unsigned __int128>(a) * b;
      const uint64_t mixed =
          static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ key[n];
      if constexpr (kWords == 8) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + n * kWords),
                           _mm512_castsi512_si256(mix(lane, mixed)));
      } else {
        for (int first = 0; first < kWords; first += 16) {
          _mm512_store_si512(out + n * kWords + first,
                             mix(_mm512_add_epi32(lane, _mm512_set1_epi32(first)), mixed));
        }
      }
    }
  }
};

}  // namespace
}  // namespace gls::kernels
