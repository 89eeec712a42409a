// Lines of text that are not what the first line promises.
#include <gtest/gtest.h>

#include "graph/dataset/node_keys.h"
#include "ingest_text_support.h"

namespace gls {
namespace {

using namespace test;

// What edges of text ids become: their keys, or the message of the error.
struct Named {
  std::vector<std::pair<std::string, std::string>> edges;
  std::string error;
  std::string log;
};
Named read_named(const std::string& text, TextOptions options = {}) {
  Named out;
  const auto listen = [](void* user, int32_t, const char*, const char* line) {
    *static_cast<std::string*>(user) += std::string(line) + "\n";
  };
  auto context = Context::create({}, listen, &out.log, nullptr);
  EXPECT_TRUE(context.ok());
  const TempFolder folder;
  Builder builder(*context);
  NodeTypeOptions strings;
  strings.ids = NodeIds::kString;
  EXPECT_OK(builder.add_node_type("n", strings));
  options.header = Header::kNo;
  EXPECT_OK(builder.add_edges_text("n__e__n", folder.write("edges", text), options));
  auto built = builder.build({});
  if (!built.ok()) {
    EXPECT_EQ(built.status().code(), GLS_ERR_CORRUPT_DATA);
    EXPECT_NE(built.status().detail("file"), nullptr);
    EXPECT_NE(built.status().detail("line"), nullptr);
    out.error = built.status().message();
    return out;
  }
  const NodeType& type = (*built)->node_types()[0];
  const Topology& csc = *(*built)->edge_types()[0].csc;
  out.edges.resize(static_cast<size_t>(csc.num_edges));
  for (int64_t row = 0; row < csc.num_rows; ++row) {
    for (int64_t at = csc.indptr[row]; at < csc.indptr[row + 1]; ++at) {
      out.edges[static_cast<size_t>(csc.edge_id(at))] = {*node_key(type, csc.neighbor(at)),
                                                         *node_key(type, row)};
    }
  }
  return out;
}

using Edges = std::vector<std::pair<std::string, std::string>>;

TEST(Lines, CarriageReturnsAloneAreNoLineEnds) {
  const char* const said = ":1: a carriage return inside the line is not followed by a line feed";
  EXPECT_TRUE(contains(read_named("a,b\rb,c\rc,a\r").error, said));
  EXPECT_TRUE(contains(read_named("# comment\ra,b\rb,c\r").error, said));
  EXPECT_TRUE(contains(read_named("a,\"b\rc\"\n").error, said));
  expect_failure("1,2\n3,4\r5,6\n", ":2: a carriage return");
  expect_failure("1,2\n# 3,4\r5,6\n", ":2: a carriage return");
  expect_failure("1,2\r\r\n3,4\r\r\n", ":1: a carriage return");
  // A file of one line that is longer than lines may be.
  std::string text;
  for (int i = 0; i < 300'000; ++i) {
    text += formatted("{},{}\r", i, i + 1);
  }
  expect_failure(text, ":1: a carriage return");
}

TEST(Lines, HaveAsManyFieldsAsTheFirst) {
  const Named named = read_named("author,paper\nBo,p1\nSmith, J,x\n");
  EXPECT_TRUE(contains(named.error,
                       ":3: the line has 3 fields, expected 2 as in the first line; put a field "
                       "that contains \",\" in quotes, or allow ragged lines"))
      << named.error;
  EXPECT_EQ(read_named("Bo,p1\n\"Smith, J\",x\n").edges, (Edges{{"Bo", "p1"}, {"Smith, J", "x"}}));
  EXPECT_TRUE(contains(read_named("a b\nc d e\n").error, "contains blanks in quotes"));
  EXPECT_TRUE(contains(read_named("a\tb\nc\td\te\n").error, "contains a tab in quotes"));
  expect_failure("1,2,3\n4,5\n", ":2: the line has 2 fields, expected 3");
  expect_failure("1,2\n3,4,\n", ":2: the line has 3 fields, expected 2");
  expect_failure("a,b\n1,2,3\n", ":2: the line has 3 fields, expected 2");
  // Of several faults in a line the first is told.
  expect_failure("1,2\n3,4,\"x\n", ":2: field #2: a quote is not closed in its line");
  TextOptions ragged;
  ragged.ragged = true;
  expect_edges("1,2\n3,4,5\n6,7,8,9\n", {1, 3, 6}, {2, 4, 7}, ragged);
  expect_edges("1,2,0\n3,4\n", {1, 3}, {2, 4}, ragged);
  expect_failure("1,2\n3\n", ":2: the line has 1 fields, but field #1 is asked for", ragged);
}

TEST(Lines, FieldsOfTextIdsThatNothingReadsAreSaid) {
  const char* const said = "edges:1: the line has 3 fields, and 1 of them are not read: #2";
  EXPECT_TRUE(contains(read_named("Smith, J,x\nRoe, A,y\n").log, said));
  EXPECT_EQ(read_named("\"Smith, J\",x\n").log, "");
  TextOptions options;
  options.columns.push_back({"#2", "w", kFloat32, GLS_ROLE_FEATURE});
  EXPECT_EQ(read_named("a,b,1\nb,c,2\n", options).log, "");
}

// A quote is one only where a field begins.
TEST(Lines, QuotesDoNotHideTheDelimiter) {
  EXPECT_EQ(read_named("5\" disk,drive\n3\" disk,slot\n").edges,
            (Edges{{"5\" disk", "drive"}, {"3\" disk", "slot"}}));
  EXPECT_EQ(read_named("it\"s;b\nd;e\n").edges, (Edges{{"it\"s", "b"}, {"d", "e"}}));
  EXPECT_EQ(read_named("\"a,b\";c\n\"d\";e\n").edges, (Edges{{"a,b", "c"}, {"d", "e"}}));
  EXPECT_EQ(read_named("\"a,b\" c\n").edges, (Edges{{"a,b", "c"}}));
  EXPECT_TRUE(contains(read_named("\"a\" b,c\n").error, ":1: field #0: text follows a closing"));
  EXPECT_TRUE(contains(read_named("a,\"b\nc,d\n").error, ":1: field #1: a quote is not closed"));
  EXPECT_TRUE(contains(read_named("\"a,b\nc,d\n").error, ":1: field #0: a quote is not closed"));
}

TEST(Lines, WeightsAreFiniteAndNotNegative) {
  for (const char* dtype : {"float32", "float64", "float16", "bfloat16", "int32"}) {
    TextOptions options;
    options.columns.push_back({"#2", "w", *parse_dtype(dtype), GLS_ROLE_WEIGHT});
    expect_failure("0,1,1\n1,2,-1\n", ":2: field #2: the weight \"-1\" is negative or not finite",
                   options);
    expect_edges("0,1,1\n1,2,0\n", {0, 1}, {1, 2}, options);
    if (std::string(dtype) == "int32") {
      continue;
    }
    for (const char* bad : {"nan", "inf", "-inf", "-1e-3"}) {
      expect_failure(formatted("0,1,1\n1,2,{}\n", bad),
                     formatted(":2: field #2: the weight \"{}\"", bad), options);
    }
    // Only weights have to be.
    options.columns[0].role = GLS_ROLE_FEATURE;
    expect_edges("0,1,nan\n1,2,-inf\n", {0, 1}, {1, 2}, options);
  }
  TextOptions options;
  options.columns.push_back({"#2", "w", kFloat32, GLS_ROLE_WEIGHT});
  expect_failure("0,1,-1e-40\n", ":1: field #2: the weight", options);
}

}  // namespace
}  // namespace gls
