// Uniform picks and relabelling with 512-bit vectors. Internal linkage; see kernels.h.
//
// A policy supplies the random words, so that a benchmark can compare Philox with a cheaper
// generator. The library itself uses PhiloxWords512 only.
#pragma once

#include <immintrin.h>

#include "sample/kernels/kernels_common.h"

namespace gls::kernels {
// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers)
namespace {

// High and low halves of 32x32-bit products, for all 16 lanes.
inline __m512i mul_high(__m512i a, __m512i b) {
  const __m512i even = _mm512_mul_epu32(a, b);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
  return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
}

// Philox4x32-10 in eight 64-bit lanes, with one counter each. Only the low half of a lane matters
// between rounds, since a multiplication reads no more. That saves every shuffle. `keys` supplies
// the two keys of each round in turn.
template <typename Keys>
inline void philox_keyed(__m512i c0, __m512i c1, __m512i c2, __m512i c3, Keys keys,
                         __m512i* words01, __m512i* words23) {
  const __m512i m0 = _mm512_set1_epi64(0xd2511f53);
  const __m512i m1 = _mm512_set1_epi64(0xcd9e8d57);
  constexpr int kXor3 = 0x96;
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const __m512i p0 = _mm512_mul_epu32(c0, m0);
    const __m512i p1 = _mm512_mul_epu32(c2, m1);
    c0 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c1, keys.first(), kXor3);
    c2 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c3, keys.second(), kXor3);
    c1 = p1;
    c3 = p0;
    keys.advance();
  }
  *words01 = _mm512_mask_blend_epi32(0xaaaa, c0, _mm512_slli_epi64(c1, 32));
  *words23 = _mm512_mask_blend_epi32(0xaaaa, c2, _mm512_slli_epi64(c3, 32));
}

// A key for each lane.
struct LaneKeys {
  __m512i k0;
  __m512i k1;
  __m512i first() const { return k0; }
  __m512i second() const { return k1; }
  void advance() {
    k0 = _mm512_add_epi32(k0, _mm512_set1_epi32(static_cast<int>(0x9e3779b9u)));
    k1 = _mm512_add_epi32(k1, _mm512_set1_epi32(static_cast<int>(0xbb67ae85u)));
  }
};
inline void philox_rounds(__m512i c0, __m512i c1, __m512i c2, __m512i c3, __m512i k0, __m512i k1,
                          __m512i* words01, __m512i* words23) {
  philox_keyed(c0, c1, c2, c3, LaneKeys{k0, k1}, words01, words23);
}

// The keys of all rounds from one key, computed once for many counters.
struct RoundKeys {
  RoundKeys() = default;
  explicit RoundKeys(uint64_t key) {
    auto k0 = static_cast<uint32_t>(key);
    auto k1 = static_cast<uint32_t>(key >> 32);
    for (size_t round = 0; round < 10; ++round) {
      of_rounds[2 * round] = k0;
      of_rounds[2 * round + 1] = k1;
      k0 += 0x9e3779b9u;
      k1 += 0xbb67ae85u;
    }
  }
  int64_t of_rounds[20];
};
// The same key in all lanes.
struct OneKey {
  const int64_t* at;
  __m512i first() const { return _mm512_set1_epi64(at[0]); }
  __m512i second() const { return _mm512_set1_epi64(at[1]); }
  void advance() { at += 2; }
};

// Words for kNodes rows at once, with kBlocks Philox blocks each: out[n * kBlocks * 4 ...] belong
// to row n, in order.
template <int kBlocks>
struct PhiloxWords512 {
  static constexpr int kNodes = kBlocks <= 2 ? 4 : kBlocks == 4 ? 2 : 1;

  // Lane 2q goes to quarter q of the first result, and lane 2q + 1 to that of the second. The
  // blocks are distributed so that both results are in order.
  static inline __m512i block_numbers() {
    if constexpr (kBlocks == 2) {
      return _mm512_setr_epi64(0, 0, 1, 1, 0, 0, 1, 1);
    } else if constexpr (kBlocks == 4) {
      return _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
    } else {
      return _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    }
  }
  // For each lane, the one of four (or two) rows that it draws for.
  static inline __m512i spread(__m512i per_node) {
    if constexpr (kBlocks == 2) {
      return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 0, 2, 1, 3, 1, 3), per_node);
    } else if constexpr (kBlocks == 4) {
      return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 1, 0, 1, 0, 1, 0, 1), per_node);
    } else {
      return _mm512_permutexvar_epi64(_mm512_setzero_si512(), per_node);
    }
  }

  // `nodes` and `keys` hold kNodes values in their first lanes.
  static inline void draw(__m512i nodes, __m512i keys, uint32_t row_word, uint32_t* out) {
    const __m512i node = spread(nodes);
    const __m512i key = spread(keys);
    __m512i words01;
    __m512i words23;
    philox_rounds(block_numbers(), _mm512_set1_epi64(row_word), node, _mm512_srli_epi64(node, 32),
                  key, _mm512_srli_epi64(key, 32), &words01, &words23);
    _mm512_store_si512(out, _mm512_unpacklo_epi64(words01, words23));
    _mm512_store_si512(out + 16, _mm512_unpackhi_epi64(words01, words23));
  }
};

