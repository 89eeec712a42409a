// Arrow streams as nodes and edges: every type, nulls, slices of arrays, and damaged input.
#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <functional>
#include <limits>

#include "arrow_arrays.h"
#include "graph/dataset/node_keys.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

using Columns = std::vector<ArrowColumnOptions>;

ArrowColumnOptions column(std::string field) {
  ArrowColumnOptions out;
  out.field = std::move(field);
  return out;
}

ArrowOptions all_fields(Columns columns = {}) {
  ArrowOptions options;
  options.columns = std::move(columns);
  options.all_fields = true;
  return options;
}

ArrowOptions only(Columns columns) {
  ArrowOptions options;
  options.columns = std::move(columns);
  return options;
}

ArrowOptions keyed(std::string key, ArrowOptions options = {}) {
  options.source_field = std::move(key);
  return options;
}

void add_nodes(Builder& builder, const std::string& type, std::vector<ArrowData> batches,
               const ArrowOptions& options) {
  ArrowArrayStream stream;
  export_stream({std::move(batches)}, &stream);
  EXPECT_OK(builder.add_nodes_arrow(type, &stream, options));
  EXPECT_EQ(stream.release, nullptr);
}

void add_edges(Builder& builder, const std::string& type, std::vector<ArrowData> batches,
               const ArrowOptions& options = {}) {
  ArrowArrayStream stream;
  export_stream({std::move(batches)}, &stream);
  EXPECT_OK(builder.add_edges_arrow(type, &stream, options));
  EXPECT_EQ(stream.release, nullptr);
}

// The datasets, in memory and from a folder, of one stream of nodes.
std::vector<std::shared_ptr<const Dataset>> nodes_of(const std::vector<ArrowData>& batches,
                                                     const ArrowOptions& options) {
  return make_both([&](Builder& builder) { add_nodes(builder, "n", batches, options); });
}

// As build_error(), with a new builder for writing, as a stream is read only once.
template <typename Fill>
Status stream_error(const Fill& fill) {
  Builder builder(context_of());
  fill(builder);
  auto built = builder.build(both_layouts());
  Builder writer(context_of());
  fill(writer);
  const TempFolder folder;
  Status written = writer.write(folder.file("dataset"), both_layouts());
  EXPECT_FALSE(built.ok());
  EXPECT_FALSE(written.ok());
  EXPECT_EQ(written.code(), built.status().code());
  EXPECT_EQ(written.message(), built.status().message());
  EXPECT_TRUE(folder.names().empty()) << "a failed write left something behind";
  return written;
}

// What reading one stream of nodes fails with.
Status nodes_error(const std::vector<ArrowData>& batches, const ArrowOptions& options) {
  return stream_error([&](Builder& builder) { add_nodes(builder, "n", batches, options); });
}

// What adding one stream of nodes fails with; the stream stays the caller's.
Status add_error(const std::vector<ArrowData>& batches, const ArrowOptions& options,
                 bool edges = false) {
  Builder builder(context_of());
  ArrowArrayStream stream;
  int alive = 0;
  export_stream({batches, 0, &alive}, &stream);
  Status status = edges ? builder.add_edges_arrow("n__e__n", &stream, options)
                        : builder.add_nodes_arrow("n", &stream, options);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(alive, 1);
  if (stream.release != nullptr) {
    stream.release(&stream);
  }
  return status;
}

