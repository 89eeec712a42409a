#include "ingest/assign/assign_nodes.h"

#include <cmath>
#include <memory>

#include "base/permutation.h"
#include "context/parallel.h"
#include "ingest/assign/balance.h"
#include "ingest/assign/metis_owners.h"
#include "ingest/assign/stream_owners.h"
#include "ingest/common/owner_tensor.h"

namespace gls {
namespace {

Status check(const AssignOptions& options) {
  if (options.parts < 1 || options.parts > kMostParts) {
    return invalid("parts: {}, expected 1 to {}", options.parts, kMostParts)
        .with("argument", "parts");
  }
  if (!(options.imbalance >= 0) || !std::isfinite(options.imbalance)) {
    return invalid("imbalance: {}, expected a finite number that is not negative",
                   options.imbalance)
        .with("argument", "imbalance");
  }
  const bool fixed =
      options.method == PartitionMethod::kRandom || options.method == PartitionMethod::kHash;
  if (fixed && (!options.balance_sets.empty() || options.balance_edges)) {
    const char* const argument = options.balance_edges ? "balance_edges" : "balance_sets";
    return invalid(
               "{}: random and hashed owners cannot be balanced; use the method \"metis\" or "
               "\"stream\"",
               argument)
        .with("argument", argument);
  }
  return {};
}

template <typename Owner>
Status draw_owners(const Dataset& dataset, const AssignOptions& options,
                   OwnerArrays<Owner>* owners) {
  constexpr size_t kGrain = size_t{1} << 16;
  for (size_t t = 0; t < owners->size(); ++t) {
    std::vector<Owner>& out = (*owners)[t];
    const uint64_t key = epoch_key(options.seed, t, KeyDomain::kOwner);
    const KeyedPermutation order(out.size(), key);
    const bool hash = options.method == PartitionMethod::kHash;
    GLS_TRY(parallel_try(
        dataset.context()->pool(), out.size(), kGrain,
        [&](size_t begin, size_t end) -> Status {
          for (size_t i = begin; i < end; ++i) {
            out[i] = static_cast<Owner>(
                hash ? hashed_owner(options.seed, static_cast<uint32_t>(t), i, options.parts)
                     : static_cast<uint64_t>(static_cast<unsigned __int128>(order(i)) *
                                             options.parts / out.size()));
          }
          return {};
        },
        [&] { return report(options.progress, "partitioning", 0, out.size(), "nodes"); }));
  }
  return {};
}

template <typename Owner>
Result<NodeOwners> assign(const Dataset& dataset, const AssignOptions& options) {
  OwnerArrays<Owner> owners;
  for (const NodeType& type : dataset.node_types()) {
    owners.emplace_back(static_cast<size_t>(type.count));
  }
  if (options.method == PartitionMethod::kRandom || options.method == PartitionMethod::kHash) {
    GLS_TRY(draw_owners(dataset, options, &owners));
  } else {
    GLS_ASSIGN(const Balance balance, Balance::make(dataset, options.parts, options.imbalance,
                                                    options.balance_sets, options.balance_edges));
    if (options.parts == 1) {
      // All owners are 0 already.
    } else if (options.method == PartitionMethod::kMetis) {
      GLS_TRY(metis_owners(dataset, balance, options.seed, options.imbalance, options.progress,
                           &owners));
    } else {
      GLS_TRY(stream_owners(dataset, balance, options.seed, options.progress, &owners));
    }
  }
  NodeOwners out;
  for (std::vector<Owner>& of_type : owners) {
    out.push_back(owner_tensor(std::move(of_type)));
  }
  return out;
}

}  // namespace

Result<NodeOwners> assign_nodes(const Dataset& dataset, const AssignOptions& options) {
  GLS_TRY(check(options));
  return options.parts <= kMostNarrowParts ? assign<uint8_t>(dataset, options)
                                           : assign<uint16_t>(dataset, options);
}

}  // namespace gls
