// Negatives of links that a device draws: as a processor draws them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "device_cases.h"
#include "host_device/negative_rule.h"
#include "sample/device/device_request.h"
#include "test_device.h"

namespace gls::test {
namespace {

// By source and target, so that rows of both layouts ascend.
void sort_ends(TestEdges* edges) {
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (size_t e = 0; e < edges->source.size(); ++e) {
    ends.emplace_back(edges->source[e], edges->target[e]);
  }
  std::sort(ends.begin(), ends.end());
  for (size_t e = 0; e < ends.size(); ++e) {
    std::tie(edges->source[e], edges->target[e]) = ends[e];
  }
}

// Between few nodes, so that most pairs or all are edges.
void add_dense_edges(Numbers* random, TestGraph* graph) {
  const int64_t few = random->one_of<int64_t>({1, 3, 7, 40});
  graph->nodes.emplace_back("few", few);
  TestEdges edges{"few__dense__few", {}, {}, {}, {}};
  const int64_t gone = random->one_of<int64_t>({20, 200, 1000000});
  for (int64_t pair = 0; pair < few * few; ++pair) {
    if (!random->one_in(gone)) {
      edges.source.push_back(pair % few);
      edges.target.push_back(pair / few);
    }
  }
  graph->edges.push_back(std::move(edges));
}

// Some datasets have one layout alone of edge types that nothing is sampled along.
std::shared_ptr<const Dataset> with_layouts(Numbers* random, const Dataset& dataset,
                                            const SamplerOptions& options) {
  std::vector<EdgeType> types = dataset.edge_types();
  for (size_t t = 0; t < types.size(); ++t) {
    const std::vector<int64_t>& fanouts = options.fanouts[t];
    const bool used =
        std::any_of(fanouts.begin(), fanouts.end(), [](int64_t fanout) { return fanout != 0; });
    if (random->coin()) {
      (used == (options.direction == Direction::kIn) ? types[t].csr : types[t].csc).reset();
    }
  }
  return Dataset::create(dataset.context(), dataset.node_types(), std::move(types)).take();
}

NegativeOptions any_negatives(Numbers* random) {
  NegativeOptions out;
  const bool triplets = random->coin();
  out.mode = triplets ? NegativeMode::kTriplet : NegativeMode::kBinary;
  out.amount = triplets ? random->one_of({1.0, 2.0, 9.0}) : random->one_of({0.3, 1.0, 4.5});
  out.strict = !random->one_in(3);
  out.allow_short = random->coin();
  out.tries = random->one_of({1u, 2u, 5u, 64u, 300u});
  const int64_t weights = random->below(3);
  if (weights == 1) {
    out.degree_quarters = random->one_of({2u, 3u, 8u});
  } else if (weights == 2) {
    out.target_weight = "weight";
    out.source_weight = triplets || random->coin() ? "" : "weight";
  }
  return out;
}

// What became of the negatives of some batches.
struct Met {
  int64_t pairs = 0;
  int64_t missing = 0;  // left out, or -1
  int64_t failures = 0;
};

void count_negatives(const Sampler& sampler, const SampleRequest& request, Met* met) {
  auto batch = sampler.sample(request);
  if (!batch.ok()) {
    ++met->failures;
    return;
  }
  const SampledLinks& links = (*batch)->links[0];
  const int64_t given = links.target.rows();
  if (links.negative.defined()) {
    for (const int64_t local :
         values_of(Tensor(nullptr, links.negative.data(), links.negative.dtype(),
                          {links.negative.shape()[0] * links.negative.shape()[1]}))) {
      ++(local < 0 ? met->missing : met->pairs);
    }
    return;
  }
  const std::vector<int64_t>& shape = request.links[0].links.shape();
  const int64_t count = shape.size() == 1 ? shape[0] : shape[1];
  met->pairs += given - count;
  met->missing += negatives_of(sampler.options().negatives, count) - (given - count);
}

TEST_F(DeviceSampling, DrawsNegatives) {
  Met met;
  int64_t split = 0;
  for (uint64_t number = 0; number < 150; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number + 1000);
    TestGraph graph = random_graph(&random);
    add_dense_edges(&random, &graph);
    if (random.coin()) {
      std::for_each(graph.edges.begin(), graph.edges.end(), [](TestEdges& e) { sort_ends(&e); });
    }
    for (const auto& [name, count] : graph.nodes) {
      graph.node_weights[name] = random_weights(&random, static_cast<size_t>(count));
    }
    const bool timed = random.one_in(3);
    if (timed) {
      add_times(&random, &graph);
    }
    SamplerOptions options = random_options(&random, graph, number);
    for (std::vector<int64_t>& fanouts : options.fanouts) {
      if (random.one_in(3)) {
        std::fill(fanouts.begin(), fanouts.end(), 0);
      }
    }
    if (timed) {
      options.node_time = "time";
      options.disjoint = true;
    }
    options.exclude_links = random.one_in(3);
    options.negatives = any_negatives(&random);
    if (timed && random.coin()) {
      options.negatives.in_time = true;
      options.negatives.oldest = random.coin();
    }
    const auto dataset =
        with_layouts(&random, *make_any_dataset(any_context(number), graph, number), options);
    const auto sampler = Sampler::create(dataset, options).take();
    Both both(sampler, number);
    for (uint64_t batch = 0; batch < 4; ++batch) {
      Asked asked;
      ask_for_links(&random, *dataset, &asked, timed);
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      both.expect_same(asked.request);
      count_negatives(*sampler, asked.request, &met);
    }
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(met.pairs, 3000 / kEvery);
  EXPECT_GT(met.missing, 300 / kEvery);
  EXPECT_GT(met.failures, 10 / kEvery);
  EXPECT_GT(split, 5 / kEvery);
}

// Rows of which some are impossible, which negatives may meet before hops do.
TEST_F(DeviceSampling, FindsTheFirstFaultOfNegatives) {
  int64_t failures = 0;
  std::set<std::string> texts;
  for (uint64_t number = 0; number < 200; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    constexpr int64_t kNodes = 30;
    std::vector<int64_t> indptr = {0};
    for (int64_t v = 0; v < kNodes; ++v) {
      indptr.push_back(indptr.back() + random.one_of<int64_t>({0, 2, 25, 60}));
    }
    const int64_t edges = indptr.back();
    for (int64_t i = random.one_of<int64_t>({1, 1, 2, 8}); i > 0; --i) {
      indptr[1 + random.index(kNodes - 1)] = random.one_of<int64_t>({-1, edges + 1, INT64_MAX});
    }
    const std::vector<int64_t> indices = random_numbers(&random, edges, kNodes);
    const auto dataset = damaged(indptr, {indices.begin(), indices.end()});
    SamplerOptions options;
    options.seed = number;
    options.num_hops = 1;
    options.fanouts = {{random.one_of<int64_t>({0, 0, 2})}};
    options.exclude_links = random.one_in(4);
    options.negatives = any_negatives(&random);
    options.negatives.strict = true;
    options.negatives.degree_quarters = 0;
    options.negatives.source_weight.clear();
    options.negatives.target_weight.clear();
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 4; ++batch) {
      const int64_t count = random.one_of<int64_t>({1, 3, 40});
      SampleRequest request;
      request.batch = batch;
      request.epoch = number % 3;
      request.links.emplace_back().links =
          ids_of(random_numbers(&random, 2 * count, kNodes), {2, count});
      both.expect_same(request);
      auto made = Sampler::create(dataset, options).take()->sample(request);
      texts.insert(made.ok() ? "" : made.status().message().substr(0, 45));
    }
    failures += both.failures();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(failures, 300 / kEvery);
  EXPECT_GT(texts.size(), 20u);  // nodes at fault, and what is not found
}

// Faults of tries that are looked at with others of which one is good, of a long round.
TEST_F(DeviceSampling, FindsFaultsBehindNegatives) {
  constexpr int64_t kNodes = 200;
  std::vector<int64_t> indptr = {0};
  std::vector<int32_t> indices;
  for (int64_t v = 0; v < kNodes; ++v) {  // nearly all pairs are edges
    for (int32_t from = 0; v % 100 != 9 && from < kNodes; ++from) {
      indices.push_back(from);
    }
    indptr.push_back(static_cast<int64_t>(indices.size()));
  }
  indptr[150] = -1;
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{0}};
  options.negatives.strict = true;
  options.negatives.tries = 300;
  for (const NegativeMode mode : {NegativeMode::kBinary, NegativeMode::kTriplet}) {
    options.negatives.mode = mode;
    Both both(damaged(indptr, indices), options);
    constexpr uint64_t kBatches = 300;
    for (uint64_t batch = 0; batch < kBatches; batch += kEvery) {
      SampleRequest request;
      request.batch = batch;
      request.links.emplace_back().links = ids_of({3, 4}, {2, 1});
      both.expect_same(request);
    }
    EXPECT_GT(both.failures(), 100 / kEvery);
    EXPECT_LT(both.failures(), 250 / kEvery);
  }
}

// The host draws nothing where the device can.
TEST_F(DeviceSampling, LeavesNegativesToTheDevice) {
  TestGraph graph;
  graph.nodes = {{"a", 20}, {"b", 30}};
  graph.edges = {{"a__to__a", {1, 2, 3}, {4, 5, 6}, {}, {}},
                 {"a__to__b", {1, 2, 3}, {4, 5, 6}, {}, {}}};
  const auto dataset = make_dataset(make_context(1), graph);
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}, {2}};
  for (const bool pairs : {false, true}) {
    options.negatives.mode = pairs ? NegativeMode::kBinary : NegativeMode::kTriplet;
    options.negatives.amount = 2;
    for (const bool strict : {false, true}) {
      for (const bool allow_short : {false, true}) {
        options.negatives.strict = strict;
        options.negatives.allow_short = allow_short;
        const auto sampler = Sampler::create(dataset, options).take();
        for (const size_t edge_type : {0, 1}) {
          const auto graph_there = DeviceGraph::of(dataset, device_of_tests());
          const auto negatives =
              DeviceNegatives::make(*sampler, edge_type, sampler->negatives(edge_type).take(),
                                    graph_there)
                  .take();
          int64_t ahead = 0;
          const DeviceDrawing drawing = {
              [&](size_t) -> Result<const DeviceNegatives*> { return negatives.get(); },
              [&](const device::NegativesWork& work, std::span<const int64_t>) {
                ++ahead;
                const auto count = static_cast<size_t>(work.count);
                return Result<DrawnNegatives>(
                    {std::vector<int64_t>(pairs ? count : 0), std::vector<int64_t>(count)});
              }};
          SampleRequest request;
          request.links.emplace_back();
          request.links[0].edge_type = edge_type;
          request.links[0].links = ids_of({7, 8, 9, 10, 11, 12}, {2, 3});
          const auto asked = DeviceRequest::of(*sampler, request, drawing).take();
          const device::DrawnSeeds drawn = asked.work().drawn;
          EXPECT_EQ(ahead, strict && allow_short ? 1 : 0);
          ASSERT_EQ(drawn.negatives == nullptr, strict && allow_short);
          if (drawn.negatives != nullptr) {
            EXPECT_EQ(drawn.negatives->count, 6);
            EXPECT_EQ(drawn.negatives->edges != nullptr, strict);
            // Of both types: u, v, sources, targets; or u, sources, v, targets.
            EXPECT_EQ(drawn.first_source, !pairs ? 0 : edge_type == 0 ? 6 : 3);
            EXPECT_EQ(drawn.first_target, pairs ? 12 : 6);
          }
        }
      }
    }
  }
}

