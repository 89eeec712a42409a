// Loaders of seeds of several types: which seeds make a batch, and that its arrays are those of a
// sampler's for the same lists.
#include "loader/seeds/seed_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/permutation.h"
#include "base/philox.h"
#include "batch_equal.h"
#include "loader/batch_layout.h"
#include "loader/pipeline/loader.h"
#include "random_numbers.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr uint64_t kSeed = 77;

std::shared_ptr<const Dataset> shop() {
  Numbers random(5);
  TestGraph graph;
  graph.nodes = {{"user", 40}, {"item", 60}, {"place", 10}};
  const std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> types = {
      {"user__likes__item", {40, 60}},
      {"item__of__user", {60, 40}},
      {"user__at__place", {40, 10}},
      {"user__knows__user", {40, 40}}};
  for (const auto& [name, sizes] : types) {
    TestEdges& edges = graph.edges.emplace_back();
    edges.name = name;
    for (int i = 0; i < 300; ++i) {
      edges.source.push_back(random.below(sizes.first));
      edges.target.push_back(random.below(sizes.second));
    }
  }
  for (const auto& [name, count] : graph.nodes) {
    for (int64_t v = 0; v < count; ++v) {
      graph.node_times[name].push_back(random.below(100));
    }
  }
  return make_dataset(make_context(3), graph);
}

SamplerOptions two_hops(const Dataset& dataset) {
  SamplerOptions options;
  options.seed = kSeed;
  options.num_hops = 2;
  options.fanouts.assign(dataset.edge_types().size(), {3, 2});
  options.edge_ids = true;
  return options;
}

Tensor ids_tensor(std::vector<int64_t> ids) { return tensor_of(std::move(ids), kInt64); }

struct Set {
  size_t type;
  std::vector<int64_t> ids;
  std::vector<int64_t> times{};
};

std::shared_ptr<Loader> loader_of(const std::shared_ptr<const Sampler>& sampler,
                                  const std::vector<Set>& sets, LoaderOptions options,
                                  bool links = false) {
  for (const Set& set : sets) {
    SeedList::Given& given = options.seed_sets.emplace_back();
    given.links = links;
    given.type = set.type;
    given.ids = ids_tensor(set.ids);
    if (!set.times.empty()) {
      given.times = ids_tensor(set.times);
    }
  }
  auto made = Loader::create(sampler, Tensor(), std::move(options));
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.take();
}

std::vector<std::shared_ptr<Batch>> all_batches(Loader& loader) {
  std::vector<std::shared_ptr<Batch>> out;
  for (;;) {
    std::shared_ptr<Batch> batch;
    auto next = loader.next(-1, &batch);
    EXPECT_TRUE(next.ok()) << next.status().message();
    if (!next.ok() || *next != BatchSource::Next::kBatch) {
      return out;
    }
    out.push_back(std::move(batch));
  }
}

// Written anew from the contract: by type, the positions of a batch in the list of that type.
std::map<size_t, std::vector<int64_t>> positions_of(std::vector<Set> sets, bool shuffle,
                                                    uint64_t epoch, uint64_t batch, uint64_t size) {
  std::sort(sets.begin(), sets.end(), [](const Set& a, const Set& b) { return a.type < b.type; });
  uint64_t n = 0;
  std::map<size_t, std::vector<int64_t>> out;
  for (const Set& set : sets) {
    n += set.ids.size();
    out[set.type];
  }
  const KeyedPermutation order(n, order_key(kSeed, epoch));
  for (uint64_t i = batch * size; i < std::min((batch + 1) * size, n); ++i) {
    uint64_t position = shuffle ? order(i) : i;
    for (const Set& set : sets) {
      if (position < set.ids.size()) {
        out[set.type].push_back(static_cast<int64_t>(position));
        break;
      }
      position -= set.ids.size();
    }
  }
  return out;
}

const std::vector<Set>& of_nodes() {
  static const std::vector<Set> sets = {
      {2, {3, 9}, {50, 51}},
      {0, {5, 1, 39, 5, 20, 7, 8}, {10, 20, 30, 40, 50, 60, 70}},
      {1, {59, 0, 2, 33, 4, 5, 6, 7, 8, 9, 10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99}},
  };
  return sets;
}

std::vector<Set> without_times(std::vector<Set> sets) {
  for (Set& set : sets) {
    set.times.clear();
  }
  return sets;
}

