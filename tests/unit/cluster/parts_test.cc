#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/philox.h"
#include "cluster/part/partitioned_dataset.h"
#include "format/npy.h"
#include "format/partition_file.h"
#include "graph/dataset/topology_query.h"
#include "graph/partition/partition.h"
#include "ingest/partition/merge_parts.h"
#include "ingest/partition/write_parts.h"
#include "ingest_support.h"
#include "loader/pipeline/loader.h"
#include "sanitized.h"

namespace gls {
namespace {

using namespace test;

#define ASSERT_OK(expr)                             \
  do {                                              \
    const ::gls::Status status_ = (expr);           \
    ASSERT_TRUE(status_.ok()) << status_.message(); \
  } while (false)

struct Shape {
  int64_t users = 60;
  int64_t items = 45;
  size_t edges = 700;
  bool csc = true;
  bool csr = false;
  bool edge_columns = true;
  bool columns = true;
};

// Two node types and three edge types, with columns of every kind, keys and id sets.
std::string write_graph(const TempFolder& folder, const Shape& shape) {
  Builder builder(context_of());
  std::string nodes;
  for (int64_t i = 0; i < shape.users; ++i) {
    nodes += formatted("u{}\n", (i * 7 + 3) % std::max<int64_t>(shape.users, 1));
  }
  NodeTypeOptions strings;
  strings.ids = NodeIds::kString;
  TextOptions no_header;
  no_header.header = Header::kNo;
  EXPECT_OK(builder.add_node_type("user", strings));
  EXPECT_OK(builder.add_nodes_text("user", folder.write("users", nodes), no_header));
  NodeTypeOptions counted;
  counted.num_nodes = shape.items;
  EXPECT_OK(builder.add_node_type("item", counted));
  EXPECT_OK(builder.add_node_type("none", {}));
  const auto floats = [](int64_t rows, int64_t width) {
    std::vector<float> values(static_cast<size_t>(rows * width));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i) / 8;
    }
    return tensor(std::move(values), kFloat32, {rows, width});
  };
  if (shape.columns) {
    // 30 floats are padded to two lines.
    EXPECT_OK(builder.add_node_column("user", "x", GLS_ROLE_FEATURE, floats(shape.users, 30)));
    std::vector<int64_t> numbers(static_cast<size_t>(shape.users));
    std::iota(numbers.begin(), numbers.end(), 100);
    EXPECT_OK(builder.add_node_column("user", "label", GLS_ROLE_LABEL, ids64(numbers)));
    EXPECT_OK(builder.add_node_column("user", "time", GLS_ROLE_TIME, ids64(numbers)));
    EXPECT_OK(builder.add_node_column("item", "x", GLS_ROLE_FEATURE, floats(shape.items, 3)));
    EXPECT_OK(builder.add_id_set("user", "train", ids64({5, 3, 9, 50 % shape.users})));
  }
  const auto add = [&](const std::string& name, int64_t sources, int64_t targets, unsigned seed) {
    const EdgeList edges = random_edges(shape.edges, sources, targets, seed);
    EXPECT_OK(builder.add_edges(name, ids64(edges.source), ids64(edges.target), false));
    if (shape.edge_columns) {
      const auto count = static_cast<int64_t>(shape.edges);
      EXPECT_OK(builder.add_edge_column(name, "f", GLS_ROLE_FEATURE, floats(count, 2)));
      std::vector<float> weights(shape.edges, 0.5F);
      EXPECT_OK(builder.add_edge_column(name, "f1", GLS_ROLE_FEATURE,
                                        tensor(std::vector<float>(shape.edges, 1), kFloat32)));
      EXPECT_OK(builder.add_edge_column(name, "w", GLS_ROLE_WEIGHT, tensor(weights, kFloat32)));
    }
  };
  const bool plain = shape.users > 0;
  if (plain) {
    add("user__likes__item", shape.users, shape.items, 1);
    add("item__near__item", shape.items, shape.items, 2);
    add("user__knows__user", shape.users, shape.users, 3);
  }
  EXPECT_OK(builder.add_edges("none__is__user", ids64({}), ids64({}), false));
  BuildOptions options;
  options.csc = shape.csc;
  options.csr = shape.csr;
  EXPECT_OK(builder.write(folder.file("whole"), options));
  return folder.file("whole");
}