// What has no room on the device and may not be pinned, the processor draws by; and the room of a
// sampler that is gone is free again.
TEST_F(DeviceSampling, DrawsNegativesWhereThereIsRoom) {
  TestGraph graph;
  graph.nodes = {{"n", 2000}};
  graph.edges = {{"n__to__n", {1, 2, 3}, {4, 5, 6}, {}, {}}};
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  options.negatives.mode = NegativeMode::kTriplet;
  options.negatives.amount = 5;
  options.negatives.strict = true;
  options.negatives.degree_quarters = 2;
  struct Heard {
    int64_t lines = 0;
    std::string last;
  } heard;
  const auto hear = [](void* to, int32_t, const char*, const char* text) {
    ++static_cast<Heard*>(to)->lines;
    static_cast<Heard*>(to)->last = text;
  };
  for (const char* const room : {"20000", "40000"}) {  // 16008 are for indptr, 16000 for sums
    auto context = Context::create({1, GLS_LOG_WARN}, hear, &heard, nullptr).take();
    ASSERT_TRUE(context->set("device.graph_memory", room).ok());
    ASSERT_TRUE(context->set("device.pinned_memory", "1").ok());
    const auto dataset = make_dataset(context, graph);
    const auto kept = DeviceGraph::of(dataset, device_of_tests());
    for (int i = 0; i < 3; ++i) {
      Both both(dataset, options);
      SampleRequest request;
      request.links.emplace_back().links = ids_of({0, 1, 2}, {3});
      both.expect_same(request);
      both.expect_same(request);
    }
    EXPECT_EQ(heard.lines, 3) << heard.last;  // once for each sampler without room
    EXPECT_NE(heard.last.find("the processor draws negatives of \"n__to__n\""), std::string::npos)
        << heard.last;
  }
}

