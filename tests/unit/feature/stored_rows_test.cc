// What is read of a file for rows that are wanted of it, and which file it is.
#include "feature/stored_rows.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <random>
#include <thread>

#include "file_rows.h"
#include "shop_graph.h"
#include "system/mapped_ranges.h"

namespace gls::test {
namespace {

constexpr uint64_t kBlock = device::kFileBlock;

TEST(StoredRowsPlan, ReadsEachBlockOnce) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    RowsInFile in;
    in.row_bytes = 1 + random() % (round % 2 == 0 ? 64 : 9000);
    in.stride = in.row_bytes + random() % 3;
    in.offset = random() % 9000;
    const auto count = static_cast<int64_t>(1 + random() % 400);
    in.file_size = in.offset + static_cast<uint64_t>(count - 1) * in.stride + in.row_bytes;
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < count; ++row) {
      if (random() % 3 == 0 || row == count - 1) {
        rows.push_back(row);
      }
    }
    PieceLimits limits;
    limits.bytes = (8 + random() % 40) * kBlock;
    limits.rows = 1 + random() % 100;
    limits.part = (1 + random() % 4) * kBlock;
    for (std::span<const int64_t> left = rows; !left.empty();) {
      const PieceOfRows piece = plan_piece(in, left, limits);
      ASSERT_GT(piece.places.size(), 0u);
      ASSERT_LE(piece.places.size(), std::min(limits.rows, left.size()));
      uint64_t file_end = 0;
      uint64_t place_end = 0;
      for (const device::FilePart& part : piece.parts) {
        ASSERT_GT(part.bytes, 0u);
        ASSERT_LE(part.bytes, limits.part);
        ASSERT_EQ(part.from % kBlock + part.to % kBlock, 0u);
        ASSERT_TRUE(part.bytes % kBlock == 0 || part.from + part.bytes == in.file_size);
        ASSERT_GE(part.from, file_end);
        ASSERT_EQ(part.to, place_end);
        file_end = part.from + part.bytes;
        place_end = part.to + (part.bytes + kBlock - 1) / kBlock * kBlock;
        ASSERT_LE(part.to + part.bytes, limits.bytes);
      }
      for (size_t i = 0; i < piece.places.size(); ++i) {
        const uint64_t begin = in.offset + static_cast<uint64_t>(left[i]) * in.stride;
        const auto place = static_cast<uint64_t>(piece.places[i]);
        for (const uint64_t byte : {uint64_t{0}, in.row_bytes / 2, in.row_bytes - 1}) {
          const auto part = std::find_if(
              piece.parts.begin(), piece.parts.end(), [&](const device::FilePart& one) {
                return one.to <= place + byte && place + byte < one.to + one.bytes;
              });
          ASSERT_NE(part, piece.parts.end());
          ASSERT_EQ(part->from + (place + byte - part->to), begin + byte);
        }
      }
      left = left.subspan(piece.places.size());
    }
  }
}

TEST(StoredRowsPlan, PutsRowsInOrder) {
  std::vector<int64_t> rows = {7, 3, 7, 100, 0, 3};
  std::vector<int64_t> places = {0, -1, 1, 2, -5, 3, 4, 5};
  put_in_order(&rows, &places);
  EXPECT_EQ(rows, (std::vector<int64_t>{0, 3, 7, 100}));
  EXPECT_EQ(places, (std::vector<int64_t>{2, -1, 1, 2, -5, 3, 0, 1}));
}

TEST(StoredRowsPlan, KnowsWhatIsMapped) {
  Folder folder;
  const std::string path = folder.next();
  std::optional<MappedRange> found;
  const std::byte* data = nullptr;
  {
    const Tensor rows = in_file(rows_of<uint8_t>(kUint8, 100, {7}, 1), path, 50);
    data = rows.data();
    found = find_mapped(data, 700);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->path, path);
    EXPECT_EQ(found->size, 750u);
    EXPECT_EQ(found->offset, 50u);
    EXPECT_EQ(find_mapped(data + 7, 693)->offset, 57u);
    EXPECT_FALSE(find_mapped(data, 701).has_value());
    EXPECT_FALSE(find_mapped(&folder, 1).has_value());
  }
  EXPECT_FALSE(find_mapped(data, 1).has_value());
}

TEST(StoredRowsPlan, KnowsWhereAFileIsFromElsewhere) {
  Folder folder;
  const std::filesystem::path path = folder.next();
  const std::filesystem::path old = std::filesystem::current_path();
  std::filesystem::current_path(path.parent_path());
  const Tensor rows = in_file(rows_of<uint8_t>(kUint8, 100, {7}, 1), path.filename().string(), 50);
  std::filesystem::current_path(old);
  const auto found = find_mapped(rows.data(), 700);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, std::filesystem::canonical(path).string());
}

TEST(StoredRowsPlan, KnowsWhatIsMappedAfterAFork) {
  std::atomic<bool> end{false};
  std::thread other([&] {
    while (!end) {
      note_mapped(&end, {"somewhere", 0, 0, 1});
    }
  });
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      forget_mapped(&end);
      _exit(find_mapped(&end, 1).has_value() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  end = true;
  other.join();
  forget_mapped(&end);
}

}  // namespace
}  // namespace gls::test
