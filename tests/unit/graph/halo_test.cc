// A part of a graph with halos here, and others elsewhere: the batches of the whole, and who is
// asked for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "batch_equal.h"
#include "cluster/part/local_part.h"
#include "cluster/part/partitioned_dataset.h"
#include "cluster/part/partitioned_source.h"
#include "graph/dataset/topology_query.h"
#include "graph/partition/halo_rows.h"
#include "hop_client.h"
#include "ingest/partition/merge_parts.h"
#include "part_graph.h"
#include "query/graph_query.h"

namespace gls::test {
namespace {

constexpr size_t kParts = 3;
using Asked = std::array<int64_t, 3>;  // nodes, by hop

// As if a server had it: counts what it is asked.
class CountedPart final : public Part {
 public:
  CountedPart(std::shared_ptr<const LocalPart> part, Asked* asked, int64_t* about_edges)
      : part_(std::move(part)), asked_(asked), about_edges_(about_edges) {}
  Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const override {
    GLS_ASSIGN(auto sampler, part_->open_sampler(options));
    return std::shared_ptr<const PartSampler>(
        std::make_shared<CountedSampler>(std::move(sampler), asked_));
  }
  Deferred<Tensor> ask_rows(const RowQuestion& question) const override {
    return part_->ask_rows(question);
  }
  Deferred<Done> ask_rows_to(const RowQuestion& question, const RowTarget& target) const override {
    return part_->ask_rows_to(question, target);
  }
  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override {
    *about_edges_ += question.ids.size();
    return part_->ask_edges(question);
  }
  bool is_local() const override { return false; }

