// Turns links into seeds: docs/contract.md section 5.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sample/batch/batch.h"
#include "sample/links/negatives.h"
#include "sample/pick/options.h"
#include "system/memory.h"

namespace gls {

// The seeds of some links: one list for the source type and one for the target type, or one for
// both if the types are equal.
struct LinkSeeds {
  struct List {
    size_t node_type = 0;
    std::vector<int64_t> ids;
    std::vector<int64_t> times;
  };
  std::vector<List> lists;
  // Positions in the first and in the last list.
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  std::vector<int64_t> negative;  // -1: no negative was found
  int64_t num_links = 0;
  int64_t num_per_link = 0;  // for triplets
};

// Draws the negatives of links with these sources.
using DrawNegatives = std::function<Result<DrawnNegatives>(std::span<const int64_t> sources)>;
// Calls `draw` if negatives are requested. An error names the first link that is out of range, or
// reports more than `most` seeds.
Result<LinkSeeds> seeds_of_links(const Dataset& dataset, const LinkSet& links,
                                 const NegativeOptions& options, const DrawNegatives& draw,
                                 int64_t most);

// Refuses options that only affect links, when seeds are nodes.
Status check_node_seeds(const SamplerOptions& options);

// The local ids at `places`, where `local` has those of a list; -1 where a position is -1.
Tensor local_ids(const std::vector<int64_t>& places, const Tensor& local, BufferPool& pool,
                 bool wide);

// The local ids at the positions of LinkSeeds.
struct LinkIds {
  Tensor source;
  Tensor target;
  Tensor negative;
};
SampledLinks link_arrays(const LinkSet& links, const LinkSeeds& seeds, NegativeMode mode,
                         LinkIds ids, BufferPool& pool);

}  // namespace gls
