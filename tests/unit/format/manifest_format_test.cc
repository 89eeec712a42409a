#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/checksum.h"
#include "format/manifest.h"
#include "ingest_support.h"
#include "sanitized.h"

namespace gls {
namespace {

using namespace test;
using Json = nlohmann::ordered_json;

// A folder with a bit of everything, whose manifest tests then spoil.
class Folder {
 public:
  Folder() {
    const std::string nodes = folder_.write("nodes", "b\na\nc\n");
    Builder builder(context_);
    NodeTypeOptions strings;
    strings.ids = NodeIds::kString;
    TextOptions no_header;
    no_header.header = Header::kNo;
    EXPECT_OK(builder.add_node_type("n", strings));
    EXPECT_OK(builder.add_nodes_text("n", nodes, no_header));
    EXPECT_OK(builder.add_edges("n__e__n", ids64({0, 2, 1, 0}), ids64({2, 1, 0, 1}), false));
    EXPECT_OK(builder.add_node_column("n", "x", GLS_ROLE_FEATURE,
                                      tensor(std::vector<float>(300, 1), kFloat32, {3, 100})));
    EXPECT_OK(builder.add_edge_column("n__e__n", "w", GLS_ROLE_WEIGHT,
                                      tensor<float>({1, 2, 3, 4}, kFloat32)));
    EXPECT_OK(builder.add_id_set("n", "train", ids64({0})));
    EXPECT_OK(builder.write(path(), both_layouts()));
    written_ = read_file(manifest());
    json_ = Json::parse(written_);
    json_.erase("xxh3");  // so that each change is refused for what it is
  }

  std::string path() const { return folder_.file("d"); }
  std::string manifest() const { return path() + "/manifest.json"; }
  const Json& json() const { return json_; }
  const std::string& written() const { return written_; }

  Status open_text(const std::string& text) const {
    std::ofstream(manifest(), std::ios::binary) << text;
    auto opened = open_dataset(context_, path(), {});
    return std::move(opened.status());
  }
  Status open(const Json& json) const { return open_text(json.dump()); }

  // Opening must fail after `spoil` changed the manifest.
  template <typename Spoil>
  void expect_refused(const Spoil& spoil, const std::string& part,
                      gls_status_t code = GLS_ERR_CORRUPT_DATA) const {
    Json spoiled = json_;
    spoil(spoiled);
    const Status status = open(spoiled);
    EXPECT_FALSE(status.ok()) << part;
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_MESSAGE(status, part);
    EXPECT_NE(status.detail("file"), nullptr) << status.message();
  }

