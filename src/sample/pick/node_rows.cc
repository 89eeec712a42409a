#include "sample/pick/node_rows.h"

#include <algorithm>

#include "base/philox.h"
#include "graph/dataset/topology_query.h"

namespace gls {

Result<RowSteps> find_steps(const Dataset& dataset, Direction direction,
                            const std::vector<bool>& chosen) {
  const std::vector<EdgeType>& types = dataset.edge_types();
  const bool in = direction == Direction::kIn;
  const Layout layout = in ? Layout::kCsc : Layout::kCsr;
  RowSteps steps(dataset.node_types().size());
  for (size_t t = 0; t < types.size(); ++t) {
    const EdgeType& type = types[t];
    if (!chosen[t]) {
      continue;
    }
    if (!type.topology(layout)) {
      return error(GLS_ERR_UNSUPPORTED,
                   "direction \"{}\" needs the {} of edge type \"{}\", which is not stored; import "
                   "the dataset with that layout",
                   in ? "in" : "out", in ? "csc" : "csr", type.joined)
          .with("argument", "direction");
    }
    steps[in ? type.target : type.source].push_back(
        {t, &*type.topology(layout), in ? type.source : type.target});
  }
  return steps;
}

NodeRows::NodeRows(const Input& input)
    : in_(input), excluded_(input.excluded, input.excluded_now) {}

Result<int64_t> NodeRows::read(uint32_t type, int64_t node) {
  rows_.clear();
  positions_.clear();
  int64_t total = 0;
  for (const RowStep& step : in_.steps[type]) {
    const EdgeType& edge_type = in_.dataset.edge_types()[step.edge_type];
    GLS_ASSIGN(const RowRange range, row_range(edge_type, *step.topology, node));
    Row row = {&step, range.begin, range.end, positions_.size(), range.size(), false};
    const bool touched = excluded_.touches(step.edge_type, node);
    const bool long_row = in_.limit > 0 && range.size() > in_.limit;
    if (touched || long_row) {
      RowPick pick = {static_cast<uint64_t>(node),
                      in_.batch_key,
                      row_word(0, static_cast<uint32_t>(step.edge_type)),
                      range.begin,
                      range.size(),
                      in_.limit > 0 ? in_.limit : -1,
                      Replace::kNever,
                      {}};
      if (touched) {
        excluded_.find_within(step.edge_type, range.begin, range.end, &row_excluded_);
        pick.excluded = row_excluded_;
      }
      picker_.uniform(pick, &positions_);
      row.listed = true;
      row.count = static_cast<int64_t>(positions_.size() - row.first_listed);
    }
    total += row.count;
    rows_.push_back(row);
  }
  return total;
}

Result<std::span<const int64_t>> NodeRows::neighbors(const Row& row, int64_t from) {
  const Topology& topology = *row.step->topology;
  const int64_t count = std::min(kBlock, row.count - from);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = row.listed
                                 ? positions_[row.first_listed + static_cast<size_t>(from + i)]
                                 : row.begin + from + i;
    const int64_t node = topology.neighbor(position);
    if (static_cast<uint64_t>(node) >= static_cast<uint64_t>(topology.num_neighbors)) [[unlikely]] {
      return bad_stored_id(in_.dataset.edge_types()[row.step->edge_type], "index", position, node,
                           topology.num_neighbors);
    }
    block_[static_cast<size_t>(i)] = node;
  }
  return std::span<const int64_t>(block_).first(static_cast<size_t>(count));
}

Result<int64_t> NodeRows::degree(uint32_t type, int64_t node) {
  int64_t total = 0;
  for (const RowStep& step : in_.steps[type]) {
    const EdgeType& edge_type = in_.dataset.edge_types()[step.edge_type];
    GLS_ASSIGN(const RowRange range, row_range(edge_type, *step.topology, node));
    total += range.size();
    if (excluded_.touches(step.edge_type, node)) {
      excluded_.find_within(step.edge_type, range.begin, range.end, &row_excluded_);
      total -= static_cast<int64_t>(row_excluded_.size());
    }
  }
  return total;
}

}  // namespace gls