TEST(SeedSets, BatchesAreThoseOfTheContract) {
  const auto dataset = shop();
  for (const bool timed : {false, true}) {
    SamplerOptions options = two_hops(*dataset);
    options.node_time = timed ? "time" : "";
    const auto sampler = Sampler::create(dataset, options).take();
    const std::vector<Set> sets = timed ? of_nodes() : without_times(of_nodes());
    for (const bool shuffle : {false, true}) {
      for (const uint64_t size : {1u, 3u, 20u, 64u}) {
        SCOPED_TRACE(formatted("{} {} {}", timed, shuffle, size));
        LoaderOptions loading;
        loading.plan.batch_size = size;
        loading.plan.shuffle = shuffle;
        const auto loader = loader_of(sampler, sets, loading);
        EXPECT_EQ(loader->counts().seeds, 20u);
        for (const uint64_t epoch : {0u, 3u}) {
          loader->seek(epoch);
          const auto batches = all_batches(*loader);
          ASSERT_EQ(batches.size(), (20 + size - 1) / size);
          for (uint64_t b = 0; b < batches.size(); ++b) {
            const Batch& batch = *batches[b];
            const auto expected = positions_of(sets, shuffle, epoch, b, size);
            // The same lists, given to the sampler.
            SampleRequest request;
            request.epoch = epoch;
            request.batch = b;
            std::map<size_t, std::pair<std::vector<int64_t>, std::vector<int64_t>>> lists;
            ASSERT_EQ(batch.inputs.size(), expected.size());
            auto input = batch.inputs.begin();
            for (const auto& [type, positions] : expected) {
              EXPECT_EQ(input->type, type);
              EXPECT_EQ(values_of((input++)->positions), positions);
              const Set& set = *std::find_if(sets.begin(), sets.end(),
                                             [t = type](const Set& s) { return s.type == t; });
              auto& [ids, times] = lists[type];
              for (const int64_t position : positions) {
                ids.push_back(set.ids[static_cast<size_t>(position)]);
                if (timed) {
                  times.push_back(set.times[static_cast<size_t>(position)]);
                }
              }
              request.seeds.push_back({type, span_of(ids), timed ? span_of(times) : IdSpan()});
            }
            auto wanted = sampler->sample(request).take();
            wanted->inputs = batch.inputs;
            wanted->columns = batch.columns;
            expect_same(batch, *wanted);
            // out[seed] and y[input] go together.
            for (const auto& [type, list] : lists) {
              const std::vector<int64_t> seed = values_of(batch.nodes[type].seed);
              ASSERT_EQ(seed.size(), list.first.size());
              for (size_t i = 0; i < seed.size(); ++i) {
                EXPECT_EQ(values_of(batch.nodes[type].node)[static_cast<size_t>(seed[i])],
                          list.first[i]);
              }
            }
            expect_same(batch, *loader->sample(epoch, b).take());
          }
        }
      }
    }
  }
}

TEST(SeedSets, TheOrderInWhichSetsAreGivenDoesNotMatter) {
  const auto dataset = shop();
  const auto sampler = Sampler::create(dataset, two_hops(*dataset)).take();
  LoaderOptions loading;
  loading.plan.batch_size = 4;
  loading.plan.shuffle = true;
  std::vector<Set> sets = without_times(of_nodes());
  const auto one = loader_of(sampler, sets, loading);
  std::reverse(sets.begin(), sets.end());
  const auto other = loader_of(sampler, sets, loading);
  EXPECT_EQ(one->save(), other->save());
  for (uint64_t b = 0; b < 5; ++b) {
    expect_same(*one->sample(1, b).take(), *other->sample(1, b).take());
  }
}

