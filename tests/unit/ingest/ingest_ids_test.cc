#include <gtest/gtest.h>

#include <set>

#include "graph/dataset/node_keys.h"
#include "ingest/common/key_table.h"
#include "ingest/common/parallel_sort.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

NodeTypeOptions with_ids(NodeIds ids) {
  NodeTypeOptions options;
  options.ids = ids;
  return options;
}

TextOptions no_header() {
  TextOptions options;
  options.header = Header::kNo;
  return options;
}

std::vector<std::string> keys_of(const NodeType& type) {
  std::vector<std::string> out;
  for (int64_t id = 0; id < type.count; ++id) {
    out.push_back(*node_key(type, id));
  }
  return out;
}

// The edges of a type as pairs of keys, by edge id.
std::vector<std::pair<std::string, std::string>> named_edges(const Dataset& dataset,
                                                             size_t edge_type) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  const NodeType& sources = dataset.node_types()[type.source];
  const NodeType& targets = dataset.node_types()[type.target];
  std::vector<std::pair<std::string, std::string>> out(static_cast<size_t>(type.count));
  for (int64_t row = 0; row < targets.count; ++row) {
    for (int64_t at = type.csc->indptr[row]; at < type.csc->indptr[row + 1]; ++at) {
      out[static_cast<size_t>(type.csc->edge_id(at))] = {*node_key(sources, type.csc->neighbor(at)),
                                                         *node_key(targets, row)};
    }
  }
  return out;
}

TEST(Ids, IntegersAreNumberedInAscendingOrder) {
  const TempFolder folder;
  const std::string path = folder.write("edges", "100,-5\n9000000000000,100\n7,7\n-5,100\n");
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kInteger)));
         EXPECT_OK(builder.add_edges_text("n__e__n", path, {}));
       })) {
    const NodeType& type = dataset->node_types()[0];
    EXPECT_EQ(keys_of(type), (std::vector<std::string>{"-5", "7", "100", "9000000000000"}));
    EXPECT_FALSE(type.keys->strings);
    EXPECT_FALSE(type.keys->order.defined());
    using Edges = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(named_edges(*dataset, 0),
              (Edges{{"100", "-5"}, {"9000000000000", "100"}, {"7", "7"}, {"-5", "100"}}));
    for (int64_t id = 0; id < type.count; ++id) {
      EXPECT_EQ(*find_node(type, *node_key(type, id)), id);
    }
    for (const char* missing :
         {"8", "-6", "9000000000001", "", "x", "7x", "99999999999999999999"}) {
      EXPECT_EQ(find_node(type, missing).status().code(), GLS_ERR_NOT_FOUND) << missing;
    }
    EXPECT_EQ(node_key(type, 4).status().code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(node_key(type, -1).status().code(), GLS_ERR_INVALID_ARGUMENT);
  }
}

TEST(Ids, StringsAreNumberedInByteOrder) {
  const TempFolder folder;
  const std::string path =
      folder.write("edges", "b,\"a,b\"\nabcdefghi,abcdefgh\n\xc3\xa9,Z\nabcdefghj,b\n");
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kString)));
         EXPECT_OK(builder.add_edges_text("n__e__n", path, no_header()));
       })) {
    const NodeType& type = dataset->node_types()[0];
    EXPECT_EQ(keys_of(type), (std::vector<std::string>{"Z", "a,b", "abcdefgh", "abcdefghi",
                                                       "abcdefghj", "b", "\xc3\xa9"}));
    EXPECT_TRUE(type.keys->strings);
    EXPECT_EQ(named_edges(*dataset, 0)[1].second, "abcdefgh");
    for (int64_t id = 0; id < type.count; ++id) {
      EXPECT_EQ(*find_node(type, *node_key(type, id)), id);
    }
    EXPECT_EQ(find_node(type, "abcdefg").status().code(), GLS_ERR_NOT_FOUND);
    EXPECT_EQ(find_node(type, "").status().code(), GLS_ERR_NOT_FOUND);
  }
}