std::shared_ptr<const Dataset> open(const std::string& path) {
  auto dataset = open_dataset(context_of(), path, {});
  EXPECT_TRUE(dataset.ok()) << dataset.status().message();
  return dataset.take();
}

std::vector<Tensor> owners_of(const Dataset& dataset, uint32_t parts, uint32_t used) {
  std::mt19937 random(7);
  std::vector<Tensor> out;
  for (const NodeType& type : dataset.node_types()) {
    std::vector<uint16_t> owners(static_cast<size_t>(type.count));
    for (uint16_t& owner : owners) {
      owner = static_cast<uint16_t>(random() % used);
    }
    out.push_back(parts <= 256 ? tensor(std::vector<uint8_t>(owners.begin(), owners.end()), kUint8)
                               : tensor(owners, kUint16));
  }
  return out;
}

void expect_same_folders(const std::string& one, const std::string& other) {
  const auto a = folder_bytes(one);
  const auto b = folder_bytes(other);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_TRUE(a[i].second == b[i].second) << a[i].first;
  }
}

// Cuts, verifies, merges and compares with what saving writes.
void round_trip(const Shape& shape, PartsOptions options, uint32_t used) {
  SCOPED_TRACE(formatted("{} parts, csc {}, csr {}, halo {}", options.parts, shape.csc, shape.csr,
                         options.halo_hops));
  const TempFolder folder;
  const auto whole = open(write_graph(folder, shape));
  ASSERT_OK(write_parts(*whole, owners_of(*whole, options.parts, used), folder.file("p"), options));
  ASSERT_OK(verify_parts(context_of(), folder.file("p"), {}));
  ASSERT_OK(merge_parts(context_of(), folder.file("p"), folder.file("merged"), {}));
  SaveOptions save;
  save.pad_rows = options.pad_rows;
  ASSERT_OK(save_dataset(*whole, folder.file("saved"), save));
  expect_same_folders(folder.file("saved"), folder.file("merged"));
}

TEST(Parts, MergeIntoWhatWasCut) {
  for (const auto& [csc, csr] : {std::pair(true, false), {false, true}, {true, true}}) {
    for (const uint32_t halo : {0U, 1U, 2U}) {
      Shape shape;
      shape.csc = csc;
      shape.csr = csr;
      PartsOptions options;
      options.parts = 3;
      options.halo_hops = halo;
      round_trip(shape, options, 3);
      options.hot_rows = 5;
      round_trip(shape, options, 3);
    }
  }
}

TEST(Parts, AnyNumber) {
  PartsOptions options;
  round_trip({}, options, 1);
  options.parts = 4;  // the last one owns nothing
  options.pad_rows = false;
  round_trip({}, options, 3);
  options.parts = 300;
  options.hot_fraction = 1;
  Shape small;
  small.edge_columns = false;
  small.columns = false;
  round_trip(small, options, 300);
}

TEST(Parts, WithoutColumns) {
  Shape shape;
  shape.edge_columns = false;
  shape.columns = false;
  PartsOptions options;
  options.parts = 2;
  round_trip(shape, options, 2);
  shape.csr = true;
  options.halo_hops = 1;
  round_trip(shape, options, 2);
}

TEST(Parts, RangesAreKeptAsTheirEnds) {
  const TempFolder folder;
  const auto whole = open(write_graph(folder, {}));
  std::vector<Tensor> owners;
  for (const NodeType& type : whole->node_types()) {
    std::vector<uint8_t> of(static_cast<size_t>(type.count));
    for (size_t i = 0; i < of.size(); ++i) {
      of[i] = static_cast<uint8_t>(i < 20 ? 0 : 2);
    }
    owners.push_back(tensor(of, kUint8));
  }
  PartsOptions options;
  options.parts = 3;
  ASSERT_OK(write_parts(*whole, owners, folder.file("p"), options));
  EXPECT_OK(verify_parts(context_of(), folder.file("p"), {}));
  auto partition = open_partition(folder.file("p"));
  ASSERT_TRUE(partition.ok()) << partition.status().message();
  EXPECT_TRUE((*partition)->node_book(0).ranges());
  for (int64_t id = 0; id < 60; ++id) {
    EXPECT_EQ(*(*partition)->owner_of(0, id), id < 20 ? 0U : 2U);
  }
  EXPECT_FALSE((*partition)->owner_of(0, 60).ok());
  EXPECT_FALSE((*partition)->owner_of(0, -1).ok());
}

