#include <gtest/gtest.h>

#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

const std::string kLongName(256, 'x');

TEST(Builder, SortsEdgesIntoBothLayouts) {
  const EdgeList edges = random_edges(5000, 300, 200, 1);
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_edges("a__to__b", ids64(edges.source), ids32(edges.target), false));
       })) {
    ASSERT_EQ(dataset->node_types().size(), 2u);
    const EdgeType& type = dataset->edge_types()[0];
    EXPECT_EQ(type.joined, "a__to__b");
    EXPECT_EQ(type.count, 5000);
    const int64_t sources = dataset->node_types()[0].count;
    const int64_t targets = dataset->node_types()[1].count;
    EXPECT_EQ(sources, *std::max_element(edges.source.begin(), edges.source.end()) + 1);
    expect_rows(*type.csc, sorted_rows(edges.target, edges.source, targets));
    expect_rows(*type.csr, sorted_rows(edges.source, edges.target, sources));
  }
}

TEST(Builder, MakesTheLayoutsAskedFor) {
  for (const bool csc : {true, false}) {
    BuildOptions options;
    options.csc = csc;
    options.csr = !csc;
    for (const auto& dataset : make_both(
             [&](Builder& builder) {
               EXPECT_OK(builder.add_edges("a__to__a", ids64({0, 1}), ids64({1, 0}), false));
             },
             options)) {
      EXPECT_EQ(dataset->edge_types()[0].csc.has_value(), csc);
      EXPECT_EQ(dataset->edge_types()[0].csr.has_value(), !csc);
    }
  }
  BuildOptions neither;
  neither.csc = false;
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges("a__to__a", ids64({}), ids64({}), false));
  EXPECT_EQ(builder.build(neither).status().code(), GLS_ERR_INVALID_ARGUMENT);
}

TEST(Builder, KeepsParallelEdgesSelfLoopsAndIsolatedNodes) {
  for (const auto& dataset : make_both([](Builder& builder) {
         NodeTypeOptions nodes;
         nodes.num_nodes = 7;
         EXPECT_OK(builder.add_node_type("n", nodes));
         EXPECT_OK(builder.add_edges("n__e__n", ids64({3, 1, 3, 3, 5, 3}),
                                     ids64({2, 2, 2, 3, 5, 2}), false));
       })) {
    const EdgeType& type = dataset->edge_types()[0];
    expect_rows(*type.csc, {{0, 0, 0, 4, 5, 5, 6, 6}, {3, 1, 3, 3, 3, 5}, {0, 1, 2, 5, 3, 4}});
    expect_rows(*type.csr, {{0, 0, 1, 1, 5, 5, 6, 6}, {2, 2, 2, 3, 2, 5}, {1, 0, 2, 3, 5, 4}});
  }
}

TEST(Builder, TakesEmptyGraphs) {
  for (const auto& dataset : make_both([](Builder& builder) {
         EXPECT_OK(builder.add_edges("a__e__b", ids64({}), ids32({}), false));
         EXPECT_OK(
             builder.add_node_column("a", "x", 0, tensor(std::vector<float>(), kFloat32, {0, 5})));
         EXPECT_OK(builder.add_edge_column("a__e__b", "w", 0,
                                           tensor(std::vector<float>(), kFloat32, {0})));
         EXPECT_OK(builder.add_id_set("a", "train", ids64({})));
       })) {
    EXPECT_EQ(dataset->node_types()[0].count, 0);
    EXPECT_EQ(dataset->edge_types()[0].count, 0);
    EXPECT_EQ(values_of<int64_t>(dataset->edge_types()[0].csc->indptr_tensor),
              std::vector<int64_t>{0});
    EXPECT_EQ(dataset->node_types()[0].columns[0].data.shape(), (std::vector<int64_t>{0, 5}));
  }
  // Nodes but no edges; a type without any edge type.
  for (const auto& dataset : make_both([](Builder& builder) {
         NodeTypeOptions nodes;
         nodes.num_nodes = 3;
         EXPECT_OK(builder.add_node_type("a", nodes));
         EXPECT_OK(builder.add_edges("a__e__a", ids64({}), ids64({}), false));
         EXPECT_OK(builder.add_node_type("alone", {}));
       })) {
    EXPECT_EQ(values_of<int64_t>(dataset->edge_types()[0].csc->indptr_tensor),
              (std::vector<int64_t>{0, 0, 0, 0}));
    EXPECT_EQ(dataset->node_types()[1].name, "alone");
    EXPECT_EQ(dataset->node_types()[1].count, 0);
  }
}

TEST(Builder, NeedsSomethingToMakeADatasetOf) {
  const Status status = build_error([](Builder&) {});
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(status, "the builder is empty");
}

