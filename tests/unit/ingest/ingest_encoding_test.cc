// Text in other encodings, and files that are no text.
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "graph/dataset/node_keys.h"
#include "ingest_text_support.h"

namespace gls {
namespace {

using namespace test;
using namespace std::string_literals;

std::string utf16(const std::u16string& text, bool big_endian, bool mark = true) {
  std::string out;
  for (const char16_t unit : (mark ? u"\ufeff" : u"") + text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xff);
    out += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return out;
}

Result<std::vector<std::string>> keys_of(const std::string& bytes,
                                         Encoding encoding = Encoding::kDetect) {
  const TempFolder folder;
  Builder builder(context_of());
  NodeTypeOptions strings;
  strings.ids = NodeIds::kString;
  GLS_TRY(builder.add_node_type("n", strings));
  TextOptions options;
  options.encoding = encoding;
  options.header = Header::kNo;
  GLS_TRY(builder.add_edges_text("n__e__n", folder.write("edges", bytes), options));
  GLS_ASSIGN(const auto dataset, builder.build({}));
  GLS_TRY(verify_dataset(*dataset, {}));
  std::vector<std::string> out;
  for (int64_t id = 0; id < dataset->node_types()[0].count; ++id) {
    out.push_back(*node_key(dataset->node_types()[0], id));
  }
  return out;
}

void expect_keys(const std::string& bytes, const std::vector<std::string>& keys,
                 Encoding encoding = Encoding::kDetect) {
  auto read = keys_of(bytes, encoding);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, keys);
}

void expect_refused(const std::string& bytes, gls_status_t code, const std::string& part,
                    Encoding encoding = Encoding::kDetect) {
  auto read = keys_of(bytes, encoding);
  ASSERT_FALSE(read.ok()) << part;
  EXPECT_EQ(read.status().code(), code);
  EXPECT_MESSAGE(read.status(), part);
  EXPECT_NE(read.status().detail("file"), nullptr);
}

TEST(Encoding, StringIdsMustBeUtf8) {
  expect_refused("a,b\nc,d\ncaf\xe9,b\n", GLS_ERR_CORRUPT_DATA,
                 "edges:3: source: node id \"caf?\" is not UTF-8 (byte 0xe9 at offset 3); name the "
                 "encoding of the file, such as latin-1");
  for (const char* bad : {"\x80", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    expect_refused("a,"s + bad + "\n", GLS_ERR_CORRUPT_DATA, ":1: target: node id");
  }
  // What is no id may be anything.
  expect_edges("# caf\xe9\n1,2\n", {1}, {2});
}

TEST(Encoding, Utf8MayHaveAMark) {
  for (const Encoding encoding : {Encoding::kDetect, Encoding::kUtf8}) {
    expect_keys("\xef\xbb\xbf\xc3\xa9,b\n", {"b", "\xc3\xa9"}, encoding);
  }
  expect_refused(
      "\xef\xbb\xbf"
      "a,b\n",
      GLS_ERR_CORRUPT_DATA, "begins with the mark of UTF-8, but its encoding is given as Latin-1",
      Encoding::kLatin1);
  expect_refused(utf16(u"a,b\n", false), GLS_ERR_CORRUPT_DATA,
                 "begins with the mark of UTF-16, but its encoding is given as UTF-8",
                 Encoding::kUtf8);
}

TEST(Encoding, Latin1) {
  expect_keys("caf\xe9,b\n\xff,b\n", {"b", "caf\xc3\xa9", "\xc3\xbf"}, Encoding::kLatin1);
  expect_keys("a,b\n", {"a", "b"}, Encoding::kLatin1);
  expect_keys("", {}, Encoding::kLatin1);
}

TEST(Encoding, Utf16) {
  const std::u16string text = u"caf\u00e9,b\r\n\U0001f600,\u20ac\n";
  const std::vector<std::string> keys = {"b", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  for (const bool big_endian : {false, true}) {
    expect_keys(utf16(text, big_endian), keys);
    expect_keys(utf16(text, big_endian), keys, Encoding::kUtf16);
    expect_keys(utf16(text, big_endian, false), keys, Encoding::kUtf16);
    expect_refused(utf16(text, big_endian, false), GLS_ERR_CORRUPT_DATA,
                   "as UTF-16 without a mark does");
    expect_refused(utf16(u"a,b\nc,"s + char16_t{0xd800} + u"\n", big_endian), GLS_ERR_CORRUPT_DATA,
                   "edges:2: UTF-16 text has the surrogate 0xd800 without the other one");
    expect_refused(utf16(u"a,b\nc,"s + char16_t{0xdc00} + u"\n", big_endian), GLS_ERR_CORRUPT_DATA,
                   "edges:2: UTF-16 text has the surrogate 0xdc00 without the other one");
    expect_refused(utf16(u"a,b\nc,d"s + char16_t{0xd83d}, big_endian), GLS_ERR_CORRUPT_DATA,
                   "edges:2: UTF-16 text has the surrogate 0xd83d");
    expect_refused(utf16(text, big_endian) + "x", GLS_ERR_CORRUPT_DATA,
                   "edges:3: UTF-16 text ends with half of a character");
  }
  expect_keys(utf16(u"", false), {});
}

// Over many chunks, with pairs and units cut by their ends.
TEST(Encoding, LargeFilesKeepEveryCharacter) {
  std::string latin1;
  std::u16string wide = u"x,";  // so that pairs lie at odd places
  std::vector<std::string> keys;
  std::vector<std::string> pairs = {"x"};
  for (int i = 0; i < 90'000; ++i) {
    const std::string digits = std::to_string(100'000 + i);
    latin1 += "\xe9" + digits + "," + digits + "\n";
    keys.push_back(digits);
    wide += u"\U0001f600" + std::u16string(digits.begin(), digits.end()) + u"\n" +
            std::u16string(digits.begin(), digits.end()) + u",";
    pairs.push_back(digits);
  }
  wide += u"x";
  for (int i = 0; i < 90'000; ++i) {
    keys.push_back("\xc3\xa9" + std::to_string(100'000 + i));
    pairs.push_back("\xf0\x9f\x98\x80" + std::to_string(100'000 + i));
  }
  expect_keys(latin1, keys, Encoding::kLatin1);
  std::sort(pairs.begin(), pairs.end());
  expect_keys(utf16(wide, true), pairs);
}

TEST(Encoding, FilesThatAreNoTextAreNamed) {
  const std::pair<std::string, const char*> files[] = {
      {"\xfd\x37zXZ\0rest"s, "compressed with xz; decompress it first (xz -d)"},
      {"\x04\x22\x4d\x18 rest", "compressed with lz4"},
      {"\x1f\x9d rest", "compressed with compress"},
      {"PK\x03\x04 rest", "a zip archive"},
      {"7z\xbc\xaf\x27\x1c rest", "a 7-Zip archive"},
      {"\x93NUMPY rest", "a NumPy array; add it as an array"},
      {"PAR1\x15 rest", "a Parquet file"},
  };
  for (const auto& [bytes, what] : files) {
    expect_refused(bytes, GLS_ERR_UNSUPPORTED, formatted("edges: the file is {}", what));
  }
  expect_refused("\xff\xfe\0\0a\0\0\0"s, GLS_ERR_UNSUPPORTED, "the file is UTF-32");
  // Text that only begins alike.
  expect_keys("BZh9,PK\nPAR1,7z\n", {"7z", "BZh9", "PAR1", "PK"});
}

TEST(Encoding, Utf8IsWhatTheStandardSays) {
  for (const uint32_t point :
       {0x0u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xd7ffu, 0xe000u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string text;
    append_utf8(point, &text);
    EXPECT_TRUE(is_utf8(text)) << point;
    EXPECT_EQ(utf8_prefix(text + "\x80"), text.size()) << point;
  }
}

}  // namespace
}  // namespace gls
