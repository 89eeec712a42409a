// Questions about single edges and nodes of a graph in parts have the answers of the whole, and so
// has what is drawn with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "batch_equal.h"
#include "batch_servers.h"
#include "cluster/client/remote_graph.h"
#include "cluster/part/partitioned_dataset.h"
#include "cluster/server/graph_server.h"
#include "graph/folder/verify.h"
#include "hop_client.h"
#include "loader/columns/column_rows.h"
#include "loader/columns/columns.h"
#include "loader/pipeline/loader.h"
#include "loader/saint_norms.h"
#include "part_servers.h"
#include "query/graph_query.h"
#include "query/split.h"
#include "sample/sampler.h"
#include "sanitized.h"

namespace gls::test {
namespace {

// Which layouts the graph has, and where its parts are; "uncut": served as it is.
using Case = std::tuple<std::string, std::string>;

struct Asked {
  Asked(const std::string& layouts, const std::string& where) {
    const auto both = whole_with_features(context);
    std::vector<EdgeType> edges = both->edge_types();
    for (EdgeType& type : edges) {
      std::vector<int64_t> reverses;
      for (int64_t id = 0; id < type.count; ++id) {
        reverses.push_back((id * 7 + 3) % type.count);
      }
      type.columns.push_back({"reverse", GLS_ROLE_FEATURE, ids64(std::move(reverses))});
      if (layouts == "csc") {
        type.csr.reset();
      }
      if (layouts == "csr") {
        type.csc.reset();
      }
    }
    whole = Dataset::create(context, both->node_types(), std::move(edges)).take();
    const std::string way = where == "uncut" ? "self" : where;
    if (where == "uncut") {
      EXPECT_TRUE(save_dataset(*whole, folder.file("parts"), {}).ok());
    } else {
      cut_graph(*whole, 3, folder.file("parts"));
    }
    if (where == "folder") {
      in_parts = open_whole(context, folder.file("parts"), {}).take();
      return;
    }
    GraphServerOptions serving;
    serving.transport = net::options_for(way).transport;
    server = GraphServer::start(context_of(), folder.file("parts"), serving).take();
    RemoteGraphOptions opening;
    opening.transport = serving.transport;
    opening.timeout_ms = 20000;
    in_parts = open_served(context, "gls://" + server->address(), opening).take();
  }
  static std::map<Case, std::unique_ptr<Asked>>& made() {
    static std::map<Case, std::unique_ptr<Asked>> all;
    return all;
  }
  static const Asked& of(const Case& which) {
    std::unique_ptr<Asked>& out = made()[which];
    if (out == nullptr) {
      out = std::make_unique<Asked>(std::get<0>(which), std::get<1>(which));
    }
    return *out;
  }

  const TempFolder folder;
  const std::shared_ptr<Context> context = context_of();
  std::unique_ptr<GraphServer> server;
  std::shared_ptr<const Dataset> whole;
  std::shared_ptr<const Dataset> in_parts;
};

class WholeQueries : public testing::TestWithParam<Case> {
 public:
  // Servers are not to be left to the end of the process.
  static void TearDownTestSuite() { Asked::made().clear(); }

 protected:
  void expect_same_samples(const SamplerOptions& options, const SampleRequest& request) {
    auto expected = Sampler::create(graph_.whole, options);
    auto sampler = Sampler::create(graph_.in_parts, options);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    auto a = (*expected)->sample(request);
    auto b = (*sampler)->sample(request);
    ASSERT_TRUE(a.ok()) << a.status().message();
    ASSERT_TRUE(b.ok()) << b.status().message();
    expect_same(**a, **b);
  }