 private:
  struct CountedSampler final : PartSampler {
    CountedSampler(std::shared_ptr<const PartSampler> given, Asked* counts)
        : sampler(std::move(given)), asked(counts) {}
    Deferred<HopPicks> ask(const HopQuestion& question) const override {
      (*asked)[question.hop] += question.nodes.size();
      return sampler->ask(question);
    }
    const std::shared_ptr<const PartSampler> sampler;
    Asked* const asked;
  };
  const std::shared_ptr<const LocalPart> part_;
  Asked* const asked_;
  int64_t* const about_edges_;
};

std::shared_ptr<const Dataset> one_layout(const std::shared_ptr<Context>& context, Layout layout) {
  const auto both = whole_with_features(context);
  std::vector<EdgeType> edges = both->edge_types();
  for (EdgeType& type : edges) {
    (layout == Layout::kCsc ? type.csr : type.csc).reset();
  }
  return Dataset::create(context, both->node_types(), std::move(edges)).take();
}

// The first parts are here.
struct Cluster {
  Cluster(std::shared_ptr<const Dataset> dataset, uint32_t halo_hops, size_t local_parts = 1)
      : whole(std::move(dataset)) {
    const std::shared_ptr<Context> context = context_of();
    PartsOptions cut;
    cut.parts = kParts;
    cut.halo_hops = halo_hops;
    cut.hot_rows = 7;
    EXPECT_OK(write_parts(*whole, owners_of(*whole, kParts), folder.file("p"), cut));
    EXPECT_OK(verify_parts(context, folder.file("p"), {}));
    partition = open_partition(folder.file("p")).take();
    std::vector<std::shared_ptr<const Part>> parts;
    for (size_t p = 0; p < kParts; ++p) {
      auto part =
          LocalPart::create(open_dataset(context, part_path(folder.file("p"), p), {}).take())
              .take();
      if (p < local_parts) {
        here = here == nullptr ? part : here;
        parts.push_back(std::move(part));
      } else {
        parts.push_back(std::make_shared<CountedPart>(std::move(part), &asked, &about_edges));
      }
    }
    std::vector<ArrayFile> files = mapped_files(*partition, parts);
    opened =
        whole_dataset(
            context, *partition, [&](const format::ArrayT& array) { return partition->map(array); },
            std::make_shared<PartitionedSource>(context->buffers(), partition, std::move(parts)),
            std::move(files))
            .take();
  }
  const TempFolder folder;
  std::shared_ptr<const Dataset> whole;
  std::shared_ptr<const Partition> partition;
  std::shared_ptr<const LocalPart> here;
  std::shared_ptr<const Dataset> opened;
  Asked asked{};
  int64_t about_edges = 0;
};

// Those of part 0 that have an edge of every type that begins at users in this layout.
std::vector<int64_t> seeds_of_part(const Dataset& whole, Layout layout, size_t count) {
  std::vector<int64_t> out;
  for (int64_t id = 0; id < kUsers && out.size() < count; ++id) {
    bool all = owner_of(0, id, kParts) == 0;
    for (const EdgeType& type : whole.edge_types()) {
      if ((layout == Layout::kCsc ? type.target : type.source) == 0) {
        const Topology& topology = *type.topology(layout);
        all = all && topology.indptr[id] < topology.indptr[id + 1];
      }
    }
    if (all) {
      out.push_back(id);
    }
  }
  return out;
}

// Every fifth edge of a type, by its ends.
EdgeSet some_pairs(const Dataset& whole, size_t edge_type) {
  std::vector<int64_t> ids;
  for (int64_t id = 0; id < whole.edge_types()[edge_type].count; id += 5) {
    ids.push_back(id);
  }
  std::vector<int64_t> ends;
  std::vector<int64_t> targets;
  EXPECT_OK(edge_ends(whole, edge_type, span_of(ids), "ids", &ends, &targets));
  ends.insert(ends.end(), targets.begin(), targets.end());
  const auto count = static_cast<int64_t>(ids.size());
  return {edge_type, tensor(std::move(ends), kInt64, {2, count})};
}

class Halos : public testing::TestWithParam<HopCase> {};

TEST_P(Halos, AnswerForNodesOfOthers) {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 1, 2}, {7, 3, 3}};
  options.edge_ids = true;
  GetParam().set(&options);
  const Layout layout = options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  const auto whole = one_layout(context_of(), layout);
  options.exclude = {some_pairs(*whole, 1), {2, ids64({0, 7, 4000, 4001})}};
  const std::vector<int64_t> seeds = seeds_of_part(*whole, layout, 20);
  std::vector<int64_t> times(seeds.size());
  for (size_t i = 0; i < times.size(); ++i) {
    times[i] = 300 + 30 * static_cast<int64_t>(i);
  }
  SampleRequest request;
  request.epoch = 1;
  request.batch = 3;
  auto expected = Sampler::create(whole, options);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  request.seeds = {
      {0, span_of(seeds), (*expected)->options().temporal() ? span_of(times) : IdSpan()}};
  request.exclude.push_back({0, ids64({1, 2, 3, 500, 501, 19999})});
  auto batch = (*expected)->sample(request);
  ASSERT_TRUE(batch.ok()) << batch.status().message();

