// Batches on a GPU of a graph that is elsewhere: its rows come from parts, are received by the
// host, and go to the device column by column. On the emulated runtime, or on a GPU.
#include "batch_equal.h"
#include "both_graphs.h"
#include "loader/pipeline/loader.h"
#include "stored_graph.h"
#include "test_device.h"

namespace gls::test {
namespace {

class DeviceParts : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);
    setenv("CUDA_ON_HOST_MEMORY", "67108864", 1);
  }
  void SetUp() override { GLS_NEEDS_DEVICE(); }
};

std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                            bool disjoint) {
  SamplerOptions options;
  options.seed = 4;
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, 2}, {2, 2}};
  options.edge_ids = true;
  options.disjoint = disjoint;
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  return sampler.take();
}

// A loader of `elsewhere` delivers the batches of `whole` to the device.
void expect_same_on_device(const std::shared_ptr<const Dataset>& whole,
                           const std::shared_ptr<const Dataset>& remote, bool disjoint) {
  const auto here = make_sampler(whole, disjoint);
  const auto elsewhere = make_sampler(remote, disjoint);
  LoaderOptions options;
  options.plan.batch_size = 200;
  options.columns = default_columns(*here);
  const auto expected = Loader::create(here, Tensor(), options).take();
  options.columns = default_columns(*elsewhere);
  ASSERT_GT(options.columns.size(), size_t{10});
  auto device = Device::open(0);
  ASSERT_TRUE(device.ok()) << device.status().message();
  options.device = device.take();
  auto loader = Loader::create(elsewhere, Tensor(), options);
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  for (uint64_t number = 0; number < 3; ++number) {
    auto batch = (*loader)->sample(0, number);
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    for (const GatheredColumn& column : (*batch)->columns) {
      EXPECT_FALSE(column.data.on_host()) << column.column->name;
    }
    auto copy = copy_to_host(**batch);
    ASSERT_TRUE(copy.ok()) << copy.status().message();
    expect_same(*expected->sample(0, number).take(), **copy);
  }
}

TEST_F(DeviceParts, GiveTheBatchesOfTheWholeOnTheHost) {
  for (const size_t parts : {size_t{1}, size_t{3}}) {
    for (const bool disjoint : {false, true}) {  // nodes may be in several trees, then
      SCOPED_TRACE(parts);
      const Both& both = Both::of(parts);
      expect_same_on_device(both.whole, both.in_parts, disjoint);
    }
  }
}

// So do columns and neighbours that the caller's code answers.
TEST_F(DeviceParts, StoresGiveTheBatchesOfTheWholeOnTheHost) {
  constexpr size_t kAll = ~size_t{0};
  const auto whole = graph_for_stores(make_context(2));
  for (const InStores& what : {InStores{1, 2, kAll}, InStores{0, 0, 0}}) {
    for (const bool disjoint : {false, true}) {
      SCOPED_TRACE(what.edge_types);
      expect_same_on_device(whole, in_stores(whole, what, {true, 100, 4, 1 << 20}), disjoint);
    }
  }
}

// A part whose rows cannot be moved is an error of its batch, and the next one is made.
TEST_F(DeviceParts, AnErrorOfTheDeviceIsThatOfTheBatch) {
  if (on_gpu()) {
    GTEST_SKIP() << "where memory ends is chosen, which is for the emulated runtime alone";
  }
  const auto sampler = make_sampler(Both::of(3).in_parts, false);
  LoaderOptions options;
  options.plan.batch_size = 200;
  options.columns = default_columns(*sampler);
  options.device = Device::open(0).take();
  const auto loader = Loader::create(sampler, Tensor(), options).take();
  setenv("CUDA_ON_HOST_MEMORY", "1000", 1);
  auto none = loader->sample(0, 1);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), GLS_ERR_OUT_OF_MEMORY) << none.status().message();
  setenv("CUDA_ON_HOST_MEMORY", "67108864", 1);
  auto batch = loader->sample(0, 1);
  EXPECT_TRUE(batch.ok()) << batch.status().message();
}

}  // namespace
}  // namespace gls::test
