// Neighbours that edges do not say, by importance and by personalised PageRank, on a device: those
// of a processor.
#include <gtest/gtest.h>

#include <numeric>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

// A path that comes back to where it begins: one type, or to another one and back.
struct Route {
  TestGraph graph;
  std::vector<size_t> path;
};
Route random_route(Numbers* random, Direction direction) {
  Route out;
  const bool two = random->coin();
  const auto nodes = random->one_of<int64_t>({1, 20, 300});
  const int64_t others = two ? random->one_of<int64_t>({3, 40}) : nodes;
  out.graph.nodes = {{"n", nodes}};
  if (two) {
    out.graph.nodes.emplace_back("o", others);
  }
  out.graph.wide = random->coin();
  out.graph.store_ids = random->coin();
  const int64_t count = random->one_of<int64_t>({0, 60, 1500});
  const std::string other = two ? "o" : "n";
  out.graph.edges.push_back({"n__to__" + other,
                             random_numbers(random, count, nodes),
                             random_numbers(random, count, others),
                             {},
                             {}});
  out.graph.edges.push_back({other + "__back__n",
                             random_numbers(random, count, others),
                             random_numbers(random, count, nodes),
                             {},
                             {}});
  out.path = direction == Direction::kOut ? std::vector<size_t>{0, 1} : std::vector<size_t>{1, 0};
  if (!two && random->coin()) {
    out.path = {random->index(2)};
  }
  return out;
}

TEST_F(DeviceSampling, ImportanceNeighbours) {
  int64_t nodes = 0;
  int64_t split = 0;
  int64_t weighted = 0;
  for (uint64_t number = 0; number < 90; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    SamplerOptions options;
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    Route route = random_route(&random, options.direction);
    ImportanceOptions& importance = options.importance.emplace();
    importance.path = route.path;
    importance.hops = 1 + random.index(3);
    importance.walks = random.one_of<size_t>({1, 7, 30, 200});
    importance.traversals = importance.walks > 30 ? 1 : 1 + random.index(3);
    importance.stop = random.one_of({0.0, 0.3});
    importance.neighbors = random.one_of<size_t>({1, 5, 1000});
    options.int32 = random.coin();
    if (random.coin()) {
      for (const size_t type : route.path) {
        TestEdges& edges = route.graph.edges[type];
        if (!edges.source.empty() && edges.weight.empty()) {
          edges.weight = random_weights(&random, edges.source.size());
          options.weight = "weight";
        }
      }
    } else if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, route.graph));
    }
    const auto dataset = make_any_dataset(any_context(number), route.graph, number);
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 2; ++batch) {
      Asked asked;
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      if (!random.one_in(5)) {
        const int64_t count = random.one_of<int64_t>({0, 1, 40});
        asked.request.seeds = {
            {0, asked.keep(random_numbers(&random, count, route.graph.nodes[0].second))}};
      }
      if (options.weight.empty() && random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, route.graph));
      }
      both.expect_same(asked.request);
    }
    nodes += both.num_nodes();
    split += both.num_split();
    weighted += options.weight.empty() ? 0 : 1;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, kSanitized ? 300 : 1000);
  EXPECT_GT(split, kSanitized ? 0 : 5);
  EXPECT_GT(weighted, 20 / kEvery);
}

