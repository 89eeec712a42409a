#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(FileWriter, WritesEveryByteInOrder) {
  const TempFolder folder;
  auto writer = FileWriter::create(folder.file("a"));
  ASSERT_TRUE(writer.ok());
  std::string expected;
  std::mt19937 random(1);
  for (const size_t size : {0u, 1u, 7u, 1000u, 1'048'575u, 1u, 1'048'576u, 3'000'001u, 5u}) {
    std::string piece(size, '\0');
    for (char& c : piece) {
      c = static_cast<char>(random());
    }
    EXPECT_OK(writer->write(bytes_of(piece)));
    expected += piece;
    EXPECT_EQ(writer->size(), expected.size());
  }
  EXPECT_OK(writer->write_at(3, bytes_of("patch")));
  expected.replace(3, 5, "patch");
  EXPECT_OK(writer->write(bytes_of("end")));
  EXPECT_OK(writer->close(true));
  EXPECT_TRUE(read_file(folder.file("a")) == expected + "end");
}

TEST(FileWriter, NeverOverwrites) {
  const TempFolder folder;
  folder.write("a", "old");
  auto writer = FileWriter::create(folder.file("a"));
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(*writer.status().detail("file"), folder.file("a"));
  EXPECT_EQ(read_file(folder.file("a")), "old");
  EXPECT_EQ(FileWriter::create(folder.file("no/a")).status().code(), GLS_ERR_NOT_FOUND);
}

TEST(FileWriter, CanBeMoved) {
  const TempFolder folder;
  auto first = FileWriter::create(folder.file("a"));
  auto second = FileWriter::create(folder.file("b"));
  EXPECT_OK(first->write(bytes_of("a")));
  FileWriter moved = first.take();
  moved = second.take();
  EXPECT_OK(moved.write(bytes_of("b")));
  EXPECT_EQ(moved.path(), folder.file("b"));
  EXPECT_OK(moved.close(false));
  EXPECT_EQ(read_file(folder.file("b")), "b");
}

TEST(MappedFile, ShowsTheBytes) {
  const TempFolder folder;
  auto mapped = MappedFile::open(folder.write("a", "hello"));
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(std::memcmp((*mapped)->bytes().data(), "hello", 5), 0);
  auto empty = MappedFile::open(folder.write("b", ""));
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE((*empty)->bytes().empty());
  EXPECT_EQ(MappedFile::open(folder.file("c")).status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(MappedFile::open("/dev/null").status().code(), GLS_ERR_IO);
}

TEST(ReadTextFile, IsBounded) {
  const TempFolder folder;
  folder.write("a", std::string(1000, 'x'));
  EXPECT_EQ(read_text_file(folder.file("a"), 1000)->size(), 1000u);
  auto larger = read_text_file(folder.file("a"), 999);
  EXPECT_EQ(larger.status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(read_text_file(folder.path(), 1000).status().code(), GLS_ERR_IO);
}

TEST(FolderWriter, AppearsCompleteOrNotAtAll) {
  const TempFolder folder;
  {
    auto writer = FolderWriter::create(folder.file("d"), false);
    ASSERT_TRUE(writer.ok());
    EXPECT_FALSE(path_exists(folder.file("d")));
    std::ofstream(writer->file("x")) << "1";
    EXPECT_OK(writer->commit());
  }
  EXPECT_EQ(read_file(folder.file("d/x")), "1");
  {
    auto writer = FolderWriter::create(folder.file("e"), false);
    std::ofstream(writer->file("x")) << "1";
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"d"});
}

TEST(FolderWriter, SomeoneElseMayBeFirst) {
  const TempFolder folder;
  auto one = FolderWriter::create(folder.file("d"), false);
  auto two = FolderWriter::create(folder.file("d"), false);
  ASSERT_TRUE(one.ok() && two.ok());
  std::ofstream(one->file("x")) << "one";
  std::ofstream(two->file("x")) << "two";
  EXPECT_OK(one->commit());
  EXPECT_EQ(two->commit().code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(read_file(folder.file("d/x")), "one");
  EXPECT_EQ(FolderWriter::create(folder.file("d"), false).status().code(), GLS_ERR_ALREADY_EXISTS);
  {
    auto three = FolderWriter::create(folder.file("d"), true);
    std::ofstream(three->file("x")) << "three";
    EXPECT_OK(three->commit());
  }
  EXPECT_EQ(read_file(folder.file("d/x")), "three");
}

// A link is what is there: it is replaced or refused, not followed.
TEST(FolderWriter, DoesNotFollowALink) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.file("real"));
  ASSERT_EQ(symlink(folder.file("real").c_str(), folder.file("link").c_str()), 0);
  EXPECT_EQ(FolderWriter::create(folder.file("link"), false).status().code(),
            GLS_ERR_ALREADY_EXISTS);
}

}  // namespace
}  // namespace gls
