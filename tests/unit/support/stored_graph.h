// A graph, and the same one with columns and neighbours in stores.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "part_graph.h"
#include "store/column_store.h"
#include "store/neighbor_store.h"
#include "store/with_stores.h"

namespace gls::test {

// The graph of part_graph.h with columns that a store can have.
inline std::shared_ptr<const Dataset> graph_for_stores(const std::shared_ptr<Context>& context) {
  const auto plain = whole_graph(context);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  const auto add = [](auto& type, const char* name, Tensor data, int32_t role) {
    type.columns.push_back({name, role, std::move(data)});
  };
  for (NodeType& type : nodes) {
    add(type, "x", rows_tensor<float>(type.count, 30, kFloat32), GLS_ROLE_FEATURE);
    add(type, "half", rows_tensor<uint16_t>(type.count, 3, kFloat16), GLS_ROLE_FEATURE);
    add(type, "bytes", rows_tensor<uint8_t>(type.count, 9, kUint8), GLS_ROLE_FEATURE);
    add(type, "y", rows_tensor<int64_t>(type.count, 1, kInt64), GLS_ROLE_LABEL);
  }
  for (EdgeType& type : edges) {
    add(type, "x", rows_tensor<float>(type.count, 2, kFloat32), GLS_ROLE_FEATURE);
  }
  auto out = Dataset::create(context, std::move(nodes), std::move(edges));
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.take();
}

// What a question's fetch does.
using Answer = std::function<void(Fetch&)>;

inline Answer rows_of(const Tensor& column) {
  return [column](Fetch& fetch) {
    const Fetch::Question& question = fetch.question();
    for (size_t i = 0; i < question.ids.size(); ++i) {
      std::memcpy(question.rows + static_cast<int64_t>(i) * question.row_bytes,
                  column.data() + question.ids[i] * column.row_stride(),
                  static_cast<size_t>(question.row_bytes));
    }
    EXPECT_TRUE(fetch.rows_done().ok());
  };
}

inline Answer lists_of(const Topology& topology, bool edge_ids) {
  return [&topology, edge_ids](Fetch& fetch) {
    std::vector<int64_t> counts, neighbors, edges;
    for (const int64_t node : fetch.question().ids) {
      counts.push_back(topology.indptr[node + 1] - topology.indptr[node]);
      for (int64_t at = topology.indptr[node]; at < topology.indptr[node + 1]; ++at) {
        neighbors.push_back(topology.neighbor(at));
        edges.push_back(topology.edge_id(at));
      }
    }
    EXPECT_TRUE(
        fetch.set_neighbors(counts.data(), neighbors.data(), edge_ids ? edges.data() : nullptr)
            .ok());
  };
}

// How a store answers.
struct Manner {
  bool later = false;  // on a thread of its own
  uint32_t max_ids = 0;
  uint32_t max_fetches = 16;
  uint64_t cache_bytes = 0;
};

inline StoreOptions store_options(Answer answer, const Manner& manner) {
  StoreOptions out;
  out.max_ids = manner.max_ids;
  out.max_fetches = manner.max_fetches;
  out.cache_bytes = manner.cache_bytes;
  out.fetch = [answer = std::move(answer), later = manner.later](std::shared_ptr<Fetch> fetch) {
    const auto run = [answer, fetch] {
      answer(*fetch);
      fetch->release();
    };
    if (later) {
      std::thread(run).detach();
    } else {
      run();
    }
  };
  return out;
}

inline std::shared_ptr<Store> column_store(const std::string& type, const Column& column,
                                           const Manner& manner) {
  ColumnStore::Spec spec;
  spec.type = type;
  spec.name = column.name;
  spec.role = column.role;
  spec.dtype = column.dtype();
  spec.row_shape.assign(column.shape().begin() + 1, column.shape().end());
  auto out = ColumnStore::create(std::move(spec), store_options(rows_of(column.data), manner));
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.take();
}

inline std::shared_ptr<Store> neighbor_store(const EdgeType& type, Layout layout,
                                             const Manner& manner, bool edge_ids = true) {
  NeighborStore::Spec spec{type.name, type.count, layout, edge_ids};
  auto out = NeighborStore::create(
      std::move(spec), store_options(lists_of(*type.topology(layout), edge_ids), manner));
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.take();
}

// The columns from this number on are in stores, and the edge types from this number on.
struct InStores {
  size_t node_columns = 0;
  size_t edge_columns = 0;
  size_t edge_types = 0;
};

// `whole` must outlive it.
inline std::shared_ptr<const Dataset> in_stores(const std::shared_ptr<const Dataset>& whole,
                                                const InStores& what, const Manner& manner) {
  std::vector<std::shared_ptr<Store>> stores;
  std::vector<NodeType> nodes = whole->node_types();
  std::vector<EdgeType> edges = whole->edge_types();
  const auto move = [&](const std::string& type, std::vector<Column>* columns, size_t from) {
    for (size_t c = std::min(from, columns->size()); c < columns->size(); ++c) {
      stores.push_back(column_store(type, (*columns)[c], manner));
    }
    columns->resize(std::min(from, columns->size()));
  };
  for (NodeType& type : nodes) {
    move(type.name, &type.columns, what.node_columns);
  }
  for (size_t t = 0; t < edges.size(); ++t) {
    const bool stored = t >= what.edge_types;
    move(edges[t].joined, &edges[t].columns, stored ? 0 : what.edge_columns);
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      if (stored && edges[t].topology(layout)) {
        stores.push_back(neighbor_store(whole->edge_types()[t], layout, manner));
      }
    }
  }
  edges.resize(std::min(what.edge_types, edges.size()));
  auto base = Dataset::create(whole->context(), std::move(nodes), std::move(edges));
  EXPECT_TRUE(base.ok()) << base.status().message();
  auto out = with_stores(base.take(), stores);
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.ok() ? out.take() : nullptr;
}

}  // namespace gls::test
