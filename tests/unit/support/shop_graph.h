// A graph with columns of all kinds, and epochs of it on the host and on a device.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "batch_equal.h"
#include "loader/columns/device_delivery.h"
#include "loader/pipeline/loader.h"
#include "test_graph.h"

namespace gls::test {

inline constexpr int64_t kUsers = 300;
inline constexpr int64_t kItems = 500;

template <typename T>
Tensor rows_of(DLDataType dtype, int64_t rows, std::vector<int64_t> shape, uint64_t seed,
               int64_t padding = 0) {
  std::mt19937_64 random(seed);
  int64_t width = 1;
  for (const int64_t extent : shape) {
    width *= extent;
  }
  std::vector<T> values;
  for (int64_t i = 0; i < rows * (width + padding); ++i) {
    values.push_back(static_cast<T>(random() % 30000));
  }
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  shape.insert(shape.begin(), rows);
  return Tensor(std::move(owner), data, dtype, std::move(shape),
                (width + padding) * static_cast<int64_t>(sizeof(T)), true);
}

// Two node types, both ways between them, and columns of all kinds.
inline std::shared_ptr<const Dataset> shop(const std::shared_ptr<Context>& context) {
  TestGraph graph;
  graph.nodes = {{"user", kUsers}, {"item", kItems}};
  graph.edges = {{"user__buys__item", {}, {}, {}, {}}, {"item__sold__user", {}, {}, {}, {}}};
  std::mt19937_64 random(5);
  for (int i = 0; i < 4000; ++i) {
    const auto user = static_cast<int64_t>(random() % kUsers);
    const auto item = static_cast<int64_t>(random() % kItems);
    graph.edges[0].source.push_back(user);
    graph.edges[0].target.push_back(item);
    graph.edges[1].source.push_back(item);
    graph.edges[1].target.push_back(user);
  }
  const auto plain = make_dataset(context, graph);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  const auto codes = [](const char* name, int64_t bits) {
    auto codebook = Codebook::create(bits, 7, Codebook::even_values(bits, -1, 1).take()).take();
    return Column::of_codes(
        name, GLS_ROLE_FEATURE,
        rows_of<uint8_t>(kUint8, kUsers, {codebook->packed_width()}, static_cast<uint64_t>(bits)),
        codebook);
  };
  nodes[0].columns = {
      {"x", GLS_ROLE_FEATURE, rows_of<float>(kFloat32, kUsers, {25}, 1)},
      {"half", GLS_ROLE_FEATURE, rows_of<uint16_t>(kFloat16, kUsers, {3, 5}, 2, 1)},
      {"y", GLS_ROLE_LABEL, rows_of<int64_t>(kInt64, kUsers, {}, 3)},
      codes("one", 1),
      codes("two", 2),
      codes("four", 4),
      codes("eight", 8),
  };
  nodes[1].columns = {{"wide", GLS_ROLE_FEATURE, rows_of<float>(kFloat32, kItems, {130}, 5, 2)},
                      {"brain", GLS_ROLE_FEATURE, rows_of<uint16_t>(kBfloat16, kItems, {6}, 8)},
                      {"bytes", GLS_ROLE_FEATURE, rows_of<uint8_t>(kUint8, kItems, {13}, 6)}};
  edges[0].columns = {{"e", GLS_ROLE_FEATURE, rows_of<uint16_t>(kBfloat16, 4000, {9}, 7)}};
  return Dataset::create(context, std::move(nodes), std::move(edges)).take();
}

inline std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                                   bool int32) {
  SamplerOptions options;
  options.seed = 3;
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, 2}};
  options.edge_ids = true;
  options.int32 = int32;
  return Sampler::create(dataset, options).take();
}

inline LoaderOptions options_for(const Sampler& sampler) {
  LoaderOptions options;
  options.plan.batch_size = 64;
  options.columns = default_columns(sampler);
  for (ColumnToGather& wanted : options.columns) {  // those of 16 bits as float32, but one
    if (wanted.column->name == "half" || wanted.column->name == "brain") {
      wanted.dtype = kFloat32;
    }
  }
  return options;
}

inline std::shared_ptr<Device> open_device(int32_t id) {
  auto device = Device::open(id);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device.take();
}

inline uint64_t all_rows(const RowTiers& tiers) {
  return tiers.device + tiers.pinned + tiers.host + tiers.remote + tiers.peers;
}

// Each batch of an epoch on both, which are the same; then what the caller wants to see of them.
inline void compare_epochs(const std::shared_ptr<const Sampler>& sampler, LoaderOptions options,
                           const std::shared_ptr<Device>& device,
                           const std::function<void(const Batch&)>& look, LoaderStats* stats) {
  auto here = Loader::create(sampler, Tensor(), options);
  ASSERT_TRUE(here.ok()) << here.status().message();
  options.device = device;
  auto there = Loader::create(sampler, Tensor(), options);
  ASSERT_TRUE(there.ok()) << there.status().message();
  for (int batches = 0;; ++batches) {
    std::shared_ptr<Batch> expected;
    std::shared_ptr<Batch> batch;
    const auto next = (*here)->next(-1, &expected);
    auto other = (*there)->next(-1, &batch);
    ASSERT_TRUE(other.ok()) << other.status().message();
    ASSERT_EQ(*next, *other);
    if (*next == Loader::Next::kEnd) {
      EXPECT_GT(batches, 1);
      *stats = (*there)->stats();
      EXPECT_EQ(all_rows(stats->tiers), (*here)->stats().tiers.host);
      return;
    }
    visit_arrays(*batch, [](const Tensor& array) {
      EXPECT_TRUE(!array.defined() || array.device().device_type == kDLCUDA);
    });
    EXPECT_EQ(batch->num_inputs(), expected->num_inputs());
    EXPECT_EQ(batch->num_edges(), expected->num_edges());
    auto copy = copy_to_host(*batch);
    ASSERT_TRUE(copy.ok()) << copy.status().message();
    expect_same(*expected, **copy);
    if (look) {
      look(*batch);
    }
  }
}

}  // namespace gls::test