TEST(SeedSets, TrainersShareAnEpochAndResume) {
  const auto dataset = shop();
  const auto sampler = Sampler::create(dataset, two_hops(*dataset)).take();
  LoaderOptions loading;
  loading.plan.batch_size = 3;
  loading.plan.shuffle = true;
  const std::vector<Set> sets = without_times(of_nodes());
  const auto whole = all_batches(*loader_of(sampler, sets, loading));
  ASSERT_EQ(whole.size(), 7u);
  for (const uint64_t world : {2u, 3u}) {
    std::vector<std::shared_ptr<Batch>> found(7);
    for (uint64_t rank = 0; rank < world; ++rank) {
      LoaderOptions of_trainer = loading;
      of_trainer.plan.rank = rank;
      of_trainer.plan.world_size = world;
      for (auto& batch : all_batches(*loader_of(sampler, sets, of_trainer))) {
        found[batch->number] = batch;
      }
    }
    for (size_t b = 0; b < found.size(); ++b) {
      ASSERT_NE(found[b], nullptr);
      expect_same(*found[b], *whole[b]);
    }
  }
  LoaderOptions dropping = loading;
  dropping.plan.drop_last = true;
  EXPECT_EQ(all_batches(*loader_of(sampler, sets, dropping)).size(), 6u);
  const auto first = loader_of(sampler, sets, loading);
  std::shared_ptr<Batch> batch;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(first->next(-1, &batch).ok());
  }
  const auto second = loader_of(sampler, sets, loading);
  ASSERT_TRUE(second->restore(first->save()).ok());
  const auto rest = all_batches(*second);
  ASSERT_EQ(rest.size(), 4u);
  for (size_t i = 0; i < rest.size(); ++i) {
    expect_same(*rest[i], *whole[i + 3]);
  }
  // Of other seeds it is another loader.
  std::vector<Set> others = sets;
  std::swap(others[1].ids[0], others[1].ids[1]);
  EXPECT_EQ(loader_of(sampler, others, loading)->restore(first->save()).code(),
            GLS_ERR_INVALID_ARGUMENT);
  others = sets;
  others.pop_back();
  EXPECT_EQ(loader_of(sampler, others, loading)->restore(first->save()).code(),
            GLS_ERR_INVALID_ARGUMENT);
}

// What crosses to another process is what was there.
TEST(SeedSets, BatchesAreLaidOut) {
  const auto dataset = shop();
  for (const bool links : {false, true}) {
    const auto sampler = Sampler::create(dataset, two_hops(*dataset)).take();
    LoaderOptions loading;
    loading.plan.batch_size = 9;
    loading.plan.shuffle = true;
    const auto loader = loader_of(
        sampler,
        links ? std::vector<Set>{{3, {1, 2, 3}}, {0, {4, 5, 6, 7, 8}}} : without_times(of_nodes()),
        loading, links);
    const auto batch = loader->sample(0, 0).take();
    const BatchLayout layout = lay_out(*batch).take();
    std::vector<std::byte> block(layout.bytes);
    write_batch(layout, block.data());
    const auto read = read_batch(layout.description, block, nullptr, dataset, true).take();
    read->dataset = dataset;
    EXPECT_EQ(read->inputs.size(), links ? 2u : 3u);
    expect_same(*batch, *read);
  }
}

// ---- links -------------------------------------------------------------------------------------

// A set of links by itself, with the same numbers, has the same negatives; seeds of one node type
// are joined.
TEST(SeedSets, LinksOfSeveralTypes) {
  const auto dataset = shop();
  const std::vector<Set> sets = {{3, {7, 100, 2, 55, 13}, {90, 80, 70, 95, 99}},
                                 {0, {299, 0, 31, 8}, {99, 60, 88, 77}}};
  for (const NegativeMode mode :
       {NegativeMode::kNone, NegativeMode::kBinary, NegativeMode::kTriplet}) {
    for (const bool timed : {false, true}) {
      SCOPED_TRACE(formatted("{} {}", static_cast<int>(mode), timed));
      SamplerOptions options = two_hops(*dataset);
      options.node_time = timed ? "time" : "";
      options.negatives.mode = mode;
      options.negatives.amount = 2;
      options.negatives.in_time = timed && mode != NegativeMode::kNone;
      options.negatives.oldest = options.negatives.in_time;
      options.exclude_links = true;
      const auto sampler = Sampler::create(dataset, options).take();
      LoaderOptions loading;
      loading.plan.batch_size = 6;
      loading.plan.shuffle = true;
      const auto loader = loader_of(sampler, timed ? sets : without_times(sets), loading, true);
      for (uint64_t b = 0; b < 2; ++b) {
        const auto batch = loader->sample(0, b).take();
        const auto expected = positions_of(sets, true, 0, b, 6);
        ASSERT_EQ(batch->links.size(), 2u);
        size_t s = 0;
        for (const auto& [type, positions] : expected) {
          const SampledLinks& links = batch->links[s];
          EXPECT_EQ(links.edge_type, type);
          EXPECT_EQ(values_of(batch->inputs[s++].positions), positions);
          const Set& set = *std::find_if(sets.begin(), sets.end(),
                                         [t = type](const Set& one) { return one.type == t; });
          std::vector<int64_t> ids;
          std::vector<int64_t> times;
          for (const int64_t position : positions) {
            ids.push_back(set.ids[static_cast<size_t>(position)]);
            times.push_back(set.times[static_cast<size_t>(position)]);
          }
          SampleRequest request;
          request.batch = b;
          LinkSet& alone = request.links.emplace_back();
          alone.edge_type = type;
          alone.links = ids_tensor(ids);
          alone.times = timed ? span_of(times) : IdSpan();
          const auto other = sampler->sample(request).take();
          const EdgeType& edges = dataset->edge_types()[type];
          const auto nodes_at = [](const Batch& of, size_t node_type, const Tensor& local) {
            std::vector<int64_t> out;
            const std::vector<int64_t> node = values_of(of.nodes[node_type].node);
            const IdSpan span(local.data(), true, local.span_bytes() / 8);
            for (int64_t i = 0; i < span.size(); ++i) {
              out.push_back(span[i] < 0 ? -1 : node[static_cast<size_t>(span[i])]);
            }
            return out;
          };
          const SampledLinks& of_alone = other->links[0];
          EXPECT_EQ(nodes_at(*batch, edges.source, links.source),
                    nodes_at(*other, edges.source, of_alone.source));
          EXPECT_EQ(nodes_at(*batch, edges.target, links.target),
                    nodes_at(*other, edges.target, of_alone.target));
          ASSERT_EQ(links.negative.defined(), mode == NegativeMode::kTriplet);
          if (mode == NegativeMode::kTriplet) {
            EXPECT_EQ(nodes_at(*batch, edges.target, links.negative),
                      nodes_at(*other, edges.target, of_alone.negative));
          }
          const std::vector<int64_t> excluded(ids.begin(), ids.end());
          for (const int64_t edge : values_of(batch->edges[type].edge)) {
            EXPECT_EQ(std::count(excluded.begin(), excluded.end(), edge), 0);
          }
        }
        // Trees: users are seeds of both types, joined, those of "likes" first.
        if (timed) {
          const std::vector<int64_t> tree = values_of(batch->nodes[0].tree);
          EXPECT_TRUE(std::is_sorted(tree.begin(), tree.begin() + batch->nodes[0].num_seeds()));
        }
      }
    }
  }
}

