#include <gtest/gtest.h>
#include <zlib.h>

#include "ingest/text/text_reader.h"
#include "ingest_text_support.h"

namespace gls {
namespace {

using namespace test;

std::string gzip(const std::string& text) {
  std::string out(text.size() + text.size() / 100 + 200, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Text, DetectsDelimiters) {
  for (const char* text : {"1\t2\n3\t4\n", "1,2\n3,4\n", "1;2\n3;4\n", "1|2\n3|4\n", "1 2\n3 4\n",
                           "1   2\n  3 \t4 \n"}) {
    expect_edges(text, {1, 3}, {2, 4});
  }
  // Of several candidates the first in this order counts, not the first in the line.
  TextOptions options;
  options.source_field = "#1";
  options.target_field = "#2";
  expect_edges("a;b\t1\t2\nc;d\t3\t4\n", {1, 3}, {2, 4}, options);
}

TEST(Text, TakesTheDelimiterItIsGiven) {
  TextOptions options;
  options.delimiter = ':';
  expect_edges("1:2\n3:4\n", {1, 3}, {2, 4}, options);
  options.delimiter = ' ';
  expect_edges("1   2\n3 \t4\n", {1, 3}, {2, 4}, options);
}

TEST(Text, TrimsBlanksAroundFields) { expect_edges("1 , 2 \n 3,\t4\n", {1, 3}, {2, 4}); }

TEST(Text, TakesAllKindsOfLineEnds) {
  expect_edges("1,2\r\n3,4\r\n", {1, 3}, {2, 4});
  expect_edges("1,2\n3,4", {1, 3}, {2, 4});
  expect_edges("1,2\r\n3,4\r", {1, 3}, {2, 4});
  expect_edges("\n\n1,2\n\n   \n\r\n3,4\n\n\n", {1, 3}, {2, 4});
}

TEST(Text, SkipsByteOrderMarkAndComments) {
  expect_edges(
      "\xef\xbb\xbf"
      "1,2\n3,4\n",
      {1, 3}, {2, 4});
  expect_edges("\xef\xbb\xbf# about\n1,2\n%more\n3,4\n#end", {1, 3}, {2, 4});
  TextOptions options;
  options.comment = '!';
  expect_edges("! about\n1,2\n!\n3,4\n", {1, 3}, {2, 4}, options);
  expect_failure("1,2\n# not a comment now\n", ":2:", options);
}

// Nodes may have names that look like comments.
TEST(Text, CommentsCanBeTurnedOff) {
  std::string said;
  const auto listen = [](void* user, int32_t, const char*, const char* text) {
    *static_cast<std::string*>(user) += std::string(text) + "\n";
  };
  auto context = Context::create({}, listen, &said, nullptr);
  ASSERT_TRUE(context.ok());
  const TempFolder folder;
  const std::string file = folder.write("edges", "# about\na,b\n#c++,b\na,#c++\n%x,b\n");
  const auto edges_with = [&](char comment) {
    Builder builder(*context);
    NodeTypeOptions strings;
    strings.ids = NodeIds::kString;
    TextOptions options;
    options.comment = comment;
    options.delimiter = ',';
    options.header = Header::kNo;
    EXPECT_OK(builder.add_node_type("n", strings));
    EXPECT_OK(builder.add_edges_text("n__e__n", file, options));
    auto built = builder.build({});
    return built.ok() ? (*built)->edge_types()[0].count : -1;
  };
  EXPECT_EQ(edges_with(0), 2);
  EXPECT_TRUE(contains(said, "2 lines after the first begin with '#' or '%'")) << said;
  said.clear();
  EXPECT_EQ(edges_with('#'), 3);
  folder.write("edges", "a,b\n#c++,b\na,#c++\n%x,b\n");
  EXPECT_EQ(edges_with(GLS_COMMENT_NONE), 4);
  EXPECT_EQ(said, "");
}

TEST(Text, EmptyFilesHaveNoEdges) {
  for (const char* text : {"", "\n", "# only a comment\n", "\xef\xbb\xbf", "\r\n\r\n"}) {
    auto read = read_edges(text);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->nodes, 0);
    EXPECT_TRUE(read->source.empty());
  }
}

TEST(Text, TakesQuotedFields) {
  expect_edges("\"1\",\"2\"\n\"3\" , \"4\"\n", {1, 3}, {2, 4});
  TextOptions options;
  options.source_field = "#1";
  options.target_field = "#2";
  expect_edges("\"a, \"\"b\"\"\",1,2\n\"\",3,4\n", {1, 3}, {2, 4}, options);
  options.delimiter = ' ';
  expect_edges("\"a b\" 1 2\n", {1}, {2}, options);
  expect_failure("1,2\n\"3,4\n", ":2: field #0: a quote is not closed");
  expect_failure("1,2\n\"3\"x,4\n", ":2: field #0: text follows a closing quote");
}

TEST(Text, DetectsHeaders) {
  expect_edges("src,dst\n1,2\n", {1}, {2});
  expect_edges("1,2\n3,4\n", {1, 3}, {2, 4});
  expect_edges("# c\n\nsrc dst\n1 2\n", {1}, {2});
  TextOptions options;
  options.columns.push_back({"#2", "w", kFloat32, GLS_ROLE_WEIGHT});
  auto read = read_edges("src,dst,w\n3,4,0.5\n", options);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->source, std::vector<int64_t>{3});
  // A line with a number is data, and damaged ones are not lost.
  expect_failure("1,2,w\n3,4,0.5\n", ":1: field #2: \"w\" is not a number", options);
  expect_failure("src,2,0.5\n3,4,0.5\n", ":1: source: node id \"src\" is not an integer", options);
  expect_failure("1,x\n3,4\n", ":1: target: node id \"x\" is not an integer");
  // Missing data is no header.
  expect_failure("1,2,\n3,4,0.5\n", ":1: field #2: \"\" is empty (as float32)", options);
  options.header = Header::kNo;
  expect_failure("1,2,w\n3,4,0.5\n", ":1: field #2: \"w\" is not a number", options);
  options = {};
  options.header = Header::kYes;
  expect_edges("1,2\n3,4\n", {3}, {4}, options);
  expect_failure("# nothing\n", "no header line", options);
}

TEST(Text, FindsFieldsByName) {
  TextOptions options;
  options.source_field = "from";
  options.target_field = "to";
  options.columns.push_back({"when", "", kInt64, GLS_ROLE_TIME});
  auto read = read_edges("when,to,\"from\"\n10,1,2\n20,3,4\n", options);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->source, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(read->target, (std::vector<int64_t>{1, 3}));
  ASSERT_EQ(read->columns.size(), 1u);
  EXPECT_EQ(read->columns[0].name, "when");
  EXPECT_EQ(values_of<int64_t>(read->columns[0].data), (std::vector<int64_t>{10, 20}));
  // A header of numbers is one all the same.
  options.source_field = "1";
  options.target_field = "2";
  options.columns.clear();
  read = read_edges("1,2\n5,6\n", options);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->source, std::vector<int64_t>{5});
  expect_failure("a,b\n1,2\n", ":1: the header has no field \"1\"; its fields are: a, b", options);
  expect_failure("1,2,2\n1,2\n", "the header has two fields \"2\"", options);
  expect_failure("", "no header line", options);
}

