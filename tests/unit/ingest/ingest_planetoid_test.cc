#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/checksum.h"
#include "ingest/planetoid/pickle.h"
#include "ingest_support.h"
#include "test_paths.h"

namespace gls {
namespace {

using namespace test;

// ---- a small pickle writer: what Python 2 writes, opcode by opcode ----

template <typename T>
std::string raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}
std::string number(int64_t value) {
  return value >= 0 && value < 256 ? "K" + raw(static_cast<uint8_t>(value))
                                   : "J" + raw(static_cast<int32_t>(value));
}
std::string text(const std::string& value) {
  return "U" + raw(static_cast<uint8_t>(value.size())) + value;
}
std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
std::string tuple(const std::vector<std::string>& items) {
  std::string out = "(";
  for (const std::string& item : items) {
    out += item;
  }
  return out + "t";
}

template <typename T>
std::string array(const std::string& dtype, const std::vector<int64_t>& shape,
                  const std::vector<T>& values, bool fortran = false,
                  const std::string& order = "<") {
  std::vector<std::string> extents;
  for (const int64_t extent : shape) {
    extents.push_back(number(extent));
  }
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  const std::string empty = global("numpy.core.multiarray", "_reconstruct") +
                            tuple({global("numpy", "ndarray"), tuple({number(0)}), text("b")}) +
                            "R";
  const std::string type =
      global("numpy", "dtype") + tuple({text(dtype), number(0), number(1)}) + "R" +
      tuple({number(3), text(order), "N", "N", "N", number(-1), number(-1), number(0)}) + "b";
  return empty +
         tuple({number(1), tuple(extents), type, fortran ? "\x88" : "\x89",
                "T" + raw(static_cast<uint32_t>(bytes.size())) + bytes}) +
         "b";
}

std::string pickle(const std::string& value) { return "\x80\x02" + value + "."; }

// Rows of (column, value) pairs.
using SparseRows = std::vector<std::vector<std::pair<int32_t, float>>>;
std::string csr(const SparseRows& rows, int64_t columns) {
  std::vector<int32_t> indptr = {0};
  std::vector<int32_t> indices;
  std::vector<float> data;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      indices.push_back(column);
      data.push_back(value);
    }
    indptr.push_back(static_cast<int32_t>(indices.size()));
  }
  const auto size = static_cast<int64_t>(data.size());
  return pickle(global("scipy.sparse.csr", "csr_matrix") + ")\x81}(" + text("_shape") +
                tuple({number(static_cast<int64_t>(rows.size())), number(columns)}) +
                text("indptr") + array("i4", {static_cast<int64_t>(indptr.size())}, indptr) +
                text("indices") + array("i4", {size}, indices) + text("data") +
                array("f4", {size}, data) + "ub");
}

std::string one_hot(const std::vector<int32_t>& classes, int64_t num_classes,
                    bool fortran = false) {
  const auto rows = static_cast<int64_t>(classes.size());
  std::vector<int32_t> values(static_cast<size_t>(rows * num_classes), 0);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t column = classes[static_cast<size_t>(row)];
    if (column >= 0) {
      values[static_cast<size_t>(fortran ? column * rows + row : row * num_classes + column)] = 1;
    }
  }
  return pickle(array("i4", {rows, num_classes}, values, fortran));
}

std::string adjacency(const std::map<int64_t, std::vector<int64_t>>& lists) {
  std::string out =
      global("collections", "defaultdict") + tuple({global("__builtin__", "list")}) + "Rq\x01(";
  for (const auto& [node, neighbors] : lists) {
    out += number(node) + "](";
    for (const int64_t neighbor : neighbors) {
      out += number(neighbor);
    }
    out += "e";
  }
  return pickle(out + "u");
}

