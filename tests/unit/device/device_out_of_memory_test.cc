// Where memory of a device was counted on that others have taken since, things are placed
// elsewhere, and batches are the same: on the emulated runtime, or on a GPU (test_device.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "batch_equal.h"
#include "device/memory/device_array.h"
#include "device/memory/pinned_pages.h"
#include "sample/device/device_graph.h"
#include "shop_graph.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr uint64_t kMemory = uint64_t{8} << 20;
constexpr int64_t kWide = 12500;  // floats: kUsers rows take 15 MB

// What a context logs.
class Heard {
 public:
  std::shared_ptr<Context> context() {
    return Context::create({2, GLS_LOG_WARN}, hear, this, nullptr).take();
  }
  size_t lines() const { return lines_.size(); }
  size_t with(const std::string& text) const {
    return static_cast<size_t>(std::count_if(
        lines_.begin(), lines_.end(),
        [&text](const std::string& line) { return line.find(text) != std::string::npos; }));
  }

 private:
  static void hear(void* to, int32_t, const char*, const char* text) {
    auto* const self = static_cast<Heard*>(to);
    const std::lock_guard lock(self->mutex_);
    self->lines_.emplace_back(text);
  }
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class DeviceRoom : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);
    setenv("CUDA_ON_HOST_DEVICES", "2", 1);
  }
  void SetUp() override {
    GLS_NEEDS_DEVICE();
    if (on_gpu()) {
      GTEST_SKIP() << "how much memory there is is chosen, which is for the emulated runtime alone";
    }
    setenv("CUDA_ON_HOST_MEMORY", std::to_string(kMemory).c_str(), 1);
  }
};

TEST_F(DeviceRoom, AColumnIsPlacedWhereThereIsSome) {
  for (const char* const cache : {"fixed", "adaptive", "none"}) {
    for (const char* const counted_on : {"1G", "10M"}) {  // the whole column, and not even its rows
      SCOPED_TRACE(std::string(cache) + " " + counted_on);
      Heard heard;
      const auto context = heard.context();
      ASSERT_TRUE(context->set("device.column_memory", counted_on).ok());
      ASSERT_TRUE(context->set("device.cache", cache).ok());
      const auto plain = shop(context);
      std::vector<NodeType> nodes = plain->node_types();
      nodes[0].columns = {{"x", GLS_ROLE_FEATURE, rows_of<float>(kFloat32, kUsers, {kWide}, 1)}};
      const auto dataset = Dataset::create(context, std::move(nodes), plain->edge_types()).take();
      SamplerOptions options;
      options.num_hops = 1;
      options.fanouts = {{0}, {0}};
      const auto sampler = Sampler::create(dataset, options).take();
      LoaderOptions loading;
      loading.plan.batch_size = 5;
      loading.prefetch = 1;
      loading.columns = {{true, 0, &dataset->node_types()[0].columns[0], false, kFloat32}};
      const auto device = open_device(0);
      const auto columns = DeviceColumns::of(dataset, device);  // which outlives the loader
      LoaderStats stats;
      compare_epochs(sampler, loading, device, {}, &stats);
      const auto x = columns->get(dataset->node_types()[0].columns[0]).take();
      EXPECT_EQ(x->where(), DevicePlace::kPinned);
      EXPECT_EQ(x->cache() != nullptr, cache[0] != 'n');
      if (x->cache() != nullptr) {
        EXPECT_GT(x->cache()->size(), 20);
      }
      const bool was_asked = cache[0] != 'n' || counted_on[1] == 'G';
      EXPECT_EQ(heard.with("others have taken memory of GPU 0"), was_asked ? 1u : 0u);
    }
  }
}

TEST_F(DeviceRoom, AnArrayIsReadInPlaceWhereThereIsNone) {
  Heard heard;
  const auto context = heard.context();
  const auto device = open_device(0);
  const Tensor array = rows_of<float>(kFloat32, kUsers, {kWide}, 1);
  uint64_t room = uint64_t{1} << 30;
  const auto placed =
      DeviceArray::place(device, array, &room, {~uint64_t{0}, 0}, &context->log()).take();
  EXPECT_FALSE(placed->copied());
  EXPECT_EQ(placed->data(), array.data());
  EXPECT_EQ(heard.lines(), 1u);
  EXPECT_LE(room, kMemory / 2);
  EXPECT_GT(room, 0u);
}

// GPU 1 is of this test alone.
TEST_F(DeviceRoom, ARefusalToPinIsSaidOnce) {
  Heard heard;
  const auto context = heard.context();
  const auto device = open_device(1);
  setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
  const std::vector<std::byte> pages(10000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(PinnedPages::pin(device, pages.data(), pages.size(), 1 << 20, &context->log()));
  }
  unsetenv("CUDA_ON_HOST_NO_PINNING");
  EXPECT_EQ(heard.lines(), 1u);
  EXPECT_EQ(heard.with("CUDA: pinning memory of the host: "), 1u);
}

// Of a topology that cannot be pinned where it lies, every process of a machine has its own copy.
TEST_F(DeviceRoom, ProcessesShareWhatMayBeCopied) {
  const auto context = make_context();
  const MostPinned alone = PinnedPages::most(context->settings());
  EXPECT_GT(alone.pages, 0u);
  EXPECT_EQ(alone.copies, alone.pages);
  setenv("LOCAL_WORLD_SIZE", "8", 1);
  const MostPinned shared = PinnedPages::most(context->settings());
  EXPECT_EQ(shared.pages, alone.pages);
  EXPECT_EQ(shared.copies, alone.pages / 8);
  ASSERT_TRUE(context->set("device.pinned_memory", "1M").ok());
  EXPECT_EQ(PinnedPages::most(context->settings()).copies, uint64_t{1} << 20);
  setenv("LOCAL_WORLD_SIZE", "many", 1);
  ASSERT_TRUE(context->set("device.pinned_memory", "0").ok());
  EXPECT_EQ(PinnedPages::most(context->settings()).copies, alone.pages);
  unsetenv("LOCAL_WORLD_SIZE");
}

TEST_F(DeviceRoom, ATopologyIsSplitByWhatThereIs) {
  Heard heard;
  const auto context = heard.context();
  ASSERT_TRUE(context->set("device.graph_memory", "12M").ok());
  TestGraph graph;
  constexpr int64_t kNodes = 20000;
  graph.nodes = {{"n", kNodes}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  graph.wide = true;
  for (int64_t i = 0; i < 2000000; ++i) {
    graph.edges[0].source.push_back(i * 7919 % kNodes);
    graph.edges[0].target.push_back(i % kNodes);
  }
  const auto dataset = make_dataset(context, graph);
  const auto kept = DeviceGraph::of(dataset, open_device(0));
  const DeviceGraph::Rows rows = kept->get(0, Layout::kCsc).take();
  ASSERT_NE(rows.hot, nullptr);
  EXPECT_GT(rows.hot->size(), 1000);
  EXPECT_LT(rows.hot->size(), kNodes / 2);
  EXPECT_EQ(heard.lines(), 1u);
}

}  // namespace
}  // namespace gls::test
