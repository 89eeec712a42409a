// A graph of more than 2^33 edges, in sparse files: rows beyond 2^31 and 2^32, and rows that cross
// them, are sampled as the same rows are in a small twin, where they lie at small positions. The
// holes of the files are hubs, all of whose neighbours are node 0.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <set>

#include "format/npy.h"
#include "graph/dataset/topology_query.h"
#include "ingest_support.h"
#include "loader/pipeline/loader.h"
#include "sample/pick/excluded_edges.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr int64_t kNodes = 100000;
constexpr int64_t k31 = int64_t{1} << 31;
constexpr int64_t k32 = int64_t{1} << 32;
constexpr int64_t k33 = int64_t{1} << 33;
constexpr int64_t kHubEnd = k33 + (1 << 20);

// ---- the graph ---------------------------------------------------------------------------------

bool is_hub(int64_t node) { return node == 0 || node == 3 || node == 8; }

// Of the graph, or of the twin, whose hubs are empty.
std::vector<int64_t> make_indptr(bool large) {
  std::vector<int64_t> out = {0};
  const auto add = [&](int64_t degree) { out.push_back(out.back() + degree); };
  const auto hub_to = [&](int64_t end) { out.push_back(large ? end : out.back()); };
  hub_to(k31 - 3);
  add(8);  // 1: across 2^31
  add(10);
  hub_to(k32 - 4);
  add(9);      // 4: across 2^32
  add(70000);  // 5: longer than what vectors pick from
  add(40);
  add(0);
  hub_to(kHubEnd);  // 8: has more than 2^32 neighbours itself
  add(12);
  add(3000);
  for (int node = 11; node < 111; ++node) {
    add(5 + node % 7);
  }
  while (static_cast<int64_t>(out.size()) <= kNodes) {
    add(0);
  }
  return out;
}