  const Asked& graph_ = Asked::of(GetParam());
  const Dataset& whole_ = *graph_.whole;
  const Dataset& in_parts_ = *graph_.in_parts;
};

TEST_P(WholeQueries, Degrees) {
  std::vector<int64_t> nodes = {11, 0, 1499, 11, 700, 3};
  for (size_t type = 0; type < 3; ++type) {
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      SCOPED_TRACE(std::to_string(type) + (layout == Layout::kCsc ? " in" : " out"));
      const std::vector<int64_t> all = find_all_degrees(whole_, type, layout).take();
      auto found = find_all_degrees(in_parts_, type, layout);
      ASSERT_TRUE(found.ok()) << found.status().message();
      EXPECT_EQ(*found, all);
      EXPECT_EQ(std::accumulate(all.begin(), all.end(), int64_t{0}), 20000);
      auto some = find_degrees(in_parts_, type, layout, span_of(nodes));
      ASSERT_TRUE(some.ok()) << some.status().message();
      EXPECT_EQ(*some, find_degrees(whole_, type, layout, span_of(nodes)).take());
      EXPECT_TRUE(find_degrees(in_parts_, type, layout, {}).take().empty());
    }
  }
}

TEST_P(WholeQueries, EndsOfEdges) {
  std::vector<int64_t> ids;
  for (int64_t id = 19999; id >= 0; id -= 13) {
    ids.push_back(id);
  }
  ids.push_back(7);
  ids.push_back(7);
  for (size_t type = 0; type < 3; ++type) {
    std::vector<int64_t> sources = {-5}, targets = {-6}, first, second;
    const Status status = find_edge_ends(in_parts_, type, span_of(ids), "ids", &sources, &targets);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(find_edge_ends(whole_, type, span_of(ids), "ids", &first, &second).ok());
    first.insert(first.begin(), -5);  // what is there already stays
    second.insert(second.begin(), -6);
    EXPECT_EQ(sources, first);
    EXPECT_EQ(targets, second);
  }
}

TEST_P(WholeQueries, EdgesBetweenNodes) {
  std::vector<int64_t> ids(300);
  std::iota(ids.begin(), ids.end(), 40);
  for (size_t type = 0; type < 3; ++type) {
    std::vector<int64_t> sources, targets;
    ASSERT_TRUE(find_edge_ends(whole_, type, span_of(ids), "ids", &sources, &targets).ok());
    for (int64_t i = 0; i < 300; ++i) {  // of which few are edges
      sources.push_back(i * 5 % 1500);
      targets.push_back(i * 3 % 1500);
    }
    auto found = find_edges_between(in_parts_, type, span_of(sources), span_of(targets));
    ASSERT_TRUE(found.ok()) << found.status().message();
    const auto expected =
        find_edges_between(whole_, type, span_of(sources), span_of(targets)).take();
    EXPECT_EQ(*found, expected);
    EXPECT_GE(std::accumulate(expected.begin(), expected.end(), 0), 300);
    EXPECT_LT(std::accumulate(expected.begin(), expected.end(), 0), 400);
  }
}

TEST_P(WholeQueries, ErrorsOfTheWhole) {
  const std::vector<int64_t> low = {1, -1};
  const std::vector<int64_t> high = {3, 20000};
  const std::vector<int64_t> good = {1, 2};
  const std::vector<int64_t> one = {1};
  const auto same = [&](const std::function<Status(const Dataset&)>& ask) {
    const Status a = ask(whole_);
    const Status b = ask(in_parts_);
    EXPECT_FALSE(a.ok());
    EXPECT_EQ(a.code(), b.code());
    EXPECT_EQ(a.message(), b.message());
    EXPECT_EQ(a.detail("argument") == nullptr, b.detail("argument") == nullptr);
    if (a.detail("argument") != nullptr && b.detail("argument") != nullptr) {
      EXPECT_EQ(*a.detail("argument"), *b.detail("argument"));
    }
  };
  for (const auto* bad : {&low, &high}) {
    same([&](const Dataset& dataset) {
      std::vector<int64_t> sources, targets;
      return find_edge_ends(dataset, 0, span_of(*bad), "links", &sources, &targets);
    });
    same([&](const Dataset& dataset) {
      return std::move(find_degrees(dataset, 1, Layout::kCsc, span_of(*bad)).status());
    });
    same([&](const Dataset& dataset) {
      return std::move(find_owners(dataset, {false, 1}, span_of(*bad), "ids").status());
    });
    same([&](const Dataset& dataset) {
      const IdSpan ids = span_of(*bad);
      return std::move(find_share(dataset, {false, 1}, &ids, {0, 2, {}}, "ids").status());
    });
    same([&](const Dataset& dataset) {
      const Column& column = dataset.node_types()[1].columns[0];
      return std::move(find_rows(dataset, {true, 1, &column, false, column.dtype()}, span_of(*bad),
                                 "ids", "column")
                           .status());
    });
    same([&](const Dataset& dataset) {
      return std::move(find_edges_between(dataset, 1, span_of(*bad), span_of(good)).status());
    });
    same([&](const Dataset& dataset) {
      return std::move(find_edges_between(dataset, 1, span_of(good), span_of(*bad)).status());
    });
  }
  same([&](const Dataset& dataset) {
    return std::move(find_edges_between(dataset, 1, span_of(good), span_of(one)).status());
  });
}

// Of every column of nodes and edges, also of codes; in any order, some ids more than once.
TEST_P(WholeQueries, RowsOfColumns) {
  const std::vector<int64_t> ids = {11, 0, 1499, 11, 700, 3, 3, 11};
  const auto expect_rows_of_whole = [&](bool of_nodes, size_t type) {
    const auto& columns =
        of_nodes ? whole_.node_types()[type].columns : whole_.edge_types()[type].columns;
    const auto& elsewhere =
        of_nodes ? in_parts_.node_types()[type].columns : in_parts_.edge_types()[type].columns;
    ASSERT_EQ(columns.size(), elsewhere.size());
    for (size_t c = 0; c < columns.size(); ++c) {
      SCOPED_TRACE(columns[c].name + " of " + whole_.type_name({of_nodes, type}));
      const ColumnToGather here = {of_nodes, type, &columns[c], false, columns[c].dtype()};
      const ColumnToGather there = {of_nodes, type, &elsewhere[c], false, elsewhere[c].dtype()};
      const Tensor expected = find_rows(whole_, here, span_of(ids), "ids", "column").take();
      auto found = find_rows(in_parts_, there, span_of(ids), "ids", "column");
      ASSERT_TRUE(found.ok()) << found.status().message();
      EXPECT_EQ(found->shape(), expected.shape());
      EXPECT_EQ(expected.rows(), 8);
      EXPECT_TRUE(same_dtype(found->dtype(), expected.dtype()));
      EXPECT_EQ(std::memcmp(found->data(), expected.data(), expected.span_bytes()), 0);
      auto none = find_rows(in_parts_, there, {}, "ids", "column");
      ASSERT_TRUE(none.ok()) << none.status().message();
      EXPECT_EQ(none->rows(), 0);
    }
  };
  for (size_t type = 0; type < 2; ++type) {
    expect_rows_of_whole(true, type);
  }
  for (size_t type = 0; type < 3; ++type) {
    expect_rows_of_whole(false, type);
  }
}

TEST_P(WholeQueries, OwnersOfNodesAndEdges) {
  const bool cut = std::get<1>(GetParam()) != "uncut";
  const auto owner = [&](size_t type, int64_t node) {
    return static_cast<int32_t>(cut ? owner_of(type, node, 3) : 0);
  };
  const std::vector<int64_t> ids = {11, 0, 1499, 11, 700, 3, 1};
  for (size_t type = 0; type < 2; ++type) {
    const auto found = find_owners(in_parts_, {true, type}, span_of(ids), "ids").take();
    ASSERT_EQ(found.size(), ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(found[i], owner(type, ids[i])) << i;
    }
  }
  for (size_t type = 0; type < 3; ++type) {
    std::vector<int64_t> sources, targets;
    ASSERT_TRUE(find_edge_ends(whole_, type, span_of(ids), "ids", &sources, &targets).ok());
    const auto found = find_owners(in_parts_, {false, type}, span_of(ids), "ids").take();
    const EdgeType& of = whole_.edge_types()[type];
    for (size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(found[i], of.csc ? owner(of.target, targets[i]) : owner(of.source, sources[i]))
          << i;
    }
  }
  EXPECT_EQ(find_owners(whole_, {false, 1}, span_of(ids), "ids").take(),
            std::vector<int32_t>(ids.size(), 0));
}

// Of nodes and edges, of some and of all.
TEST_P(WholeQueries, SharesAreThoseOfTheirOwners) {
  const uint32_t parts = std::get<1>(GetParam()) != "uncut" ? 3 : 1;
  std::vector<int64_t> some = {11, 0, 1499, 11, 700, 3, 1, 5, 9, 8};
  for (int64_t i = 0; i < 400; ++i) {
    some.push_back(i * 7 % 1500);
  }
  const IdSpan ids = span_of(some);
  const std::vector<int64_t> by_turns = {2 % parts, 0, 1 % parts, 0};
  for (const Dataset::TypeIndex type :
       {Dataset::TypeIndex{true, 0}, {true, 1}, {false, 0}, {false, 2}}) {
    for (const IdSpan* given : {&ids, static_cast<const IdSpan*>(nullptr)}) {
      std::vector<int64_t> all = some;
      if (given == nullptr) {
        all.resize(static_cast<size_t>(whole_.type_count(type)));
        std::iota(all.begin(), all.end(), 0);
      }
      const auto owners = find_owners(in_parts_, type, span_of(all), "ids").take();
      for (const uint32_t ranks : {1u, 2u, 4u}) {
        SCOPED_TRACE(whole_.type_name(type) + " of " + std::to_string(ranks));
        for (uint32_t rank = 0; rank < ranks; ++rank) {
          ShareOptions options = {rank, ranks};
          if (ranks == 4) {
            options.rank_parts = span_of(by_turns);
          }
          std::vector<int64_t> expected = share_by_owner(owners, parts, options);
          for (int64_t& at : expected) {
            at = all[static_cast<size_t>(at)];
          }
          auto found = find_share(in_parts_, type, given, options, "ids");
          ASSERT_TRUE(found.ok()) << found.status().message();
          EXPECT_EQ(*found, expected);
          const auto run = even_run(static_cast<int64_t>(all.size()), ranks, rank);
          EXPECT_EQ(found->size(), static_cast<size_t>(run.size()));
          options.rank_parts.reset();
          EXPECT_EQ(find_share(whole_, type, given, options, "ids").take(),
                    std::vector<int64_t>(all.begin() + run.begin, all.begin() + run.end));
        }
      }
    }
  }
  EXPECT_TRUE(find_share(in_parts_, {true, 0}, nullptr, {5, 6, {}}, "ids").ok());
  const std::vector<int64_t> beyond = {0, static_cast<int64_t>(parts)};
  EXPECT_EQ(*find_share(in_parts_, {true, 0}, nullptr, {0, 2, span_of(beyond)}, "ids")
                 .status()
                 .detail("argument"),
            "rank_parts");
}

// Of servers none is, as files of the same host are not mapped.
TEST_P(WholeQueries, PartsAtHand) {
  const std::string& where = std::get<1>(GetParam());
  const PartsOfGraph found = parts_of_graph(in_parts_);
  EXPECT_EQ(found.count, where == "uncut" ? 1u : 3u);
  EXPECT_EQ(found.local,
            where == "folder" ? std::vector<uint32_t>({0, 1, 2}) : std::vector<uint32_t>());
  EXPECT_EQ(parts_of_graph(whole_).count, 1u);
  EXPECT_EQ(parts_of_graph(whole_).local, std::vector<uint32_t>({0}));
}

TEST_P(WholeQueries, SharesOfMoreThanIsAskedAtOnce) {
  std::vector<int64_t> ids((size_t{1} << 20) + 1000);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int64_t>(i * i % 1499);
  }
  const IdSpan given = span_of(ids);
  const auto owners = find_owners(in_parts_, {true, 1}, given, "ids").take();
  std::vector<int64_t> expected =
      share_by_owner(owners, std::get<1>(GetParam()) != "uncut" ? 3 : 1, {1, 2});
  std::transform(expected.begin(), expected.end(), expected.begin(),
                 [&](int64_t at) { return ids[static_cast<size_t>(at)]; });
  EXPECT_EQ(find_share(in_parts_, {true, 1}, &given, {1, 2}, "ids").take(), expected);
  ids.back() = 1500;
  auto refused = find_share(in_parts_, {true, 1}, &given, {1, 2}, "ids");
  EXPECT_NE(refused.status().message().find("node 1500 at index 1049575"), std::string::npos);
}