using Row = std::vector<std::pair<int64_t, int64_t>>;  // neighbour and edge in the whole

Row row_of(const Dataset& dataset, size_t type, Layout layout, int64_t row) {
  const EdgeType& edges = dataset.edge_types()[type];
  const Topology& topology = *edges.topology(layout);
  const NodeType& neighbors =
      dataset.node_types()[layout == Layout::kCsc ? edges.source : edges.target];
  Row out;
  for (int64_t at = topology.indptr[row]; at < topology.indptr[row + 1]; ++at) {
    const int64_t neighbor = topology.neighbor(at);
    const int64_t id = topology.edge_id(at);
    out.emplace_back(neighbors.whole ? neighbors.whole->whole_of(neighbor) : neighbor,
                     edges.whole ? edges.whole->whole_of(id) : id);
  }
  return out;
}

// Owned rows, and those within the halo, are the whole's; columns are where they must be.
TEST(Parts, RowsAreThoseOfTheWhole) {
  for (const bool csr : {false, true}) {
    Shape shape;
    shape.csr = csr;
    const TempFolder folder;
    const auto whole = open(write_graph(folder, shape));
    const std::vector<Tensor> owners = owners_of(*whole, 4, 4);
    PartsOptions options;
    options.parts = 4;
    options.halo_hops = 1;
    options.hot_rows = 4;
    ASSERT_OK(write_parts(*whole, owners, folder.file("p"), options));
    for (uint32_t p = 0; p < 4; ++p) {
      const auto part = open(folder.file(formatted("p/part-{}", p)));
      ASSERT_TRUE(part->part().has_value());
      EXPECT_EQ(part->part()->number, p);
      for (size_t t = 0; t < whole->edge_types().size(); ++t) {
        for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
          const EdgeType& edges = whole->edge_types()[t];
          if (!edges.topology(layout)) {
            continue;
          }
          const size_t rows = layout == Layout::kCsc ? edges.target : edges.source;
          const size_t neighbors = layout == Layout::kCsc ? edges.source : edges.target;
          const GlobalIds& ids = *part->node_types()[rows].whole;
          std::vector<int64_t> all(static_cast<size_t>(ids.whole_count()));
          std::iota(all.begin(), all.end(), 0);
          std::vector<int64_t> locals(all.size());
          ids.locals_of_owned(span_of(all), locals.data());
          for (const int64_t id : all) {
            EXPECT_EQ(locals[static_cast<size_t>(id)], ids.local_of_owned(id));
          }
          for (int64_t row = 0; row < ids.owned(); ++row) {
            const int64_t id = ids.whole_of(row);
            EXPECT_EQ(owners[rows].as<uint8_t>()[id], p);
            EXPECT_EQ(ids.local_of_owned(id), row);
            EXPECT_EQ(row_of(*part, t, layout, row), row_of(*whole, t, layout, id));
            // The neighbours are one hop away, so their rows are complete.
            const Topology& topology = *part->edge_types()[t].topology(layout);
            for (int64_t at = topology.indptr[row]; at < topology.indptr[row + 1]; ++at) {
              const int64_t near = topology.neighbor(at);
              for (size_t other = 0; other < whole->edge_types().size(); ++other) {
                const EdgeType& next = whole->edge_types()[other];
                if ((layout == Layout::kCsc ? next.target : next.source) == neighbors) {
                  const int64_t near_id = part->node_types()[neighbors].whole->whole_of(near);
                  EXPECT_EQ(row_of(*part, other, layout, near),
                            row_of(*whole, other, layout, near_id));
                }
              }
            }
          }
        }
      }
      const NodeType& users = part->node_types()[0];
      const Column& x = *users.find_column("x");
      EXPECT_EQ(x.data.rows(), users.whole->owned() + 4);
      EXPECT_EQ(users.find_column("time")->data.rows(), users.count);
      for (int64_t row = 0; row < x.data.rows(); ++row) {
        const Column& of_whole = *whole->node_types()[0].find_column("x");
        EXPECT_EQ(0, std::memcmp(x.data.data() + row * x.data.row_stride(),
                                 of_whole.data.data() +
                                     users.whole->whole_of(row) * of_whole.data.row_stride(),
                                 30 * 4));
      }
    }
  }
}

