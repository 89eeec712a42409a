// Numbers of nodes that are picked by layer, for processors and GPUs alike (docs/contract.md
// section 2).
#pragma once

#include <cstdint>
#include <cstring>

#include "base/philox.h"
#include "rules/row_plan.h"

namespace gls {

// `word`: node type and hop, as row_word() puts them together.
GLS_HOST_DEVICE constexpr uint64_t number_of_node(const device::NumberKeys& keys,
                                                  uint32_t node_type, uint32_t word, uint64_t id) {
  const bool late =
      keys.late_from != 0 && layer_phase_draw(keys.phase_key, id, node_type) >= keys.late_from;
  return layer_number(late ? keys.late_key : keys.key, id, word);
}

// What stands for it where the neighbour has that weight, which is positive.
GLS_HOST_DEVICE uint64_t number_by_weight(uint64_t number, double weight) {
  const double quotient = RowDraws::unit_of(number) / weight;
  // Quotients are not negative, and such numbers are in the order of their bits.
  uint64_t bits;
  std::memcpy(&bits, &quotient, sizeof bits);
  return bits;
}

}  // namespace gls