// As many visits as a block ranks in its own memory, one more, and far more.
TEST_F(DeviceSampling, RanksManyVisits) {
  Numbers random(1);
  TestGraph graph;
  graph.nodes = {{"n", 700}};
  graph.edges = {{"n__to__n",
                  random_numbers(&random, 20000, 700),
                  random_numbers(&random, 20000, 700),
                  {},
                  {}}};
  const auto dataset = make_dataset(make_context(1), graph);
  SamplerOptions options;
  ImportanceOptions& importance = options.importance.emplace();
  importance.path = {0};
  importance.traversals = 4;
  for (const size_t walks : {512, 513, 2500}) {
    if (kSanitized && walks > 1000) {
      continue;
    }
    importance.walks = walks;
    for (const size_t neighbors : {3, 2048, 100000}) {
      importance.neighbors = neighbors;
      for (const double stop : {0.0, 0.7}) {
        if (kSanitized && stop > 0 && neighbors != 2048) {
          continue;
        }
        importance.stop = stop;
        Both both(dataset, options, walks > 1000 ? 0 : 1);
        Asked asked;
        asked.request.seeds = {{0, asked.keep({5, 6, 5, 699})}};
        both.expect_same(asked.request);
        EXPECT_GT(both.num_nodes(), 8);
      }
    }
  }
  importance.walks = 1;
  options.subgraph = Subgraph::kInduced;
  EXPECT_EQ(DeviceSampler::beyond(*Sampler::create(dataset, options).take()),
            "importance neighbours have no subgraphs");
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInImportance) {
  SamplerOptions options;
  ImportanceOptions& importance = options.importance.emplace();
  importance.path = {0};
  importance.traversals = 3;
  importance.walks = 100;
  importance.neighbors = 5;
  importance.hops = 2;
  std::vector<int64_t> seeds;
  for (int64_t i = 0; i < 4; ++i) {
    seeds.push_back(3 - i);
  }
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  for (const auto& dataset :
       {damaged({0, 1, 3, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3, 3}, {1, 2, 7}),
        damaged({0, 2, 4, 4, 4}, {1, 2, 9, -5})}) {
    Both both(dataset, options);
    both.expect_same(request);
    EXPECT_EQ(both.failures(), 1);
  }
  const std::vector<int64_t> outside = {4};
  request.seeds = {{0, IdSpan(outside.data(), true, 1)}};
  Both both(damaged({0, 1, 2, 3, 3}, {1, 2, 3}), options);
  both.expect_same(request);
  EXPECT_EQ(both.failures(), 1);
  const std::vector<int64_t> none;
  request.seeds = {{0, IdSpan(none.data(), true, 0)}};
  both.expect_same(request);
}

// More nodes than blocks, so that each ranks several.
TEST_F(DeviceSampling, ImportanceOfManyNodes) {
  constexpr int64_t kNodes = kSanitized ? 4500 : 9000;
  Numbers random(2);
  TestGraph graph;
  graph.nodes = {{"n", kNodes}};
  graph.edges = {{"n__to__n",
                  random_numbers(&random, 30000, kNodes),
                  random_numbers(&random, 30000, kNodes),
                  {},
                  {}}};
  SamplerOptions options;
  ImportanceOptions& importance = options.importance.emplace();
  importance.neighbors = 2;
  importance.walks = 3;
  std::vector<int64_t> seeds(kNodes);
  std::iota(seeds.begin(), seeds.end(), 0);
  for (uint64_t number = kSanitized ? 1 : 0; number < 2; ++number) {
    Both both(make_dataset(make_context(1), graph), options, number);
    SampleRequest request;
    request.seeds = {{0, IdSpan(seeds.data(), true, kNodes)}};
    both.expect_same(request);
    EXPECT_GE(both.num_nodes(), kNodes);
  }
}

// Faults far into a frontier, whose nodes a processor takes in several lists.
TEST_F(DeviceSampling, FindsTheFirstFaultOfImportance) {
  constexpr int64_t kNodes = 20000;
  for (const int64_t bad : {300, 17000, 19000}) {
    if (kSanitized && bad != 17000) {
      continue;
    }
    std::vector<int64_t> indptr(kNodes + 1);
    std::iota(indptr.begin(), indptr.end(), 0);
    std::vector<int32_t> indices(kNodes);  // a ring
    std::iota(indices.begin(), indices.end() - 1, 1);
    for (const int64_t at : {bad, bad + 20, kNodes - 5}) {
      indices[static_cast<size_t>(at)] = static_cast<int32_t>(kNodes + at);
    }
    const auto dataset = damaged(indptr, indices);
    SamplerOptions options;
    ImportanceOptions& importance = options.importance.emplace();
    importance.path = {0};
    importance.traversals = 2;
    importance.walks = 2;
    importance.neighbors = 1;
    std::vector<int64_t> seeds(kNodes);
    std::iota(seeds.begin(), seeds.end(), 0);
    for (uint64_t number = 0; number < (kSanitized ? 1 : 2); ++number) {
      Both both(dataset, options, number);
      SampleRequest request;
      request.seeds = {{0, IdSpan(seeds.data(), true, kNodes)}};
      both.expect_same(request);
      EXPECT_EQ(both.failures(), 1);
    }
  }
}