TEST(Builder, IsEmptyAfterSuccessAndUnchangedAfterFailure) {
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges("n__e__n", ids64({0}), ids64({1}), false));
  EXPECT_OK(builder.add_node_column("n", "x", 0, ids64({5})));  // one row for two nodes
  EXPECT_FALSE(builder.build({}).ok());
  NodeTypeOptions nodes;
  EXPECT_EQ(builder.add_node_type("n", nodes).code(), GLS_ERR_ALREADY_EXISTS);  // still there
  Builder good(context_of());
  EXPECT_OK(good.add_edges("n__e__n", ids64({0}), ids64({1}), false));
  EXPECT_TRUE(good.build({}).ok());
  EXPECT_MESSAGE(good.build({}).status(), "empty");
  EXPECT_OK(good.add_edges("n__e__n", ids64({4}), ids64({1}), false));
  auto again = good.build({});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->node_types()[0].count, 5);
}

TEST(Builder, OrdersTypesByFirstMention) {
  for (const auto& dataset : make_both([](Builder& builder) {
         EXPECT_OK(builder.add_edges("b__x__c", ids64({}), ids64({}), false));
         EXPECT_OK(builder.add_node_type("d", {}));
         EXPECT_OK(builder.add_edges("a__x__b", ids64({}), ids64({}), false));
         EXPECT_OK(builder.add_edges("b__a__c", ids64({}), ids64({}), false));
       })) {
    std::vector<std::string> nodes;
    for (const NodeType& type : dataset->node_types()) {
      nodes.push_back(type.name);
    }
    EXPECT_EQ(nodes, (std::vector<std::string>{"b", "c", "d", "a"}));
    EXPECT_EQ(dataset->edge_types()[1].joined, "a__x__b");
    EXPECT_EQ(dataset->edge_types()[1].source, 3u);
    EXPECT_EQ(dataset->edge_types()[1].target, 0u);
  }
}

TEST(Builder, LogsTypesThatAreAlmostNamedAsOthers) {
  std::string said;
  const auto listen = [](void* user, int32_t, const char*, const char* line) {
    *static_cast<std::string*>(user) += std::string(line) + "\n";
  };
  auto context = Context::create({}, listen, &said, nullptr);
  ASSERT_TRUE(context.ok());
  Builder builder(*context);
  EXPECT_OK(builder.add_node_type("paper", {}));
  EXPECT_OK(builder.add_edges("paper1__to__paper2", ids64({}), ids64({}), false));
  EXPECT_EQ(said, "");
  EXPECT_OK(builder.add_edges("author__writes__papre", ids64({}), ids64({}), false));
  EXPECT_EQ(
      said,
      "edge type \"author__writes__papre\" declares the node type \"papre\", and there is one "
      "\"paper\"; declare both first if both are meant\n");
  said.clear();
  EXPECT_OK(builder.add_node_type("venue", {}));
  EXPECT_OK(builder.add_node_type("venues", {}));
  EXPECT_OK(builder.add_edges("venue__of__venues", ids64({}), ids64({}), false));
  EXPECT_EQ(said, "");
}

TEST(Builder, RefusesBadNames) {
  Builder builder(context_of());
  for (const std::string& bad :
       {std::string(), std::string("a__b"), std::string("_a"), std::string("a_"),
        std::string("a\nb"), kLongName, std::string("\xff"), std::string("a\0b", 3)}) {
    EXPECT_EQ(builder.add_node_type(bad, {}).code(), GLS_ERR_INVALID_ARGUMENT) << bad;
    EXPECT_FALSE(builder.add_edges("n__" + bad + "__n", ids64({}), ids64({}), false).ok()) << bad;
  }
  for (const char* bad : {"", "n", "n__e", "n__e__n__x", "__e__n", "n____n"}) {
    EXPECT_EQ(builder.add_edges(bad, ids64({}), ids64({}), false).code(), GLS_ERR_INVALID_ARGUMENT)
        << bad;
  }
  EXPECT_MESSAGE(builder.build({}).status(), "empty");  // nothing was declared on the way
  EXPECT_OK(builder.add_node_type(std::string(255, 'x'), {}));
  EXPECT_OK(builder.add_node_type("\xc3\xa9t\xc3\xa9 1", {}));
  EXPECT_EQ(builder.add_node_column("\xc3\xa9t\xc3\xa9 1", "a__b", 0, ids64({})).code(),
            GLS_ERR_INVALID_ARGUMENT);
}