uint64_t mix(int64_t node, int64_t index, uint64_t salt) {
  uint64_t x = (static_cast<uint64_t>(node) << 32) + static_cast<uint64_t>(index) + salt * 1000003;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
// No hub is the neighbour of another node: samplers that read whole rows never come to one.
int64_t neighbor_of(int64_t node, int64_t index) {
  auto out = static_cast<int64_t>(mix(node, index, 1) % 111);
  return is_hub(out) ? out + 1 : out;
}
float weight_of(int64_t node, int64_t index) {
  return static_cast<float>(mix(node, index, 2) % 5) / 4;
}
// Ascending in every other row.
int64_t time_of(int64_t node, int64_t index) {
  return node % 2 == 0 ? 1 + index : 1 + static_cast<int64_t>(mix(node, index, 3) % 100);
}

// One array of a folder: a file of the right length, in which only some elements are written.
template <typename T>
class SparseArray {
 public:
  SparseArray(const std::string& path, DLDataType dtype, int64_t count) {
    fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    const std::string header = make_npy_header(dtype, std::vector<int64_t>{count});
    begin_ = static_cast<int64_t>(header.size());
    good_ = fd_ >= 0 && ftruncate(fd_, begin_ + count * int64_t{sizeof(T)}) == 0 &&
            pwrite(fd_, header.data(), header.size(), 0) == begin_;
  }
  ~SparseArray() { close(fd_); }
  SparseArray(const SparseArray&) = delete;
  SparseArray& operator=(const SparseArray&) = delete;

  bool good() const { return good_; }
  void put(int64_t index, const std::vector<T>& values) {
    const size_t bytes = values.size() * sizeof(T);
    good_ = good_ && pwrite(fd_, values.data(), bytes, begin_ + index * int64_t{sizeof(T)}) ==
                         static_cast<ssize_t>(bytes);
  }

 private:
  int fd_ = -1;
  int64_t begin_ = 0;
  bool good_ = false;
};

// In rows of targets, without ids of edges and with narrow indices; or in rows of sources, with ids
// that go backwards and wide indices.
class LargeGraph {
 public:
  explicit LargeGraph(bool csr)
      : csr_(csr), indptr_(make_indptr(true)), small_(make_indptr(false)) {
    good_ = csr ? write<int64_t>() : write<int32_t>();
  }

  bool good() const { return good_; }
  int64_t num_edges() const { return indptr_.back(); }
  int64_t begin(int64_t node) const { return indptr_[static_cast<size_t>(node)]; }
  int64_t degree(int64_t node) const { return begin(node + 1) - begin(node); }
  int64_t id_at(int64_t position) const { return csr_ ? num_edges() - 1 - position : position; }
  // The id that the edge has in the twin.
  int64_t twin_id(int64_t id) const {
    const int64_t position = id_at(id);
    const auto row = std::upper_bound(indptr_.begin(), indptr_.end(), position) - 1;
    const auto node = static_cast<size_t>(row - indptr_.begin());
    EXPECT_FALSE(is_hub(static_cast<int64_t>(node)));
    const int64_t twin = small_[node] + position - *row;
    return csr_ ? small_.back() - 1 - twin : twin;
  }

  std::shared_ptr<const Dataset> open_large(const std::shared_ptr<Context>& context) const {
    auto opened = open_dataset(context, folder_.path(), {});
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.take();
  }
  std::shared_ptr<const Dataset> twin(const std::shared_ptr<Context>& context) const {
    const auto count = static_cast<size_t>(small_.back());
    std::vector<int64_t> indices;
    std::vector<int64_t> ids;
    std::vector<float> weights(count);
    std::vector<int64_t> times(count);
    for (int64_t node = 0; node < kNodes; ++node) {
      const int64_t begin = small_[static_cast<size_t>(node)];
      for (int64_t i = 0; begin + i < small_[static_cast<size_t>(node) + 1]; ++i) {
        const int64_t id = csr_ ? small_.back() - 1 - begin - i : begin + i;
        indices.push_back(neighbor_of(node, i));
        ids.push_back(id);
        weights[static_cast<size_t>(id)] = weight_of(node, i);
        times[static_cast<size_t>(id)] = time_of(node, i);
      }
    }
    NodeType nodes;
    nodes.name = "n";
    nodes.count = kNodes;
    EdgeType edges;
    edges.name = {"n", "e", "n"};
    edges.joined = edges.name.joined();
    edges.count = small_.back();
    const auto narrow = std::vector<int32_t>(indices.begin(), indices.end());
    (csr_ ? edges.csr : edges.csc) =
        Topology::make(tensor_of(small_, kInt64),
                       csr_ ? tensor_of(indices, kInt64) : tensor_of(narrow, kInt32),
                       csr_ ? tensor_of(ids, kInt64) : Tensor(), kNodes, edges.count, kNodes,
                       "twin")
            .take();
    edges.columns = {{"w", GLS_ROLE_WEIGHT, tensor_of(weights, kFloat32)},
                     {"t", GLS_ROLE_TIME, tensor_of(times, kInt64)}};
    return Dataset::create(context, {nodes}, {edges}).take();
  }

 private:
  template <typename Index>
  bool write() {
    const int64_t count = num_edges();
    SparseArray<int64_t> indptr(folder_.file("indptr.npy"), kInt64, kNodes + 1);
    indptr.put(0, indptr_);
    SparseArray<Index> indices(folder_.file("indices.npy"), sizeof(Index) == 8 ? kInt64 : kInt32,
                               count);
    SparseArray<int64_t> ids(folder_.file("ids.npy"), kInt64, count);
    SparseArray<float> weights(folder_.file("w.npy"), kFloat32, count);
    SparseArray<int64_t> times(folder_.file("t.npy"), kInt64, count);
    for (int64_t node = 0; node < kNodes; ++node) {
      if (is_hub(node) || degree(node) == 0) {
        continue;
      }
      std::vector<Index> row;
      std::vector<int64_t> row_ids;
      std::vector<float> row_weights;  // by id
      std::vector<int64_t> row_times;
      for (int64_t i = 0; i < degree(node); ++i) {
        row.push_back(static_cast<Index>(neighbor_of(node, i)));
        row_ids.push_back(id_at(begin(node) + i));
        const int64_t of = csr_ ? degree(node) - 1 - i : i;
        row_weights.push_back(weight_of(node, of));
        row_times.push_back(time_of(node, of));
      }
      const int64_t first_id = std::min(row_ids.front(), row_ids.back());
      indices.put(begin(node), row);
      ids.put(begin(node), row_ids);
      weights.put(first_id, row_weights);
      times.put(first_id, row_times);
    }
    const auto array = [&](const char* name, const char* dtype, int64_t length) {
      return formatted(R"({{"file": "{}.npy", "dtype": "{}", "shape": [{}]}})", name, dtype,
                       length);
    };
    const auto column = [&](const char* name, const char* role, const char* dtype) {
      return formatted(R"({{"name": "{}", "role": "{}", "row_shape": [], "array": {}}})", name,
                       role, array(name, dtype, count));
    };
    const std::string topology =
        formatted(R"("{}": {{"indptr": {}, "indices": {}{}}})", csr_ ? "csr" : "csc",
                  array("indptr", "int64", kNodes + 1),
                  array("indices", sizeof(Index) == 8 ? "int64" : "int32", count),
                  csr_ ? R"(, "edge_ids": )" + array("ids", "int64", count) : std::string());
    folder_.write("manifest.json",
                  formatted(R"({{"format": "gls-dataset", "version": 1,
                      "node_types": [{{"name": "n", "count": {}, "columns": []}}],
                      "edge_types": [{{"source": "n", "relation": "e", "target": "n",
                                       "count": {}, {}, "columns": [{}, {}]}}]}})",
                            kNodes, count, topology, column("w", "weight", "float32"),
                            column("t", "time", "int64")));
    return indptr.good() && indices.good() && ids.good() && weights.good() && times.good();
  }

  bool csr_;
  std::vector<int64_t> indptr_;
  std::vector<int64_t> small_;
  TempFolder folder_;
  bool good_ = false;
};

