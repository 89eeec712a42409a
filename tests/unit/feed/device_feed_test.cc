// Feeds whose memory a GPU has pinned: on the emulated runtime, or on a GPU (test_device.h).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "batch_equal.h"
#include "device/memory/transfer.h"
#include "feed/feed.h"
#include "feed/feed_loader.h"
#include "held_gpu.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// Memory of feeds that this process can only read: where it begins, and its bytes.
std::vector<std::pair<void*, uint64_t>> attached_memory() {
  std::vector<std::pair<void*, uint64_t>> out;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char mode[5] = {};
    if (line.find("memfd:gls-feed") != std::string::npos &&
        std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, mode) == 3 &&
        std::string(mode) == "r--s") {
      out.emplace_back(reinterpret_cast<void*>(begin), end - begin);
    }
  }
  return out;
}

// Memory is pinned once at most.
bool is_pinned(const Device& device, void* memory, uint64_t bytes) {
  const void* seen = nullptr;
  device::GpuError why;
  if (device.gpu().pin(memory, bytes, &seen, &why)) {
    device.gpu().unpin(memory);
    return false;
  }
  return true;
}

// Not every driver pins memory that a process can only read (decision 0058).
bool pins_what_is_only_read(const Device& device) {
  constexpr uint64_t kBytes = 4096;
  const int file = memfd_create("read only", MFD_CLOEXEC);
  void* const map = file >= 0 && ftruncate(file, kBytes) == 0
                        ? mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, file, 0)
                        : MAP_FAILED;
  EXPECT_NE(map, MAP_FAILED);
  const void* seen = nullptr;
  device::GpuError why;
  const bool pins = device.gpu().pin(map, kBytes, &seen, &why);
  if (pins) {
    device.gpu().unpin(map);
  }
  munmap(map, kBytes);
  close(file);
  return pins;
}

class DeviceFeed : public testing::Test {
 protected:
  void SetUp() override {
    choose_device_plugin();
    GLS_NEEDS_DEVICE();
    unsetenv("CUDA_ON_HOST_NO_PINNING");
    auto device = Device::open(0);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = device.take();
    if (!pins_what_is_only_read(*device_)) {
      ASSERT_TRUE(on_gpu());
      GTEST_SKIP() << "no GPU: this one pins no memory that can only be read";
    }
    TestGraph graph;
    constexpr int64_t kNodes = 100;
    graph.nodes = {{"node", kNodes}};
    graph.edges = {{"node__to__node", {}, {}, {}, {}}};
    std::vector<float> x;
    for (int64_t v = 0; v < kNodes; ++v) {
      graph.edges[0].source.push_back((v + 1) % kNodes);
      graph.edges[0].target.push_back(v);
      x.push_back(static_cast<float>(v));
    }
    const auto plain = make_dataset(context_, graph);
    std::vector<NodeType> nodes = plain->node_types();
    std::vector<EdgeType> edges = plain->edge_types();
    nodes[0].columns.push_back({"x", GLS_ROLE_FEATURE, tensor_of(x, kFloat32)});
    const auto dataset = Dataset::create(context_, std::move(nodes), std::move(edges)).take();
    SamplerOptions sampling;
    sampling.num_hops = 1;
    sampling.fanouts = {{1}};
    const std::shared_ptr<const Sampler> sampler = Sampler::create(dataset, sampling).take();
    LoaderOptions options;
    options.plan.batch_size = 20;
    options.columns = default_columns(*sampler);
    loader_ = Loader::create(sampler, Tensor(), options).take();
    FeedOptions feeding;
    feeding.path = path_;
    feeding.bytes = 1 << 20;
    feed_ = Feed::create(loader_, feeding).take();
    attach_.paths = {path_};
    attach_.pin = device_;
  }

