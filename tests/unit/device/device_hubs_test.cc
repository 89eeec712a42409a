// A node of ten million in-edges: what a device makes of it is what a processor makes of it.
#include <gtest/gtest.h>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

constexpr int64_t kDegree = 10'000'000;
constexpr int64_t kNodes = 3000;

// Of a row that is read as a whole, entry by entry, the emulated runtime has a part: for all of it
// that takes 20 s.
int64_t read_degree() { return on_gpu() ? kDegree : kDegree / 10; }

enum class Neighbors { kRandom, kAscending };

// All edges go to node 1. Where they ascend, each of the nodes has about the same number of them.
std::shared_ptr<const Dataset> hub(Neighbors neighbors, int64_t degree,
                                   std::vector<Column> columns = {}, const char* room = "0") {
  auto indices = std::make_shared<std::vector<int32_t>>(degree);
  Numbers random(1);
  for (int64_t e = 0; e < degree; ++e) {
    (*indices)[static_cast<size_t>(e)] = static_cast<int32_t>(
        neighbors == Neighbors::kRandom ? random.below(kNodes) : e * 2000 / degree);
  }
  const int32_t* const data = indices->data();
  std::vector<int64_t> indptr(kNodes + 1, degree);
  indptr[0] = indptr[1] = 0;
  NodeType nodes;
  nodes.name = "n";
  nodes.count = kNodes;
  EdgeType edges;
  edges.name = {"n", "e", "n"};
  edges.joined = edges.name.joined();
  edges.count = degree;
  edges.csc = Topology::make(tensor_of(std::move(indptr), kInt64),
                             Tensor(std::move(indices), data, kInt32, {degree}), {}, kNodes, degree,
                             kNodes, "test")
                  .take();
  edges.columns = std::move(columns);
  return Dataset::create(context_of(room), {nodes}, {edges}).take();
}

SamplerOptions one_hop(int64_t fanout) {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 1;
  options.fanouts = {{fanout}};
  options.edge_ids = true;
  return options;
}

// The hub among nodes without edges.
void expect_same_of_seeds(Both* both, std::vector<int64_t> times = {}) {
  Asked asked;
  asked.request.seeds = {{0, asked.keep({0, 1, 2})}};
  if (!times.empty()) {
    asked.request.seeds[0].times = asked.keep(std::move(times));
  }
  both->expect_same(asked.request);
  EXPECT_GT(both->num_edges(), 0);
}

class DeviceHub : public DeviceSampling {};

TEST_F(DeviceHub, IsPickedFrom) {
  for (const char* const room : {"0", "1"}) {
    const auto dataset = hub(Neighbors::kRandom, kDegree, {}, room);
    for (const int64_t fanout : {1, 64, 65, 1000}) {
      for (const Replace replace : {Replace::kNever, Replace::kAlways}) {
        SCOPED_TRACE(formatted("fanout {} replace {}", fanout, static_cast<int>(replace)));
        SamplerOptions options = one_hop(fanout);
        options.replace = replace;
        Both both(dataset, options);
        expect_same_of_seeds(&both);
      }
    }
  }
}

TEST_F(DeviceHub, IsPickedFromByWeight) {
  std::vector<float> weights(kDegree);
  for (size_t e = 0; e < weights.size(); ++e) {
    weights[e] = static_cast<float>(e * 7919 % 5);
  }
  const auto dataset =
      hub(Neighbors::kRandom, kDegree, {{"weight", GLS_ROLE_WEIGHT, tensor_of(weights, kFloat32)}});
  for (const int64_t fanout : {1, 64, 65}) {
    SCOPED_TRACE(fanout);
    SamplerOptions options = one_hop(fanout);
    options.weight = "weight";
    Both both(dataset, options);
    expect_same_of_seeds(&both);
  }
}

// In time, in which half of the edges are. Where they ascend, none need be read for that.
TEST_F(DeviceHub, IsPickedFromInTime) {
  for (const bool ascending : {true, false}) {
    const int64_t degree = ascending ? kDegree : read_degree();
    std::vector<int32_t> times;
    for (int64_t e = 0; e < degree; ++e) {
      times.push_back(static_cast<int32_t>(ascending ? e : e * 7919 % degree));
    }
    const auto dataset =
        hub(Neighbors::kRandom, degree, {{"time", GLS_ROLE_TIME, tensor_of(times, kInt32)}});
    for (const TimeStrategy strategy : {TimeStrategy::kUniform, TimeStrategy::kLast}) {
      for (const int64_t fanout : {1, 65}) {
        const bool uniform = strategy == TimeStrategy::kUniform;
        if (!on_gpu() && ((fanout == 65) != uniform || (ascending && !uniform))) {
          continue;  // each sampler looks whether the row ascends, which takes 5 s there
        }
        SCOPED_TRACE(formatted("ascending {} last {} fanout {}", ascending,
                               strategy == TimeStrategy::kLast, fanout));
        SamplerOptions options = one_hop(fanout);
        options.edge_time = "time";
        options.disjoint = true;
        options.time_strategy = strategy;
        Both both(dataset, options);
        expect_same_of_seeds(&both, {0, degree / 2, 0});
      }
    }
  }
}

// Negatives are looked for in the row of ten million, where two of three pairs are edges.
TEST_F(DeviceHub, IsSearchedForNegatives) {
  const auto dataset = hub(Neighbors::kAscending, kDegree);
  SamplerOptions options = one_hop(3);
  options.negatives.mode = NegativeMode::kTriplet;
  options.negatives.amount = 5;
  options.negatives.tries = 20;
  options.negatives.allow_short = true;
  Both both(dataset, options);
  Asked asked;
  LinkSet& links = asked.request.links.emplace();
  links.edge_type = 0;
  links.links = ids_of({5, kDegree - 1, 17, 2'000'000, 9'999'998}, {5});
  both.expect_same(asked.request);
  EXPECT_GT(both.num_edges(), 0);
}

// Of all its edges, those from other nodes of the batch.
TEST_F(DeviceHub, IsInduced) {
  const auto dataset = hub(Neighbors::kRandom, read_degree());
  SamplerOptions options = one_hop(1);
  options.subgraph = Subgraph::kInduced;
  Both both(dataset, options);
  expect_same_of_seeds(&both);
  EXPECT_GT(both.num_edges(), read_degree() / kNodes);
}

}  // namespace
}  // namespace gls::test