// Two training nodes, three more, and test nodes 7, 5, 8 in this order: node 6 has no row.
void write_tiny(const TempFolder& folder) {
  const SparseRows all = {{{0, 1.f}}, {{1, 2.f}}, {{2, 3.f}, {0, .5f}}, {}, {{3, 5.f}}};
  folder.write("ind.tiny.x", csr({all[0], all[1]}, 4));
  folder.write("ind.tiny.allx", csr(all, 4));
  folder.write("ind.tiny.tx", csr({{{0, 70.f}}, {{1, 50.f}}, {{2, 80.f}}}, 4));
  folder.write("ind.tiny.y", one_hot({0, 2}, 3));
  folder.write("ind.tiny.ally", one_hot({0, 2, 1, -1, 2}, 3, true));
  folder.write("ind.tiny.ty", one_hot({2, 1, 0}, 3));
  folder.write("ind.tiny.test.index", "7\n5\n8\n");
  folder.write("ind.tiny.graph", adjacency({{0, {1, 1, 0}}, {1, {0, 8}}, {5, {7}}, {6, {}}}));
}

TEST(Planetoid, AssemblesTheStandardGraph) {
  const TempFolder folder;
  write_tiny(folder);
  for (const auto& dataset : make_both(
           [&](Builder& builder) { EXPECT_OK(builder.add_planetoid(folder.path(), "tiny")); })) {
    ASSERT_EQ(dataset->node_types().size(), 1u);
    const NodeType& node = dataset->node_types()[0];
    EXPECT_EQ(node.name, "node");
    EXPECT_EQ(node.count, 9);
    EXPECT_EQ(dataset->edge_types()[0].joined, "node__to__node");
    const std::vector<int64_t> source = {0, 1, 1, 5, 7, 8};
    const std::vector<int64_t> target = {1, 0, 8, 7, 5, 1};
    expect_rows(*dataset->edge_types()[0].csc, sorted_rows(target, source, 9));
    std::vector<float> x(36, 0);
    x[0] = 1;
    x[4 + 1] = 2;
    x[8 + 2] = 3;
    x[8 + 0] = .5;
    x[16 + 3] = 5;
    x[28 + 0] = 70;
    x[20 + 1] = 50;
    x[32 + 2] = 80;
    EXPECT_EQ(values_of<float>(node.find_column("x")->data), x);
    EXPECT_EQ(node.find_column("x")->data.shape(), (std::vector<int64_t>{9, 4}));
    EXPECT_EQ(node.find_column("x")->role, GLS_ROLE_FEATURE);
    EXPECT_EQ(values_of<int64_t>(node.find_column("y")->data),
              (std::vector<int64_t>{0, 2, 1, -1, 2, 1, -1, 2, 0}));
    EXPECT_EQ(node.find_column("y")->role, GLS_ROLE_LABEL);
    EXPECT_EQ(node.id_sets[0].name, "train");
    EXPECT_EQ(id_values(node.id_sets[0].ids), (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(node.id_sets[1].name, "valid");
    EXPECT_EQ(id_values(node.id_sets[1].ids), (std::vector<int64_t>{2, 3, 4}));
    EXPECT_EQ(node.id_sets[2].name, "test");
    EXPECT_EQ(id_values(node.id_sets[2].ids), (std::vector<int64_t>{5, 7, 8}));
  }
}

// The real thing: counts as published, and checksums of what an independent script made of it.
TEST(Planetoid, ReadsCora) {
  Builder builder(context_of());
  const Status status =
      builder.add_planetoid(std::string(kSourceFolder) + "/examples/data/cora", "cora");
  ASSERT_TRUE(status.ok()) << status.message();
  auto built = builder.build(both_layouts());
  ASSERT_TRUE(built.ok()) << built.status().message();
  EXPECT_OK(verify_dataset(**built, {}));
  const NodeType& node = (*built)->node_types()[0];
  const EdgeType& edges = (*built)->edge_types()[0];
  EXPECT_EQ(node.count, 2708);
  EXPECT_EQ(edges.count, 10556);
  EXPECT_EQ(node.find_column("x")->data.shape(), (std::vector<int64_t>{2708, 1433}));
  const std::vector<float> x = values_of<float>(node.find_column("x")->data);
  EXPECT_EQ(std::count(x.begin(), x.end(), 1.0f), 49216);
  EXPECT_EQ(std::count(x.begin(), x.end(), 0.0f), 2708 * 1433 - 49216);
  const std::vector<int64_t> y = values_of<int64_t>(node.find_column("y")->data);
  EXPECT_EQ(std::set<int64_t>(y.begin(), y.end()), (std::set<int64_t>{0, 1, 2, 3, 4, 5, 6}));
  std::vector<int64_t> per_class(7, 0);
  for (const int64_t id : id_values(node.id_sets[0].ids)) {
    ++per_class[static_cast<size_t>(y[static_cast<size_t>(id)])];
  }
  EXPECT_EQ(per_class, std::vector<int64_t>(7, 20));
  EXPECT_EQ(node.id_sets[1].ids.rows(), 500);
  EXPECT_EQ(node.id_sets[2].ids.rows(), 1000);
  // Stored in both directions, without self-loops and repetitions.
  expect_rows(*edges.csr, {values_of<int64_t>(edges.csc->indptr_tensor),
                           rows_of(*edges.csc).indices, rows_of(*edges.csr).edge_ids});
  for (int64_t row = 0; row < 2708; ++row) {
    for (int64_t at = edges.csc->indptr[row]; at < edges.csc->indptr[row + 1]; ++at) {
      EXPECT_NE(edges.csc->neighbor(at), row);
      if (at > edges.csc->indptr[row]) {
        EXPECT_LT(edges.csc->neighbor(at - 1), edges.csc->neighbor(at));
      }
    }
  }
  const auto hash = [](const auto& values) {
    return hex64(hash64(std::as_bytes(std::span(values))));
  };
  EXPECT_EQ(hash(rows_of(*edges.csc).indices), "0fe053ec97a84a74");
  EXPECT_EQ(hash(x), "5af2a37cae0582ff");
  EXPECT_EQ(hash(y), "af4432472c82292d");
  EXPECT_EQ(hash(id_values(node.id_sets[2].ids)), "7bd147dd3f63d1d5");
}

TEST(Planetoid, ReportsWhatIsWrong) {
  const auto failing = [](const std::string& file, const std::string& bytes) {
    const TempFolder folder;
    write_tiny(folder);
    if (bytes == "remove") {
      std::filesystem::remove(folder.file("ind.tiny." + file));
    } else {
      folder.write("ind.tiny." + file, bytes);
    }
    Builder builder(context_of());
    Status status = builder.add_planetoid(folder.path(), "tiny");
    EXPECT_FALSE(status.ok()) << file;
    EXPECT_NE(status.detail("file"), nullptr) << status.message();
    EXPECT_MESSAGE(status, "ind.tiny." + file);
    EXPECT_MESSAGE(builder.build({}).status(), "empty");  // nothing was added
    return status;
  };
  for (const char* file : {"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"}) {
    EXPECT_EQ(failing(file, "remove").code(), GLS_ERR_NOT_FOUND);
    EXPECT_EQ(failing(file, "damaged").code(), GLS_ERR_CORRUPT_DATA) << file;
  }
  EXPECT_MESSAGE(failing("graph", adjacency({{0, {9}}})),
                 "edge from 0 to 9, expected nodes in [0, 9)");
  EXPECT_MESSAGE(failing("graph", adjacency({{-1, {0}}})), "edge from -1 to 0");
  EXPECT_MESSAGE(failing("graph", csr({}, 4)), "not a dict");
  EXPECT_MESSAGE(failing("allx", adjacency({})), "not a CSR matrix");
  EXPECT_MESSAGE(failing("ty", one_hot({2, 1}, 3)), "not a two-dimensional array of 3 rows");
  EXPECT_MESSAGE(failing("allx", csr({{{0, 1.f}}, {}, {}, {}, {{7, 1.f}}}, 4)),
                 "indices[1] of the matrix is 7, outside [0, 4)");
  EXPECT_MESSAGE(failing("allx", csr({{}, {}, {}, {}, {}}, 5)),
                 "5 features, but 4 in x and 4 in tx");
  EXPECT_MESSAGE(failing("test.index", "7\n5\n"), "2 entries, but tx has 3 rows");
  EXPECT_MESSAGE(failing("test.index", "7\n5\n5\n"), "node 5 occurs twice");
  EXPECT_MESSAGE(failing("test.index", "7\n5\n4\n"), "entry 2 is no node id from 5 on");
  EXPECT_MESSAGE(failing("test.index", "7\n5\n900000000000\n"), "entry 2 is no node id");
  EXPECT_MESSAGE(failing("ally", pickle(array<int32_t>("i4", {5, 2}, std::vector<int32_t>(10, 1)))),
                 "row 0 has more than one class");
  Builder builder(context_of());
  EXPECT_OK(builder.add_node_type("node", {}));
  EXPECT_EQ(builder.add_planetoid("nowhere", "tiny").code(), GLS_ERR_ALREADY_EXISTS);
}

// ---- pickles ----

Result<Pickle> load(const std::string& bytes) {
  const TempFolder folder;
  return Pickle::load(folder.write("pickle", bytes));
}

TEST(Pickles, ReadPlainValuesOfAllProtocols) {
  // {'a': [1, -2, 2.5, None], u'b': ('x', 'y\n', True)} in the ways of protocols 0, 1 and 2.
  const std::string real("G\x40\x04\0\0\0\0\0\0", 9);
  const std::string u_b = "X" + raw(uint32_t{1}) + "b";
  const std::vector<std::string> forms = {
      "(dp0\nS'a'\np1\n(lp2\nI1\naI-2\naF2.5\naNasVb\np3\n(S'x'\nS'y\\n'\nI01\ntp4\ns.",
      "}q\x01(U\x01"
      "aq\x02]q\x03(K\x01J\xfe\xff\xff\xff" +
          real + "Ne" + u_b + "(U\x01xT" + raw(uint32_t{2}) + "y\nI01\ntu.",
      "\x80\x02}(U\x01"
      "a](\x8a\x01\x01\x8a\x02\xfe\xff" +
          real + "Ne" + u_b + "U\x01xU\x02y\n\x88\x87u."};
  for (size_t i = 0; i < forms.size(); ++i) {
    SCOPED_TRACE(i);
    auto pickled = load(forms[i]);
    ASSERT_TRUE(pickled.ok()) << pickled.status().message();
    const PickleValue& root = pickled->root();
    ASSERT_EQ(root.kind, PickleValue::Kind::kDict);
    const PickleValue* const list = root.find("a");
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(list->items.size(), 4u);
    EXPECT_EQ(list->items[0]->integer, 1);
    EXPECT_EQ(list->items[1]->integer, -2);
    EXPECT_EQ(list->items[2]->real, 2.5);
    EXPECT_EQ(list->items[3]->kind, PickleValue::Kind::kNone);
    const PickleValue* const inner = root.find("b");
    ASSERT_NE(inner, nullptr);
    ASSERT_EQ(inner->kind, PickleValue::Kind::kTuple);
    EXPECT_EQ(inner->items[0]->text, "x");
    EXPECT_EQ(inner->items[1]->text, "y\n");
    EXPECT_EQ(inner->items[2]->integer, 1);
  }
}

TEST(Pickles, ReadLongIntegersAndEscapes) {
  EXPECT_EQ(load("L9223372036854775807L\n.")->root().integer, INT64_MAX);
  EXPECT_EQ(load(std::string("\x8a\x00.", 3))->root().integer, 0);
  EXPECT_EQ(load("\x8a\x01\xff.")->root().integer, -1);
  EXPECT_EQ(load("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.")->root().integer, INT64_MAX);
  EXPECT_EQ(load("S'\\x00\\xff\\t\\'\\\\\"'\n.")->root().text, std::string("\0\xff\t'\\\"", 6));
}

TEST(Pickles, NothingButPlainDataIsRead) {
  for (const char* name : {"os\nsystem", "__builtin__\neval", "numpy\nload", "subprocess\nPopen"}) {
    auto pickled = load("c" + std::string(name) + "\n(S'echo'\ntR.");
    ASSERT_FALSE(pickled.ok());
    EXPECT_EQ(pickled.status().code(), GLS_ERR_UNSUPPORTED);
    std::string shown = name;
    shown.replace(shown.find('\n'), 1, ".");
    EXPECT_MESSAGE(pickled.status(), "the pickle names " + shown);
  }
  EXPECT_EQ(load("\x80\x04.").status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(load(pickle(array<int32_t>("i4", {1}, {1}, false, ">"))).status(), "big-endian");
  EXPECT_MESSAGE(load(pickle(array<int32_t>("O8", {1}, {1}))).status(), "holds \"O8\"");
  // Known names in unexpected places.
  EXPECT_FALSE(load("cnumpy\nndarray\n)R.").ok());
  EXPECT_FALSE(load("cnumpy\ndtype\n)R.").ok());
  EXPECT_FALSE(load("cnumpy\ndtype\n)\x81.").ok());
  EXPECT_FALSE(load("ccopy_reg\n_reconstructor\n(c__builtin__\nlist\ntR.").ok());
  EXPECT_FALSE(load("]Nb.").ok());
  EXPECT_MESSAGE(load(pickle(array<int32_t>("i4", {3}, {1}))).status(), "4 bytes, expected 12");
  EXPECT_MESSAGE(load(pickle(array<int32_t>("i4", {-1}, {1}))).status(), "impossible shape");
}

// Whatever a pickle is cut to or has a byte changed to, reading it ends with a value or an error.
TEST(Pickles, SurviveAnyDamage) {
  const TempFolder folder;
  write_tiny(folder);
  std::mt19937 random(9);
  for (const char* name : {"x", "ally", "graph"}) {
    const std::string good = read_file(folder.file(std::string("ind.tiny.") + name));
    ASSERT_TRUE(load(good).ok());
    for (size_t size = 0; size < good.size(); size += 1 + size / 200) {
      EXPECT_FALSE(load(good.substr(0, size)).ok()) << name << " cut to " << size;
    }
    for (int round = 0; round < 600; ++round) {
      std::string damaged = good;
      for (int i = 0; i < 1 + round % 3; ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      auto loaded = load(damaged);
      EXPECT_TRUE(loaded.ok() || !loaded.status().message().empty());
      if (!loaded.ok() || round % 10 != 0) {
        continue;
      }
      folder.write(std::string("ind.tiny.") + name, damaged);
      Builder builder(context_of(1));
      const Status status = builder.add_planetoid(folder.path(), "tiny");
      EXPECT_TRUE(status.ok() || !status.message().empty());
    }
    folder.write(std::string("ind.tiny.") + name, good);
  }
  for (const char* bad : {"",
                          ".",
                          "a.",
                          "s.",
                          "t.",
                          "e.",
                          "u.",
                          "(",
                          "R.",
                          "b.",
                          "0.",
                          "\x85.",
                          "g5\n.",
                          "h\x05.",
                          "q\x01.",
                          "(h",
                          "I12x\n.",
                          "S'a\n.",
                          "S'\\q'\n.",
                          "S'\\x1'\n.",
                          "(K\x01"
                          "d.",
                          "K\x01K\x02"
                          "a.",
                          "}K\x01(u0",
                          "\x8a\x09.",
                          "Z."}) {
    EXPECT_FALSE(load(bad).ok()) << bad;
  }
}

// Small files that would stand for very much if what they share were copied.
TEST(Pickles, AreBoundedByTheirSize) {
  constexpr int kTimes = 20'000;
  const auto times = [](const std::string& part) {
    std::string out;
    for (int i = 0; i < kTimes; ++i) {
      out += part;
    }
    return out;
  };
  auto matrices = load("\x80\x02](}(" + times("K\x01K\x01") + "uq" + std::string(1, '\0') + "0" +
                       global("scipy.sparse.csr", "csr_matrix") + "q\x01" + "0" +
                       times("h\x01)\x81h" + std::string(1, '\0') + "b") + "e.");
  ASSERT_TRUE(matrices.ok()) << matrices.status().message();
  ASSERT_EQ(matrices->root().items.size(), size_t{kTimes});
  EXPECT_EQ(matrices->root().items.back()->items.size(), 1u);
  auto deep = load(pickle(array<int32_t>("i4", {1, 1, 1}, {1})));
  EXPECT_MESSAGE(deep.status(), "3 dimensions");

  const TempFolder folder;
  write_tiny(folder);
  folder.write("ind.tiny.graph", pickle("](" + times("K\x01") + "eq" + std::string(1, '\0') +
                                        "0}(" + times("K\x01h" + std::string(1, '\0')) + "u"));
  Builder builder(context_of());
  const Status status = builder.add_planetoid(folder.path(), "tiny");
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status, "400000000 entries");
}

// A list that contains itself is legal in a pickle.
TEST(Pickles, MayContainThemselves) {
  auto pickled = load(
      "]q\x01h\x01"
      "a.");
  ASSERT_TRUE(pickled.ok()) << pickled.status().message();
  EXPECT_EQ(pickled->root().items[0], &pickled->root());
}

}  // namespace
}  // namespace gls
