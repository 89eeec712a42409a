// Questions about batches that are not what they should be.
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "cluster/batches/batch_recipe.h"
#include "cluster/batches/batch_service.h"
#include "cluster/discovery/graph_description.h"
#include "ingest_support.h"
#include "part_graph.h"

namespace gls::test {
namespace {

using cluster::BatchesRequest;
using net::Message;

const std::shared_ptr<Context>& shared_context() {
  static const std::shared_ptr<Context> out = make_context(2);
  return out;
}

const std::shared_ptr<const Dataset>& graph() {
  static const std::shared_ptr<const Dataset> out = whole_with_features(shared_context());
  return out;
}

const std::shared_ptr<BufferPool>& pool() { return shared_context()->buffers(); }

constexpr uint64_t kGraph = 77;

BatchesRequest sound_request() {
  BatchesRequest out;
  out.graph = kGraph;
  out.sampler.seed = 5;
  out.sampler.num_hops = 2;
  out.sampler.fanouts = {{3, 2}, {2, 2}, {2, 0}};
  out.sampler.edge_ids = true;
  out.sampler.exclude = {{0, ids64({1, 2, 3})}};
  out.sampler.reverse_types = {{1, 2}};
  out.seeds.ids = ids64({5, 3, 9, 50, 7, 8});
  out.batch_size = 2;
  out.shuffle = true;
  out.columns = {{true, 0, "x", false, kFloat32}, {true, 0, "y", true, kInt64}};
  return out;
}

// Something of everything that a question may say.
BatchesRequest full_request() {
  BatchesRequest out = sound_request();
  SamplerOptions& options = out.sampler;
  options.direction = Direction::kOut;
  options.replace = Replace::kAbove;
  options.disjoint = true;
  options.toward_seeds = true;
  options.int32 = true;
  options.weight = "weight";
  options.exclude_mode = ExcludeMode::kReverseTypes;
  options.reverse_column = "reverse";
  options.node_time = "time";
  options.edge_time = "time";
  options.time_strict = true;
  options.time_window = -3;
  options.time_strategy = TimeStrategy::kLast;
  options.subgraph = Subgraph::kBidirectional;
  options.negatives = {NegativeMode::kTriplet, true, true, true, true, 2.5, 3, "a", "b", 9};
  options.walk = WalkOptions{5, 2, 0.5, 4, 0.25, 0.125, {0, 0}};
  options.exclude_links = true;
  options.pick = Pick::kLayer;
  options.batch_dependency = 7;
  options.layer_dependent = true;
  options.supervisions = {{2, 1, "likes", true, true, 4}, {{}, 1, "given", false, false, 0}};
  options.importance = ImportanceOptions{3, 4, 5, 6, 0.5, {1, 2}};
  options.ppr = PprOptions{4, 0.25, 1e-3, false, 99, 5, {0, 1}, {{{0}, 0.25}, {{1}, 0.75}}};
  options.hgt = HgtOptions{2, {{1, 2}, {3, 4}}, 6};
  out.seeds.links = true;
  out.seeds.type = 1;
  out.seeds.times = ids64({1, 2, 3, 4, 5, 6});
  out.seeds.labels = rows_tensor<float>(6, 3, kFloat32);
  out.seeds.anchor_labels = {Tensor(), rows_tensor<int64_t>(6, 2, kInt64)};
  out.id_set = "train";
  out.rule = {SeedsBy::kCluster, SeedWeighting::kInverseDegree, "weight", 12, "cluster",
              ids64({0, 1, 0})};
  out.drop_last = true;
  return out;
}

// A sound question about a sampler that is of no neighbourhoods.
BatchesRequest request_of(const std::function<void(SamplerOptions*)>& set) {
  BatchesRequest out = sound_request();
  out.sampler = SamplerOptions();
  out.sampler.seed = 5;
  out.sampler.exclude = {{0, ids64({1, 2, 3})}};
  set(&out.sampler);
  return out;
}

BatchesRequest walks_request() {
  return request_of([](SamplerOptions* o) {
    o->walk = WalkOptions{5, 2, 0.5, 4, 0.25, 0.125, {0}};
    o->edge_ids = true;
    o->subgraph = Subgraph::kInduced;
  });
}

BatchesRequest importance_request() {
  return request_of(
      [](SamplerOptions* o) { o->importance = ImportanceOptions{3, 4, 5, 2, 0.5, {0}}; });
}

BatchesRequest ppr_request() {
  return request_of([](SamplerOptions* o) {
    o->ppr = PprOptions{4, 0.25, 1e-2, false, 99, 5, {0, 1, 2}, {{{0}, 0.25}, {{1, 2}, 0.75}}};
  });
}

BatchesRequest hgt_request() {
  return request_of([](SamplerOptions* o) {
    o->hgt = HgtOptions{2, {{1, 2}, {3, 4}}, 6};
    o->edge_ids = true;
  });
}

BatchesRequest links_request() {
  BatchesRequest out = sound_request();
  out.sampler.negatives = {NegativeMode::kBinary, true, true, false, false, 1.5, 3, "", "", 9};
  out.seeds.links = true;
  return out;
}

BatchesRequest anchors_request() {
  BatchesRequest out = sound_request();
  out.sampler.supervisions = {{2, 1, "likes", true, true, 4}, {{}, 1, "given", false, false, 0}};
  out.seeds.anchor_labels = {Tensor(), rows_tensor<int64_t>(6, 2, kInt64)};
  return out;
}

// One of each kind, of which there are loaders.
std::vector<BatchesRequest> sound_requests() {
  std::vector<BatchesRequest> out;
  out.push_back(sound_request());
  out.push_back(walks_request());
  out.push_back(importance_request());
  out.push_back(ppr_request());
  out.push_back(hgt_request());
  out.push_back(links_request());
  out.push_back(anchors_request());
  return out;
}

std::vector<BatchesRequest> all_requests() {
  std::vector<BatchesRequest> out = sound_requests();
  out.push_back(full_request());
  return out;
}

std::vector<std::byte> bytes_of(const Message& message) {
  return {message.bytes().begin(), message.bytes().end()};
}

Result<BatchesRequest> decode(const std::vector<std::byte>& bytes) {
  const auto kept = std::make_shared<const Message>(Message::copied(pool(), bytes));
  return cluster::decode_batches_request(kept->bytes(), kept);
}

// What came out says the same again.
TEST(BatchesRequest, SaysEverything) {
  for (const BatchesRequest& request : all_requests()) {
    const std::vector<std::byte> bytes = bytes_of(cluster::encode(pool(), request).take());
    auto read = decode(bytes);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(bytes_of(cluster::encode(pool(), *read).take()), bytes);
  }
  // Each of these changes the bytes, and so is another question.
  const std::vector<std::byte> plain = bytes_of(cluster::encode(pool(), sound_request()).take());
  const std::vector<std::function<void(BatchesRequest*)>> changes = {
      [](auto* r) { r->sampler.seed = 6; },
      [](auto* r) { r->sampler.fanouts[2][1] = 1; },
      [](auto* r) {
        r->sampler.exclude[0].edges = ids64({1, 2, 4});
      },
      [](auto* r) {
        r->seeds.ids = ids64({5, 3, 9, 50, 7, 9});
      },
      [](auto* r) { r->batch_size = 3; },
      [](auto* r) { r->shuffle = false; },
      [](auto* r) { r->columns.pop_back(); },
      [](auto* r) { r->columns[0].seeds_only = true; },
  };
  for (const auto& change : changes) {
    BatchesRequest request = sound_request();
    change(&request);
    EXPECT_NE(bytes_of(cluster::encode(pool(), request).take()), plain);
  }
}

// ---- a service, asked directly ----

class BadBatchQuestions : public testing::Test {
 protected:
  ~BadBatchQuestions() override { service_->stop(); }

