// Batches that servers make are those that a loader makes of the whole.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "batch_servers.h"
#include "cluster/batches/batch_recipe.h"
#include "hop_client.h"
#include "sanitized.h"

namespace gls::test {
namespace {

// ---- kinds of samplers, seeds and columns ----

struct KindCase {
  std::string name;
  Load load;
};

WalkOptions walks() {
  WalkOptions out;
  out.path = {0};
  out.length = 4;
  out.walks = 2;
  return out;
}

std::vector<KindCase> kinds() {
  std::vector<KindCase> out;
  const auto add = [&](
                       const std::string& name, std::function<void(SamplerOptions*)> sampling,
                       std::function<void(LoaderOptions*)> loading = [](LoaderOptions*) {},
                       Tensor seeds = {}) {
    out.push_back({name, {std::move(sampling), std::move(loading), std::move(seeds)}});
  };
  for (const HopCase& given : hop_cases()) {
    const bool timed = given.name == "edge_time" || given.name == "time_weighted";
    add(given.name, given.set, [timed](LoaderOptions* o) {
      if (timed) {
        o->times = ids64(std::vector<int64_t>(static_cast<size_t>(kUsers), 600));
      }
    });
  }
  const auto plain = [](SamplerOptions*) {};
  const auto links = [](LoaderOptions* o) {
    o->edge_type = 0;
    o->plan.batch_size = 100;
  };
  const auto of_users = [](SamplerOptions* o) {
    o->num_hops = 0;
    o->fanouts.clear();
    o->edge_ids = false;
  };
  add("walks", [=](SamplerOptions* o) {
    of_users(o);
    o->walk = walks();
  });
  add("walks_induced", [=](SamplerOptions* o) {
    of_users(o);
    o->edge_ids = true;
    o->walk = walks();
    o->subgraph = Subgraph::kInduced;
  });
  add("importance", [=](SamplerOptions* o) {
    of_users(o);
    o->importance.emplace();
    o->importance->neighbors = 5;
    o->importance->path = {0};
  });
  add("ppr", [=](SamplerOptions* o) {
    of_users(o);
    o->ppr.emplace();
    o->ppr->epsilon = 1e-2;
    o->ppr->channels = {{{0}, 0.5}, {{1, 2}, 0.5}};
  });
  add("hgt", [=](SamplerOptions* o) {
    of_users(o);
    o->hgt.emplace();
    o->hgt->num_hops = 2;
    o->hgt->samples = {{20, 10}, {15, 25}};
  });
  add("induced", [](SamplerOptions* o) { o->subgraph = Subgraph::kInduced; });
  add("induced_of_seeds", [](SamplerOptions* o) {
    o->num_hops = 0;
    o->fanouts.assign(o->fanouts.size(), {});
    o->subgraph = Subgraph::kInduced;
  });
  add("both_ways", [](SamplerOptions* o) {
    o->subgraph = Subgraph::kBidirectional;
    o->reverse_types = {{1, 2}};
  });
  add("toward_seeds", [](SamplerOptions* o) {
    o->direction = Direction::kOut;
    o->toward_seeds = true;
  });
  add("without_edges", [](SamplerOptions* o) {
    std::vector<int64_t> ids;
    for (int64_t id = 0; id < 20000; id += 3) {
      ids.push_back(id);
    }
    o->exclude = {{0, ids64(std::move(ids))}};
  });
  add("labels_of_anchors", [](SamplerOptions* o) {
    o->supervisions.push_back({2, 1, "likes", false, true, 5});
  });
  add("links", plain, links);
  add(
      "links_binary",
      [](SamplerOptions* o) {
        o->negatives.mode = NegativeMode::kBinary;
        o->negatives.amount = 1.5;
        o->negatives.strict = true;
        o->exclude_links = true;
      },
      links);
  add(
      "links_triplets",
      [](SamplerOptions* o) {
        o->negatives.mode = NegativeMode::kTriplet;
        o->negatives.amount = 2;
        o->negatives.degree_quarters = 3;
      },
      links, ids64({5, 7, 900, 3, 3, 19999, 42}));
  add(
      "links_of_pairs_with_labels", plain,
      [](LoaderOptions* o) {
        o->edge_type = 0;
        o->plan.batch_size = 2;
        o->labels = tensor_of(std::vector<float>{1, 2, 3, 4, 5}, kFloat32);
      },
      tensor(std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, kInt64, {2, 5}));
  add("drawn", plain, [](LoaderOptions* o) {
    o->plan.shuffle = false;
    o->rule.by = SeedsBy::kDraw;
    o->rule.law = SeedWeighting::kDegree;
    o->rule.batches = 7;
  });
  add("clusters", plain, [](LoaderOptions* o) {
    std::vector<int64_t> of(static_cast<size_t>(kUsers));
    for (size_t i = 0; i < of.size(); ++i) {
      of[i] = static_cast<int64_t>(i % 40);
    }
    o->plan.batch_size = 3;
    o->rule.by = SeedsBy::kCluster;
    o->rule.clusters = ids64(std::move(of));
  });
  add(
      "given_seeds_and_times", [](SamplerOptions* o) { o->edge_time = "time"; },
      [](LoaderOptions* o) {
        o->plan.batch_size = 3;
        o->times = ids64({500, 600, 700, 800, 900});
      },
      ids64({3, 9, 1999, 3, 0}));
  add("items_without_columns", plain, [](LoaderOptions* o) {
    o->node_type = 1;
    o->columns.clear();
  });
  add("padded", plain, [](LoaderOptions* o) {
    o->plan.batch_size = 150;
    o->pad.emplace();
    o->pad->batches = 3;
  });
  add(
      "padded_links_with_triplets",
      [](SamplerOptions* o) {
        o->negatives.mode = NegativeMode::kTriplet;
        o->negatives.amount = 2;
      },
      [](LoaderOptions* o) {
        o->edge_type = 0;
        o->plan.batch_size = 64;
        o->pad.emplace();
        o->pad->batches = 2;
      });
  return out;
}

class RemoteBatches : public testing::TestWithParam<std::string> {};

TEST_P(RemoteBatches, AreThoseOfTheWhole) {
  const CutGraph& graph = CutGraph::of(3);
  const auto servers = start_all(graph, GetParam());
  const auto served = open("gls://" + servers.back()->address(), GetParam());
  // How batches travel does not depend on their kind.
  const size_t step = GetParam() == "self" ? (kSanitized ? 3 : 1) : 4;
  const std::vector<KindCase> all = kinds();
  uint64_t compared = 0;
  for (size_t i = 0; i < all.size(); i += step) {
    const KindCase& given = all[i];
    SCOPED_TRACE(given.name);
    ASSERT_NO_FATAL_FAILURE(expect_same_batches(graph.whole, served, given.load));
    ++compared;
  }
  uint64_t made = 0;
  for (const auto& server : servers) {
    made += server->batches().stats().made;
    EXPECT_GT(server->batches().stats().made, 0U);  // they share the work
    EXPECT_LE(server->batches().loaders(), all.size());
  }
  EXPECT_GE(made, 3 * compared);
}

TEST_P(RemoteBatches, ByNumberAndByIdSet) {
  const CutGraph& graph = CutGraph::of(2);
  const auto server = start(graph, server_options(GetParam()));
  const auto served = open("gls://" + server->address(), GetParam());
  Load load;
  load.seeds = find_id_set(served->node_types()[0], "train", "seeds").take();
  load.loading = [](LoaderOptions* o) { o->plan.batch_size = 3; };
  const auto loader = make_loader(served, load, true);
  load.seeds = find_id_set(graph.whole->node_types()[0], "train", "seeds").take();
  const auto expected = make_loader(graph.whole, load, false);
  for (const uint64_t number : {1, 0}) {
    auto a = expected->sample(7, number);
    auto b = loader->sample(7, number);
    ASSERT_TRUE(b.ok()) << b.status().message();
    expect_same(**a, **b);
    auto c = loader->sample_only(7, number);
    ASSERT_TRUE(c.ok());
    EXPECT_TRUE((*c)->columns.empty());
  }
  EXPECT_EQ(loader->sample(7, 2).status().code(), GLS_ERR_INVALID_ARGUMENT);
}

// A transform runs here, and may write.
TEST_P(RemoteBatches, AreTransformedHere) {
  const CutGraph& graph = CutGraph::of(2);
  const auto server = start(graph, server_options(GetParam()));
  const auto served = open("gls://" + server->address(), GetParam());
  Load load;
  load.loading = [](LoaderOptions* o) {
    o->transform = [](const std::shared_ptr<Batch>& batch) -> Status {
      for (GatheredColumn& column : batch->columns) {
        EXPECT_FALSE(column.data.read_only());
        if (column.data.span_bytes() > 0) {
          *column.data.mutable_data() = std::byte{9};
        }
      }
      return {};
    };
  };
  ASSERT_NO_FATAL_FAILURE(expect_same_batches(graph.whole, served, load));
}

// Ranks, resuming, and states that either kind of loader saved.
TEST_P(RemoteBatches, OfTrainersThatShareAndGoOn) {
  const CutGraph& graph = CutGraph::of(2);
  const auto server = start(graph, server_options(GetParam()));
  const auto served = open("gls://" + server->address(), GetParam());
  for (const uint64_t rank : {0, 1, 2}) {
    Load load;
    load.loading = [&](LoaderOptions* o) {
      o->plan.batch_size = 130;
      o->plan.rank = rank;
      o->plan.world_size = 3;
      o->plan.even = Even::kRepeat;
    };
    const auto expected = make_loader(graph.whole, load, false);
    const auto loader = make_loader(served, load, true);
    expected->seek(4);
    loader->seek(4);
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    const std::string state = expected->save();
    EXPECT_EQ(state, loader->save());
    for (int i = 0; i < 4; ++i) {  // to the end, and once more
      ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    }
    ASSERT_TRUE(loader->restore(state).ok());
    ASSERT_TRUE(expected->restore(state).ok());
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
  }
}

// ---- work is shared ----

TEST_P(RemoteBatches, AreMadeOnceForAllClients) {
  const CutGraph& graph = CutGraph::of(2);
  const auto one = start(graph, server_options(GetParam()));
  const auto two = start(graph, server_options(GetParam(), {}, {one->address()}));
  const std::string url = "gls://" + two->address();
  // All are there before one begins: what is ready goes when nobody is.
  std::vector<std::shared_ptr<Loader>> loaders;
  for (int c = 0; c < 3; ++c) {
    loaders.push_back(make_loader(open(url, GetParam()), {}, true));
  }
  const uint64_t batches = loaders[0]->counts().batches;
  std::vector<std::thread> clients;
  for (const auto& loader : loaders) {
    clients.emplace_back([loader, batches] {
      for (uint64_t epoch = 0; epoch < 2; ++epoch) {
        if (epoch > 0) {
          loader->seek(epoch);
        }
        for (uint64_t i = 0; i < batches; ++i) {
          std::shared_ptr<Batch> batch;
          auto next = loader->next(30000, &batch);
          ASSERT_TRUE(next.ok()) << next.status().message();
          ASSERT_EQ(*next, BatchSource::Next::kBatch);
          EXPECT_EQ(batch->number, i);
        }
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(one->batches().stats().made + two->batches().stats().made, 2 * batches);
  EXPECT_EQ(one->batches().stats().answers + two->batches().stats().answers, 3 * 2 * batches);
  EXPECT_EQ(one->batches().loaders(), 1U);
  EXPECT_EQ(two->batches().loaders(), 1U);
  EXPECT_EQ(one->requests().failures, 0U);
}

// What is made for clients goes with them.
TEST_P(RemoteBatches, AreDroppedWithTheirClients) {
  const CutGraph& graph = CutGraph::of(2);
  const auto server = start(graph, server_options(GetParam()));
  {
    const auto loader = make_loader(open("gls://" + server->address(), GetParam()), {}, true);
    std::shared_ptr<Batch> batch;
    ASSERT_TRUE(loader->next(30000, &batch).ok());
    EXPECT_GT(server->batches().stats().ready, 0U);
  }
  EXPECT_TRUE(net::eventually([&] {
    const BatchScheduler::Stats stats = server->batches().stats();
    return stats.ready_bytes == 0 && stats.clients == 0;
  }));
}

// ---- servers that go and come back ----

TEST_P(RemoteBatches, GoOnWithAnotherServer) {
  const CutGraph& graph = CutGraph::of(2);
  auto one = start(graph, server_options(GetParam()));
  auto two = start(graph, server_options(GetParam(), {}, {one->address()}));
  auto three = start(graph, server_options(GetParam(), {0}, {one->address(), two->address()}));
  const auto served = open("gls://" + three->address(), GetParam());
  Load load;
  load.loading = [](LoaderOptions* o) { o->plan.batch_size = 40; };
  const auto expected = make_loader(graph.whole, load, false);
  const auto loader = make_loader(served, load, true);
  const auto some = [&](int batches) {
    for (int i = 0; i < batches; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    }
  };
  ASSERT_NO_FATAL_FAILURE(some(8));
  one.reset();  // without a farewell
  ASSERT_NO_FATAL_FAILURE(some(14));
  GraphServerOptions again = server_options(GetParam());
  again.listen = two->address();
  two->stop(1000);
  two.reset();
  two = start(graph, again);
  ASSERT_NO_FATAL_FAILURE(some(14));
  three.reset();
  ASSERT_NO_FATAL_FAILURE(some(14));  // to the end of the epoch
  std::shared_ptr<Batch> none;
  EXPECT_EQ(*loader->next(10000, &none), BatchSource::Next::kEnd);
}

// A server that knows nobody who has the rest says so, and another is asked. It is told by those
// who know it.
TEST_P(RemoteBatches, OfAServerThatFindsTheOthers) {
  const CutGraph& graph = CutGraph::of(2);
  const auto alone = start(graph, server_options(GetParam(), {0}));
  const auto whole = start(graph, server_options(GetParam()));
  const std::string url = "gls://" + alone->address() + "," + whole->address();
  ASSERT_NO_FATAL_FAILURE(expect_same_batches(graph.whole, open(url, GetParam()), {}));
  EXPECT_EQ(alone->batches().stats().made, 0U);

  const auto knows = start(graph, server_options(GetParam(), {1}, {alone->address()}));
  const auto served = open("gls://" + knows->address(), GetParam());
  ASSERT_TRUE(net::eventually([&] {
    expect_same_batches(graph.whole, served, {});
    return HasFatalFailure() || alone->batches().stats().made > 0;
  }));
}

TEST_P(RemoteBatches, AreOpenedAgainWhereTheyWereForgotten) {
  const CutGraph& graph = CutGraph::of(2);
  GraphServerOptions options = server_options(GetParam());
  options.batches.most_loaders = 1;
  options.batches.keep_ms = 0;
  const auto server = start(graph, options);
  const auto served = open("gls://" + server->address(), GetParam());
  Load load;
  load.loading = [](LoaderOptions* o) { o->num_workers = 1; };
  Load other = load;
  other.sampling = [](SamplerOptions* o) { o->seed = 6; };
  const auto expected = make_loader(graph.whole, load, false);
  const auto others = make_loader(graph.whole, other, false);
  const auto first = make_loader(served, load, true);
  const auto second = make_loader(served, other, true);
  for (uint64_t number = 0; number < 3; ++number) {
    auto a = first->sample(0, number);
    auto b = second->sample(0, number);
    ASSERT_TRUE(a.ok()) << a.status().message();
    ASSERT_TRUE(b.ok()) << b.status().message();
    expect_same(**a, **expected->sample(0, number));
    expect_same(**b, **others->sample(0, number));
  }
  EXPECT_EQ(server->batches().loaders(), 1U);
}

// ---- errors ----

TEST_P(RemoteBatches, AServerThatStaysAwayIsNamed) {
  const CutGraph& graph = CutGraph::of(2);
  auto server = start(graph, server_options(GetParam()));
  const std::string address = server->address();
  const auto served = open("gls://" + address, GetParam(), 1000);
  const auto loader = make_loader(served, {}, true);
  server.reset();
  auto batch = loader->sample(3, 4);
  ASSERT_FALSE(batch.ok());
  EXPECT_MESSAGE(batch.status(), address + ", asked for batch 4 of epoch 3: ");
  EXPECT_EQ(*batch.status().detail("peer"), address);
  std::shared_ptr<Batch> out;
  EXPECT_FALSE(loader->next(30000, &out).ok());
}

// Nobody waits for a server that is gone when the loader is not wanted any more.
TEST_P(RemoteBatches, ALoaderEndsAtOnce) {
  const CutGraph& graph = CutGraph::of(2);
  auto server = start(graph, server_options(GetParam()));
  auto loader = make_loader(open("gls://" + server->address(), GetParam(), 60000), {}, true);
  server.reset();
  std::shared_ptr<Batch> batch;
  auto next = loader->next(100, &batch);
  ASSERT_TRUE(next.ok()) << next.status().message();
  EXPECT_EQ(*next, BatchSource::Next::kNotYet);
  const uint64_t before = now_ns();
  loader = nullptr;
  EXPECT_LT(now_ns() - before, uint64_t{10} * 1000000000);
}

TEST_P(RemoteBatches, WhatCannotBeMadeByServers) {
  const CutGraph& graph = CutGraph::of(2);
  auto here = try_loader(graph.whole, {}, true);
  ASSERT_FALSE(here.ok());
  EXPECT_EQ(here.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_EQ(*here.status().detail("argument"), "made_by");

  GraphServerOptions options = server_options(GetParam());
  options.batches.most_option_bytes = 8192;
  options.batches.most_batch_bytes = 65536;
  const auto server = start(graph, options);
  const auto served = open("gls://" + server->address(), GetParam());
  Load load;
  std::vector<int64_t> many(2000, 3);
  load.seeds = ids64(std::move(many));
  auto seeds = try_loader(served, load, true);
  ASSERT_FALSE(seeds.ok());
  EXPECT_EQ(seeds.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(seeds.status(), "this server takes 8192; seeds may be an id set");
  EXPECT_EQ(*seeds.status().detail("peer"), server->address());

  auto batch = make_loader(served, {}, true)->sample(0, 0);
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(batch.status(), "the most that is sent is 65536");
  // It is found before there is memory for columns, and earlier where that is possible.
  load.seeds = Tensor();
  load.sampling = [](SamplerOptions* o) { o->fanouts.assign(3, {-1, -1, -1}); };
  batch = make_loader(served, load, true)->sample(0, 0);
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(batch.status(), "a batch of more than 8192 edges of one type");
  load.sampling = [](SamplerOptions* o) {
    *o = SamplerOptions();
    o->walk = walks();
    o->walk->walks = 1000;
  };
  auto walked = try_loader(served, load, true);
  ASSERT_FALSE(walked.ok());
  EXPECT_EQ(walked.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(walked.status(), "a full batch needs 8003200 bytes before anything is sampled");

  // Edges that are left out in a request that is too long.
  std::vector<int64_t> edges(size_t{3} << 20, 5);
  load.seeds = Tensor();
  load.sampling = [&](SamplerOptions* o) { o->exclude = {{0, ids64(edges)}}; };
  auto excluded = try_loader(served, load, true);
  ASSERT_FALSE(excluded.ok());
  EXPECT_EQ(excluded.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_EQ(*excluded.status().detail("argument"), "made_by");
}

// An error of one batch is that batch's own. Whether there are negatives is found where they are
// drawn.
TEST_P(RemoteBatches, ErrorsOfSamplingTravel) {
  const CutGraph& graph = CutGraph::of(2);
  const auto server = start(graph, server_options(GetParam()));
  const auto served = open("gls://" + server->address(), GetParam());
  Load load;
  load.sampling = [](SamplerOptions* o) {
    o->negatives.mode = NegativeMode::kTriplet;
    o->negatives.strict = true;
    o->negatives.tries = 1;
  };
  load.loading = [](LoaderOptions* o) {
    o->edge_type = 0;
    o->plan.batch_size = 100;
  };
  const auto expected = make_loader(graph.whole, load, false);
  const auto loader = make_loader(served, load, true);
  int failed = 0;
  int made = 0;
  for (uint64_t number = 0; number < 20; ++number) {
    auto a = expected->sample(3, number);
    auto b = loader->sample(3, number);
    ASSERT_EQ(a.ok(), b.ok()) << b.status().message();
    if (a.ok()) {
      ++made;
      expect_same(**a, **b);
      continue;
    }
    ++failed;
    EXPECT_EQ(b.status().code(), GLS_ERR_NOT_FOUND);
    EXPECT_MESSAGE(b.status(), a.status().message());
    EXPECT_EQ(*b.status().detail("peer"), server->address());
  }
  EXPECT_GT(failed, 0);
  EXPECT_GT(made, 0);
}

std::vector<std::string> ways() {
#ifdef GLS_TEST_PLUGINS
  return {"self", "key"};
#else
  return {"self"};
#endif
}

INSTANTIATE_TEST_SUITE_P(Ways, RemoteBatches, testing::ValuesIn(ways()),
                         [](const auto& way) { return way.param; });

#ifdef GLS_TEST_PLUGINS
// A client that reads nothing costs the others nothing, and the server no more than it says.
TEST(SlowClients, DoNotBlockOthers) {
  const CutGraph& graph = CutGraph::of(2);
  GraphServerOptions options = server_options("key");
  options.batches.most_unread_bytes = uint64_t{1} << 20;
  const auto server = start(graph, options);
  const std::string url = "gls://" + server->address();

  // The thread that reads for it does nothing any more when the first batch has come.
  std::promise<void> gate;
  const std::shared_future<void> may_read = gate.get_future().share();
  std::atomic<int> answers = 0;
  Client client("key");
  struct Opener {
    std::promise<void>& gate;
    ~Opener() { gate.set_value(); }
  } const opener{gate};
  const auto peer = client.connect(server->address());
  const auto& pool = client.context()->buffers();
  SamplerOptions sampling;
  neighborhoods(&sampling);
  const auto sampler = Sampler::create(open(url, "key"), sampling).take();
  LoaderOptions loading;
  loading.plan.batch_size = 200;
  loading.columns = default_columns(*sampler);
  const SeedList::Given seeds;
  auto request =
      cluster::describe_batches(cluster::graph_number(graph.partition->file()),
                                {*sampler, seeds, loading.rule, loading.plan, loading.columns});
  ASSERT_TRUE(request.ok()) << request.status().message();
  auto opened = net::call_and_wait(*peer, static_cast<uint16_t>(cluster::Kind::kOpenBatches),
                                   cluster::encode(pool, *request).take(), {30000, true});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const uint64_t batches = cluster::decode_opened(opened->bytes()).take();
  for (uint64_t i = 0; i < 32; ++i) {
    peer->call(static_cast<uint16_t>(cluster::Kind::kBatch),
               cluster::encode(pool, cluster::BatchRequest{batches, i / 10, i % 10, {}}),
               {60000, true}, [may_read, &answers](const Result<net::Message>&) {
                 ++answers;
                 may_read.wait();
               });
  }
  EXPECT_TRUE(net::eventually([&] { return answers > 0; }));
  Load load;
  load.sampling = [](SamplerOptions* o) { o->seed = 77; };
  ASSERT_NO_FATAL_FAILURE(expect_same_batches(graph.whole, open(url, "key"), load, 11));
  ASSERT_NO_FATAL_FAILURE(expect_same_batches(graph.whole, open(url, "key"), load, 11));
  EXPECT_TRUE(net::eventually([&] { return server->batches().failures() > 0; }));
}
#endif

}  // namespace
}  // namespace gls::test
