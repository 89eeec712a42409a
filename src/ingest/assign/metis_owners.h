// Assigns owners with METIS, through the plugin "metis".
#pragma once

#include <cstdint>

#include "base/progress.h"
#include "ingest/assign/balance.h"
#include "ingest/assign/stream_owners.h"

namespace gls {

// Makes one undirected graph of all node types; the weight of an edge is the number of stored edges
// that it represents. The classes of `balance` become METIS' constraints, which it keeps except for
// small excesses. METIS checks `progress` while it runs.
template <typename Owner>
Status metis_owners(const Dataset& dataset, const Balance& balance, uint64_t seed, double imbalance,
                    const Progress& progress, OwnerArrays<Owner>* owners);

}  // namespace gls
