#include <gtest/gtest.h>

#include "ingest/sort/csc_sort.h"
#include "ingest/sort/sort_plan.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

// Edges whose ids are not their positions.
class ShuffledEdges : public EdgeSource {
 public:
  ShuffledEdges(const EdgeList& edges, unsigned seed) : edges_(edges), ids_(edges.size()) {
    std::iota(ids_.begin(), ids_.end(), 0);
    std::shuffle(ids_.begin(), ids_.end(), std::mt19937_64(seed));
  }
  int64_t size() const override { return static_cast<int64_t>(edges_.size()); }
  void read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const override {
    for (size_t i = 0; i < count; ++i) {
      const auto id = static_cast<size_t>(ids_[static_cast<size_t>(begin) + i]);
      if (sources != nullptr) {
        sources[i] = edges_.source[id];
      }
      if (targets != nullptr) {
        targets[i] = edges_.target[id];
      }
    }
  }
  bool has_ids() const override { return true; }
  void read_ids(int64_t begin, size_t count, int64_t* ids) const override {
    std::copy_n(ids_.begin() + begin, count, ids);
  }

 private:
  const EdgeList& edges_;
  std::vector<int64_t> ids_;
};

struct Case {
  int64_t rows = 0;
  int64_t neighbors = 0;
  bool wide_ids = false;
  uint64_t memory = uint64_t{64} << 20;
  unsigned threads = 2;
};

SortRequest request_of(const EdgeSource& edges, const Case& c, Layout layout) {
  SortRequest request;
  request.edges = &edges;
  request.layout = layout;
  request.num_rows = c.rows;
  request.num_neighbors = c.neighbors;
  request.wide_edge_ids = c.wide_ids;
  request.what = "the test";
  return request;
}

Result<Topology> sort_in_memory(const EdgeSource& edges, const Case& c, Layout layout) {
  const auto context = context_of(c.threads);
  GLS_ASSIGN(Workspace workspace, Workspace::create(*context, c.memory, "", {}));
  MemorySink sink(workspace);
  GLS_TRY(sort_edges(workspace, request_of(edges, c, layout), sink));
  return sink.finish("the test");
}

// The files a sort into a dataset folder gives, by name; "sort" scratch files would be among them.
Result<std::vector<std::pair<std::string, std::string>>> sort_to_files(const EdgeSource& edges,
                                                                       const Case& c,
                                                                       Layout layout) {
  const TempFolder folder;
  const auto context = context_of(c.threads);
  GLS_ASSIGN(DatasetWriter writer, DatasetWriter::create(folder.file("dataset"), false));
  GLS_ASSIGN(Workspace workspace,
             Workspace::create(*context, c.memory, writer.scratch_path(""), {}));
  FileSink sink(writer, "a__b__c", layout);
  GLS_TRY(sort_edges(workspace, request_of(edges, c, layout), sink));
  GLS_ASSIGN(auto manifest, sink.finish());
  std::vector<std::pair<std::string, std::string>> out;
  for (auto& [name, bytes] : folder_bytes(folder.path())) {
    out.emplace_back(name.substr(name.find('/') + 1), bytes);
  }
  return out;
}

Rows expected_rows(const EdgeList& edges, const Case& c, Layout layout) {
  return layout == Layout::kCsc ? sorted_rows(edges.target, edges.source, c.rows)
                                : sorted_rows(edges.source, edges.target, c.rows);
}

ArrayEdges arrays(const EdgeList& edges) { return {ids64(edges.source), ids32(edges.target)}; }

TEST(Sort, GivesRowsInOrderOfEdgeIds) {
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    for (const size_t count : {0u, 1u, 2u, 100u, 20000u}) {
      for (const int64_t nodes : {1, 7, 100000}) {
        const EdgeList edges = random_edges(count, nodes, nodes, 7);
        const ArrayEdges source = arrays(edges);
        const Case c{.rows = nodes, .neighbors = nodes};
        auto sorted = sort_in_memory(source, c, layout);
        ASSERT_TRUE(sorted.ok()) << sorted.status().message();
        expect_rows(*sorted, expected_rows(edges, c, layout));
        EXPECT_FALSE(sorted->wide_indices);
        EXPECT_FALSE(sorted->wide_edge_ids);
      }
    }
  }
}

TEST(Sort, LeavesOutEdgeIdsThatArePositions) {
  EdgeList edges = random_edges(1000, 50, 50, 1);
  std::sort(edges.target.begin(), edges.target.end());
  const Case c{.rows = 50, .neighbors = 50};
  const ArrayEdges source = arrays(edges);
  auto csc = sort_in_memory(source, c, Layout::kCsc);
  ASSERT_TRUE(csc.ok());
  EXPECT_EQ(csc->edge_ids, nullptr);
  expect_rows(*csc, expected_rows(edges, c, Layout::kCsc));
  auto csr = sort_in_memory(source, c, Layout::kCsr);
  ASSERT_TRUE(csr.ok());
  EXPECT_NE(csr->edge_ids, nullptr);
}

