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

// Slots are made of whole numbers: an entry has its parts, times the row's length, and a slot takes
// kAllParts. The slot of entry i has `own` of the entry, and the rest of `other`.
GLS_HOST_DEVICE constexpr uint64_t alias_size(int32_t parts, uint64_t degree) {
  return static_cast<uint32_t>(parts) * degree;
}
GLS_HOST_DEVICE constexpr AliasSlot alias_slot(uint64_t own, uint32_t i, uint32_t other) {
  const bool full = own == static_cast<uint64_t>(kAllParts);
  return {full ? 0 : static_cast<uint32_t>(own * 4), full ? i : other};
}

// The same slots without a table, from sums over the entries of the row up to each: of their parts,
// and of what the light ones, which do not fill their slots, lack there. The heavy ones fill these
// in turn, so whom a slot has for other is where their sum of what they have beyond their own slots
// passes that of what was lacking before.
struct AliasSums {
  const int32_t* parts;   // [degree]: running ones
  const uint64_t* lacks;  // [degree]
  uint64_t degree;

  // Of one entry, where a slot is as large as all parts.
  GLS_HOST_DEVICE static constexpr uint64_t size_of(const int32_t* parts, uint64_t degree,
                                                    uint64_t i) {
    const int32_t before = i == 0 ? 0 : parts[i - 1];
    return alias_size(parts[i] - before, degree);
  }
  GLS_HOST_DEVICE static constexpr uint64_t lack_of(uint64_t size) {
    return size < uint64_t{kAllParts} ? uint64_t{kAllParts} - size : 0;
  }
  // What the heavy ones up to an entry have beyond their slots.
  GLS_HOST_DEVICE constexpr uint64_t beyond(uint64_t i) const {
    return lacks[i] + static_cast<uint64_t>(parts[i]) * degree - (i + 1) * uint64_t{kAllParts};
  }
  // The first entry up to which one of the two is so much; there is one.
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
    // Heavy ones keep what they do not give away, and what is then lacking comes from the next.
    const uint64_t bound = light ? (i == 0 ? 0 : lacks[i - 1]) : beyond(i);
    const uint64_t own =
        light ? size : uint64_t{kAllParts} + bound - lacks[first_with(Sum::kLacks, bound)];
    const uint64_t other = own == uint64_t{kAllParts} ? i : first_with(Sum::kBeyond, bound + 1);
    return alias_slot(own, static_cast<uint32_t>(i), static_cast<uint32_t>(other));
  }
};

// The entry that a draw selects in a row of up to kSmallDegree, and in a longer one. `slots` gives
// the slot of an entry.
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

// The same of a row of either length, for draw j; and the upper 32 bits of that draw.
template <typename Slots>
GLS_HOST_DEVICE constexpr uint32_t alias_drawn(const Slots& slots, uint64_t degree, RowDraws& draws,
                                               uint32_t j) {
  return degree <= kSmallDegree ? alias_pick(slots, static_cast<uint32_t>(degree), draws.u32(j))
                                : alias_pick_wide(slots, degree, draws.u64(j));
}
GLS_HOST_DEVICE constexpr uint32_t alias_upper(uint64_t degree, RowDraws& draws, uint32_t j) {
  return degree <= kSmallDegree ? draws.u32(j) : hi32(draws.u64(j));
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
