// Uniform picks with 256-bit vectors; relabelling uses the plain kernel. uniform_avx512.h describes
// the method, at twice the width.
#include <immintrin.h>

#include "sample/kernels/weighted_common.h"

namespace gls::kernels {
namespace {

inline __m256i set64(uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); }
inline __m256i set32(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }

inline __m256i mul_high(__m256i a, __m256i b) {
  const __m256i even = _mm256_mul_epu32(a, b);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
  return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

// Philox4x32-10 in four 64-bit lanes, with one counter each. Returns the halves of each lane's
// block.
inline void philox_halves(__m256i c0, __m256i c1, __m256i c2, __m256i c3, __m256i k0, __m256i k1,
                          __m256i* words01, __m256i* words23) {
  const __m256i m0 = set64(0xd2511f53);
  const __m256i m1 = set64(0xcd9e8d57);
  const __m256i w0 = set32(0x9e3779b9u);
  const __m256i w1 = set32(0xbb67ae85u);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const __m256i p0 = _mm256_mul_epu32(c0, m0);
    const __m256i p1 = _mm256_mul_epu32(c2, m1);
    c0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1), k0);
    c2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3), k1);
    c1 = p1;
    c3 = p0;
    k0 = _mm256_add_epi32(k0, w0);
    k1 = _mm256_add_epi32(k1, w1);
  }
  *words01 = _mm256_blend_epi32(c0, _mm256_slli_epi64(c1, 32), 0xaa);
  *words23 = _mm256_blend_epi32(c2, _mm256_slli_epi64(c3, 32), 0xaa);
}

inline void philox_rounds(__m256i c0, __m256i c1, __m256i c2, __m256i c3, __m256i k0, __m256i k1,
                          uint32_t* out_low, uint32_t* out_high) {
  __m256i words01;
  __m256i words23;
  philox_halves(c0, c1, c2, c3, k0, k1, &words01, &words23);
  _mm256_store_si256(reinterpret_cast<__m256i*>(out_low), _mm256_unpacklo_epi64(words01, words23));
  _mm256_store_si256(reinterpret_cast<__m256i*>(out_high), _mm256_unpackhi_epi64(words01, words23));
}

// Words for kNodes rows of kBlocks blocks each, in order. Lanes 0 and 2 go to the first result, 1
// and 3 to the second.
template <int kBlocks>
struct PhiloxWords256 {
  static constexpr int kNodes = kBlocks == 2 ? 2 : 1;

  static inline void draw(const uint64_t* nodes, const uint64_t* keys, uint32_t row_word,
                          uint32_t* out) {
    for (int64_t first = 0; first < kBlocks; first += 4) {
      __m256i blocks;
      __m256i node;
      __m256i key;
      if constexpr (kBlocks == 2) {
        const auto pair = [](const uint64_t* two) {
          return _mm256_setr_epi64x(static_cast<long long>(two[0]), static_cast<long long>(two[1]),
                                    static_cast<long long>(two[0]), static_cast<long long>(two[1]));
        };
        blocks = _mm256_setr_epi64x(0, 0, 1, 1);
        node = pair(nodes);
        key = pair(keys);
      } else {
        blocks =
            _mm256_add_epi64(_mm256_setr_epi64x(0, 2, 1, 3), set64(static_cast<uint64_t>(first)));
        node = set64(nodes[0]);
        key = set64(keys[0]);
      }
      philox_rounds(blocks, set64(row_word), node, _mm256_srli_epi64(node, 32), key,
                    _mm256_srli_epi64(key, 32), out + 4 * first, out + 4 * first + 8);
    }
  }
};

// Bits of the lanes of `later` that equal any lane of `earlier`.
inline uint32_t equal_to_any(__m256i later, __m256i earlier) {
  const __m256i next = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
  __m256i hit = _mm256_cmpeq_epi32(later, earlier);
  for (int i = 1; i < 8; ++i) {
    earlier = _mm256_permutevar8x32_epi32(earlier, next);
    hit = _mm256_or_si256(hit, _mm256_cmpeq_epi32(later, earlier));
  }
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(hit)));
}