// Lanes of `picks` among `active` that equal an earlier lane.
inline __mmask16 repeats(__mmask16 active, __m512i picks) {
  return _mm512_mask_test_epi32_mask(active, _mm512_conflict_epi32(picks), _mm512_set1_epi32(-1));
}
inline __mmask8 repeats(__mmask8 active, __m256i picks) {
  return _mm256_mask_test_epi32_mask(active, _mm256_conflict_epi32(picks), _mm256_set1_epi32(-1));
}

inline void store_positions(int64_t* out, int64_t begin, __m256i picks) {
  _mm512_storeu_si512(out,
                      _mm512_add_epi64(_mm512_set1_epi64(begin), _mm512_cvtepu32_epi64(picks)));
}
inline void store_positions(int64_t* out, int64_t begin, __m512i picks) {
  store_positions(out, begin, _mm512_castsi512_si256(picks));
  store_positions(out + 8, begin, _mm512_extracti64x4_epi64(picks, 1));
}

// Floyd's picks of a whole row at once. All lanes draw. A lane that repeats an earlier one takes
// its replacement, which can only collide with later lanes. Repeating this until nothing changes
// gives the result of sequential draws. Rows with degree <= fanout take lanes 0, 1, ... unchanged,
// without a branch on the degree.
inline void pick8(int64_t begin, uint32_t degree, uint32_t fanout, const uint32_t* words,
                  int64_t* out) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const auto choose = static_cast<__mmask8>(0 - static_cast<int>(degree > fanout));
  const auto active = static_cast<__mmask8>(((1u << fanout) - 1) & choose);
  const __m256i last = _mm256_add_epi32(lane, _mm256_set1_epi32(static_cast<int>(degree - fanout)));
  const __m256i range = _mm256_add_epi32(last, _mm256_set1_epi32(1));
  const __m256i word = _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
  const __m256i even = _mm256_mul_epu32(word, range);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(word, 32), _mm256_srli_epi64(range, 32));
  const __m256i draw = _mm256_mask_blend_epi32(0xaa, _mm256_srli_epi64(even, 32), odd);
  __m256i picks = _mm256_mask_mov_epi32(lane, choose, draw);
  __mmask8 replaced = repeats(active, picks);
  picks = _mm256_mask_mov_epi32(picks, replaced, last);
  for (;;) {
    const __mmask8 more = repeats(static_cast<__mmask8>(active & ~replaced), picks);
    if (__builtin_expect(more == 0, 1)) {
      break;
    }
    replaced = static_cast<__mmask8>(replaced | more);
    picks = _mm256_mask_mov_epi32(picks, more, last);
  }
  store_positions(out, begin, picks);
}

inline __m512i floyd16(__mmask16 active, __mmask16 replaced, __m512i picks, __m512i last) {
  replaced = static_cast<__mmask16>(replaced | repeats(active, picks));
  picks = _mm512_mask_mov_epi32(picks, replaced, last);
  for (;;) {
    const __mmask16 more = repeats(static_cast<__mmask16>(active & ~replaced), picks);
    if (__builtin_expect(more == 0, 1)) {
      return picks;
    }
    replaced = static_cast<__mmask16>(replaced | more);
    picks = _mm512_mask_mov_epi32(picks, more, last);
  }
}

inline void pick16(int64_t begin, uint32_t degree, uint32_t fanout, const uint32_t* words,
                   int64_t* out) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto choose = static_cast<__mmask16>(0 - static_cast<int>(degree > fanout));
  const auto active = static_cast<__mmask16>(((1u << fanout) - 1) & choose);
  const __m512i last = _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<int>(degree - fanout)));
  const __m512i range = _mm512_add_epi32(last, _mm512_set1_epi32(1));
  const __m512i draw = mul_high(_mm512_load_si512(words), range);
  store_positions(out, begin, floyd16(active, 0, _mm512_mask_mov_epi32(lane, choose, draw), last));
}