// ---- personalised PageRank ---------------------------------------------------------------------

// Some of the edge types, in any order.
std::vector<size_t> some_types(Numbers* random, size_t count) {
  std::vector<size_t> out;
  for (size_t t = 0; t < count; ++t) {
    if (random->coin()) {
      out.insert(out.begin() + random->below(static_cast<int64_t>(out.size()) + 1), t);
    }
  }
  return out.empty() ? std::vector<size_t>{random->index(count)} : out;
}

// With nodes enough to push to, edges that are parallel, loops, and ends that are dead.
TestGraph pushed_graph(Numbers* random) {
  TestGraph graph;
  for (int64_t t = random->below(3); t >= 0; --t) {
    graph.nodes.emplace_back(formatted("n{}", t), random->one_of<int64_t>({5, 60, 400, 400}));
  }
  graph.wide = random->coin();
  graph.store_ids = random->coin();
  for (int64_t e = 1 + random->below(4); e >= 0; --e) {
    add_edges(random, &graph, random->one_of<int64_t>({0, 100, 1000, 3000}));
    TestEdges& edges = graph.edges.back();
    for (int64_t i = 0; i < 3 && !edges.source.empty(); ++i) {
      edges.source.push_back(0);
      edges.target.push_back(0);
    }
  }
  return graph;
}

PprOptions random_ppr(Numbers* random, const TestGraph& graph) {
  PprOptions ppr;
  ppr.neighbors = random->one_of<size_t>({1, 5, 50, 100000});
  ppr.alpha = random->one_of({0.5, 0.2, 0.05, 0.2, 0.5, 1.0});
  ppr.epsilon = random->one_of({1.0, 1e-2, 1e-3, 1e-4});
  ppr.top_up = random->coin();
  ppr.max_edges = random->one_of<uint64_t>({uint64_t{1} << 24, 30000, 8000, 1000, 1});
  ppr.max_edges = std::min<uint64_t>(ppr.max_edges, kSanitized ? 500 : ppr.max_edges);
  ppr.row_limit = random->one_of<int64_t>({0, 0, 1, 5, 40, 100});
  const size_t types = graph.edges.size();
  switch (random->below(3)) {
    case 0:
      ppr.edge_types = some_types(random, types);
      break;
    case 1:
      for (size_t c = 1 + random->index(4); c > 0; --c) {
        ppr.channels.push_back({some_types(random, types), 1 + 0.3 * static_cast<double>(c)});
      }
      break;
    default:
      break;
  }
  double total = 0;
  for (const PprChannel& channel : ppr.channels) {
    total += channel.share;
  }
  for (PprChannel& channel : ppr.channels) {
    channel.share /= total;
  }
  return ppr;
}

SampleRequest seeds_of_type(Asked* asked, size_t type, std::vector<int64_t> ids) {
  asked->request.seeds = {{type, asked->keep(std::move(ids))}};
  return asked->request;
}

TestGraph ring_of(int64_t nodes) {
  TestGraph graph;
  graph.nodes = {{"n", nodes}};
  TestEdges edges{"n__to__n", {}, {}, {}, {}};
  for (int64_t v = 0; v < nodes; ++v) {
    edges.source.push_back(v);
    edges.target.push_back((v + 1) % nodes);
  }
  graph.edges = {edges};
  return graph;
}

