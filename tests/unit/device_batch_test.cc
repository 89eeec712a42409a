// Batches on a GPU are those on the host: on the emulated runtime, or on a GPU (test_device.h).
#include "loader/device_batch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <random>

#include "batch_equal.h"
#include "device/transfer.h"
#include "loader/loader.h"
#include "sample/block.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr int64_t kUsers = 300;
constexpr int64_t kItems = 500;
// The less there is, the less has to be protected.
constexpr char kMemory[] = "67108864";

class DeviceBatch : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);
  }
  void SetUp() override {
    GLS_NEEDS_DEVICE();
    setenv("CUDA_ON_HOST_MEMORY", kMemory, 1);
    unsetenv("CUDA_ON_HOST_NO_PINNING");
  }
};

template <typename T>
Tensor rows_of(DLDataType dtype, int64_t rows, std::vector<int64_t> shape, uint64_t seed,
               int64_t padding = 0) {
  std::mt19937_64 random(seed);
  int64_t width = 1;
  for (const int64_t extent : shape) {
    width *= extent;
  }
  std::vector<T> values;
  for (int64_t i = 0; i < rows * (width + padding); ++i) {
    values.push_back(static_cast<T>(random() % 30000));
  }
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  shape.insert(shape.begin(), rows);
  return Tensor(std::move(owner), data, dtype, std::move(shape),
                (width + padding) * static_cast<int64_t>(sizeof(T)), true);
}

// Two node types, both ways between them, and columns of all kinds.
std::shared_ptr<const Dataset> shop(const std::shared_ptr<Context>& context) {
  TestGraph graph;
  graph.nodes = {{"user", kUsers}, {"item", kItems}};
  graph.edges = {{"user__buys__item", {}, {}, {}, {}}, {"item__sold__user", {}, {}, {}, {}}};
  std::mt19937_64 random(5);
  for (int i = 0; i < 4000; ++i) {
    const auto user = static_cast<int64_t>(random() % kUsers);
    const auto item = static_cast<int64_t>(random() % kItems);
    graph.edges[0].source.push_back(user);
    graph.edges[0].target.push_back(item);
    graph.edges[1].source.push_back(item);
    graph.edges[1].target.push_back(user);
  }
  const auto plain = make_dataset(context, graph);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  const auto codes = [](const char* name, int64_t bits) {
    auto codebook = Codebook::create(bits, 7, Codebook::even_values(bits, -1, 1).take()).take();
    return Column::of_codes(
        name, GLS_ROLE_FEATURE,
        rows_of<uint8_t>(kUint8, kUsers, {codebook->packed_width()}, static_cast<uint64_t>(bits)),
        codebook);
  };
  nodes[0].columns = {
      {"x", GLS_ROLE_FEATURE, rows_of<float>(kFloat32, kUsers, {25}, 1)},
      {"half", GLS_ROLE_FEATURE, rows_of<uint16_t>(kFloat16, kUsers, {3, 5}, 2, 1)},
      {"y", GLS_ROLE_LABEL, rows_of<int64_t>(kInt64, kUsers, {}, 3)},
      codes("one", 1),
      codes("two", 2),
      codes("four", 4),
      codes("eight", 8),
  };
  nodes[1].columns = {{"wide", GLS_ROLE_FEATURE, rows_of<float>(kFloat32, kItems, {130}, 5, 2)},
                      {"brain", GLS_ROLE_FEATURE, rows_of<uint16_t>(kBfloat16, kItems, {6}, 8)},
                      {"bytes", GLS_ROLE_FEATURE, rows_of<uint8_t>(kUint8, kItems, {13}, 6)}};
  edges[0].columns = {{"e", GLS_ROLE_FEATURE, rows_of<uint16_t>(kBfloat16, 4000, {9}, 7)}};
  return Dataset::create(context, std::move(nodes), std::move(edges)).take();
}

std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                            bool int32) {
  SamplerOptions options;
  options.seed = 3;
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, 2}};
  options.edge_ids = true;
  options.int32 = int32;
  return Sampler::create(dataset, options).take();
}

LoaderOptions options_for(const Sampler& sampler) {
  LoaderOptions options;
  options.plan.batch_size = 64;
  options.columns = default_columns(sampler);
  for (ColumnToGather& wanted : options.columns) {  // those of 16 bits as float32, but one
    if (wanted.column->name == "half" || wanted.column->name == "brain") {
      wanted.dtype = kFloat32;
    }
  }
  return options;
}