const Column& column_of(const Dataset& dataset, const std::string& name) {
  const Column* const found = dataset.node_types()[0].find_column(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

template <typename T>
std::vector<T> rows_values(const Column& column) {
  std::vector<T> out;
  for (int64_t row = 0; row < column.data.rows(); ++row) {
    const auto* const values =
        reinterpret_cast<const T*>(column.data.data() + row * column.data.row_stride());
    out.insert(out.end(), values, values + column.data.row_elements());
  }
  return out;
}

template <typename T>
void expect_numbers(const std::string& format, DLDataType dtype, const std::vector<T>& values) {
  const std::vector<std::optional<T>> given(values.begin(), values.end());
  const auto data = arrow_batch({arrow_numbers<T>("x", format, given)});
  for (const auto& dataset : nodes_of({data}, all_fields())) {
    const Column& x = column_of(*dataset, "x");
    EXPECT_TRUE(same_dtype(x.data.dtype(), dtype)) << format;
    EXPECT_EQ(rows_values<T>(x), values) << format;
    EXPECT_EQ(x.logical_type, format[0] == 't' ? format : "") << format;
    EXPECT_EQ(dataset->node_types()[0].count, static_cast<int64_t>(values.size()));
  }
}

TEST(ArrowIn, NumbersKeepTheirTypeAndBits) {
  expect_numbers<int8_t>("c", {kDLInt, 8, 1}, {-128, 0, 127});
  expect_numbers<uint8_t>("C", kUint8, {0, 255});
  expect_numbers<int16_t>("s", {kDLInt, 16, 1}, {-32768, 5});
  expect_numbers<uint16_t>("S", kUint16, {65535});
  expect_numbers<int32_t>("i", kInt32, {std::numeric_limits<int32_t>::min(), 7});
  expect_numbers<uint32_t>("I", {kDLUInt, 32, 1}, {0xffffffff});
  expect_numbers<int64_t>("l", kInt64, {std::numeric_limits<int64_t>::min(), 1});
  expect_numbers<uint64_t>("L", kUint64, {~uint64_t{0}});
  expect_numbers<uint16_t>("e", kFloat16, {0x3c00, 0xfc00});
  expect_numbers<float>("f", kFloat32, {-0.0f, 1e-45f, 3.5f});
  expect_numbers<double>("g", kFloat64, {0.1, -1e308});
  for (const char* format : {"tss:", "tsm:UTC", "tsu:Europe/Paris", "tsn:", "tdm", "ttu", "ttn",
                             "tDs", "tDm", "tDu", "tDn"}) {
    expect_numbers<int64_t>(format, kInt64, {1, -5});
  }
  for (const char* format : {"tdD", "tts", "ttm"}) {
    expect_numbers<int32_t>(format, kInt32, {1, -5});
  }
}

TEST(ArrowIn, BoolIsUnpacked) {
  std::vector<std::optional<bool>> values;
  std::vector<uint8_t> expected;
  for (int i = 0; i < 1000; ++i) {
    values.emplace_back(i % 3 == 0);
    expected.push_back(i % 3 == 0);
  }
  for (const auto& dataset : nodes_of({arrow_batch({arrow_bool("b", values)})}, all_fields())) {
    EXPECT_EQ(rows_values<uint8_t>(column_of(*dataset, "b")), expected);
    EXPECT_TRUE(same_dtype(column_of(*dataset, "b").data.dtype(), kBool));
  }
}

TEST(ArrowIn, ListsOfEqualLengthAreRows) {
  const ArrowData flat = arrow_float32("item", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const std::vector<float> twelve = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const ArrowData batch = arrow_batch({
      arrow_fixed_list("fixed", 3, flat),
      arrow_list("list", {0, 3, 6, 9, 12}, flat),
      arrow_list("large", {0, 3, 6, 9, 12}, flat, {}, "+L"),
      arrow_fixed_list("cube", 1, arrow_fixed_list("item", 3, flat)),
      arrow_list("rows", {0, 1, 2, 3, 4}, arrow_fixed_list("item", 3, flat)),
  });
  for (const auto& dataset : nodes_of({batch}, all_fields())) {
    for (const char* name : {"fixed", "list", "large"}) {
      EXPECT_EQ(column_of(*dataset, name).shape(), (std::vector<int64_t>{4, 3})) << name;
      EXPECT_EQ(rows_values<float>(column_of(*dataset, name)), twelve) << name;
    }
    for (const char* name : {"cube", "rows"}) {
      EXPECT_EQ(column_of(*dataset, name).shape(), (std::vector<int64_t>{4, 1, 3})) << name;
      EXPECT_EQ(rows_values<float>(column_of(*dataset, name)), twelve) << name;
    }
  }
}

TEST(ArrowIn, ListsKeepOneLengthThroughAllBatches) {
  const auto batch = [](std::vector<int64_t> offsets) {
    std::vector<std::optional<float>> values(static_cast<size_t>(offsets.back()), 1.0f);
    return arrow_batch({arrow_list("x", offsets, arrow_float32("item", values))});
  };
  EXPECT_MESSAGE(nodes_error({batch({0, 2, 4}), batch({0, 2, 5})}, all_fields()),
                 "row 3: field \"x\" has a list of 3 elements, expected 2 as before");
  ArrowData only_nulls = batch({0, 2, 4});
  only_nulls.children[0].buffers[0] = std::string("\0", 1);
  only_nulls.children[0].null_count = 2;
  EXPECT_MESSAGE(nodes_error({only_nulls}, all_fields()), "only nulls in the first batch");
}

TEST(ArrowIn, ListsThatBeginEmptyStayEmpty) {
  const auto batch = [](std::vector<int64_t> offsets) {
    std::vector<std::optional<float>> values(static_cast<size_t>(offsets.back()), 1.0f);
    return arrow_batch({arrow_list("x", offsets, arrow_float32("item", values))});
  };
  EXPECT_MESSAGE(nodes_error({batch({0, 0, 3, 4})}, all_fields()),
                 "row 1: field \"x\" has a list of 3 elements, expected 0 as before");
  for (const auto& dataset : nodes_of({batch({0, 0, 0})}, all_fields())) {
    EXPECT_EQ(column_of(*dataset, "x").shape(), (std::vector<int64_t>{2, 0}));
  }
}

// Only rows of the batch count, not others of the arrays that it is a slice of.
TEST(ArrowIn, SlicesOfListsTextAndBits) {
  const ArrowData items = arrow_float32("item", {9, 9, 9, 9, 9, 1, 2, 3, 4, 9});
  ArrowData batch = arrow_batch({
      arrow_list("list", {0, 5, 7, 9, 10}, items),
      arrow_text("key", {"w", "a", "b", "z"}),
      arrow_text("view", {"w", "a longer text than a view", "b", "z"}, "vu"),
      arrow_bool("bits", {true, false, true, false}),
      arrow_dictionary("dictionary", {0, 1, 0, 1}, arrow_int64("", {7, 8})),
  });
  batch.offset = 1;
  batch.length = 2;
  const auto sliced =
      arrow_batch({arrow_slice(batch.children[0], 1, 2), arrow_slice(batch.children[1], 1, 2),
                   arrow_slice(batch.children[2], 1, 2), arrow_slice(batch.children[3], 1, 2),
                   arrow_slice(batch.children[4], 1, 2)});
  Columns columns = {column("list"), column("bits"), column("dictionary")};
  for (const ArrowData& given : {batch, sliced}) {
    for (const char* key : {"key", "view"}) {
      for (const auto& dataset : nodes_of({given}, keyed(key, only(columns)))) {
        EXPECT_EQ(rows_values<float>(column_of(*dataset, "list")),
                  (std::vector<float>{1, 2, 3, 4}));
        EXPECT_EQ(rows_values<uint8_t>(column_of(*dataset, "bits")), (std::vector<uint8_t>{0, 1}));
        EXPECT_EQ(rows_values<int64_t>(column_of(*dataset, "dictionary")),
                  (std::vector<int64_t>{8, 7}));
        EXPECT_EQ(*node_key(dataset->node_types()[0], 1), "b");
      }
    }
  }
}

TEST(ArrowIn, DictionariesStandForTheirValues) {
  const ArrowData batch = arrow_batch({
      arrow_dictionary("d", {2, 0, 1, 2}, arrow_float32("", {10, 20, 30})),
      arrow_text("k", {"d", "c", "b", "a"}),
  });
  for (const auto& dataset : nodes_of({batch}, keyed("k", all_fields()))) {
    EXPECT_EQ(rows_values<float>(column_of(*dataset, "d")), (std::vector<float>{30, 10, 20, 30}));
  }
  ArrowData bad = batch;
  bad.children[0].buffers[1] = std::string("\2\3\1\2", 4);
  EXPECT_MESSAGE(nodes_error({bad}, keyed("k", all_fields())),
                 "row 1: field \"d\" has an index outside its dictionary");
}

TEST(ArrowIn, NullsAreErrorsFilledOrMasked) {
  const ArrowData batch = arrow_batch({arrow_float32("x", {1, std::nullopt, 3}),
                                       arrow_int64("y", {std::nullopt, 5, std::nullopt})});
  const Status status = nodes_error({batch}, only({column("x")}));
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(status.message(), "the Arrow stream of \"n\": row 1: field \"x\" is null");
  // The first row wins, whatever the order of fields.
  EXPECT_MESSAGE(nodes_error({batch}, all_fields()), "row 0: field \"y\" is null");

  Columns columns = {column("x"), column("y")};
  columns[0].fill = "nan";
  columns[1].fill = "-1";
  columns[1].mask = "has_y";
  for (const auto& dataset : nodes_of({batch}, only(columns))) {
    const auto x = rows_values<float>(column_of(*dataset, "x"));
    EXPECT_EQ(x[0], 1);
    EXPECT_TRUE(std::isnan(x[1]));
    EXPECT_EQ(x[2], 3);
    EXPECT_EQ(rows_values<int64_t>(column_of(*dataset, "y")), (std::vector<int64_t>{-1, 5, -1}));
    EXPECT_EQ(rows_values<uint8_t>(column_of(*dataset, "has_y")), (std::vector<uint8_t>{0, 1, 0}));
    EXPECT_EQ(column_of(*dataset, "has_y").role, GLS_ROLE_OTHER);
  }
  columns[1].fill.reset();
  for (const auto& dataset : nodes_of({batch}, only(columns))) {
    EXPECT_EQ(rows_values<int64_t>(column_of(*dataset, "y")), (std::vector<int64_t>{0, 5, 0}));
  }
}

TEST(ArrowIn, NullsInListsMarkTheirRow) {
  const ArrowData flat =
      arrow_float32("item", {1, 2, std::nullopt, 4, 5, 6, 7, std::nullopt, 9, 10});
  const ArrowData batch =
      arrow_batch({arrow_fixed_list("x", 2, flat, {true, true, false, true, true}),
                   arrow_list("y", {0, 2, 4, 4, 8, 10}, flat, {true, true, false, false, true})});
  Columns columns = {column("x"), column("y")};
  columns[0].mask = "mx";
  columns[1].mask = "my";
  columns[1].fill = "0.5";
  for (const auto& dataset : nodes_of({batch}, only(columns))) {
    EXPECT_EQ(rows_values<float>(column_of(*dataset, "x")),
              (std::vector<float>{1, 2, 0, 4, 0, 0, 7, 0, 9, 10}));
    EXPECT_EQ(rows_values<uint8_t>(column_of(*dataset, "mx")),
              (std::vector<uint8_t>{1, 0, 0, 0, 1}));
    EXPECT_EQ(rows_values<float>(column_of(*dataset, "y")),
              (std::vector<float>{1, 2, 0.5, 4, 0.5, 0.5, 0.5, 0.5, 9, 10}));
    EXPECT_EQ(rows_values<uint8_t>(column_of(*dataset, "my")),
              (std::vector<uint8_t>{1, 0, 0, 0, 1}));
  }
}

TEST(ArrowIn, FieldsOfNullsNeedADtype) {
  ArrowData nulls{"x", "n", 3};
  const ArrowData batch = arrow_batch({nulls});
  EXPECT_MESSAGE(add_error({batch}, all_fields()), "has only nulls and no dtype");
  Columns columns = {column("x")};
  columns[0].dtype = kFloat32;
  columns[0].fill = "2";
  for (const auto& dataset : nodes_of({batch}, only(columns))) {
    EXPECT_EQ(rows_values<float>(column_of(*dataset, "x")), (std::vector<float>{2, 2, 2}));
  }
}

template <typename From, typename To>
void expect_converted(const std::string& format, std::vector<std::optional<From>> values,
                      DLDataType dtype, const std::vector<To>& expected) {
  Columns columns = {column("x")};
  columns[0].dtype = dtype;
  const auto batch = arrow_batch({arrow_numbers<From>("x", format, values)});
  for (const auto& dataset : nodes_of({batch}, only(columns))) {
    EXPECT_EQ(rows_values<To>(column_of(*dataset, "x")), expected) << format;
    EXPECT_EQ(column_of(*dataset, "x").logical_type, "");
  }
}

template <typename From>
void expect_refused(const std::string& format, From value, DLDataType dtype,
                    const std::string& why) {
  Columns columns = {column("x")};
  columns[0].dtype = dtype;
  const auto batch = arrow_batch({arrow_numbers<From>("x", format, {From{0}, value})});
  EXPECT_MESSAGE(nodes_error({batch}, only(columns)), "row 1: field \"x\" has the value " + why);
}

TEST(ArrowIn, NumbersConvertOrAreRefused) {
  expect_converted<int64_t, int32_t>("l", {-2147483648, 2147483647}, kInt32,
                                     {-2147483647 - 1, 2147483647});
  expect_converted<double, float>("g", {0.1, -1e30}, kFloat32, {0.1f, -1e30f});
  expect_converted<int64_t, float>("l", {16777217}, kFloat32, {16777216.0f});
  expect_converted<double, int64_t>("g", {-9007199254740992.0, 3.0}, kInt64,
                                    {-9007199254740992, 3});
  expect_converted<uint64_t, double>("L", {~uint64_t{0}}, kFloat64, {18446744073709551615.0});
  expect_converted<float, uint16_t>("f", {1.0f, 65504.0f}, kFloat16, {0x3c00, 0x7bff});
  expect_converted<float, uint16_t>("f", {1.0f, -2.0f}, kBfloat16, {0x3f80, 0xc000});
  expect_converted<uint16_t, float>("e", {0x3c00, 0x7c00}, kFloat32,
                                    {1.0f, std::numeric_limits<float>::infinity()});
  expect_converted<int64_t, uint8_t>("l", {0, 1, 1}, kBool, {0, 1, 1});
  expect_converted<int64_t, double>("tsu:", {0, 1}, kFloat64, {0, 1});

  expect_refused<int64_t>("l", 2147483648, kInt32, "2147483648, which is out of range for int32");
  expect_refused<int64_t>("l", -1, kUint8, "-1, which is out of range for uint8");
  expect_refused<uint64_t>("L", ~uint64_t{0}, kInt64,
                           "18446744073709551615, which is out of range for int64");
  expect_refused<double>("g", 1.5, kInt64, "1.5, which is not an integer for int64");
  expect_refused<double>("g", 1e300, kFloat32, "1e+300, which is out of range for float32");
  expect_refused<double>("g", 9.3e18, kInt64, "9.3e+18, which is out of range for int64");
  expect_refused<double>("g", std::numeric_limits<double>::quiet_NaN(), kInt32,
                         "nan, which is not an integer for int32");
  expect_refused<float>("f", 70000.0f, kFloat16, "70000, which is out of range for float16");
  expect_refused<int64_t>("l", 2, kBool, "2, which is not 0 or 1 for bool");
}

TEST(ArrowIn, FieldsOfOneNameFormOneColumn) {
  const ArrowData batch =
      arrow_batch({arrow_float32("a", {1, 2}), arrow_int64("b", {3, std::nullopt}),
                   arrow_fixed_list("c", 2, arrow_float32("item", {5, 6, 7, 8}))});
  Columns columns = {column("a"), column("b"), column("c")};
  for (ArrowColumnOptions& c : columns) {
    c.name = "x";
    c.dtype = kFloat32;
    c.mask = "m";
  }
  for (const auto& dataset : nodes_of({batch}, only(columns))) {
    EXPECT_EQ(column_of(*dataset, "x").shape(), (std::vector<int64_t>{2, 4}));
    EXPECT_EQ(rows_values<float>(column_of(*dataset, "x")),
              (std::vector<float>{1, 3, 5, 6, 2, 0, 7, 8}));
    EXPECT_EQ(rows_values<uint8_t>(column_of(*dataset, "m")), (std::vector<uint8_t>{1, 0}));
  }
  columns[1].dtype = kFloat64;
  EXPECT_MESSAGE(add_error({batch}, only(columns)), "need one dtype, role and mask");
}

TEST(ArrowIn, KeysOfEveryKindNameNodes) {
  const std::string long_key = "a key of more than twelve bytes";
  const Texts keys = {"b", long_key, "", "\xc3\xa9t\xc3\xa9"};
  const Texts good = {"b", long_key, "a", "\xc3\xa9t\xc3\xa9"};
  for (const char* format : {"u", "U", "vu", "z", "Z", "vz"}) {
    const ArrowData nodes = arrow_batch({arrow_text("k", good, format)});
    const ArrowData edges =
        arrow_batch({arrow_text("from", {"a", long_key, "b"}, format),
                     arrow_dictionary("to", {1, 0, 0}, arrow_text("", {"b", good[3]}, format))});
    for (const auto& dataset : make_both([&](Builder& builder) {
           add_nodes(builder, "n", {nodes}, keyed("k"));
           add_edges(builder, "n__e__n", {edges});
         })) {
      const NodeType& type = dataset->node_types()[0];
      ASSERT_TRUE(type.keys && type.keys->strings) << format;
      for (int64_t id = 0; id < 4; ++id) {
        EXPECT_EQ(*node_key(type, id), *good[static_cast<size_t>(id)]);
      }
      const Topology& csc = *dataset->edge_types()[0].csc;
      EXPECT_EQ(values_of<int64_t>(csc.indptr_tensor), (std::vector<int64_t>{0, 2, 2, 2, 3}));
      EXPECT_EQ(csc.neighbor(0), 1);
      EXPECT_EQ(csc.neighbor(1), 0);
      EXPECT_EQ(csc.neighbor(2), 2);
    }
    EXPECT_MESSAGE(nodes_error({arrow_batch({arrow_text("k", keys, format)})}, keyed("k")),
                   "row 2: field \"k\" cannot be the key: node id \"\" is empty");
  }
}

TEST(ArrowIn, IntegersNameNodesOfEveryKind) {
  // As they are, numbered by value, and as text.
  const ArrowData small = arrow_batch({arrow_int64("s", {0, 2, 1}), arrow_int64("t", {1, 1, 0})});
  const ArrowData large =
      arrow_batch({arrow_numbers<uint32_t>("s", "I", {4000000000u, 7u, 7u}),
                   arrow_numbers<int16_t>("t", "s", {int16_t{-3}, int16_t{7}, int16_t{-3}})});
  for (const auto& dataset :
       make_both([&](Builder& builder) { add_edges(builder, "n__e__n", {small}); })) {
    EXPECT_EQ(dataset->node_types()[0].count, 3);
    EXPECT_FALSE(dataset->node_types()[0].keys);
  }
  for (const NodeIds ids : {NodeIds::kInteger, NodeIds::kString}) {
    for (const auto& dataset : make_both([&](Builder& builder) {
           NodeTypeOptions options;
           options.ids = ids;
           EXPECT_OK(builder.add_node_type("n", options));
           add_edges(builder, "n__e__n", {large});
         })) {
      const NodeType& type = dataset->node_types()[0];
      EXPECT_EQ(type.count, 3);
      EXPECT_EQ(*node_key(type, 0), "-3");
      EXPECT_EQ(*node_key(type, 2), ids == NodeIds::kInteger ? "4000000000" : "7");
    }
  }
  EXPECT_MESSAGE(stream_error([&](Builder& builder) {
                   add_edges(builder, "n__e__n",
                             {arrow_batch({arrow_int64("s", {0}), arrow_int64("t", {-1})})});
                 }),
                 "row 0: field \"t\" cannot be the target: node id -1 is outside");
  const ArrowData beyond =
      arrow_batch({arrow_numbers<uint64_t>("s", "L", {~uint64_t{0}}), arrow_int64("t", {0})});
  EXPECT_MESSAGE(stream_error([&](Builder& builder) { add_edges(builder, "n__e__n", {beyond}); }),
                 "has the value 18446744073709551615, which is out of range for int64");
}

TEST(ArrowIn, FixedBinaryNamesNodesByItsDigits) {
  const ArrowData nodes =
      arrow_batch({arrow_fixed_binary("k", 3, std::string("\x00\x01\xff\xab\xcd\xef", 6))});
  for (const auto& dataset : nodes_of({nodes}, keyed("k"))) {
    EXPECT_EQ(*node_key(dataset->node_types()[0], 0), "0001ff");
    EXPECT_EQ(*find_node(dataset->node_types()[0], "abcdef"), 1);
  }
}

TEST(ArrowIn, EdgesAreNamedByFixedBinary) {
  const std::string bytes("\x01\x02\x03\x01", 4);
  const ArrowData edges =
      arrow_batch({arrow_fixed_binary("s", 1, bytes), arrow_fixed_binary("t", 1, bytes)});
  for (const auto& dataset :
       make_both([&](Builder& builder) { add_edges(builder, "n__e__n", {edges}); })) {
    EXPECT_EQ(dataset->node_types()[0].count, 3);
    EXPECT_EQ(*node_key(dataset->node_types()[0], 2), "03");
  }
}

// The rows of a table without a key are nodes 0, 1, ..., which text cannot name.
TEST(ArrowIn, TextDoesNotNameNodesWithoutKeys) {
  const ArrowData nodes = arrow_batch({arrow_float32("x", {10, 20})});
  const ArrowData edges = arrow_batch({arrow_text("s", {"b"}), arrow_text("t", {"a"})});
  Builder builder(context_of());
  add_nodes(builder, "n", {nodes}, all_fields());
  ArrowArrayStream stream;
  export_stream({{edges}}, &stream);
  EXPECT_MESSAGE(builder.add_edges_arrow("n__e__n", &stream, {}),
                 "names nodes of type \"n\" by text, but the Arrow stream of \"n\" has no key");
  stream.release(&stream);
  add_edges(builder, "n__e__n", {arrow_batch({arrow_int64("s", {1}), arrow_int64("t", {0})})});
  EXPECT_TRUE(builder.build({}).ok());
  add_edges(builder, "n__e__n", {edges});
  export_stream({{nodes}}, &stream);
  EXPECT_MESSAGE(builder.add_nodes_arrow("n", &stream, all_fields()),
                 "source_field must name the field with the key");
  stream.release(&stream);
}

TEST(ArrowIn, TheFirstFaultyRowIsNamed) {
  // A null before a list of another length.
  EXPECT_MESSAGE(
      nodes_error(
          {arrow_batch({arrow_list("x", {0, 2, 4, 7},
                                   arrow_float32("item", {1, std::nullopt, 1, 2, 1, 2, 3}))})},
          all_fields()),
      "row 0: field \"x\" is null");
  // A bad split before a key that occurs twice, and the other way round.
  Columns split = {column("part")};
  split[0].use = ArrowUse::kSplit;
  for (const bool split_first : {true, false}) {
    const Texts keys = {"a", split_first ? "b" : "a", "b", "b"};
    const Texts parts = {"x", split_first ? "_" : "x", "_", "x"};
    EXPECT_MESSAGE(nodes_error({arrow_batch({arrow_text("k", keys), arrow_text("part", parts)})},
                               keyed("k", only(split))),
                   split_first ? "row 1: field \"part\" names no id set"
                               : "row 1: field \"k\" has the key \"a\", which occurs before");
  }
}

TEST(ArrowIn, BadIdsNameTheirRow) {
  const auto edges = [](const ArrowData& source, const ArrowData& target) {
    return stream_error([&](Builder& builder) {
      add_nodes(builder, "n", {arrow_batch({arrow_text("k", {"a", "b"})})}, keyed("k"));
      add_edges(builder, "n__e__n", {arrow_batch({source, target})});
    });
  };
  EXPECT_MESSAGE(edges(arrow_text("s", {"a", "c"}), arrow_text("t", {"a", "a"})),
                 "row 1: field \"s\" cannot be the source: no node of type \"n\" is called \"c\"");
  EXPECT_MESSAGE(edges(arrow_text("s", {"a", "b"}), arrow_text("t", {"a", std::nullopt})),
                 "row 1: field \"t\" is null, and names no node");
  EXPECT_MESSAGE(edges(arrow_text("s", {"a", "\xff"}, "z"), arrow_text("t", {"a", "a"})),
                 "row 1: field \"s\" cannot be the source: node id \"?\" is not UTF-8");
  EXPECT_MESSAGE(nodes_error({arrow_batch({arrow_text("k", {"a", "b"})}),
                              arrow_batch({arrow_text("k", {"c", "a"})})},
                             keyed("k")),
                 "row 3: field \"k\" has the key \"a\", which occurs before");
  EXPECT_MESSAGE(nodes_error({arrow_batch({arrow_int64("k", {0, 2})})}, keyed("k")),
                 "row 1: field \"k\" cannot be the key: node id 2 is number 1 of the list");
}

TEST(ArrowIn, MasksAndSplitsBecomeIdSets) {
  const ArrowData batch = arrow_batch({
      arrow_bool("train_mask", {true, false, true, false}),
      arrow_numbers<int8_t>("seen", "c", {int8_t{0}, std::nullopt, int8_t{1}, int8_t{0}}),
      arrow_dictionary("split", {0, 1, std::nullopt, 0}, arrow_text("", {"valid", "test"})),
  });
  Columns columns = {column("train_mask"), column("seen"), column("split")};
  columns[0].name = "train";
  columns[0].use = ArrowUse::kIdSet;
  columns[1].use = ArrowUse::kIdSet;
  columns[1].fill = "1";
  columns[2].use = ArrowUse::kSplit;
  for (const auto& dataset : nodes_of({batch, batch}, only(columns))) {
    const NodeType& type = dataset->node_types()[0];
    EXPECT_TRUE(type.columns.empty());
    const auto set = [&](const char* name) {
      return id_values(find_id_set(type, name, "name").take());
    };
    EXPECT_EQ(set("train"), (std::vector<int64_t>{0, 2, 4, 6}));
    EXPECT_EQ(set("seen"), (std::vector<int64_t>{1, 2, 5, 6}));
    EXPECT_EQ(set("valid"), (std::vector<int64_t>{0, 3, 4, 7}));
    EXPECT_EQ(set("test"), (std::vector<int64_t>{1, 5}));
    EXPECT_EQ(type.id_sets.size(), 4u);
  }
  columns[1].fill.reset();
  EXPECT_MESSAGE(nodes_error({batch}, only(columns)), "row 1: field \"seen\" is null");
  EXPECT_MESSAGE(nodes_error({arrow_batch({arrow_text("split", {"a", "_b"})})},
                             [] {
                               Columns split = {column("split")};
                               split[0].use = ArrowUse::kSplit;
                               return only(split);
                             }()),
                 "row 1: field \"split\" names no id set");
  columns = {column("mask")};
  columns[0].use = ArrowUse::kIdSet;
  EXPECT_MESSAGE(
      add_error(
          {arrow_batch({arrow_int64("s", {0}), arrow_int64("t", {0}), arrow_bool("mask", {true})})},
          only(columns), true),
      "edges have none");
}

TEST(ArrowIn, ASplitHasFewTexts) {
  const auto table = [](int texts) {
    Texts parts;
    for (int i = 0; i < texts; ++i) {
      parts.emplace_back("part" + std::to_string(i));
    }
    return arrow_batch({arrow_text("part", parts)});
  };
  Columns columns = {column("part")};
  columns[0].use = ArrowUse::kSplit;
  for (const auto& dataset : nodes_of({table(64)}, only(columns))) {
    EXPECT_EQ(dataset->node_types()[0].id_sets.size(), 64u);
  }
  EXPECT_MESSAGE(nodes_error({table(65)}, only(columns)),
                 "row 64: field \"part\" has more than 64");
  Builder builder(context_of());
  add_nodes(builder, "n", {table(2)}, only(columns));
  EXPECT_OK(builder.add_id_set("n", "part1", ids64({0})));
  EXPECT_MESSAGE(builder.build({}).status(), "id set \"part1\" of \"n\" was added, and is in");
}

// Many columns share the memory for writing.
TEST(ArrowIn, ManyColumnsStayWithinTheMemory) {
  std::vector<ArrowData> fields;
  for (int i = 0; i < 300; ++i) {
    fields.push_back(arrow_float32("c" + std::to_string(i), {1.0f, 2.0f}));
  }
  BuildOptions options;
  options.memory = 64 << 20;
  for (const auto& dataset : make_both(
           [&](Builder& builder) { add_nodes(builder, "n", {arrow_batch(fields)}, all_fields()); },
           options)) {
    EXPECT_EQ(dataset->node_types()[0].columns.size(), 300u);
  }
}

TEST(ArrowIn, ProgressCancelsWithinABatch) {
  std::vector<std::optional<int64_t>> ids(300'000, 0);
  const ArrowData batch = arrow_batch({arrow_int64("s", ids), arrow_int64("t", ids)});
  Builder builder(context_of());
  add_edges(builder, "n__e__n", {batch});
  BuildOptions options;
  int calls = 0;
  options.progress = [&](const char*, uint64_t done, uint64_t, const char*) {
    ++calls;
    return done == 0;
  };
  EXPECT_EQ(builder.build(options).status().code(), GLS_ERR_CANCELED);
  EXPECT_EQ(calls, 2);
}

TEST(ArrowIn, WeightsAreChecked) {
  const ArrowData batch = arrow_batch(
      {arrow_int64("s", {0, 1}), arrow_int64("t", {1, 0}), arrow_float32("w", {1.0f, -1.0f})});
  Columns columns = {column("w")};
  columns[0].role = GLS_ROLE_WEIGHT;
  const Status status = stream_error(
      [&](Builder& builder) { add_edges(builder, "n__e__n", {batch}, only(columns)); });
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(status, "column \"w\" of \"n__e__n\"");
}

TEST(ArrowIn, ReversesAreAdded) {
  ArrowOptions options = all_fields();
  options.add_reverse = true;
  const ArrowData batch =
      arrow_batch({arrow_int64("s", {0, 1}), arrow_int64("t", {1, 2}), arrow_float32("w", {1, 2})});
  for (const auto& dataset :
       make_both([&](Builder& builder) { add_edges(builder, "n__e__n", {batch}, options); })) {
    EXPECT_EQ(dataset->edge_types()[0].count, 4);
    EXPECT_EQ(rows_values<float>(*dataset->edge_types()[0].find_column("w")),
              (std::vector<float>{1, 2, 1, 2}));
  }
  for (const auto& dataset :
       make_both([&](Builder& builder) { add_edges(builder, "a__e__b", {batch}, options); })) {
    EXPECT_EQ(dataset->edge_types()[1].joined, "b__rev_e__a");
  }
}

// Random tables against a plain reading of them, cut into batches and slices at random.
TEST(ArrowIn, RandomTablesAreReadAsTheyAre) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](int64_t n) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
    };
    const int64_t rows = seed == 0 ? 200000 : 1 + below(3000);
    const int64_t nodes = 1 + below(500);
    std::vector<std::optional<int64_t>> source;
    std::vector<std::optional<int64_t>> target;
    std::vector<std::optional<float>> weight;
    std::vector<std::optional<float>> matrix;
    std::vector<bool> matrix_valid;
    for (int64_t i = 0; i < rows; ++i) {
      source.emplace_back(below(nodes));
      target.emplace_back(below(nodes));
      weight.push_back(below(4) == 0 ? std::nullopt
                                     : std::optional<float>(static_cast<float>(below(1000))));
      matrix_valid.push_back(below(5) != 0);
      for (int k = 0; k < 3; ++k) {
        matrix.push_back(below(7) == 0 ? std::nullopt
                                       : std::optional<float>(static_cast<float>(below(1000))));
      }
    }
    const std::vector<ArrowData> fields = {
        arrow_int64("s", source), arrow_int64("t", target), arrow_float32("w", weight),
        arrow_fixed_list("m", 3, arrow_float32("item", matrix), matrix_valid)};
    std::vector<ArrowData> batches;
    for (int64_t at = 0; at < rows;) {
      const int64_t count = std::min(rows - at, below(rows + 1));
      std::vector<ArrowData> cut;
      for (const ArrowData& field : fields) {
        cut.push_back(arrow_slice(field, at, count));
      }
      batches.push_back(arrow_batch(cut));
      batches.back().length = count;
      if (below(2) == 0) {  // the batch itself is a slice, of fields that are whole
        batches.back() = arrow_batch(fields);
        batches.back().offset = at;
        batches.back().length = count;
      }
      at += count;
    }
    Columns columns = {column("w"), column("m")};
    columns[0].fill = "-1";
    columns[0].mask = "mw";
    columns[1].fill = "-2";
    columns[1].mask = "mm";
    BuildOptions build;
    build.memory = 24 << 20;
    NodeTypeOptions declared;
    declared.num_nodes = nodes;
    const auto datasets = make_both(
        [&](Builder& builder) {
          EXPECT_OK(builder.add_node_type("n", declared));
          add_edges(builder, "n__e__n", batches, only(columns));
        },
        seed == 0 ? both_layouts() : build);
    for (const auto& dataset : datasets) {
      const EdgeType& type = dataset->edge_types()[0];
      ASSERT_EQ(type.count, rows);
      std::vector<int64_t> s;
      std::vector<int64_t> t;
      std::vector<float> w;
      std::vector<uint8_t> mw;
      std::vector<float> m;
      std::vector<uint8_t> mm;
      for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
        s.push_back(*source[i]);
        t.push_back(*target[i]);
        w.push_back(weight[i].value_or(-1));
        mw.push_back(weight[i].has_value());
        bool whole = matrix_valid[i];
        for (size_t k = 3 * i; k < 3 * i + 3; ++k) {
          m.push_back(matrix_valid[i] ? matrix[k].value_or(-2) : -2);
          whole = whole && matrix[k].has_value();
        }
        mm.push_back(whole);
      }
      expect_rows(*type.csc, sorted_rows(t, s, nodes));
      EXPECT_EQ(rows_values<float>(*type.find_column("w")), w);
      EXPECT_EQ(rows_values<uint8_t>(*type.find_column("mw")), mw);
      EXPECT_EQ(rows_values<float>(*type.find_column("m")), m);
      EXPECT_EQ(rows_values<uint8_t>(*type.find_column("mm")), mm);
    }
  }
}

