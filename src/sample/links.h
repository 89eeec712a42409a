// Links as seeds: docs/contract.md section 5.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/memory.h"
#include "sample/batch.h"
#include "sample/negatives.h"
#include "sample/options.h"

namespace gls {

// The seeds that links stand for: one list for nodes of the source type, one for those of the
// target type, or one for both where they are the same.
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
  std::vector<int64_t> negative;  // -1: none was found
  int64_t num_links = 0;
  int64_t num_per_link = 0;  // of triplets
};

// Those of links of several edge types: a list for each node type that has any, in the order in
// which they first occur. Places in `sets`, one for each edge type, are places in these lists.
struct LinkSeedSets {
  std::vector<LinkSeeds::List> lists;
  std::vector<LinkSeeds> sets;  // without lists of their own

  // Adds the seeds of one more edge type.
  void add(LinkSeeds seeds);
  int64_t num_links() const;
  bool timed() const;
};

// Draws the negatives of links with these sources.
using DrawNegatives = std::function<Result<DrawnNegatives>(std::span<const int64_t> sources)>;
// `draw` is asked where there are to be negatives. An error names the first link that is out of
// range, or says that there would be more than `most` seeds.
Result<LinkSeeds> seeds_of_links(const Dataset& dataset, const LinkSet& links,
                                 const NegativeOptions& options, const DrawNegatives& draw,
                                 int64_t most);

// Refuses what has an effect on links alone, for seeds that are nodes.
Status check_node_seeds(const SamplerOptions& options);

// Local ids of what is at `places`, where `local` has those of a list; -1 where a place is.
Tensor local_ids(const std::vector<int64_t>& places, const Tensor& local, BufferPool& pool,
                 bool wide);

// Local ids of what LinkSeeds has places of, one each.
struct LinkIds {
  Tensor source;
  Tensor target;
  Tensor negative;
};
SampledLinks link_arrays(const LinkSet& links, const LinkSeeds& seeds, NegativeMode mode,
                         LinkIds ids, BufferPool& pool);

}  // namespace gls