// Two vectors: the second also yields to every pick of the first.
inline void pick32(int64_t begin, uint32_t degree, uint32_t fanout, const uint32_t* words,
                   int64_t* out) {
  const __m512i lane0 = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i lane1 = _mm512_add_epi32(lane0, _mm512_set1_epi32(16));
  if (degree <= fanout) {
    store_positions(out, begin, lane0);
    store_positions(out + 16, begin, lane1);
    return;
  }
  const __m512i shift = _mm512_set1_epi32(static_cast<int>(degree - fanout));
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i last0 = _mm512_add_epi32(lane0, shift);
  const __m512i last1 = _mm512_add_epi32(lane1, shift);
  const __m512i picks0 =
      floyd16(0xffff, 0, mul_high(_mm512_load_si512(words), _mm512_add_epi32(last0, one)), last0);
  const auto active = static_cast<__mmask16>((uint64_t{1} << (fanout - 16)) - 1);
  const __m512i draw1 = mul_high(_mm512_load_si512(words + 16), _mm512_add_epi32(last1, one));
  alignas(64) uint32_t first[16];
  _mm512_store_si512(first, picks0);
  __mmask16 taken = 0;
  for (const uint32_t pick : first) {
    taken = static_cast<__mmask16>(
        taken |
        _mm512_mask_cmpeq_epi32_mask(active, draw1, _mm512_set1_epi32(static_cast<int>(pick))));
  }
  store_positions(out, begin, picks0);
  store_positions(out + 16, begin, floyd16(active, taken, draw1, last1));
}

template <int kLanes>
inline void pick_row(int64_t begin, uint32_t degree, uint32_t fanout, const uint32_t* words,
                     int64_t* out) {
  if constexpr (kLanes == 8) {
    pick8(begin, degree, fanout, words, out);
  } else if constexpr (kLanes == 16) {
    pick16(begin, degree, fanout, words, out);
  } else {
    pick32(begin, degree, fanout, words, out);
  }
}

template <int kLanes, typename Out>
inline void fill_anchor(Out* out, int64_t anchor) {
  for (int j = 0; j < kLanes; ++j) {  // becomes whole vector stores
    out[j] = static_cast<Out>(anchor);
  }
}

inline __m512i load_ids8(const int64_t* ids) { return _mm512_loadu_si512(ids); }
inline __m512i load_ids8(const int32_t* ids) {
  return _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids)));
}

template <typename Words, int kLanes, typename Out>
PickResult pick_lanes(const PickArgs& args, int64_t begin, int64_t end, int64_t* positions,
                      void* anchors) {
  const auto* rows = static_cast<const Out*>(args.rows);
  const auto* nodes = static_cast<const Out*>(args.nodes);
  const auto* trees = static_cast<const Out*>(args.trees);
  auto* anchor_out = static_cast<Out*>(anchors);
  const uint32_t fanout = args.fanout;
  alignas(64) uint32_t words[32];
  constexpr int kWordsPerNode = 32 / Words::kNodes;
  const int64_t last = args.frontier_end - 1;
  int64_t picks = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t in_group = (i - begin) % Words::kNodes;
    if (in_group == 0) {
      // Reads up to seven ids past the frontier, which kSlack covers; their draws are unused.
      __m512i keys = _mm512_set1_epi64(static_cast<int64_t>(args.key));
      if (trees != nullptr) {
        alignas(64) uint64_t lane_keys[8] = {};
        for (int n = 0; n < Words::kNodes; ++n) {
          lane_keys[n] = args.tree_keys[trees[i + n <= last ? i + n : last]];
        }
        keys = _mm512_load_si512(lane_keys);
      }
      Words::draw(load_ids8(nodes + i), keys, args.row_word, words);
    }
    prefetch_l1(args.indptr + rows[i + kIndptrAhead <= last ? i + kIndptrAhead : last]);
    const Row row = read_row(args, static_cast<uint64_t>(int64_t{rows[i]}));
    if (__builtin_expect(!row.valid || row.degree > kSmallDegree, 0)) {
      return {i, picks, !row.valid};
    }
    const auto degree = static_cast<uint32_t>(row.degree);
    pick_row<kLanes>(row.begin, degree, fanout, words + in_group * kWordsPerNode,
                     positions + picks);
    fill_anchor<kLanes>(anchor_out + picks, i);
    picks += degree < fanout ? degree : fanout;
  }
  return {end, picks, false};
}

template <template <int> class Words, typename Out>
PickResult pick_512(const PickArgs& args, int64_t begin, int64_t end, int64_t* positions,
                    void* anchors) {
  if (args.fanout <= 8) {
    return pick_lanes<Words<2>, 8, Out>(args, begin, end, positions, anchors);
  }
  if (args.fanout <= 16) {
    return pick_lanes<Words<4>, 16, Out>(args, begin, end, positions, anchors);
  }
  return pick_lanes<Words<8>, 32, Out>(args, begin, end, positions, anchors);
}