// Bits of the lanes that equal an earlier lane of the same vector.
inline uint32_t repeats(__m256i picks) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i previous = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
  __m256i turned = picks;
  __m256i hit = _mm256_setzero_si256();
  for (int distance = 1; distance < 8; ++distance) {
    turned = _mm256_permutevar8x32_epi32(turned, previous);
    const __m256i has_earlier = _mm256_cmpgt_epi32(lane, _mm256_set1_epi32(distance - 1));
    hit = _mm256_or_si256(hit, _mm256_and_si256(has_earlier, _mm256_cmpeq_epi32(picks, turned)));
  }
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(hit)));
}

inline __m256i lanes_of(uint32_t bits) {
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(set32(bits), bit), bit);
}

inline void store_positions(int64_t* out, int64_t begin, __m256i picks) {
  const __m256i base = _mm256_set1_epi64x(begin);
  const __m128i low = _mm256_castsi256_si128(picks);
  const __m128i high = _mm256_extracti128_si256(picks, 1);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_add_epi64(base, _mm256_cvtepu32_epi64(low)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 4),
                      _mm256_add_epi64(base, _mm256_cvtepu32_epi64(high)));
}

// kVectors * 8 lanes >= fanout. Each vector is resolved against those before it, then within
// itself.
template <int kVectors>
inline void pick_row(int64_t begin, uint32_t degree, uint32_t fanout, const uint32_t* words,
                     int64_t* out) {
  __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i eight = set32(8);
  if (degree <= fanout) {
    for (int64_t v = 0; v < kVectors; ++v) {
      store_positions(out + 8 * v, begin, lane);
      lane = _mm256_add_epi32(lane, eight);
    }
    return;
  }
  const __m256i shift = set32(degree - fanout);
  __m256i settled[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) {
    const uint32_t lanes_used = fanout - static_cast<uint32_t>(8 * v);
    const uint32_t active = lanes_used >= 8 ? 0xffu : (1u << lanes_used) - 1;
    const __m256i last = _mm256_add_epi32(lane, shift);
    const __m256i range = _mm256_add_epi32(last, set32(1));
    const __m256i word = _mm256_load_si256(reinterpret_cast<const __m256i*>(words + 8 * v));
    __m256i picks = mul_high(word, range);
    uint32_t replaced = 0;
    for (int64_t u = 0; u < v; ++u) {
      replaced |= equal_to_any(picks, settled[u]);
    }
    replaced = (replaced | repeats(picks)) & active;
    uint32_t more = replaced;
    while (more != 0) {
      picks = _mm256_blendv_epi8(picks, last, lanes_of(more));
      more = repeats(picks) & active & ~replaced;
      replaced |= more;
    }
    settled[v] = picks;
    store_positions(out + 8 * v, begin, picks);
    lane = _mm256_add_epi32(lane, eight);
  }
}

template <int kBlocks, typename Out>
PickResult pick_lanes(const PickArgs& args, int64_t begin, int64_t end, int64_t* positions,
                      void* anchors) {
  using Words = PhiloxWords256<kBlocks>;
  constexpr int kLanes = 4 * kBlocks;
  const auto* rows = static_cast<const Out*>(args.rows);
  const auto* nodes = static_cast<const Out*>(args.nodes);
  const auto* trees = static_cast<const Out*>(args.trees);
  auto* anchor_out = static_cast<Out*>(anchors);
  const uint32_t fanout = args.fanout;
  const int64_t last = args.frontier_end - 1;
  alignas(32) uint32_t words[32];
  int64_t picks = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t in_group = (i - begin) % Words::kNodes;
    if (in_group == 0) {
      uint64_t ids[2];
      uint64_t keys[2];
      for (int n = 0; n < Words::kNodes; ++n) {
        const int64_t at = i + n <= last ? i + n : last;
        ids[n] = static_cast<uint64_t>(int64_t{nodes[at]});
        keys[n] = trees == nullptr ? args.key : args.tree_keys[trees[at]];
      }
      Words::draw(ids, keys, args.row_word, words);
    }
    prefetch_l1(args.indptr + rows[i + kIndptrAhead <= last ? i + kIndptrAhead : last]);
    const Row row = read_row(args, static_cast<uint64_t>(int64_t{rows[i]}));
    if (__builtin_expect(!row.valid || row.degree > kSmallDegree, 0)) {
      return {i, picks, !row.valid};
    }
    const auto degree = static_cast<uint32_t>(row.degree);
    pick_row<kLanes / 8>(row.begin, degree, fanout, words + in_group * kLanes, positions + picks);
    for (int j = 0; j < kLanes; ++j) {
      anchor_out[picks + j] = static_cast<Out>(i);
    }
    picks += degree < fanout ? degree : fanout;
  }
  return {end, picks, false};
}

