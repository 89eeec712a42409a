// A graph for tests of parts, and folders of parts that it was cut into.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/folder/dataset_folder.h"
#include "ingest/partition/write_parts.h"
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
  return make_dataset(context, graph);
}

template <typename T>
Tensor rows_tensor(int64_t rows, int64_t width, DLDataType dtype) {
  std::vector<T> values(static_cast<size_t>(rows * width));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(i % 251);
  }
  return tensor(std::move(values), dtype,
                width == 1 ? std::vector<int64_t>{rows} : std::vector{rows, width});
}

// The same with columns to gather, an id set and keys.
inline std::shared_ptr<const Dataset> whole_with_features(const std::shared_ptr<Context>& context) {
  const auto plain = whole_graph(context);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  const auto add = [](auto& type, const char* name, Tensor data) {
    type.columns.push_back({name, GLS_ROLE_FEATURE, std::move(data)});
  };
  const auto add_codes = [](auto& type, int64_t bits) {
    constexpr int64_t kWidth = 7;
    const Tensor numbers = rows_tensor<float>(type.count, kWidth, kFloat32);
    auto codes = quantize(numbers, bits, 0, 250);
    auto codebook = Codebook::create(bits, kWidth, Codebook::even_values(bits, 0, 250).take());
    type.columns.push_back(Column::of_codes("codes" + std::to_string(bits), GLS_ROLE_FEATURE,
                                            codes.take(), codebook.take()));
  };
  for (NodeType& type : nodes) {
    add(type, "x", rows_tensor<float>(type.count, 30, kFloat32));
    add(type, "half", rows_tensor<uint16_t>(type.count, 3, kFloat16));
    add(type, "brain", rows_tensor<uint16_t>(type.count, 1, kBfloat16));
    add(type, "int64", rows_tensor<int64_t>(type.count, 1, kInt64));
    add(type, "bytes", rows_tensor<uint8_t>(type.count, 9, kUint8));
    add_codes(type, 4);
    add_codes(type, 8);
    type.columns.push_back({"y", GLS_ROLE_LABEL, rows_tensor<int64_t>(type.count, 1, kInt64)});
  }
  for (EdgeType& type : edges) {
    add(type, "x", rows_tensor<float>(type.count, 2, kFloat32));
    add(type, "half", rows_tensor<uint16_t>(type.count, 5, kFloat16));
    add_codes(type, 2);
  }
  nodes[0].id_sets.push_back({"train", ids64({5, 3, 9, 50})});
  NodeKeys keys;
  std::vector<int64_t> values(static_cast<size_t>(nodes[1].count));
  std::iota(values.begin(), values.end(), 1000);
  keys.values = ids64(std::move(values));
  nodes[1].keys = keys;
  auto out = Dataset::create(context, std::move(nodes), std::move(edges));
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.take();
}

inline size_t owner_of(size_t type, int64_t node, size_t parts) {
  return static_cast<size_t>(node * node + static_cast<int64_t>(type)) % 31 % parts;
}

inline std::vector<Tensor> owners_of(const Dataset& dataset, size_t parts) {
  std::vector<Tensor> out;
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    std::vector<uint8_t> of;
    for (int64_t i = 0; i < dataset.node_types()[t].count; ++i) {
      of.push_back(static_cast<uint8_t>(owner_of(t, i, parts)));
    }
    out.push_back(tensor_of(std::move(of), kUint8));
  }
  return out;
}

inline void cut_graph(const Dataset& dataset, size_t parts, const std::string& path) {
  PartsOptions cut;
  cut.parts = static_cast<uint32_t>(parts);
  const Status written = write_parts(dataset, owners_of(dataset, parts), path, cut);
  ASSERT_TRUE(written.ok()) << written.message();
}

inline std::string part_path(const std::string& path, size_t part) {
  return path + "/part-" + std::to_string(part);
}

}  // namespace gls::test