inline void store_ids(int32_t* out, __m512i ids) { _mm512_storeu_si512(out, ids); }
inline void store_ids(int64_t* out, __m512i ids) {
  _mm512_storeu_si512(out, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(ids)));
  _mm512_storeu_si512(out + 8, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(ids, 1)));
}

// Handles sixteen edges at a time. It reads their entries, and finds the new ones and repeats
// within the sixteen. Then it numbers the rest in order, and writes only new entries.
template <typename Out>
uint32_t relabel_512(const DirectTable& table, const uint32_t* neighbors, int64_t count,
                     uint32_t next, void* nodes, void* out) {
  auto* ids = static_cast<Out*>(nodes);
  auto* to = static_cast<Out*>(out);
  uint32_t* const entries = table.entries;
  const uint32_t base = table.base;
  const __m512i bases = _mm512_set1_epi32(static_cast<int>(base));
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int64_t i = 0; i < count && i < kTableAhead; ++i) {
    prefetch_l1(entries + neighbors[i]);
  }
  for (int64_t i = 0; i < count; i += 16) {
    for (int64_t j = 0; j < 16; ++j) {
      // The caller fills kSlack entries after the last with a valid neighbour.
      prefetch_l1(entries + neighbors[i + j + kTableAhead]);
    }
    const int64_t left = count - i;
    const auto valid =
        left >= 16 ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << left) - 1);
    const __m512i neighbor = _mm512_loadu_si512(neighbors + i);
    alignas(64) uint32_t found[16];
    for (int64_t j = 0; j < 16; ++j) {
      found[j] = entries[neighbors[i + j]];
    }
    const __m512i entry = _mm512_load_si512(found);
    const __mmask16 is_new = _mm512_mask_cmplt_epu32_mask(valid, entry, bases);
    const __m512i earlier = _mm512_maskz_conflict_epi32(is_new, neighbor);
    const __mmask16 repeat = _mm512_test_epi32_mask(earlier, earlier);
    const auto first = static_cast<__mmask16>(is_new & ~repeat);
    __m512i id =
        _mm512_mask_expand_epi32(_mm512_sub_epi32(entry, bases), first,
                                 _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<int>(next))));
    if (__builtin_expect(repeat != 0, 0)) {
      // The lowest set bit is the first lane with this neighbour.
      const __m512i lowest =
          _mm512_and_si512(earlier, _mm512_sub_epi32(_mm512_setzero_si512(), earlier));
      const __m512i source = _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(lowest));
      id = _mm512_mask_permutexvar_epi32(id, repeat, source, id);
    }
    store_ids(to + i, id);
    const __m512i fresh = _mm512_maskz_compress_epi32(first, neighbor);
    store_ids(ids + next, fresh);
    const auto num_fresh = static_cast<uint32_t>(__builtin_popcount(first));
    alignas(64) uint32_t fresh_ids[16];
    _mm512_store_si512(fresh_ids, fresh);
    for (uint32_t j = 0; j < num_fresh; ++j) {
      entries[fresh_ids[j]] = base + next + j;
    }
    next += num_fresh;
  }
  return next;
}

inline void walk_draws_512(const uint64_t* keys, int64_t count, uint32_t pair, uint32_t step,
                           uint64_t* first, uint64_t* second) {
  const __m512i zero = _mm512_setzero_si512();
  for (int64_t i = 0; i < count; i += 8) {
    const int64_t left = count - i;
    const auto valid =
        left >= 8 ? static_cast<__mmask8>(0xff) : static_cast<__mmask8>((1u << left) - 1);
    const __m512i key = _mm512_maskz_loadu_epi64(valid, keys + i);
    __m512i words01;
    __m512i words23;
    philox_rounds(_mm512_set1_epi64(pair), _mm512_set1_epi64(step), zero, zero, key,
                  _mm512_srli_epi64(key, 32), &words01, &words23);
    _mm512_mask_storeu_epi64(first + i, valid, words01);
    _mm512_mask_storeu_epi64(second + i, valid, words23);
  }
}

inline __m512i load_valid8(__mmask8 valid, const int64_t* ids) {
  return _mm512_maskz_loadu_epi64(valid, ids);
}
inline __m512i load_valid8(__mmask8 valid, const int32_t* ids) {
  return _mm512_cvtepi32_epi64(_mm256_maskz_loadu_epi32(valid, ids));
}