// Both, or none where files cannot have holes of 2^36 bytes.
class LargeGraphs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const bool csr : {false, true}) {
      graphs()[csr ? 1 : 0] = std::make_unique<LargeGraph>(csr);
    }
  }
  static void TearDownTestSuite() {
    graphs()[0].reset();
    graphs()[1].reset();
  }
  void SetUp() override {
    if (!graphs()[0]->good() || !graphs()[1]->good()) {
      GTEST_SKIP() << "there can be no sparse files of 69 GB in " << testing::TempDir();
    }
  }
  static const LargeGraph& graph(bool csr) { return *graphs()[csr ? 1 : 0]; }

 private:
  static std::array<std::unique_ptr<LargeGraph>, 2>& graphs() {
    static std::array<std::unique_ptr<LargeGraph>, 2> both;
    return both;
  }
};

// ---- batches of both are the same --------------------------------------------------------------

using IdMap = std::function<int64_t(int64_t)>;

// All numbers of a batch, with the ids of edges as `edge` maps them.
std::vector<int64_t> numbers_of(const Batch& batch, const IdMap& edge) {
  std::vector<int64_t> out;
  const auto add = [&](const Tensor& tensor, bool edges) {
    const int64_t elements = tensor.defined() ? tensor.rows() * tensor.row_elements() : -1;
    out.push_back(elements);
    const IdSpan ids(tensor.data(), tensor.defined() && same_dtype(tensor.dtype(), kInt64),
                     elements);
    for (int64_t i = 0; i < elements; ++i) {
      out.push_back(edges && ids[i] >= 0 ? edge(ids[i]) : ids[i]);
    }
  };
  add(batch.nodes[0].node, false);
  add(batch.nodes[0].tree, false);
  add(batch.nodes[0].seed, false);
  add(batch.nodes[0].num_nodes, false);
  add(batch.edges[0].row(), false);
  add(batch.edges[0].col(), false);
  add(batch.edges[0].edge, true);
  add(batch.edges[0].num_edges, false);
  if (!batch.links.empty()) {
    add(batch.links[0].source, false);
    add(batch.links[0].target, false);
    add(batch.links[0].negative, false);
  }
  if (batch.walks.has_value()) {
    add(batch.walks->walk, false);
    add(batch.walks->edge, true);
  }
  if (!batch.near.empty()) {
    add(batch.near[0].seed, false);
    add(batch.near[0].node, false);
    const Tensor& score = batch.near[0].score;
    for (int64_t i = 0; i < 2 * score.rows(); ++i) {
      out.push_back(static_cast<int64_t>(score.as<float>()[i] * 1e6F));
    }
  }
  return out;
}