  using Future = void (BatchService::*)(cluster::Bytes, BatchService::Asker, BatchService::Done);
  Result<Message> ask(Future answer, const std::vector<std::byte>& bytes) {
    const auto kept = std::make_shared<const Message>(Message::copied(pool(), bytes));
    auto outcome = std::make_shared<std::promise<Result<Message>>>();
    auto future = outcome->get_future();
    (service_.get()->*answer)(
        kept->bytes(), {1, [] { return true; }, kept},
        [outcome](Result<Message> reply) { outcome->set_value(std::move(reply)); });
    EXPECT_EQ(future.wait_for(std::chrono::seconds(30)), std::future_status::ready);
    return future.get();
  }
  Result<Message> open(const BatchesRequest& request) {
    return ask(&BatchService::open, bytes_of(cluster::encode(pool(), request).take()));
  }
  uint64_t opened() {
    auto reply = open(sound_request());
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return cluster::decode_opened(reply->bytes()).take();
  }
  Result<Message> batch(const cluster::BatchRequest& request) {
    return ask(&BatchService::batch, bytes_of(cluster::encode(pool(), request)));
  }
  void expect_refused(const std::function<void(BatchesRequest*)>& change, const std::string& words,
                      BatchesRequest request = sound_request()) {
    change(&request);
    auto reply = open(request);
    ASSERT_FALSE(reply.ok()) << words;
    EXPECT_EQ(reply.status().code(), GLS_ERR_INVALID_ARGUMENT) << reply.status().message();
    EXPECT_MESSAGE(reply.status(), words);
  }