struct Negatives {
  std::string name;
  std::function<void(NegativeOptions*)> set;
};

std::vector<Negatives> kinds_of_negatives() {
  return {
      {"uniform", [](NegativeOptions*) {}},
      {"strict", [](NegativeOptions* o) { o->strict = true; }},
      {"degree", [](NegativeOptions* o) { o->degree_quarters = 3; }},
      {"weighted",
       [](NegativeOptions* o) {
         o->source_weight = "int64";
         o->target_weight = "y";
       }},
      {"strict_degree",
       [](NegativeOptions* o) {
         o->strict = true;
         o->degree_quarters = 4;
         o->tries = 2;
         o->allow_short = true;
       }},
      {"in_time",
       [](NegativeOptions* o) {
         o->strict = true;
         o->in_time = true;
         o->oldest = true;
       }},
      {"weighted_in_time",
       [](NegativeOptions* o) {
         o->target_weight = "y";
         o->in_time = true;
         o->oldest = true;
       }},
  };
}

// Links by their ids and by their ends, which are left out of the neighbourhoods, too.
TEST_P(WholeQueries, LinksAndNegatives) {
  const Direction direction = std::get<0>(GetParam()) == "csr" ? Direction::kOut : Direction::kIn;
  int number = 0;
  for (const Negatives& kind : kinds_of_negatives()) {
    for (const NegativeMode mode : {NegativeMode::kBinary, NegativeMode::kTriplet}) {
      for (const int way : {0, 1, 2, 3}) {
        if (number++ % kEvery != 0) {
          continue;
        }
        const bool by_id = way % 2 == 0;
        SCOPED_TRACE(kind.name + (mode == NegativeMode::kBinary ? " binary" : " triplets") +
                     (by_id ? " by id" : " by ends") + (way < 2 ? "" : " induced"));
        SamplerOptions options = two_hops();
        options.subgraph = way < 2 ? Subgraph::kSampled : Subgraph::kInduced;
        options.direction = direction;
        options.negatives.mode = mode;
        options.negatives.amount = 3;
        options.exclude_links = true;
        kind.set(&options.negatives);
        if (mode == NegativeMode::kTriplet) {
          options.negatives.source_weight.clear();  // the source stays
        }
        const std::vector<int64_t> ids = {3, 900, 19999, 0, 9, 18, 27, 4, 4};
        std::vector<int64_t> ends, targets;
        ASSERT_TRUE(find_edge_ends(whole_, 2, span_of(ids), "ids", &ends, &targets).ok());
        ends.insert(ends.end(), targets.begin(), targets.end());
        const auto count = static_cast<int64_t>(ids.size());
        const std::vector<int64_t> times = {100, 900, 3, 0, 50, 1 << 20, 27, 4, 400};
        SampleRequest request;
        request.epoch = 3;
        request.batch = 1;
        request.links.emplace_back();
        request.links[0].edge_type = 2;
        request.links[0].links = by_id ? Tensor(nullptr, ids.data(), kInt64, {count})
                                       : Tensor(nullptr, ends.data(), kInt64, {2, count});
        if (options.negatives.in_time) {
          options.node_time = "time";
          request.links[0].times = span_of(times);
        }
        expect_same_samples(options, request);
      }
    }
  }
}

