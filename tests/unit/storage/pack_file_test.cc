// Packs come back as they were written, in both ways of reading, and a full disk is an error.
#include "storage/pack_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <vector>

#include "random_numbers.h"
#include "storage/spill_memory.h"
#include "temp_folder.h"

namespace gls::test {
namespace {

class PackFileTest : public testing::TestWithParam<IoWay> {
 protected:
  std::unique_ptr<IoQueue> open_queue() {
    auto queue = IoQueue::open({GetParam(), 16, 4});
    EXPECT_TRUE(queue.ok()) << queue.status().message();
    return queue.take();
  }

  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>(false, 1 << 20);
  TempFolder folder_;
};

std::vector<std::byte> content_of(size_t pack, uint64_t bytes) {
  std::vector<std::byte> out(bytes);
  for (uint64_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<std::byte>((pack * 31 + i * 7 + i / 253) & 0xff);
  }
  return out;
}

TEST_P(PackFileTest, GivesBackWhatWasWritten) {
  const auto writes = open_queue();
  const auto reads = open_queue();
  for (uint64_t number = 0; number < 30; ++number) {
    SCOPED_TRACE(number);
    Numbers random(number);
    std::vector<uint64_t> bytes;
    for (int64_t i = random.below(40); i >= 0; --i) {
      bytes.push_back(static_cast<uint64_t>(
          random.one_of<int64_t>({0, 1, 64, 4095, 4096, 4097, random.below(300'000)})));
    }
    auto file = PackFile::create(folder_.path(), bytes);
    ASSERT_TRUE(file.ok()) << file.status().message();
    {
      PackWriter writer(**file, *writes, *pool_, static_cast<uint64_t>(random.below(1 << 21)));
      std::vector<uint64_t> done(bytes.size());
      for (bool more = true; more;) {
        more = false;
        for (size_t pack = 0; pack < bytes.size(); ++pack) {
          const uint64_t left = bytes[pack] - done[pack];
          const uint64_t now = std::min(left, static_cast<uint64_t>(1 + random.below(20'000)));
          const auto content = content_of(pack, bytes[pack]);
          ASSERT_TRUE(writer.append(pack, content.data() + done[pack], now).ok());
          done[pack] += now;
          more = more || done[pack] < bytes[pack];
        }
      }
      const Status status = writer.finish();
      ASSERT_TRUE(status.ok()) << status.message();
    }
    for (size_t pack = 0; pack < bytes.size(); ++pack) {
      const Buffer memory = pool_->acquire((*file)->memory_bytes(pack) + 1);
      ASSERT_TRUE((*file)->read(*reads, pack, memory.as<>()).ok());
      const auto content = content_of(pack, bytes[pack]);
      EXPECT_TRUE(std::equal(content.begin(), content.end(), memory.as<>())) << pack;
      (*file)->discard(pack);
    }
  }
  EXPECT_TRUE(folder_.names().empty());  // the files have no names
}

// A limit on the size of files stands for a disk without space.
TEST_P(PackFileTest, NoSpaceIsAnErrorFromTheStart) {
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {100'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  auto file = PackFile::create(folder_.path(), std::vector<uint64_t>{50'000, 90'000});
  SpillMemory memory(folder_.path());
  EXPECT_THROW(static_cast<void>(memory.take<std::byte>(400'000)), std::bad_alloc);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), GLS_ERR_IO);
  EXPECT_NE(file.status().message().find(folder_.path()), std::string::npos);
}

TEST(SpillMemory, HoldsWhatIsWritten) {
  TempFolder folder;
  for (const std::string& path : {std::string(), folder.path()}) {
    SpillMemory memory(path);
    std::vector<std::span<uint64_t>> taken;
    for (size_t i = 0; i < 200; ++i) {
      taken.push_back(memory.take<uint64_t>(i * 97 % 5000));
      std::fill(taken.back().begin(), taken.back().end(), i);
    }
    taken.push_back(memory.take<uint64_t>(3'000'000));
    std::fill(taken.back().begin(), taken.back().end(), 200);
    for (size_t i = 0; i < taken.size(); ++i) {
      EXPECT_EQ(std::count(taken[i].begin(), taken[i].end(), i),
                static_cast<ptrdiff_t>(taken[i].size()));
    }
  }
  EXPECT_TRUE(folder.names().empty());
}

INSTANTIATE_TEST_SUITE_P(Ways, PackFileTest, testing::Values(IoWay::kUring, IoWay::kThreads));

}  // namespace
}  // namespace gls::test