  Asked without{};
  for (const uint32_t halo_hops : {0U, 1U, 2U}) {
    SCOPED_TRACE(formatted("{} hops", halo_hops));
    Cluster cluster(whole, halo_hops);
    auto sampler = Sampler::create(cluster.opened, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    auto found = (*sampler)->sample(request);
    ASSERT_TRUE(found.ok()) << found.status().message();
    expect_same(**batch, **found);
    EXPECT_EQ(cluster.asked[0], 0);  // seeds are the part's own
    if (halo_hops == 0) {
      without = cluster.asked;
      EXPECT_GT(without[1], 20);
      EXPECT_EQ(without[2] > 20, options.fanouts[0][2] != 0);
      continue;
    }
    // Others are asked for what has no edges, of which there are a few.
    for (size_t hop = 1; hop < 3; ++hop) {
      if (hop <= halo_hops) {
        EXPECT_LE(cluster.asked[hop], without[hop] / 20) << hop;
      } else {
        EXPECT_EQ(cluster.asked[hop] > 0, without[hop] > 0) << hop;
      }
    }
  }
}

// One by layers, which read most of the graph.
std::vector<HopCase> some_cases() {
  std::vector<HopCase> all = hop_cases();
  std::vector<HopCase> out;
  for (HopCase& given : all) {
    if (!given.name.starts_with("layer_")) {
      out.push_back(std::move(given));
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Options, Halos, testing::ValuesIn(some_cases()),
                         [](const auto& given) { return given.param.name; });

// Whom a batch of part 0's seeds asks where so many parts, with halos of one hop, are here. It is
// that of the whole.
Asked asked_with_halos(const std::shared_ptr<const Dataset>& whole, size_t local_parts) {
  const std::vector<int64_t> seeds = seeds_of_part(*whole, Layout::kCsc, 20);
  SamplerOptions options;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 1, 2}, {7, 3, 3}};
  SampleRequest request;
  request.seeds = {{0, span_of(seeds)}};
  const Cluster cluster(whole, 1, local_parts);
  const auto expected = Sampler::create(whole, options).take()->sample(request);
  const auto found = Sampler::create(cluster.opened, options).take()->sample(request);
  EXPECT_TRUE(expected.ok() && found.ok());
  expect_same(**expected, **found);
  return cluster.asked;
}

// Two of three parts are here: each is asked for what it owns, and the first that has the whole row
// of what the third owns for that.
TEST(HaloRows, OfSeveralPartsThatAreHere) {
  const auto whole = one_layout(context_of(), Layout::kCsc);
  EXPECT_LT(asked_with_halos(whole, 2)[2], asked_with_halos(whole, 1)[2] / 2);
}

// A part answers for its halo only where it is open: a server's clients ask owners. What it says
// beforehand of the length of an answer is of the halo's rows, too.
TEST(HaloRows, AreForWhoHasThePart) {
  const auto whole = one_layout(context_of(), Layout::kCsc);
  const Cluster cluster(whole, 1);
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{-1}, {-1}, {-1}};
  const auto sampler = cluster.here->open_sampler(options).take();
  const int64_t hub = 11;  // a user with thousands of in-edges, whom users of every part know
  ASSERT_NE(owner_of(0, hub, kParts), 0U);
  const std::vector<int64_t> nodes = {hub, hub};
  HopQuestion question;
  question.nodes = span_of(nodes);
  EXPECT_FALSE(sampler->ask(question)().ok());
  EXPECT_OK(sampler->check_size(question, 1000));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(cluster.here->halo(0, Layout::kCsc)(hub)); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const auto picks = sampler->ask(question)();
  ASSERT_TRUE(picks.ok());
  EXPECT_GT((*picks).neighbors.rows(), 4000);
  EXPECT_FALSE(sampler->check_size(question, 1000).ok());
  EXPECT_OK(sampler->check_size(question, 1000000));
}

// Ids of a damaged part that are no nodes are left out.
TEST(HaloRows, OfADamagedPart) {
  const auto ids = ids64({0, 5, 7, -3, 9, 4});  // 0 is owned
  auto topology = Topology::make(ids64({0, 1, 2, 2, 3, 4, 5}), ids64({0, 0, 0, 0, 0}), Tensor(), 6,
                                 5, 6, "test");
  const auto index = RankBitset(9).tensor();
  auto whole = GlobalIds::make(ids, index, 6, 1, 9);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  const HaloRows halo(*topology, *whole);
  const std::vector<int64_t> expected = {-1, -1, -1, -1, 5, 1, -1, -1, -1};
  for (size_t id = 0; id < expected.size(); ++id) {
    EXPECT_EQ(halo.row_of(static_cast<int64_t>(id)), expected[id]) << id;
  }
}

// Rows that are there for the sake of the other layout are not whole: owners are asked.
TEST(HaloRows, AreNotKnownWhereBothLayoutsAre) {
  EXPECT_GT(asked_with_halos(whole_graph(context_of()), 1)[1], 20);
}

