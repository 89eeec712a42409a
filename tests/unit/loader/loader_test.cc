#include "loader/pipeline/loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "test_graph.h"

namespace gls::test {
namespace {

constexpr int64_t kNodes = 997;

// Node v has in-neighbours v+1 .. v+8 (mod n); column "x" row v is {v, v + 0.5}, label "y" is 3 v.
std::shared_ptr<const Dataset> ring(const std::shared_ptr<Context>& context) {
  TestGraph graph;
  graph.nodes = {{"node", kNodes}};
  graph.edges = {{"node__to__node", {}, {}, {}, {}}};
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int64_t i = 1; i <= 8; ++i) {
      graph.edges[0].source.push_back((v + i) % kNodes);
      graph.edges[0].target.push_back(v);
    }
  }
  const auto plain = make_dataset(context, graph);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  std::vector<float> x;
  std::vector<int64_t> y;
  for (int64_t v = 0; v < kNodes; ++v) {
    x.push_back(static_cast<float>(v));
    x.push_back(static_cast<float>(v) + 0.5F);
    y.push_back(3 * v);
  }
  const Tensor flat = tensor_of(x, kFloat32);
  nodes[0].columns.push_back(
      {"x", GLS_ROLE_FEATURE, Tensor(flat.owner(), flat.data(), kFloat32, {kNodes, 2})});
  nodes[0].columns.push_back({"y", GLS_ROLE_LABEL, tensor_of(y, kInt64)});
  return Dataset::create(context, std::move(nodes), std::move(edges)).take();
}

std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                            uint64_t seed = 11) {
  SamplerOptions options;
  options.seed = seed;
  options.num_hops = 2;
  options.fanouts = {{3, 2}};
  return Sampler::create(dataset, options).take();
}

LoaderOptions options_for(const Sampler& sampler, uint64_t batch_size) {
  LoaderOptions options;
  options.plan.batch_size = batch_size;
  const NodeType& type = sampler.dataset()->node_types()[0];
  options.columns = {{true, 0, &type.columns[0], false, kFloat32},
                     {true, 0, &type.columns[1], true, kInt64}};
  return options;
}

std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Sampler>& sampler,
                                    const LoaderOptions& options) {
  auto loader = Loader::create(sampler, Tensor(), options);
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  return loader.take();
}

std::vector<std::shared_ptr<Batch>> drain(Loader& loader) {
  std::vector<std::shared_ptr<Batch>> batches;
  for (;;) {
    std::shared_ptr<Batch> batch;
    auto next = loader.next(-1, &batch);
    EXPECT_TRUE(next.ok()) << next.status().message();
    if (!next.ok() || *next == Loader::Next::kEnd) {
      return batches;
    }
    EXPECT_EQ(*next, Loader::Next::kBatch);
    batches.push_back(std::move(batch));
  }
}

// What identifies a batch byte for byte: all ids and features.
std::vector<double> contents(const Batch& batch) {
  std::vector<double> out = {static_cast<double>(batch.epoch), static_cast<double>(batch.number)};
  for (const Tensor& tensor : {batch.nodes[0].node, batch.edges[0].row(), batch.edges[0].col(),
                               batch.inputs[0].positions}) {
    for (const int64_t value : values_of(tensor)) {
      out.push_back(static_cast<double>(value));
    }
  }
  const Tensor& x = batch.columns[0].data;
  out.insert(out.end(), x.as<float>(), x.as<float>() + x.rows() * 2);
  return out;
}

std::vector<std::vector<double>> all_contents(Loader& loader) {
  std::vector<std::vector<double>> out;
  for (const auto& batch : drain(loader)) {
    out.push_back(contents(*batch));
  }
  return out;
}