std::shared_ptr<Device> device_of_tests() {
  auto device = Device::open(0);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device.take();
}

// Each batch of an epoch on both, which are the same; then what the caller wants to see of them.
void expect_same_epoch(const std::shared_ptr<const Sampler>& sampler, LoaderOptions options,
                       const std::function<void(const Batch&)>& look = {}) {
  auto here = Loader::create(sampler, Tensor(), options);
  ASSERT_TRUE(here.ok()) << here.status().message();
  options.device = device_of_tests();
  auto there = Loader::create(sampler, Tensor(), options);
  ASSERT_TRUE(there.ok()) << there.status().message();
  for (int batches = 0;; ++batches) {
    std::shared_ptr<Batch> expected;
    std::shared_ptr<Batch> batch;
    const auto next = (*here)->next(-1, &expected);
    auto other = (*there)->next(-1, &batch);
    ASSERT_TRUE(other.ok()) << other.status().message();
    ASSERT_EQ(*next, *other);
    if (*next == Loader::Next::kEnd) {
      EXPECT_GT(batches, 1);
      return;
    }
    visit_arrays(*batch, [](const Tensor& array) {
      EXPECT_TRUE(!array.defined() || array.device().device_type == kDLCUDA);
    });
    EXPECT_EQ(batch->num_inputs(), expected->num_inputs());
    EXPECT_EQ(batch->num_edges(), expected->num_edges());
    auto copy = copy_to_host(*batch);
    ASSERT_TRUE(copy.ok()) << copy.status().message();
    expect_same(*expected, **copy);
    if (look) {
      look(*batch);
    }
  }
}

TEST_F(DeviceBatch, IsThatOfTheHost) {
  for (const bool int32 : {false, true}) {
    const auto sampler = make_sampler(shop(make_context()), int32);
    expect_same_epoch(sampler, options_for(*sampler));
  }
}

// Also what the device does not sample itself.
TEST_F(DeviceBatch, IsTheSameOfEverySampler) {
  const auto dataset = shop(make_context());
  std::vector<SamplerOptions> samplers(6);
  for (SamplerOptions& options : samplers) {
    options.seed = 9;
    options.num_hops = 2;
    options.fanouts = {{3, -1}, {40, 2}};
  }
  samplers[1].disjoint = true;
  samplers[1].edge_ids = true;
  samplers[2].direction = Direction::kOut;
  samplers[2].replace = Replace::kAlways;
  samplers[2].toward_seeds = true;
  samplers[3].subgraph = Subgraph::kInduced;
  samplers[4].pick = Pick::kLayer;
  samplers[5].num_hops = 0;
  samplers[5].fanouts = {};
  samplers[5].walk = WalkOptions{};
  samplers[5].direction = Direction::kOut;
  samplers[5].walk->path = {0, 1};
  samplers[5].walk->walks = 3;
  for (size_t i = 0; i < samplers.size(); ++i) {
    SCOPED_TRACE(i);
    auto sampler = Sampler::create(dataset, samplers[i]);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    EXPECT_EQ(DeviceSampler::beyond(**sampler).empty(), i != 4);
    expect_same_epoch(*sampler, options_for(**sampler));
  }
}

// Their negatives are drawn by the host, the neighbourhoods by the device.
TEST_F(DeviceBatch, OfLinksIsSampledThere) {
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.sampling", "device").ok());
  const auto dataset = shop(context);
  for (const NegativeMode mode : {NegativeMode::kBinary, NegativeMode::kTriplet}) {
    SamplerOptions options;
    options.num_hops = 2;
    options.fanouts = {{3, 2}, {4, 2}};
    options.negatives.mode = mode;
    options.negatives.degree_quarters = 3;
    const auto sampler = Sampler::create(dataset, options).take();
    LoaderOptions loader = options_for(*sampler);
    loader.edge_type = 0;
    loader.plan.batch_size = 900;
    expect_same_epoch(sampler, loader);
  }
}

