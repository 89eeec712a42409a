// Folders of parts, asked hop by hop, against the whole that they were cut from.
#include "sample/part_hops.h"

#include <gtest/gtest.h>

#include <tuple>

#include "graph/dataset_folder.h"
#include "hop_client.h"
#include "ingest/write_parts.h"
#include "ingest_support.h"

namespace gls::test {
namespace {

constexpr int64_t kUsers = 2000;
constexpr int64_t kItems = 1500;

// Two node types; users' edges to each other and to items both ways, weights, times, hubs.
std::shared_ptr<const Dataset> whole_graph(const std::shared_ptr<Context>& context) {
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

size_t owner_of(size_t type, int64_t node, size_t parts) {
  return static_cast<size_t>(node * node + static_cast<int64_t>(type)) % 31 % parts;
}

class PartHops : public testing::TestWithParam<std::tuple<HopCase, size_t>> {};

TEST_P(PartHops, AreThoseOfTheWhole) {
  const auto& [given, num_parts] = GetParam();
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
  options.edge_ids = true;
  given.set(&options);
  const std::shared_ptr<Context> context = make_context();
  const auto dataset = whole_graph(context);
  auto whole = Sampler::create(dataset, options);
  ASSERT_TRUE(whole.ok()) << whole.status().message();

  const TempFolder folder;
  std::vector<Tensor> owners;
  for (size_t t = 0; t < dataset->node_types().size(); ++t) {
    std::vector<uint8_t> of;
    for (int64_t i = 0; i < dataset->node_types()[t].count; ++i) {
      of.push_back(static_cast<uint8_t>(owner_of(t, i, num_parts)));
    }
    owners.push_back(tensor_of(std::move(of), kUint8));
  }
  PartsOptions cut;
  cut.parts = static_cast<uint32_t>(num_parts);
  const Status written = write_parts(*dataset, owners, folder.file("parts"), cut);
  ASSERT_TRUE(written.ok()) << written.message();
  std::vector<std::shared_ptr<const Sampler>> samplers;
  for (size_t p = 0; p < num_parts; ++p) {
    auto part = open_dataset(context, folder.file("parts") + "/part-" + std::to_string(p), {});
    ASSERT_TRUE(part.ok()) << part.status().message();
    auto sampler = Sampler::create(*part, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    samplers.push_back(sampler.take());
  }

  const std::vector<int64_t> seeds = {11, 5, 1999, 0, 5, 700, 701, 702, 1400, 1222};
  const std::vector<int64_t> times = {300, 360, 420, 480, 540, 600, 660, 720, 780, 840};
  SampleRequest request;
  request.epoch = 2;
  request.batch = 6;
  request.seeds = {{0, span_of(seeds), options.temporal() ? span_of(times) : IdSpan()}};
  auto batch = (*whole)->sample(request);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  HopClient client = {
      *dataset, (*whole)->options(), num_parts,
      [&parts = num_parts](size_t type, int64_t node) { return owner_of(type, node, parts); },
      [&](size_t p, const HopQuestion& question) {
        return answer_hop_of_part(*samplers[p], question);
      }};
  ASSERT_NO_FATAL_FAILURE(client.sample(0, seeds, times, request.epoch, request.batch));
  client.expect_same(**batch);

  // What is asked of the wrong part is an error.
  if (num_parts > 1) {
    HopQuestion question;
    const std::vector<int64_t> one = {7};
    const std::vector<int64_t> zero = {0};
    question.nodes = span_of(one);
    question.trees = (*whole)->options().disjoint ? span_of(zero) : IdSpan();
    question.times = options.temporal() ? span_of(zero) : IdSpan();
    const size_t other = (owner_of(0, 7, num_parts) + 1) % num_parts;
    auto picks = answer_hop_of_part(*samplers[other], question);
    ASSERT_FALSE(picks.ok());
    EXPECT_EQ(
        picks.status().message(),
        formatted("hop: node 7 of type \"user\" is not owned by part {} of {}", other, num_parts));
  }
}

INSTANTIATE_TEST_SUITE_P(Options, PartHops,
                         testing::Combine(testing::ValuesIn(hop_cases()),
                                          testing::Values(size_t{1}, size_t{2}, size_t{8})),
                         [](const auto& given) {
                           return std::get<0>(given.param).name + "_" +
                                  std::to_string(std::get<1>(given.param));
                         });

}  // namespace
}  // namespace gls::test