TEST_F(DeviceSampling, PersonalisedPageRank) {
  int64_t nodes = 0;
  int64_t split = 0;
  int64_t cut = 0;
  int64_t channels = 0;
  constexpr int kFew = kSanitized ? 11 : 1;
  for (uint64_t number = 0; number < 150; number += kFew) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = pushed_graph(&random);
    SamplerOptions options;
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.int32 = random.coin();
    options.ppr = random_ppr(&random, graph);
    if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 2; ++batch) {
      Asked asked;
      if (!random.one_in(12)) {
        const size_t type = random.index(graph.nodes.size());
        const int64_t count = random.one_of<int64_t>({0, 1, 7, kSanitized ? 3 : 12});
        seeds_of_type(&asked, type, random_numbers(&random, count, graph.nodes[type].second));
      }
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      if (random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      both.expect_same(asked.request);
    }
    nodes += both.num_nodes();
    split += both.num_split();
    cut += options.ppr->row_limit > 0 ? 1 : 0;
    channels += options.ppr->channels.empty() ? 0 : 1;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, 4000 / kFew / kFew);
  EXPECT_GT(split, 5 / kFew);
  EXPECT_GT(cut, 50 / kFew);
  EXPECT_GT(channels, 25 / kFew);
}

// Seeds that meet more nodes than tables have room for at first, and more rows than have room.
TEST_F(DeviceSampling, PushesAgainWithMoreRoom) {
  constexpr int64_t kNodes = 2500;
  Numbers random(5);
  TestGraph graph;
  graph.nodes = {{"n", kNodes}, {"o", 1000}};
  for (const char* const name : {"n__to__n", "n__at__o", "o__of__n"}) {
    const bool from = name[0] == 'n';
    const bool to = name[std::string(name).size() - 1] == 'n';
    graph.edges.push_back({name,
                           random_numbers(&random, 6000, from ? kNodes : 1000),
                           random_numbers(&random, 6000, to ? kNodes : 1000),
                           {},
                           {}});
  }
  std::vector<int64_t> seeds = random_numbers(&random, kSanitized ? 3 : 12, kNodes);
  seeds.push_back(seeds[1]);
  for (const size_t channels : {0, 2}) {
    SamplerOptions options;
    PprOptions& ppr = options.ppr.emplace();
    ppr.neighbors = 5000;
    ppr.alpha = 0.1;
    ppr.epsilon = 1e-3;
    if (channels > 0) {
      ppr.channels = {{{0}, 0.5}, {{2, 1, 0}, 0.5}};
    }
    Both both(make_dataset(make_context(1), graph), options, 0);
    Asked asked;
    both.expect_same(seeds_of_type(&asked, 0, seeds));
    EXPECT_GT(both.num_nodes(), kSanitized ? 1000 : kNodes);
  }
}

// Of a hub, and with rows that are cut in several pieces.
TEST_F(DeviceSampling, PushesFromHubs) {
  constexpr int64_t kNodes = 3000;
  TestGraph graph;
  graph.nodes = {{"n", kNodes}};
  TestEdges edges{"n__to__n", {}, {}, {}, {}};
  for (int64_t v = 1; v < kNodes; ++v) {
    for (const int64_t other : {int64_t{0}, v % 7, v / 2}) {
      edges.source.push_back(v);
      edges.target.push_back(other);
      edges.source.push_back(other);
      edges.target.push_back(v);
    }
  }
  graph.edges = {edges};
  for (const int64_t limit : {0, 1, 33, 64, 1000}) {
    for (const bool top_up : {false, true}) {
      if (kSanitized && top_up != (limit == 33)) {
        continue;
      }
      SamplerOptions options;
      PprOptions& ppr = options.ppr.emplace();
      ppr.alpha = 0.2;
      ppr.epsilon = 2e-4;
      ppr.row_limit = limit;
      ppr.top_up = top_up;
      ppr.max_edges = 20000;
      Both both(make_dataset(make_context(1), graph), options, static_cast<uint64_t>(limit));
      Asked asked;
      both.expect_same(seeds_of_type(&asked, 0, {0, 1, 2000}));
      EXPECT_GT(both.num_nodes(), limit == 1 ? 3 : 60);
    }
  }
}