// ---- what cannot be ----------------------------------------------------------------------------

TEST(SeedSets, WhatTheyDoNotTakeIsRefused) {
  const auto dataset = shop();
  const std::vector<Set> sets = without_times(of_nodes());
  const auto refused = [&](const SamplerOptions& options, LoaderOptions loading, gls_status_t code,
                           const std::string& text, std::vector<Set> given) {
    const auto sampler = Sampler::create(dataset, options).take();
    for (const Set& set : given) {
      SeedList::Given& one = loading.seed_sets.emplace_back();
      one.type = set.type;
      one.ids = ids_tensor(set.ids);
    }
    auto made = Loader::create(sampler, Tensor(), std::move(loading));
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_EQ(made.status().code(), code) << made.status().message();
    EXPECT_NE(made.status().message().find(text), std::string::npos) << made.status().message();
  };
  const SamplerOptions plain = two_hops(*dataset);
  LoaderOptions loading;
  refused(plain, loading, GLS_ERR_INVALID_ARGUMENT, "type \"user\" is given twice",
          {{0, {1}}, {1, {2}}, {0, {3}}});
  refused(plain, loading, GLS_ERR_INVALID_ARGUMENT, "node 60 at index 1 is outside 0 .. 59",
          {{0, {1}}, {1, {2, 60}}});
  loading.pad.emplace();
  refused(plain, loading, GLS_ERR_UNSUPPORTED, "batches are not padded", sets);
  loading = {};
  loading.rule.by = SeedsBy::kDraw;
  refused(plain, loading, GLS_ERR_UNSUPPORTED, "each is taken once", sets);
  loading = {};
  loading.made_by_servers = true;
  refused(plain, loading, GLS_ERR_UNSUPPORTED, "servers make no batches", sets);
  SamplerOptions walking;
  walking.walk.emplace();
  walking.walk->path = {3};
  refused(walking, {}, GLS_ERR_INVALID_ARGUMENT, "walks begin at nodes of one type", sets);
  SamplerOptions ranking;
  ranking.ppr.emplace();
  ranking.num_hops = 0;
  refused(ranking, {}, GLS_ERR_INVALID_ARGUMENT, "personalised PageRank begin at nodes", sets);
  LoaderOptions mixed;
  SeedList::Given& links = mixed.seed_sets.emplace_back();
  links.links = true;
  refused(plain, mixed, GLS_ERR_INVALID_ARGUMENT, "some are nodes and some are links", sets);
}

}  // namespace
}  // namespace gls::test
