// Batches as answers of servers that are not what they should be.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "batch_equal.h"
#include "cluster/batches/batch_validation.h"
#include "cluster/wire/batch_messages.h"
#include "ingest_support.h"
#include "loader/padding/padding.h"
#include "loader/pipeline/loader.h"
#include "part_graph.h"

namespace gls::test {
namespace {

using net::Message;

const std::shared_ptr<Context>& answers_context() {
  static const std::shared_ptr<Context> out = make_context(2);
  return out;
}

const std::shared_ptr<const Dataset>& graph() {
  static const std::shared_ptr<const Dataset> out = whole_with_features(answers_context());
  return out;
}

const std::shared_ptr<BufferPool>& pool() { return answers_context()->buffers(); }

class BadBatchAnswers : public testing::Test {
 protected:
  static SamplerOptions options() {
    SamplerOptions out;
    out.num_hops = 2;
    out.fanouts = {{3, 2}, {2, 2}, {2, 0}};
    out.edge_ids = true;
    out.negatives.mode = NegativeMode::kTriplet;
    return out;
  }
  static LoaderOptions loading(const Sampler& sampler) {
    LoaderOptions out;
    out.edge_type = 0;
    out.plan.batch_size = 5;
    out.columns = default_columns(sampler);
    return out;
  }

  std::shared_ptr<Batch> made() const {
    auto batch = loader_->sample(3, 1);
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    return std::make_shared<Batch>(**batch);
  }
  Result<std::shared_ptr<Batch>> sent(const Batch& batch) const {
    GLS_ASSIGN(const BatchLayout layout, lay_out(batch));
    return cluster::decode_batch(cluster::encode_batch(pool(), layout), graph());
  }
  Status read(const Batch& batch) const {
    GLS_ASSIGN(const std::shared_ptr<Batch> out, sent(batch));
    return check_made_batch(*out, shape_, 3, 1);
  }
  void expect_refused(const std::function<void(Batch*)>& change, const std::string& words) {
    const std::shared_ptr<Batch> batch = made();
    change(batch.get());
    const Status status = read(*batch);
    ASSERT_FALSE(status.ok()) << words;
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << status.message();
    EXPECT_MESSAGE(status, words);
  }