// Seeds of both types, and links of two types, of one order; times are the nodes' own.
TEST_P(WholeQueries, SeedsOfSeveralTypes) {
  const Direction direction = std::get<0>(GetParam()) == "csr" ? Direction::kOut : Direction::kIn;
  const std::vector<int64_t> ids = {11, 0, 1499, 11, 700, 3, 42};
  for (const bool links : {false, true}) {
    for (const bool timed : {false, true}) {
      SCOPED_TRACE(formatted("{} {}", links, timed));
      const auto made = [&](const std::shared_ptr<const Dataset>& dataset) {
        SamplerOptions options = two_hops();
        options.direction = direction;
        options.node_time = timed ? "time" : "";
        if (links) {
          options.negatives.mode = NegativeMode::kTriplet;
          options.negatives.amount = 2;
          options.exclude_links = true;
        }
        LoaderOptions loading;
        loading.plan.batch_size = 5;
        loading.plan.shuffle = true;
        for (const size_t type : {1, 0}) {
          SeedList::Given& given = loading.seed_sets.emplace_back();
          given.links = links;
          given.type = links ? 2 * type : type;
          given.ids = ids64({ids.begin(), ids.end()});
          given.times = timed && links ? ids64({ids.begin(), ids.end()}) : Tensor();
        }
        loading.columns = default_columns(*Sampler::create(dataset, options).take());
        auto loader =
            Loader::create(Sampler::create(dataset, options).take(), Tensor(), std::move(loading));
        EXPECT_TRUE(loader.ok()) << loader.status().message();
        return loader.take();
      };
      const auto expected = made(graph_.whole);
      const auto loader = made(graph_.in_parts);
      for (uint64_t batch = 0; batch < 3; ++batch) {
        expect_same(*expected->sample(1, batch).take(), *loader->sample(1, batch).take());
      }
    }
  }
}

