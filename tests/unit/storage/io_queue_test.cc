// Both ways of reading and writing: the same bytes and the same errors.
#include "storage/io_queue.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <vector>

#include "storage/disk_probe.h"
#include "storage/row_reader.h"
#include "system/file.h"
#include "temp_folder.h"
#include "test_paths.h"

namespace gls {
namespace {

std::string way_name(const testing::TestParamInfo<IoWay>& info) {
  return info.param == IoWay::kUring ? "Uring" : "Threads";
}

std::byte byte_at(uint64_t offset) {
  return static_cast<std::byte>((offset * 0x9e3779b97f4a7c15) >> 56);
}

class StorageTest : public testing::TestWithParam<IoWay> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<IoQueue>> queue = IoQueue::open({GetParam(), 16, 4});
    if (!queue.ok() && GetParam() == IoWay::kUring) {
      // The system forbids it. Users get threads then.
      Result<std::unique_ptr<IoQueue>> chosen = IoQueue::open({});
      ASSERT_TRUE(chosen.ok()) << chosen.status().message();
      ASSERT_EQ((*chosen)->way(), IoWay::kThreads);
      GTEST_SKIP() << queue.status().message();
    }
    ASSERT_TRUE(queue.ok()) << queue.status().message();
    queue_ = queue.take();
    ASSERT_EQ(queue_->way(), GetParam());
  }

  std::string write_file(uint64_t bytes) {
    const std::string path = folder_.path() + "/rows";
    std::vector<std::byte> data(bytes);
    for (uint64_t i = 0; i < bytes; ++i) {
      data[i] = byte_at(i);
    }
    Result<FileWriter> writer = FileWriter::create(path);
    EXPECT_TRUE(writer.ok());
    EXPECT_TRUE(writer->write(data).ok());
    EXPECT_TRUE(writer->close(false).ok());
    return path;
  }

  // Beside the plugins, as temporary files may be in memory, which has no disk to go past the
  // cache.
  test::TempFolder folder_{test::kPluginFolder};
  std::unique_ptr<IoQueue> queue_;
  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>(false, uint64_t{1} << 20);
};

TEST_P(StorageTest, ReadsAnyRangesAtOnce) {
  constexpr uint64_t kBytes = 300'000;
  Result<StorageFile> file = StorageFile::open(write_file(kBytes), false);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->size(), kBytes);
  std::mt19937_64 random(1);
  std::vector<IoRequest> requests(16);
  std::vector<std::vector<std::byte>> memory(16);
  size_t checked = 0;
  for (int i = 0; i < 500 || queue_->under_way() > 0;) {
    if (i < 500 && queue_->under_way() < queue_->depth()) {
      const auto slot = static_cast<size_t>(
          std::ranges::find_if(memory, [](const auto& m) { return m.empty(); }) - memory.begin());
      const uint64_t offset = random() % kBytes;
      const uint64_t bytes = 1 + random() % std::min<uint64_t>(kBytes - offset, 20'000);
      memory[slot].resize(bytes);
      requests[slot] = {IoRequest::Kind::kRead, &*file, offset, memory[slot].data(), bytes, slot};
      queue_->submit(requests[slot]);
      ++i;
      continue;
    }
    Result<IoResult> done = queue_->wait();
    ASSERT_TRUE(done.ok());
    ASSERT_TRUE(done->status.ok()) << done->status.message();
    const IoRequest& request = requests[done->tag];
    ASSERT_EQ(done->bytes, request.bytes);
    for (uint64_t b = 0; b < request.bytes; ++b) {
      ASSERT_EQ(request.data[b], byte_at(request.offset + b));
    }
    memory[done->tag].clear();
    ++checked;
  }
  EXPECT_EQ(checked, 500U);
}

