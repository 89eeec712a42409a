// Picks by weight with 512-bit vectors, with all first draws of a row at once. Internal linkage;
// see kernels.h.
#pragma once

#include <immintrin.h>

#include "sample/kernels/uniform_avx512.h"
#include "sample/kernels/weighted_common.h"

namespace gls::kernels {
// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers)
namespace {

class Avx512Weighted {
 public:
  explicit Avx512Weighted(const WeightedArgs& args)
      : word_(_mm512_set1_epi64(args.row_word)),
        one_key_(args.trees == nullptr),
        round_keys_(args.key) {}

  template <int kWords>
  void draw(const uint64_t* nodes, const uint64_t* keys, int64_t rows, uint32_t* out) const {
    using Words = PhiloxWords512<kWords / 4>;
    for (int64_t i = 0; i < rows; i += Words::kNodes) {
      const __m512i node = Words::spread(_mm512_loadu_si512(nodes + i));
      const __m512i high = _mm512_srli_epi64(node, 32);
      __m512i words01;
      __m512i words23;
      if (one_key_) [[likely]] {
        philox_keyed(Words::block_numbers(), word_, node, high, OneKey{round_keys_.of_rounds},
                     &words01, &words23);
      } else {
        const __m512i key = Words::spread(_mm512_loadu_si512(keys + i));
        philox_rounds(Words::block_numbers(), word_, node, high, key, _mm512_srli_epi64(key, 32),
                      &words01, &words23);
      }
      _mm512_store_si512(out + i * kWords, _mm512_unpacklo_epi64(words01, words23));
      _mm512_store_si512(out + i * kWords + 16, _mm512_unpackhi_epi64(words01, words23));
    }
  }

  template <int kLanes, bool kDistinct>
  static uint32_t start(const AliasRow& row, uint32_t count, uint32_t* picks, uint32_t* from) {
    if constexpr (kLanes > 16) {
      return PickOneByOne::start<kLanes, kDistinct>(row, count, picks, from);
    } else {
      if (!kDistinct || row.degree > kWholeSlots) {
        const __m512i drawn = gathered<kLanes>(row, count);
        *from = count;
        if constexpr (!kDistinct) {
          _mm512_store_si512(picks, drawn);
          return count;
        }
        const auto active = static_cast<__mmask16>((1u << count) - 1);
        return keep(static_cast<__mmask16>(active & ~repeats(active, drawn)), drawn, picks);
      }
      return row.degree <= 16 ? whole<kLanes, 1>(row, count, picks, from)
                              : whole<kLanes, 2>(row, count, picks, from);
    }
  }

 private:
  static uint32_t keep(__mmask16 lanes, __m512i drawn, uint32_t* picks) {
    _mm512_storeu_si512(picks, _mm512_maskz_compress_epi32(lanes, drawn));
    return static_cast<uint32_t>(__builtin_popcount(lanes));
  }

  // The slot that a draw hits, and the position in it.
  struct Fallen {
    __m512i slot;
    __m512i at;
    Fallen(const AliasRow& row, const uint32_t* words) {
      const __m512i degree = _mm512_set1_epi64(row.degree);
      const __m512i word = _mm512_loadu_si512(words);
      const __m512i even = _mm512_mul_epu32(word, degree);
      const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(word, 32), degree);
      slot = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
      at = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
    }
    __m512i own_or(__m512i other, __m512i share) const {
      return _mm512_mask_mov_epi32(other, _mm512_cmplt_epu32_mask(at, share), slot);
    }
  };

  static __m512i shares_of(__m512i low, __m512i high) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(low, even, high);
  }
  static __m512i others_of(__m512i low, __m512i high) {
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_epi32(low, odd, high);
  }

  // A row of up to 16 * kVectors slots, in registers. Nothing beyond it is read, since that memory
  // was not prefetched.
  template <int kVectors>
  class Slots {
   public:
    explicit Slots(const AliasRow& row) {
      for (uint32_t v = 0; v < kVectors; ++v) {
        const __m512i low = load(row, 16 * v);
        const __m512i high = load(row, 16 * v + 8);
        shares_[v] = shares_of(low, high);
        others_[v] = others_of(low, high);
      }
    }
    __m512i drawn(const AliasRow& row, const uint32_t* words) const {
      const Fallen fallen(row, words);
      return fallen.own_or(at(others_, fallen.slot), at(shares_, fallen.slot));
    }

   private:
    static __m512i load(const AliasRow& row, uint32_t first) {
      const uint32_t lanes = row.degree > first ? row.degree - first : 0;
      const auto mask = static_cast<__mmask8>(_bzhi_u32(0xff, lanes));
      return _mm512_maskz_loadu_epi64(mask, row.slots + first);
    }
    static __m512i at(const __m512i (&of)[kVectors], __m512i slot) {
      if constexpr (kVectors == 1) {
        return _mm512_permutexvar_epi32(slot, of[0]);
      } else {
        return _mm512_permutex2var_epi32(of[0], slot, of[1]);
      }
    }
    __m512i shares_[kVectors];
    __m512i others_[kVectors];
  };

  // Makes all first draws of a row of up to kWholeSlots, and keeps the distinct picks.
  template <int kLanes, int kVectors>
  static uint32_t whole(const AliasRow& row, uint32_t count, uint32_t* picks, uint32_t* from) {
    const Slots<kVectors> slots(row);
    const __m512i first = slots.drawn(row, row.words);
    const uint32_t kept = keep(static_cast<__mmask16>(~repeats(0xffff, first)), first, picks);
    *from = 16;
    if (kLanes == 8 || kept >= count) {
      return kept;
    }
    const __m512i second = slots.drawn(row, row.words + 16);
    const __m512i one = _mm512_set1_epi32(1);
    const int taken = _mm512_reduce_or_epi32(_mm512_sllv_epi32(one, first));
    const __mmask16 met =
        _mm512_test_epi32_mask(_mm512_sllv_epi32(one, second), _mm512_set1_epi32(taken));
    *from = 32;
    return kept +
           keep(static_cast<__mmask16>(~(met | repeats(0xffff, second))), second, picks + kept);
  }

  // The first `count` draws of a row of any length.
  template <int kLanes>
  static __m512i gathered(const AliasRow& row, uint32_t count) {
    const Fallen fallen(row, row.words);
    const uint32_t lanes = (1u << count) - 1;
    const auto gather = [&](__m256i slots, uint32_t mask) {
      return _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(mask), slots,
                                         row.slots, sizeof(AliasSlot));
    };
    const __m512i low = gather(_mm512_castsi512_si256(fallen.slot), lanes);
    __m512i high = low;
    if constexpr (kLanes > 8) {
      high = gather(_mm512_extracti64x4_epi64(fallen.slot, 1), lanes >> 8);
    }
    return fallen.own_or(others_of(low, high), shares_of(low, high));
  }

  __m512i word_;
  bool one_key_;
  RoundKeys round_keys_;
};

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
}  // namespace gls::kernels
