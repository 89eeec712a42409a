#include "ingest/assign/assign_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "base/permutation.h"
#include "format/npy.h"
#include "ingest/assign/union_graph.h"
#include "ingest/common/owner_tensor.h"
#include "test_graph.h"
#include "test_paths.h"

namespace gls::test {
namespace {

constexpr PartitionMethod kAllMethods[] = {PartitionMethod::kMetis, PartitionMethod::kStream,
                                           PartitionMethod::kRandom, PartitionMethod::kHash};

bool cuts_edges(PartitionMethod method) {
  return method == PartitionMethod::kMetis || method == PartitionMethod::kStream;
}

class AssignNodes : public testing::Test {
 protected:
  void SetUp() override { setenv("GLS_PLUGIN_PATH", kPluginFolder, 1); }
};

std::vector<std::vector<uint32_t>> values(const NodeOwners& owners) {
  std::vector<std::vector<uint32_t>> out;
  for (const Tensor& of_type : owners) {
    const OwnerSpan span(of_type);
    out.emplace_back();
    for (int64_t i = 0; i < of_type.rows(); ++i) {
      out.back().push_back(span[i]);
    }
  }
  return out;
}

NodeOwners assigned(const Dataset& dataset, const AssignOptions& options) {
  Result<NodeOwners> owners = assign_nodes(dataset, options);
  EXPECT_TRUE(owners.ok()) << owners.status().message();
  return owners.take();
}

AssignmentQuality quality(const Dataset& dataset, const NodeOwners& owners, uint32_t parts,
                          const std::vector<std::string>& sets = {}) {
  Result<AssignmentQuality> out = assignment_quality(dataset, owners, parts, sets);
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.take();
}

AssignOptions with(PartitionMethod method, uint32_t parts, uint64_t seed = 0) {
  AssignOptions options;
  options.method = method;
  options.parts = parts;
  options.seed = seed;
  return options;
}

// Numbers that only their place decides.
uint64_t number(uint64_t i, uint64_t below) {
  return mul_high64(epoch_key(7, i, KeyDomain::kSample), below);
}

// Communities whose nodes have ids all over the place. Each node has edges to `within` nodes of its
// own community and to `outside` nodes of any.
TestEdges communities(int64_t nodes, int64_t count, int within, int outside) {
  TestEdges out;
  out.name = "node__to__node";
  const KeyedPermutation place(static_cast<uint64_t>(nodes), 3);
  const int64_t size = nodes / count;
  uint64_t draw = 0;
  for (int64_t v = 0; v < nodes; ++v) {
    for (int k = 0; k < within + outside; ++k) {
      const int64_t first = k < within ? v / size * size : 0;
      const auto range = static_cast<uint64_t>(k < within ? size : nodes);
      const int64_t to = first + static_cast<int64_t>(number(draw++, range));
      out.source.push_back(static_cast<int64_t>(place(static_cast<uint64_t>(v))));
      out.target.push_back(static_cast<int64_t>(place(static_cast<uint64_t>(to))));
    }
  }
  return out;
}

TestGraph community_graph(int64_t nodes = 6000, int64_t count = 24) {
  TestGraph graph;
  graph.nodes = {{"node", nodes}};
  graph.edges.push_back(communities(nodes, count, 8, 2));
  return graph;
}

// Users and items in communities, and three tags that nothing is linked to but one item. An edge
// type is stored on one side only where `one_sided`.
TestGraph shop(int64_t users = 4000, int64_t items = 1000, int64_t count = 20) {
  TestGraph graph;
  graph.nodes = {{"user", users}, {"item", items}, {"tag", 3}, {"none", 0}};
  TestEdges buys;
  buys.name = "user__buys__item";
  uint64_t draw = 0;
  for (int64_t u = 0; u < users; ++u) {
    for (int k = 0; k < 6; ++k) {
      const int64_t group = k < 5 ? u % count : static_cast<int64_t>(number(draw, 20));
      const int64_t item = group + count * static_cast<int64_t>(number(
                                               draw + 1, static_cast<uint64_t>(items / count)));
      draw += 2;
      buys.source.push_back(u);
      buys.target.push_back(item);
    }
  }
  TestEdges has;
  has.name = "item__has__tag";
  has.source = {0};
  has.target = {1};
  graph.edges = {buys, has};
  return graph;
}

// The dataset with other id sets and topologies.
std::shared_ptr<const Dataset> changed(const std::shared_ptr<const Dataset>& dataset,
                                       const std::vector<std::vector<IdSet>>& sets, bool csc,
                                       bool csr) {
  std::vector<NodeType> nodes = dataset->node_types();
  std::vector<EdgeType> edges = dataset->edge_types();
  for (size_t t = 0; t < sets.size(); ++t) {
    nodes[t].id_sets = sets[t];
  }
  for (EdgeType& type : edges) {
    if (!csc) {
      type.csc.reset();
    }
    if (!csr) {
      type.csr.reset();
    }
  }
  return Dataset::create(dataset->context(), nodes, edges).take();
}

int64_t most(const std::vector<int64_t>& parts) {
  return *std::max_element(parts.begin(), parts.end());
}

// The bound that assign_nodes.h states.
int64_t bound(int64_t count, uint32_t parts, double imbalance) {
  return static_cast<int64_t>(
      std::ceil((1 + imbalance) * static_cast<double>(count) / parts - 1e-9));
}

TEST_F(AssignNodes, CommunitiesAreFound) {
  const auto dataset = make_dataset(make_context(), community_graph());
  const AssignmentQuality random =
      quality(*dataset, assigned(*dataset, with(PartitionMethod::kRandom, 4)), 4);
  EXPECT_EQ(random.all_edges, 60'000);
  // Three quarters, within ten standard deviations.
  EXPECT_NEAR(static_cast<double>(random.cut_edges), 45'000, 1100);
  // A cut of communities that stay whole is 0.2 * 3 / 4 of the edges, or 9000.
  const AssignmentQuality metis =
      quality(*dataset, assigned(*dataset, with(PartitionMethod::kMetis, 4)), 4);
  EXPECT_LT(metis.cut_edges, 12'000);
  const AssignmentQuality stream =
      quality(*dataset, assigned(*dataset, with(PartitionMethod::kStream, 4)), 4);
  EXPECT_LT(stream.cut_edges, 20'000);
  for (const AssignmentQuality& each : {metis, stream}) {
    EXPECT_LE(most(each.nodes[0]), bound(6000, 4, 0.05));
    EXPECT_EQ(std::accumulate(each.edges.begin(), each.edges.end(), int64_t{0}), 60'000);
  }
}

TEST_F(AssignNodes, WhicheverSideIsStored) {
  const auto both = make_dataset(make_context(), shop());
  const int64_t random =
      quality(*both, assigned(*both, with(PartitionMethod::kRandom, 4)), 4).cut_edges;
  EXPECT_GT(random, 17'000);  // of 24,001
  for (const bool csc : {true, false}) {
    const auto dataset = changed(both, {}, csc, !csc);
    for (const PartitionMethod method : {PartitionMethod::kMetis, PartitionMethod::kStream}) {
      const NodeOwners owners = assigned(*dataset, with(method, 4));
      const AssignmentQuality found = quality(*dataset, owners, 4);
      EXPECT_LT(found.cut_edges, random * 3 / 4) << csc << " " << static_cast<int>(method);
      // The same edges seen from the other side.
      const AssignmentQuality whole = quality(*both, owners, 4);
      EXPECT_EQ(whole.cut_edges, found.cut_edges);
      EXPECT_EQ(whole.edges, found.edges);
    }
  }
}

TEST_F(AssignNodes, BalancedByTypeAndSet) {
  const auto plain = make_dataset(make_context(), shop());
  // Training nodes are the first of their ids, and of a few communities: what a stream meets first.
  std::vector<int64_t> users;
  std::vector<int64_t> items;
  for (int64_t u = 0; u < 4000; ++u) {
    if (u % 20 < 3) {
      users.push_back(u);
    }
  }
  for (int64_t i = 900; i < 1000; ++i) {
    items.push_back(i);
  }
  std::vector<int64_t> late(users.end() - 200, users.end());
  const auto dataset =
      changed(plain,
              {{{"train", tensor_of(users, kInt64)}, {"late", tensor_of(late, kInt64)}},
               {{"train", tensor_of(items, kInt64)}}},
              true, true);
  for (const PartitionMethod method : {PartitionMethod::kMetis, PartitionMethod::kStream}) {
    for (const uint32_t parts : {2u, 7u}) {
      AssignOptions options = with(method, parts, 5);
      options.balance_sets = {"train", "late"};
      options.imbalance = 0.02;
      const AssignmentQuality found =
          quality(*dataset, assigned(*dataset, options), parts, options.balance_sets);
      EXPECT_LE(most(found.nodes[0]), bound(4000, parts, 0.02));
      EXPECT_LE(most(found.nodes[1]), bound(1000, parts, 0.02));
      EXPECT_LE(most(found.nodes[2]), bound(3, parts, 0));
      ASSERT_EQ(found.balanced.size(), 2u);
      // Three combinations: users of both sets, of "train" alone, and items.
      EXPECT_LE(most(found.balanced[0]), bound(700, parts, 0.02) + 2);
      EXPECT_LE(most(found.balanced[1]), bound(200, parts, 0.02));
      EXPECT_LT(found.cut_edges, 24'001 * (parts - 1) / parts * 95 / 100);
    }
  }
}

TEST_F(AssignNodes, BalancedByEdges) {
  // A tenth of the nodes has half of the in-edges, and they are a community.
  TestGraph graph;
  graph.nodes = {{"node", 4000}};
  graph.edges.push_back(communities(4000, 10, 4, 1));
  for (uint64_t i = 0; i < 20'000; ++i) {
    graph.edges[0].source.push_back(static_cast<int64_t>(number(i, 400)));
    graph.edges[0].target.push_back(static_cast<int64_t>(number(i + 50'000, 400)));
  }
  const auto both = make_dataset(make_context(), graph);
  for (const bool csc : {true, false}) {
    const auto dataset = changed(both, {}, csc, !csc);
    for (const PartitionMethod method : {PartitionMethod::kMetis, PartitionMethod::kStream}) {
      AssignOptions options = with(method, 4);
      const AssignmentQuality without = quality(*dataset, assigned(*dataset, options), 4);
      options.balance_edges = true;
      const AssignmentQuality found = quality(*dataset, assigned(*dataset, options), 4);
      EXPECT_GT(most(without.edges), 13'000) << static_cast<int>(method);
      EXPECT_LT(most(found.edges), 11'000) << static_cast<int>(method);  // a quarter is 10,000
      EXPECT_LE(most(found.nodes[0]), bound(4000, 4, 0.05));
    }
  }
}

TEST_F(AssignNodes, SameForASeedWhateverTheThreads) {
  for (const PartitionMethod method : kAllMethods) {
    const auto one = make_dataset(make_context(1), community_graph());
    const auto four = make_dataset(make_context(4), community_graph());
    const auto first = values(assigned(*one, with(method, 5, 1)));
    EXPECT_EQ(first, values(assigned(*four, with(method, 5, 1)))) << static_cast<int>(method);
    EXPECT_NE(first, values(assigned(*one, with(method, 5, 2)))) << static_cast<int>(method);
  }
}

// METIS would draw from rand(), which all threads of a process share, and take over two signals.
// Such a graph would take 100 GB here; what it is told is what counts.
TEST(MetisLimit, LargerGraphsAreToBeStreamed) {
  constexpr int64_t kMost = 2147483647;
  EXPECT_TRUE(check_fits_metis(kMost - 1, kMost / 2).ok());
  const Status nodes = check_fits_metis(kMost, 5);
  EXPECT_EQ(nodes.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_EQ(nodes.message(),
            "method: METIS with 32-bit integers takes fewer than 2147483647 nodes and at most "
            "1073741823 edges, and there are 2147483647 and 5; use the method \"stream\"");
  const Status edges = check_fits_metis(10, kMost / 2 + 1);
  EXPECT_EQ(edges.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_EQ(edges.message(),
            "method: METIS with 32-bit integers takes fewer than 2147483647 nodes and at most "
            "1073741823 edges, and there are 10 and 1073741824; use the method \"stream\"");
  EXPECT_EQ(*edges.detail("argument"), "method");
}

TEST_F(AssignNodes, MetisKeepsToItself) {
  const auto dataset = make_dataset(make_context(1), community_graph());
  const auto expected = values(assigned(*dataset, with(PartitionMethod::kMetis, 4, 9)));
  struct sigaction own = {};
  own.sa_handler = [](int) {};
  own.sa_flags = SA_RESTART;
  struct sigaction old = {};
  ASSERT_EQ(sigaction(SIGTERM, &own, &old), 0);
  std::srand(1);
  const int drawn = std::rand();
  std::atomic<bool> done{false};
  std::atomic<bool> taken{false};
  std::thread other([&] {
    while (!done) {
      std::rand();
      struct sigaction seen = {};
      sigaction(SIGTERM, nullptr, &seen);
      taken = taken || seen.sa_handler != own.sa_handler;
    }
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(assigned(*dataset, with(PartitionMethod::kMetis, 4, 9))), expected);
  }
  done = true;
  other.join();
  EXPECT_FALSE(taken);
  struct sigaction seen = {};
  sigaction(SIGTERM, &old, &seen);
  EXPECT_EQ(seen.sa_flags & SA_RESTART, SA_RESTART);
  std::srand(1);
  std::rand();
  const int next = std::rand();
  std::srand(1);
  EXPECT_EQ(std::rand(), drawn);
  assigned(*dataset, with(PartitionMethod::kMetis, 4));
  EXPECT_EQ(std::rand(), next);
}

TEST_F(AssignNodes, RandomIsExactlyEven) {
  const auto dataset = make_dataset(make_context(), shop());
  const AssignmentQuality found =
      quality(*dataset, assigned(*dataset, with(PartitionMethod::kRandom, 7, 3)), 7);
  for (size_t t = 0; t < found.nodes.size(); ++t) {
    const auto [low, high] = std::minmax_element(found.nodes[t].begin(), found.nodes[t].end());
    EXPECT_LE(*high - *low, 1);
  }
}

TEST_F(AssignNodes, HashIsWhatTheContractSays) {
  const auto dataset = make_dataset(make_context(), shop());
  const auto owners = values(assigned(*dataset, with(PartitionMethod::kHash, 300, 11)));
  for (uint32_t t = 0; t < owners.size(); ++t) {
    for (uint64_t id = 0; id < owners[t].size(); ++id) {
      const PhiloxWords key = philox(t, 0, 7, 0x474c5301u, 11);
      const PhiloxWords words = philox(static_cast<uint32_t>(id), 0, 0, 0, key_of(key));
      const uint64_t hash = words.w[0] + (uint64_t{words.w[1]} << 32);
      const auto product = static_cast<unsigned __int128>(hash) * 300;
      ASSERT_EQ(owners[t][id], static_cast<uint32_t>(product >> 64));
    }
  }
}

TEST_F(AssignNodes, SmallGraphs) {
  TestEdges loops;
  loops.name = "a__to__a";
  loops.source = {0, 0, 1, 1, 1};
  loops.target = {0, 0, 1, 1, 2};
  TestEdges none;
  none.name = "a__of__b";
  testing::internal::CaptureStdout();
  for (const int64_t count : {3, 5, 40}) {
    TestGraph graph;
    graph.nodes = {{"a", count}, {"b", 2}, {"c", 0}, {"d", 1}};
    graph.edges = {loops, none};
    const auto dataset = make_dataset(make_context(), graph);
    for (const PartitionMethod method : kAllMethods) {
      for (const uint32_t parts : {1u, 2u, 4u, 50u, 256u, 257u, 1000u}) {
        AssignOptions options = with(method, parts);
        options.balance_edges = cuts_edges(method);
        options.imbalance = parts % 2 == 0 ? 0.05 : 3;
        const NodeOwners owners = assigned(*dataset, options);
        ASSERT_EQ(owners.size(), 4u);
        EXPECT_EQ(owners[0].dtype().bits, parts <= 256 ? 8 : 16);
        EXPECT_EQ(owners[2].rows(), 0);
        const AssignmentQuality found = quality(*dataset, owners, parts);
        if (method != PartitionMethod::kHash) {
          EXPECT_LE(most(found.nodes[0]), bound(count, parts, options.imbalance));
          EXPECT_LE(most(found.nodes[1]), bound(2, parts, options.imbalance));
        }
        EXPECT_EQ(found.all_edges, 5);
        EXPECT_LE(found.cut_edges, parts == 1 ? 0 : 1);
      }
    }
  }
  TestGraph empty;
  empty.nodes = {{"a", 0}};
  const auto nothing = make_dataset(make_context(), empty);
  for (const PartitionMethod method : kAllMethods) {
    EXPECT_EQ(assigned(*nothing, with(method, 3))[0].rows(), 0);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");  // METIS prints, where it has trouble
}

TEST_F(AssignNodes, ManyParts) {
  const auto dataset = make_dataset(make_context(), community_graph(20'000, 1000));
  for (const PartitionMethod method : {PartitionMethod::kMetis, PartitionMethod::kStream}) {
    const NodeOwners owners = assigned(*dataset, with(method, 1000));
    const AssignmentQuality found = quality(*dataset, owners, 1000);
    EXPECT_LE(most(found.nodes[0]), 21);
    // Of 200,000; whole communities would be 40,000.
    EXPECT_LT(found.cut_edges, 150'000) << static_cast<int>(method);
  }
}

TEST_F(AssignNodes, StopsWhenAsked) {
  const auto dataset = make_dataset(make_context(), community_graph());
  for (const PartitionMethod method : kAllMethods) {
    AssignOptions options = with(method, 2);
    int calls = 0;
    options.progress = [&](const char*, uint64_t done, uint64_t total, const char*) {
      EXPECT_LE(done, total);
      return ++calls < 1;
    };
    Result<NodeOwners> owners = assign_nodes(*dataset, options);
    ASSERT_FALSE(owners.ok()) << static_cast<int>(method);
    EXPECT_EQ(owners.status().code(), GLS_ERR_CANCELED);
    EXPECT_EQ(calls, 1);
  }
}

// METIS is asked while it runs, and ends there; what it had is freed (LeakSanitizer looks).
TEST_F(AssignNodes, MetisStopsWhileItRuns) {
  const auto dataset = make_dataset(make_context(), community_graph(200'000, 100));
  AssignOptions options = with(PartitionMethod::kMetis, 50);
  int questions = 0;
  options.progress = [&](const char* stage, uint64_t done, uint64_t total, const char*) {
    if (std::string_view(stage) != "partitioning") {
      return true;
    }
    EXPECT_EQ(done, 0u);  // before METIS, then within
    EXPECT_EQ(total, 200'000u);
    return ++questions < 2;
  };
  Result<NodeOwners> stopped = assign_nodes(*dataset, options);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.status().code(), GLS_ERR_CANCELED);
  EXPECT_EQ(questions, 2);
  // The next call on this thread is as if nothing had been.
  const auto small = make_dataset(make_context(), community_graph());
  const auto expected = values(assigned(*small, with(PartitionMethod::kMetis, 4, 9)));
  EXPECT_EQ(assign_nodes(*dataset, options).status().code(), GLS_ERR_CANCELED);
  EXPECT_EQ(values(assigned(*small, with(PartitionMethod::kMetis, 4, 9))), expected);
}

TEST_F(AssignNodes, BadOptions) {
  const auto dataset = make_dataset(make_context(), community_graph());
  const auto failure = [&](const AssignOptions& options) {
    Result<NodeOwners> owners = assign_nodes(*dataset, options);
    EXPECT_FALSE(owners.ok());
    return std::pair(owners.status().code(), owners.status().message());
  };
  EXPECT_EQ(failure(with(PartitionMethod::kHash, 0)).second, "parts: 0, expected 1 to 65535");
  EXPECT_EQ(failure(with(PartitionMethod::kHash, 65536)).second,
            "parts: 65536, expected 1 to 65535");
  AssignOptions options = with(PartitionMethod::kStream, 2);
  options.imbalance = -1;
  EXPECT_EQ(failure(options).first, GLS_ERR_INVALID_ARGUMENT);
  options.imbalance = std::nan("");
  EXPECT_EQ(failure(options).first, GLS_ERR_INVALID_ARGUMENT);
  options.imbalance = 1e300;  // no bound
  EXPECT_TRUE(assign_nodes(*dataset, options).ok());
  options = with(PartitionMethod::kStream, 2);
  options.balance_sets = {"train"};
  EXPECT_EQ(failure(options), std::pair(gls_status_t{GLS_ERR_NOT_FOUND},
                                        std::string("balance_sets: no node type has an id set "
                                                    "\"train\"; there are: none")));
  options.balance_sets.assign(9, "train");
  EXPECT_EQ(failure(options).first, GLS_ERR_INVALID_ARGUMENT);
  options = with(PartitionMethod::kRandom, 2);
  options.balance_edges = true;
  EXPECT_EQ(failure(options).first, GLS_ERR_INVALID_ARGUMENT);
  const auto bad_set =
      changed(dataset, {{{"train", tensor_of(std::vector<int64_t>{5, 6000}, kInt64)}}}, true, true);
  options = with(PartitionMethod::kStream, 2);
  options.balance_sets = {"train"};
  Result<NodeOwners> owners = assign_nodes(*bad_set, options);
  ASSERT_FALSE(owners.ok());
  EXPECT_EQ(owners.status().code(), GLS_ERR_CORRUPT_DATA);
}

TEST_F(AssignNodes, DamagedTopologyIsAnError) {
  for (const auto& dataset : {damaged({0, 1, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3}, {1, -1, 0}),
                              damaged({0, 9, 2, 3}, {1, 2, 0})}) {
    for (const PartitionMethod method : {PartitionMethod::kMetis, PartitionMethod::kStream}) {
      Result<NodeOwners> owners = assign_nodes(*dataset, with(method, 2));
      ASSERT_FALSE(owners.ok());
      EXPECT_EQ(owners.status().code(), GLS_ERR_CORRUPT_DATA);
    }
    const NodeOwners hashed = assigned(*dataset, with(PartitionMethod::kHash, 2));
    EXPECT_FALSE(assignment_quality(*dataset, hashed, 2).ok());
  }
}

TEST_F(AssignNodes, WithoutThePlugin) {
  const std::string folder = testing::TempDir() + "gls_without_metis";
  std::filesystem::create_directories(folder);
  setenv("GLS_PLUGIN_PATH", folder.c_str(), 1);
  const auto dataset = make_dataset(make_context(), community_graph());
  // Loaded plugins stay, so this is a process of its own.
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        Result<NodeOwners> owners = assign_nodes(*dataset, with(PartitionMethod::kMetis, 2));
        std::fprintf(stderr, "%s\n", owners.ok() ? "ok" : owners.status().message().c_str());
        std::_Exit(owners.ok() ? 1 : 0);
      },
      testing::ExitedWithCode(0),
      "method: \"metis\" needs a plugin; use the method \"stream\" to do without it: "
      "libgls_metis.so was not found in .*install the part \"metis\"");
}

// ---- owners of other programs ------------------------------------------------------------------

class OwnersFile : public AssignNodes {
 protected:
  OwnersFile() {
    TestGraph graph;
    graph.nodes = {{"a", 3}, {"b", 2}};
    dataset_ = make_dataset(make_context(), graph);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& ending, const std::string& bytes) {
    std::filesystem::remove(path_);
    path_ = testing::TempDir() + "gls_owners" + ending;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  template <typename T>
  void write_array(DLDataType dtype, const std::vector<T>& numbers) {
    const int64_t size[] = {static_cast<int64_t>(numbers.size())};
    write(".npy",
          make_npy_header(dtype, size) + std::string(reinterpret_cast<const char*>(numbers.data()),
                                                     numbers.size() * sizeof(T)));
  }
  std::string failure(uint32_t parts = 4) {
    Result<NodeOwners> owners = read_owners(*dataset_, parts, path_);
    EXPECT_FALSE(owners.ok());
    const std::string text = owners.status().message();
    EXPECT_EQ(text.rfind(path_, 0), 0u) << text;
    return text.substr(std::min(text.size(), path_.size()));
  }

  std::shared_ptr<const Dataset> dataset_;
  std::string path_ = testing::TempDir() + "gls_owners.txt";
};

TEST_F(OwnersFile, TextAndArraysAreRead) {
  const std::vector<std::vector<uint32_t>> expected = {{3, 0, 1}, {2, 2}};
  const auto read = [&] { return values(read_owners(*dataset_, 4, path_).take()); };
  write(".part.4", "3\n0\n1\n2\n2\n");
  EXPECT_EQ(read(), expected);
  write(".txt", "3\r\n 0\t\r\n1\r\n2\r\n2");
  EXPECT_EQ(read(), expected);
  write_array<int64_t>(kInt64, {3, 0, 1, 2, 2});
  EXPECT_EQ(read(), expected);
  write_array<uint8_t>(kUint8, {3, 0, 1, 2, 2});
  EXPECT_EQ(read(), expected);
  write_array<uint16_t>(kUint16, {3, 0, 1, 2, 2});
  EXPECT_EQ(read(), expected);
  write(".txt", "65534\n3\n");
  EXPECT_EQ(values({read_owners_of(dataset_->node_types()[1], 65535, path_).take()}),
            (std::vector<std::vector<uint32_t>>{{65534, 3}}));
}

TEST_F(OwnersFile, FaultsAreNamed) {
  write(".txt", "0\n0\n0\n0\n");
  EXPECT_EQ(failure(), ": 4 owners, expected 5, one for each node of all types");
  write(".txt", "0\n0\n0\n0\n0\n0\n");
  EXPECT_EQ(failure(), ": 6 owners, expected 5, one for each node of all types");
  write(".txt", "0\n4\n0\n0\n0\n");
  EXPECT_EQ(failure(), ", line 2: \"4\", expected a part, 0 .. 3");
  write(".txt", "0\n0\n-1\n0\n0\n");
  EXPECT_EQ(failure(), ", line 3: \"-1\", expected a part, 0 .. 3");
  write(".txt", "0\n0\n\n0\n0\n0\n");
  EXPECT_EQ(failure(), ", line 3: \"\", expected a part, 0 .. 3");
  write(".txt", "0\n1.5\n0\n0\n0\n");
  EXPECT_EQ(failure(), ", line 2: \"1.5\", expected a part, 0 .. 3");
  write(".txt", "99999999999999999999\n");
  EXPECT_EQ(failure(), ", line 1: \"99999999999999999999\", expected a part, 0 .. 3");
  write(".txt", "");
  EXPECT_EQ(failure(), ": 0 owners, expected 5, one for each node of all types");
  write_array<int32_t>(kInt32, {0, 0, 0, -7, 0});
  EXPECT_EQ(failure(), ", index 3: \"-7\", expected a part, 0 .. 3");
  write_array<uint8_t>(kUint8, {0, 0, 0, 0, 255});
  EXPECT_EQ(failure(), ", index 4: \"255\", expected a part, 0 .. 3");
  write_array<int64_t>(kInt64, {0, 0});
  EXPECT_EQ(failure(), ": 2 owners, expected 5, one for each node of all types");
  write_array<float>(kFloat32, {0, 0, 0, 0, 0});
  EXPECT_EQ(failure(), ": float32, expected integers");
  write(".npy", "not an array");
  EXPECT_FALSE(read_owners(*dataset_, 4, path_).ok());
  const int64_t long_shape[] = {5};
  write(".npy", make_npy_header(kInt64, long_shape) + "12345678");
  EXPECT_EQ(read_owners(*dataset_, 4, path_).status().code(), GLS_ERR_CORRUPT_DATA);
  std::filesystem::remove(path_);
  Result<Tensor> missing = read_owners_of(dataset_->node_types()[0], 4, path_);
  EXPECT_EQ(missing.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_NE(missing.status().message().find(path_), std::string::npos);
}

TEST_F(AssignNodes, QualityRefusesOwnersThatDoNotFit) {
  TestGraph graph;
  graph.nodes = {{"a", 3}};
  const auto dataset = make_dataset(make_context(), graph);
  const auto refused = [&](const NodeOwners& owners, uint32_t parts) {
    Result<AssignmentQuality> found = assignment_quality(*dataset, owners, parts);
    EXPECT_FALSE(found.ok());
    EXPECT_EQ(found.status().code(), GLS_ERR_INVALID_ARGUMENT);
    return found.status().message();
  };
  EXPECT_EQ(refused({}, 2), "owners: of 0 node types, expected 1");
  EXPECT_EQ(refused({owner_tensor(std::vector<uint8_t>{0, 1})}, 2),
            "owners: of node type \"a\", expected uint8 [3]");
  EXPECT_EQ(refused({owner_tensor(std::vector<uint8_t>{0, 1, 2})}, 2),
            "owners: node 2 of type \"a\" has 2, expected 0 .. 1");
}

}  // namespace
}  // namespace gls::test