TEST(Ids, OneNumberingIsSharedByEdgeTypes) {
  const TempFolder folder;
  const std::string writes = folder.write("writes", "ann,p9\nbob,p1\n");
  const std::string cites = folder.write("cites", "p9,p2\np0,p1\n");
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_node_type("paper", with_ids(NodeIds::kString)));
         EXPECT_OK(builder.add_node_type("author", with_ids(NodeIds::kString)));
         EXPECT_OK(builder.add_edges_text("author__writes__paper", writes, no_header()));
         EXPECT_OK(builder.add_edges_text("paper__cites__paper", cites, no_header()));
       })) {
    EXPECT_EQ(keys_of(dataset->node_types()[0]),
              (std::vector<std::string>{"p0", "p1", "p2", "p9"}));
    EXPECT_EQ(keys_of(dataset->node_types()[1]), (std::vector<std::string>{"ann", "bob"}));
    using Edges = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(named_edges(*dataset, 0), (Edges{{"ann", "p9"}, {"bob", "p1"}}));
    EXPECT_EQ(named_edges(*dataset, 1), (Edges{{"p9", "p2"}, {"p0", "p1"}}));
  }
}

TEST(Ids, DoNotDependOnThreadsOrMemory) {
  std::mt19937 random(3);
  std::string text;
  std::set<std::string> distinct;
  std::vector<std::pair<std::string, std::string>> expected;
  for (int i = 0; i < 150'000; ++i) {
    const std::string a = formatted("user-{}", random() % 20'000);
    const std::string b = formatted("{:x}", random() % 50'000 * 77777);
    text += a + " " + b + "\n";
    expected.emplace_back(a, b);
    distinct.insert(a);
    distinct.insert(b);
  }
  const TempFolder folder;
  const std::string path = folder.write("edges", text);
  std::vector<std::pair<std::string, std::string>> first;
  for (const unsigned threads : {1u, 2u, 4u}) {
    for (const uint64_t mib : {24, 200}) {
      const auto context = context_of(threads);
      Builder builder(context);
      EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kString)));
      EXPECT_OK(builder.add_edges_text("n__e__n", path, no_header()));
      BuildOptions options = both_layouts();
      options.memory = mib << 20;
      options.overwrite = true;
      const Status status = builder.write(folder.file("dataset"), options);
      ASSERT_TRUE(status.ok()) << status.message();
      auto bytes = folder_bytes(folder.file("dataset"));
      if (first.empty()) {
        first = std::move(bytes);
        auto dataset = open_dataset(context, folder.file("dataset"), {});
        ASSERT_TRUE(dataset.ok());
        EXPECT_EQ(keys_of((*dataset)->node_types()[0]),
                  std::vector<std::string>(distinct.begin(), distinct.end()));
        EXPECT_EQ(named_edges(**dataset, 0), expected);
        EXPECT_OK(verify_dataset(**dataset, {}));
      } else {
        EXPECT_TRUE(bytes == first) << threads << " threads, " << mib << " MiB";
      }
    }
  }
}

TEST(Ids, TableThatDoesNotFitIsAnError) {
  std::string text;
  for (int i = 0; i < 400'000; ++i) {
    text += formatted("{} {}\n", i, i + 1'000'000);
  }
  const TempFolder folder;
  const std::string path = folder.write("edges", text);
  Builder builder(context_of());
  EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kInteger)));
  EXPECT_OK(builder.add_edges_text("n__e__n", path, {}));
  BuildOptions options;
  options.memory = uint64_t{16} << 20;
  const Status status = builder.write(folder.file("dataset"), options);
  EXPECT_EQ(status.code(), GLS_ERR_OUT_OF_MEMORY);
  EXPECT_MESSAGE(status, "the table of original node ids needs");
  EXPECT_EQ(builder.build(options).status().code(), GLS_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"edges"});
  options.memory = uint64_t{200} << 20;
  EXPECT_OK(builder.write(folder.file("dataset"), options));
}