TEST(Parts, HotRowsAreOfTheMostAskedFor) {
  const TempFolder folder;
  Builder builder(context_of());
  NodeTypeOptions nodes;
  nodes.num_nodes = 8;
  EXPECT_OK(builder.add_node_type("n", nodes));
  // Part 0 owns 0 to 2; it asks 5 three times, 7 twice, 3 and 6 once.
  EXPECT_OK(builder.add_edges("n__e__n", ids64({5, 5, 5, 7, 7, 6, 3, 1}),
                              ids64({0, 1, 2, 0, 1, 0, 2, 0}), false));
  EXPECT_OK(builder.add_node_column("n", "x", GLS_ROLE_FEATURE, ids64({0, 1, 2, 3, 4, 5, 6, 7})));
  EXPECT_OK(builder.write(folder.file("whole"), {}));
  const auto whole = open(folder.file("whole"));
  PartsOptions options;
  options.parts = 2;
  options.hot_fraction = 1;
  ASSERT_OK(write_parts(*whole, {tensor<uint8_t>({0, 0, 0, 1, 1, 1, 1, 1}, kUint8)},
                        folder.file("p"), options));
  const NodeType type = open(folder.file("p/part-0"))->node_types()[0];
  EXPECT_EQ(id_values(type.whole->ids()), (std::vector<int64_t>{0, 1, 2, 3, 5, 7, 6}));
  EXPECT_EQ(id_values(type.find_column("x")->data), (std::vector<int64_t>{0, 1, 2, 3, 5, 7}));
}

TEST(Parts, RefuseWhatCannotBe) {
  const TempFolder folder;
  const auto whole = open(write_graph(folder, {}));
  std::vector<Tensor> owners = owners_of(*whole, 2, 2);
  PartsOptions options;
  options.parts = 2;
  const auto refused = [&](const PartsOptions& with, const std::vector<Tensor>& of,
                           const std::string& text) {
    const Status status = write_parts(*whole, of, folder.file("p"), with);
    EXPECT_FALSE(status.ok());
    EXPECT_MESSAGE(status, text);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"users", "whole"}));
  };
  PartsOptions bad = options;
  bad.parts = 0;
  refused(bad, owners, "parts is 0");
  bad.parts = 65536;
  refused(bad, owners, "parts is 65536");
  bad = options;
  bad.hot_fraction = -1;
  refused(bad, owners, "hot_fraction is -1");
  bad.hot_fraction = 0.5;
  bad.hot_rows = 3;
  refused(bad, owners, "one of the two");
  bad = options;
  bad.progress = [](const char*, uint64_t, uint64_t, const char*) { return false; };
  refused(bad, owners, "stopped by the progress callback");
  refused(options, {owners[0]}, "1 arrays for 3 node types");
  refused(options, {owners[0], owners[0], owners[2]}, "owners of \"item\" is uint8 [60]");
  bad = options;
  bad.parts = 1;
  refused(bad, owners, "is 1, expected a number below 1");
}

TEST(Parts, StopAnywhereWithoutATrace) {
  const TempFolder folder;
  const auto whole = open(write_graph(folder, {}));
  const std::vector<Tensor> owners = owners_of(*whole, 2, 2);
  for (int calls = 0;; calls += 5) {
    int left = calls;
    PartsOptions options;
    options.parts = 2;
    options.progress = [&](const char*, uint64_t, uint64_t, const char*) { return left-- > 0; };
    const Status status = write_parts(*whole, owners, folder.file("p"), options);
    if (status.ok()) {
      EXPECT_GT(calls, 20);
      break;
    }
    EXPECT_EQ(status.code(), GLS_ERR_CANCELED) << status.message();
    ASSERT_EQ(folder.names(), (std::vector<std::string>{"users", "whole"}));
  }
}

