#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "format/npy.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

// A dataset folder with all kinds of arrays, in which tests then change single values.
class Folder {
 public:
  explicit Folder(unsigned threads = 2, size_t num_edges = 3000) : context_(context_of(threads)) {
    const EdgeList edges = random_edges(num_edges, 200, 200, 1);
    std::string nodes;
    for (int i = 0; i < 200; ++i) {
      nodes += formatted("n{}\n", i * 7 % 200);
    }
    folder_.write("nodes", nodes);
    Builder builder(context_);
    NodeTypeOptions strings;
    strings.ids = NodeIds::kString;
    EXPECT_OK(builder.add_node_type("n", strings));
    TextOptions no_header;
    no_header.header = Header::kNo;
    EXPECT_OK(builder.add_nodes_text("n", folder_.file("nodes"), no_header));
    EXPECT_OK(builder.add_edges("n__e__n", ids64(edges.source), ids64(edges.target), false));
    EXPECT_OK(builder.add_edge_column("n__e__n", "w", GLS_ROLE_WEIGHT,
                                      tensor(std::vector<float>(num_edges, 1), kFloat32)));
    EXPECT_OK(builder.add_id_set("n", "train", ids64({5, 6, 7})));
    EXPECT_OK(builder.write(path(), both_layouts()));
  }

  std::string path() const { return folder_.file("d"); }
  std::string file(const std::string& name) const { return path() + "/" + name; }