struct Way {
  const char* name;
  std::function<void(SamplerOptions&)> change;
};

std::vector<Way> ways() {
  const auto no_fanouts = [](SamplerOptions& options) {
    options.num_hops = 0;
    options.fanouts.clear();
  };
  return {
      {"uniform", [](SamplerOptions&) {}},
      {"int32", [](SamplerOptions& o) { o.int32 = true; }},
      {"disjoint", [](SamplerOptions& o) { o.disjoint = true; }},
      {"replaced", [](SamplerOptions& o) { o.replace = Replace::kAlways; }},
      {"long_fanout",
       [](SamplerOptions& o) {
         o.num_hops = 1;
         o.fanouts = {{2000}};
       }},
      {"all",
       [](SamplerOptions& o) {
         o.num_hops = 1;
         o.fanouts = {{-1}};
       }},
      {"weighted", [](SamplerOptions& o) { o.weight = "w"; }},
      {"weighted_replaced",
       [](SamplerOptions& o) {
         o.weight = "w";
         o.replace = Replace::kAbove;
       }},
      {"in_time",
       [](SamplerOptions& o) {
         o.edge_time = "t";
         o.disjoint = true;
       }},
      {"last",
       [](SamplerOptions& o) {
         o.edge_time = "t";
         o.time_strategy = TimeStrategy::kLast;
         o.disjoint = true;
       }},
      {"by_layer", [](SamplerOptions& o) { o.pick = Pick::kLayer; }},
      {"by_layer_weighted",
       [](SamplerOptions& o) {
         o.pick = Pick::kLayer;
         o.weight = "w";
       }},
      {"induced", [](SamplerOptions& o) { o.subgraph = Subgraph::kInduced; }},
      {"bidirectional", [](SamplerOptions& o) { o.subgraph = Subgraph::kBidirectional; }},
      {"walks",
       [=](SamplerOptions& o) {
         no_fanouts(o);
         o.walk.emplace();
         o.walk->length = 9;
         o.walk->walks = 5;
       }},
      {"biased_walks",
       [=](SamplerOptions& o) {
         no_fanouts(o);
         o.walk.emplace();
         o.walk->length = 9;
         o.walk->p = 0.25;
         o.weight = "w";
       }},
      {"importance",
       [=](SamplerOptions& o) {
         no_fanouts(o);
         o.edge_ids = false;
         o.importance.emplace();
         o.importance->neighbors = 8;
       }},
      {"ppr",
       [=](SamplerOptions& o) {
         no_fanouts(o);
         o.edge_ids = false;
         o.ppr.emplace();
         o.ppr->neighbors = 20;
         o.ppr->epsilon = 1e-3;
         o.ppr->row_limit = 1000;
       }},
      {"budgets",
       [=](SamplerOptions& o) {
         no_fanouts(o);
         o.hgt.emplace();
         o.hgt->num_hops = 2;
         o.hgt->samples = {{12, 12}};
       }},
  };
}

std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                            const SamplerOptions& options) {
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  return sampler.take();
}

IdSpan span_of(const std::vector<int64_t>& ids) {
  return {ids.data(), true, static_cast<int64_t>(ids.size())};
}

