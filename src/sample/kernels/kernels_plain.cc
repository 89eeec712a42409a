// Kernels for any CPU.
#include "sample/kernels/weighted_common.h"

namespace gls::kernels {
namespace {

// Floyd's picks for one row with degree > fanout, drawn with 32-bit words.
inline void floyd(uint64_t key, uint32_t row_word, uint64_t node, const Row& row, uint32_t fanout,
                  int64_t* positions) {
  uint32_t words[kMaxVectorFanout];
  for (uint32_t j = 0; j < fanout; j += 4) {
    const PhiloxWords block = philox(j / 4, row_word, lo32(node), hi32(node), key);
    for (uint32_t i = 0; i < 4; ++i) {
      words[j + i] = block.w[i];
    }
  }
  const auto first = static_cast<uint32_t>(row.degree) - fanout;
  for (uint32_t j = 0; j < fanout; ++j) {
    const auto draw = static_cast<uint32_t>((uint64_t{words[j]} * (first + j + 1)) >> 32);
    bool taken = false;
    for (uint32_t i = 0; i < j; ++i) {
      taken |= words[i] == draw;
    }
    words[j] = taken ? first + j : draw;  // from here on a pick instead of a random word
    positions[j] = row.begin + words[j];
  }
}

template <typename Out>
PickResult pick(const PickArgs& args, int64_t begin, int64_t end, int64_t* positions,
                void* anchors) {
  const auto* rows = static_cast<const Out*>(args.rows);
  const auto* nodes = static_cast<const Out*>(args.nodes);
  const auto* trees = static_cast<const Out*>(args.trees);
  auto* anchor_out = static_cast<Out*>(anchors);
  const uint32_t fanout = args.fanout;
  int64_t picks = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t ahead = i + kIndptrAhead < args.frontier_end ? i + kIndptrAhead : i;
    prefetch_l1(args.indptr + rows[ahead]);
    const auto node = static_cast<uint64_t>(int64_t{nodes[i]});
    const Row row = read_row(args, static_cast<uint64_t>(int64_t{rows[i]}));
    if (!row.valid) [[unlikely]] {
      return {i, picks, true};
    }
    uint32_t count = fanout;
    if (row.degree <= fanout) {
      count = static_cast<uint32_t>(row.degree);
      for (uint32_t j = 0; j < fanout; ++j) {
        positions[picks + j] = row.begin + j;
      }
    } else if (row.degree > kSmallDegree) [[unlikely]] {
      return {i, picks, false};
    } else {
      const uint64_t key = trees == nullptr ? args.key : args.tree_keys[trees[i]];
      floyd(key, args.row_word, node, row, fanout, positions + picks);
    }
    for (uint32_t j = 0; j < fanout; ++j) {
      anchor_out[picks + j] = static_cast<Out>(i);
    }
    picks += count;
  }
  return {end, picks, false};
}

struct PlainWeighted : PickOneByOne {
  explicit PlainWeighted(const WeightedArgs& args) : PickOneByOne(args), row_word(args.row_word) {}
  template <int kWords>
  void draw(const uint64_t* nodes, const uint64_t* keys, int64_t rows, uint32_t* out) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (uint32_t b = 0; b < kWords / 4; ++b) {
        const PhiloxWords words = philox(b, row_word, lo32(nodes[i]), hi32(nodes[i]), keys[i]);
        for (const uint32_t word : words.w) {
          *out++ = word;
        }
      }
    }
  }
  uint32_t row_word;
};

// Comparison results go to bytes, which compilers vectorise; then eight bytes become eight bits.
template <typename T>
void times_within(const void* times, int64_t count, int64_t low, int64_t high, uint64_t* words) {
  const auto first = static_cast<T>(low);
  const auto last = static_cast<T>(high);
  times_by_word(static_cast<const T*>(times), count, first, last, words, [=](const T* of_word) {
    uint8_t fits[64];
    for (int i = 0; i < 64; ++i) {
      fits[i] = static_cast<uint8_t>((of_word[i] >= first) & (of_word[i] <= last));
    }
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
      uint64_t eight = 0;
      for (int j = 0; j < 8; ++j) {
        eight |= uint64_t{fits[8 * i + j]} << (8 * j);
      }
      word |= (eight * 0x0102040810204080u >> 56) << (8 * i);
    }
    return word;
  });
}

}  // namespace

const Table& plain_table() {
  static constexpr Table table = {
      "plain",
      {pick<int32_t>, pick<int64_t>},
      GLS_COMMON_LOADS,
      {relabel_one_by_one<int32_t>, relabel_one_by_one<int64_t>},
      {sift_one_by_one<int32_t>, sift_one_by_one<int64_t>},
      {pick_weighted<PlainWeighted, int32_t>, pick_weighted<PlainWeighted, int64_t>},
      walk_draws_one_by_one,
      {numbers_one_by_one<int32_t>, numbers_one_by_one<int64_t>},
      numbers_below_one_by_one,
      smallest_one_by_one,
      {times_within<int32_t>, times_within<int64_t>}};
  return table;
}

}  // namespace gls::kernels