  std::shared_ptr<BatchService> service_ = std::make_shared<BatchService>(
      shared_context(), kGraph,
      [](const std::shared_ptr<Context>&,
         const std::function<bool()>&) -> Result<BatchService::OpenedGraph> {
        return BatchService::OpenedGraph{graph(), {}};
      });
};

TEST_F(BadBatchQuestions, NumbersThatDoNotFitTheGraph) {
  expect_refused([](auto* r) { r->graph = 1; }, "another partition is served here");
  expect_refused([](auto* r) { r->sampler.exclude[0].edge_type = 3; },
                 "exclude: type number 3, of 3");
  expect_refused([](auto* r) { r->sampler.reverse_types = {{0, 9}}; }, "reverse_types: type");
  expect_refused(
      [](auto* r) {
        r->sampler.supervisions = {{7, 0, "a", false, false, 0}};
      },
      "supervisions: type number 7");
  expect_refused(
      [](auto* r) {
        r->sampler.supervisions = {{0, 2, "a", false, false, 0}};
      },
      "supervisions: type number 2");
  expect_refused([](auto* r) { r->sampler.walk = WalkOptions{2, 1, 1, 1, 0, 0, {5}}; },
                 "path: type number 5");
  expect_refused([](auto* r) { r->sampler.importance = ImportanceOptions{3, 1, 1, 1, 0, {4}}; },
                 "path: type number 4");
  expect_refused(
      [](auto* r) {
        r->sampler.ppr.emplace();
        r->sampler.ppr->channels = {{{3}, 1.0}};
      },
      "channels: type number 3");
  expect_refused([](auto* r) { r->seeds.type = 2; }, "seeds: type number 2, of 2");
  expect_refused([](auto* r) { r->columns[0].type = 2; }, "columns: type number 2, of 2");
  expect_refused([](auto* r) { r->sampler.fanouts.pop_back(); }, "fanouts: ");
  expect_refused([](auto* r) { r->seeds.ids = ids64({2000}); }, "seeds: node 2000");
  expect_refused([](auto* r) { r->batch_size = 0; }, "batch_size is 0");
  expect_refused([](auto* r) { r->rule.cluster = "y"; }, "cluster: it does not fit");
  expect_refused([](auto* r) { r->rule.by = SeedsBy::kCluster; }, "cluster: it does not fit");
  expect_refused([](auto* r) { r->id_set = "train"; }, "id_set: the seeds are given, too");
  expect_refused([](auto* r) { r->seeds.anchor_labels.resize(1); }, "anchor_labels: as many");
  expect_refused(
      [](auto* r) {
        r->sampler.walk = WalkOptions{2, 1, 1, 1, 0, 0, {0}};
        r->sampler.disjoint = true;
      },
      "kind: options of several kinds");
  expect_refused(
      [](auto* r) {
        r->sampler.walk = WalkOptions{2, 1, 1, 1, 0, 0, {0}};
        r->sampler.hgt = HgtOptions{1, {{1}, {1}}, 6};
      },
      "kind: options of several kinds");
}

// What the C interface cannot say, as its numbers are smaller or checked there.
TEST_F(BadBatchQuestions, NumbersBeyondTheirBounds) {
  for (const BatchesRequest& request : sound_requests()) {
    auto reply = open(request);
    EXPECT_TRUE(reply.ok()) << reply.status().message();
  }
  constexpr size_t kTooMany = size_t{1} << 32;
  expect_refused([](auto* r) { r->sampler.ppr->neighbors = kTooMany; },
                 "neighbors is 4294967296, expected 1 to 4294967295", ppr_request());
  expect_refused([](auto* r) { r->sampler.ppr->neighbors = ~size_t{0}; },
                 "neighbors is 18446744073709551615", ppr_request());
  expect_refused([](auto* r) { r->sampler.ppr->row_limit = -1; }, "row_limit is -1", ppr_request());
  expect_refused([](auto* r) { r->sampler.ppr->row_limit = int64_t{1} << 32; },
                 "row_limit is 4294967296", ppr_request());
  expect_refused([](auto* r) { r->sampler.ppr->max_edges = ~uint64_t{0}; }, "max_edges is ",
                 ppr_request());
  expect_refused([](auto* r) { r->sampler.importance->neighbors = kTooMany; },
                 "neighbors is 4294967296, expected 1 to 4294967295", importance_request());
  expect_refused([](auto* r) { r->sampler.importance->traversals = ~size_t{0}; }, "traversals is ",
                 importance_request());
  expect_refused([](auto* r) { r->sampler.importance->hops = kTooMany; }, "hops is 4294967296",
                 importance_request());
  expect_refused([](auto* r) { r->sampler.walk->walks = kTooMany; }, "walks is 4294967296",
                 walks_request());
  expect_refused([](auto* r) { r->sampler.walk->length = kTooMany; }, "length is 4294967296",
                 walks_request());
  expect_refused([](auto* r) { r->sampler.walk->path.assign((size_t{1} << 20) + 1, 0); },
                 "path has 1048577 entries, expected at most 1048576", walks_request());
  expect_refused([](auto* r) { r->sampler.hgt->most_neighbors = int64_t{1} << 32; },
                 "most_neighbors is 4294967296", hgt_request());
  expect_refused([](auto* r) { r->sampler.hgt->samples[1][0] = -2; }, "samples: -2", hgt_request());
  expect_refused([](auto* r) { r->sampler.negatives.degree_quarters = 9; },
                 "degree_power is 2.25, expected a multiple of 0.25 from 0 to 2", links_request());
  expect_refused([](auto* r) { r->sampler.negatives.degree_quarters = ~uint32_t{0}; },
                 "degree_power is ", links_request());
  expect_refused([](auto* r) { r->sampler.negatives.amount = 1e12; }, "amount is ",
                 links_request());
  expect_refused([](auto* r) { r->sampler.negatives.tries = ~uint32_t{0}; }, "tries is ",
                 links_request());
  expect_refused([](auto* r) { r->sampler.supervisions[0].max_labels = int64_t{1} << 32; },
                 "max_labels of \"likes\" is 4294967296", anchors_request());
  expect_refused([](auto* r) { r->sampler.supervisions[0].node_type = 0; },
                 "labels of \"likes\" are of type \"user\"", anchors_request());
  expect_refused([](auto* r) { r->batch_size = kTooMany; }, "batch_size is 4294967296");
  expect_refused(
      [](auto* r) {
        r->shuffle = false;
        r->rule.by = SeedsBy::kDraw;
        r->rule.batches = uint64_t{1} << 40;
      },
      "batches is 1099511627776");
  // Hops that no fanouts belong to.
  for (BatchesRequest request : {walks_request(), ppr_request(), hgt_request()}) {
    expect_refused([](auto* r) { r->sampler.num_hops = 3; }, "kind: options of several kinds",
                   std::move(request));
  }
}

TEST_F(BadBatchQuestions, BytesThatAreNoQuestion) {
  const std::vector<std::byte> sound = bytes_of(cluster::encode(pool(), sound_request()).take());
  for (size_t size = 0; size < sound.size(); size += 13) {
    const std::vector<std::byte> cut(sound.begin(), sound.begin() + static_cast<int64_t>(size));
    EXPECT_FALSE(decode(cut).ok()) << size;
  }
  std::vector<std::byte> longer = sound;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer).ok());
  // Whatever one byte is, there is an error or a loader.
  for (const BatchesRequest& request : all_requests()) {
    const std::vector<std::byte> bytes = bytes_of(cluster::encode(pool(), request).take());
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (const std::byte flip : {std::byte{0x01}, std::byte{0x80}}) {
        std::vector<std::byte> changed = bytes;
        changed[at] ^= flip;
        auto read = decode(changed);
        if (read.ok()) {
          auto loader = cluster::make_loader(graph(), read.take());
          EXPECT_TRUE(loader.ok() || !loader.status().message().empty());
        }
      }
    }
  }
  // Batches are no loaders, and loaders no batches.
  EXPECT_FALSE(ask(&BatchService::batch, sound).ok());
  EXPECT_FALSE(
      ask(&BatchService::open, bytes_of(cluster::encode(pool(), cluster::BatchRequest{}))).ok());
}

