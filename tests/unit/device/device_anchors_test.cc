// Anchors, whose labels the processor draws, sampled on a device: as a processor samples them.
#include <gtest/gtest.h>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

// Of edge types that begin where the first does, or of labels that come with the anchors.
void add_supervisions(Numbers* random, const TestGraph& graph, const Dataset& dataset,
                      SamplerOptions* options) {
  const size_t anchors = dataset.edge_types()[0].source;
  for (size_t t = 0; t < graph.edges.size(); ++t) {
    const EdgeType& type = dataset.edge_types()[t];
    if (type.source != anchors || (t > 0 && random->coin())) {
      continue;
    }
    Supervision one;
    one.name = type.joined;
    one.edge_type = t;
    one.node_type = type.target;
    one.negative = random->one_in(3);
    one.max_labels = random->one_of<int64_t>({0, 1, 1, 3, 3, 10});
    one.sampled = random->coin();
    if (!one.sampled) {
      options->fanouts[t].assign(options->num_hops, 0);
    }
    options->supervisions.push_back(std::move(one));
  }
  if (random->coin()) {
    Supervision given;
    given.name = "given";
    given.node_type = random->index(graph.nodes.size());
    options->supervisions.push_back(std::move(given));
  }
}

TEST_F(DeviceSampling, SamplesForAnchors) {
  int64_t edges = 0;
  int64_t labels = 0;
  for (uint64_t number = 0; number < 45; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    add_reverses(&random, &graph);
    SamplerOptions options = random_options(&random, graph, number);
    if (random.coin()) {
      add_weights(&random, &graph, &options);
    }
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    add_supervisions(&random, graph, *dataset, &options);
    const bool leaves_out =
        std::any_of(options.supervisions.begin(), options.supervisions.end(),
                    [](const Supervision& one) { return one.edge_type && one.sampled; });
    if (random.coin()) {
      options.exclude_mode = ExcludeMode::kReverseTypes;
      options.reverse_types = {{graph.edges.size() - 2, graph.edges.size() - 1}};
    }
    const bool timed = random.one_in(3);
    if (timed) {
      options.node_time = "time";
      options.disjoint = true;
    }
    options.subgraph = random.one_of({Subgraph::kSampled, Subgraph::kSampled, Subgraph::kInduced});
    if (random.one_in(3)) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    const size_t type = dataset->edge_types()[0].source;
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      const int64_t count = random.below(8);
      SeedSet anchors = {
          type, asked.keep(random_numbers(&random, count, graph.nodes[type].second)), {}};
      if (timed) {
        anchors.times = asked.keep(random_numbers(&random, count, kTimes));
      }
      asked.request.seeds = {anchors};
      if (!options.supervisions.back().edge_type.has_value()) {
        const int64_t nodes = graph.nodes[options.supervisions.back().node_type].second;
        asked.request.labels.resize(options.supervisions.size());
        std::vector<int64_t> given = random_numbers(&random, 2 * count, nodes + 1);
        for (int64_t& id : given) {
          --id;  // -1: none
        }
        asked.request.labels.back() = ids_of(std::move(given), {count, 2});
      }
      if (random.one_in(3) && (leaves_out || options.weight.empty())) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      both.expect_same(asked.request);
      labels += count * static_cast<int64_t>(options.supervisions.size());
    }
    edges += both.num_edges();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 5000 / kEvery);
  EXPECT_GT(labels, 300 / kEvery);
}

TEST_F(DeviceSampling, SaysWhatIsWrongWithAnchors) {
  TestGraph graph;
  graph.nodes = {{"n", 5}};
  graph.edges = {{"n__e__n", {0, 1, 2}, {1, 2, 3}, {}, {}}};
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  Supervision given;
  given.name = "given";
  options.supervisions = {given};
  Both both(make_dataset(make_context(1), graph), options);
  const std::vector<int64_t> ids = {1, 5};
  SampleRequest request;
  request.seeds = {{0, IdSpan(ids.data(), true, 2)}};
  both.expect_same(request);  // without labels
  request.labels = {ids_of({1, 2}, {2, 1})};
  both.expect_same(request);  // of a node that is none
  request.seeds = {{0, IdSpan(ids.data(), true, 1)}};
  request.labels = {ids_of({7}, {1, 1})};
  both.expect_same(request);
  EXPECT_EQ(both.failures(), 3);
}

}  // namespace
}  // namespace gls::test
