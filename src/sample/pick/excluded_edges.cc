#include "sample/pick/excluded_edges.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

#include "graph/dataset/pair_search.h"
#include "graph/dataset/topology_query.h"
#include "graph/dataset/unknown_name.h"

namespace gls {
namespace {

// Sources or targets of pairs.
IdSpan row_of_pairs(const EdgeSet& set, int64_t row) {
  return {set.edges.data() + row * set.edges.row_stride(), same_dtype(set.edges.dtype(), kInt64),
          set.edges.shape()[1]};
}

class Finder {
 public:
  Finder(const Dataset& dataset, const SamplerOptions& options)
      : dataset_(dataset),
        options_(options),
        layout_(options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr),
        found_(dataset.edge_types().size()),
        positions_(dataset.edge_types().size()) {}

  Status add(const EdgeSet& set) {
    GLS_TRY(check_edge_set(dataset_, set));
    if (!dataset_.edge_types()[set.edge_type].topology(layout_)) {
      return {};  // no fanout follows this type
    }
    if (set.edges.shape().size() == 1) {
      GLS_ASSIGN(const IdSpan ids, IdSpan::of(set.edges, "exclude"));
      for (int64_t i = 0; i < ids.size(); ++i) {
        GLS_TRY(add_id(set.edge_type, ids[i]));
      }
      return {};
    }
    return add_pairs(set.edge_type, row_of_pairs(set, 0), row_of_pairs(set, 1));
  }

  std::vector<ExcludedEdges> take() {
    std::vector<ExcludedEdges> out(found_.size());
    for (size_t t = 0; t < found_.size(); ++t) {
      if (!found_[t].empty()) {
        out[t] = ExcludedEdges(std::move(found_[t]), topology(t));
      }
    }
    return out;
  }

 private:
  const Topology& topology(size_t edge_type) const {
    return *dataset_.edge_types()[edge_type].topology(layout_);
  }

  // Adds a named edge and, depending on the mode, its reverse.
  Status add_id(size_t edge_type, int64_t id) {
    GLS_TRY(mark(edge_type, id));
    if (options_.exclude_mode == ExcludeMode::kReverseId) {
      const EdgeType& type = dataset_.edge_types()[edge_type];
      const Column* column = type.find_column(options_.reverse_column);
      if (column == nullptr) {
        return no_reverse_column(type, options_.reverse_column);
      }
      const int64_t reverse = column->data.as<int64_t>()[id];
      if (reverse < 0 || reverse >= type.count) {
        return bad_reverse(type, *column, id, reverse);
      }
      return mark(edge_type, reverse);
    }
    if (options_.exclude_mode == ExcludeMode::kReverseTypes) {
      for (const auto& [one, other] : options_.reverse_types) {
        if (one == edge_type) {
          GLS_TRY(mark(other, id));
        } else if (other == edge_type) {
          GLS_TRY(mark(one, id));
        }
      }
    }
    return {};
  }

  Status mark(size_t edge_type, int64_t id) {
    std::optional<Tensor>& positions = positions_[edge_type];
    if (!positions.has_value()) {
      GLS_ASSIGN(positions, dataset_.edge_positions(edge_type, layout_));
    }
    found_[edge_type].push_back(positions->defined() ? positions->as<int64_t>()[id] : id);
    return {};
  }

  // Adds all parallel edges between two nodes.
  Status add_pairs(size_t edge_type, const IdSpan& sources, const IdSpan& targets) {
    const EdgeType& type = dataset_.edge_types()[edge_type];
    const Topology& rows = topology(edge_type);
    const bool csc = layout_ == Layout::kCsc;
    const IdSpan& row_ids = csc ? targets : sources;
    const IdSpan& neighbor_ids = csc ? sources : targets;
    std::vector<NodePair> pairs(static_cast<size_t>(row_ids.size()));
    for (size_t i = 0; i < pairs.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      pairs[i] = {row_ids[at], neighbor_ids[at], i};
    }
    return find_pairs(type, rows, std::move(pairs), [&](int64_t at, std::span<const NodePair>) {
      return add_edge(edge_type, at);
    });
  }

  // Adds an edge by its position.
  Status add_edge(size_t edge_type, int64_t at) {
    const EdgeType& type = dataset_.edge_types()[edge_type];
    const int64_t id = topology(edge_type).edge_id(at);
    if (id < 0 || id >= type.count) {
      return bad_stored_id(type, "edge id", at, id, type.count);
    }
    if (options_.exclude_mode == ExcludeMode::kSelf) {
      found_[edge_type].push_back(at);  // the index of ids is not needed
      return {};
    }
    return add_id(edge_type, id);
  }

