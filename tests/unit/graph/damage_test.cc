// Damage in rows that are read for other things than picking: for times, and for subgraphs. Each
// fault lies where nothing is picked, so that only the check of what is read can find it.
#include <gtest/gtest.h>

#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// A CSC of four nodes; node 0 has three neighbours, the others one each. Columns "t" of both.
std::shared_ptr<const Dataset> with_times(std::vector<int64_t> indices, std::vector<int64_t> ids,
                                          bool wide) {
  const std::vector<int64_t> indptr = {0, 3, 4, 5, 6};
  const auto narrow = [&](const std::vector<int64_t>& values) {
    return wide ? tensor_of(values, kInt64)
                : tensor_of(std::vector<int32_t>(values.begin(), values.end()), kInt32);
  };
  NodeType nodes;
  nodes.name = "node";
  nodes.count = 4;
  nodes.columns = {{"t", GLS_ROLE_TIME, tensor_of<int64_t>({1, 2, 3, 4}, kInt64)}};
  EdgeType edges;
  edges.name = {"node", "to", "node"};
  edges.joined = edges.name.joined();
  edges.count = 6;
  edges.csc =
      Topology::make(tensor_of(indptr, kInt64), narrow(indices), narrow(ids), 4, 6, 4, "test")
          .take();
  edges.columns = {{"t", GLS_ROLE_TIME, tensor_of<int64_t>({1, 2, 3, 4, 5, 6}, kInt64)}};
  return Dataset::create(make_context(1), {nodes}, {edges}).take();
}

SamplerOptions by_times(bool of_nodes, bool of_edges) {
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{1}};
  options.disjoint = true;
  options.node_time = of_nodes ? "t" : "";
  options.edge_time = of_edges ? "t" : "";
  options.time_strategy = TimeStrategy::kLast;
  return options;
}

// Node 0 at time 2: of the row only its first entries are early enough.
Status sample_in_time(const std::shared_ptr<const Dataset>& dataset,
                      const SamplerOptions& options) {
  const std::vector<int64_t> seeds = {0};
  const std::vector<int64_t> times = {2};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1), IdSpan(times.data(), true, 1)}};
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  auto batch = (*sampler)->sample(request);
  return batch.ok() ? Status() : std::move(batch.status());
}

void expect_fault(const Status& status, const char* what, int64_t position, int64_t value,
                  int64_t last) {
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(status.message(), formatted("edge type \"node__to__node\": {} at position {} is {}, "
                                        "expected 0 .. {}",
                                        what, position, value, last));
  ASSERT_NE(status.detail("offset"), nullptr);
  EXPECT_EQ(*status.detail("offset"), std::to_string(position));
  EXPECT_EQ(*status.detail("type"), "node__to__node");
}

TEST(Damage, OfRowsReadForTimes) {
  const std::vector<int64_t> ids = {0, 1, 2, 3, 4, 5};
  for (const bool wide : {false, true}) {
    EXPECT_TRUE(
        sample_in_time(with_times({0, 1, 2, 3, 0, 0}, ids, wide), by_times(true, true)).ok());
    for (const int64_t wrong : {int64_t{4}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
      const std::vector<int64_t> indices = {0, 1, wrong, 3, 0, 0};
      expect_fault(sample_in_time(with_times(indices, ids, wide), by_times(true, false)), "index",
                   2, wrong, 3);
      expect_fault(sample_in_time(with_times(indices, ids, wide), by_times(true, true)), "index", 2,
                   wrong, 3);
      // Edges alone say when it was: no index is read but what is picked.
      EXPECT_TRUE(sample_in_time(with_times(indices, ids, wide), by_times(false, true)).ok());
    }
    for (const int64_t wrong : {int64_t{6}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
      const std::vector<int64_t> wrong_ids = {0, 1, wrong, 3, 4, 5};
      const std::vector<int64_t> indices = {0, 1, 2, 3, 0, 0};
      expect_fault(sample_in_time(with_times(indices, wrong_ids, wide), by_times(false, true)),
                   "edge id", 2, wrong, 5);
      expect_fault(sample_in_time(with_times(indices, wrong_ids, wide), by_times(true, true)),
                   "edge id", 2, wrong, 5);
      EXPECT_TRUE(sample_in_time(with_times(indices, wrong_ids, wide), by_times(true, false)).ok());
    }
  }
}

// A fault that was seen once is seen again: what is known of a row is only kept of sound ones.
TEST(Damage, OfRowsReadForTimesIsFoundEachTime) {
  const auto dataset = with_times({0, 1, 9, 3, 0, 0}, {0, 1, 2, 3, 4, 5}, false);
  const auto sampler = Sampler::create(dataset, by_times(true, false)).take();
  const std::vector<int64_t> seeds = {0};
  const std::vector<int64_t> times = {2};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1), IdSpan(times.data(), true, 1)}};
  for (int i = 0; i < 3; ++i) {
    expect_fault(sampler->sample(request).status(), "index", 2, 9, 3);
  }
}

// A neighbour that is no node is in no batch: it must be found all the same.
TEST(Damage, OfRowsReadForInducedSubgraphs) {
  const std::vector<int64_t> seeds = {1, 0};
  for (const bool wide : {false, true}) {
    for (const bool disjoint : {false, true}) {
      SamplerOptions options;
      options.subgraph = Subgraph::kInduced;
      options.fanouts = {{}};
      options.edge_ids = true;
      options.disjoint = disjoint;
      SampleRequest request;
      request.seeds = {{0, IdSpan(seeds.data(), true, 2)}};
      const std::vector<int64_t> ids = {0, 1, 2, 3, 4, 5};
      const auto sampled = [&](const std::vector<int64_t>& indices,
                               const std::vector<int64_t>& edge_ids) {
        auto batch =
            Sampler::create(with_times(indices, edge_ids, wide), options).take()->sample(request);
        return batch.ok() ? Status() : std::move(batch.status());
      };
      EXPECT_TRUE(sampled({0, 1, 2, 3, 0, 0}, ids).ok());
      for (const int64_t wrong :
           {int64_t{4}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
        expect_fault(sampled({0, 1, wrong, 3, 0, 0}, ids), "index", 2, wrong, 3);
        EXPECT_TRUE(sampled({0, 1, 2, 3, wrong, 0}, ids).ok());  // of a row that is not read
      }
      // Ids are read of the edges that are reported: not of that to node 2.
      for (const int64_t wrong : {int64_t{6}, int64_t{-1}}) {
        expect_fault(sampled({0, 0, 2, 3, 0, 0}, {0, wrong, 2, 3, 4, 5}), "edge id", 1, wrong, 5);
        EXPECT_TRUE(sampled({0, 0, 2, 3, 0, 0}, {0, 1, wrong, 3, 4, 5}).ok());
      }
    }
  }
}

}  // namespace
}  // namespace gls::test
