// The contract's rules for draws by weight from one row (docs/contract.md section 2), for CPUs and
// GPUs: the row's alias table, and how a draw uses it.
//
// Sources: Walker, "An efficient method for generating discrete random variables with general
// distributions", ACM TOMS 3:3, 1977; Vose, IEEE TSE 17:9, 1991.
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace gls {

// A row is divided into this many parts, of which each entry has a share; see weighted_parts.h.
inline constexpr int32_t kAllParts = 1 << 30;

// The part that a draw selects.
GLS_HOST_DEVICE constexpr int32_t part_of_wide(uint64_t draw) {
  return static_cast<int32_t>(draw >> 34);
}
// The running parts s_i of an entry. `met` of the row's `positive` positive weights are at or
// before the entry; their sum is `sum` of `total`.
GLS_HOST_DEVICE constexpr int32_t running_parts(int32_t met, double sum, double total,
                                                int64_t positive) {
  return met + static_cast<int32_t>(sum / total * static_cast<double>(kAllParts - positive));
}

// One slot for each of a row's d entries. The shares times d are d * kAllParts in total, and each
// slot takes kAllParts. The first of them belong to the entry itself, the rest to one other entry.
struct AliasSlot {
  // Four times the entry's own part of the slot; 0 if the slot is all its own, or not at all.
  uint32_t share;
  uint32_t other;  // the entry that has the rest; if there is none, the entry itself

  // Whether entry i of this slot has a positive weight, and therefore parts of its own.
  GLS_HOST_DEVICE constexpr bool positive(uint32_t i) const { return share != 0 || other == i; }
};

// A row that has an alias table.
struct alignas(16) WeightedRow {
  int64_t begin;
  int32_t degree;
  // Entries with a positive weight; negative if the row must be read.
  int32_t positive;
};

// Slots use integers: an entry has its parts times the row's length, and a slot takes kAllParts.
// The slot of entry i has `own` from the entry, and the rest from `other`.
GLS_HOST_DEVICE constexpr uint64_t alias_size(int32_t parts, uint64_t degree) {
  return static_cast<uint32_t>(parts) * degree;
}
GLS_HOST_DEVICE constexpr AliasSlot alias_slot(uint64_t own, uint32_t i, uint32_t other) {
  const bool full = own == static_cast<uint64_t>(kAllParts);
  return {full ? 0 : static_cast<uint32_t>(own * 4), full ? i : other};
}

// The same slots without a table. They follow from cumulative sums over the entries: of parts, and
// of the amounts that light entries lack to fill their slots. Heavy entries fill these in order. So
// `other` is the heavy entry where the sum of surpluses passes the sum of what earlier slots
// lacked.
struct AliasSums {
  const int32_t* parts;   // [degree]: running parts
  const uint64_t* lacks;  // [degree]
  uint64_t degree;

  // Of one entry, where all parts make up one slot.
  GLS_HOST_DEVICE static constexpr uint64_t size_of(const int32_t* parts, uint64_t degree,
                                                    uint64_t i) {
    const int32_t before = i == 0 ? 0 : parts[i - 1];
    return alias_size(parts[i] - before, degree);
  }
  GLS_HOST_DEVICE static constexpr uint64_t lack_of(uint64_t size) {
    return size < uint64_t{kAllParts} ? uint64_t{kAllParts} - size : 0;
  }
  // The surplus of the heavy entries up to this one.
  GLS_HOST_DEVICE constexpr uint64_t beyond(uint64_t i) const {
    return lacks[i] + static_cast<uint64_t>(parts[i]) * degree - (i + 1) * uint64_t{kAllParts};
  }
  // The first entry where the chosen sum reaches this value; it must exist.
  enum class Sum : uint8_t { kLacks, kBeyond };
  GLS_HOST_DEVICE constexpr uint64_t first_with(Sum sum, uint64_t least) const {
    uint64_t low = 0;
    uint64_t high = degree - 1;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if ((sum == Sum::kLacks ? lacks[middle] : beyond(middle)) >= least) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
  GLS_HOST_DEVICE constexpr AliasSlot operator[](uint64_t i) const {
    const uint64_t size = size_of(parts, degree, i);
    const bool light = size <= uint64_t{kAllParts};
    // Heavy entries keep what they do not give away; the next heavy entry fills what is then
    // lacking.
    const uint64_t bound = light ? (i == 0 ? 0 : lacks[i - 1]) : beyond(i);
    const uint64_t own =
        light ? size : uint64_t{kAllParts} + bound - lacks[first_with(Sum::kLacks, bound)];
    const uint64_t other = own == uint64_t{kAllParts} ? i : first_with(Sum::kBeyond, bound + 1);
    return alias_slot(own, static_cast<uint32_t>(i), static_cast<uint32_t>(other));
  }
};

// The entry that a draw selects, in a row of up to kSmallDegree, and in a longer row. `slots`
// returns the slot of an entry.
template <typename Slots>
GLS_HOST_DEVICE constexpr uint32_t alias_pick(const Slots& slots, uint32_t degree, uint32_t draw) {
  const uint64_t product = uint64_t{draw} * degree;
  const auto own = static_cast<uint32_t>(product >> 32);
  const AliasSlot slot = slots[own];
  return static_cast<uint32_t>(product) < slot.share ? own : slot.other;
}
template <typename Slots>
GLS_HOST_DEVICE constexpr uint32_t alias_pick_wide(const Slots& slots, uint64_t degree,
                                                   uint64_t draw) {
  const auto own = static_cast<uint32_t>(mul_high64(draw, degree));
  const AliasSlot slot = slots[own];
  return hi32(draw * degree) < slot.share ? own : slot.other;
}

// As above, for a row of any length and draw j; also returns the upper 32 bits of that draw.
template <typename Slots>
GLS_HOST_DEVICE constexpr uint32_t alias_drawn(const Slots& slots, uint64_t degree, RowDraws& draws,
                                               uint32_t j) {
  return degree <= kSmallDegree ? alias_pick(slots, static_cast<uint32_t>(degree), draws.u32(j))
                                : alias_pick_wide(slots, degree, draws.u64(j));
}
GLS_HOST_DEVICE constexpr uint32_t alias_upper(uint64_t degree, RowDraws& draws, uint32_t j) {
  return degree <= kSmallDegree ? draws.u32(j) : hi32(draws.u64(j));
}

// The part that a draw selects among those left after entries were taken from a row.
GLS_HOST_DEVICE constexpr int64_t part_of_remaining(uint32_t draw, uint64_t left) {
  return static_cast<int64_t>((draw * left) >> 32);
}

// The number of draws for `count` distinct picks; missing picks are drawn from the remaining
// entries. Long rows get more draws, because drawing from the remaining entries takes time in
// proportion to their length.
GLS_HOST_DEVICE constexpr uint64_t alias_draws(uint64_t degree, uint64_t count) {
  const uint64_t few = (2 * count + 15) / 16 * 16;
  return degree / 4 > few ? degree / 4 : few;
}

}  // namespace gls
