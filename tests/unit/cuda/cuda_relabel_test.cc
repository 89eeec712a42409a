// Relabelling by itself: tables of both forms, keys that no graph of a test has, and orders of
// threads in which a place is taken from one that had it. Kernels run on this processor, see
// tests/cuda_on_host, or on a GPU, see tests/cuda_on_gpu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/kernels/relabel.h"
#include "cuda/methods/walk.h"
#include "random_numbers.h"
#include "sanitized.h"

namespace gls::test {
namespace {

class ShuffledThreads {
 public:
  explicit ShuffledThreads(uint64_t seed) {
    setenv("CUDA_ON_HOST_SHUFFLE", std::to_string(seed).c_str(), 1);
  }
  ~ShuffledThreads() { unsetenv("CUDA_ON_HOST_SHUFFLE"); }
  ShuffledThreads(const ShuffledThreads&) = delete;
  ShuffledThreads& operator=(const ShuffledThreads&) = delete;
};

struct Memory {
  void* data = nullptr;
  explicit Memory(uint64_t bytes) { EXPECT_EQ(cudaMalloc(&data, bytes), cudaSuccess); }
  ~Memory() { cudaFree(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

// Nodes of a batch, and what a processor makes of them.
class Numbering {
 public:
  Numbering(uint64_t num_nodes, bool trees, bool packed, int64_t most)
      : num_nodes_(num_nodes),
        trees_(trees),
        packed_(packed),
        ids_(static_cast<size_t>(most)),
        tree_of_(static_cast<size_t>(most)) {
    grow(1);
  }

  // A larger table has the nodes that there are.
  void grow(int64_t most) {
    const uint64_t slots = cuda::table_slots(most);
    table_memory_ = std::make_unique<Memory>(cuda::table_bytes(slots, packed_));
    table_ = {table_memory_->data, slots, packed_};
    EXPECT_EQ(cuda::clear_table(table_, nullptr), cudaSuccess);
    EXPECT_EQ(cuda::enter_nodes(table_, nodes(), count(), nullptr), cudaSuccess);
  }

  void expect_same(const std::vector<int64_t>& ids, const std::vector<int64_t>& trees) {
    const auto most = static_cast<int64_t>(ids.size());
    std::vector<int64_t> local(ids.size() + 2, -7);
    const std::vector<int64_t> count_and_from = {most, 1};
    const Memory scratch(cuda::relabel_bytes(most));
    const cuda::RelabelWork work = {{ids.data(), true},    {trees_ ? trees.data() : nullptr, true},
                                    count_and_from.data(), most,
                                    {local.data(), true},  count_and_from.data() + 1,
                                    scratch.data};
    ASSERT_EQ(cuda::relabel(table_, nodes(), work, nullptr), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    std::vector<int64_t> expected = {-7};
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto [at, is_new] =
          numbers_.try_emplace({trees_ ? trees[i] : 0, ids[i]}, std::ssize(expected_ids_));
      if (is_new) {
        expected_ids_.push_back(ids[i]);
        expected_trees_.push_back(trees[i]);
      }
      expected.push_back(at->second);
    }
    expected.push_back(-7);
    EXPECT_EQ(local, expected);
    ASSERT_EQ(count(), std::ssize(expected_ids_));
    EXPECT_TRUE(std::equal(expected_ids_.begin(), expected_ids_.end(), ids_.begin()));
    if (trees_) {
      EXPECT_TRUE(std::equal(expected_trees_.begin(), expected_trees_.end(), tree_of_.begin()));
    }
  }
  int64_t count() const { return count_[0]; }

 private:
  cuda::NumberedNodes nodes() {
    return {
        count_.data(), {ids_.data(), true}, {trees_ ? tree_of_.data() : nullptr, true}, num_nodes_};
  }

  const uint64_t num_nodes_;
  const bool trees_;
  const bool packed_;
  std::vector<int64_t> ids_;
  std::vector<int64_t> tree_of_;
  std::vector<int64_t> count_{0};  // not on a stack, which a GPU cannot read
  std::unique_ptr<Memory> table_memory_;
  cuda::RelabelTable table_{};
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers_;
  std::vector<int64_t> expected_ids_;
  std::vector<int64_t> expected_trees_;
};

// A few nodes are most of those that are met, and the largest keys there can be are among them.
void expect_same_numbers(bool packed, bool trees, uint64_t seed) {
  constexpr int64_t kTrees = 5;
  constexpr int64_t kMostKeys = 0xffffffff;
  static_assert(kMostKeys % kTrees == 0);
  const int64_t num_nodes = packed ? kMostKeys / (trees ? kTrees : 1) : int64_t{1} << 40;
  Numbers random(seed);
  Numbering numbering(static_cast<uint64_t>(num_nodes), trees, packed, 1 << 16);
  int64_t met = 0;
  for (const int64_t count : {1, 40, 700, 3000, 5000}) {
    std::vector<int64_t> ids;
    std::vector<int64_t> tree_of;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t id = random.coin() ? random.below(6) : random.below(count);
      ids.push_back(random.coin() ? id : num_nodes - 1 - id);
      tree_of.push_back(random.below(kTrees));
    }
    met += count;
    numbering.grow(met);
    numbering.expect_same(ids, tree_of);
  }
  EXPECT_GT(numbering.count(), 1000);
  EXPECT_LT(numbering.count(), met);
}

TEST(CudaRelabel, NumbersAsAProcessorDoes) {
  for (uint64_t seed = 0; seed < 8; seed += kEvery) {
    const ShuffledThreads shuffled(seed);
    for (const bool packed : {false, true}) {
      for (const bool trees : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << "seed " << seed << " packed " << packed << " trees " << trees);
        expect_same_numbers(packed, trees, seed);
      }
    }
  }
}

TEST(CudaRelabel, PacksWhatFits) {
  EXPECT_TRUE(cuda::fits_packed(0xffffffffu));  // the largest key is one less
  EXPECT_FALSE(cuda::fits_packed(uint64_t{1} << 32));
  EXPECT_EQ(cuda::table_bytes(1024, true), 1024 * 8);
  EXPECT_EQ(cuda::table_bytes(1024, false), 1024 * 12);
}

// Blocks have parts of many tiles where there are very many numbers: here they are told of fewer,
// so that they are few blocks.
TEST(CudaScan, GoesOverLongParts) {
  constexpr int64_t kMost = 30000;
  for (const int64_t count : {int64_t{0}, int64_t{1}, int64_t{255}, int64_t{2100}, kMost}) {
    for (const int64_t told : {1, 700, 3000}) {
      SCOPED_TRACE(testing::Message() << count << " numbers, blocks for " << told);
      Numbers random(static_cast<uint64_t>(count + told));
      std::vector<int64_t> ids(kMost);
      std::vector<int64_t> expected;
      std::vector<int64_t> expected_places;
      for (int64_t i = 0; i < kMost; ++i) {
        ids[static_cast<size_t>(i)] = random.one_in(3) ? -1 : random.below(1000);
        if (i < count && ids[static_cast<size_t>(i)] >= 0) {
          expected.push_back(ids[static_cast<size_t>(i)]);
          expected_places.push_back(i);
        }
      }
      const std::vector<int64_t> types = {0};
      const std::vector<int64_t> all = {count};
      std::vector<int64_t> found = {-1};
      std::vector<int64_t> out(expected.size(), -1);
      std::vector<int64_t> places(expected.size(), -1);
      const Memory sums(cuda::collect_bytes());
      cuda::WalkedNodes nodes = {};
      nodes.walks = {ids.data(), true};
      nodes.count = told;
      nodes.columns = 1;
      nodes.types = types.data();
      nodes.all = all.data();
      nodes.ids = {out.data(), true};
      nodes.places = places.data();
      nodes.found = found.data();
      nodes.sums = sums.data;
      ASSERT_EQ(cuda::collect_walked(nodes, nullptr), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
      EXPECT_EQ(found[0], std::ssize(expected));
      EXPECT_EQ(out, expected);
      EXPECT_EQ(places, expected_places);
    }
  }
}

TEST(CudaLaunch, RefusesNoBlocks) {
  EXPECT_EQ(cuda::take_at({}, nullptr, 0, {}, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace gls::test
