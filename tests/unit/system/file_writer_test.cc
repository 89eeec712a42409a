#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "ingest_support.h"
#include "system/file.h"

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

// Opening a pipe nobody writes to must not wait: without the check this test does not end.
TEST(Files, RefusesWhatIsNoRegularFile) {
  const TempFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, folder.path(), std::string("/dev/null")}) {
    auto mapped = MappedFile::open(path);
    auto text = read_text_file(path, 1000);
    for (const Status* status : {&mapped.status(), &text.status()}) {
      EXPECT_EQ(status->code(), GLS_ERR_IO);
      EXPECT_EQ(status->message(), path + " is not a regular file");
      ASSERT_NE(status->detail("file"), nullptr);
      EXPECT_EQ(*status->detail("file"), path);
    }
  }
}

// A folder may be replaced when it has the file "x".
bool has_x(const std::string& folder) { return path_exists(folder + "/x"); }
const FolderOptions kKeep;
const FolderOptions kReplace = {has_x, nullptr};

TEST(FolderWriter, AppearsCompleteOrNotAtAll) {
  const TempFolder folder;
  {
    auto writer = FolderWriter::create(folder.file("d"), kKeep);
    ASSERT_TRUE(writer.ok());
    EXPECT_FALSE(path_exists(folder.file("d")));
    std::ofstream(writer->file("x")) << "1";
    EXPECT_OK(writer->commit());
  }
  EXPECT_EQ(read_file(folder.file("d/x")), "1");
  {
    auto writer = FolderWriter::create(folder.file("e"), kKeep);
    std::ofstream(writer->file("x")) << "1";
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"d"});
}

// On any file system: `options` says how it renames.
void expect_first_wins_and_replacing_works(FolderOptions options) {
  const TempFolder folder;
  FolderOptions keep = options;
  keep.may_replace = nullptr;
  auto one = FolderWriter::create(folder.file("d"), keep);
  auto two = FolderWriter::create(folder.file("d"), keep);
  ASSERT_TRUE(one.ok() && two.ok());
  std::ofstream(one->file("x")) << "one";
  std::ofstream(two->file("x")) << "two";
  EXPECT_OK(one->commit());
  EXPECT_EQ(two->commit().code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(read_file(folder.file("d/x")), "one");
  EXPECT_EQ(FolderWriter::create(folder.file("d"), keep).status().code(), GLS_ERR_ALREADY_EXISTS);
  {
    auto three = FolderWriter::create(folder.file("d"), options);
    ASSERT_TRUE(three.ok()) << three.status().message();
    std::ofstream(three->file("x")) << "three";
    EXPECT_OK(three->commit());
  }
  EXPECT_EQ(read_file(folder.file("d/x")), "three");
  {
    auto last = FolderWriter::create(folder.file("d"), options);
    std::ofstream(last->file("x")) << "four";
    std::filesystem::remove(folder.file("d/x"));  // now it is no such folder any more
    EXPECT_EQ(last->commit().code(), GLS_ERR_ALREADY_EXISTS);
  }
}

TEST(FolderWriter, SomeoneElseMayBeFirst) { expect_first_wins_and_replacing_works(kReplace); }

int rename_without_flags(const char* from, const char* to, unsigned flags) {
  if (flags != 0) {
    errno = EINVAL;
    return -1;
  }
  return std::rename(from, to);
}

TEST(FolderWriter, DoesWithoutFlagsOfRename) {
  expect_first_wins_and_replacing_works({has_x, rename_without_flags});
}

TEST(FolderWriter, ReplacesNothingElse) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.file("photos"));
  folder.write("photos/a.jpg", "a");
  folder.write("file", "f");
  std::filesystem::create_directory(folder.file("good"));
  folder.write("good/x", "x");
  ASSERT_EQ(symlink(folder.file("good").c_str(), folder.file("link").c_str()), 0);
  for (const char* name : {"photos", "file", "link"}) {
    const Status status = std::move(FolderWriter::create(folder.file(name), kReplace).status());
    EXPECT_EQ(status.code(), GLS_ERR_ALREADY_EXISTS) << name;
    EXPECT_MESSAGE(status, "is there, but is no dataset");
  }
  EXPECT_EQ(read_file(folder.file("photos/a.jpg")), "a");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"file", "good", "link", "photos"}));
}

// What a crash left does not stop a process that happens to have the same id.
TEST(FolderWriter, PassesOverNamesThatAreTaken) {
  const TempFolder folder;
  std::string serial;
  {
    auto writer = FolderWriter::create(folder.file("d"), kKeep);
    ASSERT_TRUE(writer.ok());
    const std::string name = writer->working_path();
    const size_t dash = name.rfind('-');
    serial = name.substr(dash + 1, name.rfind('.') - dash - 1);
  }
  for (int i = 1; i <= 3; ++i) {
    std::filesystem::create_directory(
        folder.file(formatted("d.{}-{}.partial", getpid(), std::stoi(serial) + i)));
  }
  auto writer = FolderWriter::create(folder.file("d"), kKeep);
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  EXPECT_OK(writer->commit());
  EXPECT_EQ(FolderWriter::create(folder.file("e.partial"), kKeep).status().code(),
            GLS_ERR_INVALID_ARGUMENT);
}

// A link is what is there: it is refused, not followed.
TEST(FolderWriter, DoesNotFollowALink) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.file("real"));
  ASSERT_EQ(symlink(folder.file("real").c_str(), folder.file("link").c_str()), 0);
  EXPECT_EQ(FolderWriter::create(folder.file("link"), kKeep).status().code(),
            GLS_ERR_ALREADY_EXISTS);
}

}  // namespace
}  // namespace gls