  const Dataset& dataset_;
  const SamplerOptions& options_;
  Layout layout_;
  std::vector<std::vector<int64_t>> found_;       // positions, by edge type
  std::vector<std::optional<Tensor>> positions_;  // by edge type: positions by id
};

}  // namespace

ExcludedEdges::ExcludedEdges(std::vector<int64_t> positions, const Topology& topology)
    : positions_(std::move(positions)) {
  std::sort(positions_.begin(), positions_.end());
  positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
  const uint64_t bits = std::bit_ceil(std::max<uint64_t>(16 * positions_.size(), 64));
  filter_.resize(bits / 64);
  shift_ = 64 - static_cast<uint32_t>(std::countr_zero(bits));
  for (const int64_t position : positions_) {
    // The last row that begins at or before the position.
    const int64_t* const row =
        std::upper_bound(topology.indptr, topology.indptr + topology.num_rows + 1, position) - 1;
    const uint64_t bit = filter_bit(static_cast<uint64_t>(row - topology.indptr), shift_);
    filter_[bit / 64] |= uint64_t{1} << (bit % 64);
  }
}

std::span<const int64_t> ExcludedEdges::within(int64_t begin, int64_t end) const {
  const Gaps gaps =
      gaps_within({positions_.data(), static_cast<int64_t>(positions_.size())}, begin, end);
  return {gaps.positions, static_cast<size_t>(gaps.count)};
}

ExcludedEdges ExcludedEdges::without(const ExcludedEdges& others, const Topology& topology) const {
  if (positions_.empty() || others.positions_.empty()) {
    return *this;
  }
  std::vector<int64_t> left;
  std::set_difference(positions_.begin(), positions_.end(), others.positions_.begin(),
                      others.positions_.end(), std::back_inserter(left));
  return left.empty() ? ExcludedEdges() : ExcludedEdges(std::move(left), topology);
}

std::vector<EdgeSet> edges_excluded(const SamplerOptions& options, const SampleRequest& request) {
  std::vector<EdgeSet> sets = request.exclude;
  for (size_t i = 0; options.exclude_links && i < request.links.size(); ++i) {
    sets.push_back({request.links[i].edge_type, request.links[i].links});
  }
  return sets;
}

Status check_exclusion(const SamplerOptions& options, bool named, bool of_links) {
  const bool excludes_labels =
      std::any_of(options.supervisions.begin(), options.supervisions.end(),
                  [](const Supervision& supervision) { return supervision.sampled; });
  if (options.exclude_mode == ExcludeMode::kSelf || named || options.exclude_links ||
      excludes_labels) {
    return {};
  }
  const char* const fix = of_links ? "set exclude_links, or give exclude"
                          : options.supervisions.empty()
                              ? "give exclude"
                              : "make a supervision sampled, or give exclude";
  return invalid(
             "exclude_mode is \"{}\", but no edges are excluded, so none has a reverse to add; {}",
             options.exclude_mode == ExcludeMode::kReverseId ? "reverse_id" : "reverse_types", fix)
      .with("argument", "exclude_mode");
}

ExclusionView::ExclusionView(const std::vector<ExcludedEdges>& always,
                             const std::vector<ExcludedEdges>& now)
    : always_(always),
      now_(now),
      any_(!now.empty() || std::any_of(always.begin(), always.end(),
                                       [](const ExcludedEdges& edges) { return !edges.empty(); })) {
}

void ExclusionView::find_within(size_t edge_type, int64_t begin, int64_t end,
                                std::vector<int64_t>* out) const {
  const auto first = always_[edge_type].within(begin, end);
  out->assign(first.begin(), first.end());
  if (!now_.empty()) {
    const auto second = now_[edge_type].within(begin, end);
    const auto middle = static_cast<std::ptrdiff_t>(out->size());
    out->insert(out->end(), second.begin(), second.end());
    std::inplace_merge(out->begin(), out->begin() + middle, out->end());
    out->erase(std::unique(out->begin(), out->end()), out->end());
  }
}

Status no_reverse_column(const EdgeType& type, const std::string& name) {
  return no_column("reverse_column", type, name);
}

Status bad_reverse(const EdgeType& type, const Column& column, int64_t id, int64_t reverse) {
  return corrupt("column \"{}\" of edge type \"{}\": row {} is {}, expected 0 .. {}", column.name,
                 type.joined, id, reverse, type.count - 1)
      .with("column", column.name);
}

Status check_edge_set(const Dataset& dataset, const EdgeSet& set) {
  const EdgeType& type = dataset.edge_types()[set.edge_type];
  const std::vector<int64_t>& shape = set.edges.shape();
  if (shape.size() == 1) {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(set.edges, "exclude"));
    if (const int64_t bad = ids.find_outside(type.count); bad >= 0) {
      return invalid("exclude: edge id {} at index {} is outside 0 .. {} of type \"{}\"", ids[bad],
                     bad, type.count - 1, type.joined)
          .with("argument", "exclude");
    }
    return {};
  }
  if (shape.size() != 2 || shape[0] != 2) {
    return invalid("exclude: edges of type \"{}\" have shape {}, expected [n] ids or [2, n] pairs",
                   type.joined, shape_text(shape))
        .with("argument", "exclude");
  }
  const Tensor flat(nullptr, set.edges.data(), set.edges.dtype(), {shape[1]});
  GLS_ASSIGN(const IdSpan unused, IdSpan::of(flat, "exclude"));  // checks the dtype
  static_cast<void>(unused);
  for (const int64_t row : {0, 1}) {
    const IdSpan ids = row_of_pairs(set, row);
    const int64_t limit = dataset.node_types()[row == 0 ? type.source : type.target].count;
    if (const int64_t bad = ids.find_outside(limit); bad >= 0) {
      return invalid("exclude: node {} at index {} is outside 0 .. {} of edge type \"{}\"",
                     ids[bad], bad, limit - 1, type.joined)
          .with("argument", "exclude");
    }
  }
  return {};
}

Result<std::vector<ExcludedEdges>> find_excluded(const Dataset& dataset,
                                                 const SamplerOptions& options,
                                                 std::span<const EdgeSet> sets) {
  Finder finder(dataset, options);
  for (const EdgeSet& set : sets) {
    GLS_TRY(finder.add(set));
  }
  return finder.take();
}

}  // namespace gls
