// Makes a row's alias table, and picks from it in every way of the contract. The vector kernels
// handle the most common cases; this code handles the rest, and tests compare the kernels with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/philox.h"
#include "host_device/alias_rule.h"
#include "sample/kernels/index_set.h"
#include "sample/pick/weighted_parts.h"

namespace gls {

// Makes the table from a row's running parts, the last of which is kAllParts. There is one slot for
// each entry.
//
// Entries are visited in order, once as light entries that fill no slot, and once as heavy entries
// that fill more: Huebschle-Schneider, Sanders, "Parallel Weighted Random Sampling", ACM TOMS 48:3,
// 2022.
void make_alias(std::span<const int32_t> parts, AliasSlot* slots);
// Converts a table back to parts.
void parts_of(std::span<const AliasSlot> slots, std::vector<int32_t>* parts);

// Appends indices in a row, in the order of picking. The row has a positive weight.
class AliasPicker {
 public:
  static void repeated(std::span<const AliasSlot> slots, RowDraws& draws, int64_t count,
                       std::vector<int64_t>* out);
  // The row has at least `count` positive weights.
  void distinct(std::span<const AliasSlot> slots, RowDraws& draws, int64_t count,
                std::vector<int64_t>* out);

 private:
  IndexSet taken_;
  std::vector<int32_t> parts_;
  RemainingParts remaining_;
};

}  // namespace gls
