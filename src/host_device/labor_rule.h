// The random numbers of nodes for LABOR, for CPUs and GPUs (docs/contract.md section 2).
#pragma once

#include <cstdint>
#include <cstring>

#include "base/philox.h"
#include "host_device/row_plan.h"

namespace gls {

// `word`: node type and hop, combined as in row_word().
GLS_HOST_DEVICE constexpr uint64_t number_of_node(const device::NumberKeys& keys,
                                                  uint32_t node_type, uint32_t word, uint64_t id) {
  const bool late =
      keys.late_from != 0 && layer_phase_draw(keys.phase_key, id, node_type) >= keys.late_from;
  return layer_number(late ? keys.late_key : keys.key, id, word);
}

// The number after applying the neighbour's weight, which is positive.
GLS_HOST_DEVICE uint64_t number_by_weight(uint64_t number, double weight) {
  const double quotient = RowDraws::unit_of(number) / weight;
  // Quotients are not negative, so their bits order them.
  uint64_t bits;
  std::memcpy(&bits, &quotient, sizeof bits);
  return bits;
}

}  // namespace gls
