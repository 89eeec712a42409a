// Excluded edges, as sorted positions per edge type, so that each row finds its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/dataset/dataset.h"
#include "host_device/exclusion_filter.h"
#include "query/sampler_options.h"

namespace gls {

// Excluded edges of one edge type.
class ExcludedEdges {
 public:
  ExcludedEdges() = default;
  // Positions may repeat, in any order.
  ExcludedEdges(std::vector<int64_t> positions, const Topology& topology);

  bool empty() const { return positions_.empty(); }
  // Whether the row of `node` may contain an excluded edge. True is mostly right; false is always
  // right.
  bool may_touch(uint64_t node) const { return gls::may_touch(view(), node); }
  // The excluded positions inside [begin, end), ascending.
  std::span<const int64_t> within(int64_t begin, int64_t end) const;
  // The positions that are not in `others`, for the same topology.
  ExcludedEdges without(const ExcludedEdges& others, const Topology& topology) const;
  device::ExclusionFilter view() const {
    return {positions_.data(), static_cast<int64_t>(positions_.size()), filter_.data(), shift_};
  }

 private:
  std::vector<int64_t> positions_;  // ascending, without repeats
  std::vector<uint64_t> filter_;    // one bit per hash of a row with excluded edges
  uint32_t shift_ = 63;
};

// The excluded edges of one batch; its inputs must outlive it.
class ExclusionView {
 public:
  // By edge type; `now` may be empty.
  ExclusionView(const std::vector<ExcludedEdges>& always, const std::vector<ExcludedEdges>& now);
  bool any(size_t edge_type) const {
    return !always_[edge_type].empty() || (!now_.empty() && !now_[edge_type].empty());
  }
  // As ExcludedEdges::may_touch().
  bool touches(size_t edge_type, int64_t node) const {
    const auto id = static_cast<uint64_t>(node);
    return any_ &&
           (always_[edge_type].may_touch(id) || (!now_.empty() && now_[edge_type].may_touch(id)));
  }
  // Stores those inside [begin, end) in `out`, ascending, and replaces its contents.
  void find_within(size_t edge_type, int64_t begin, int64_t end, std::vector<int64_t>* out) const;

 private:
  const std::vector<ExcludedEdges>& always_;
  const std::vector<ExcludedEdges>& now_;
  bool any_;
};

// The edges that a request excludes in addition to the sampler: named edges and, on request, links.
std::vector<EdgeSet> edges_excluded(const SamplerOptions& options, const SampleRequest& request);

// Checks that exclude_mode and exclude_links apply to some edges. `named`: the sampler or the
// request names excluded edges; `of_links`: the seeds are links.
Status check_exclusion(const SamplerOptions& options, bool named, bool of_links);

// Checks its shape, dtype and range of ids.
Status check_edge_set(const Dataset& dataset, const EdgeSet& set);

// Errors of columns of reverse edges.
Status no_reverse_column(const EdgeType& type, const std::string& name);
Status bad_reverse(const EdgeType& type, const Column& column, int64_t id, int64_t reverse);

// Finds the positions of `sets` by edge type, in the layout that `options.direction` reads.
// Includes the reverse edges that options.exclude_mode adds.
Result<std::vector<ExcludedEdges>> find_excluded(const Dataset& dataset,
                                                 const SamplerOptions& options,
                                                 std::span<const EdgeSet> sets);

}  // namespace gls