  std::shared_ptr<const Sampler> sampler_ = Sampler::create(graph(), options()).take();
  LoaderOptions loading_ = loading(*sampler_);
  std::shared_ptr<Loader> loader_ = Loader::create(sampler_, Tensor(), loading_).take();
  SeedList::Given given_ = {true, 0, {}, {}, {}, {}};
  BatchShape shape_ =
      BatchShape::of({*sampler_, given_, loading_.rule, loading_.plan, loading_.columns});
};

TEST_F(BadBatchAnswers, AreTold) {
  const std::shared_ptr<Batch> batch = made();
  auto copy = sent(*batch);
  ASSERT_TRUE(copy.ok()) << copy.status().message();
  expect_same(*batch, **copy);
  EXPECT_TRUE(read(*batch).ok()) << read(*batch).message();

  expect_refused([](Batch* b) { b->number = 2; }, "it answered with batch 2 of epoch 3");
  expect_refused([](Batch* b) { b->epoch = 4; }, "it answered with batch 1 of epoch 4");
  expect_refused([](Batch* b) { b->padding = Padding::kFits; }, "whose padding");
  expect_refused([](Batch* b) { b->attached.push_back({"x", ids64({1})}); }, "whose padding");
  expect_refused([](Batch* b) { b->links.clear(); }, "whose the seeds");
  expect_refused([](Batch* b) { b->nodes[0].node = ids64({1, 2}); }, "whose nodes");
  expect_refused([](Batch* b) { b->nodes[0].node = Tensor(); }, "whose nodes");
  expect_refused(
      [](Batch* b) {
        std::vector<int64_t> ids(static_cast<size_t>(b->nodes[0].node.rows()), kUsers);
        b->nodes[0].node = ids64(std::move(ids));
      },
      "whose nodes");
  expect_refused([](Batch* b) { b->nodes[1].seed = ids64({99999}); }, "whose nodes");
  expect_refused([](Batch* b) { b->edges[0].index = no_edges(true); }, "whose edges");
  expect_refused([](Batch* b) { b->edges[0].index = Tensor(); }, "whose edges");
  expect_refused(
      [](Batch* b) {
        std::vector<int64_t> ids(static_cast<size_t>(2 * b->edges[0].count()), 99999);
        const Tensor ends = ids64(std::move(ids));
        b->edges[0].index = Tensor(ends.owner(), ends.data(), kInt64, {2, b->edges[0].count()});
      },
      "whose edges");
  expect_refused([](Batch* b) { b->links[0].negative = ids64({1, 2, 3, 4, 5}); }, "whose links");
  expect_refused([](Batch* b) { b->links[0].source = ids64({1}); }, "whose links");
  expect_refused(
      [](Batch* b) { b->links[0].target = tensor(std::vector<int32_t>(5, 0), kInt32, {5}); },
      "whose links");  // int64 ids were asked for
  expect_refused(
      [](Batch* b) {
        b->links[0].negative = tensor(std::vector<int64_t>(10, 0), kInt64, {5, 2});
      },
      "whose links");
  expect_refused([](Batch* b) { b->num_hops = 3; }, "whose hops");
  expect_refused([](Batch* b) { b->nodes[0].num_nodes = counts_tensor({b->nodes[0].node.rows()}); },
                 "whose nodes");
  expect_refused([](Batch* b) { b->walks.emplace(); }, "whose walks");
  expect_refused([](Batch* b) { b->near.resize(2); }, "whose neighbours");
  expect_refused(
      [](Batch* b) {
        b->labels.push_back({0, "a", false, ids64({1})});
      },
      "whose labels");
  expect_refused([](Batch* b) { b->columns.pop_back(); }, "whose columns");
  expect_refused([](Batch* b) { std::swap(b->columns[0], b->columns[1]); }, "whose columns");
  expect_refused([](Batch* b) { b->columns[0].data = ids64({1}); }, "whose columns");
}

// Positions of seeds are those of the loader, and as many as it says.
TEST_F(BadBatchAnswers, OfOtherSeeds) {
  shape_.num_seeds = 20000;
  shape_.inputs = [](uint64_t epoch, uint64_t number) { return epoch == 3 && number == 1 ? 5 : 0; };
  EXPECT_TRUE(read(*made()).ok());
  expect_refused(
      [](Batch* b) {
        b->inputs[0].positions = ids64({0, 1, 2, 3, 20000});
      },
      "whose the seeds");
  expect_refused(
      [](Batch* b) {
        b->inputs[0].positions = ids64({0, 1, 2, 3, -1});
      },
      "whose the seeds");
  shape_.inputs = [](uint64_t, uint64_t) { return 4; };
  expect_refused([](Batch*) {}, "whose the seeds");
}

// Batches of samplers of other kinds, with something changed; what is said of them.
class OtherBatchAnswers {
 public:
  explicit OtherBatchAnswers(const std::function<void(SamplerOptions*)>& set) {
    SamplerOptions options;
    options.seed = 5;
    set(&options);
    sampler_ = Sampler::create(graph(), options).take();
    loading_.plan.batch_size = 5;
    loader_ = Loader::create(sampler_, Tensor(), loading_).take();
    shape_ =
        BatchShape::of({*sampler_, given_, loading_.rule, loading_.plan, loading_.columns, kUsers});
  }
  std::shared_ptr<Batch> made() const { return std::make_shared<Batch>(**loader_->sample(3, 1)); }
  std::string said_of(const Batch& batch) const {
    const BatchLayout layout = lay_out(batch).take();
    auto sent = cluster::decode_batch(cluster::encode_batch(pool(), layout), graph());
    if (!sent.ok()) {
      return sent.status().message();
    }
    const Status status = check_made_batch(**sent, shape_, 3, 1);
    return status.ok() ? "" : status.message();
  }