TEST(ArrowIn, AStreamIsReadOnceAndReleased) {
  auto builder = std::make_unique<Builder>(context_of());
  int alive = 0;
  ArrowArrayStream stream;
  export_stream(
      {{arrow_batch({arrow_int64("s", {0}), arrow_int64("t", {std::nullopt})})}, 0, &alive},
      &stream);
  EXPECT_OK(builder->add_edges_arrow("n__e__n", &stream, {}));
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(builder->build({}).status().code(), GLS_ERR_CORRUPT_DATA);
  const Status again = builder->build({}).status().copy();
  EXPECT_EQ(again.code(), GLS_ERR_INVALID_STATE);
  EXPECT_MESSAGE(again, "a stream can be read only once");
  builder.reset();
  EXPECT_EQ(alive, 0);
}

TEST(ArrowIn, AnErrorOfTheStreamIsToldInItsWords) {
  ArrowArrayStream stream;
  export_stream({{arrow_batch({arrow_int64("x", {1, 2})})}, ENOMEM, nullptr}, &stream);
  Builder first(context_of());
  EXPECT_OK(first.add_nodes_arrow("n", &stream, all_fields()));
  EXPECT_EQ(first.build({}).status().code(), GLS_ERR_OUT_OF_MEMORY);
  Builder builder(context_of());
  export_stream({{arrow_batch({arrow_int64("x", {1, 2})})}, 5, nullptr}, &stream);
  ArrowOptions options = all_fields();
  options.label = "users.parquet";
  EXPECT_OK(builder.add_nodes_arrow("n", &stream, options));
  const Status status = builder.build({}).status().copy();
  EXPECT_EQ(status.code(), GLS_ERR_IO);
  EXPECT_EQ(status.message(),
            "users.parquet: the stream failed: the warehouse burnt down (code 5)");
}