template <typename Out>
PickResult pick(const PickArgs& args, int64_t begin, int64_t end, int64_t* positions,
                void* anchors) {
  if (args.fanout <= 8) {
    return pick_lanes<2, Out>(args, begin, end, positions, anchors);
  }
  if (args.fanout <= 16) {
    return pick_lanes<4, Out>(args, begin, end, positions, anchors);
  }
  return pick_lanes<8, Out>(args, begin, end, positions, anchors);
}

struct Avx2Weighted : PickOneByOne {
  explicit Avx2Weighted(const WeightedArgs& args) : PickOneByOne(args), row_word(args.row_word) {}
  template <int kWords>
  void draw(const uint64_t* nodes, const uint64_t* keys, int64_t rows, uint32_t* out) const {
    using Words = PhiloxWords256<kWords / 4>;
    for (int64_t i = 0; i < rows; i += Words::kNodes) {
      Words::draw(nodes + i, keys + i, row_word, out + i * kWords);
    }
  }
  uint32_t row_word;
};

void walk_draws(const uint64_t* keys, int64_t count, uint32_t pair, uint32_t step, uint64_t* first,
                uint64_t* second) {
  const __m256i zero = _mm256_setzero_si256();
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256i key = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + i));
    alignas(32) uint64_t even[4];  // halves of lanes 0 and 2
    alignas(32) uint64_t odd[4];
    philox_rounds(set64(pair), set64(step), zero, zero, key, _mm256_srli_epi64(key, 32),
                  reinterpret_cast<uint32_t*>(even), reinterpret_cast<uint32_t*>(odd));
    for (int64_t lane = 0; lane < 4; lane += 2) {
      first[i + lane] = even[lane];
      second[i + lane] = even[lane + 1];
      first[i + lane + 1] = odd[lane];
      second[i + lane + 1] = odd[lane + 1];
    }
  }
  walk_draws_one_by_one(keys + i, count - i, pair, step, first + i, second + i);
}

// Ids of four lanes; those from `left` on are 0.
inline __m256i load_left(const int64_t* ids, int64_t left) {
  if (left >= 4) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids));
  }
  return _mm256_setr_epi64x(ids[0], left > 1 ? ids[1] : 0, left > 2 ? ids[2] : 0, 0);
}
inline __m256i load_left(const int32_t* ids, int64_t left) {
  if (left >= 4) {
    return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(ids)));
  }
  return _mm256_setr_epi64x(ids[0], left > 1 ? ids[1] : 0, left > 2 ? ids[2] : 0, 0);
}

// Whether a > b as unsigned numbers, for which AVX2 has no comparison.
inline __m256i above(__m256i a, __m256i b) {
  const __m256i top = set64(uint64_t{1} << 63);
  return _mm256_cmpgt_epi64(_mm256_xor_si256(a, top), _mm256_xor_si256(b, top));
}

