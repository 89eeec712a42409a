// Picks by weight from alias tables, docs/contract.md section 2, for any instruction set. Internal
// linkage; see kernels.h.
//
// Rows are processed in groups. While the slots of one group are being loaded, the picks of the
// group before are made.
#pragma once

#include "host_device/alias_rule.h"
#include "sample/kernels/kernels_common.h"

namespace gls::kernels {
// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers)
namespace {

constexpr int64_t kWeightedRows = 16;  // in a group
// Rows up to the first length are prefetched whole. Rows up to the second draw from what remains at
// once.
constexpr uint32_t kWholeSlots = 32;
constexpr uint32_t kRestSlots = 64;

struct AliasRow {
  const AliasSlot* slots;
  uint32_t degree;
  const uint32_t* words;  // random words of the first draws
  uint32_t num_words;
  uint64_t node;
  uint64_t key;
  uint32_t row_word;
};

// Makes the draws `from` .. `limit - 1` until there are `count` picks, of which `n` exist already.
// Returns the new number.
inline uint32_t pick_on(const AliasRow& row, uint32_t from, uint32_t limit, bool distinct,
                        uint32_t count, uint32_t n, uint32_t* picks) {
  RowDraws draws(row.key, row.row_word, row.node);
  for (uint32_t j = from; j < limit && n < count; ++j) {
    const uint32_t word = j < row.num_words ? row.words[j] : draws.u32(j);
    const uint32_t pick = alias_pick(row.slots, row.degree, word);
    bool repeated = false;
    for (uint32_t i = 0; i < n; ++i) {
      repeated |= picks[i] == pick;
    }
    picks[n] = pick;
    n += distinct && repeated ? 0 : 1;
  }
  return n;
}

// Makes the picks still missing after all draws, from the remaining entries of a row of up to
// kRestSlots.
inline void pick_rest(const AliasRow& row, uint32_t limit, uint32_t count, uint32_t n,
                      uint32_t* picks) {
  // Parts, multiplied by the row's length as in alias.cc.
  constexpr uint64_t kSlot = kAllParts;
  uint64_t shares[kRestSlots];
  for (uint32_t i = 0; i < row.degree; ++i) {
    shares[i] = 0;
  }
  for (uint32_t i = 0; i < row.degree; ++i) {
    const AliasSlot slot = row.slots[i];
    const uint64_t own = slot.other == i ? kSlot : slot.share / 4;
    shares[i] += own;
    shares[slot.other] += kSlot - own;
  }
  uint64_t left = kSlot * row.degree;
  const auto take = [&](uint32_t i) {
    left -= shares[i];
    shares[i] = 0;
  };
  for (uint32_t i = 0; i < n; ++i) {
    take(picks[i]);
  }
  RowDraws draws(row.key, row.row_word, row.node);
  for (; n < count; ++n) {
    // Below 2^36, so the product is assembled from two.
    const uint32_t word = draws.u32(limit + n);
    uint64_t x = uint64_t{word} * hi32(left) + (uint64_t{word} * lo32(left) >> 32);
    uint32_t i = 0;
    while (x >= shares[i]) {
      x -= shares[i++];
    }
    picks[n] = i;
    take(i);
  }
}

// Used where an instruction set has no vector version.
struct PickOneByOne {
  explicit PickOneByOne(const WeightedArgs& /*args*/) {}

  // Makes the first draws. Returns the number of picks, and the first draw that was not made.
  template <int kLanes, bool kDistinct>
  static uint32_t start(const AliasRow& /*row*/, uint32_t /*count*/, uint32_t* /*picks*/,
                        uint32_t* from) {
    *from = 0;
    return 0;
  }
};

// Makes as many draws at once as there are picks, or twice as many where some may repeat others.
template <typename Isa, typename Out, int kLanes, bool kDistinct>
class WeightedPicks {
 public:
  explicit WeightedPicks(const WeightedArgs& args)
      : args_(args),
        isa_(args),
        rows_(static_cast<const Out*>(args.rows)),
        nodes_(static_cast<const Out*>(args.nodes)),
        trees_(static_cast<const Out*>(args.trees)) {}

  WeightedResult run(int64_t begin, int64_t end, int64_t* positions, Out* anchors) {
    ask(begin, end, &groups_[0]);
    int64_t made = 0;
    for (int64_t from = begin, group = 0; from < end; from += kWeightedRows, group ^= 1) {
      const int64_t next = from + kWeightedRows;
      if (next < end) {
        ask(next, end, &groups_[group ^ 1]);
      }
      for (int64_t i = from; i < (next < end ? next : end); ++i) {
        const int64_t count = pick(groups_[group], i - from, positions + made);
        if (count < 0) {
          return {i, made};
        }
        for (int64_t j = 0; j < kLanes; ++j) {
          anchors[made + j] = static_cast<Out>(i);
        }
        made += count;
      }
    }
    return {end, made};
  }