TEST_F(LargeGraphs, RowsFarOutAreSampledAsRowsInFront) {
  const std::vector<int64_t> seeds = {1, 2, 4, 5, 6, 7, 9, 10, 50, 110, 70000};
  const std::vector<int64_t> times = {4, 60, 7, 90, 20, 5, 70, 50, 3, 99, 1};
  for (const bool csr : {false, true}) {
    const LargeGraph& large = graph(csr);
    const auto expected_from = large.twin(make_context(1));
    for (const char* simd : {"plain", "avx2", "avx512"}) {
      const auto context = make_context(1);
      ASSERT_TRUE(context->set("cpu.simd", simd).ok());
      const auto dataset = large.open_large(context);
      for (const Way& way : ways()) {
        SamplerOptions options;
        options.seed = 5;
        options.num_hops = 3;
        options.fanouts = {{12, 7, 40}};
        options.edge_ids = true;
        options.direction = csr ? Direction::kOut : Direction::kIn;
        way.change(options);
        const auto sampler = make_sampler(dataset, options);
        const auto twin = make_sampler(expected_from, options);
        for (uint64_t number = 0; number < 2; ++number) {
          SampleRequest request;
          request.batch = number;
          request.seeds = {{0, span_of(seeds), options.temporal() ? span_of(times) : IdSpan()}};
          auto batch = sampler->sample(request);
          ASSERT_TRUE(batch.ok()) << way.name << ": " << batch.status().message();
          const auto found = numbers_of(**batch, [&](int64_t id) { return large.twin_id(id); });
          const auto expected = numbers_of(**twin->sample(request), [](int64_t id) { return id; });
          ASSERT_EQ(found == expected, true) << way.name << " " << simd << " csr " << csr;
          ASSERT_GT(found.size(), seeds.size() + 10) << way.name;
        }
      }
    }
  }
}

// Where the dataset's ids do not fit in int32, they stay int64 though the rest is int32.
TEST_F(LargeGraphs, EdgeIdsThatDoNotFitStayWide) {
  for (const bool walk : {false, true}) {
    SamplerOptions options;
    options.int32 = true;
    options.edge_ids = true;
    if (walk) {
      options.walk.emplace();
      options.walk->length = 2;
    } else {
      options.num_hops = 1;
      options.fanouts = {{3}};
    }
    const auto sampler = make_sampler(graph(false).open_large(make_context(1)), options);
    const std::vector<int64_t> seeds = {9};
    SampleRequest request;
    request.seeds = {{0, span_of(seeds)}};
    const auto batch = *sampler->sample(request);
    EXPECT_TRUE(same_dtype(batch->nodes[0].node.dtype(), kInt32));
    EXPECT_TRUE(same_dtype(batch->edges[0].row().dtype(), kInt32));
    const Tensor& ids = walk ? batch->walks->edge : batch->edges[0].edge;
    EXPECT_TRUE(same_dtype(ids.dtype(), kInt64));
    EXPECT_GT(values_of(ids)[0], k33);
  }
}

// ---- hubs of up to 2^32 neighbours --------------------------------------------------------------

