// The parts of feeds that have no process at the other end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <iterator>
#include <map>
#include <optional>
#include <random>

#include "batch_equal.h"
#include "feed/shared_memory.h"
#include "feed/slot.h"
#include "feed/wire.h"
#include "loader/batch_layout.h"
#include "loader/pipeline/loader.h"
#include "loader/seeds/epoch_plan.h"
#include "test_graph.h"

namespace gls {
namespace {

using test::expect_same;
using test::tensor_of;

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

TEST(Slot, GoesBackOnceNobodyHasItUnlessItWasSent) {
  const auto signal = std::make_shared<ConsumerSignal>();
  const auto returns = std::make_shared<Returns>(signal);
  const std::shared_ptr<SharedMemory> memory = SharedMemory::create(4096).take();
  auto slot = std::make_shared<Slot>(memory, returns);
  slot.reset();  // had no block
  EXPECT_TRUE(returns->take().empty());
  slot = std::make_shared<Slot>(memory, returns);
  slot->set_block(128);
  SharedBytes part = slot->at(64);
  EXPECT_EQ(part.get(), memory->data() + 192);
  slot.reset();
  EXPECT_TRUE(returns->take().empty());  // somebody may write to a part of it
  part.reset();
  EXPECT_EQ(returns->take(), std::list<uint64_t>{128});
  slot = std::make_shared<Slot>(memory, returns);
  slot->set_block(256);
  slot->set_sent();
  slot.reset();
  EXPECT_TRUE(returns->take().empty());
}

// Columns of all kinds that lie in memory from others than the pool: what a batch is said to need
// before they are gathered is what it needs, and it is the batch that the loader gives otherwise.
TEST(Slot, IsWhereColumnsAreGathered) {
  const auto context = test::make_context();
  test::TestGraph graph;
  constexpr int64_t kNodes = 300;
  graph.nodes = {{"node", kNodes}};
  graph.edges = {{"node__to__node", {}, {}, {}, {}}};
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int64_t i = 1; i <= 5; ++i) {
      graph.edges[0].source.push_back((v + i) % kNodes);
      graph.edges[0].target.push_back(v);
    }
  }
  const auto plain = test::make_dataset(context, graph);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  std::mt19937_64 random(3);
  const auto numbers = [&](DLDataType dtype, int64_t rows, std::vector<int64_t> row) {
    row.insert(row.begin(), rows);
    std::vector<uint8_t> bytes(static_cast<size_t>(rows) * 64);
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(random() % 100);
    }
    const Tensor flat = tensor_of(bytes, kUint8);
    return Tensor(flat.owner(), flat.data(), dtype, std::move(row));
  };
  auto codebook = Codebook::create(4, 7, Codebook::even_values(4, -1, 1).take()).take();
  nodes[0].columns = {
      {"x", GLS_ROLE_FEATURE, numbers(kFloat32, kNodes, {3, 5})},
      {"half", GLS_ROLE_FEATURE, numbers(kFloat16, kNodes, {7})},
      {"none", GLS_ROLE_FEATURE, numbers(kFloat32, kNodes, {0})},
      {"y", GLS_ROLE_LABEL, numbers(kInt64, kNodes, {})},
      Column::of_codes("codes", GLS_ROLE_FEATURE,
                       numbers(kUint8, kNodes, {codebook->packed_width()}), codebook),
  };
  edges[0].columns = {{"e", GLS_ROLE_FEATURE, numbers(kUint8, 5 * kNodes, {13})}};
  const auto dataset = Dataset::create(context, std::move(nodes), std::move(edges)).take();
  SamplerOptions sampling;
  sampling.num_hops = 2;
  sampling.fanouts = {{3, 2}};
  sampling.edge_ids = true;
  const std::shared_ptr<const Sampler> sampler = Sampler::create(dataset, sampling).take();
  for (const bool pad : {false, true}) {
    LoaderOptions options;
    options.plan.batch_size = 32;
    options.columns = default_columns(*sampler);
    options.columns[1].dtype = kFloat32;
    if (pad) {
      options.pad.emplace();
    }
    const auto loader = Loader::create(sampler, Tensor(), options).take();
    Loader::Share share;
    share.prefetch = 2;
    share.columns_later = true;
    const auto later = loader->share(share);
    ASSERT_TRUE(later->columns_later());
    for (uint64_t number = 0; number < 9; ++number) {
      std::shared_ptr<Batch> batch;
      auto next = later->next(-1, &batch);
      ASSERT_TRUE(next.ok()) << next.status().message();
      auto layout = lay_out(*batch);
      ASSERT_TRUE(layout.ok());
      const auto memory = SharedMemory::create(layout->bytes).take();
      std::fill_n(memory->data(), layout->bytes, std::byte{0xee});
      const auto returns = std::make_shared<Returns>(std::make_shared<ConsumerSignal>());
      const auto slot = std::make_shared<Slot>(memory, returns);
      slot->set_block(0);
      std::vector<SharedBytes> places;
      for (size_t c = 0; c < options.columns.size(); ++c) {
        EXPECT_EQ(batch->columns[c].data.data(), nullptr);
        places.push_back(slot->at(layout->places[layout->first_column + c].offset));
      }
      ASSERT_TRUE(later->gather_to(places, batch.get()).ok());
      const auto expected = loader->sample(0, number).take();
      expect_same(*batch, *expected);
      uint64_t gathered = 0;
      for (size_t c = 0; c < places.size(); ++c) {
        EXPECT_EQ(batch->columns[c].data.data(), places[c].get());
        EXPECT_GE(places[c].get(), memory->data());
        EXPECT_LT(places[c].get(), memory->data() + memory->size());
        gathered += batch->columns[c].data.span_bytes();
      }
      const auto whole = lay_out(*expected).take();
      EXPECT_EQ(whole.bytes, layout->bytes);
      EXPECT_EQ(layout->copied_bytes() + gathered, whole.copied_bytes());
      layout->set_gather_ns(77);
      write_batch(*layout, slot->data());
      const std::span block(memory->data(), layout->bytes);
      auto read = read_batch(layout->description, block, memory, dataset);
      ASSERT_TRUE(read.ok()) << read.status().message();
      expect_same(**read, *expected);
      EXPECT_EQ((*read)->gather_ns, 77U);
      // Nothing of what was there is left.
      std::vector<std::byte> other(whole.bytes);
      write_batch(whole, other.data());
      EXPECT_TRUE(std::equal(block.begin() + static_cast<ptrdiff_t>(layout->description.size()),
                             block.end(),
                             other.begin() + static_cast<ptrdiff_t>(layout->description.size())));
    }
  }
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
