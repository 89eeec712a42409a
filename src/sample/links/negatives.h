// Draws negatives for links: pairs of nodes, docs/contract.md section 5.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"
#include "sample/links/node_times.h"
#include "sample/links/seed_distribution.h"

namespace gls {

// degree^(quarters / 4), computed with multiplications and square roots only, which every machine
// rounds equally.
double degree_power(int64_t degree, uint32_t quarters);

// The number of negative pairs for this many links; per link for triplets.
int64_t negatives_of(const NegativeOptions& options, int64_t links);

// What is drawn at one end of the links.
class NegativeEnd {
 public:
  explicit NegativeEnd(SeedDistribution nodes) : nodes_(std::move(nodes)) {}
  // With times, `nodes` are ranks in their order.
  NegativeEnd(SeedDistribution nodes, std::shared_ptr<const NodeTimes> times, bool strict)
      : nodes_(std::move(nodes)), times_(std::move(times)), strict_(strict) {}

  bool empty() const { return nodes_.empty(); }
  bool timed() const { return times_ != nullptr; }
  const std::shared_ptr<const NodeTimes>& times() const { return times_; }
  // Of all nodes; view what is in here, and are not of an empty one.
  device::NodeChances chances() const { return nodes_.chances(); }
  // Of those that exist at a time; without a count where there is none to draw.
  device::NodeChances chances_at(int64_t time, bool oldest) const;
  int64_t node(int64_t drawn) const { return timed() ? times_->node(drawn) : drawn; }

 private:
  SeedDistribution nodes_;
  std::shared_ptr<const NodeTimes> times_;
  bool strict_ = false;
};

// The column of times that the sampler goes by, for negatives in time.
struct NegativeTime {
  std::string column;
  bool strict = false;
};

// Pairs that were drawn; of triplets, targets alone. -1 where none was found.
struct DrawnNegatives {
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
};

class NegativeSampler {
 public:
  static Result<std::shared_ptr<const NegativeSampler>> create(
      std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options,
      const NegativeTime& time = {});

  // Of links with these sources, and with times where negatives are in time. What strict ones look
  // at in the rows of a graph that is here, in neighbours, is added to `looked_at` if it is not
  // NULL.
  Result<DrawnNegatives> draw(uint64_t key, std::span<const int64_t> sources,
                              const IdSpan& times = {}, int64_t* looked_at = nullptr) const;

  // For code that draws on a device or a server. The number of negatives for this many links:
  int64_t wanted(int64_t links) const;
  // Whether each end has a node to draw.
  bool possible() const;
  // Whether what can be drawn depends on the link, so that processors alone draw it.
  bool in_time() const { return options_.in_time; }
  // Views what is in here; where it is possible, and not in time.
  device::NegativeDraws draws(uint64_t key) const;
  // The error that no negative exists, for the first of these numbers.
  Status none_found(int64_t number, std::span<const int64_t> sources) const;

 private:
  NegativeSampler(std::shared_ptr<const Dataset> dataset, size_t edge_type,
                  const NegativeOptions& options, NegativeEnd sources, NegativeEnd targets);
  bool of_pairs() const { return options_.mode == NegativeMode::kBinary; }
  Result<std::vector<uint8_t>> are_edges(const DrawnNegatives& pairs, int64_t* looked_at) const;
  // What there is to draw for each link in turn; one entry where it is the same for all.
  using LinkDraws = std::vector<device::NegativeDraws>;
  Result<LinkDraws> draws_of(uint64_t key, int64_t links, const IdSpan& times) const;
  Status check_found(const LinkDraws& draws, const IdSpan& times) const;
  Status draw_rounds(const LinkDraws& draws, std::span<const int64_t> sources,
                     std::vector<size_t>* open, DrawnNegatives* out, int64_t* looked_at) const;

  std::shared_ptr<const Dataset> dataset_;
  size_t edge_type_;
  const EdgeType& type_;
  NegativeOptions options_;
  uint32_t row_word_;
  NegativeEnd sources_;
  NegativeEnd targets_;
};

}  // namespace gls
