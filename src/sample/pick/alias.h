// Making a row's alias table, and picks from it in every way that the contract knows. The vector
// kernels do the commonest ones; this does the rest, and is what they are tested against.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/philox.h"
#include "rules/alias_rule.h"
#include "sample/kernels/index_set.h"
#include "sample/pick/weighted_parts.h"

namespace gls {

// From a row's running parts, the last of which is kAllParts. `slots` are as many.
//
// Entries are gone through in order, once as those that fill no slot and once as those that fill
// more: Huebschle-Schneider, Sanders, "Parallel Weighted Random Sampling", ACM TOMS 48:3, 2022.
void make_alias(std::span<const int32_t> parts, AliasSlot* slots);
// And back.
void parts_of(std::span<const AliasSlot> slots, std::vector<int32_t>* parts);

// Indices in a row, appended in the order of picking; the row has a positive weight.
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