// What asks for a row that a part has not is told so.
TEST(Parts, RowsThatAreElsewhereAreNotRead) {
  const TempFolder folder;
  const auto whole = open(write_graph(folder, {}));
  PartsOptions options;
  options.parts = 2;
  options.halo_hops = 1;  // so that there are edges that are not owned
  ASSERT_OK(write_parts(*whole, owners_of(*whole, 2, 2), folder.file("p"), options));
  const auto part = open(folder.file("p/part-0"));
  const auto make = [&](const auto& change) {
    SamplerOptions sampler;
    sampler.num_hops = 1;
    sampler.fanouts.assign(part->edge_types().size(), std::vector<int64_t>{-1});
    change(sampler);
    return Sampler::create(part, sampler);
  };
  const auto expect_refused = [](auto result, const std::string& argument) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), GLS_ERR_UNSUPPORTED) << result.status().message();
    EXPECT_MESSAGE(result.status(), argument + ": column");
    EXPECT_MESSAGE(result.status(), "part of a graph");
  };
  expect_refused(make([](SamplerOptions& s) { s.node_time = "label"; }), "node_time");
  EXPECT_TRUE(make([](SamplerOptions& s) { s.node_time = "time"; }).ok());
  EXPECT_TRUE(make([](SamplerOptions& s) { s.weight = "w"; }).ok());
  expect_refused(make([](SamplerOptions& s) { s.weight = "f1"; }), "weight");
  // A batch of owned users has neighbours that are not.
  const std::shared_ptr<const Sampler> sampler = make([](SamplerOptions&) {}).take();
  const NodeType& users = part->node_types()[0];
  LoaderOptions loading;
  loading.plan.batch_size = 8;
  loading.columns = {{true, 0, users.find_column("x"), false, kFloat32}};
  const auto all_owned = [&](bool seeds_only) -> Status {
    loading.columns[0].seeds_only = seeds_only;
    std::vector<int64_t> seeds(static_cast<size_t>(users.whole->owned()));
    std::iota(seeds.begin(), seeds.end(), 0);
    auto loader = Loader::create(sampler, ids64(seeds), loading);
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    auto batch = (*loader)->sample(0, 0);
    return batch.ok() ? Status() : std::move(batch.status());
  };
  EXPECT_OK(all_owned(true));
  const Status missing = all_owned(false);
  EXPECT_EQ(missing.code(), GLS_ERR_NOT_FOUND);
  EXPECT_MESSAGE(missing, "columns: \"x\" of \"user\" has no row for node");
}

// A flipped byte in any file, and a part of another partition, are found.
Status open_verified(const std::string& path) {
  OpenOptions options;
  options.verify_checksums = true;
  return open_whole(context_of(), path, options).status().copy();
}

TEST(Parts, AFlippedBitOfAnyByteOfTheDescriptionIsFound) {
  const TempFolder folder;
  const auto whole = open(write_graph(folder, {}));
  PartsOptions options;
  options.parts = 2;
  ASSERT_OK(write_parts(*whole, owners_of(*whole, 2, 2), folder.file("p"), options));
  const std::string good = read_file(folder.file("p/partition.json"));
  ASSERT_TRUE(parse_partition(good, "p").ok());
  for (size_t bit = 0; bit < 8 * good.size(); bit += 7 * kEvery) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    auto parsed = parse_partition(bad, "p");
    ASSERT_FALSE(parsed.ok()) << "bit " << bit;
    EXPECT_EQ(parsed.status().code(), GLS_ERR_CORRUPT_DATA) << parsed.status().message();
  }
  auto json = nlohmann::ordered_json::parse(good);
  json.erase("xxh3");
  EXPECT_TRUE(parse_partition(json.dump(), "p").ok());
}

