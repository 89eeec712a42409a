#include "sample/remote/remote_reverse_edges.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sample/pick/excluded_edges.h"

namespace gls {
namespace {

using Ids = std::vector<int64_t>;

class Reverses {
 public:
  Reverses(const Dataset& dataset, const SamplerOptions& options, const HopSource& rows)
      : dataset_(dataset),
        options_(options),
        rows_(rows),
        layout_(options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr),
        found_(dataset.edge_types().size()) {}

  Status add(const EdgeSet& set) {
    GLS_TRY(check_edge_set(dataset_, set));
    if (!dataset_.edge_types()[set.edge_type].stores(layout_)) {
      return {};  // no fanout follows this type
    }
    Ids ids;
    if (set.edges.shape().size() == 2) {
      GLS_ASSIGN(ids, ids_between(set));
    } else {
      const IdSpan given = span_of(set.edges);
      for (int64_t i = 0; i < given.size(); ++i) {
        ids.push_back(given[i]);
      }
    }
    mark(set.edge_type, ids);
    if (options_.exclude_mode == ExcludeMode::kReverseId) {
      GLS_ASSIGN(const Ids reverses, read_reverses(set.edge_type, ids));
      mark(set.edge_type, reverses);
      return {};
    }
    for (const auto& [one, other] : options_.reverse_types) {
      if (one == set.edge_type) {
        mark(other, ids);
      } else if (other == set.edge_type) {
        mark(one, ids);
      }
    }
    return {};
  }

  std::vector<EdgeSet> take() {
    std::vector<EdgeSet> out;
    for (size_t t = 0; t < found_.size(); ++t) {
      if (!found_[t].empty()) {
        auto ids = std::make_shared<Ids>(std::move(found_[t]));
        const int64_t* const data = ids->data();
        const auto count = static_cast<int64_t>(ids->size());
        out.push_back({t, Tensor(std::move(ids), data, kInt64, {count})});
      }
    }
    return out;
  }

 private:
  void mark(size_t edge_type, const Ids& ids) {
    found_[edge_type].insert(found_[edge_type].end(), ids.begin(), ids.end());
  }

  // The ids of all parallel edges of each pair.
  Result<Ids> ids_between(const EdgeSet& set) const {
    const int64_t count = set.edges.shape()[1];
    const bool wide = same_dtype(set.edges.dtype(), kInt64);
    const IdSpan sources(set.edges.data(), wide, count);
    const IdSpan targets(set.edges.data() + set.edges.row_stride(), wide, count);
    const bool csc = layout_ == Layout::kCsc;
    std::vector<std::pair<int64_t, int64_t>> pairs;  // rows and neighbours
    pairs.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      pairs.emplace_back(csc ? targets[i] : sources[i], csc ? sources[i] : targets[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    Ids nodes;
    for (const auto& [row, neighbor] : pairs) {
      if (nodes.empty() || nodes.back() != row) {
        nodes.push_back(row);
      }
    }
    Ids out;
    if (nodes.empty()) {
      return out;
    }
    HopQuestion question;
    question.edge_type = set.edge_type;
    question.nodes = span_of(nodes);
    GLS_ASSIGN(const HopPicks picks, rows_.ask(question)());
    const EdgeType& type = dataset_.edge_types()[set.edge_type];
    GLS_TRY(check_picks(picks, type, dataset_.node_types()[csc ? type.source : type.target].count));
    const IdSpan neighbors = span_of(picks.neighbors);
    const IdSpan edges = span_of(picks.edge_ids);
    int64_t at = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const int64_t end = at + picks.counts.as<int32_t>()[i]; at < end; ++at) {
        if (std::binary_search(pairs.begin(), pairs.end(), std::pair(nodes[i], neighbors[at]))) {
          out.push_back(edges[at]);
        }
      }
    }
    return out;
  }

  Result<Ids> read_reverses(size_t edge_type, const Ids& ids) const {
    const EdgeType& type = dataset_.edge_types()[edge_type];
    if (ids.empty()) {
      return Ids();
    }
    const Column* const column = type.find_column(options_.reverse_column);
    if (column == nullptr) {
      return no_reverse_column(type, options_.reverse_column);
    }
    const auto number = static_cast<size_t>(column - type.columns.data());
    GLS_ASSIGN(const Tensor rows,
               dataset_.source()->ask_rows({false, edge_type, number, span_of(ids), kInt64},
                                           static_cast<int64_t>(ids.size()), nullptr)());
    Ids out(rows.as<int64_t>(), rows.as<int64_t>() + ids.size());
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] < 0 || out[i] >= type.count) {
        return bad_reverse(type, *column, ids[i], out[i]);
      }
    }
    return out;
  }

  const Dataset& dataset_;
  const SamplerOptions& options_;
  const HopSource& rows_;
  const Layout layout_;
  std::vector<Ids> found_;  // by edge type
};

}  // namespace

Result<std::vector<EdgeSet>> with_reverses(const Dataset& dataset, const SamplerOptions& options,
                                           const HopSource& rows,
                                           const std::vector<EdgeSet>& sets) {
  Reverses reverses(dataset, options, rows);
  for (const EdgeSet& set : sets) {
    GLS_TRY(reverses.add(set));
  }
  return reverses.take();
}

}  // namespace gls