 private:
  std::shared_ptr<Context> context_ = context_of();
  TempFolder folder_;
  std::string written_;
  Json json_;
};

TEST(Manifest, ComesBack) {
  const Folder folder;
  EXPECT_OK(folder.open(folder.json()));
  auto parsed = parse_manifest(folder.json().dump(), "m");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(Json::parse(manifest_to_json(*parsed)), folder.json());
  EXPECT_EQ(parsed->version, kManifestVersion);
}

TEST(Manifest, RefusesWhatIsNoManifest) {
  const Folder folder;
  for (const char* text :
       {"", "{", "[]", "1", "null", "{}", "not json", "{\"format\": \"gls-dataset\"}",
        "{\"format\": \"gls-dataset\"}}", "\xff\xfe"}) {
    const Status status = folder.open_text(text);
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << text << ": " << status.message();
    EXPECT_MESSAGE(status, "manifest.json");
  }
  EXPECT_EQ(folder.open_text(std::string(100'000, '[')).code(), GLS_ERR_CORRUPT_DATA);
  folder.expect_refused([](Json& m) { m["format"] = "parquet"; }, "format is \"parquet\"");
}

TEST(Manifest, RefusesVersionsItDoesNotKnow) {
  const Folder folder;
  folder.expect_refused([](Json& m) { m["version"] = 3; }, "version 3 is not known",
                        GLS_ERR_UNSUPPORTED);
  folder.expect_refused([](Json& m) { m["version"] = 4294967295; }, "version 4294967295",
                        GLS_ERR_UNSUPPORTED);
  folder.expect_refused([](Json& m) { m["version"] = 4294967296; }, "expected 0 to 4294967295");
  folder.expect_refused([](Json& m) { m["version"] = -1; }, "expected 0 to 4294967295");
  folder.expect_refused([](Json& m) { m.erase("version"); }, "version 0", GLS_ERR_UNSUPPORTED);
}

TEST(Manifest, NamesTheFieldThatIsWrong) {
  const Folder folder;
  folder.expect_refused([](Json& m) { m["extra"] = 1; }, "extra: unknown field");
  folder.expect_refused([](Json& m) { m["node_types"][0]["columns"][0]["array"]["size"] = 1; },
                        "node_types[0].columns[0].array.size: unknown field");
  folder.expect_refused([](Json& m) { m["node_types"] = 5; },
                        "node_types: is number, expected an array");
  folder.expect_refused([](Json& m) { m["node_types"][0] = "n"; },
                        "node_types[0]: is string, expected an object");
  folder.expect_refused([](Json& m) { m["node_types"][0]["name"] = 7; },
                        "node_types[0].name: is number, expected a string");
  folder.expect_refused([](Json& m) { m["node_types"][0]["count"] = "3"; },
                        "node_types[0].count: is string, expected an integer");
  folder.expect_refused([](Json& m) { m["node_types"][0]["count"] = 3.5; }, "expected an integer");
  folder.expect_refused([](Json& m) { m["node_types"][0]["count"] = 18446744073709551615u; },
                        "is too large");
  folder.expect_refused([](Json& m) { m["node_types"][0]["columns"][0]["role"] = "main"; },
                        "role: is \"main\", expected one of feature, label, weight, time, other");
  folder.expect_refused([](Json& m) { m["node_types"][0]["columns"][0]["role"] = 0; },
                        "expected one of feature");
  folder.expect_refused([](Json& m) { m["edge_types"][0].erase("relation"); },
                        "edge_types[0].relation: is missing");
  folder.expect_refused([](Json& m) { m.erase("edge_types"); }, "edge_types: is missing");
  folder.expect_refused(
      [](Json& m) { m["node_types"][0]["columns"][0]["array"]["shape"][1] = "x"; },
      "array.shape[1]: is string");
  folder.expect_refused([](Json& m) { m["node_types"][0]["name"] = nullptr; }, "is null");
}

// Small or not, no text may cost more than its size.
TEST(Manifest, RefusesWhatWouldCostTooMuch) {
  const Folder folder;
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const std::string start = "{\"format\": \"gls-dataset\", \"node_types\": [{\"name\": \"n\", ";
  const Status nested =
      folder.open_text(start + "\"columns\": [{\"name\": \"c\", \"role\": " + deep + "}]}]}");
  EXPECT_EQ(nested.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(nested, "node_types[0].columns[0].role");
  EXPECT_MESSAGE(nested, "nested deeper than 32 levels");
  folder.expect_refused(
      [](Json& m) { m["node_types"][0]["columns"][0]["role"] = Json::array({1}); },
      "role: is array, expected one of feature");
  folder.expect_refused(
      [](Json& m) { m["node_types"][0]["columns"][0]["role"] = std::string(5000, 'x'); },
      "role: is string, expected one of feature");
  EXPECT_MESSAGE(folder.open_text(start + "\"name\": \"m\"}]}"),
                 "node_types[0].name: is given twice");
  std::string many = start + "\"k0\": 0";
  for (int i = 1; i < 300'000; ++i) {
    many += formatted(",\"k{}\":0", i);
  }
  EXPECT_MESSAGE(folder.open_text(many + "}]}"), "node_types[0].k0: unknown field");
}

TEST(Manifest, FoldersUnderConstructionDoNotOpen) {
  const Folder folder;
  const std::string partial = folder.path() + ".1-1.partial";
  std::filesystem::copy(folder.path(), partial, std::filesystem::copy_options::recursive);
  for (const char* end : {"", "/", "/."}) {
    auto opened = open_dataset(context_of(), partial + end, {});
    EXPECT_EQ(opened.status().code(), GLS_ERR_NOT_FOUND);
    EXPECT_MESSAGE(opened.status(), ".partial");
  }
}

TEST(Manifest, RefusesPathsOutOfTheFolder) {
  const Folder folder;
  for (const char* path : {"/etc/passwd", "../x.npy", "a/../../x.npy", "a/..", "", ".", "a//b",
                           "a/", "./a", "a/./b"}) {
    folder.expect_refused(
        [&](Json& m) { m["node_types"][0]["columns"][0]["array"]["file"] = path; },
        "is not a path inside the folder");
  }
  folder.expect_refused(
      [&](Json& m) { m["edge_types"][0]["csc"]["indices"]["file"] = std::string("a\0b", 3); },
      "is not a path inside the folder");
  folder.expect_refused([](Json& m) { m["node_types"][0]["keys"]["values"]["file"] = "../k"; },
                        "is not a path inside the folder");
  folder.expect_refused([](Json& m) { m["node_types"][0]["id_sets"][0]["array"]["file"] = "/k"; },
                        "is not a path inside the folder");
}

TEST(Manifest, RefusesContradictions) {
  const Folder folder;
  const auto column = [](Json& m) -> Json& { return m["node_types"][0]["columns"][0]; };
  folder.expect_refused([](Json& m) { m["node_types"].push_back(m["node_types"][0]); },
                        "node type \"n\" occurs twice");
  folder.expect_refused([](Json& m) { m["edge_types"].push_back(m["edge_types"][0]); },
                        "edge type \"n__e__n\" occurs twice");
  folder.expect_refused([&](Json& m) { m["node_types"][0]["columns"].push_back(column(m)); },
                        "column \"x\" of n occurs twice");
  folder.expect_refused(
      [](Json& m) { m["node_types"][0]["id_sets"].push_back(m["node_types"][0]["id_sets"][0]); },
      "id set \"train\" of n occurs twice");
  folder.expect_refused([](Json& m) { m["edge_types"][0]["source"] = "m"; },
                        "names the node type \"m\", which does not exist");
  folder.expect_refused(
      [](Json& m) {
        m["edge_types"][0].erase("csc");
        m["edge_types"][0].erase("csr");
      },
      "neither csc nor csr");
  folder.expect_refused([](Json& m) { m["node_types"][0]["name"] = "a__b"; }, "\"a__b\"");
  folder.expect_refused([](Json& m) { m["node_types"][0]["count"] = -1; }, "has -1 nodes");
  folder.expect_refused([](Json& m) { m["edge_types"][0]["count"] = -4; }, "has -4 edges");
  for (const int64_t count : {(int64_t{1} << 52) + 1, (int64_t{1} << 62) + 1, INT64_MAX}) {
    folder.expect_refused(
        [&](Json& m) {
          m["node_types"].push_back({{"name", "more"}, {"count", count}});
        },
        formatted("node type \"more\" has {} nodes, expected 0 to 4503599627370496", count));
    folder.expect_refused([&](Json& m) { m["edge_types"][0]["count"] = count; },
                          formatted("has {} edges, expected 0 to 4503599627370496", count));
  }
  Json largest = folder.json();
  largest["node_types"].push_back({{"name", "more"}, {"count", int64_t{1} << 52}});
  EXPECT_OK(folder.open(largest));
  folder.expect_refused([&](Json& m) { column(m)["array"]["shape"][0] = -3; }, "negative extent");
  folder.expect_refused([&](Json& m) { column(m)["row_shape"] = {-1}; }, "negative extent");
  // Against the files.
  folder.expect_refused([&](Json& m) { column(m)["array"]["dtype"] = "int32"; },
                        "holds float32, the manifest says int32");
  folder.expect_refused([&](Json& m) { column(m)["array"]["dtype"] = "float7"; },
                        "\"float7\" is not a dtype");
  folder.expect_refused(
      [&](Json& m) {
        column(m)["array"]["shape"] = {3, 100};
      },
      "has shape [3, 112], the manifest says [3, 100]");
  folder.expect_refused([&](Json& m) { column(m)["row_shape"] = {113}; },
                        "which does not hold rows of [113]");
  folder.expect_refused(
      [&](Json& m) {
        column(m)["row_shape"] = {int64_t{1} << 40, int64_t{1} << 40};
      },
      "which does not hold rows of");
  folder.expect_refused([](Json& m) { m["node_types"][0]["count"] = 4; },
                        "csc of n__e__n indptr has 4 entries, expected 5");
  folder.expect_refused([](Json& m) { m["edge_types"][0]["count"] = 5; },
                        "indices has 4 entries, expected 5");
  folder.expect_refused(
      [](Json& m) {
        m["node_types"][0]["columns"][0]["array"] = m["node_types"][0]["keys"]["order"];
      },
      "which does not hold rows of [100]");
  folder.expect_refused([&](Json& m) { column(m)["array"]["file"] = "nodes/missing.npy"; },
                        "is named by the manifest but missing");
  folder.expect_refused([&](Json& m) { column(m)["array"]["file"] = "manifest.json"; },
                        "not a NumPy .npy file");
  folder.expect_refused([](Json& m) { m["node_types"][0]["keys"]["kind"] = "integer"; },
                        "values are not int64");
  folder.expect_refused([](Json& m) { m["node_types"][0]["keys"].erase("offsets"); },
                        "offsets are not int64");
  folder.expect_refused(
      [](Json& m) {
        Json& csc = m["edge_types"][0]["csc"];
        std::swap(csc["indptr"], csc["indices"]);
      },
      "indptr is int32 [4], expected contiguous int64 [4]");
}

TEST(Manifest, MissingFolderAndManifestAreNotFound) {
  const auto context = context_of();
  const TempFolder folder;
  auto missing = open_dataset(context, folder.file("none"), {});
  EXPECT_EQ(missing.status().code(), GLS_ERR_NOT_FOUND);
  auto empty = open_dataset(context, folder.path(), {});
  EXPECT_EQ(empty.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_MESSAGE(empty.status(), "is not a dataset folder");
}

TEST(Manifest, NamesAreChecked) {
  for (const char* good : {"a", "A b", "a_b", "\xc3\xa9", "x.y", "#2", "\xf0\x9f\x8c\x8d"}) {
    EXPECT_TRUE(check_name(good, "column").ok()) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("_a"), std::string("a_"), std::string("a__b"),
        std::string("a\tb"), std::string("a\x7f"), std::string("\xc3"), std::string("\xc0\x80"),
        std::string("\xed\xa0\x80"), std::string("\xf5\x80\x80\x80"), std::string("a\0", 2),
        std::string(256, 'a')}) {
    const Status status = check_name(bad, "column");
    EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT) << bad;
    EXPECT_MESSAGE(status, "column name");
  }
}

TEST(Manifest, AFlippedBitOfAnyByteIsFound) {
  const Folder folder;
  const std::string& good = folder.written();
  ASSERT_TRUE(parse_manifest(good, "m").ok());
  for (size_t bit = 0; bit < 8 * good.size(); bit += 3 * kEvery) {  // each bit of some bytes
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    auto parsed = parse_manifest(bad, "m");
    ASSERT_FALSE(parsed.ok()) << "bit " << bit;
    EXPECT_EQ(parsed.status().code(), GLS_ERR_CORRUPT_DATA) << parsed.status().message();
    EXPECT_EQ(*parsed.status().detail("file"), "m");
  }
}

TEST(Manifest, ChecksumIsTheLastMember) {
  const Folder folder;
  std::string text = folder.written();
  const size_t at = text.rfind("  \"xxh3\": \"");
  ASSERT_NE(at, std::string::npos);
  const std::string before = text.substr(0, at);
  const std::string sum = hex64(hash64(std::as_bytes(std::span(before))));
  EXPECT_EQ(text.substr(at), "  \"xxh3\": \"" + sum + "\"\n}\n");
  EXPECT_OK(folder.open_text(text));
  EXPECT_OK(folder.open(folder.json()));  // one without, as a person may have changed it
  text.insert(text.find("\"count\": 3") + 9, " ");
  EXPECT_MESSAGE(folder.open_text(text), "remove its last member \"xxh3\"");
  EXPECT_MESSAGE(folder.open_text(folder.written() + " "), "its checksum is");
}

// Any text with a changed byte opens or is refused; it never does worse.
TEST(Manifest, SurvivesAnyChangedByte) {
  const Folder folder;
  const std::string good = folder.json().dump();
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 1 + round % 2; ++i) {
      bad[random() % bad.size()] =
          static_cast<char>(round % 3 == 0 ? random() : " 0\"[]{},:-9a"[random() % 12]);
    }
    auto parsed = parse_manifest(bad, "m");
    if (parsed.ok() && round % 10 == 0) {
      const Status status = folder.open_text(bad);
      EXPECT_TRUE(status.ok() || !status.message().empty());
    }
  }
}

}  // namespace
}  // namespace gls