std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                    Direction direction, const SeedRuleOptions& rule) {
  SamplerOptions options = two_hops();
  options.direction = direction;
  options.subgraph = Subgraph::kInduced;
  LoaderOptions loading;
  loading.plan.batch_size = 40;
  loading.rule = rule;
  if (rule.law == SeedWeighting::kInverseDegree) {
    loading.edge_type = 0;
  }
  auto loader =
      Loader::create(Sampler::create(dataset, options).take(), Tensor(), std::move(loading));
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  return loader.take();
}

TEST_P(WholeQueries, SeedsThatAreDrawnAndTheirNorms) {
  const Direction direction = std::get<0>(GetParam()) == "csr" ? Direction::kOut : Direction::kIn;
  SeedRuleOptions by_degree;
  by_degree.by = SeedsBy::kDraw;
  by_degree.law = SeedWeighting::kDegree;
  by_degree.batches = 3;
  SeedRuleOptions of_links = by_degree;
  of_links.law = SeedWeighting::kInverseDegree;
  SeedRuleOptions by_weight = by_degree;
  by_weight.law = SeedWeighting::kUniform;
  by_weight.weight = "int64";
  for (const SeedRuleOptions& rule : {by_degree, of_links, by_weight}) {
    const auto expected = make_loader(graph_.whole, direction, rule);
    const auto loader = make_loader(graph_.in_parts, direction, rule);
    for (int i = 0; i < 3; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    }
    NormOptions options;
    options.batches = 3;
    auto norms = saint_norms(*loader, options);
    ASSERT_TRUE(norms.ok()) << norms.status().message();
    const SaintNorms wanted = saint_norms(*expected, options).take();
    EXPECT_EQ(norms->node, wanted.node);
    EXPECT_EQ(norms->edge, wanted.edge);
    EXPECT_EQ(wanted.edge.size(), 20000u);
  }
}