TEST_F(LargeGraphs, HubsArePickedFromAllOver) {
  for (const bool csr : {false, true}) {
    const LargeGraph& large = graph(csr);
    const auto dataset = large.open_large(make_context(1));
    for (const Replace replace : {Replace::kNever, Replace::kAlways}) {
      SamplerOptions options;
      options.seed = 8;
      options.num_hops = 1;
      options.fanouts = {{1000}};
      options.direction = csr ? Direction::kOut : Direction::kIn;
      options.replace = replace;
      // Ids of hubs are not written in the other graph: only that there are so many edges.
      options.edge_ids = !csr;
      const auto sampler = make_sampler(dataset, options);
      const std::vector<int64_t> seeds = {0, 3, 8};
      SampleRequest request;
      request.seeds = {{0, span_of(seeds)}};
      const auto batch = *sampler->sample(request);
      EXPECT_EQ(values_of(batch->nodes[0].node), seeds);  // and all neighbours are node 0
      const Tensor edge_rows = csr ? batch->edges[0].row() : batch->edges[0].col();
      ASSERT_EQ(edge_rows.rows(), 3000);
      const std::vector<int64_t> ids =
          csr ? std::vector<int64_t>() : values_of(batch->edges[0].edge);
      for (size_t s = 0; s < seeds.size() && !csr; ++s) {
        const std::vector<int64_t> own(ids.begin() + static_cast<int64_t>(1000 * s),
                                       ids.begin() + static_cast<int64_t>(1000 * (s + 1)));
        std::array<int, 10> tenths{};
        for (const int64_t id : own) {
          const int64_t index = id - large.begin(seeds[s]);
          ASSERT_TRUE(index >= 0 && index < large.degree(seeds[s])) << id;
          ++tenths[static_cast<size_t>(index / (large.degree(seeds[s]) / 10 + 1))];
        }
        // 1000 draws: each tenth has 100, and less than 50 with probability 1e-9.
        EXPECT_GT(*std::min_element(tenths.begin(), tenths.end()), 50);
        EXPECT_EQ(std::set<int64_t>(own.begin(), own.end()).size(), own.size());
        // The positions are those of docs/contract.md, counted from the row's begin.
        RowPicker picker;
        std::vector<int64_t> expected;
        picker.uniform({static_cast<uint64_t>(seeds[s]),
                        batch_key(8, 0, 0),
                        row_word(0, 0),
                        large.begin(seeds[s]),
                        large.degree(seeds[s]),
                        1000,
                        replace,
                        {}},
                       &expected);
        EXPECT_EQ(own, expected);
      }
    }
  }
}

// Weights of so many edges are refused before they are read.
TEST_F(LargeGraphs, WeightsOfTooManyNeighboursAreRefused) {
  const auto dataset = graph(false).open_large(make_context(1));
  const std::vector<int64_t> hub = {8};
  for (const bool walk : {false, true}) {
    SamplerOptions options;
    options.weight = "w";
    if (walk) {
      options.walk.emplace();
      options.walk->length = 1;
    } else {
      options.num_hops = 1;
      options.fanouts = {{5}};
    }
    SampleRequest request;
    request.seeds = {{0, span_of(hub)}};
    auto batch = make_sampler(dataset, options)->sample(request);
    ASSERT_FALSE(batch.ok());
    EXPECT_EQ(batch.status().code(), GLS_ERR_UNSUPPORTED);
    EXPECT_NE(batch.status().message().find("node 8 has 4295"), std::string::npos)
        << batch.status().message();
  }
}

// ---- questions, exclusions, links and loaders --------------------------------------------------

TEST_F(LargeGraphs, QuestionsOfEdgesFarOut) {
  const LargeGraph& large = graph(false);
  const auto dataset = large.open_large(make_context(1));
  std::vector<int64_t> ids;
  std::vector<int64_t> expected_sources;
  std::vector<int64_t> expected_targets;
  for (const int64_t node : {1, 2, 4, 5, 6, 9, 10, 60, 110}) {
    for (int64_t i = 0; i < std::min<int64_t>(large.degree(node), 20); ++i) {
      ids.push_back(large.begin(node) + i);
      expected_sources.push_back(neighbor_of(node, i));
      expected_targets.push_back(node);
    }
  }
  for (const int64_t id :
       {int64_t{0}, k31 - 4, k32 - 5, kHubEnd - 1}) {  // the hubs' first and last
    ids.push_back(id);
    expected_sources.push_back(0);
    expected_targets.push_back(id < k31 ? 0 : id < k32 ? 3 : 8);
  }
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  ASSERT_TRUE(edge_ends(*dataset, 0, span_of(ids), "edges", &sources, &targets).ok());
  EXPECT_EQ(sources, expected_sources);
  EXPECT_EQ(targets, expected_targets);
  const std::vector<int64_t> beyond = {large.num_edges()};
  EXPECT_EQ(edge_ends(*dataset, 0, span_of(beyond), "edges", &sources, &targets).code(),
            GLS_ERR_INVALID_ARGUMENT);

  const std::vector<int64_t> nodes = {0, 1, 3, 8, 110};
  EXPECT_EQ(degrees(*dataset, 0, Layout::kCsc, span_of(nodes)).take(),
            (std::vector<int64_t>{k31 - 3, 8, large.degree(3), large.degree(8), 10}));
  EXPECT_GT(large.degree(8), k32);

  const auto pairs = static_cast<int64_t>(expected_sources.size()) - 4;  // not in the hubs' rows
  const std::vector<uint8_t> found = has_edges(*dataset, 0, {expected_sources.data(), true, pairs},
                                               {expected_targets.data(), true, pairs})
                                         .take();
  EXPECT_EQ(std::count(found.begin(), found.end(), 1), pairs);
}