TEST(Ids, RefusesWhatIsNoKey) {
  const TempFolder folder;
  const auto failing = [&](NodeIds ids, const std::string& text) {
    const std::string path = folder.write("edges", text);
    return build_error([&](Builder& builder) {
      EXPECT_OK(builder.add_node_type("n", with_ids(ids)));
      EXPECT_OK(builder.add_edges_text("n__e__n", path, no_header()));
    });
  };
  EXPECT_MESSAGE(failing(NodeIds::kInteger, "1,2\n3,x\n"), ":2: target: node id \"x\" is not");
  EXPECT_MESSAGE(failing(NodeIds::kInteger, "1,\n"), "is empty");
  EXPECT_MESSAGE(failing(NodeIds::kString, "a,b\n,b\n"), ":2: source: node id \"\" is empty");
  EXPECT_MESSAGE(failing(NodeIds::kString, "a,\"\"\n"), "is empty");
  EXPECT_MESSAGE(failing(NodeIds::kString, std::string("a,b\0c\n", 6)), "contains a zero byte");
  EXPECT_MESSAGE(failing(NodeIds::kDense, "1,2\n3,x\n"), "declare node type \"n\" with string ids");
}

TEST(Ids, ColumnsAndSetsBelongToTheNumbersFound) {
  const TempFolder folder;
  const std::string path = folder.write("edges", "30,10\n20,10\n");
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kInteger)));
         EXPECT_OK(builder.add_edges_text("n__e__n", path, {}));
         EXPECT_OK(builder.add_node_column("n", "x", GLS_ROLE_FEATURE,
                                           tensor<float>({1, 2, 3}, kFloat32)));
         EXPECT_OK(builder.add_id_set("n", "train", ids64({2, 0})));
         EXPECT_OK(builder.add_edges("n__dense__n", ids64({0}), ids64({2}), false));
       })) {
    EXPECT_EQ(dataset->node_types()[0].count, 3);
    EXPECT_EQ(keys_of(dataset->node_types()[0]), (std::vector<std::string>{"10", "20", "30"}));
  }
  Status status = build_error([&](Builder& builder) {
    EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kInteger)));
    EXPECT_OK(builder.add_edges_text("n__e__n", path, {}));
    EXPECT_OK(builder.add_node_column("n", "x", GLS_ROLE_FEATURE, tensor<float>({1, 2}, kFloat32)));
  });
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(status, "2 nodes by the rows of column \"x\", but 3 by the distinct ids");
  status = build_error([&](Builder& builder) {
    EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kInteger)));
    EXPECT_OK(builder.add_edges_text("n__e__n", path, {}));
    EXPECT_OK(builder.add_id_set("n", "train", ids64({2, 3})));
  });
  EXPECT_MESSAGE(status, "id set \"train\" of \"n\": node id 3 at position 1 is outside [0, 3)");
}

// The log of a build, or the message of its error.
std::string said_of(const std::function<void(Builder&)>& fill) {
  std::string said;
  const auto listen = [](void* user, int32_t, const char*, const char* line) {
    *static_cast<std::string*>(user) += line;
  };
  auto context = Context::create({}, listen, &said, nullptr);
  EXPECT_TRUE(context.ok());
  Builder builder(*context);
  fill(builder);
  auto built = builder.build({});
  return built.ok() ? said : built.status().message();
}

// One id too large would make a graph of nodes that nothing names.
TEST(DenseIds, FarMoreNodesThanIdsAreAnError) {
  const TempFolder folder;
  const char* const refused =
      "node type \"n\" has 200000001 nodes by the largest id, but edges and id sets name nodes "
      "only "
      "2 times; number the nodes that occur";
  const std::string path = folder.write("edges", "0,200000000\n");
  EXPECT_TRUE(contains(
      said_of([&](Builder& b) { EXPECT_OK(b.add_edges_text("n__e__n", path, {})); }), refused));
  EXPECT_TRUE(contains(said_of([&](Builder& b) {
                         EXPECT_OK(b.add_edges("n__e__n", ids64({0}), ids64({200'000'000}), false));
                       }),
                       refused));
  EXPECT_TRUE(contains(said_of([&](Builder& b) {
                         EXPECT_OK(b.add_node_type("n", {}));
                         EXPECT_OK(b.add_id_set("n", "s", ids64({5, 200'000'000})));
                       }),
                       refused));
  Status status = build_error(
      [&](Builder& builder) { EXPECT_OK(builder.add_edges_text("n__e__n", path, {})); });
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(*status.detail("type"), "n");
  // Integers are numbered, and a number that is declared is meant.
  for (const bool declared : {false, true}) {
    EXPECT_EQ(said_of([&](Builder& b) {
                NodeTypeOptions options = with_ids(declared ? NodeIds::kDense : NodeIds::kInteger);
                options.num_nodes = declared ? 2'000'001 : 0;
                EXPECT_OK(b.add_node_type("n", options));
                EXPECT_OK(b.add_edges_text("n__e__n", folder.write("far", "0,2000000\n"), {}));
              }),
              "");
  }
}