 private:
  static constexpr int64_t kWords = kDistinct && kLanes <= 16 ? 2 * kLanes : kLanes;  // of a row
  // Vectors draw for up to four rows at once, and read eight.
  static constexpr int64_t kSpare = 7;
  struct Group {
    WeightedRow rows[kWeightedRows];
    uint64_t nodes[kWeightedRows + kSpare] = {};
    uint64_t keys[kWeightedRows + kSpare] = {};
    alignas(64) uint32_t words[(kWeightedRows + kSpare) * kWords];
  };

  bool whole(const WeightedRow& row) const {
    return row.positive <= (args_.whole_rows ? static_cast<int32_t>(args_.fanout) : 0);
  }

  void ask(int64_t from, int64_t end, Group* group) const {
    const int64_t last = args_.frontier_end - 1;
    const int64_t count = end - from < kWeightedRows ? end - from : kWeightedRows;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = from + i;
      prefetch_l1(args_.table + rows_[at + kIndptrAhead <= last ? at + kIndptrAhead : last]);
      group->rows[i] = args_.table[rows_[at]];
      group->nodes[i] = static_cast<uint64_t>(int64_t{nodes_[at]});
      group->keys[i] = trees_ == nullptr ? args_.key : args_.tree_keys[trees_[at]];
    }
    isa_.template draw<kWords>(group->nodes, group->keys, count, group->words);
    for (int64_t i = 0; i < count; ++i) {
      const WeightedRow& row = group->rows[i];
      if (whole(row)) {
        continue;
      }
      const AliasSlot* const slots = args_.slots + row.begin;
      const auto degree = static_cast<uint32_t>(row.degree);
      if (degree <= kWholeSlots) {
        for (uint32_t slot = 0; slot < degree; slot += 8) {
          prefetch_l2(slots + slot);
        }
        prefetch_l2(slots + degree - 1);
      } else if (degree <= kSmallDegree) {
        const uint32_t* const words = group->words + i * kWords;
        // Draws again about as many as would repeat with equal weights.
        const uint32_t more = kDistinct ? 2 * args_.fanout * args_.fanout / degree : 0;
        for (uint32_t j = 0; j < args_.fanout + more && j < kWords; ++j) {
          prefetch_l2(slots + (uint64_t{words[j]} * degree >> 32));
        }
      }
    }
  }

  // The number of positions written, or -1.
  int64_t pick(const Group& group, int64_t at, int64_t* positions) const {
    const WeightedRow& row = group.rows[at];
    const auto degree = static_cast<uint32_t>(row.degree);
    if (row.positive < 0 || degree > kSmallDegree) [[unlikely]] {
      return -1;
    }
    const AliasSlot* const slots = args_.slots + row.begin;
    if (whole(row)) {
      if (row.positive == row.degree) {
        for (int64_t j = 0; j < kLanes; ++j) {
          positions[j] = row.begin + j;
        }
        return row.degree;
      }
      int64_t count = 0;
      for (uint32_t i = 0; count < row.positive; ++i) {
        positions[count] = row.begin + i;
        count += slots[i].positive(i) ? 1 : 0;
      }
      return count;
    }
    const uint32_t count = args_.fanout;
    const AliasRow alias = {slots,
                            degree,
                            group.words + at * kWords,
                            static_cast<uint32_t>(kWords),
                            group.nodes[at],
                            group.keys[at],
                            args_.row_word};
    alignas(64) uint32_t picks[64];
    uint32_t from = 0;
    uint32_t n = isa_.template start<kLanes, kDistinct>(alias, count, picks, &from);
    if (n < count) {
      const auto limit = kDistinct ? static_cast<uint32_t>(alias_draws(degree, count)) : count;
      n = pick_on(alias, from, limit, kDistinct, count, n, picks);
      if (n < count) {
        if (degree > kRestSlots) [[unlikely]] {
          return -1;
        }
        pick_rest(alias, limit, count, n, picks);
      }
    }
    for (int64_t j = 0; j < kLanes; ++j) {
      positions[j] = row.begin + picks[j];
    }
    return count;
  }

  const WeightedArgs& args_;
  const Isa isa_;
  const Out* rows_;
  const Out* nodes_;
  const Out* trees_;
  Group groups_[2];
};

template <typename Isa, typename Out, int kLanes>
WeightedResult pick_weighted_lanes(const WeightedArgs& args, int64_t begin, int64_t end,
                                   int64_t* positions, void* anchors) {
  auto* const out = static_cast<Out*>(anchors);
  return args.distinct
             ? WeightedPicks<Isa, Out, kLanes, true>(args).run(begin, end, positions, out)
             : WeightedPicks<Isa, Out, kLanes, false>(args).run(begin, end, positions, out);
}

template <typename Isa, typename Out>
WeightedResult pick_weighted(const WeightedArgs& args, int64_t begin, int64_t end,
                             int64_t* positions, void* anchors) {
  if (args.fanout <= 8) {
    return pick_weighted_lanes<Isa, Out, 8>(args, begin, end, positions, anchors);
  }
  if (args.fanout <= 16) {
    return pick_weighted_lanes<Isa, Out, 16>(args, begin, end, positions, anchors);
  }
  return pick_weighted_lanes<Isa, Out, 32>(args, begin, end, positions, anchors);
}

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
}  // namespace gls::kernels