TEST(Text, NamesFileAndLineOfDamage) {
  expect_failure("1,2\n3,x\n", ":2: target: node id \"x\" is not an integer");
  expect_failure("#\n#\n1,2\n3\n", ":4: the line has 1 fields, but field #1 is asked for");
  expect_failure("1,2\n-3,4\n", ":2: source: node id -3 is outside [0,");
  expect_failure("1,2\n3,9\n", ":2: target: node id 9 is outside [0, 9) of node type \"n\"", {}, 9);
  expect_failure("1,2\n,4\n", ":2: source: node id \"\" is empty");
  expect_failure("1,2\n99999999999999999999,4\n", ":2: source: node id \"99999999999999999999\"");
  expect_failure("1,2\n9000000000000000000,4\n", ":2: source: node id 9000000000000000000");
  expect_failure("h1,h2\n1,2\nx,4\n", ":3:");
  TextOptions options;
  options.columns.push_back({"#2", "c", *parse_dtype("int8"), GLS_ROLE_OTHER});
  expect_failure("1,2,3\n4,5,300\n", ":2: field #2: \"300\" is out of range (as int8)", options);
}

// The line told is the right one in the thousandth chunk too, and always the first damaged one.
TEST(Text, FindsTheFirstDamagedLineOfALargeFile) {
  std::string text;
  for (int i = 1; i <= 600'000; ++i) {
    text += i == 400'001 || i == 400'003 || i == 590'000 ? "1,oops\n"
            : i % 1000 == 0                              ? "# comment\n"
                                                         : "12345,67890\n";
  }
  for (const unsigned threads : {1u, 2u, 4u}) {
    auto read = read_edges(text, {}, 0, threads);
    ASSERT_FALSE(read.ok());
    EXPECT_MESSAGE(read.status(), ":400001: target");
    EXPECT_EQ(*read.status().detail("line"), "400001");
  }
}