TEST_P(WholeQueries, SeedsOfClustersOfAColumn) {
  SeedRuleOptions rule;
  rule.by = SeedsBy::kCluster;
  rule.cluster = "int64";
  const Direction direction = std::get<0>(GetParam()) == "csr" ? Direction::kOut : Direction::kIn;
  const auto expected = make_loader(graph_.whole, direction, rule);
  const auto loader = make_loader(graph_.in_parts, direction, rule);
  for (int i = 0; i < 7; ++i) {  // 251 clusters
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
  }
  std::shared_ptr<Batch> none;
  EXPECT_EQ(*loader->next(30000, &none), BatchSource::Next::kEnd);
  rule.cluster = "x";
  SamplerOptions options = two_hops();
  options.direction = direction;
  LoaderOptions loading;
  loading.rule = rule;
  auto refused = Loader::create(Sampler::create(graph_.in_parts, options).take(), Tensor(),
                                std::move(loading));
  EXPECT_EQ(refused.status().code(), GLS_ERR_INVALID_ARGUMENT) << refused.status().message();
}

// Both edges of two opposite ones fall on the same side, which takes the ends of all.
TEST_P(WholeQueries, SplitsOfLinks) {
  LinkSplitOptions options;
  options.seed = 5;
  options.valid = 0.1;
  options.test = 50;
  options.supervision = 0.3;
  for (const bool undirected : {false, true}) {
    options.undirected = undirected;
    for (const SplitPart part : {SplitPart::kTrain, SplitPart::kValid, SplitPart::kTest}) {
      const LinkPart expected = split_links(whole_, 0, options, part).take();
      auto found = split_links(in_parts_, 0, options, part);
      ASSERT_TRUE(found.ok()) << found.status().message();
      EXPECT_EQ(found->links, expected.links);
      EXPECT_EQ(found->exclude, expected.exclude);
      EXPECT_FALSE(expected.links.empty());
    }
  }
}