TEST(Loader, GathersWhatItSampled) {
  const auto sampler = make_sampler(ring(make_context()));
  const auto loader = make_loader(sampler, options_for(*sampler, 100));
  const auto batches = drain(*loader);
  ASSERT_EQ(batches.size(), 10u);
  for (size_t b = 0; b < batches.size(); ++b) {
    const Batch& batch = *batches[b];
    EXPECT_EQ(batch.number, b);
    const std::vector<int64_t> nodes = values_of(batch.nodes[0].node);
    const std::vector<int64_t> input = values_of(batch.inputs[0].positions);
    EXPECT_EQ(input.size(), b < 9 ? 100u : 97u);
    for (size_t i = 0; i < input.size(); ++i) {
      EXPECT_EQ(nodes[i], input[i]);
      EXPECT_EQ(batch.columns[1].data.as<int64_t>()[i], 3 * nodes[i]);
    }
    EXPECT_EQ(batch.columns[1].data.rows(), static_cast<int64_t>(input.size()));
    ASSERT_EQ(batch.columns[0].data.rows(), static_cast<int64_t>(nodes.size()));
    for (size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_EQ(batch.columns[0].data.as<float>()[2 * i], static_cast<float>(nodes[i]));
      EXPECT_EQ(batch.columns[0].data.as<float>()[2 * i + 1], static_cast<float>(nodes[i]) + 0.5F);
    }
  }
  EXPECT_EQ(drain(*loader).size(), 0u);  // the end stays the end
  const LoaderStats stats = loader->stats();
  EXPECT_EQ(stats.batches, 10u);
  EXPECT_EQ(stats.seeds, static_cast<uint64_t>(kNodes));
  EXPECT_GT(stats.sample_ns, 0u);
  EXPECT_GT(stats.gather_ns, 0u);
  EXPECT_GT(stats.wall_ns, 0u);
  EXPECT_EQ(stats.ready_batches, 0u);
}

TEST(Loader, SameForAnyNumberOfThreadsAndPrefetch) {
  std::vector<std::vector<double>> expected;
  for (const unsigned threads : {1, 2, 5}) {
    const auto sampler = make_sampler(ring(make_context(threads)));
    for (const uint32_t prefetch : {1u, 3u, 50u}) {
      LoaderOptions options = options_for(*sampler, 64);
      options.plan.shuffle = true;
      options.prefetch = prefetch;
      const auto loader = make_loader(sampler, options);
      loader->seek(4);
      const auto found = all_contents(*loader);
      expected = expected.empty() ? found : expected;
      EXPECT_EQ(found, expected) << threads << " threads, prefetch " << prefetch;
    }
  }
}

TEST(Loader, ShuffleIsAPermutationThatChangesWithTheEpoch) {
  const auto sampler = make_sampler(ring(make_context()));
  LoaderOptions options = options_for(*sampler, 50);
  options.plan.shuffle = true;
  const auto loader = make_loader(sampler, options);
  std::vector<std::vector<int64_t>> orders;
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    loader->seek(epoch);
    std::vector<int64_t> order;
    for (const auto& batch : drain(*loader)) {
      EXPECT_EQ(batch->epoch, epoch);
      for (const int64_t position : values_of(batch->inputs[0].positions)) {
        order.push_back(position);
      }
    }
    EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), static_cast<size_t>(kNodes));
    orders.push_back(order);
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
}

TEST(Loader, TrainersTogetherMakeTheEpoch) {
  const auto sampler = make_sampler(ring(make_context()));
  LoaderOptions options = options_for(*sampler, 40);
  options.plan.shuffle = true;
  const auto expected = all_contents(*make_loader(sampler, options));  // 25 batches
  for (const uint64_t world : {2, 3, 7}) {
    for (const Even even : {Even::kNone, Even::kDrop, Even::kRepeat}) {
      std::vector<std::vector<std::vector<double>>> parts;
      for (uint64_t rank = 0; rank < world; ++rank) {
        options.plan.rank = rank;
        options.plan.world_size = world;
        options.plan.even = even;
        parts.push_back(all_contents(*make_loader(sampler, options)));
      }
      const size_t total = even == Even::kNone   ? expected.size()
                           : even == Even::kDrop ? expected.size() / world * world
                                                 : (expected.size() + world - 1) / world * world;
      for (size_t b = 0; b < total; ++b) {
        ASSERT_LT(b / world, parts[b % world].size());
        EXPECT_EQ(parts[b % world][b / world], expected[b % expected.size()]);
      }
      if (even != Even::kNone) {
        for (const auto& part : parts) {
          EXPECT_EQ(part.size(), total / world);
        }
      }
    }
  }
}