// Each link has a time, and is not sampled itself.
TEST_F(DeviceBatch, OfLinksGoesByTimes) {
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.sampling", "device").ok());
  const auto plain = shop(context);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  nodes[0].columns.push_back({"when", GLS_ROLE_TIME, rows_of<int64_t>(kInt64, kUsers, {}, 11)});
  edges[0].columns.push_back({"when", GLS_ROLE_TIME, rows_of<int32_t>(kInt32, 4000, {}, 12)});
  const auto dataset = Dataset::create(context, std::move(nodes), std::move(edges)).take();
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, 2}};
  options.node_time = "when";
  options.edge_time = "when";
  options.negatives.mode = NegativeMode::kBinary;
  options.exclude_links = true;
  const auto sampler = Sampler::create(dataset, options).take();
  LoaderOptions loader = options_for(*sampler);
  loader.edge_type = 0;
  loader.times = rows_of<int64_t>(kInt64, 4000, {}, 13);
  loader.plan.batch_size = 900;
  expect_same_epoch(sampler, loader);
}

TEST_F(DeviceBatch, WhereItIsSampledCanBeSaid) {
  for (const char* const where : {"device", "host"}) {
    const auto context = make_context();
    ASSERT_TRUE(context->set("device.sampling", where).ok());
    const auto sampler = make_sampler(shop(context), false);
    LoaderOptions options = options_for(*sampler);
    expect_same_epoch(sampler, options);
    options.pad = PadOptions{};
    options.device = device_of_tests();
    auto padded = Loader::create(sampler, Tensor(), options);
    EXPECT_EQ(padded.ok(), where[0] == 'h');
    if (!padded.ok()) {
      EXPECT_EQ(padded.status().code(), GLS_ERR_UNSUPPORTED);
      EXPECT_NE(padded.status().message().find("padded"), std::string::npos);
    }
  }
}

// With less room than the topology takes.
TEST_F(DeviceBatch, IsTheSameOfAGraphOnTheHost) {
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.graph_memory", "20000").ok());
  ASSERT_TRUE(context->set("device.sampling", "device").ok());
  const auto sampler = make_sampler(shop(context), true);
  expect_same_epoch(sampler, options_for(*sampler));
}

// Wherever there is room for the columns.
TEST_F(DeviceBatch, IsTheSameFromEveryPlace) {
  for (const char* const room : {"1", "40000", "0"}) {
    for (const bool pin : {true, false}) {
      for (const bool refused : {true, false}) {
        if (refused && on_gpu()) {
          continue;  // nothing makes a driver refuse it
        }
        const auto context = make_context();
        ASSERT_TRUE(context->set("device.column_memory", room).ok());
        ASSERT_TRUE(context->set("device.pin", pin ? "true" : "false").ok());
        if (refused) {
          setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
        } else {
          unsetenv("CUDA_ON_HOST_NO_PINNING");
        }
        const auto dataset = shop(context);
        const auto sampler = make_sampler(dataset, true);
        expect_same_epoch(sampler, options_for(*sampler));
        const auto columns = DeviceColumns::of(dataset, device_of_tests());
        const auto x = columns->get(dataset->node_types()[0].columns[0]);
        ASSERT_TRUE(x.ok());
        const DevicePlace place = room[0] != '1'    ? DevicePlace::kDevice
                                  : pin && !refused ? DevicePlace::kPinned
                                                    : DevicePlace::kHost;
        // A driver does not pin a page twice, and columns of tests may share one.
        EXPECT_TRUE((*x)->where() == place ||
                    (on_gpu() && place == DevicePlace::kPinned && (*x)->where() > place));
      }
    }
  }
}

TEST_F(DeviceBatch, IsPaddedAsOnTheHost) {
  const auto sampler = make_sampler(shop(make_context()), true);
  LoaderOptions options = options_for(*sampler);
  options.pad = PadOptions{};
  expect_same_epoch(sampler, options);
}

// Blocks need no array of the host.
TEST_F(DeviceBatch, HasBlocks) {
  const auto sampler = make_sampler(shop(make_context()), true);
  expect_same_epoch(sampler, options_for(*sampler), [](const Batch& batch) {
    const auto on_host = copy_to_host(batch).take();
    for (size_t type = 0; type < batch.edges.size(); ++type) {
      auto there = block_array(batch, 0, BlockArray::kIndptr, type);
      ASSERT_TRUE(there.ok()) << there.status().message();
      EXPECT_FALSE((*there).on_host());
      Tensor* const moved[] = {&(*there)};
      ASSERT_TRUE(move_out(batch.device, moved, nullptr).ok());
      expect_same((*there), block_array(*on_host, 0, BlockArray::kIndptr, type).take(), "indptr");
    }
  });
}