TEST_F(LargeGraphs, ExclusionsFarOut) {
  const LargeGraph& large = graph(false);
  const auto dataset = large.open_large(make_context(1));
  const auto twin = large.twin(make_context(1));
  const std::vector<int64_t> seeds = {1, 4, 9, 10, 110};
  for (const bool by_pairs : {false, true}) {
    std::vector<int64_t> out;
    std::vector<int64_t> twin_out;
    for (const int64_t node : seeds) {
      for (int64_t i = 0; i < large.degree(node); i += 3) {
        if (by_pairs) {
          out.push_back(neighbor_of(node, i));
        } else {
          out.push_back(large.begin(node) + i);
          twin_out.push_back(large.twin_id(large.begin(node) + i));
        }
      }
    }
    const auto count = static_cast<int64_t>(out.size());
    for (const int64_t node : by_pairs ? seeds : std::vector<int64_t>()) {
      out.insert(out.end(), static_cast<size_t>((large.degree(node) + 2) / 3), node);
    }
    const auto sets_of = [&](const std::vector<int64_t>& ids) {
      return std::vector<EdgeSet>{
          {0, by_pairs ? tensor(ids, kInt64, {2, count}) : tensor_of(ids, kInt64)}};
    };
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{6}};
    options.edge_ids = true;
    const auto sampler = make_sampler(dataset, options);
    const auto twin_sampler = make_sampler(twin, options);
    SampleRequest request;
    request.seeds = {{0, span_of(seeds)}};
    request.exclude = sets_of(out);
    SampleRequest twin_request = request;
    twin_request.exclude = sets_of(by_pairs ? out : twin_out);
    auto batch = sampler->sample(request);
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    EXPECT_EQ(numbers_of(**batch, [&](int64_t id) { return large.twin_id(id); }),
              numbers_of(**twin_sampler->sample(twin_request), [](int64_t id) { return id; }));
    for (const int64_t id :
         by_pairs ? std::vector<int64_t>() : values_of((*batch)->edges[0].edge)) {
      EXPECT_EQ(std::count(out.begin(), out.end(), id), 0) << id;
    }
  }
}