// Readers multiply these numbers, and the whole's columns have no files to compare with.
TEST(Parts, ShapesOfTheWholeAreChecked) {
  const TempFolder folder;
  const auto whole = open(write_graph(folder, {}));
  PartsOptions options;
  options.parts = 2;
  ASSERT_OK(write_parts(*whole, owners_of(*whole, 2, 2), folder.file("p"), options));
  auto json = nlohmann::ordered_json::parse(read_file(folder.file("p/partition.json")));
  json.erase("xxh3");
  const auto refused = [&](const auto& spoil) {
    int columns = 0;
    for (const char* types : {"node_types", "edge_types"}) {
      for (size_t t = 0; t < json["whole"][types].size(); ++t) {
        const auto& type = json["whole"][types][t];
        for (size_t c = 0; type.contains("columns") && c < type["columns"].size(); ++c) {
          auto damaged = json;
          spoil(&damaged["whole"][types][t]["columns"][c]);
          std::ofstream(folder.file("p/partition.json"), std::ios::binary) << damaged.dump();
          const Status status = open_whole(context_of(), folder.file("p"), {}).status().copy();
          EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << status.message();
          EXPECT_NE(status.detail("file"), nullptr) << status.message();
          ++columns;
        }
      }
    }
    EXPECT_GT(columns, 1);
  };
  for (const int64_t extent : {int64_t{1} << 28, int64_t{1} << 40, INT64_MAX}) {
    refused([&](auto* column) { (*column)["row_shape"] = {extent}; });
    refused([&](auto* column) { (*column)["array"]["shape"][0] = extent; });
    refused([&](auto* column) {
      (*column)["row_shape"] = {extent};
      (*column)["array"]["shape"] = {(*column)["array"]["shape"][0], extent};
    });
  }
  refused([&](auto* column) { (*column)["row_shape"] = {0, INT64_MAX, INT64_MAX}; });
}

TEST(Parts, VerifyFindsDamage) {
  const TempFolder folder;
  Shape shape;
  shape.csr = true;
  const auto whole = open(write_graph(folder, shape));
  PartsOptions options;
  options.parts = 2;
  options.halo_hops = 1;
  options.hot_rows = 3;
  ASSERT_OK(write_parts(*whole, owners_of(*whole, 2, 2), folder.file("p"), options));
  ASSERT_OK(verify_parts(context_of(), folder.file("p"), {}));
  int flipped = 0;
  for (const auto& [name, bytes] : folder_bytes(folder.file("p"))) {
    const std::string path = folder.file("p/" + name);
    const bool json = name.ends_with(".json");
    const auto header =
        json ? NpyHeader{} : *parse_npy_header(std::as_bytes(std::span(bytes)), name);
    if (!json && bytes.size() == header.data_offset) {
      continue;
    }
    std::string damaged = bytes;
    damaged[json ? 1 : header.data_offset + (bytes.size() - header.data_offset) / 2] ^= 1;
    std::ofstream(path, std::ios::binary) << damaged;
    const Status status = verify_parts(context_of(), folder.file("p"), {});
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << name << ": " << status.message();
    ASSERT_NE(status.detail("file"), nullptr) << name << ": " << status.message();
    const Status opened = open_verified(folder.file("p"));
    EXPECT_EQ(opened.code(), GLS_ERR_CORRUPT_DATA) << name << ": " << opened.message();
    if (!name.starts_with("part-")) {  // no part is blamed for a book
      EXPECT_EQ(*status.detail("file"), path) << status.message();
      EXPECT_EQ(*opened.detail("file"), path) << opened.message();
    }
    std::ofstream(path, std::ios::binary) << bytes;
    ++flipped;
  }
  EXPECT_GT(flipped, 60);
  ASSERT_OK(verify_parts(context_of(), folder.file("p"), {}));
  options.halo_hops = 0;
  ASSERT_OK(write_parts(*whole, owners_of(*whole, 2, 2), folder.file("q"), options));
  std::filesystem::remove_all(folder.file("p/part-1"));
  std::filesystem::copy(folder.file("q/part-1"), folder.file("p/part-1"),
                        std::filesystem::copy_options::recursive);
  EXPECT_MESSAGE(verify_parts(context_of(), folder.file("p"), {}), "of partition");
}

}  // namespace
}  // namespace gls
