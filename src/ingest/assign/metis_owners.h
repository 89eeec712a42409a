// Owners from METIS, which the plugin "metis" brings.
#pragma once

#include <cstdint>

#include "base/progress.h"
#include "ingest/assign/balance.h"
#include "ingest/assign/stream_owners.h"

namespace gls {

// All node types as one undirected graph, an edge weighing as many stored edges as it stands for;
// the classes of `balance` are METIS' constraints, kept but for small excesses. METIS cannot be
// stopped: `progress` is asked before and after.
template <typename Owner>
Status metis_owners(const Dataset& dataset, const Balance& balance, uint64_t seed, double imbalance,
                    const Progress& progress, OwnerArrays<Owner>* owners);

}  // namespace gls