TEST(ArrowIn, RowsWithoutColumnsAreCounted) {
  for (const auto& dataset : nodes_of({arrow_batch({arrow_int64("x", {1, 2, 3})})}, only({}))) {
    EXPECT_EQ(dataset->node_types()[0].count, 3);
    EXPECT_TRUE(dataset->node_types()[0].columns.empty());
  }
}

TEST(ArrowIn, EmptyStreamsMakeEmptyTypes) {
  const ArrowData none =
      arrow_batch({arrow_int64("x", {}), arrow_list("l", {0}, arrow_float32("item", {}))});
  for (const auto& dataset : nodes_of({none}, all_fields())) {
    EXPECT_EQ(dataset->node_types()[0].count, 0);
    EXPECT_EQ(column_of(*dataset, "l").shape(), (std::vector<int64_t>{0, 0}));
  }
}

TEST(ArrowIn, OptionsThatDoNotFitAreErrors) {
  const ArrowData batch = arrow_batch(
      {arrow_int64("user_id", {1}), arrow_text("city", {"x"}), arrow_float32("age", {1})});
  EXPECT_MESSAGE(add_error({batch}, only({column("agge")})), "did you mean \"age\"?");
  EXPECT_MESSAGE(add_error({batch}, only({column("#3")})), "field #3 does not exist");
  EXPECT_MESSAGE(add_error({batch}, keyed("age")), "nodes are named by integers, text or binary");
  const Status text = add_error({batch}, all_fields());
  EXPECT_EQ(text.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(text, "field \"city\" has values of utf8, which cannot be a column");
  Columns columns = {column("age"), column("user_id")};
  columns[0].fill = "soon";
  EXPECT_MESSAGE(add_error({batch}, only(columns)), "fill \"soon\" is not a number");
  columns[0].fill.reset();
  columns[0].mask = "user_id";
  EXPECT_MESSAGE(add_error({batch}, only(columns)), "column \"user_id\" is given twice");
  columns[0].mask = "_m";
  EXPECT_MESSAGE(add_error({batch}, only(columns)), "begins or ends with '_'");
  columns[0] = column("age");
  columns[0].use = ArrowUse::kIdSet;
  EXPECT_MESSAGE(add_error({batch}, only(columns)), "a mask has bool or integers");
  columns[0].use = ArrowUse::kSplit;
  EXPECT_MESSAGE(add_error({batch}, only(columns)), "a split is given by text");
  EXPECT_MESSAGE(
      add_error({arrow_batch({arrow_int64("a", {1}), arrow_int64("a", {1})})}, only({column("a")})),
      "occurs several times");
  // Taken by the flag, two fields of one name are no column; pandas' index is none.
  EXPECT_MESSAGE(
      add_error({arrow_batch({arrow_int64("a", {1}), arrow_int64("a", {1})})}, all_fields()),
      "would both be the column of that name");
  for (const auto& dataset :
       nodes_of({arrow_batch({arrow_int64("a", {1}), arrow_int64("__index_level_0__", {1})})},
                all_fields())) {
    EXPECT_EQ(dataset->node_types()[0].columns.size(), 1u);
  }
  EXPECT_MESSAGE(add_error({arrow_int64("a", {1})}, {}), "expected structs (record batches)");
  for (const char* format :
       {"d:10,2", "+m", "+us:0", "tiM", "+vl", "+r", "nonsense", "tsq:", "tsu:\xff", "+w:x"}) {
    ArrowData odd = arrow_batch({arrow_int64("x", {1})});
    odd.children[0].format = format;
    EXPECT_EQ(add_error({odd}, all_fields()).code(), GLS_ERR_UNSUPPORTED) << format;
  }

  Builder builder(context_of());
  NodeTypeOptions named;
  named.ids = NodeIds::kInteger;
  EXPECT_OK(builder.add_node_type("n", named));
  ArrowArrayStream stream;
  export_stream({{batch}}, &stream);
  EXPECT_MESSAGE(builder.add_nodes_arrow("n", &stream, only({column("age")})),
                 "source_field must name the field with the key");
  EXPECT_OK(builder.add_nodes_arrow("n", &stream, keyed("user_id", only({column("age")}))));
  EXPECT_EQ(builder.add_nodes_arrow("n", &stream, {}).code(), GLS_ERR_INVALID_ARGUMENT);
  export_stream({{batch}}, &stream);
  EXPECT_EQ(builder.add_nodes_arrow("n", &stream, keyed("user_id")).code(), GLS_ERR_ALREADY_EXISTS);
  stream.release(&stream);
  EXPECT_EQ(builder.add_node_column("n", "age", GLS_ROLE_FEATURE, ids64({1})).code(),
            GLS_ERR_ALREADY_EXISTS);
}

TEST(ArrowIn, MalformedArraysAreErrors) {
  const ArrowData good = arrow_batch({arrow_int64("k", {1, 2}),
                                      arrow_fixed_list("f", 2, arrow_float32("item", {1, 2, 3, 4})),
                                      arrow_list("l", {0, 1, 2}, arrow_float32("item", {1, 2}))});
  const std::vector<std::pair<std::string, std::function<void(ArrowData*)>>> faults = {
      {"fields, and the schema 3", [](ArrowData* b) { b->children.pop_back(); }},
      {"expected at least 2", [](ArrowData* b) { b->children[0].length = 1; }},
      {"expected at least 3", [](ArrowData* b) { b->offset = 1; }},
      {"from -1 on", [](ArrowData* b) { b->offset = -1; }},
      {"has -2 rows", [](ArrowData* b) { b->children[0].length = -2; }},
      {"has 1 buffers, expected 2", [](ArrowData* b) { b->children[0].buffers.pop_back(); }},
      {"has no values", [](ArrowData* b) { b->children[0].buffers[1].reset(); }},
      {"does not say which", [](ArrowData* b) { b->children[0].null_count = 1; }},
      {"expected at least 4", [](ArrowData* b) { b->children[1].children[0].length = 3; }},
      {"expected at least 6", [](ArrowData* b) { b->children[1].offset = 1; }},
      {"has 0 children, expected 1", [](ArrowData* b) { b->children[1].children.clear(); }},
      {"are not ascending",
       [](ArrowData* b) {
         b->children[2].buffers[1] = bytes_of<int32_t>({0, 2, 1});
       }},
      {"are not ascending",
       [](ArrowData* b) {
         b->children[2].buffers[1] = bytes_of<int32_t>({-1, 0, 1});
       }},
      {"expected at least 3",
       [](ArrowData* b) {
         b->children[2].buffers[1] = bytes_of<int32_t>({1, 2, 3});
       }},
      {"row 3 as a whole is null",
       [](ArrowData* b) {
         b->buffers[0] = std::string("\1", 1);
         b->null_count = 1;
       }},
  };
  for (const auto& [words, damage] : faults) {
    ArrowData bad = good;
    damage(&bad);
    const Status status = nodes_error({good, bad}, all_fields());
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << words;
    EXPECT_MESSAGE(status, words);
    EXPECT_MESSAGE(status, "batch from row 2 on");
  }
}

TEST(ArrowIn, ViewsThatPointOutsideAreErrors) {
  const ArrowData good = arrow_batch({arrow_text("k", {"a long key, beyond a view"}, "vu")});
  const auto view = [](int32_t length, int32_t buffer, int32_t offset) {
    return bytes_of<int32_t>({length, 0, buffer, offset});
  };
  for (const std::string& bad : {view(-1, 0, 0), view(20, 1, 0), view(20, -1, 0), view(26, 0, 0),
                                 view(20, 0, 6), view(20, 0, -1)}) {
    ArrowData batch = good;
    batch.children[0].buffers[1] = bad;
    EXPECT_MESSAGE(nodes_error({batch}, keyed("k")), "a view that points outside its buffers");
  }
}

}  // namespace
}  // namespace gls