TEST(DenseIds, SomewhatMoreNodesThanIdsAreSaid) {
  const auto said_with = [](int64_t edges, int64_t largest) {
    return said_of([&](Builder& builder) {
      std::vector<int64_t> ids(static_cast<size_t>(edges));
      std::iota(ids.begin(), ids.end(), 0);
      std::vector<int64_t> targets = ids;
      targets.back() = largest;
      EXPECT_OK(builder.add_edges("n__e__n", ids64(ids), ids64(targets), false));
    });
  };
  EXPECT_EQ(said_with(10, 1'000'000), "");  // few all the same
  EXPECT_EQ(said_with(100'000, 1'500'000), "");
  EXPECT_TRUE(contains(said_with(100'000, 1'600'007),
                       "node type \"n\" has 1600008 nodes by the largest id, but edges and id sets "
                       "name nodes only 200000 times; integer ids"));
  EXPECT_TRUE(contains(said_with(100'000, 13'000'000), "; number the nodes that occur"));
}

TEST(NodeLists, FixTheOrderOfNodes) {
  const TempFolder folder;
  const std::string nodes =
      folder.write("nodes", "id,age,score\nzoe,30,0.5\nabe,40,1.5\nmia,50,2\n");
  const std::string edges = folder.write("edges", "abe,zoe\nmia,abe\n");
  TextOptions columns;
  columns.source_field = "id";
  columns.columns.push_back({"age", "", *parse_dtype("uint8"), GLS_ROLE_FEATURE});
  columns.columns.push_back({"score", "s", kFloat32, GLS_ROLE_OTHER});
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_node_type("p", with_ids(NodeIds::kString)));
         EXPECT_OK(builder.add_nodes_text("p", nodes, columns));
         EXPECT_OK(builder.add_edges_text("p__knows__p", edges, no_header()));
       })) {
    const NodeType& type = dataset->node_types()[0];
    EXPECT_EQ(keys_of(type), (std::vector<std::string>{"zoe", "abe", "mia"}));
    EXPECT_EQ(values_of<int64_t>(type.keys->order), (std::vector<int64_t>{1, 2, 0}));
    for (int64_t id = 0; id < 3; ++id) {
      EXPECT_EQ(*find_node(type, *node_key(type, id)), id);
    }
    EXPECT_EQ(find_node(type, "bob").status().code(), GLS_ERR_NOT_FOUND);
    EXPECT_EQ(values_of<uint8_t>(type.find_column("age")->data),
              (std::vector<uint8_t>{30, 40, 50}));
    EXPECT_EQ(values_of<float>(type.find_column("s")->data), (std::vector<float>{0.5, 1.5, 2}));
    using Edges = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(named_edges(*dataset, 0), (Edges{{"abe", "zoe"}, {"mia", "abe"}}));
  }
}

TEST(NodeLists, KeepIntegersUnlessTheyAreTheNumbers) {
  const TempFolder folder;
  const std::string plain = folder.write("plain", "0\n1\n2\n");
  const std::string mixed = folder.write("mixed", "5\n1\n2\n");
  const std::string edges = folder.write("edges", "2 1\n1 2\n");
  for (const NodeIds ids : {NodeIds::kDense, NodeIds::kInteger}) {
    for (const std::string& nodes : {plain, mixed}) {
      if (ids == NodeIds::kDense && nodes == mixed) {
        continue;  // an error
      }
      for (const auto& dataset : make_both([&](Builder& builder) {
             EXPECT_OK(builder.add_node_type("n", with_ids(ids)));
             EXPECT_OK(builder.add_nodes_text("n", nodes, {}));
             EXPECT_OK(builder.add_edges_text("n__e__n", edges, {}));
           })) {
        const NodeType& type = dataset->node_types()[0];
        EXPECT_EQ(type.count, 3);
        EXPECT_EQ(type.keys.has_value(), ids == NodeIds::kInteger);
        if (!type.keys) {
          EXPECT_EQ(find_node(type, "1").status().code(), GLS_ERR_UNSUPPORTED);
          EXPECT_EQ(node_key(type, 1).status().code(), GLS_ERR_UNSUPPORTED);
        } else {
          EXPECT_EQ(*find_node(type, "2"), 2);
          EXPECT_EQ(type.keys->order.defined(), nodes == mixed);
        }
      }
    }
  }
}

TEST(NodeLists, ReportWhatIsWrong) {
  const TempFolder folder;
  const auto failing = [&](const std::string& nodes, const std::string& edges, NodeIds ids) {
    const std::string nodes_path = folder.write("nodes", nodes);
    const std::string edges_path = folder.write("edges", edges);
    return build_error([&](Builder& builder) {
      EXPECT_OK(builder.add_node_type("n", with_ids(ids)));
      EXPECT_OK(builder.add_nodes_text("n", nodes_path, no_header()));
      EXPECT_OK(builder.add_edges_text("n__e__n", edges_path, no_header()));
    });
  };
  Status status = failing("a\nb\n# c\na\n", "a b\n", NodeIds::kString);
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status, "nodes:4: node \"a\" occurs before");
  status = failing("a\nb\n", "a b\na c\n", NodeIds::kString);
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status, "edges:2: target: no node of type \"n\" is called \"c\"");
  status = failing("4\n5\n", "4 6\n", NodeIds::kInteger);
  EXPECT_MESSAGE(status, "edges:1: target: no node of type \"n\" is called \"6\"");
  status = failing("0\nx\n", "0 0\n", NodeIds::kDense);
  EXPECT_MESSAGE(status, "nodes:2: node id \"x\" is not an integer");
  // Dense ids are numbers already, which a list in another order would change.
  status = failing("0\n# c\n2\n1\n", "0 1\n", NodeIds::kDense);
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status,
                 "nodes:3: node id 2 is number 1 of the list of nodes of type \"n\", but ids are "
                 "dense");
  EXPECT_EQ(*status.detail("line"), "3");

  const std::string path = folder.write("nodes", "a\nb\n");
  Builder builder(context_of());
  NodeTypeOptions three = with_ids(NodeIds::kString);
  three.num_nodes = 3;
  EXPECT_OK(builder.add_node_type("n", three));
  EXPECT_OK(builder.add_nodes_text("n", path, no_header()));
  EXPECT_MESSAGE(builder.build({}).status(), "3 nodes by num_nodes, but 2 by the lines of");
  EXPECT_EQ(builder.add_nodes_text("n", path, {}).code(), GLS_ERR_ALREADY_EXISTS);
  TextOptions reverse;
  reverse.add_reverse = true;
  EXPECT_EQ(builder.add_nodes_text("m", path, reverse).code(), GLS_ERR_INVALID_ARGUMENT);
}