// Wherever memory of the device ends, it is said, and the next batch is as ever.
TEST_F(DeviceSampling, DrawsNegativesAgainAfterTheEndOfMemory) {
  if (on_gpu()) {
    GTEST_SKIP() << "where memory ends is chosen, which is for the emulated runtime alone";
  }
  TestGraph graph;
  graph.nodes = {{"n", 50}};
  graph.edges = {{"n__to__n", {1, 2, 3}, {4, 5, 6}, {}, {}}};
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  options.negatives.mode = NegativeMode::kBinary;
  options.negatives.strict = true;
  options.negatives.degree_quarters = 3;
  SampleRequest request;
  request.links.emplace_back().links = ids_of({0, 1, 2}, {3});
  for (const bool allow_short : {false, true}) {
    options.negatives.allow_short = allow_short;
    const auto device = device_of_tests();
    const auto sampler = Sampler::create(make_dataset(context_of("100000"), graph), options).take();
    const auto there = DeviceSampler::create(sampler, device).take();
    int failures = 0;
    for (uint64_t bytes = 1;; bytes += bytes / 4 + 1) {
      const DeviceStream stream = device->stream().take();
      const std::string room = std::to_string(bytes);
      {
        const MemoryLimit limit(room.c_str());
        auto made = there->sample(request, stream);
        if (made.ok()) {
          break;
        }
        ASSERT_EQ(made.status().code(), GLS_ERR_OUT_OF_MEMORY) << made.status().message();
      }
      ++failures;
    }
    EXPECT_GT(failures, 10);
    Both both(sampler);
    both.expect_same(request);
    EXPECT_EQ(both.failures(), 0);
  }
}