template <typename In>
bool numbers_256(const NumberArgs& args, const void* ids, int64_t count, uint64_t* out) {
  const auto* from = static_cast<const In*>(ids);
  const __m256i most = set64(args.limit - 1);
  const __m256i phase_key = set64(args.phase_key);
  __m256i bad = _mm256_setzero_si256();
  __m256i numbers;
  __m256i unused;
  for (int64_t i = 0; i < count; i += 4) {
    const __m256i id = load_left(from + i, count - i);
    bad = _mm256_or_si256(bad, above(id, most));
    const __m256i high = _mm256_srli_epi64(id, 32);
    __m256i key = set64(args.key);
    if (args.late_from != 0) {
      philox_halves(id, high, set64(4), set64(args.node_type), phase_key,
                    _mm256_srli_epi64(phase_key, 32), &numbers, &unused);
      const __m256i late = above(numbers, set64(args.late_from - 1));
      key = _mm256_blendv_epi8(key, set64(args.late_key), late);
    }
    philox_halves(_mm256_setzero_si256(), set64(args.word), id, high, key,
                  _mm256_srli_epi64(key, 32), &numbers, &unused);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), numbers);
  }
  return _mm256_testz_si256(bad, bad) != 0;
}

int64_t smallest_256(const uint64_t* numbers, const int64_t* places, int64_t count, int64_t k,
                     int64_t* out) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; i += 4) {
    const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + i));
    __m256i smaller = _mm256_setzero_si256();
    for (int64_t j = 0; j < count; ++j) {
      smaller = _mm256_sub_epi64(smaller, above(own, set64(numbers[j])));
    }
    alignas(32) int64_t ranks[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(ranks), smaller);
    for (int64_t lane = 0; lane < 4 && i + lane < count; ++lane) {
      out[n] = places[i + lane];
      n += ranks[lane] < k ? 1 : 0;
    }
  }
  return n;
}

// Bits of the lanes whose times are in the range.
inline uint64_t lanes_within(const int32_t* times, __m256i low, __m256i high) {
  const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(times));
  const __m256i outside =
      _mm256_or_si256(_mm256_cmpgt_epi32(low, eight), _mm256_cmpgt_epi32(eight, high));
  return static_cast<uint32_t>(~_mm256_movemask_ps(_mm256_castsi256_ps(outside))) & 0xffu;
}
inline uint64_t lanes_within(const int64_t* times, __m256i low, __m256i high) {
  const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(times));
  const __m256i outside =
      _mm256_or_si256(_mm256_cmpgt_epi64(low, four), _mm256_cmpgt_epi64(four, high));
  return static_cast<uint32_t>(~_mm256_movemask_pd(_mm256_castsi256_pd(outside))) & 0xfu;
}

template <typename T>
void times_within_256(const void* times, int64_t count, int64_t low, int64_t high,
                      uint64_t* words) {
  constexpr int kLanes = 32 / sizeof(T);
  const __m256i first =
      sizeof(T) == 8 ? _mm256_set1_epi64x(low) : _mm256_set1_epi32(static_cast<int>(low));
  const __m256i last =
      sizeof(T) == 8 ? _mm256_set1_epi64x(high) : _mm256_set1_epi32(static_cast<int>(high));
  times_by_word(static_cast<const T*>(times), count, static_cast<T>(low), static_cast<T>(high),
                words, [=](const T* of_word) {
                  uint64_t word = 0;
                  for (int i = 0; i < 64; i += kLanes) {
                    word |= lanes_within(of_word + i, first, last) << i;
                  }
                  return word;
                });
}

}  // namespace

const Table& avx2_table() {
  static constexpr Table table = {
      "avx2",
      {pick<int32_t>, pick<int64_t>},
      GLS_COMMON_LOADS,
      {relabel_one_by_one<int32_t>, relabel_one_by_one<int64_t>},
      {sift_one_by_one<int32_t>, sift_one_by_one<int64_t>},
      {pick_weighted<Avx2Weighted, int32_t>, pick_weighted<Avx2Weighted, int64_t>},
      walk_draws,
      {numbers_256<int32_t>, numbers_256<int64_t>},
      numbers_below_one_by_one,
      smallest_256,
      {times_within_256<int32_t>, times_within_256<int64_t>}};
  return table;
}

}  // namespace gls::kernels