void expect_fault(const std::shared_ptr<const Dataset>& dataset, std::vector<int64_t> seeds) {
  PprOptions ppr;
  ppr.epsilon = 1e-3;
  SamplerOptions options;
  options.ppr = ppr;
  Both both(dataset, options);
  Asked asked;
  both.expect_same(seeds_of_type(&asked, 0, std::move(seeds)));
  EXPECT_EQ(both.failures(), 1);
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInPersonalisedPageRank) {
  // Rows of the seed, of who is met, and neighbours.
  const auto rows = damaged({0, 1, 3, 2, 3}, {1, 2, 3});
  expect_fault(rows, {2});
  expect_fault(rows, {3, 0});
  expect_fault(damaged({0, 1, 2, 3, 3}, {1, 2, 7}), {3, 2, 0});
  // Several at once: neighbours of 32 edges are looked at before rows are.
  const int64_t length = 40;
  for (const auto& [bad_row, bad_index] : {std::pair<int64_t, int64_t>{3, 20}, {3, 35}, {36, 38}}) {
    std::vector<int64_t> indptr(static_cast<size_t>(length) + 2, length);
    indptr[0] = 0;
    std::vector<int32_t> indices(static_cast<size_t>(length));
    std::iota(indices.begin(), indices.end(), 1);
    indptr[static_cast<size_t>(bad_row) + 1] = 5;
    indptr[12] = 6;  // another one
    indices[static_cast<size_t>(bad_index)] = 1000;
    indices[static_cast<size_t>(bad_index) + 1] = -1;
    expect_fault(damaged(indptr, indices), {0});
  }
  // Of the first seed that meets one, whoever meets theirs sooner.
  std::vector<int64_t> indptr(101);
  std::iota(indptr.begin(), indptr.end(), 0);
  std::vector<int32_t> indices(100);
  std::iota(indices.begin(), indices.end(), 1);
  indices[50] = 300;
  indices[80] = 200;
  indices[99] = -5;
  expect_fault(damaged(indptr, indices), {1, 46, 80, 99});
  expect_fault(damaged(indptr, indices), {80, 46});
  const std::vector<int64_t> outside = {100};
  expect_fault(damaged(indptr, indices), outside);
}

TEST_F(DeviceSampling, PushesAsFarAsThereIsMemory) {
  const auto dataset = make_dataset(make_context(1), ring_of(3000));
  SamplerOptions options;
  PprOptions& ppr = options.ppr.emplace();
  ppr.neighbors = 3000;
  ppr.alpha = 0.001;
  ppr.epsilon = 1e-3;
  ppr.max_edges = 3000;
  const auto sampler = Sampler::create(dataset, options).take();
  EXPECT_EQ(DeviceSampler::beyond(*sampler), "");
  const auto device = device_of_tests();
  const DeviceStream stream = device->stream().take();
  Asked asked;
  const SampleRequest request = seeds_of_type(&asked, 0, {5});
  for (const bool enough : {false, true}) {
    if (!enough && on_gpu()) {
      continue;  // a GPU has more
    }
    const MemoryLimit limit(enough ? "4000000" : "400000");
    const auto made = DeviceSampler::create(sampler, device).take();
    auto batch = made->sample(request, stream);
    EXPECT_EQ(batch.ok(), enough);
    if (!batch.ok()) {
      EXPECT_EQ(batch.status().code(), GLS_ERR_OUT_OF_MEMORY);
    }
  }
  options.subgraph = Subgraph::kInduced;
  EXPECT_NE(DeviceSampler::beyond(*Sampler::create(dataset, options).take()), "");
}

}  // namespace
}  // namespace gls::test