TEST(NodeLists, FindTheFirstRepetitionOfALargeFile) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) {
    text += formatted("key-{}\n", i == 250'000 ? 17 : i == 260'000 ? 3 : i);
  }
  const TempFolder folder;
  const std::string path = folder.write("nodes", text);
  const Status status = build_error([&](Builder& builder) {
    EXPECT_OK(builder.add_node_type("n", with_ids(NodeIds::kString)));
    EXPECT_OK(builder.add_nodes_text("n", path, no_header()));
  });
  EXPECT_MESSAGE(status, "nodes:250001: node \"key-17\" occurs before");
}

TEST(NodeKeys, DamageIsAnErrorAndNeverReadBeyond) {
  NodeType type;
  type.name = "n";
  type.count = 3;
  NodeKeys keys;
  keys.strings = true;
  keys.values = tensor<char>({'a', 'b', 'c'}, kUint8);
  keys.offsets = ids64({0, 1, 2, 3});
  keys.order = ids64({0, 1, 2});
  type.keys = keys;
  EXPECT_EQ(*find_node(type, "c"), 2);
  type.keys->offsets = ids64({0, 100, -7, 3});
  EXPECT_EQ(find_node(type, "c").status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(node_key(type, 0).status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(node_key(type, 2).status().code(), GLS_ERR_CORRUPT_DATA);
  type.keys->offsets = ids64({0, 1, 2, 3});
  type.keys->order = ids64({0, 3, 2});
  EXPECT_EQ(find_node(type, "b").status().code(), GLS_ERR_CORRUPT_DATA);
  type.keys->order = ids64({0, -1, 2});
  EXPECT_EQ(find_node(type, "b").status().code(), GLS_ERR_CORRUPT_DATA);
}

TEST(KeyTable, InternsFromManyThreads) {
  const auto context = context_of(4);
  auto budget = std::make_shared<MemoryBudget>(uint64_t{1} << 30);
  IntegerKeys integers(budget);
  StringKeys strings(budget);
  constexpr int64_t kKeys = 20'000;
  const Status status =
      parallel_try(context->pool(), 200'000, 1000, [&](size_t begin, size_t end) -> Status {
        std::vector<int64_t> numbers;
        std::vector<std::string> texts;
        for (size_t i = begin; i < end; ++i) {
          numbers.push_back(static_cast<int64_t>(i * 31) % kKeys - 100);
          texts.push_back(std::to_string(numbers.back()));
        }
        // Many at once, and one by one: the same key has the same id.
        std::vector<int64_t> of_numbers(numbers.size());
        std::vector<int64_t> of_texts(numbers.size());
        const std::vector<std::string_view> views(texts.begin(), texts.end());
        GLS_TRY(integers.intern_all(numbers, of_numbers.data()));
        GLS_TRY(strings.intern_all(views, of_texts.data()));
        for (size_t i = 0; i < numbers.size(); ++i) {
          int64_t id = 0;
          GLS_TRY(integers.intern(numbers[i], &id));
          EXPECT_EQ(id, of_numbers[i]);
          GLS_TRY(strings.intern(texts[i], &id));
          EXPECT_EQ(id, of_texts[i]);
        }
        return {};
      });
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(integers.size(), kKeys);
  EXPECT_EQ(strings.size(), kKeys);
  std::set<int64_t> ids;
  integers.for_each([&](int64_t id, int64_t key) {
    EXPECT_LT(id, integers.limit());
    EXPECT_EQ(integers.key(id), key);
    EXPECT_EQ(integers.find(key), id);
    ids.insert(id);
  });
  EXPECT_EQ(ids.size(), static_cast<size_t>(kKeys));
  strings.for_each([&](int64_t id, std::string_view key) {
    EXPECT_EQ(strings.key(id), key);
    EXPECT_EQ(strings.find(key), id);
  });
  EXPECT_EQ(integers.find(kKeys), -1);
  EXPECT_EQ(strings.find("nobody"), -1);
  bool added = true;
  int64_t id = 0;
  EXPECT_OK(strings.intern("0", &id, &added));
  EXPECT_FALSE(added);
  EXPECT_OK(strings.intern("new", &id, &added));
  EXPECT_TRUE(added);
}

TEST(ParallelSort, SortsLikeOneThread) {
  std::mt19937_64 random(5);
  for (const size_t size : {0u, 1u, 2u, 1000u, 300'000u, 1'000'003u}) {
    std::vector<uint64_t> values(size);
    for (uint64_t& value : values) {
      value = random();
    }
    std::vector<uint64_t> expected = values;
    std::sort(expected.begin(), expected.end());
    EXPECT_OK(parallel_sort(context_of(3)->pool(), &values, std::less<>()));
    EXPECT_EQ(values, expected);
  }
}

}  // namespace
}  // namespace gls
