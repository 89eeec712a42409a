// Assigns owners in passes over the mapped graph. It only needs memory for the owners and for
// counters of the parts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "ingest/assign/balance.h"

namespace gls {

// Owner is uint8_t or uint16_t; [type][node].
template <typename Owner>
using OwnerArrays = std::vector<std::vector<Owner>>;

// Linear deterministic greedy (Stanton, Kliot: "Streaming graph partitioning for large distributed
// graphs", KDD'12), in several passes (Nishimura, Ugander: "Restreaming graph partitioning",
// KDD'13). Each pass visits a node once and gives it to the part with most of its neighbours;
// fuller parts count less. It ends when a pass changes little.
template <typename Owner>
Status stream_owners(const Dataset& dataset, const Balance& balance, uint64_t seed,
                     const Progress& progress, OwnerArrays<Owner>* owners);

// Moves nodes from parts above their limit to parts with room.
template <typename Owner>
Status move_into_bounds(const Dataset& dataset, const Balance& balance, const Progress& progress,
                        OwnerArrays<Owner>* owners);

}  // namespace gls
