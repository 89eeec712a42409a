#include "sample/fetched_graph.h"

#include <utility>

namespace gls {
namespace {

constexpr std::byte kNoWeight{};  // memory, where there are no weights yet

Tensor view(const std::vector<int64_t>& values) {
  return Tensor(nullptr, values.data(), kInt64, {static_cast<int64_t>(values.size())});
}

template <typename Add>
void for_each_id(const Tensor& ids, const Add& add) {
  const IdSpan span(ids.data(), same_dtype(ids.dtype(), kInt64), ids.rows());
  for (int64_t i = 0; i < span.size(); ++i) {
    add(span[i]);
  }
}

}  // namespace

Result<std::shared_ptr<const HopSource>> open_rows(const Dataset& whole,
                                                   const SamplerOptions& options) {
  const Layout layout = options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  SamplerOptions rows;
  rows.num_hops = 1;
  for (const EdgeType& type : whole.edge_types()) {
    rows.fanouts.push_back({type.stores(layout) ? -1 : 0});
  }
  rows.direction = options.direction;
  rows.int32 = options.int32;
  rows.edge_ids = true;
  rows.exclude = options.exclude;
  return whole.source()->open_hops(rows);
}

FetchedGraph::FetchedGraph(Input input)
    : in_(std::move(input)), rows_(in_.whole.edge_types().size()) {}

const Column* FetchedGraph::weight_of(size_t type) const {
  return in_.weight.empty() ? nullptr : in_.whole.edge_types()[type].find_column(in_.weight);
}

Result<std::shared_ptr<const Dataset>> FetchedGraph::dataset() const {
  std::vector<NodeType> nodes;
  for (const NodeType& type : in_.whole.node_types()) {
    NodeType& here = nodes.emplace_back();
    here.name = type.name;
    here.count = type.count;
  }
  std::vector<EdgeType> edges;
  for (size_t t = 0; t < rows_.size(); ++t) {
    const EdgeType& type = in_.whole.edge_types()[t];
    const Rows& rows = rows_[t];
    const auto count = static_cast<int64_t>(rows.neighbors.size());
    EdgeType& here = edges.emplace_back();
    here.name = type.name;
    here.joined = type.joined;
    here.source = type.source;
    here.target = type.target;
    here.count = type.count;
    if (type.stores(in_.layout)) {
      const size_t to = in_.layout == Layout::kCsc ? type.source : type.target;
      GLS_ASSIGN(Topology topology,
                 Topology::make(view(rows.indptr), view(rows.neighbors), view(rows.edges),
                                static_cast<int64_t>(rows.indptr.size()) - 1, count,
                                in_.whole.node_types()[to].count, type.joined));
      topology.index = &rows.index;
      topology.num_edges = type.count;  // ids are below it
      (in_.layout == Layout::kCsc ? here.csc : here.csr) = std::move(topology);
    }
    if (const Column* const column = weight_of(t); column != nullptr) {
      // As many rows as the checks of samplers expect; only those of positions here are read.
      here.columns.push_back(
          {column->name, column->role,
           Tensor(nullptr, rows.weights.empty() ? &kNoWeight : rows.weights.data(), column->dtype(),
                  column->shape())});
    }
  }
  return Dataset::create(in_.whole.context(), std::move(nodes), std::move(edges));
}

bool FetchedGraph::complete() const {
  for (const Rows& rows : rows_) {
    if (!rows.index.complete()) {
      return false;
    }
  }
  return true;
}

Status FetchedGraph::fetch() {
  std::vector<std::vector<int64_t>> nodes(rows_.size());  // the questions view them
  std::vector<Later<HopPicks>> asked(rows_.size());
  for (size_t t = 0; t < rows_.size(); ++t) {
    nodes[t] = rows_[t].index.take_missing();
    if (nodes[t].empty()) {
      continue;
    }
    HopQuestion question;
    question.edge_type = t;
    question.epoch = in_.epoch;
    question.batch = in_.batch;
    question.nodes = IdSpan(nodes[t].data(), true, static_cast<int64_t>(nodes[t].size()));
    question.exclude = in_.exclude;
    asked[t] = in_.rows->ask(question);
  }
  std::vector<size_t> before(rows_.size());
  for (size_t t = 0; t < rows_.size(); ++t) {
    before[t] = rows_[t].edges.size();
    if (asked[t]) {
      GLS_ASSIGN(const HopPicks picks, asked[t]());
      GLS_TRY(append(t, nodes[t], picks));
    }
  }
  std::vector<Later<Tensor>> weights(rows_.size());
  for (size_t t = 0; t < rows_.size(); ++t) {
    const Column* const column = weight_of(t);
    const size_t added = rows_[t].edges.size() - before[t];
    if (column != nullptr && added > 0) {
      const auto count = static_cast<int64_t>(added);
      const auto number = static_cast<size_t>(column - in_.whole.edge_types()[t].columns.data());
      weights[t] = in_.whole.source()->ask_rows(
          {false, t, number, IdSpan(rows_[t].edges.data() + before[t], true, count),
           column->dtype()},
          count);
    }
  }
  for (size_t t = 0; t < rows_.size(); ++t) {
    if (weights[t]) {
      GLS_ASSIGN(const Tensor rows, weights[t]());
      rows_[t].weights.insert(rows_[t].weights.end(), rows.data(),
                              rows.data() + rows.rows() * rows.row_bytes());
    }
  }
  return {};
}

Status FetchedGraph::append(size_t type, const std::vector<int64_t>& nodes, const HopPicks& picks) {
  const EdgeType& of = in_.whole.edge_types()[type];
  const size_t to = in_.layout == Layout::kCsc ? of.source : of.target;
  GLS_TRY(check_picks(picks, of, in_.whole.node_types()[to].count));
  Rows& rows = rows_[type];
  for (size_t i = 0; i < nodes.size(); ++i) {
    rows.index.add(nodes[i], static_cast<int64_t>(rows.indptr.size()) - 1);
    rows.indptr.push_back(rows.indptr.back() + picks.counts.as<int32_t>()[i]);
  }
  for_each_id(picks.neighbors, [&](int64_t id) { rows.neighbors.push_back(id); });
  for_each_id(picks.edge_ids, [&](int64_t id) { rows.edges.push_back(id); });
  return {};
}

}  // namespace gls
