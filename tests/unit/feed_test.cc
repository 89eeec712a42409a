// The parts of feeds that have no process at the other end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <iterator>
#include <map>
#include <optional>
#include <random>

#include "feed/shared_memory.h"
#include "feed/wire.h"
#include "loader/epoch_plan.h"

namespace gls {
namespace {

TEST(Arena, GivesBlocksThatDoNotOverlapAndMergesWhatComesBack) {
  constexpr uint64_t kBegin = 128;
  constexpr uint64_t kEnd = 128 + 64 * 100;
  Arena arena(kBegin, kEnd);
  std::mt19937_64 random(7);
  std::map<uint64_t, uint64_t> held;
  uint64_t sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bytes = 64 * (1 + random() % 20);
    const std::optional<uint64_t> offset =
        random() % 2 == 0 ? arena.take(bytes) : std::optional<uint64_t>();
    if (offset.has_value()) {
      ASSERT_GE(*offset, kBegin);
      ASSERT_LE(*offset + bytes, kEnd);
      const auto [it, fresh] = held.emplace(*offset, bytes);
      ASSERT_TRUE(fresh);
      ASSERT_TRUE(std::next(it) == held.end() || *offset + bytes <= std::next(it)->first);
      ASSERT_TRUE(it == held.begin() || std::prev(it)->first + std::prev(it)->second <= *offset);
      sum += bytes;
    } else if (!held.empty()) {
      const auto it = std::next(held.begin(), static_cast<ptrdiff_t>(random() % held.size()));
      ASSERT_TRUE(arena.give_back(it->first));
      ASSERT_FALSE(arena.give_back(it->first));
      sum -= it->second;
      held.erase(it);
    }
    ASSERT_EQ(arena.used(), sum);
  }
  for (const auto& [offset, bytes] : held) {
    ASSERT_TRUE(arena.give_back(offset));
  }
  EXPECT_EQ(arena.take(kEnd - kBegin), kBegin);
  EXPECT_EQ(arena.take(64), std::nullopt);
}

TEST(SharedMemory, CanNeitherShrinkNorBeWrittenByOthers) {
  auto made = SharedMemory::create(4096);
  ASSERT_TRUE(made.ok());
  const SharedMemory& own = **made;
  own.data()[7] = std::byte{5};
  EXPECT_NE(ftruncate(own.fd(), 0), 0);
  auto read = SharedMemory::map(Fd(dup(own.fd())), 4096);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ((*read)->data()[7], std::byte{5});
  EXPECT_EQ(SharedMemory::map(Fd(dup(own.fd())), 8192).status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(SharedMemory::map(Fd(), 4096).status().code(), GLS_ERR_CORRUPT_DATA);
}

TEST(FeedErrors, ComeThroughWithTheirDetails) {
  const Status sent = corrupt("row {} is damaged", 7).with("file", "x.npy").with("offset", "7");
  const Status got = unpack_error(static_cast<uint64_t>(int64_t{sent.code()}), pack_error(sent));
  EXPECT_EQ(got.code(), sent.code());
  EXPECT_EQ(got.message(), sent.message());
  ASSERT_NE(got.detail("offset"), nullptr);
  EXPECT_EQ(*got.detail("file"), "x.npy");
  EXPECT_EQ(*got.detail("offset"), "7");
  EXPECT_EQ(unpack_error(3, "what").code(), GLS_ERR_INTERNAL);
}

// Part `f` of `m` parts of a trainer's steps: put together they are the trainer's.
TEST(EpochPlan, PartsMakeUpTheSteps) {
  for (const Even even : {Even::kNone, Even::kDrop, Even::kRepeat}) {
    for (uint64_t first = 0; first < 25; first += 6) {
      PlanOptions options;
      options.num_seeds = 241;
      options.batch_size = 10;
      options.world_size = 3;
      options.rank = 1;
      options.even = even;
      const EpochPlan whole(options, 1, 2, first);
      options.parts = 4;
      uint64_t steps = 0;
      for (options.part = 0; options.part < options.parts; ++options.part) {
        const EpochPlan part(options, 1, 2, first);
        steps += part.steps();
        for (uint64_t k = 0; k < part.steps(); ++k) {
          const uint64_t step = k * options.parts + options.part;
          ASSERT_LT(step, whole.steps());
          EXPECT_EQ(part.batch(k), whole.batch(step));
        }
      }
      EXPECT_EQ(steps, whole.steps());
    }
  }
}

}  // namespace
}  // namespace gls
