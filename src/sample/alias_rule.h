// What the contract says of draws by weight from one row (docs/contract.md section 2), for
// processors and GPUs alike: the row's alias table, and how a draw looks at it.
//
// Sources: Walker, "An efficient method for generating discrete random variables with general
// distributions", ACM TOMS 3:3, 1977; Vose, IEEE TSE 17:9, 1991.
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace gls {

// A row is divided into so many parts, of which each entry has its share; see weighted_parts.h.
inline constexpr int32_t kAllParts = 1 << 30;

// The part that a draw hits.
GLS_HOST_DEVICE constexpr int32_t part_of_wide(uint64_t draw) {
  return static_cast<int32_t>(draw >> 34);
}
// The running parts s_i of an entry: `met` entries up to it have a positive weight, of `positive`
// in all, and the weights up to it add up to `sum`, of `total`.
GLS_HOST_DEVICE constexpr int32_t running_parts(int32_t met, double sum, double total,
                                                int64_t positive) {
  return met + static_cast<int32_t>(sum / total * static_cast<double>(kAllParts - positive));
}

// A slot for each entry of a row of d. It has kAllParts of the d * kAllParts that d times the
// shares come to; some of them, from the first on, belong to the entry itself, and the rest to one
// other.
struct AliasSlot {
  uint32_t share;  // four times the entry's own; 0 where it has all of them, and where it has none
  uint32_t other;  // who has the rest; where there is none, the entry itself

  // Whether entry i, whose slot this is, has a positive weight: then it has a part of its own.
  GLS_HOST_DEVICE constexpr bool positive(uint32_t i) const { return share != 0 || other == i; }
};

// A row that has an alias table.
struct alignas(16) WeightedRow {
  int64_t begin;
  int32_t degree;
  // Entries with a positive weight; below 0 where the row must be read.
  int32_t positive;
};

// The entry that a draw selects in a row of up to kSmallDegree, and in a longer one.
GLS_HOST_DEVICE constexpr uint32_t alias_pick(const AliasSlot* slots, uint32_t degree,
                                              uint32_t draw) {
  const uint64_t product = uint64_t{draw} * degree;
  const auto own = static_cast<uint32_t>(product >> 32);
  return static_cast<uint32_t>(product) < slots[own].share ? own : slots[own].other;
}
GLS_HOST_DEVICE constexpr uint32_t alias_pick_wide(const AliasSlot* slots, uint64_t degree,
                                                   uint64_t draw) {
  const auto own = static_cast<uint32_t>(mul_high64(draw, degree));
  return hi32(draw * degree) < slots[own].share ? own : slots[own].other;
}

// The same of a row of either length, for draw j; and the upper 32 bits of that draw.
GLS_HOST_DEVICE constexpr uint32_t alias_drawn(const AliasSlot* slots, uint64_t degree,
                                               RowDraws& draws, uint32_t j) {
  return degree <= kSmallDegree ? alias_pick(slots, static_cast<uint32_t>(degree), draws.u32(j))
                                : alias_pick_wide(slots, degree, draws.u64(j));
}
GLS_HOST_DEVICE constexpr uint32_t alias_upper(uint64_t degree, RowDraws& draws, uint32_t j) {
  return degree <= kSmallDegree ? draws.u32(j) : hi32(draws.u64(j));
}

// Slots are made of whole numbers: an entry has its parts, times the row's length, and a slot takes
// kAllParts. The slot of entry i has `own` of the entry, and the rest of `other`.
GLS_HOST_DEVICE constexpr uint64_t alias_size(int32_t parts, uint64_t degree) {
  return static_cast<uint32_t>(parts) * degree;
}
GLS_HOST_DEVICE constexpr AliasSlot alias_slot(uint64_t own, uint32_t i, uint32_t other) {
  const bool full = own == static_cast<uint64_t>(kAllParts);
  return {full ? 0 : static_cast<uint32_t>(own * 4), full ? i : other};
}

// Of the parts that are left when entries are taken from a row, the one that a draw hits.
GLS_HOST_DEVICE constexpr int64_t part_of_remaining(uint32_t draw, uint64_t left) {
  return static_cast<int64_t>((draw * left) >> 32);
}

// So many draws are made for `count` distinct picks; what is then missing is drawn from what
// remains. Long rows get more: drawing from what remains is as long as they are.
GLS_HOST_DEVICE constexpr uint64_t alias_draws(uint64_t degree, uint64_t count) {
  const uint64_t few = (2 * count + 15) / 16 * 16;
  return degree / 4 > few ? degree / 4 : few;
}

}  // namespace gls