TEST_F(LargeGraphs, LinksFarOutAndNegativesByTheirDegrees) {
  const LargeGraph& large = graph(false);
  const auto dataset = large.open_large(make_context(1));
  std::vector<int64_t> ids;
  for (const int64_t node : {1, 4, 9, 110}) {
    ids.push_back(large.begin(node) + 7);
  }
  SamplerOptions options;
  options.seed = 3;
  options.num_hops = 1;
  options.fanouts = {{4}};
  options.edge_ids = true;
  options.exclude_links = true;
  options.negatives.mode = NegativeMode::kTriplet;
  options.negatives.amount = 100;
  options.negatives.degree_quarters = 2;
  const auto sampler = make_sampler(dataset, options);
  SampleRequest request;
  request.links = {LinkSet{0, tensor_of(ids, kInt64), {}, {}}};
  auto batch = sampler->sample(request);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  const std::vector<int64_t> nodes = values_of((*batch)->nodes[0].node);
  const std::vector<int64_t> targets = values_of((*batch)->links[0].target);
  const std::vector<int64_t> sources = values_of((*batch)->links[0].source);
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t node = nodes[static_cast<size_t>(targets[i])];
    EXPECT_EQ(node, (std::vector<int64_t>{1, 4, 9, 110})[i]);
    EXPECT_EQ(nodes[static_cast<size_t>(sources[i])], neighbor_of(node, 7));
  }
  for (const int64_t id : values_of((*batch)->edges[0].edge)) {
    EXPECT_EQ(std::count(ids.begin(), ids.end(), id), 0) << id;
  }
  // The square roots of the hubs' degrees are 46341, 46340 and 65535, of all others together 1000:
  // nearly all negatives are hubs, each in its proportion. 5 standard deviations.
  const Tensor& negative = (*batch)->links[0].negative;
  std::map<int64_t, int> times;
  for (int64_t i = 0; i < 400; ++i) {
    const IdSpan drawn(negative.data(), true, 400);
    ++times[nodes[static_cast<size_t>(drawn[i])]];
  }
  EXPECT_NEAR(times[0], 117, 46);
  EXPECT_NEAR(times[3], 117, 46);
  EXPECT_NEAR(times[8], 165, 50);
  EXPECT_GT(times[0] + times[3] + times[8], 380);
}

// An epoch of all edges: its order is computed and not stored.
TEST_F(LargeGraphs, ALoaderOfAllEdgesReachesThemAll) {
  const LargeGraph& large = graph(false);
  const auto dataset = large.open_large(make_context(1));
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{3}};
  options.edge_ids = true;
  options.int32 = true;
  const auto sampler = make_sampler(dataset, options);
  const auto edges = static_cast<uint64_t>(large.num_edges());
  for (const bool shuffle : {false, true}) {
    LoaderOptions loading;
    loading.edge_type = 0;
    loading.plan.batch_size = 64;
    loading.plan.shuffle = shuffle;
    loading.columns = {{false, 0, dataset->edge_types()[0].find_column("w"), false, kFloat32}};
    auto made = Loader::create(sampler, Tensor(), loading);
    ASSERT_TRUE(made.ok()) << made.status().message();
    const auto loader = made.take();
    EXPECT_EQ(loader->counts().batches, (edges + 63) / 64);
    EXPECT_EQ(loader->counts().seeds, edges);
    std::set<int64_t> met;
    int64_t largest = 0;
    for (const uint64_t number : {uint64_t{0}, uint64_t{k31} / 64, edges / 64 - 1, edges / 64}) {
      auto batch = loader->sample(1, number);
      ASSERT_TRUE(batch.ok()) << batch.status().message();
      const std::vector<int64_t> input = values_of((*batch)->inputs[0].positions);
      ASSERT_EQ(input.size(), number == edges / 64 ? edges % 64 : 64u);
      for (size_t i = 0; i < input.size(); ++i) {
        EXPECT_TRUE(met.insert(input[i]).second);
        EXPECT_LT(input[i], large.num_edges());
        EXPECT_TRUE(shuffle || input[i] == static_cast<int64_t>(64 * number + i));
        largest = std::max(largest, input[i]);
      }
      const std::vector<int64_t> ids = values_of((*batch)->edges[0].edge);
      const float* const weights = (*batch)->columns[0].data.as<float>();
      ASSERT_EQ((*batch)->columns[0].data.rows(), static_cast<int64_t>(ids.size()));
      for (size_t i = 0; i < ids.size(); ++i) {
        std::vector<int64_t> source;
        std::vector<int64_t> target;
        ASSERT_TRUE(edge_ends(*dataset, 0, span_of({ids[i]}), "edges", &source, &target).ok());
        const float expected =
            is_hub(target[0]) ? 0 : weight_of(target[0], ids[i] - large.begin(target[0]));
        ASSERT_EQ(weights[i], expected) << ids[i];
      }
    }
    EXPECT_GT(largest, shuffle ? k32 : k33);
  }
}

}  // namespace
}  // namespace gls::test
