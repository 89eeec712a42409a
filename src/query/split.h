// Splits for training, validation and test: docs/contract.md section 7.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"

namespace gls {

// The split of each id, a function of the id and the random seed alone. Shares are relative.
Result<std::vector<uint8_t>> split_by_hash(const IdSpan& ids, uint64_t seed,
                                           std::span<const double> shares);

enum class SplitPart : uint8_t { kTrain = 0, kValid = 1, kTest = 2 };

struct LinkSplitOptions {
  uint64_t seed = 0;
  double valid = 0;  // below 1: a share, else a number
  double test = 0;
  double supervision = 0;   // of the training links
  bool undirected = false;  // (u, v) and (v, u) are one link
};

struct LinkPart {
  std::vector<int64_t> links;    // edge ids, ascending
  std::vector<int64_t> exclude;  // edges that must not be sampled for this split, ascending
};

// Splits the edges of a type into exact numbers.
Result<LinkPart> split_links(const Dataset& dataset, size_t edge_type,
                             const LinkSplitOptions& options, SplitPart part);

}  // namespace gls