TEST(Sort, ChoosesWidths) {
  const EdgeList edges = random_edges(5000, 100, 100, 2);
  const ArrayEdges source = arrays(edges);
  for (const int64_t neighbors : {(int64_t{1} << 31) - 1, int64_t{1} << 31}) {
    for (const bool wide_ids : {false, true}) {
      const Case c{.rows = 100, .neighbors = neighbors, .wide_ids = wide_ids};
      auto sorted = sort_in_memory(source, c, Layout::kCsc);
      ASSERT_TRUE(sorted.ok());
      EXPECT_EQ(sorted->wide_indices, neighbors == int64_t{1} << 31);
      EXPECT_EQ(sorted->wide_edge_ids, wide_ids);
      expect_rows(*sorted, expected_rows(edges, c, Layout::kCsc));
    }
  }
}

TEST(Sort, KeepsNeighborsBeyondThirtyTwoBits) {
  EdgeList edges = random_edges(1000, 100, 10, 3);
  for (size_t i = 0; i < edges.size(); i += 2) {
    edges.source[i] += int64_t{5} << 32;
  }
  const ArrayEdges source(ids64(edges.source), ids64(edges.target));
  const Case c{.rows = 10, .neighbors = int64_t{6} << 32};
  auto sorted = sort_in_memory(source, c, Layout::kCsc);
  ASSERT_TRUE(sorted.ok());
  expect_rows(*sorted, expected_rows(edges, c, Layout::kCsc));
}

// The same bytes however little memory there is, and however many threads.
void expect_same_bytes(const EdgeList& edges, int64_t nodes) {
  const ArrayEdges source = arrays(edges);
  Case c{.rows = nodes, .neighbors = nodes};
  const Rows expected = expected_rows(edges, c, Layout::kCsc);
  auto in_memory = sort_in_memory(source, c, Layout::kCsc);
  ASSERT_TRUE(in_memory.ok());
  expect_rows(*in_memory, expected);
  auto first = sort_to_files(source, c, Layout::kCsc);
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->size(), 3u);  // nothing is left in scratch
  for (const unsigned threads : {1u, 2u, 5u}) {
    for (const uint64_t mib : {16, 18, 24, 40, 256}) {
      c.threads = threads;
      c.memory = mib << 20;
      auto files = sort_to_files(source, c, Layout::kCsc);
      ASSERT_TRUE(files.ok()) << files.status().message();
      EXPECT_TRUE(*files == *first) << mib << " MiB, " << threads << " threads";
    }
  }
  // In memory there is no room to spill: the edges are read again for each part.
  for (const uint64_t mib : {25, 29, 40}) {
    c.memory = mib << 20;
    auto sorted = sort_in_memory(source, c, Layout::kCsc);
    ASSERT_TRUE(sorted.ok()) << sorted.status().message();
    expect_rows(*sorted, expected);
  }
}

TEST(Sort, DoesNotDependOnMemoryOrThreads) {
  expect_same_bytes(random_edges(2'000'000, 30000, 30000, 4), 30000);
}

TEST(Sort, TakesRowsThatNoBucketHolds) {
  EdgeList edges = random_edges(2'000'000, 30000, 30000, 4);
  for (size_t i = 0; i < edges.size(); i += 3) {
    edges.target[i] = 12345;
  }
  expect_same_bytes(edges, 30000);
}

TEST(Sort, PutsExplicitIdsInOrder) {
  constexpr int64_t kNodes = 2000;
  const EdgeList edges = random_edges(1'500'000, kNodes, kNodes, 5);
  const ShuffledEdges source(edges, 6);
  for (const uint64_t mib : {24, 32, 256}) {
    const Case c{.rows = kNodes, .neighbors = kNodes, .memory = mib << 20};
    const Rows expected = expected_rows(edges, c, Layout::kCsr);
    auto sorted = sort_in_memory(source, {.rows = kNodes, .neighbors = kNodes}, Layout::kCsr);
    ASSERT_TRUE(sorted.ok());
    expect_rows(*sorted, expected);
    auto files = sort_to_files(source, c, Layout::kCsr);
    ASSERT_TRUE(files.ok()) << files.status().message();
    auto wide = sort_to_files(source, {.rows = kNodes, .neighbors = kNodes}, Layout::kCsr);
    EXPECT_TRUE(*files == *wide) << mib;
  }
}