TEST(Loader, ResumesWithAnotherWorldAndOtherThreads) {
  const auto sampler = make_sampler(ring(make_context(1)));
  LoaderOptions options = options_for(*sampler, 40);
  options.plan.shuffle = true;
  const auto whole = make_loader(sampler, options);
  whole->seek(6);
  const auto expected = all_contents(*whole);
  // Two trainers make three steps each: six batches are done.
  std::string state;
  for (uint64_t rank = 0; rank < 2; ++rank) {
    options.plan.rank = rank;
    options.plan.world_size = 2;
    const auto loader = make_loader(sampler, options);
    loader->seek(6);
    for (int step = 0; step < 3; ++step) {
      std::shared_ptr<Batch> batch;
      ASSERT_TRUE(loader->next(-1, &batch).ok());
    }
    if (rank == 0) {
      state = loader->save();
    } else {
      EXPECT_EQ(loader->save(), state) << "any trainer's state will do";
    }
  }
  EXPECT_LT(state.size(), size_t{GLS_LOADER_STATE_MAX});
  const auto other = make_sampler(ring(make_context(4)));
  for (const uint64_t world : {1, 2, 3}) {
    std::map<size_t, std::vector<double>> found;
    for (uint64_t rank = 0; rank < world; ++rank) {
      LoaderOptions resumed = options_for(*other, 40);
      resumed.plan.shuffle = true;
      resumed.plan.rank = rank;
      resumed.plan.world_size = world;
      const auto loader = make_loader(other, resumed);
      const Status status = loader->restore(state);
      ASSERT_TRUE(status.ok()) << status.message();
      size_t at = 6 + rank;
      for (const auto& batch : all_contents(*loader)) {
        found[at] = batch;
        at += world;
      }
    }
    ASSERT_EQ(found.size(), expected.size() - 6);
    for (const auto& [at, batch] : found) {
      EXPECT_EQ(batch, expected[at]) << "batch " << at << " world " << world;
    }
  }
}

TEST(Loader, RefusesAForeignState) {
  const auto dataset = ring(make_context());
  const auto sampler = make_sampler(dataset);
  const auto loader = make_loader(sampler, options_for(*sampler, 40));
  const std::string state = loader->save();
  EXPECT_TRUE(loader->restore(state).ok());
  const auto refuse = [&](Loader& other, const char* word) {
    const Status status = other.restore(state);
    EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_NE(status.message().find(word), std::string::npos) << status.message();
  };
  refuse(*make_loader(sampler, options_for(*sampler, 41)), "batch_size");
  const auto reseeded = make_sampler(dataset, 12);
  refuse(*make_loader(reseeded, options_for(*reseeded, 40)), "seed");
  LoaderOptions shuffled = options_for(*sampler, 40);
  shuffled.plan.shuffle = true;
  refuse(*make_loader(sampler, shuffled), "shuffle");
  std::vector<int64_t> ids;
  for (int64_t v = kNodes; v-- > 0;) {
    ids.push_back(v);
  }
  refuse(*Loader::create(sampler, tensor_of(ids, kInt64), options_for(*sampler, 40)).take(),
         "seeds");
  for (const char* text : {"", "{}", "[1]", "null", "{\"gls_loader\":1}", "\xff"}) {
    EXPECT_FALSE(loader->restore(text).ok()) << text;
  }
  EXPECT_EQ(loader->restore("{\"gls_loader\":2}").code(), GLS_ERR_UNSUPPORTED);
}

