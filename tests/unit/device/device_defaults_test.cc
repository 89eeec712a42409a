// What devices do unless they are told otherwise: when the plugin is loaded, and what becomes of a
// graph that has no room there. On the emulated runtime, or on a GPU (test_device.h).
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "feature/device_columns.h"
#include "random_rows.h"
#include "sample/device/device_graph.h"
#include "shop_graph.h"
#include "test_device.h"

namespace gls::test {
namespace {

bool plugin_is_loaded() {
  const std::string path = std::string(std::getenv("GLS_PLUGIN_PATH")) + "/libgls_cuda.so";
  void* const found = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (found != nullptr) {
    dlclose(found);
  }
  return found != nullptr;
}

// This comes first: what is loaded stays.
TEST(DevicePlugin, IsLoadedForDevicesAlone) {
  choose_device_plugin();
  EXPECT_FALSE(plugin_is_loaded());
  const auto sampler = make_sampler(shop(make_context()), true);
  LoaderOptions options = options_for(*sampler);
  const auto loader = Loader::create(sampler, Tensor(), options).take();
  std::shared_ptr<Batch> batch;
  ASSERT_TRUE(loader->next(-1, &batch).ok());
  EXPECT_FALSE(plugin_is_loaded());
  GLS_NEEDS_DEVICE();
  options.device = open_device(0);
  EXPECT_TRUE(plugin_is_loaded());
  LoaderStats stats;
  compare_epochs(sampler, options_for(*sampler), options.device, {}, &stats);
}

class DeviceDefaults : public testing::Test {
 protected:
  static void SetUpTestSuite() { choose_device_plugin(); }
};

// Topology of 6.4 MB, columns of 7 and 1 MB.
std::shared_ptr<const Dataset> large_graph() {
  constexpr int64_t kNodes = 6000;
  constexpr int64_t kEdges = 800000;
  Numbers random(3);
  TestGraph graph;
  graph.nodes = {{"n", kNodes}};
  TestEdges edges{"n__e__n", {}, {}, {}, {}};
  for (int64_t e = 0; e < kEdges; ++e) {
    edges.source.push_back(random.below(kNodes));
    edges.target.push_back(random.below(random.below(kNodes) + 1));
  }
  graph.edges = {std::move(edges)};
  const auto plain = make_dataset(make_context(), graph);
  std::vector<NodeType> nodes = plain->node_types();
  nodes[0].columns = {{"x", GLS_ROLE_FEATURE, any_rows(&random, kNodes, kFloat32, 300)},
                      {"h", GLS_ROLE_FEATURE, any_rows(&random, kNodes, kFloat16, 80)}};
  return Dataset::create(plain->context(), std::move(nodes), plain->edge_types()).take();
}

// The hottest rows of the graph and of the column that is asked for first are there, the rest is
// read in place; and batches are those of the host.
TEST_F(DeviceDefaults, SplitAGraphThatIsLargerThanTheMemory) {
  if (on_gpu()) {
    GTEST_SKIP() << "where memory ends is chosen, which is for the emulated runtime alone";
  }
  setenv("CUDA_ON_HOST_MEMORY", "12000000", 1);
  const auto dataset = large_graph();
  const auto sampler = make_sampler(dataset, true);
  LoaderOptions options = options_for(*sampler);
  options.plan.batch_size = 30;
  options.prefetch = 1;  // so that batches have room beside all that is there
  const auto device = open_device(0);
  LoaderStats stats;
  compare_epochs(sampler, options, device, {}, &stats);
  EXPECT_GT(stats.tiers.device, 0u);
  EXPECT_GT(stats.tiers.pinned, 0u);
  EXPECT_EQ(stats.tiers.host, 0u);
  const DeviceGraph::Rows rows = DeviceGraph::of(dataset, device)->get(0, Layout::kCsc).take();
  ASSERT_NE(rows.hot, nullptr);
  EXPECT_GT(rows.hot->size(), 0);
  EXPECT_LT(rows.hot->size(), dataset->node_types()[0].count);
  EXPECT_FALSE(rows.indices->copied());
  const auto x = DeviceColumns::of(dataset, device)->get(dataset->node_types()[0].columns[0]);
  ASSERT_TRUE(x.ok());
  EXPECT_EQ((*x)->where(), DevicePlace::kPinned);
  ASSERT_NE((*x)->cache(), nullptr);
  EXPECT_GT((*x)->cache()->size(), 0);
  EXPECT_LT((*x)->cache()->size(), dataset->node_types()[0].count);
}

}  // namespace
}  // namespace gls::test