TEST(Text, KeepsTheOrderOfALargeFile) {
  std::string text = "a b w\n";
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  for (int64_t i = 0; i < 300'000; ++i) {
    source.push_back(i * 7919 % 1000);
    target.push_back(i * 104729 % 1000);
    text += formatted("{} {} {}\n", source.back(), target.back(), i);
  }
  TextOptions options;
  options.columns.push_back({"w", "w", kInt32, GLS_ROLE_OTHER});
  for (const std::string& bytes : {text, gzip(text)}) {
    auto read = read_edges(bytes, options);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->source, source);
    EXPECT_EQ(read->target, target);
    std::vector<int32_t> expected(source.size());
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(values_of<int32_t>(read->columns[0].data), expected);
  }
}

TEST(Text, BoundsLines) {
  const std::string longest(kMaxLine - 4, ' ');
  expect_edges("1,2" + longest + "\n3,4\n", {1, 3}, {2, 4});
  const std::string longer(kMaxLine - 2, ' ');
  expect_failure("0,1\n1,2" + longer + "\n3,4\n", ":2: the line is longer than");
  std::string long_line = "0,1\n1,2";
  long_line.append(5 * kMaxLine, ' ');
  expect_failure(long_line, ":2: the line is longer than");
  std::string long_comment(3 * kMaxLine, '#');
  long_comment += "\n0,1\n";
  expect_failure(long_comment, ":1: the line is longer than");
}

TEST(Text, ReadsGzip) {
  const std::string text = "1,2\n3,4\n";
  expect_edges(gzip(text), {1, 3}, {2, 4});
  expect_edges(gzip("1,2\n3,") + gzip("4\n"), {1, 3}, {2, 4});  // members joined end to end
  expect_edges(gzip(""), {}, {});
}

Status gzip_error(const std::string& bytes) {
  const TempFolder folder;
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges_text("n__e__n", folder.write("edges.gz", bytes), {}));
  auto built = builder.build({});
  EXPECT_FALSE(built.ok());
  return std::move(built.status());
}

TEST(Text, RefusesDamagedGzip) {
  std::string text;
  std::mt19937 random(1);
  for (int i = 0; i < 50'000; ++i) {
    text += formatted("{},{}\n", random() % 100000, random() % 100000);
  }
  const std::string good = gzip(text);
  for (const size_t size : {size_t{2}, size_t{9}, size_t{18}, good.size() / 2, good.size() - 1}) {
    const Status status = gzip_error(good.substr(0, size));
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
    EXPECT_MESSAGE(status, "edges.gz: damaged gzip data: the file ends too early");
    EXPECT_NE(status.detail("file"), nullptr);
  }
  std::string flipped = good;
  flipped[good.size() - 6] ^= 1;  // in the checksum
  EXPECT_MESSAGE(gzip_error(flipped), "damaged gzip data");
  EXPECT_MESSAGE(gzip_error(good + "junk"), "damaged gzip data");
  flipped = good;
  flipped[good.size() / 2] ^= 0x55;
  EXPECT_EQ(gzip_error(flipped).code(), GLS_ERR_CORRUPT_DATA);
}

