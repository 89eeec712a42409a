// A graph for tests, and its parts on disk.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ingest/write_parts.h"
#include "ingest_support.h"
#include "test_graph.h"

namespace gls::test {

inline constexpr int64_t kUsers = 2000;
inline constexpr int64_t kItems = 1500;

// Two node types; users' edges to each other and to items both ways, weights, times, hubs.
inline std::shared_ptr<const Dataset> whole_graph(const std::shared_ptr<Context>& context) {
  uint64_t state = 4;
  const auto next = [&state](int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(below));
  };
  TestGraph graph;
  graph.nodes = {{"user", kUsers}, {"item", kItems}};
  for (const auto& [type, count] : graph.nodes) {
    for (int64_t i = 0; i < count; ++i) {
      graph.node_times[type].push_back(i * 37 % 900);
    }
  }
  for (const char* name : {"user__knows__user", "item__of__user", "user__likes__item"}) {
    TestEdges edges = {name, {}, {}, {}, {}, {}};
    const bool from_item = edges.name.starts_with("item");
    const bool to_item = edges.name.ends_with("item");
    for (int i = 0; i < 20000; ++i) {
      edges.source.push_back(next(from_item ? kItems : kUsers));
      edges.target.push_back(i % 9 == 0 ? 11 : next(to_item ? kItems : kUsers));
      edges.time.push_back(next(1000));
      edges.weight.push_back(static_cast<float>(next(16)) / 4);
    }
    graph.edges.push_back(std::move(edges));
  }
  const auto plain = make_dataset(context, graph);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  const auto rows = [&next](int64_t count, int64_t width) {
    std::vector<float> values;
    for (int64_t i = 0; i < count * width; ++i) {
      values.push_back(static_cast<float>(next(1 << 20)) / 8);
    }
    const Tensor flat = tensor_of(std::move(values), kFloat32);
    return Tensor(flat.owner(), flat.data(), kFloat32, {count, width});
  };
  for (NodeType& type : nodes) {
    type.columns.push_back({"x", GLS_ROLE_FEATURE, rows(type.count, 5)});
    std::vector<int64_t> labels;
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < type.count; ++i) {
      labels.push_back(i % 7);
      bytes.push_back(static_cast<uint8_t>(next(256)));
    }
    type.columns.push_back({"y", GLS_ROLE_LABEL, tensor_of(std::move(labels), kInt64)});
    const Tensor flat = tensor_of(std::move(bytes), kUint8);
    type.columns.push_back(Column::of_codes(
        "coded", GLS_ROLE_FEATURE, Tensor(flat.owner(), flat.data(), kUint8, {type.count, 1}),
        Codebook::create(4, 2, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15.5F}).take()));
    std::vector<int32_t> some;
    for (int64_t i = 0; i < type.count; i += 3) {
      some.push_back(static_cast<int32_t>(type.count - 1 - i));
    }
    type.id_sets.push_back({"train", tensor_of(std::move(some), kInt32)});
  }
  for (EdgeType& type : edges) {
    type.columns.push_back({"kind", GLS_ROLE_FEATURE, rows(type.count, 2)});
  }
  return Dataset::create(context, std::move(nodes), std::move(edges)).take();
}

inline size_t owner_of(size_t type, int64_t node, size_t parts) {
  return static_cast<size_t>(node * node + static_cast<int64_t>(type)) % 31 % parts;
}

inline void cut_in_parts(const Dataset& dataset, size_t parts, const std::string& path) {
  std::vector<Tensor> owners;
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    std::vector<uint8_t> of;
    for (int64_t i = 0; i < dataset.node_types()[t].count; ++i) {
      of.push_back(static_cast<uint8_t>(owner_of(t, i, parts)));
    }
    owners.push_back(tensor_of(std::move(of), kUint8));
  }
  PartsOptions cut;
  cut.parts = static_cast<uint32_t>(parts);
  const Status written = write_parts(dataset, owners, path, cut);
  ASSERT_TRUE(written.ok()) << written.message();
}

}  // namespace gls::test