TEST(Loader, KeepsItsBounds) {
  const auto sampler = make_sampler(ring(make_context(4)));
  LoaderOptions options = options_for(*sampler, 10);
  options.prefetch = 3;
  const auto loader = make_loader(sampler, options);
  std::shared_ptr<Batch> batch;
  ASSERT_TRUE(loader->next(-1, &batch).ok());
  const uint64_t bytes = batch->bytes();
  while (loader->stats().ready_batches < 3) {
    std::this_thread::yield();
  }
  for (int i = 0; i < 200; ++i) {  // nobody takes any: it must stay at three
    EXPECT_EQ(loader->stats().ready_batches, 3u);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  // Bounded in bytes: room for two batches and a bit.
  options.prefetch = 50;
  options.prefetch_bytes = 3 * bytes;
  const auto tight = make_loader(sampler, options);
  size_t count = 0;
  for (;; ++count) {
    auto next = tight->next(-1, &batch);
    ASSERT_TRUE(next.ok());
    if (*next == Loader::Next::kEnd) {
      break;
    }
    EXPECT_LE(tight->stats().ready_bytes, 4 * bytes);
  }
  EXPECT_EQ(count, 100u);
  // A bound smaller than one batch still lets one through at a time.
  options.prefetch_bytes = 1;
  EXPECT_EQ(drain(*make_loader(sampler, options)).size(), 100u);
}

TEST(Loader, CancelWakesAWaitingCall) {
  const auto context = make_context(1);
  const auto sampler = make_sampler(ring(context));
  const auto loader = make_loader(sampler, options_for(*sampler, 10));
  // Keep the only worker busy, so that next() has to wait.
  std::atomic<bool> go{false};
  context->pool().submit([&go] {
    while (!go) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  std::shared_ptr<Batch> batch;
  auto poll = loader->next(0, &batch);
  ASSERT_TRUE(poll.ok());
  EXPECT_EQ(*poll, Loader::Next::kNotYet);
  auto shortly = loader->next(5, &batch);
  ASSERT_TRUE(shortly.ok());
  EXPECT_EQ(*shortly, Loader::Next::kNotYet);
  std::thread canceller([&loader] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    loader->cancel();
  });
  EXPECT_EQ(loader->next(-1, &batch).status().code(), GLS_ERR_CANCELED);
  canceller.join();
  EXPECT_EQ(loader->next(-1, &batch).status().code(), GLS_ERR_CANCELED);
  go = true;
  loader->seek(0);
  EXPECT_EQ(drain(*loader).size(), 100u);
}

TEST(Loader, AnErrorIsOfItsBatchAndTheRestGoesOn) {
  // Row 500 of indptr is damaged: only batches that reach it fail.
  const auto context = make_context();
  std::vector<int64_t> indptr;
  std::vector<int32_t> indices;
  for (int64_t v = 0; v <= kNodes; ++v) {
    indptr.push_back(v);
  }
  for (int64_t v = 0; v < kNodes; ++v) {
    indices.push_back(static_cast<int32_t>(v));
  }
  indptr[500] = -1;
  NodeType nodes;
  nodes.name = "node";
  nodes.count = kNodes;
  EdgeType edges;
  edges.name = {"node", "to", "node"};
  edges.joined = edges.name.joined();
  edges.count = kNodes;
  edges.csc = Topology::make(tensor_of(indptr, kInt64), tensor_of(indices, kInt32), Tensor(),
                             kNodes, kNodes, kNodes, "test")
                  .take();
  const auto sampler = make_sampler(Dataset::create(context, {nodes}, {edges}).take());
  LoaderOptions options;
  options.plan.batch_size = 100;
  const auto loader = make_loader(sampler, options);
  std::vector<int> failed;
  for (int b = 0; b < 10; ++b) {
    std::shared_ptr<Batch> batch;
    auto next = loader->next(-1, &batch);
    if (!next.ok()) {
      EXPECT_EQ(next.status().code(), GLS_ERR_CORRUPT_DATA);
      failed.push_back(b);
    }
  }
  EXPECT_EQ(failed, (std::vector<int>{4, 5}));  // rows 499 and 500 share the damaged end
  std::shared_ptr<Batch> batch;
  EXPECT_EQ(*loader->next(-1, &batch), Loader::Next::kEnd);
}

TEST(Loader, ReleaseInTheMiddleOfWork) {
  for (int round = 0; round < 30; ++round) {
    const auto sampler = make_sampler(ring(make_context(3)));
    LoaderOptions options = options_for(*sampler, 20);
    options.prefetch = 20;
    auto loader = make_loader(sampler, options);
    std::shared_ptr<Batch> batch;
    ASSERT_TRUE(loader->next(-1, &batch).ok());
    if (round % 3 == 1) {
      loader->seek(1);
      ASSERT_TRUE(loader->next(-1, &batch).ok());
    }
    loader.reset();
    EXPECT_EQ(values_of(batch->nodes[0].node)[0], values_of(batch->inputs[0].positions)[0]);
  }
}

TEST(Loader, ChecksItsOptions) {
  const auto sampler = make_sampler(ring(make_context()));
  LoaderOptions options = options_for(*sampler, 0);
  EXPECT_EQ(Loader::create(sampler, Tensor(), options).status().code(), GLS_ERR_INVALID_ARGUMENT);
  options = options_for(*sampler, 10);
  options.plan.rank = 2;
  options.plan.world_size = 2;
  EXPECT_EQ(Loader::create(sampler, Tensor(), options).status().code(), GLS_ERR_INVALID_ARGUMENT);
  options = options_for(*sampler, 10);
  auto bad = Loader::create(sampler, tensor_of<int64_t>({5, kNodes}, kInt64), options);
  EXPECT_EQ(bad.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_NE(bad.status().message().find("997"), std::string::npos);
  auto empty = Loader::create(sampler, tensor_of<int64_t>({}, kInt64), options);
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(drain(**empty).empty());
}

}  // namespace
}  // namespace gls::test