// Takes what memory the device has left.
class AllMemory {
 public:
  explicit AllMemory(std::shared_ptr<Device> device)
      : device_(std::move(device)), stream_(device_->stream().take()) {
    device::GpuError error;
    for (uint64_t bytes = device_->free_memory().take(); bytes > 0; bytes /= 2) {
      void* block = nullptr;
      while (device_->gpu().allocate(bytes, stream_.get(), &block, &error)) {
        blocks_.push_back(block);
      }
    }
  }
  ~AllMemory() {
    for (void* const block : blocks_) {
      device_->gpu().release(block, stream_.get());
    }
  }
  AllMemory(const AllMemory&) = delete;
  AllMemory& operator=(const AllMemory&) = delete;

 private:
  std::shared_ptr<Device> device_;
  DeviceStream stream_;
  std::vector<void*> blocks_;
};

// A batch for which there is no memory is an error, and those after it are made.
TEST_F(DeviceBatch, OutOfMemoryLeavesTheLoaderUsable) {
  const auto sampler = make_sampler(shop(make_context(1)), true);
  LoaderOptions options = options_for(*sampler);
  options.device = device_of_tests();
  options.prefetch = 1;
  const auto loader = Loader::create(sampler, Tensor(), options).take();
  std::shared_ptr<Batch> batch;
  ASSERT_TRUE(loader->next(-1, &batch).ok());
  batch = nullptr;
  std::shared_ptr<Batch> ready;  // may have been made before
  ASSERT_TRUE(loader->next(-1, &ready).ok());
  auto all = std::make_unique<AllMemory>(options.device);
  int failures = 0;
  for (int i = 0; i < 2; ++i) {
    auto next = loader->next(-1, &batch);
    if (!next.ok()) {
      EXPECT_EQ(next.status().code(), GLS_ERR_OUT_OF_MEMORY) << next.status().message();
      EXPECT_NE(next.status().message().find("GPU 0"), std::string::npos);
      ++failures;
    }
  }
  EXPECT_GT(failures, 0);
  all = nullptr;
  auto made = loader->sample(0, 4);
  ASSERT_TRUE(made.ok()) << made.status().message();
  options.device = nullptr;
  const auto expected = Loader::create(sampler, Tensor(), options).take()->sample(0, 4).take();
  expect_same(*expected, *copy_to_host(**made).take());
}

TEST_F(DeviceBatch, AnArrayOutlivesItsLoader) {
  Tensor x;
  std::shared_ptr<Device> device = device_of_tests();
  Tensor expected;
  {
    const auto sampler = make_sampler(shop(make_context()), true);
    LoaderOptions options = options_for(*sampler);
    expected =
        Loader::create(sampler, Tensor(), options).take()->sample(0, 1).take()->columns[0].data;
    options.device = device;
    const auto batch = Loader::create(sampler, Tensor(), options).take()->sample(0, 1).take();
    batch->readers->add(nullptr);
    x = batch->columns[0].data;
  }
  Tensor* const moved[] = {&x};
  ASSERT_TRUE(move_out(device, moved, nullptr).ok());
  expect_same(expected, x, "x");
}

TEST(DeviceErrors, SayWhatIsMissing) {
  EXPECT_EQ(Device::open(-1).status().code(), GLS_ERR_INVALID_ARGUMENT);
  choose_device_plugin();
  GLS_NEEDS_DEVICE();
  auto far = Device::open(64);
  EXPECT_EQ(far.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_NE(far.status().message().find("no GPU 64"), std::string::npos) << far.status().message();
  if (on_gpu()) {
    return;
  }
  setenv("CUDA_ON_HOST_DEVICES", "0", 1);
  auto none = Device::open(3);
  EXPECT_EQ(none.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_NE(none.status().message().find("no GPU"), std::string::npos) << none.status().message();
  unsetenv("CUDA_ON_HOST_DEVICES");
}

}  // namespace
}  // namespace gls::test