  // From now on memory is pinned by this.
  HeldGpu& hold() {
    held_gpu_ = std::make_unique<HeldGpu>(device_);
    attach_.pin = std::make_shared<Device>(held_gpu_.get(), 0);
    return *held_gpu_;
  }
  // All batches of an epoch.
  static std::vector<std::shared_ptr<Batch>> all_of(FeedLoader& attached) {
    std::vector<std::shared_ptr<Batch>> out;
    for (std::shared_ptr<Batch> batch;; out.push_back(std::move(batch))) {
      auto next = attached.next(20'000, &batch);
      if (!next.ok() || *next != BatchSource::Next::kBatch) {
        EXPECT_TRUE(next.ok() && *next == BatchSource::Next::kEnd);
        return out;
      }
    }
  }
  // Until the feed has lent so much, or less: what it has then.
  uint64_t used_when(uint64_t at_most) const {
    for (;;) {
      const uint64_t used = feed_->info().used_bytes;
      if (used <= at_most) {
        return used;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::shared_ptr<Context> context_ = make_context();
  std::string path_ = "/tmp/gls-device-feed-" + std::to_string(getpid()) + ".sock";
  std::shared_ptr<Device> device_;
  std::shared_ptr<Loader> loader_;
  std::unique_ptr<Feed> feed_;
  std::unique_ptr<HeldGpu> held_gpu_;
  AttachOptions attach_;
};

TEST_F(DeviceFeed, MemoryIsPinnedAsLongAsItIsThere) {
  auto attached = FeedLoader::create(context_, attach_);
  ASSERT_TRUE(attached.ok()) << attached.status().message();
  const auto memory = attached_memory();
  ASSERT_EQ(memory.size(), 1U);
  const auto [begin, bytes] = memory[0];
  EXPECT_TRUE(is_pinned(*device_, begin, bytes));
  std::shared_ptr<Batch> batch;
  auto next = (*attached)->next(20'000, &batch);
  ASSERT_TRUE(next.ok()) << next.status().message();
  ASSERT_EQ(*next, BatchSource::Next::kBatch);
  attached->reset();
  EXPECT_TRUE(is_pinned(*device_, begin, bytes));  // a batch is held
  const auto expected = loader_->sample(0, 0).take();
  expect_same(*batch, *expected);
  EXPECT_TRUE(batch->columns[0].data.on_host());
  {
    Tensor moved = batch->columns[0].data;
    Tensor* const all[] = {&moved};
    const DeviceStream stream = device_->stream().take();
    ASSERT_TRUE(move_in(stream, all, nullptr).ok());
    ASSERT_TRUE(move_out(device_, all, nullptr).ok());
    expect_same(moved, expected->columns[0].data, "x");
  }
  batch.reset();
  EXPECT_TRUE(attached_memory().empty());
  // Other memory at that address can be pinned.
  void* const other = mmap(begin, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(other, begin);
  EXPECT_FALSE(is_pinned(*device_, begin, bytes));
  EXPECT_EQ(munmap(other, bytes), 0);
}

TEST_F(DeviceFeed, WhatAStreamReadsIsNotWrittenOver) {
  HeldGpu& gpu = hold();
  auto attached = FeedLoader::create(context_, attach_);
  ASSERT_TRUE(attached.ok()) << attached.status().message();
  std::vector<std::shared_ptr<Batch>> held = all_of(**attached);
  ASSERT_EQ(held.size(), 5U);  // all of one size
  const uint64_t all = feed_->info().used_bytes;
  const uint64_t one = all / held.size();
  held[0]->readers->add(gpu.held());
  held[0].reset();
  held[1].reset();
  // Messages stay in order: what had been said of the first would have been heard.
  EXPECT_EQ(used_when(all - one), all - one);
  // Others that follow a stream that is done go before it only where they name none.
  held[2]->readers->add(nullptr);
  held[2].reset();
  gpu.let_go();
  EXPECT_EQ(used_when(all - 3 * one), all - 3 * one);
}

TEST_F(DeviceFeed, MemoryThatAStreamReadsStaysWhenAllIsClosed) {
  HeldGpu& gpu = hold();
  auto attached = FeedLoader::create(context_, attach_);
  ASSERT_TRUE(attached.ok()) << attached.status().message();
  std::vector<std::shared_ptr<Batch>> held = all_of(**attached);
  held.back()->readers->add(gpu.held());
  std::thread closes([&] {
    attached->reset();
    held.clear();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for what must not happen
  gpu.let_go();
  closes.join();
  EXPECT_TRUE(attached_memory().empty());
  EXPECT_FALSE(gpu.unpinned_too_early());
}

TEST_F(DeviceFeed, SaysThatMemoryCannotBePinned) {
  if (on_gpu()) {
    return;  // nothing makes a driver refuse it
  }
  setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
  auto refused = FeedLoader::create(context_, attach_);
  unsetenv("CUDA_ON_HOST_NO_PINNING");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_NE(refused.status().message().find("cannot be pinned"), std::string::npos)
      << refused.status().message();
  EXPECT_TRUE(attached_memory().empty());
  // It has left, so that it may come again at once.
  ASSERT_TRUE(feed_->wait(20'000));
  EXPECT_EQ(feed_->info().lost, 0U);
  EXPECT_TRUE(FeedLoader::create(context_, attach_).ok());
}

TEST_F(DeviceFeed, IsNotPinnedUnlessAsked) {
  attach_.pin = nullptr;
  auto attached = FeedLoader::create(context_, attach_);
  ASSERT_TRUE(attached.ok()) << attached.status().message();
  const auto memory = attached_memory();
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_FALSE(is_pinned(*device_, memory[0].first, memory[0].second));
  for (const auto& batch : all_of(**attached)) {
    EXPECT_EQ(batch->readers, nullptr);
  }
}

}  // namespace
}  // namespace gls::test