TEST(NegativeRule, DrawsTheFirstNodeWhoseSumIsAbove) {
  const auto chances = [](const std::vector<double>& sums, int64_t last) {
    return device::NodeChances{static_cast<int64_t>(sums.size()), last, sums.data()};
  };
  constexpr uint64_t kMost = ~uint64_t{0};
  EXPECT_EQ(node_of_draw({10, 0, nullptr}, 0), 0);
  EXPECT_EQ(node_of_draw({10, 0, nullptr}, kMost), 9);
  const std::vector<double> sums = {0, 0, 1, 1, 4, 4};
  EXPECT_EQ(node_of_draw(chances(sums, 4), 0), 2);
  EXPECT_EQ(node_of_draw(chances(sums, 4), uint64_t{1} << 62), 4);  // x is 1
  EXPECT_EQ(node_of_draw(chances(sums, 4), (uint64_t{1} << 62) - 2048), 2);
  EXPECT_EQ(node_of_draw(chances(sums, 4), kMost), 4);
  const std::vector<double> tiny = {0, 5e-324, 5e-324};  // x is as much as all of it
  EXPECT_EQ(node_of_draw(chances(tiny, 1), kMost), 1);
}

TEST(NegativeRule, RoundsHaveAllTries) {
  for (uint32_t tries = 1; tries <= 2048; ++tries) {
    uint32_t done = 0;
    int rounds = 0;
    for (; done < tries; ++rounds) {
      const uint32_t more = tries_of_round(done, tries);
      ASSERT_GT(more, 0u);
      ASSERT_LE(more, std::max(done, 1u));
      done += more;
    }
    EXPECT_EQ(done, tries);
    EXPECT_LE(rounds, 12);
  }
}

}  // namespace
}  // namespace gls::test