TEST(Text, NamesFilesThatCannotBeRead) {
  const TempFolder folder;
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges_text("n__e__n", folder.file("missing"), {}));
  auto built = builder.build({});
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(*built.status().detail("file"), folder.file("missing"));
  // The builder is unchanged: with the file there, it works.
  folder.write("missing", "0 1\n");
  EXPECT_TRUE(builder.build({}).ok());

  EXPECT_OK(builder.add_edges_text("n__e__n", folder.path(), {}));
  built = builder.build({});
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.status().code(), GLS_ERR_IO);
  EXPECT_EQ(*built.status().detail("file"), folder.path());
}

TEST(Text, ReadsColumnsOfEveryType) {
  TextOptions options;
  const std::vector<std::string> dtypes = {"bool",     "int8",    "int16",  "int32",  "int64",
                                           "uint8",    "uint16",  "uint32", "uint64", "float16",
                                           "bfloat16", "float32", "float64"};
  std::string text = "s,t";
  for (const std::string& dtype : dtypes) {
    text += "," + dtype;
    options.columns.push_back({dtype, "", *parse_dtype(dtype), GLS_ROLE_FEATURE});
  }
  text +=
      "\n0,1,true,-1,-2,-3,-4,5,6,7,8,0.5,0.25,0.125,1e-300\n"
      "1,0,0,1,2,3,4,5,6,7,8,-0.5,-0.25,-0.125,1e300\n";
  auto read = read_edges(text, options);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->columns.size(), dtypes.size());
  const std::vector<double> first = {1, -1, -2, -3, -4, 5, 6, 7, 8, 0.5, 0.25, 0.125, 1e-300};
  const std::vector<double> second = {0, 1, 2, 3, 4, 5, 6, 7, 8, -0.5, -0.25, -0.125, 1e300};
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const Tensor& data = read->columns[i].data;
    EXPECT_EQ(dtype_name(data.dtype()), dtypes[i]);
    EXPECT_EQ(element_as_double(data.data(), data.dtype(), 0), first[i]) << dtypes[i];
    EXPECT_EQ(element_as_double(data.data(), data.dtype(), 1), second[i]) << dtypes[i];
  }
}

TEST(Text, OneFieldMayServeTwice) {
  TextOptions options;
  options.target_field = "#0";
  options.columns.push_back({"#0", "a", kInt64, GLS_ROLE_OTHER});
  options.columns.push_back({"#0", "b", kFloat32, GLS_ROLE_OTHER});
  auto read = read_edges("3,x\n5,y\n", options);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->source, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(read->target, read->source);
  EXPECT_EQ(values_of<int64_t>(read->columns[0].data), read->source);
}

TEST(Text, RefusesBadOptionsAtOnce) {
  Builder builder(context_of());
  const auto refused = [&](const TextOptions& options, const std::string& part) {
    const Status status = builder.add_edges_text("n__e__n", "unread", options);
    EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_MESSAGE(status, part);
  };
  TextOptions options;
  options.delimiter = '"';
  refused(options, "delimiter");
  options = {};
  options.comment = '\r';
  refused(options, "comment");
  options = {};
  options.source_field = "name";
  options.header = Header::kNo;
  refused(options, "asked for by name");
  options = {};
  options.columns.push_back({"#2", "__", kInt64, 0});
  refused(options, "\"__\"");
  options.columns = {{"#2", "a", kInt64, 0}, {"#3", "a", kInt64, 0}};
  refused(options, "asked for twice");
  options.columns = {{"#2", "a", {kDLComplex, 64, 1}, 0}};
  refused(options, "not supported");
  options.columns = {{"#2", "a", kInt64, 9}};
  refused(options, "role is 9");
  EXPECT_EQ(builder.build({}).status().code(), GLS_ERR_INVALID_ARGUMENT);  // nothing was added
}

}  // namespace
}  // namespace gls