// What is left out with an edge: of the sampler, of a request, and links themselves.
TEST_P(WholeQueries, ReversesOfEdges) {
  std::vector<int64_t> some;
  for (int64_t id = 0; id < 20000; id += 3) {
    some.push_back(id);
  }
  const auto count = static_cast<int64_t>(some.size());
  std::vector<int64_t> pairs, targets;
  ASSERT_TRUE(find_edge_ends(whole_, 1, span_of(some), "ids", &pairs, &targets).ok());
  pairs.insert(pairs.end(), targets.begin(), targets.end());
  const EdgeSet by_id = {0, Tensor(nullptr, some.data(), kInt64, {count})};
  const EdgeSet by_pair = {1, Tensor(nullptr, pairs.data(), kInt64, {2, count})};
  const std::vector<int64_t> links = {3, 900, 19999, 0, 9, 18, 27, 4, 4};
  for (const ExcludeMode mode : {ExcludeMode::kReverseId, ExcludeMode::kReverseTypes}) {
    for (const Subgraph subgraph : {Subgraph::kSampled, Subgraph::kInduced}) {
      for (const bool of_links : {false, true}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(mode)) + " " +
                     std::to_string(static_cast<int>(subgraph)) + (of_links ? " links" : ""));
        SamplerOptions options = two_hops();
        options.direction = std::get<0>(GetParam()) == "csr" ? Direction::kOut : Direction::kIn;
        options.subgraph = subgraph;
        options.exclude_mode = mode;
        options.exclude_links = of_links;
        options.exclude = {by_pair};
        if (mode == ExcludeMode::kReverseId) {
          options.reverse_column = "reverse";
        } else {
          options.reverse_types = {{1, 2}};
        }
        SampleRequest request;
        request.exclude = {by_id};
        if (of_links) {
          request.links.emplace_back();
          request.links[0].edge_type = 2;
          request.links[0].links =
              Tensor(nullptr, links.data(), kInt64, {static_cast<int64_t>(links.size())});
        } else {
          request.seeds = {{0, span_of(links)}};
          request.seeds[0].ids = span_of(links).part(3, 5);
        }
        expect_same_samples(options, request);
        request.exclude.clear();
        options.exclude.clear();
        expect_same_samples(options, request);
      }
    }
  }
}

TEST_P(WholeQueries, LabelsOfAnchors) {
  const std::vector<int64_t> anchors = {11, 5, 1999, 0, 5, 700, 701};
  const std::vector<int64_t> given = {1, -1, 2, 3, -1, -1, 4, 5, 6, -1, 7, 7, 0, 9};
  for (const Subgraph subgraph : {Subgraph::kSampled, Subgraph::kInduced}) {
    for (const int64_t most : {int64_t{0}, int64_t{4}}) {
      SCOPED_TRACE(std::to_string(most) + " of " + std::to_string(static_cast<int>(subgraph)));
      SamplerOptions options = two_hops();
      options.subgraph = subgraph;
      options.direction = std::get<0>(GetParam()) == "csr" ? Direction::kOut : Direction::kIn;
      options.fanouts[0] = {0, 0};  // for labels only
      options.supervisions = {{2, 1, "likes", false, true, most},
                              {0, 0, "knows", true, false, 2},
                              {std::nullopt, 1, "told", false, false, 0}};
      SampleRequest request;
      request.epoch = 4;
      request.seeds = {{0, span_of(anchors)}};
      request.labels = {Tensor(), Tensor(), Tensor(nullptr, given.data(), kInt64, {7, 2})};
      if (std::get<0>(GetParam()) == "csc") {  // labels are in the other layout
        const Status a = std::move(Sampler::create(graph_.whole, options).status());
        const Status b = std::move(Sampler::create(graph_.in_parts, options).status());
        EXPECT_EQ(a.code(), GLS_ERR_UNSUPPORTED);
        EXPECT_EQ(a.message(), b.message());
        continue;
      }
      expect_same_samples(options, request);
      request.seeds[0].ids = span_of(anchors).part(0, 0);
      request.labels[2] = Tensor(nullptr, nullptr, kInt64, {0, 2});
      expect_same_samples(options, request);
      options.exclude_mode = ExcludeMode::kReverseTypes;
      options.reverse_types = {{1, 2}};
      request.seeds[0].ids = span_of(anchors);
      request.labels[2] = Tensor(nullptr, given.data(), kInt64, {7, 2});
      expect_same_samples(options, request);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, WholeQueries,
                         testing::Combine(testing::Values("both", "csc", "csr"),
                                          testing::Values("folder", "self", "uncut")),
                         [](const auto& given) {
                           return std::get<0>(given.param) + "_" + std::get<1>(given.param);
                         });

}  // namespace
}  // namespace gls::test