TEST(HaloRows, AreThoseThatHaveEdges) {
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    const auto whole = one_layout(context_of(), layout);
    const Cluster cluster(whole, 1);
    for (size_t t = 0; t < whole->edge_types().size(); ++t) {
      const Dataset& part = cluster.here->dataset();
      const EdgeType& type = part.edge_types()[t];
      const size_t anchors = layout == Layout::kCsc ? type.target : type.source;
      const GlobalIds& ids = *part.node_types()[anchors].whole;
      const Topology& topology = *type.topology(layout);
      std::vector<int64_t> expected(static_cast<size_t>(ids.whole_count()), -1);
      int64_t rows = 0;
      for (int64_t row = ids.owned(); row < topology.num_rows; ++row) {
        if (topology.indptr[row] < topology.indptr[row + 1]) {
          expected[static_cast<size_t>(ids.whole_of(row))] = row;
          ++rows;
        }
      }
      EXPECT_GT(rows, 100);
      // Hot ones, and all others, each ascending.
      const auto* const known = ids.ids().as<int64_t>();
      EXPECT_FALSE(std::is_sorted(known + ids.owned(), known + ids.ids().rows()));
      const HaloRows* const halo = cluster.here->find_halo(t, layout);
      ASSERT_NE(halo, nullptr);
      for (int64_t id = 0; id < ids.whole_count(); ++id) {
        ASSERT_EQ(halo->row_of(id), expected[static_cast<size_t>(id)]) << id;
        ASSERT_EQ(halo->has(id), expected[static_cast<size_t>(id)] >= 0) << id;
      }
      EXPECT_EQ(cluster.here->find_halo(t, layout == Layout::kCsc ? Layout::kCsr : Layout::kCsc),
                nullptr);
    }
    EXPECT_EQ(cluster.here->find_halo(99, layout), nullptr);
  }
}

// Degrees, and whether there are edges, are asked of halos, too.
TEST(HaloRows, AnswerQuestionsAboutEdges) {
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    const auto whole = one_layout(context_of(), layout);
    int64_t without[2] = {};
    for (const uint32_t halo_hops : {0U, 2U}) {
      Cluster cluster(whole, halo_hops);
      for (size_t t = 0; t < whole->edge_types().size(); ++t) {
        const EdgeType& type = whole->edge_types()[t];
        const int64_t sources = whole->node_types()[type.source].count;
        const int64_t targets = whole->node_types()[type.target].count;
        std::vector<int64_t> source;
        std::vector<int64_t> target;
        for (int64_t i = 0; i < 4000; ++i) {
          source.push_back(i * 7 % sources);
          target.push_back(i % 5 == 0 && targets > 11 ? 11 : i * 13 % targets);
        }
        EdgeQuestion question;
        question.edge_type = t;
        question.layout = layout;
        question.ids = span_of(layout == Layout::kCsc ? target : source);
        const auto answer = [&](const EdgeQuestion& of) {
          auto found = cluster.opened->source()->ask_edges(of)();
          EXPECT_TRUE(found.ok()) << found.status().message();
          return values_of(*found);
        };
        const Topology& topology = *type.topology(layout);
        const std::vector<int64_t> found = answer(question);
        for (int64_t i = 0; i < question.ids.size(); ++i) {
          const int64_t row = question.ids[i];
          ASSERT_EQ(found[static_cast<size_t>(i)], topology.indptr[row + 1] - topology.indptr[row]);
        }
        question.what = EdgeQuestion::What::kPairs;
        question.ids = span_of(source);
        question.others = span_of(target);
        const std::vector<int64_t> pairs = answer(question);
        auto expected = find_edges_between(*whole, t, span_of(source), span_of(target));
        ASSERT_TRUE(expected.ok()) << expected.status().message();
        for (size_t i = 0; i < pairs.size(); ++i) {
          ASSERT_EQ(pairs[i], (*expected)[i]) << i;
        }
      }
      if (halo_hops == 0) {
        without[0] = cluster.about_edges;
      } else {
        without[1] = cluster.about_edges;
      }
    }
    EXPECT_LT(without[1], without[0] / 4);
  }
}

}  // namespace
}  // namespace gls::test