TEST_F(BadBatchQuestions, BatchesThatThereAreNot) {
  const uint64_t number = opened();
  EXPECT_EQ(opened(), number);
  auto reply = batch({number, 0, 2, {}});
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  reply = batch({number, 0, 3, {}});
  EXPECT_EQ(reply.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(reply.status(), "batch is 3, but an epoch has 3 batches");
  reply = batch({number + 1, 0, 0, {}});
  EXPECT_TRUE(cluster::is_unknown_batches(reply.status()));
  // What will be asked for may be nonsense; it is not made.
  EXPECT_TRUE(batch({number, 9, 1, {~uint64_t{0}, 3, 1, 1, 2}}).ok());
  reply = batch({number, 0, 0, std::vector<uint64_t>(cluster::kMostNext + 1)});
  EXPECT_EQ(reply.status().code(), GLS_ERR_CORRUPT_DATA);
  const std::vector<std::byte> sound =
      bytes_of(cluster::encode(pool(), cluster::BatchRequest{number, 0, 1, {1, 2}}));
  for (size_t at = 0; at < sound.size(); ++at) {
    std::vector<std::byte> changed = sound;
    changed[at] ^= std::byte{0xff};
    static_cast<void>(ask(&BatchService::batch, changed).ok());
    const std::vector<std::byte> cut(sound.begin(), sound.begin() + static_cast<int64_t>(at));
    EXPECT_FALSE(ask(&BatchService::batch, cut).ok());
  }
}

}  // namespace
}  // namespace gls::test