TEST(Sort, SaysWhatDoesNotFit) {
  const EdgeList edges = random_edges(2'000'000, 1000, 1000, 7);
  const ArrayEdges source = arrays(edges);
  Case c{.rows = 1000, .neighbors = 1000, .memory = uint64_t{16} << 20};
  auto sorted = sort_in_memory(source, c, Layout::kCsc);  // 16 MB of output alone
  ASSERT_FALSE(sorted.ok());
  EXPECT_EQ(sorted.status().code(), GLS_ERR_OUT_OF_MEMORY);
  EXPECT_MESSAGE(sorted.status(), "memory bound of 16.0 MiB");

  // All edges of one row, in an order of their own: they must be in memory together.
  EdgeList star = random_edges(1'000'000, 1000, 1, 8);
  const ShuffledEdges shuffled(star, 9);
  c.rows = 1;
  auto files = sort_to_files(shuffled, c, Layout::kCsc);
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.status().code(), GLS_ERR_OUT_OF_MEMORY);
  EXPECT_MESSAGE(files.status(), "row 0 has 1000000 edges");

  auto tiny = Workspace::create(*context_of(), 1 << 20, "", {});
  ASSERT_FALSE(tiny.ok());
  EXPECT_EQ(tiny.status().code(), GLS_ERR_OUT_OF_MEMORY);
}

TEST(Sort, StarGraphsPassThrough) {
  EdgeList star = random_edges(1'000'000, 1000, 1, 10);
  star.target[999'999] = 2;
  const ArrayEdges source = arrays(star);
  const Case c{.rows = 3, .neighbors = 1000, .memory = uint64_t{16} << 20};
  auto little = sort_to_files(source, c, Layout::kCsc);
  ASSERT_TRUE(little.ok()) << little.status().message();
  auto plenty = sort_to_files(source, {.rows = 3, .neighbors = 1000}, Layout::kCsc);
  EXPECT_TRUE(*little == *plenty);
}

TEST(Sort, ManyEmptyRows) {
  EdgeList edges = random_edges(1000, 10, 10, 11);
  edges.target[500] = 19'999'999;
  const ArrayEdges source = arrays(edges);
  const Case c{.rows = 20'000'000, .neighbors = 10, .memory = uint64_t{16} << 20};
  auto files = sort_to_files(source, c, Layout::kCsc);
  ASSERT_TRUE(files.ok()) << files.status().message();
  auto plenty = sort_to_files(source, {.rows = 20'000'000, .neighbors = 10}, Layout::kCsc);
  EXPECT_TRUE(*files == *plenty);
}

TEST(Sort, StopsWhenAsked) {
  const EdgeList edges = random_edges(300'000, 1000, 1000, 12);
  const ArrayEdges source = arrays(edges);
  const auto context = context_of();
  int calls = 0;
  for (int stop_at = 1;; ++stop_at) {
    calls = 0;
    auto workspace = Workspace::create(
        *context, uint64_t{64} << 20, "",
        [&](const char*, uint64_t, uint64_t, const char*) { return ++calls < stop_at; });
    MemorySink sink(*workspace);
    const Case c{.rows = 1000, .neighbors = 1000};
    const Status status = sort_edges(*workspace, request_of(source, c, Layout::kCsc), sink);
    if (status.ok()) {
      break;
    }
    ASSERT_EQ(status.code(), GLS_ERR_CANCELED) << status.message();
  }
  EXPECT_GT(calls, 3);
}

TEST(SortPlan, FindsTheBucketOfEachRow) {
  const EdgeList edges = random_edges(500'000, 10, 300'000, 13);
  const ArrayEdges source = arrays(edges);
  const auto context = context_of();
  for (const uint64_t mib : {16, 200}) {
    auto workspace = Workspace::create(*context, mib << 20, "", {});
    for (const int64_t target : {10, 1000, 100000}) {
      const BucketLimits limits{target, 2 * target, 5000};
      auto plan = SortPlan::make(*workspace, source, Layout::kCsc, 300'000, limits);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      int64_t row = 0;
      int64_t base = 0;
      for (size_t i = 0; i < plan->buckets().size(); ++i) {
        const Bucket& bucket = plan->buckets()[i];
        ASSERT_EQ(bucket.row_begin, row);
        ASSERT_EQ(bucket.base, base);
        ASSERT_LE(bucket.num_rows(), limits.max_rows);
        if (bucket.count > limits.max_edges) {
          ASSERT_EQ(bucket.num_rows(), 1);
        }
        for (; row < bucket.row_end; ++row) {
          ASSERT_EQ(plan->bucket_of(row), i);
        }
        base += bucket.count;
      }
      EXPECT_EQ(row, 300'000);
      EXPECT_EQ(base, 500'000);
    }
  }
}

}  // namespace
}  // namespace gls
