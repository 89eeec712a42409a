// Files that are read before somebody looks at them.
#include "system/read_ahead.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace gls::test {
namespace {

// 16 MiB in a file, mapped, of which nothing is in memory.
class ColdFile {
 public:
  static constexpr uint64_t kBytes = uint64_t{16} << 20;
  ColdFile() : file_(open(".", O_TMPFILE | O_RDWR, 0600)) {
    const std::vector<char> bytes(kBytes, 'x');
    if (file_ < 0 || write(file_, bytes.data(), kBytes) != static_cast<ssize_t>(kBytes) ||
        fsync(file_) != 0 || posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED) != 0) {
      return;
    }
    map_ = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, file_, 0);
    if (map_ != MAP_FAILED) {
      madvise(map_, kBytes, MADV_RANDOM);
    }
  }
  ~ColdFile() {
    if (map_ != MAP_FAILED) {
      munmap(map_, kBytes);
    }
    close(file_);
  }
  ColdFile(const ColdFile&) = delete;
  ColdFile& operator=(const ColdFile&) = delete;

  // A file system in memory has no others.
  bool is_cold() const { return map_ != MAP_FAILED && !is_in_memory(data() + kBytes / 2); }
  const char* data() const { return static_cast<const char*>(map_); }

 private:
  int file_;
  void* map_ = MAP_FAILED;
};

bool comes(const char* page) {
  for (int i = 0; i < 1000 && !is_in_memory(page); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return is_in_memory(page);
}

TEST(ReadAhead, ReadsWhatFollows) {
  const ColdFile file;
  if (!file.is_cold()) {
    GTEST_SKIP() << "files here are always in memory";
  }
  ReadAhead ahead(file.data() + 100, ColdFile::kBytes - 100);
  ahead.reach(1);
  EXPECT_TRUE(comes(file.data()));
  EXPECT_TRUE(comes(file.data() + ColdFile::kBytes / 2));
  EXPECT_TRUE(comes(file.data() + ColdFile::kBytes - 1));
  ahead.reach(ColdFile::kBytes);
}

TEST(ReadAhead, ReadsAPart) {
  const ColdFile file;
  if (!file.is_cold()) {
    GTEST_SKIP() << "files here are always in memory";
  }
  will_read(file.data() + 100000, 50000);
  EXPECT_TRUE(comes(file.data() + 100000));
  EXPECT_TRUE(comes(file.data() + 149999));
  EXPECT_FALSE(is_in_memory(file.data() + ColdFile::kBytes / 2));
  read_all(file.data() + 1, ColdFile::kBytes - 1);
  EXPECT_TRUE(is_in_memory(file.data() + ColdFile::kBytes / 2));
  EXPECT_TRUE(is_in_memory(file.data() + ColdFile::kBytes - 1));
}

TEST(ReadAhead, LeavesOtherMemoryAlone) {
  const std::vector<char> memory(100000, 'x');
  EXPECT_TRUE(is_in_memory(memory.data()));
  will_read(memory.data() + 3, memory.size() - 3);
  read_all(memory.data(), memory.size());
  read_all(memory.data(), 0);
  ReadAhead ahead(memory.data(), memory.size());
  ahead.reach(memory.size());
  ReadAhead none(nullptr, 0);
  none.reach(0);
}

}  // namespace
}  // namespace gls::test
