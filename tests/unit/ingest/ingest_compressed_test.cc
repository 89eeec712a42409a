// Text that is compressed with zstd or bzip2. The tests compress with the libraries themselves.
#include <gtest/gtest.h>

#include <array>

#include "ingest/text/decompressor.h"
#include "ingest_text_support.h"
#include "system/system_library.h"

namespace gls {
namespace {

using namespace test;
using namespace std::string_literals;

SystemLibrary opened(const char* name) {
  auto library = SystemLibrary::open(std::array{name});
  EXPECT_TRUE(library.ok()) << library.status().message();
  return library.take();
}

// One frame, with a checksum, without the size of the text.
std::string zstd(const std::string& text) {
  constexpr int kChecksum = 201;     // ZSTD_c_checksumFlag
  constexpr int kContentSize = 200;  // ZSTD_c_contentSizeFlag
  struct Stream;
  Stream* (*create)() = nullptr;
  size_t (*free)(Stream*) = nullptr;
  size_t (*set)(Stream*, int, int) = nullptr;
  size_t (*compress)(Stream*, void*, size_t, const void*, size_t) = nullptr;
  const SystemLibrary library = opened("libzstd.so.1");
  EXPECT_OK(library.find("ZSTD_createCCtx", &create));
  EXPECT_OK(library.find("ZSTD_freeCCtx", &free));
  EXPECT_OK(library.find("ZSTD_CCtx_setParameter", &set));
  EXPECT_OK(library.find("ZSTD_compress2", &compress));
  std::string out(text.size() + text.size() / 100 + 200, '\0');
  Stream* const stream = create();
  set(stream, kChecksum, 1);
  set(stream, kContentSize, 0);
  out.resize(compress(stream, out.data(), out.size(), text.data(), text.size()));
  free(stream);
  return out;
}

std::string bzip2(const std::string& text) {
  int (*compress)(char*, unsigned*, char*, unsigned, int, int, int) = nullptr;
  EXPECT_OK(opened("libbz2.so.1.0").find("BZ2_bzBuffToBuffCompress", &compress));
  std::string out(text.size() + text.size() / 50 + 700, '\0');
  auto size = static_cast<unsigned>(out.size());
  EXPECT_EQ(compress(out.data(), &size, const_cast<char*>(text.data()),
                     static_cast<unsigned>(text.size()), 9, 0, 0),
            0);
  out.resize(size);
  return out;
}

using Compress = std::string (*)(const std::string&);
struct Format {
  const char* name;
  Compress compress;
};
constexpr std::array kFormats = {Format{"zstd", zstd}, Format{"bzip2", bzip2}};

Status refused(const std::string& bytes) {
  const TempFolder folder;
  Builder builder(context_of());
  EXPECT_OK(builder.add_edges_text("n__e__n", folder.write("edges", bytes), {}));
  auto built = builder.build({});
  if (built.ok()) {
    ADD_FAILURE() << "the file was read";
    return {};
  }
  EXPECT_NE(built.status().detail("file"), nullptr);
  return std::move(built.status());
}

TEST(Compressed, IsRead) {
  for (const auto& [name, compress] : kFormats) {
    SCOPED_TRACE(name);
    expect_edges(compress("1,2\n3,4\n"), {1, 3}, {2, 4});
    expect_edges(compress("\xef\xbb\xbf"
                          "1,2\n3,4"),
                 {1, 3}, {2, 4});
    expect_edges(compress("1,2\n3,") + compress("") + compress("4\n"), {1, 3}, {2, 4});
    expect_edges(compress(""), {}, {});
    // The line of an error is that of the text.
    expect_failure(compress("1,2\n3,x\n"), "edges:2: target: node id \"x\"");
  }
}

TEST(Compressed, MayHaveFramesToSkip) {
  const std::string skipped = "\x5f\x2a\x4d\x18\x03\0\0\0abc"s;
  expect_edges(skipped + zstd("1,2\n") + skipped + zstd("3,4\n"), {1, 3}, {2, 4});
}

TEST(Compressed, KeepsTheOrderOfALargeFile) {
  std::string text;
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  for (int64_t i = 0; i < 300'000; ++i) {
    source.push_back(i * 7919 % 1000);
    target.push_back(i * 104729 % 1000);
    text += formatted("{} {}\n", source.back(), target.back());
  }
  for (const auto& [name, compress] : kFormats) {
    SCOPED_TRACE(name);
    auto read = read_edges(compress(text));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->source, source);
    EXPECT_EQ(read->target, target);
  }
}

// A few bytes become much text, of which a buffer holds a part.
TEST(Compressed, MayBecomeMuchLonger) {
  const std::string text = "1,2\n" + std::string(20'000'000, '\n') + "3,4\n";
  for (const auto& [name, compress] : kFormats) {
    SCOPED_TRACE(name);
    auto read = read_edges(compress(text));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->source, (std::vector<int64_t>{1, 3}));
  }
}

TEST(Compressed, RefusesDamage) {
  std::string text;
  for (int64_t i = 0; i < 50'000; ++i) {
    text += formatted("{},{}\n", i * 7919 % 100000, i * 104729 % 100000);
  }
  for (const auto& [name, compress] : kFormats) {
    SCOPED_TRACE(name);
    const std::string damaged = formatted("edges: damaged {} data: ", name);
    const std::string good = compress(text);
    for (const size_t size : {size_t{11}, size_t{18}, good.size() / 2, good.size() - 1}) {
      const Status status = refused(good.substr(0, size));
      EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
      EXPECT_MESSAGE(status, damaged + "the file ends too early");
    }
    EXPECT_MESSAGE(refused(good + good.substr(0, 30)), damaged + "the file ends too early");
    EXPECT_MESSAGE(refused(good + "junk of several bytes"), damaged);
    for (const size_t at : {good.size() / 2, good.size() - 4}) {
      std::string flipped = good;
      flipped[at] ^= 0x55;
      EXPECT_MESSAGE(refused(flipped), damaged);
    }
  }
}

TEST(Compressed, NamesWhatItDoesNotRead) {
  const std::string frame = "\x28\xb5\x2f\xfd";
  const std::pair<std::string, const char*> files[] = {
      {frame + "\0\x90\x09\0\0x"s,
       "with zstd and a window of more than 128 MiB; decompress it first"},
      {frame + "\x21\x07\x01\x09\0\0x"s, "with zstd and a dictionary; decompress it first"},
      {zstd(bzip2("1,2\n")), "twice, the first time with bzip2"},
      {bzip2(zstd("1,2\n")), "twice, the first time with zstd"},
      {zstd("\xfd\x37zXZ\0rest"s), "with xz; decompress it first (xz -d)"},
  };
  for (const auto& [bytes, what] : files) {
    const Status status = refused(bytes);
    EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED) << what;
    EXPECT_MESSAGE(status, formatted("edges: the file is compressed {}", what));
  }
}

TEST(Compressed, AMissingLibraryIsNamed) {
  constexpr std::array kNames = {"libgls-first.so.1", "libgls-second.so.1"};
  auto library = SystemLibrary::open(kNames);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(library.status(), "the system library libgls-first.so.1 cannot be loaded: ");
  // The next name is tried, and a function may be missing.
  constexpr std::array kSecond = {"libgls-first.so.1", "libc.so.6"};
  auto found = SystemLibrary::open(kSecond);
  ASSERT_TRUE(found.ok()) << found.status().message();
  void (*function)() = nullptr;
  const Status missing = found->find("gls_no_such_function", &function);
  EXPECT_EQ(missing.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(missing, "libc.so.6 has no gls_no_such_function");
}

}  // namespace
}  // namespace gls