TEST(Builder, RefusesWhatExistsAlready) {
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges("n__e__m", ids64({}), ids64({}), false));
  EXPECT_EQ(builder.add_edges("n__e__m", ids64({}), ids64({}), false).code(),
            GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(builder.add_edges_text("n__e__m", "f", {}).code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(builder.add_topology("n__e__m", Layout::kCsc, ids64({0}), ids64({}), {}).code(),
            GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(builder.add_node_type("m", {}).code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_OK(builder.add_node_column("n", "x", 0, ids64({})));
  EXPECT_EQ(builder.add_node_column("n", "x", 0, ids64({})).code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_OK(builder.add_edge_column("n__e__m", "x", 0, ids64({})));
  EXPECT_EQ(builder.add_edge_column("n__e__m", "x", 0, ids64({})).code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_OK(builder.add_id_set("n", "x", ids64({})));
  EXPECT_EQ(builder.add_id_set("n", "x", ids64({})).code(), GLS_ERR_ALREADY_EXISTS);
  TextOptions text;
  text.columns.push_back({"#1", "x", kInt64, 0});
  EXPECT_EQ(builder.add_nodes_text("n", "f", text).code(), GLS_ERR_ALREADY_EXISTS);
  text.columns[0].name = "y";
  EXPECT_OK(builder.add_nodes_text("n", "f", text));
  EXPECT_EQ(builder.add_node_column("n", "y", 0, ids64({})).code(), GLS_ERR_ALREADY_EXISTS);
}

TEST(Builder, NamesWhatDoesNotExist) {
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges("n__e__m", ids64({}), ids64({}), false));
  Status status = builder.add_node_column("k", "x", 0, ids64({}));
  EXPECT_EQ(status.code(), GLS_ERR_NOT_FOUND);
  EXPECT_MESSAGE(status, "declared so far: n, m");
  EXPECT_EQ(builder.add_edge_column("n__f__m", "x", 0, ids64({})).code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(builder.add_id_set("k", "x", ids64({})).code(), GLS_ERR_NOT_FOUND);
  // An empty name stands for the only type.
  EXPECT_EQ(builder.add_id_set("", "x", ids64({})).code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_OK(builder.add_edge_column("", "x", 0, ids64({})));
  EXPECT_EQ(builder.add_node_column("n", "x", 5, ids64({})).code(), GLS_ERR_INVALID_ARGUMENT);
}

TEST(Builder, RefusesArraysThatAreNoIds) {
  Builder builder(context_of());
  const Tensor floats = tensor<float>({0, 1}, kFloat32);
  const Tensor square = tensor<int64_t>({0, 1, 2, 3}, kInt64, {2, 2});
  for (const Tensor& bad : {floats, square}) {
    EXPECT_EQ(builder.add_edges("n__e__n", bad, ids64({0, 1}), false).code(),
              GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(builder.add_edges("n__e__n", ids64({0, 1}), bad, false).code(),
              GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(builder.add_topology("n__e__n", Layout::kCsc, bad, ids64({0}), {}).code(),
              GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(builder.add_topology("n__e__n", Layout::kCsc, ids64({0, 1}), bad, {}).code(),
              GLS_ERR_INVALID_ARGUMENT);
  }
  const Status status = builder.add_edges("n__e__n", ids64({0, 1}), ids64({0}), false);
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(status, "source has 2 entries, but target has 1");
  EXPECT_EQ(builder.add_topology("n__e__n", Layout::kCsc, ids32({0, 1}), ids64({0}), {}).code(),
            GLS_ERR_INVALID_ARGUMENT);  // indptr must be int64
  EXPECT_EQ(builder.add_topology("n__e__n", Layout::kCsc, ids64({0, 1}), ids64({0}), ids64({0, 1}))
                .code(),
            GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(builder.build({}).status(), "empty");
}

TEST(Builder, NamesTheIdThatIsOutOfRange) {
  const auto failing = [](std::vector<int64_t> source, std::vector<int64_t> target,
                          int64_t num_nodes) {
    return build_error([&](Builder& builder) {
      NodeTypeOptions nodes;
      nodes.num_nodes = num_nodes;
      EXPECT_OK(builder.add_node_type("n", nodes));
      EXPECT_OK(builder.add_edges("n__e__n", ids64(source), ids64(target), false));
    });
  };
  Status status = failing({0, 1, 2}, {0, 7, 9}, 5);
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(status,
                 "target of \"n__e__n\": node id 7 at position 1 is outside [0, 5) of node "
                 "type \"n\" (by num_nodes)");
  EXPECT_EQ(*status.detail("argument"), "target");
  EXPECT_EQ(*status.detail("offset"), "1");
  EXPECT_MESSAGE(failing({0, -1, 2}, {0, 1, 2}, 0),
                 "source of \"n__e__n\": node id -1 at position 1");
  EXPECT_MESSAGE(failing({0, 1, INT64_MAX}, {0, 1, 2}, 0), "9223372036854775807 at position 2");
  EXPECT_MESSAGE(failing({5, 1}, {0, 1}, 5), "node id 5 at position 0");

  // Deep in a large array, whatever the threads do.
  std::vector<int64_t> source(1'000'000, 3);
  source[700'000] = -2;
  source[900'000] = 99;
  EXPECT_MESSAGE(failing(source, std::vector<int64_t>(1'000'000, 0), 50),
                 "node id -2 at position 700000");
}

TEST(Builder, CountsMustAgree) {
  const auto failing = [](int64_t num_nodes, int64_t rows, int64_t other_rows, int64_t in_set) {
    return build_error([&](Builder& builder) {
      NodeTypeOptions nodes;
      nodes.num_nodes = num_nodes;
      EXPECT_OK(builder.add_node_type("n", nodes));
      const auto zeros = [](int64_t count) {
        return tensor(std::vector<uint8_t>(static_cast<size_t>(count)), kUint8);
      };
      EXPECT_OK(builder.add_node_column("n", "x", 0, zeros(rows)));
      EXPECT_OK(builder.add_node_column("n", "y", 0, zeros(other_rows)));
      EXPECT_OK(builder.add_id_set("n", "train", ids64({0, in_set})));
    });
  };
  EXPECT_MESSAGE(failing(4, 5, 5, 0),
                 "has 4 nodes by num_nodes, but 5 by the rows of column \"x\"");
  EXPECT_MESSAGE(failing(0, 5, 6, 0),
                 "5 nodes by the rows of column \"x\", but 6 by the rows of "
                 "column \"y\"");
  EXPECT_MESSAGE(failing(0, 5, 5, 5), "id set \"train\" of \"n\": node id 5 at position 1");
  const Status status = build_error([](Builder& builder) {
    EXPECT_OK(builder.add_edges("n__e__n", ids64({0, 1}), ids64({1, 0}), false));
    EXPECT_OK(builder.add_edge_column("n__e__n", "w", 0, tensor<float>({1, 2, 3}, kFloat32)));
  });
  EXPECT_MESSAGE(status, "column \"w\" of edge type \"n__e__n\" has 3 rows, expected 2");
  Builder builder(context_of());
  NodeTypeOptions negative;
  negative.num_nodes = -1;
  EXPECT_EQ(builder.add_node_type("n", negative).code(), GLS_ERR_INVALID_ARGUMENT);
}

TEST(Builder, FindsCountsFromSetsAndColumns) {
  for (const auto& dataset : make_both([](Builder& builder) {
         EXPECT_OK(builder.add_edges("a__e__b", ids64({1}), ids64({2}), false));
         EXPECT_OK(builder.add_id_set("a", "train", ids32({6, 0})));
         EXPECT_OK(builder.add_node_column("b", "x", 0, ids64({0, 0, 0, 0, 0, 0, 0, 0, 0})));
       })) {
    EXPECT_EQ(dataset->node_types()[0].count, 7);
    EXPECT_EQ(dataset->node_types()[1].count, 9);
    EXPECT_EQ(id_values(dataset->node_types()[0].id_sets[0].ids), (std::vector<int64_t>{6, 0}));
  }
}

// ---- reverse edges ----

TEST(Builder, AddsReverseEdgesWithinOneType) {
  for (const auto& dataset : make_both([](Builder& builder) {
         EXPECT_OK(builder.add_edges("n__e__n", ids64({0, 2, 1}), ids64({1, 1, 1}), true));
         EXPECT_OK(builder.add_edge_column("n__e__n", "w", GLS_ROLE_WEIGHT,
                                           tensor<float>({5, 6, 7}, kFloat32)));
       })) {
    ASSERT_EQ(dataset->edge_types().size(), 1u);
    const EdgeType& type = dataset->edge_types()[0];
    EXPECT_EQ(type.count, 6);
    const std::vector<int64_t> source = {0, 2, 1, 1, 1, 1};
    const std::vector<int64_t> target = {1, 1, 1, 0, 2, 1};
    expect_rows(*type.csc, sorted_rows(target, source, 3));
    expect_rows(*type.csr, sorted_rows(source, target, 3));
    EXPECT_EQ(values_of<float>(type.columns[0].data), (std::vector<float>{5, 6, 7, 5, 6, 7}));
  }
}

TEST(Builder, AddsReverseEdgesBetweenTwoTypes) {
  for (
      const auto& dataset : make_both([](Builder& builder) {
        EXPECT_OK(builder.add_edges("user__likes__item", ids64({0, 2, 1}), ids64({1, 1, 0}), true));
        EXPECT_OK(builder.add_edge_column("user__likes__item", "w", GLS_ROLE_WEIGHT,
                                          tensor<float>({5, 6, 7}, kFloat32)));
      })) {
    ASSERT_EQ(dataset->edge_types().size(), 2u);
    const EdgeType& forward = dataset->edge_types()[0];
    const EdgeType& reverse = dataset->edge_types()[1];
    EXPECT_EQ(reverse.joined, "item__rev_likes__user");
    EXPECT_EQ(reverse.source, forward.target);
    EXPECT_EQ(reverse.target, forward.source);
    EXPECT_EQ(reverse.count, 3);
    const std::vector<int64_t> user = {0, 2, 1};
    const std::vector<int64_t> item = {1, 1, 0};
    expect_rows(*forward.csc, sorted_rows(item, user, 2));
    expect_rows(*reverse.csc, sorted_rows(user, item, 3));
    expect_rows(*reverse.csr, sorted_rows(item, user, 2));
    EXPECT_EQ(values_of<float>(reverse.columns[0].data), (std::vector<float>{5, 6, 7}));
    EXPECT_EQ(reverse.columns[0].role, GLS_ROLE_WEIGHT);
  }
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges("a__e__b", ids64({}), ids64({}), true));
  EXPECT_EQ(builder.add_edge_column("b__rev_e__a", "w", 0, ids64({})).code(),
            GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(builder.add_edges("b__rev_e__a", ids64({}), ids64({}), false).code(),
            GLS_ERR_ALREADY_EXISTS);
  EXPECT_OK(builder.add_edges("b__rev_f__a", ids64({}), ids64({}), false));
  EXPECT_EQ(builder.add_edges("a__f__b", ids64({}), ids64({}), true).code(),
            GLS_ERR_ALREADY_EXISTS);
}

TEST(Builder, AddsReverseEdgesOfText) {
  const TempFolder folder;
  const std::string path = folder.write("edges", "x,y,0.5\ny,z,1.5\n");
  TextOptions options;
  options.header = Header::kNo;
  options.add_reverse = true;
  options.columns.push_back({"#2", "w", kFloat32, GLS_ROLE_WEIGHT});
  for (const auto& dataset : make_both([&](Builder& builder) {
         NodeTypeOptions nodes;
         nodes.ids = NodeIds::kString;
         EXPECT_OK(builder.add_node_type("n", nodes));
         EXPECT_OK(builder.add_node_type("m", nodes));
         EXPECT_OK(builder.add_edges_text("n__e__n", path, options));
         EXPECT_OK(builder.add_edges_text("n__f__m", path, options));
       })) {
    const EdgeType& within = dataset->edge_types()[0];
    EXPECT_EQ(within.count, 4);
    EXPECT_EQ(values_of<float>(within.columns[0].data), (std::vector<float>{0.5, 1.5, 0.5, 1.5}));
    expect_rows(*within.csc, sorted_rows({1, 2, 0, 1}, {0, 1, 1, 2}, 3));
    const EdgeType& reverse = dataset->edge_types()[2];
    EXPECT_EQ(reverse.joined, "m__rev_f__n");
    EXPECT_EQ(values_of<float>(reverse.columns[0].data), (std::vector<float>{0.5, 1.5}));
  }
}

// ---- ready topologies ----

TEST(Builder, UsesReadyTopologiesInPlace) {
  const Tensor indptr = ids64({0, 2, 2, 3});
  const Tensor indices = ids32({1, 0, 3});
  Builder builder(context_of());
  EXPECT_OK(builder.add_topology("a__e__b", Layout::kCsc, indptr, indices, {}));
  const Tensor column = tensor<float>({1, 2, 3}, kFloat32);
  EXPECT_OK(builder.add_edge_column("a__e__b", "w", 0, column));
  auto built = builder.build({});
  ASSERT_TRUE(built.ok()) << built.status().message();
  const EdgeType& type = (*built)->edge_types()[0];
  EXPECT_EQ(type.csc->indptr_tensor.data(), indptr.data());
  EXPECT_EQ(type.csc->indices_tensor.data(), indices.data());
  EXPECT_EQ(type.columns[0].data.data(), column.data());
  EXPECT_EQ((*built)->node_types()[0].count, 4);
  EXPECT_EQ((*built)->node_types()[1].count, 3);
  EXPECT_FALSE(type.csr.has_value());
}

TEST(Builder, DerivesTheOtherLayout) {
  const EdgeList edges = random_edges(4000, 60, 50, 3);
  const Rows csc = sorted_rows(edges.target, edges.source, 50);
  const Rows csr = sorted_rows(edges.source, edges.target, 60);
  NodeTypeOptions sixty;
  sixty.num_nodes = 60;
  NodeTypeOptions fifty;
  fifty.num_nodes = 50;
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    const Rows& rows = layout == Layout::kCsc ? csc : csr;
    for (const auto& dataset : make_both([&](Builder& builder) {
           EXPECT_OK(builder.add_node_type("a", sixty));
           EXPECT_OK(builder.add_node_type("b", fifty));
           EXPECT_OK(builder.add_topology("a__e__b", layout, ids64(rows.indptr),
                                          ids64(rows.indices), ids32(rows.edge_ids)));
         })) {
      const EdgeType& type = dataset->edge_types()[0];
      expect_rows(*type.csc, csc);
      expect_rows(*type.csr, csr);
    }
  }
  // Ids that are positions.
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_topology("n__e__n", Layout::kCsr, ids64({0, 2, 3, 3}),
                                        ids64({2, 0, 0}), {}));
       })) {
    expect_rows(*dataset->edge_types()[0].csc, {{0, 2, 2, 3}, {0, 1, 0}, {1, 2, 0}});
  }
}

TEST(Builder, TakesBothLayoutsWhenTheyAgree) {
  const Rows csc = {{0, 2, 3}, {1, 0, 1}, {0, 2, 1}};  // 1->0, 1->1, 0->0
  const Rows csr = {{0, 1, 3}, {0, 0, 1}, {2, 0, 1}};
  const auto add = [&](Builder& builder, const Rows& other) {
    EXPECT_OK(builder.add_topology("n__e__n", Layout::kCsc, ids64(csc.indptr), ids64(csc.indices),
                                   ids64(csc.edge_ids)));
    EXPECT_OK(builder.add_topology("n__e__n", Layout::kCsr, ids64(other.indptr),
                                   ids64(other.indices), ids64(other.edge_ids)));
  };
  EXPECT_EQ(make_both([&](Builder& builder) { add(builder, csr); }).size(), 2u);
  Rows other = csr;
  std::swap(other.edge_ids[1], other.edge_ids[2]);
  const Status status = build_error([&](Builder& builder) { add(builder, other); });
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(status, "edge 0 at position 0 goes from 1 to 0, but from 1 to 1 in the CSR");

  Builder builder(context_of());
  EXPECT_OK(builder.add_topology("n__e__n", Layout::kCsc, ids64({0, 1}), ids64({0}), {}));
  EXPECT_MESSAGE(builder.add_topology("n__e__n", Layout::kCsr, ids64({0, 2}), ids64({0, 0}), {}),
                 "the other layout has 1 entries, but indices has 2");
  EXPECT_EQ(builder.add_topology("n__e__n", Layout::kCsc, ids64({0, 1}), ids64({0}), {}).code(),
            GLS_ERR_ALREADY_EXISTS);
}

TEST(Builder, ChecksReadyTopologies) {
  const auto failing = [](std::vector<int64_t> indptr, std::vector<int64_t> indices,
                          std::vector<int64_t> edge_ids) {
    return build_error([&](Builder& builder) {
      NodeTypeOptions five;
      five.num_nodes = 5;
      EXPECT_OK(builder.add_node_type("a", five));
      EXPECT_OK(builder.add_topology("a__e__b", Layout::kCsc, ids64(indptr), ids64(indices),
                                     edge_ids.empty() ? Tensor() : ids64(edge_ids)));
    });
  };
  Status status = failing({0, 2, 1, 3}, {0, 1, 2}, {});
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(status,
                 "indptr of the CSC of \"a__e__b\": entry 2 is 1, less than the entry "
                 "before it (2)");
  EXPECT_MESSAGE(failing({0, 1, 2}, {0, 1, 2}, {}), "goes from 0 to 2, expected 0 to 3");
  EXPECT_MESSAGE(failing({1, 2, 3}, {0, 1, 2}, {}), "goes from 1 to 3, expected 0 to 3");
  EXPECT_MESSAGE(failing({0, 3}, {0, 5, 2}, {}), "node id 5 at position 1 is outside [0, 5)");
  EXPECT_MESSAGE(failing({0, 3}, {0, -1, 2}, {}), "node id -1 at position 1");
  EXPECT_MESSAGE(failing({0, 3}, {0, 1, 2}, {0, 3, 1}),
                 "edge id 3 at position 1 is outside [0, 3)");
  EXPECT_MESSAGE(failing({0, 3}, {0, 1, 2}, {0, 1, 1}), "edge id 1 at position 2 occurs before");
}

TEST(Builder, TopologiesTellTheNumberOfNodes) {
  const Status status = build_error([](Builder& builder) {
    NodeTypeOptions five;
    five.num_nodes = 5;
    EXPECT_OK(builder.add_node_type("b", five));
    EXPECT_OK(builder.add_topology("a__e__b", Layout::kCsc, ids64({0, 1}), ids64({0}), {}));
  });
  EXPECT_MESSAGE(status, "has 5 nodes by num_nodes, but 1 by the CSC indptr of \"a__e__b\"");
}

// ---- columns ----

// Random bytes as a tensor; `stride` bytes from row to row, 0: rows follow each other.
Tensor random_tensor(DLDataType dtype, std::vector<int64_t> shape, unsigned seed,
                     int64_t stride = 0) {
  std::mt19937 random(seed);
  int64_t row_bytes = static_cast<int64_t>(dtype_bytes(dtype));
  for (size_t d = 1; d < shape.size(); ++d) {
    row_bytes *= shape[d];
  }
  stride = stride == 0 ? row_bytes : stride;
  auto bytes = std::make_shared<std::string>(static_cast<size_t>(shape[0] * stride), '\0');
  for (char& c : *bytes) {
    c = static_cast<char>(dtype.code == kDLBool ? random() % 2 : random());
  }
  const void* const data = bytes->data();
  return Tensor(std::move(bytes), data, dtype, std::move(shape), stride, true);
}

void expect_same_rows(const Tensor& found, const Tensor& expected) {
  EXPECT_TRUE(same_dtype(found.dtype(), expected.dtype()));
  ASSERT_EQ(found.shape(), expected.shape());
  for (int64_t row = 0; row < found.rows(); ++row) {
    ASSERT_EQ(std::memcmp(found.data() + row * found.row_stride(),
                          expected.data() + row * expected.row_stride(),
                          static_cast<size_t>(expected.row_bytes())),
              0)
        << "row " << row;
  }
}

const std::vector<DLDataType> kDtypes = {
    {kDLBool, 8, 1}, {kDLInt, 8, 1},   {kDLInt, 16, 1},  kInt32,           kInt64,
    kUint8,          {kDLUInt, 16, 1}, {kDLUInt, 32, 1}, {kDLUInt, 64, 1}, kFloat16,
    kBfloat16,       kFloat32,         kFloat64};

TEST(Columns, OfEveryTypeAndShapeComeBack) {
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
           {37}, {37, 1}, {37, 3}, {37, 0}, {37, 100}, {37, 2, 3}, {37, 4, 0, 2}, {37, 16, 5}}) {
    std::vector<Column> columns;
    for (const DLDataType dtype : kDtypes) {
      columns.push_back({dtype_name(dtype), GLS_ROLE_OTHER, random_tensor(dtype, shape, 1)});
    }
    for (const bool pad : {true, false}) {
      BuildOptions options;
      options.pad_rows = pad;
      for (const auto& dataset : make_both(
               [&](Builder& builder) {
                 EXPECT_OK(builder.add_node_type("n", {}));
                 for (const Column& column : columns) {
                   EXPECT_OK(builder.add_node_column("n", column.name, column.role, column.data));
                 }
               },
               options)) {
        const NodeType& type = dataset->node_types()[0];
        EXPECT_EQ(type.count, 37);
        ASSERT_EQ(type.columns.size(), columns.size());
        for (size_t i = 0; i < columns.size(); ++i) {
          EXPECT_EQ(type.columns[i].name, columns[i].name);
          EXPECT_EQ(type.columns[i].role, GLS_ROLE_OTHER);
          expect_same_rows(type.columns[i].data, columns[i].data);
        }
      }
    }
  }
}

TEST(Columns, OfWeightsAreFiniteAndNotNegative) {
  const auto error_with = [](float bad, int32_t role, bool of_nodes) {
    const TempFolder folder;
    Builder builder(context_of());
    EXPECT_OK(builder.add_edges("n__e__n", ids64({0, 1, 2}), ids64({1, 2, 0}), false));
    const Tensor data = tensor<float>({1, 0, bad}, kFloat32);
    EXPECT_OK(of_nodes ? builder.add_node_column("n", "w", role, data)
                       : builder.add_edge_column("n__e__n", "w", role, data));
    const Status built = std::move(builder.build({}).status());
    if (built.ok()) {
      return std::string();
    }
    EXPECT_EQ(built.code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(*built.detail("column"), "w");
    EXPECT_EQ(builder.write(folder.file("dataset"), {}).message(), built.message());
    EXPECT_TRUE(folder.names().empty());
    return built.message();
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad : {std::nanf(""), kInfinity, -kInfinity, -1.0f, -1e-40f}) {
    EXPECT_EQ(error_with(bad, GLS_ROLE_WEIGHT, false),
              formatted("column \"w\" of \"n__e__n\": weight {} in row 2 is negative or not finite",
                        static_cast<double>(bad)));
    EXPECT_TRUE(contains(error_with(bad, GLS_ROLE_WEIGHT, true), "column \"w\" of \"n\": weight "));
    EXPECT_EQ(error_with(bad, GLS_ROLE_FEATURE, false), "");
  }
  EXPECT_EQ(error_with(1e-40f, GLS_ROLE_WEIGHT, false), "");
}

TEST(Columns, ArePaddedToCacheLinesOnlyWhereThatIsCheap) {
  const auto context = context_of();
  for (const bool pad : {true, false}) {
    const TempFolder folder;
    Builder builder(context);
    EXPECT_OK(builder.add_node_type("n", {}));
    EXPECT_OK(builder.add_node_column("n", "wide", 0, random_tensor(kFloat32, {5, 100}, 1)));
    EXPECT_OK(builder.add_node_column("n", "narrow", 0, random_tensor(kFloat32, {5, 10}, 2)));
    EXPECT_OK(builder.add_node_column("n", "costly", 0, random_tensor(kFloat32, {5, 17}, 3)));
    BuildOptions options;
    options.pad_rows = pad;
    EXPECT_OK(builder.write(folder.file("d"), options));
    auto dataset = open_dataset(context, folder.file("d"), {});
    ASSERT_TRUE(dataset.ok()) << dataset.status().message();
    const NodeType& type = (*dataset)->node_types()[0];
    EXPECT_EQ(type.find_column("wide")->data.row_stride(), pad ? 448 : 400);
    EXPECT_EQ(type.find_column("narrow")->data.row_stride(), 40);
    EXPECT_EQ(type.find_column("costly")->data.row_stride(), 68);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(type.find_column("wide")->data.data()) % 64, 0u);
  }
}

TEST(Columns, MayHaveRowsApart) {
  const Tensor strided = random_tensor(kFloat32, {20, 3}, 4, 40);
  const Tensor edge_strided = random_tensor(kInt64, {3}, 5, 24);
  for (const auto& dataset : make_both([&](Builder& builder) {
         EXPECT_OK(builder.add_edges("n__e__n", ids64({0, 1, 2}), ids64({2, 1, 19}), true));
         EXPECT_OK(builder.add_node_column("n", "x", GLS_ROLE_FEATURE, strided));
         EXPECT_OK(builder.add_edge_column("n__e__n", "y", GLS_ROLE_OTHER, edge_strided));
       })) {
    expect_same_rows(dataset->node_types()[0].columns[0].data, strided);
    const Tensor& doubled = dataset->edge_types()[0].columns[0].data;
    ASSERT_EQ(doubled.rows(), 6);
    for (int64_t row = 0; row < 6; ++row) {
      EXPECT_EQ(std::memcmp(doubled.data() + row * doubled.row_stride(),
                            edge_strided.data() + row % 3 * 24, 8),
                0);
    }
  }
}

// ---- writing ----

TEST(Write, IsTheSameForAnyMemoryAndThreads) {
  const EdgeList edges = random_edges(1'200'000, 5000, 4000, 6);
  const Tensor weights = random_tensor(kFloat16, {1'200'000, 2}, 7);
  std::vector<std::pair<std::string, std::string>> first;
  for (const unsigned threads : {1u, 3u}) {
    for (const uint64_t mib : {16, 20, 300}) {
      const TempFolder folder;
      Builder builder(context_of(threads));
      EXPECT_OK(builder.add_edges("a__e__b", ids64(edges.source), ids64(edges.target), true));
      EXPECT_OK(builder.add_edges("a__f__a", ids64(edges.source), ids64(edges.source), true));
      EXPECT_OK(builder.add_edge_column("a__e__b", "w", GLS_ROLE_OTHER, weights));
      BuildOptions options = both_layouts();
      options.memory = mib << 20;
      const Status status = builder.write(folder.file("d"), options);
      ASSERT_TRUE(status.ok()) << status.message();
      auto bytes = folder_bytes(folder.file("d"));
      if (first.empty()) {
        first = std::move(bytes);
      } else {
        EXPECT_TRUE(bytes == first) << threads << " threads, " << mib << " MiB";
      }
    }
  }
}

TEST(Write, SavesAnyDataset) {
  const EdgeList edges = random_edges(3000, 100, 80, 8);
  const auto datasets = make_both([&](Builder& builder) {
    EXPECT_OK(builder.add_edges("a__e__b", ids64(edges.source), ids64(edges.target), false));
    EXPECT_OK(builder.add_edge_column("a__e__b", "w", GLS_ROLE_WEIGHT,
                                      tensor(std::vector<float>(3000, 2), kFloat32)));
    EXPECT_OK(builder.add_id_set("a", "train", ids32({5, 3})));
  });
  std::vector<std::pair<std::string, std::string>> first;
  for (const auto& dataset : datasets) {
    const TempFolder folder;
    EXPECT_OK(save_dataset(*dataset, folder.file("d"), {}));
    auto opened = open_dataset(context_of(), folder.file("d"), {});
    ASSERT_TRUE(opened.ok());
    EXPECT_OK(verify_dataset(**opened, {}));
    EXPECT_EQ((*opened)->fingerprint(), dataset->fingerprint());
    auto bytes = folder_bytes(folder.file("d"));
    EXPECT_TRUE(first.empty() || first == bytes);
    first = std::move(bytes);
    SaveOptions only_csr;
    only_csr.csc = false;
    EXPECT_OK(save_dataset(**opened, folder.file("csr"), only_csr));
    auto csr = open_dataset(context_of(), folder.file("csr"), {});
    ASSERT_TRUE(csr.ok());
    EXPECT_FALSE((*csr)->edge_types()[0].csc.has_value());
    SaveOptions only_csc;
    only_csc.csr = false;
    EXPECT_EQ(save_dataset(**csr, folder.file("csc"), only_csc).code(), GLS_ERR_UNSUPPORTED);
    // Onto itself, while it is open.
    SaveOptions overwrite;
    overwrite.overwrite = true;
    EXPECT_OK(save_dataset(**opened, folder.file("d"), overwrite));
    EXPECT_TRUE(folder_bytes(folder.file("d")) == first);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"csr", "d"}));
  }
}

TEST(Write, KeepsOriginalIdsWhenSaved) {
  const TempFolder folder;
  const std::string nodes = folder.write("nodes", "b\na\nc\n");
  NodeTypeOptions strings;
  strings.ids = NodeIds::kString;
  Builder builder(context_of());
  EXPECT_OK(builder.add_node_type("n", strings));
  TextOptions no_header;
  no_header.header = Header::kNo;
  EXPECT_OK(builder.add_nodes_text("n", nodes, no_header));
  EXPECT_OK(builder.write(folder.file("d"), {}));
  auto opened = open_dataset(context_of(), folder.file("d"), {});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_OK(save_dataset(**opened, folder.file("e"), {}));
  EXPECT_TRUE(folder_bytes(folder.file("d")) == folder_bytes(folder.file("e")));
}

}  // namespace
}  // namespace gls