TEST_P(StorageTest, SaysWhereAFileEnds) {
  Result<StorageFile> file = StorageFile::open(write_file(10'000), false);
  ASSERT_TRUE(file.ok());
  std::vector<std::byte> memory(8000);
  queue_->submit({IoRequest::Kind::kRead, &*file, 5000, memory.data(), 8000, 7});
  Result<IoResult> done = queue_->wait();
  ASSERT_TRUE(done.ok());
  EXPECT_TRUE(done->status.ok());
  EXPECT_EQ(done->bytes, 5000U);
  EXPECT_EQ(done->tag, 7U);
}

TEST_P(StorageTest, ReportsErrorsWithFileAndPlace) {
  // A file that may only be read.
  const std::string path = write_file(10'000);
  Result<StorageFile> file = StorageFile::open(path, false);
  ASSERT_TRUE(file.ok());
  std::vector<std::byte> memory(4096);
  queue_->submit({IoRequest::Kind::kWrite, &*file, 4096, memory.data(), 4096, 0});
  Result<IoResult> done = queue_->wait();
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status.code(), GLS_ERR_IO);
  EXPECT_NE(done->status.message().find("cannot write 4096 bytes at byte 4096 of"),
            std::string::npos)
      << done->status.message();
  EXPECT_TRUE(done->status.has("file", path)) << done->status.message();
}

TEST_P(StorageTest, WritesAndReadsUnnamedFiles) {
  Result<StorageFile> file = StorageFile::create_unnamed(folder_.path(), true);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  const PageBlock block(uint64_t{64} << 10, false);
  for (uint64_t i = 0; i < block.size(); ++i) {
    block.data()[i] = byte_at(i);
  }
  for (uint64_t i = 0; i < 16; ++i) {
    queue_->submit({IoRequest::Kind::kWrite, &*file, i * 4096, block.data() + i * 4096, 4096, i});
  }
  while (queue_->under_way() > 0) {
    Result<IoResult> done = queue_->wait();
    ASSERT_TRUE(done.ok() && done->status.ok()) << done->status.message();
  }
  const PageBlock read(block.size(), false);
  queue_->submit({IoRequest::Kind::kRead, &*file, 0, read.data(), read.size(), 0});
  Result<IoResult> done = queue_->wait();
  ASSERT_TRUE(done.ok() && done->status.ok());
  EXPECT_EQ(done->bytes, read.size());
  EXPECT_EQ(std::memcmp(read.data(), block.data(), read.size()), 0);
  file->discard(0, 8192);
  EXPECT_FALSE(StorageFile::create_unnamed(folder_.path() + "/missing", true).ok());
}

// Child processes must be able to leave a queue that the parent uses.
TEST_P(StorageTest, IsDestroyedInAForkedChild) {
  Result<StorageFile> file = StorageFile::open(write_file(100'000), false);
  ASSERT_TRUE(file.ok());
  std::vector<std::byte> memory(100'000);
  queue_->submit({IoRequest::Kind::kRead, &*file, 0, memory.data(), memory.size(), 0});
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    queue_.reset();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  Result<IoResult> done = queue_->wait();
  ASSERT_TRUE(done.ok() && done->status.ok());
  EXPECT_EQ(done->bytes, memory.size());
}

// Rows of all sizes, at all distances, direct or not.
TEST_P(StorageTest, ReadsRowsInTheOrderOfTheFile) {
  constexpr uint64_t kBytes = 2'000'003;
  const std::string path = write_file(kBytes);
  std::mt19937_64 random(2);
  for (int i = 0; i < 60; ++i) {
    Result<StorageFile> file = StorageFile::open(path, i % 2 == 0);
    ASSERT_TRUE(file.ok());
    const uint64_t row_bytes = std::array<uint64_t, 6>{1, 3, 512, 4096, 65536, 400}[random() % 6];
    const uint64_t offset = random() % 300;
    const uint64_t stride = row_bytes + (i % 4 == 0 ? random() % 50 : 0);
    const uint64_t count = (kBytes - offset - row_bytes) / stride + 1;
    std::vector<int64_t> rows;
    const uint64_t step = 1 + random() % 60;
    for (uint64_t row = random() % step; row < count && rows.size() < 5000;
         row += random() % (2 * step)) {
      rows.push_back(static_cast<int64_t>(row));
    }
    if (i % 3 == 0) {
      rows.push_back(static_cast<int64_t>(count - 1));
    }
    const RowReadOptions options = {random() % 10'000, 1 + random() % 200'000};
    size_t taken = 0;
    const RowFile in = {&*file, offset, row_bytes, stride};
    Result<RowReadStats> stats =
        read_rows(*queue_, *pool_, in, rows, options, random() % 100'000,
                  [&](size_t first, size_t n, const std::byte* data) {
                    EXPECT_EQ(first, taken);
                    taken += n;
                    for (size_t r = first; r < first + n; ++r) {
                      const auto away = static_cast<uint64_t>(rows[r] - rows[first]) * stride;
                      const uint64_t at = offset + static_cast<uint64_t>(rows[r]) * stride;
                      for (uint64_t b = 0; b < row_bytes; ++b) {
                        if (data[away + b] != byte_at(at + b)) {
                          return error(GLS_ERR_INTERNAL, "byte {} differs", at + b);
                        }
                      }
                    }
                    return Status();
                  });
    ASSERT_TRUE(stats.ok()) << stats.status().message();
    EXPECT_EQ(queue_->under_way(), 0U);
    EXPECT_EQ(taken, rows.size());
    EXPECT_LE(stats->requests, rows.size());
    const RowReadStats counted = count_reads(in, rows, options);
    EXPECT_EQ(counted.requests, stats->requests);
    EXPECT_EQ(counted.bytes, stats->bytes);
  }
}

TEST_P(StorageTest, ReadsCloseRowsTogether) {
  Result<StorageFile> file = StorageFile::open(write_file(1 << 20), false);
  ASSERT_TRUE(file.ok());
  std::vector<int64_t> rows(1000);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<int64_t>(2 * i);
  }
  const auto read = [&](const RowReadOptions& options) {
    return *read_rows(*queue_, *pool_, {&*file, 0, 100, 100}, rows, options, 1 << 20,
                      [](size_t, size_t, const std::byte*) { return Status(); });
  };
  EXPECT_EQ(read({99, 1 << 20}).requests, 1000U);
  EXPECT_EQ(read({99, 1 << 20}).bytes, 100'000U);
  EXPECT_EQ(read({100, 1 << 20}).requests, 1U);
  EXPECT_EQ(read({100, 1 << 20}).bytes, 199'900U);
  EXPECT_EQ(read({100, 50'000}).requests, 4U);
}

TEST_P(StorageTest, NamesAFileThatWasCutShort) {
  const std::string path = write_file(100'000);
  for (const bool direct : {false, true}) {
    Result<StorageFile> file = StorageFile::open(path, direct);
    ASSERT_TRUE(file.ok());
    std::filesystem::resize_file(path, 50'000);
    std::vector<int64_t> rows(1000);
    std::iota(rows.begin(), rows.end(), 0);
    Result<RowReadStats> stats =
        read_rows(*queue_, *pool_, {&*file, 0, 100, 100}, rows, {0, 20'000}, 40'000,
                  [](size_t, size_t, const std::byte*) { return Status(); });
    ASSERT_FALSE(stats.ok());
    EXPECT_EQ(stats.status().code(), GLS_ERR_CORRUPT_DATA) << stats.status().message();
    EXPECT_TRUE(stats.status().has("file", path));
    EXPECT_EQ(queue_->under_way(), 0U);
    std::filesystem::resize_file(path, 100'000);
  }
}

TEST_P(StorageTest, EndsWhenTheCallerFails) {
  Result<StorageFile> file = StorageFile::open(write_file(100'000), false);
  ASSERT_TRUE(file.ok());
  std::vector<int64_t> rows(100);
  std::iota(rows.begin(), rows.end(), 0);
  Result<RowReadStats> stats =
      read_rows(*queue_, *pool_, {&*file, 0, 1000}, rows, {0, 1000}, 1 << 20,
                [](size_t, size_t, const std::byte*) { return error(GLS_ERR_CANCELED, "enough"); });
  ASSERT_FALSE(stats.ok());
  EXPECT_EQ(stats.status().code(), GLS_ERR_CANCELED);
  EXPECT_EQ(queue_->under_way(), 0U);
}

TEST_P(StorageTest, MeasuresItsDisk) {
  const std::string path = write_file(uint64_t{4} << 20);
  Result<StorageFile> file = StorageFile::open(path, true);
  ASSERT_TRUE(file.ok());
  Result<DiskSpeed> speed = measure_disk(*queue_, *file);
  ASSERT_TRUE(speed.ok()) << speed.status().message();
  EXPECT_GT(speed->sequential, 0);
  ASSERT_FALSE(speed->random.empty());
  for (const DiskSpeed::Random& kind : speed->random) {
    EXPECT_GT(kind.per_second, 0);
    EXPECT_LE(kind.depth, queue_->depth());
  }
  EXPECT_GT(speed->seconds(1000, 4096), 0);
  EXPECT_LE(speed->seconds(10, 1 << 20), speed->seconds(1000, 1 << 20));
  std::filesystem::resize_file(path, 0);
  Result<StorageFile> empty = StorageFile::open(path, true);
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(measure_disk(*queue_, *empty).status().code(), GLS_ERR_INVALID_ARGUMENT);
}

TEST(DiskSpeed, ChoosesTheBestDepthAndNeverPassesTheStream) {
  DiskSpeed speed;
  speed.sequential = 1000;
  speed.random = {{10, 1, 5}, {10, 32, 50}, {100, 8, 20}};
  EXPECT_DOUBLE_EQ(speed.seconds(100, 10), 2);      // 50 reads per second
  EXPECT_DOUBLE_EQ(speed.seconds(100, 60), 6);      // longer than 10: 20 reads, but 1,000 bytes
  EXPECT_DOUBLE_EQ(speed.seconds(100, 1000), 100);  // longer than any: as the stream
  EXPECT_EQ(speed.largest_gap(), 20U);              // bytes of the stream in the time of a read
}

INSTANTIATE_TEST_SUITE_P(Ways, StorageTest, testing::Values(IoWay::kUring, IoWay::kThreads),
                         way_name);

TEST(IoQueue, GoesOnWithThreadsWhereRingsAreForbidden) {
  const pid_t child = fork();
  if (child == 0) {
    // A ring needs a file descriptor; threads need none.
    const rlimit none = {3, 3};
    setrlimit(RLIMIT_NOFILE, &none);
    Result<std::unique_ptr<IoQueue>> queue = IoQueue::open({});
    const bool right = queue.ok() && (*queue)->way() == IoWay::kThreads &&
                       !IoQueue::open({IoWay::kUring, 8, 1}).ok();
    queue = std::unique_ptr<IoQueue>();
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gls