  // Overwrites one element, without a trace in the checksums when `recompute` is set.
  template <typename T>
  void put(const std::string& name, int64_t index, T value) const {
    std::fstream out(file(name), std::ios::binary | std::ios::in | std::ios::out);
    ASSERT_TRUE(out.is_open()) << name;
    out.seekp(static_cast<std::streamoff>(offset(name) + static_cast<size_t>(index) * sizeof(T)));
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  T get(const std::string& name, int64_t index) const {
    T value{};
    const std::string bytes = read_file(file(name));
    std::memcpy(&value, bytes.data() + offset(name) + static_cast<size_t>(index) * sizeof(T),
                sizeof value);
    return value;
  }
  // Without checksums, so that it is the contents that are checked.
  void forget_checksums() const {
    std::string text = read_file(file("manifest.json"));
    for (size_t at = 0; (at = text.find("\"xxh3\"", at)) != std::string::npos;) {
      const size_t comma = text.rfind(',', at);
      const size_t end = text.find('"', text.find('"', text.find(':', at)) + 1) + 1;
      text.erase(comma, end - comma);
      at = comma;
    }
    std::ofstream(file("manifest.json"), std::ios::binary) << text;
  }
  Status verify(Residency residency = Residency::kMapped) const {
    OpenOptions options;
    options.residency = residency;
    auto opened = open_dataset(context_, path(), options);
    if (!opened.ok()) {
      return std::move(opened.status());
    }
    return verify_dataset(**opened, {});
  }
  void expect_fault(const std::string& name, const std::string& part,
                    Residency residency = Residency::kMapped) const {
    const Status status = verify(residency);
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << status.message();
    EXPECT_MESSAGE(status, file(name) + ": " + part);
    ASSERT_NE(status.detail("file"), nullptr);
    EXPECT_EQ(*status.detail("file"), file(name));
  }

 private:
  size_t offset(const std::string& name) const {
    const std::string bytes = read_file(file(name));
    return parse_npy_header(std::as_bytes(std::span(bytes)), name)->data_offset;
  }
  std::shared_ptr<Context> context_;
  TempFolder folder_;
};

TEST(Verify, PassesWhatIsSound) {
  const Folder folder;
  EXPECT_OK(folder.verify());
  EXPECT_OK(folder.verify(Residency::kTopology));
  EXPECT_OK(folder.verify(Residency::kAll));
  folder.forget_checksums();
  EXPECT_OK(folder.verify());
}

TEST(Verify, ComparesChecksums) {
  for (const char* name :
       {"edges/n__e__n/csc/indptr.npy", "edges/n__e__n/csc/indices.npy",
        "edges/n__e__n/csc/edge_ids.npy", "edges/n__e__n/csr/indices.npy",
        "edges/n__e__n/columns/w.npy", "nodes/n/sets/train.npy", "nodes/n/keys/values.npy",
        "nodes/n/keys/offsets.npy", "nodes/n/keys/order.npy"}) {
    const Folder folder;
    folder.put<uint8_t>(name, 13, static_cast<uint8_t>(folder.get<uint8_t>(name, 13) ^ 1));
    folder.expect_fault(name, "checksum is");
  }
}

TEST(Verify, FindsDamagedTopology) {
  for (const std::string layout : {"csc", "csr"}) {
    const std::string base = "edges/n__e__n/" + layout + "/";
    const auto spoiled = [&](const std::string& array, int64_t at, auto value,
                             const std::string& part) {
      const Folder folder;
      folder.forget_checksums();
      folder.put(base + array + ".npy", at, value);
      folder.expect_fault(base + array + ".npy", part);
    };
    spoiled("indptr", 100, int64_t{-5}, "entry 100 is -5, less than the entry before it");
    spoiled("indptr", 100, int64_t{1} << 50, "entry 101 is");
    spoiled("indices", 77, int32_t{200}, "node id 200 at position 77 is outside [0, 200)");
    spoiled("indices", 77, int32_t{-1}, "node id -1 at position 77");
    spoiled("edge_ids", 50, int32_t{3000}, "edge id 3000 at position 50 is outside [0, 3000)");
    spoiled("edge_ids", 50, int32_t{-1}, "edge id -1 at position 50");
  }
}

TEST(Verify, FindsEdgeIdsUsedTwice) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    const Folder folder(threads, 600'000);
    folder.forget_checksums();
    const std::string name = "edges/n__e__n/csc/edge_ids.npy";
    const auto id = folder.get<int32_t>(name, 400'000);
    folder.put(name, 500'000, id);
    folder.expect_fault(name, formatted("edge id {} at position 500000 occurs before", id));
  }
}

TEST(Verify, ComparesBothLayouts) {
  const Folder folder;
  folder.forget_checksums();
  const std::string name = "edges/n__e__n/csc/edge_ids.npy";
  // Two edges of different nodes change their ids: every id is still used once.
  const auto a = folder.get<int32_t>(name, 10);
  const auto b = folder.get<int32_t>(name, 2500);
  folder.put(name, 10, b);
  folder.put(name, 2500, a);
  const Status status = folder.verify();
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status, formatted("csc/indices.npy: edge {} at position 10 goes from", b));
  EXPECT_MESSAGE(status, "csr/indices.npy");
}

TEST(Verify, ChecksIdSetsAndWeights) {
  {
    const Folder folder;
    folder.forget_checksums();
    folder.put("nodes/n/sets/train.npy", 1, int64_t{200});
    folder.expect_fault("nodes/n/sets/train.npy", "node id 200 at position 1 is outside [0, 200)");
  }
  for (const float bad : {-1.0f, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const Folder folder;
    folder.forget_checksums();
    folder.put("edges/n__e__n/columns/w.npy", 2000, bad);
    folder.put("edges/n__e__n/columns/w.npy", 2999, -5.0f);
    folder.expect_fault("edges/n__e__n/columns/w.npy", "weight ");
    EXPECT_MESSAGE(folder.verify(), "in row 2000 is negative or not finite");
    EXPECT_EQ(*folder.verify().detail("column"), "w");
  }
}

TEST(Verify, ChecksOriginalIds) {
  {
    const Folder folder;
    folder.forget_checksums();
    folder.put("nodes/n/keys/offsets.npy", 50, int64_t{-3});
    folder.expect_fault("nodes/n/keys/offsets.npy",
                        "entry 50 is -3, less than the entry before it");
  }
  {
    const Folder folder;
    folder.forget_checksums();
    folder.put("nodes/n/keys/order.npy", 0, int64_t{200});
    folder.expect_fault("nodes/n/keys/order.npy", "node id 200 at position 0 is outside [0, 200)");
  }
  {
    const Folder folder;
    folder.forget_checksums();
    const auto first = folder.get<int64_t>("nodes/n/keys/order.npy", 20);
    folder.put("nodes/n/keys/order.npy", 21, first);
    folder.expect_fault("nodes/n/keys/order.npy", "the key at position 21");
  }
  {
    const Folder folder;
    folder.forget_checksums();
    const auto letter = folder.get<char>("nodes/n/keys/values.npy", 0);
    EXPECT_EQ(letter, 'n');
    folder.put("nodes/n/keys/values.npy", 0, 'z');
    folder.expect_fault("nodes/n/keys/order.npy", "the key at position 1");
  }
  {
    const Folder folder;
    folder.forget_checksums();
    const auto last = folder.get<int64_t>("nodes/n/keys/order.npy", 199);
    folder.put("nodes/n/keys/values.npy", folder.get<int64_t>("nodes/n/keys/offsets.npy", last),
               '\xff');  // the order stays
    folder.expect_fault("nodes/n/keys/order.npy",
                        formatted("the key at position 199 (node {}) is not UTF-8", last));
  }
}

TEST(Verify, NamesTheFileOfPrivateCopies) {
  const auto expect_named = [](const std::string& name, int64_t at, auto value,
                               const std::string& part) {
    const Folder folder;
    folder.forget_checksums();
    folder.put(name, at, value);
    for (const Residency residency : {Residency::kMapped, Residency::kTopology, Residency::kAll}) {
      folder.expect_fault(name, part, residency);
    }
  };
  for (const std::string layout : {"csc", "csr"}) {
    const std::string base = "edges/n__e__n/" + layout + "/";
    expect_named(base + "indptr.npy", 100, int64_t{-5}, "entry 100 is -5");
    expect_named(base + "indices.npy", 5, int32_t{999}, "node id 999 at position 5");
    expect_named(base + "edge_ids.npy", 50, int32_t{-1}, "edge id -1 at position 50");
  }
  expect_named("edges/n__e__n/columns/w.npy", 2000, -1.0f, "weight -1 in row 2000");
  expect_named("nodes/n/sets/train.npy", 1, int64_t{200}, "node id 200 at position 1");
}

TEST(Verify, NamesArraysThatHaveNoFile) {
  auto indices = std::make_shared<std::vector<int64_t>>(std::vector<int64_t>{1, 0});
  Builder builder(context_of());
  EXPECT_OK(builder.add_topology("n__e__n", Layout::kCsc, ids64({0, 1, 2}),
                                 Tensor(indices, indices->data(), kInt64, {2}), Tensor()));
  auto dataset = builder.build({});
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  EXPECT_OK(verify_dataset(**dataset, {}));
  (*indices)[1] = 999;
  const Status status = verify_dataset(**dataset, {});
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status, "csc indices of \"n__e__n\": node id 999 at position 1");
  EXPECT_EQ(*status.detail("type"), "n__e__n");
  EXPECT_EQ(*status.detail("offset"), "1");
  EXPECT_EQ(status.detail("file"), nullptr);
}

#if defined(__x86_64__)
// Read as 0, a small negative weight would pass.
TEST(Verify, SeesDenormalWeightsInAnyFloatingPointMode) {
  const Folder folder;
  folder.forget_checksums();
  folder.put("edges/n__e__n/columns/w.npy", 2000, -1e-40f);
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);  // FTZ and DAZ
  const Status status = folder.verify();
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u);
  _mm_setcsr(mode);
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status, "in row 2000 is negative or not finite");
}
#endif

TEST(Verify, ReportsProgressAndStops) {
  const Folder folder;
  auto opened = open_dataset(context_of(), folder.path(), {});
  ASSERT_TRUE(opened.ok());
  std::vector<std::string> stages;
  EXPECT_OK(verify_dataset(**opened,
                           [&](const char* stage, uint64_t done, uint64_t total, const char* unit) {
                             if (stages.empty() || stages.back() != stage) {
                               stages.emplace_back(stage);
                             }
                             EXPECT_LE(done, total) << stage;
                             EXPECT_NE(std::string(unit), "");
                             return true;
                           }));
  EXPECT_EQ(stages, (std::vector<std::string>{"checking checksums", "checking id sets",
                                              "checking original ids", "checking edges",
                                              "checking weights"}));
  for (size_t stop_at = 0; stop_at < stages.size(); ++stop_at) {
    const Status status =
        verify_dataset(**opened, [&](const char* stage, uint64_t, uint64_t, const char*) {
          return stages[stop_at] != stage;
        });
    EXPECT_EQ(status.code(), GLS_ERR_CANCELED);
    EXPECT_MESSAGE(status, stages[stop_at]);
  }
}

}  // namespace
}  // namespace gls
