// Small datasets for tests, made the obvious way from lists of edges.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/dataset/dataset.h"

namespace gls::test {

inline std::shared_ptr<Context> make_context(unsigned threads = 2) {
  ContextOptions options;
  options.num_threads = threads;
  auto context = Context::create(options, nullptr, nullptr, nullptr);
  EXPECT_TRUE(context.ok()) << context.status().message();
  return context.take();
}

template <typename T>
Tensor tensor_of(std::vector<T> values, DLDataType dtype) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  const auto size = static_cast<int64_t>(owner->size());
  return Tensor(std::move(owner), data, dtype, {size});
}

struct TestEdges {
  std::string name;  // source__relation__target
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  std::vector<float> weight;     // column "weight", when not empty
  std::vector<int64_t> reverse;  // column "reverse"
  std::vector<int64_t> time{};   // column "time"
};

struct TestGraph {
  std::vector<std::pair<std::string, int64_t>> nodes;
  std::vector<TestEdges> edges;
  std::map<std::string, std::vector<float>> node_weights;  // column "weight", by type
  std::map<std::string, std::vector<int64_t>> node_times;  // column "time", by type
  bool wide = false;                                       // int64 indices and ids
  bool store_ids = true;  // false: leave edge ids out where they are the identity
};

// Rows by `by`, in ascending edge id.
inline Topology sort_edges(const std::vector<int64_t>& by, const std::vector<int64_t>& other,
                           int64_t rows, int64_t neighbors, const TestGraph& graph) {
  std::vector<int64_t> indptr(static_cast<size_t>(rows) + 1, 0);
  for (const int64_t row : by) {
    ++indptr[static_cast<size_t>(row) + 1];
  }
  for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
    indptr[r + 1] += indptr[r];
  }
  std::vector<int64_t> next(indptr.begin(), indptr.end() - 1);
  std::vector<int64_t> indices(by.size());
  std::vector<int64_t> ids(by.size());
  bool identity = true;
  for (size_t e = 0; e < by.size(); ++e) {
    const auto at = static_cast<size_t>(next[static_cast<size_t>(by[e])]++);
    indices[at] = other[e];
    ids[at] = static_cast<int64_t>(e);
    identity = identity && at == e;
  }
  const auto narrow = [&](const std::vector<int64_t>& values) {
    return graph.wide ? tensor_of(values, kInt64)
                      : tensor_of(std::vector<int32_t>(values.begin(), values.end()), kInt32);
  };
  auto topology = Topology::make(tensor_of(indptr, kInt64), narrow(indices),
                                 identity && !graph.store_ids ? Tensor() : narrow(ids), rows,
                                 static_cast<int64_t>(by.size()), neighbors, "test");
  EXPECT_TRUE(topology.ok()) << topology.status().message();
  return topology.take();
}

inline std::shared_ptr<const Dataset> make_dataset(std::shared_ptr<Context> context,
                                                   const TestGraph& graph) {
  std::vector<NodeType> node_types;
  for (const auto& [name, count] : graph.nodes) {
    NodeType type;
    type.name = name;
    type.count = count;
    if (const auto times = graph.node_times.find(name); times != graph.node_times.end()) {
      type.columns.push_back({"time", GLS_ROLE_TIME, tensor_of(times->second, kInt64)});
    }
    if (const auto weights = graph.node_weights.find(name); weights != graph.node_weights.end()) {
      type.columns.push_back({"weight", GLS_ROLE_WEIGHT, tensor_of(weights->second, kFloat32)});
    }
    node_types.push_back(std::move(type));
  }
  std::vector<EdgeType> edge_types;
  for (const TestEdges& edges : graph.edges) {
    EdgeType type;
    type.name = *parse_edge_type(edges.name);
    type.joined = edges.name;
    for (size_t t = 0; t < node_types.size(); ++t) {
      type.source = node_types[t].name == type.name.source ? t : type.source;
      type.target = node_types[t].name == type.name.target ? t : type.target;
    }
    type.count = static_cast<int64_t>(edges.source.size());
    const int64_t sources = node_types[type.source].count;
    const int64_t targets = node_types[type.target].count;
    type.csc = sort_edges(edges.target, edges.source, targets, sources, graph);
    type.csr = sort_edges(edges.source, edges.target, sources, targets, graph);
    if (!edges.weight.empty()) {
      type.columns.push_back({"weight", GLS_ROLE_WEIGHT, tensor_of(edges.weight, kFloat32)});
    }
    if (!edges.reverse.empty()) {
      type.columns.push_back({"reverse", GLS_ROLE_OTHER, tensor_of(edges.reverse, kInt64)});
    }
    if (!edges.time.empty()) {
      type.columns.push_back({"time", GLS_ROLE_TIME, tensor_of(edges.time, kInt64)});
    }
    edge_types.push_back(std::move(type));
  }
  auto dataset = Dataset::create(std::move(context), std::move(node_types), std::move(edge_types));
  EXPECT_TRUE(dataset.ok()) << dataset.status().message();
  return dataset.take();
}

// A CSC as it is, sound or not.
inline std::shared_ptr<const Dataset> damaged(std::vector<int64_t> indptr,
                                              std::vector<int32_t> indices, Tensor edge_ids = {}) {
  NodeType nodes;
  nodes.name = "node";
  nodes.count = static_cast<int64_t>(indptr.size()) - 1;
  EdgeType edges;
  edges.name = {"node", "to", "node"};
  edges.joined = edges.name.joined();
  edges.count = static_cast<int64_t>(indices.size());
  edges.csc = Topology::make(tensor_of(indptr, kInt64), tensor_of(indices, kInt32),
                             std::move(edge_ids), nodes.count, edges.count, nodes.count, "test")
                  .take();
  return Dataset::create(make_context(1), {nodes}, {edges}).take();
}

inline std::vector<int64_t> values_of(const Tensor& tensor) {
  std::vector<int64_t> out;
  const IdSpan ids(tensor.data(), same_dtype(tensor.dtype(), kInt64), tensor.rows());
  for (int64_t i = 0; i < ids.size(); ++i) {
    out.push_back(ids[i]);
  }
  return out;
}

}  // namespace gls::test
