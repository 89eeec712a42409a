#include <gtest/gtest.h>

#include "format/npy.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

// A file of format 1.0 with this header text, padded as NumPy does.
std::string npy_file(std::string dict, const std::string& data, int version = 1) {
  const size_t fixed = version == 1 ? 10 : 12;
  while ((fixed + dict.size() + 1) % 64 != 0) {
    dict += ' ';
  }
  dict += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  const size_t length = dict.size();
  for (size_t i = 0; i < fixed - 8; ++i) {
    out += static_cast<char>(length >> (8 * i) & 0xff);
  }
  return out + dict + data;
}

Result<Tensor> map(const std::string& bytes) {
  const TempFolder folder;
  return map_npy(folder.write("array.npy", bytes));
}

std::string dict(const std::string& descr, const std::string& shape,
                 const std::string& fortran = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const std::string data("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0", 24);
  for (const int version : {1, 2, 3}) {
    auto tensor = map(npy_file(dict("'<i4'", "(2, 3)"), data, version));
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    EXPECT_EQ(tensor->shape(), (std::vector<int64_t>{2, 3}));
    EXPECT_TRUE(same_dtype(tensor->dtype(), kInt32));
    EXPECT_TRUE(tensor->read_only());
    EXPECT_EQ(values_of<int32_t>(*tensor), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  }
  // Other spellings of the same header, as other writers and Python 2 have them.
  for (const char* header : {"{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<i4\"}",
                             "{'descr': '=i4', 'fortran_order': False, 'shape': (6L,), }",
                             "{ 'shape' : ( 6 , ) , 'descr' : '<i4' , 'fortran_order' : True }"}) {
    auto tensor = map(npy_file(header, data));
    ASSERT_TRUE(tensor.ok()) << header << ": " << tensor.status().message();
    EXPECT_EQ(tensor->shape(), std::vector<int64_t>{6});
  }
}

TEST(Npy, EveryTypeComesBack) {
  const TempFolder folder;
  for (const char* name : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                           "uint64", "float16", "bfloat16", "float32", "float64"}) {
    const DLDataType dtype = *parse_dtype(name);
    for (const std::vector<int64_t>& row :
         std::vector<std::vector<int64_t>>{{}, {3}, {0}, {2, 2}}) {
      const std::string path = folder.file("array.npy");
      std::filesystem::remove(path);
      auto writer = NpyWriter::create(path, dtype, row);
      ASSERT_TRUE(writer.ok()) << writer.status().message();
      const int64_t elements =
          std::accumulate(row.begin(), row.end(), int64_t{1}, std::multiplies<>());
      std::string data(static_cast<size_t>(5 * elements) * dtype_bytes(dtype), '\0');
      std::iota(data.begin(), data.end(), '\1');
      const auto bytes = std::as_bytes(std::span(data));
      const size_t two_rows = data.size() / 5 * 2;
      EXPECT_OK(writer->append(bytes.first(two_rows), 2));
      EXPECT_OK(writer->append(bytes.subspan(two_rows), 3));
      EXPECT_OK(writer->finish());
      EXPECT_EQ(writer->checksum(), hex64(hash64(bytes)));
      auto tensor = map_npy(path);
      ASSERT_TRUE(tensor.ok()) << tensor.status().message();
      EXPECT_TRUE(same_dtype(tensor->dtype(), dtype)) << name;
      std::vector<int64_t> shape = {5};
      shape.insert(shape.end(), row.begin(), row.end());
      EXPECT_EQ(tensor->shape(), shape);
      EXPECT_EQ(std::memcmp(tensor->data(), data.data(), data.size()), 0);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
    }
  }
}

TEST(Npy, NoRowsAtAll) {
  const TempFolder folder;
  auto writer = NpyWriter::create(folder.file("a.npy"), kFloat32, std::vector<int64_t>{4});
  ASSERT_TRUE(writer.ok());
  EXPECT_OK(writer->finish());
  auto tensor = map_npy(folder.file("a.npy"));
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(tensor->shape(), (std::vector<int64_t>{0, 4}));
}

void expect_refused(const std::string& bytes, gls_status_t code, const std::string& part) {
  auto tensor = map(bytes);
  ASSERT_FALSE(tensor.ok()) << part;
  EXPECT_EQ(tensor.status().code(), code) << tensor.status().message();
  EXPECT_MESSAGE(tensor.status(), part);
  EXPECT_MESSAGE(tensor.status(), "array.npy");
  EXPECT_NE(tensor.status().detail("file"), nullptr);
}

