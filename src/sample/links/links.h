// Turns links into seeds: docs/contract.md section 5.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "query/sampler_options.h"
#include "sample/batch/batch.h"
#include "sample/links/negatives.h"
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
  size_t source_type = 0;
  size_t target_type = 0;
  // Places in the list of the source type and in that of the target type.
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  std::vector<int64_t> negative;  // -1: no negative was found
  int64_t num_links = 0;
  int64_t num_per_link = 0;  // for triplets
};

// Those of links of several edge types: a list for each node type that has any, in the order in
// which they first occur. Places in `sets`, one for each edge type, are places in these lists.
struct LinkSeedSets {
  std::vector<LinkSeeds::List> lists;
  std::vector<LinkSeeds> sets;  // without lists of their own

  // Adds the seeds of one more edge type.
  void add(LinkSeeds seeds);
  bool timed() const;
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