inline __mmask8 lanes_left(int64_t left) {
  return left >= 8 ? static_cast<__mmask8>(0xff) : static_cast<__mmask8>((1u << left) - 1);
}

// One key in some lanes, another key in the rest.
struct TwoKeys {
  const int64_t* at;
  const int64_t* late_at;
  __mmask8 late;
  __m512i pick(int64_t i) const {
    return _mm512_mask_blend_epi64(late, _mm512_set1_epi64(at[i]), _mm512_set1_epi64(late_at[i]));
  }
  __m512i first() const { return pick(0); }
  __m512i second() const { return pick(1); }
  void advance() {
    at += 2;
    late_at += 2;
  }
};

constexpr int64_t kNumbersAhead = 128;
template <typename In>
bool numbers_512(const NumberArgs& args, const void* ids, int64_t count, uint64_t* out) {
  const auto* from = static_cast<const In*>(ids);
  const auto all = [](uint64_t value) { return _mm512_set1_epi64(static_cast<int64_t>(value)); };
  const __m512i zero = _mm512_setzero_si512();
  const __m512i limit = all(args.limit);
  const __m512i word = all(args.word);
  const RoundKeys keys(args.key);
  RoundKeys late_keys;
  RoundKeys phase_keys;
  if (args.late_from != 0) {
    late_keys = RoundKeys(args.late_key);
    phase_keys = RoundKeys(args.phase_key);
  }
  __mmask8 bad = 0;
  __m512i numbers;
  __m512i unused;
  for (int64_t i = 0; i < count; i += 8) {
    if (i + kNumbersAhead < count) {  // only for long rows; the caller has prefetched short ones
      prefetch_l1(from + i + kNumbersAhead);
    }
    const __mmask8 valid = lanes_left(count - i);
    const __m512i id = load_valid8(valid, from + i);
    bad |= _mm512_mask_cmpge_epu64_mask(valid, id, limit);
    const __m512i high = _mm512_srli_epi64(id, 32);
    if (args.late_from == 0) {
      philox_keyed(zero, word, id, high, OneKey{keys.of_rounds}, &numbers, &unused);
    } else {
      philox_keyed(id, high, all(4), all(args.node_type), OneKey{phase_keys.of_rounds}, &numbers,
                   &unused);
      const __mmask8 late = _mm512_cmpge_epu64_mask(numbers, all(args.late_from));
      philox_keyed(zero, word, id, high, TwoKeys{keys.of_rounds, late_keys.of_rounds, late},
                   &numbers, &unused);
    }
    _mm512_storeu_si512(out + i, numbers);
  }
  return bad == 0;
}

inline int64_t numbers_below_512(const uint64_t* numbers, int64_t count, uint64_t bound,
                                 int64_t first, uint64_t* kept, int64_t* places) {
  const __m512i bounds = _mm512_set1_epi64(static_cast<int64_t>(bound));
  const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  int64_t n = 0;
  for (int64_t i = 0; i < count; i += 8) {
    const __mmask8 valid = lanes_left(count - i);
    const __m512i number = _mm512_maskz_loadu_epi64(valid, numbers + i);
    const __mmask8 below = _mm512_mask_cmple_epu64_mask(valid, number, bounds);
    const __m512i place = _mm512_add_epi64(lane, _mm512_set1_epi64(first + i));
    _mm512_storeu_si512(kept + n, _mm512_maskz_compress_epi64(below, number));
    _mm512_storeu_si512(places + n, _mm512_maskz_compress_epi64(below, place));
    n += __builtin_popcount(below);
  }
  return n;
}

inline int64_t smallest_512(const uint64_t* numbers, const int64_t* places, int64_t count,
                            int64_t k, int64_t* out) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i most = _mm512_set1_epi64(k);
  int64_t n = 0;
  for (int64_t i = 0; i < count; i += 8) {
    const __mmask8 valid = lanes_left(count - i);
    const __m512i own = _mm512_maskz_loadu_epi64(valid, numbers + i);
    __m512i smaller = _mm512_setzero_si512();
    for (int64_t j = 0; j < count; ++j) {
      const __m512i other = _mm512_set1_epi64(static_cast<int64_t>(numbers[j]));
      smaller = _mm512_mask_add_epi64(smaller, _mm512_cmplt_epu64_mask(other, own), smaller, one);
    }
    const __mmask8 taken = _mm512_mask_cmplt_epi64_mask(valid, smaller, most);
    const __m512i place = _mm512_maskz_loadu_epi64(valid, places + i);
    _mm512_storeu_si512(out + n, _mm512_maskz_compress_epi64(taken, place));
    n += __builtin_popcount(taken);
  }
  return n;
}

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
}  // namespace gls::kernels