 private:
  std::shared_ptr<const Sampler> sampler_;
  LoaderOptions loading_;
  std::shared_ptr<Loader> loader_;
  SeedList::Given given_;
  BatchShape shape_;
};

Tensor with(const Tensor& ids, size_t index, int64_t value) {
  const auto* const begin = ids.as<int64_t>();
  std::vector<int64_t> values(begin, begin + ids.rows() * ids.row_elements());
  values.at(index) = value;
  return tensor(std::move(values), kInt64, ids.shape());
}

TEST(OtherBatches, WalksThatDoNotFit) {
  const OtherBatchAnswers walks([](SamplerOptions* o) {
    o->walk.emplace();
    o->walk->path = {1, 2};  // from users to items, and back
    o->walk->length = 2;
    o->walk->walks = 3;
    o->edge_ids = true;
  });
  EXPECT_EQ(walks.said_of(*walks.made()), "");
  auto batch = walks.made();
  const int64_t items = batch->nodes[1].node.rows();
  ASSERT_GT(batch->nodes[0].node.rows(), items);
  batch->walks->walk = with(batch->walks->walk, 1, items);
  EXPECT_TRUE(contains(walks.said_of(*batch), "whose walks"));
  for (const int64_t edge : {int64_t{20000}, int64_t{-2}}) {
    batch = walks.made();
    batch->walks->edge = with(batch->walks->edge, 1, edge);
    EXPECT_TRUE(contains(walks.said_of(*batch), "whose walks"));
  }
  batch = walks.made();
  batch->walks->edge = Tensor();
  EXPECT_TRUE(contains(walks.said_of(*batch), "whose walks"));
}

TEST(OtherBatches, NeighboursThatDoNotFit) {
  const OtherBatchAnswers near([](SamplerOptions* o) {
    o->ppr.emplace();
    o->ppr->epsilon = 1e-2;
    o->ppr->channels = {{{0}, 0.5}, {{1, 2}, 0.5}};
  });
  EXPECT_EQ(near.said_of(*near.made()), "");
  auto batch = near.made();
  batch->near[0].score = rows_tensor<float>(batch->near[0].node.rows(), 2, kFloat32);
  EXPECT_TRUE(contains(near.said_of(*batch), "whose neighbours"));
}

TEST(OtherBatches, LabelsThatDoNotFit) {
  const OtherBatchAnswers labels([](SamplerOptions* o) {
    o->num_hops = 1;
    o->fanouts = {{2}, {2}, {0}};
    o->supervisions = {{2, 1, "likes", false, true, 3}};
  });
  EXPECT_EQ(labels.said_of(*labels.made()), "");
  auto batch = labels.made();
  batch->labels[0].label = tensor(std::vector<int64_t>(20, -1), kInt64, {5, 4});
  EXPECT_TRUE(contains(labels.said_of(*batch), "whose labels"));
  batch = labels.made();
  ASSERT_GE(batch->labels[0].label.as<int64_t>()[0], 0);
  batch->labels[0].label = with(batch->labels[0].label, 0, -1);
  EXPECT_TRUE(contains(labels.said_of(*batch), "whose seeds"));
}

// Whatever one byte of a description is, there is an error or a batch that can be padded.
TEST_F(BadBatchAnswers, AnyByte) {
  const std::shared_ptr<Batch> batch = made();
  const BatchLayout layout = lay_out(*batch).take();
  const Message sound = cluster::encode_batch(pool(), layout);
  const size_t header = sound.size() - layout.bytes;
  PadSizes sizes;
  sizes.nodes = {3000, 3000};
  sizes.edges = {3000, 3000, 3000};
  sizes.near = {0, 0};
  sizes.seeds = {100, 100};
  sizes.seeded = {true, true};
  sizes.inputs = 5;
  int accepted = 0;
  for (size_t at = 0; at < header + layout.description.size(); ++at) {
    for (const std::byte flip : {std::byte{0x01}, std::byte{0x10}, std::byte{0xff}}) {
      Message changed = Message::copied(pool(), sound.bytes());
      changed.bytes()[at] ^= flip;
      auto read = cluster::decode_batch(std::move(changed), graph());
      if (read.ok() && check_made_batch(**read, shape_, 3, 1).ok()) {
        ++accepted;  // a time, or a name
        ASSERT_TRUE(pad_batch(sizes, false, *pool(), nullptr, read->get()).ok());
        pad_columns(*pool(), read->get());
      }
    }
  }
  EXPECT_LT(accepted, 3000);
  for (size_t size = 0; size < sound.size(); size += 101) {
    EXPECT_FALSE(
        cluster::decode_batch(Message::copied(pool(), sound.bytes().first(size)), graph()).ok());
  }
}

}  // namespace
}  // namespace gls::test
