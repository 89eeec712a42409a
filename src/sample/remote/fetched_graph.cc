#include "sample/remote/fetched_graph.h"

#include <algorithm>
#include <utility>

namespace gls {
namespace {

constexpr std::byte kNothing{};  // the memory of arrays without rows

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

size_t FetchedGraph::neighbor_type(size_t edge_type) const {
  const EdgeType& type = in_.whole.edge_types()[edge_type];
  return in_.layout == Layout::kCsc ? type.source : type.target;
}

std::vector<FetchedGraph::ByPosition> FetchedGraph::columns_of(size_t edge_type) const {
  std::vector<ByPosition> out;
  const auto add = [&](const Column* column, bool of_nodes, size_t type,
                       std::vector<std::byte> Rows::*rows) {
    if (column != nullptr) {
      out.push_back({column, of_nodes, type, rows});
    }
  };
  const auto find = [](const auto& type, const std::string& name) {
    return name.empty() ? nullptr : type.find_column(name);
  };
  const EdgeType& edges = in_.whole.edge_types()[edge_type];
  const size_t neighbor = neighbor_type(edge_type);
  add(find(edges, in_.options.weight), false, edge_type, &Rows::weights);
  add(find(edges, in_.options.edge_time), false, edge_type, &Rows::edge_times);
  add(find(in_.whole.node_types()[neighbor], in_.options.node_time), true, neighbor,
      &Rows::neighbor_times);
  return out;
}

Result<std::shared_ptr<const Dataset>> FetchedGraph::dataset() {
  std::vector<NodeType> nodes;
  for (const NodeType& type : in_.whole.node_types()) {
    NodeType& local = nodes.emplace_back();
    local.name = type.name;
    local.count = type.count;
  }
  std::vector<EdgeType> edges;
  for (size_t t = 0; t < rows_.size(); ++t) {
    const EdgeType& type = in_.whole.edge_types()[t];
    Rows& rows = rows_[t];
    const auto count = static_cast<int64_t>(rows.neighbors.size());
    EdgeType& local = edges.emplace_back();
    local.name = type.name;
    local.joined = type.joined;
    local.source = type.source;
    local.target = type.target;
    local.count = type.count;
    // As many rows as the samplers' checks expect; only those of fetched positions are read.
    Tensor neighbor_times;
    for (const ByPosition& of : columns_of(t)) {
      const std::vector<std::byte>& values = rows.*of.rows;
      Tensor data(nullptr, values.empty() ? &kNothing : values.data(), of.column->dtype(),
                  of.column->shape());
      if (of.of_nodes) {
        neighbor_times = std::move(data);
      } else {
        local.columns.push_back({of.column->name, of.column->role, std::move(data)});
      }
    }
    if (type.stores(in_.layout)) {
      GLS_ASSIGN(Topology topology,
                 Topology::make(view(rows.indptr), view(rows.neighbors), view(rows.edges),
                                static_cast<int64_t>(rows.indptr.size()) - 1, count,
                                in_.whole.node_types()[neighbor_type(t)].count, type.joined));
      rows.index.neighbor_times = std::move(neighbor_times);
      topology.index = &rows.index;
      topology.num_edges = std::max(type.count, count);  // ids are below this
      (in_.layout == Layout::kCsc ? local.csc : local.csr) = std::move(topology);
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
  std::vector<Deferred<HopPicks>> asked(rows_.size());
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
  return fetch_columns(before);
}

// Fetches the columns of the positions from `before` on, by edge type.
Status FetchedGraph::fetch_columns(const std::vector<size_t>& before) {
  struct Asked {
    std::vector<std::byte>* to;
    Deferred<Tensor> rows;
  };
  std::vector<Asked> asked;
  for (size_t t = 0; t < rows_.size(); ++t) {
    Rows& rows = rows_[t];
    const auto count = static_cast<int64_t>(rows.edges.size() - before[t]);
    for (const ByPosition& of : count > 0 ? columns_of(t) : std::vector<ByPosition>()) {
      const std::vector<Column>& columns = of.of_nodes ? in_.whole.node_types()[of.type].columns
                                                       : in_.whole.edge_types()[of.type].columns;
      const std::vector<int64_t>& ids = of.of_nodes ? rows.neighbors : rows.edges;
      asked.push_back(
          {&(rows.*of.rows),
           in_.whole.source()->ask_rows(
               {of.of_nodes, of.type, static_cast<size_t>(of.column - columns.data()),
                IdSpan(ids.data() + before[t], true, count), of.column->dtype(), of.of_nodes},
               count, nullptr)});
    }
  }
  for (Asked& one : asked) {
    GLS_ASSIGN(const Tensor rows, one.rows());
    one.to->insert(one.to->end(), rows.data(), rows.data() + rows.rows() * rows.row_bytes());
  }
  return {};
}

Status FetchedGraph::append(size_t type, const std::vector<int64_t>& nodes, const HopPicks& picks) {
  const EdgeType& of = in_.whole.edge_types()[type];
  GLS_TRY(check_picks(picks, of, in_.whole.node_types()[neighbor_type(type)].count));
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
