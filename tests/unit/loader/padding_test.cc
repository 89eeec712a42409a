// Padded batches: what is added to a batch made by hand, sizes, and the way through a feed.
#include "loader/padding/padding.h"

#include <gtest/gtest.h>

#include <cstring>

#include "loader/batch_layout.h"
#include "loader/pipeline/loader.h"
#include "test_graph.h"

namespace gls::test {
namespace {

std::vector<int64_t> ids_of(const Tensor& tensor) {
  const int64_t count = tensor.rows() * tensor.row_elements();
  const IdSpan ids(tensor.data(), same_dtype(tensor.dtype(), kInt64), count);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(ids[i]);
  }
  return out;
}
std::vector<int> bools_of(const Tensor& tensor) {
  std::vector<int> out;
  for (int64_t i = 0; i < tensor.rows() * tensor.row_elements(); ++i) {
    out.push_back(static_cast<int>(tensor.data()[i]));
  }
  return out;
}
Tensor matrix(std::vector<int64_t> values, int64_t columns) {
  const Tensor flat = tensor_of(std::move(values), kInt64);
  return Tensor(flat.owner(), flat.data(), kInt64, {flat.rows() / columns, columns}, false);
}

// Users 0 .. 5 and items 0 .. 3.
std::shared_ptr<const Dataset> shop(const std::shared_ptr<Context>& context) {
  TestGraph graph;
  graph.nodes = {{"user", 6}, {"item", 4}};
  graph.edges = {{"user__buys__item", {0, 1, 2, 3, 4, 5, 0}, {0, 1, 2, 3, 0, 1, 2}, {}, {}}};
  return make_dataset(context, graph);
}

// Two users, one item, and an edge between the first of each.
std::shared_ptr<Batch> small_batch(const std::shared_ptr<const Dataset>& dataset) {
  auto batch = std::make_shared<Batch>();
  batch->dataset = dataset;
  SampledNodes users;
  users.node = tensor_of<int64_t>({5, 2}, kInt64);
  users.seed = tensor_of<int64_t>({}, kInt64);
  users.num_nodes = counts_tensor({2});
  SampledNodes items = users;
  items.node = tensor_of<int64_t>({3}, kInt64);
  items.num_nodes = counts_tensor({1});
  batch->nodes = {users, items};
  SampledEdges edges;
  const Tensor ends = tensor_of<int64_t>({0, 0}, kInt64);
  edges.index = Tensor(ends.owner(), ends.data(), kInt64, {2, 1});
  edges.num_edges = counts_tensor({1});
  batch->edges = {edges};
  batch->inputs.push_back({0, tensor_of<int64_t>({7}, kInt64)});
  return batch;
}
PadSizes sizes_for(int64_t inputs) {
  PadSizes sizes;
  sizes.nodes = {4, 2};
  sizes.edges = {3};
  sizes.near = {0, 0};
  sizes.seeds = {0, 0};
  sizes.seeded = {false, false};
  sizes.inputs = inputs;
  return sizes;
}

TEST(Padding, LinksAndTheirNegatives) {
  const auto context = make_context();
  const auto dataset = shop(context);
  const std::shared_ptr<Batch> batch = small_batch(dataset);
  batch->links.emplace_back();
  batch->links[0].source = tensor_of<int64_t>({0, 1}, kInt64);  // a link and a pair
  batch->links[0].target = tensor_of<int64_t>({0, 0}, kInt64);
  batch->links[0].label = tensor_of<float>({3, 0}, kFloat32);
  batch->links[0].negative = matrix({0, -1}, 2);
  PadSizes sizes = sizes_for(3);
  sizes.negatives = 2;
  sizes.seeded = {true, true};
  sizes.seeds = {5, 5};
  ASSERT_TRUE(pad_batch(sizes, false, *context->buffers(), nullptr, batch.get()).ok());
  EXPECT_EQ(batch->padding, Padding::kFits);
  EXPECT_EQ(ids_of(batch->nodes[0].node), (std::vector<int64_t>{5, 2, -1, -1}));
  EXPECT_EQ(ids_of(batch->nodes[0].seed), (std::vector<int64_t>{2, 2, 2, 2, 2}));
  EXPECT_EQ(bools_of(batch->nodes[1].seed_mask), (std::vector<int>{0, 0, 0, 0, 0}));
  EXPECT_EQ(ids_of(batch->edges[0].row()), (std::vector<int64_t>{0, 2, 2}));
  EXPECT_EQ(ids_of(batch->edges[0].col()), (std::vector<int64_t>{0, 1, 1}));
  const SampledLinks& links = batch->links[0];
  EXPECT_EQ(ids_of(links.source), (std::vector<int64_t>{0, 2, 2, 1, 2}));
  EXPECT_EQ(ids_of(links.target), (std::vector<int64_t>{0, 1, 1, 0, 1}));
  EXPECT_EQ(bools_of(links.mask), (std::vector<int>{1, 0, 0, 1, 0}));
  EXPECT_EQ(links.label.as<float>()[0], 3);
  EXPECT_EQ(links.label.as<float>()[1], 0);
  EXPECT_EQ(links.label.as<float>()[4], 0);
  EXPECT_EQ(ids_of(links.negative), (std::vector<int64_t>{0, -1, 1, 1, 1, 1}));
  EXPECT_EQ(bools_of(links.negative_mask), (std::vector<int>{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(ids_of(batch->inputs[0].positions), (std::vector<int64_t>{7, -1, -1}));
  EXPECT_EQ(batch->num_inputs(), 1);
}

TEST(Padding, AnchorsComeBeforeTheirLabels) {
  const auto context = make_context();
  const std::shared_ptr<Batch> batch = small_batch(shop(context));
  batch->nodes[0].seed = tensor_of<int64_t>({0, 1, 1}, kInt64);  // an anchor and two labels
  batch->nodes[0].seed_time = tensor_of<int64_t>({8, 9, 9}, kInt64);
  batch->labels.push_back({0, "own", false, matrix({1, 1}, 2)});
  PadSizes sizes = sizes_for(2);
  sizes.seeds = {6, 0};
  sizes.seeded = {true, false};
  ASSERT_TRUE(pad_batch(sizes, false, *context->buffers(), nullptr, batch.get()).ok());
  EXPECT_EQ(ids_of(batch->nodes[0].seed), (std::vector<int64_t>{0, 2, 1, 1, 2, 2}));
  EXPECT_EQ(ids_of(batch->nodes[0].seed_time), (std::vector<int64_t>{8, 0, 9, 9, 0, 0}));
  EXPECT_EQ(bools_of(batch->nodes[0].seed_mask), (std::vector<int>{1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(bools_of(batch->nodes[0].anchor_mask), (std::vector<int>{1, 0}));
  EXPECT_FALSE(batch->nodes[1].seed_mask.defined());
  EXPECT_EQ(ids_of(batch->labels[0].label), (std::vector<int64_t>{1, 1, -1, -1}));
}

TEST(Padding, WalksAndNeighbours) {
  const auto context = make_context();
  const std::shared_ptr<Batch> batch = small_batch(shop(context));
  batch->walks = SampledWalks{0, matrix({0, 1, -1}, 3), matrix({4, -1}, 2), {}};
  batch->near.resize(2);
  batch->near[1] = {tensor_of<int64_t>({1}, kInt64), tensor_of<int64_t>({0}, kInt64), {}, {}};
  const Tensor score = tensor_of<float>({0.5F, 1}, kFloat32);
  batch->near[1].score = Tensor(score.owner(), score.data(), kFloat32, {1, 2}, false);
  PadSizes sizes = sizes_for(2);
  sizes.walks = 2;
  sizes.near = {0, 3};
  ASSERT_TRUE(pad_batch(sizes, false, *context->buffers(), nullptr, batch.get()).ok());
  EXPECT_EQ(ids_of(batch->walks->walk), (std::vector<int64_t>{0, 1, -1, 2, -1, -1}));
  EXPECT_EQ(ids_of(batch->walks->edge), (std::vector<int64_t>{4, -1, -1, -1}));
  EXPECT_EQ(bools_of(batch->walks->mask), (std::vector<int>{1, 0}));
  EXPECT_EQ(ids_of(batch->near[1].seed), (std::vector<int64_t>{1, 2, 2}));
  EXPECT_EQ(ids_of(batch->near[1].node), (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(batch->near[1].score.as<float>()[1], 1);
  EXPECT_EQ(batch->near[1].score.as<float>()[5], 0);
  EXPECT_EQ(bools_of(batch->near[1].mask), (std::vector<int>{1, 0, 0}));
  EXPECT_FALSE(batch->near[0].mask.defined());
}

// Anything that is too large: neighbours, and seeds and positions of clusters.
TEST(Padding, WhatDoesNotFitIsLeftAsItIs) {
  const auto context = make_context();
  for (int what = 0; what < 4; ++what) {
    const std::shared_ptr<Batch> batch = small_batch(shop(context));
    batch->nodes[0].seed = tensor_of<int64_t>({0, 1}, kInt64);
    batch->near.resize(2);
    batch->near[0] = {tensor_of<int64_t>({1}, kInt64), tensor_of<int64_t>({0}, kInt64), {}, {}};
    const Tensor score = tensor_of<float>({0.5F, 1}, kFloat32);
    batch->near[0].score = Tensor(score.owner(), score.data(), kFloat32, {1, 2}, false);
    PadSizes sizes = sizes_for(what == 1 ? 0 : 1);
    sizes.near = {what == 0 ? 0 : 1, 0};
    sizes.seeds = {what == 2 ? 1 : 2, 0};
    sizes.seeded = {true, false};
    ASSERT_TRUE(pad_batch(sizes, false, *context->buffers(), nullptr, batch.get()).ok());
    EXPECT_EQ(batch->padding, what == 3 ? Padding::kFits : Padding::kOverflow);
    if (what < 3) {
      EXPECT_EQ(ids_of(batch->nodes[0].seed), (std::vector<int64_t>{0, 1}));
      EXPECT_EQ(bools_of(batch->nodes[0].mask), (std::vector<int>{1, 1}));
      EXPECT_EQ(bools_of(batch->near[0].mask), (std::vector<int>{1}));
      EXPECT_EQ(batch->num_inputs(), 1);
    }
  }
}

// A feed's reader counts what stands in the positions of seeds, so these must be what they should.
TEST(Padding, PositionsOfSeedsAreCheckedOnTheirWay) {
  const auto context = make_context();
  const auto dataset = shop(context);
  for (const bool damaged : {false, true}) {
    const std::shared_ptr<Batch> batch = small_batch(dataset);
    if (damaged) {
      batch->inputs[0].positions = tensor_of<int32_t>({7}, kInt32);
    }
    auto layout = lay_out(*batch);
    ASSERT_TRUE(layout.ok());
    const BatchLayout made = layout.take();
    auto block = std::make_shared<std::vector<std::byte>>(made.bytes);
    write_batch(made, block->data());
    auto read = read_batch(made.description, *block, block, dataset);
    EXPECT_EQ(read.ok(), !damaged);
    if (damaged) {
      EXPECT_EQ(read.status().code(), GLS_ERR_CORRUPT_DATA);
    }
  }
}

TEST(Padding, SizesOfALoader) {
  const auto context = make_context();
  SamplerOptions sampling;
  sampling.num_hops = 1;
  sampling.fanouts = {{2}};
  sampling.negatives.mode = NegativeMode::kBinary;
  sampling.negatives.amount = 1.5;
  const auto sampler = Sampler::create(shop(context), sampling).take();
  LoaderOptions options;
  options.edge_type = 0;
  options.plan.batch_size = 3;
  options.pad.emplace();
  options.pad->sizes = {{"user", 50}, {"item", 40}, {"user__buys__item", 9}};
  const auto loader = Loader::create(sampler, Tensor(), options).take();
  const PadSizes& sizes = *loader->pad_sizes();
  EXPECT_EQ(sizes.inputs, 3);
  EXPECT_EQ(sizes.negatives, 5);
  EXPECT_EQ(sizes.seeds, (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(sizes.nodes, (std::vector<int64_t>{50, 40}));
}

}  // namespace
}  // namespace gls::test