TEST(Npy, RefusesDamage) {
  const std::string data(24, 'x');
  const std::string good = npy_file(dict("'<i4'", "(2, 3)"), data);
  const auto corrupt = [](const std::string& bytes, const std::string& part) {
    expect_refused(bytes, GLS_ERR_CORRUPT_DATA, part);
  };
  corrupt("", "wrong magic");
  corrupt("\x93NUMP", "wrong magic");
  corrupt("PK\3\4 this is a zip file", "wrong magic");
  std::string other = good;
  other[1] = 'n';
  corrupt(other, "wrong magic");
  for (const size_t size : {size_t{9}, size_t{10}, size_t{11}, size_t{70}}) {
    EXPECT_FALSE(map(good.substr(0, size)).ok()) << size;
  }
  corrupt(good.substr(0, 100), "truncated .npy header");
  corrupt(good.substr(0, good.size() - 1), "23 bytes of data, expected 24 for shape [2, 3]");
  corrupt(good + "y", "25 bytes of data, expected 24");
  corrupt(npy_file(dict("'<i4'", "(2, -3)"), data), "damaged .npy header");
  corrupt(npy_file(dict("'<i4'", "(2, 3"), data), "damaged .npy header");
  corrupt(npy_file(dict("'<i4'", "(99999999999999999999,)"), data), "damaged .npy header");
  corrupt(npy_file(dict("'<i4'", "(4611686018427387904, 4)"), data), "impossible shape");
  const std::string empty = npy_file(dict("'<i4'", "(0, 4611686018427387904, 4)"), "");
  corrupt(empty, "impossible shape");
  corrupt(npy_file(dict("'<i4'", "(2, 3)", "Maybe"), data), "damaged .npy header");
  corrupt(npy_file("{'descr': '<i4', 'shape': (6,), }", data), "damaged .npy header");
  corrupt(npy_file("{'descr': '<i4', 'fortran_order': False, 'shape': (6,), 'more': 1}", data),
          "damaged .npy header");
  corrupt(npy_file("['descr']", data), "damaged .npy header");
  corrupt(npy_file("{'descr': '<i4', 'fortran_order': False, 'shape': (6,), } x", data),
          "damaged .npy header");
}

TEST(Npy, RefusesWhatItDoesNotRead) {
  const std::string data(48, 'x');
  const auto refused = [&](const std::string& header, const std::string& part) {
    expect_refused(npy_file(header, data), GLS_ERR_UNSUPPORTED, part);
  };
  refused(dict("'>i4'", "(12,)"), "big-endian");
  refused(dict("'<i4'", "(3, 4)", "True"), "Fortran order");
  refused(dict("'<U3'", "(4,)"), "dtype '<U3'");
  refused(dict("'|S4'", "(12,)"), "dtype '|S4'");
  refused(dict("'|O'", "(6,)"), "dtype '|O'");
  refused(dict("'<c8'", "(6,)"), "dtype '<c8'");
  refused(dict("'<f12'", "(4,)"), "dtype '<f12'");
  refused(dict("'<f3'", "(16,)"), "dtype '<f3'");
  refused(dict("'<M8[ns]'", "(6,)"), "dtype '<M8[ns]'");
  refused(dict("[('a', '<i4')]", "(12,)"), "is not a fixed-width number");
  refused(dict("'<i4'", "()"), "scalar");
  std::string newer = npy_file(dict("'<i4'", "(12,)"), data);
  newer[6] = 4;
  expect_refused(newer, GLS_ERR_UNSUPPORTED, ".npy format 4");
}

TEST(Npy, NamesFilesThatCannotBeOpened) {
  const TempFolder folder;
  auto missing = map_npy(folder.file("missing.npy"));
  EXPECT_EQ(missing.status().code(), GLS_ERR_NOT_FOUND);
  auto directory = map_npy(folder.path());
  EXPECT_EQ(directory.status().code(), GLS_ERR_IO);
  EXPECT_EQ(*directory.status().detail("file"), folder.path());
}

// Any header of up to 64 KiB with any single byte changed is read or refused, never worse.
TEST(Npy, SurvivesAnyChangedByte) {
  const std::string good = npy_file(dict("'<i4'", "(2, 3)"), std::string(24, 'x'));
  for (size_t at = 0; at + 24 < good.size(); ++at) {
    for (int byte = 0; byte < 256; byte += at < 80 ? 1 : 51) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(byte);
      auto header = parse_npy_header(std::as_bytes(std::span(bytes)), "x");
      if (header.ok()) {
        EXPECT_LE(header->data_offset, bytes.size());
      } else {
        EXPECT_FALSE(header.status().message().empty());
      }
    }
  }
}

}  // namespace
}  // namespace gls
