// A graph whose parts are served, opened by an address: the batches of the whole.
#include "cluster/client/remote_graph.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <numeric>
#include <thread>

#include "batch_equal.h"
#include "cluster/discovery/discovery.h"
#include "cluster/server/graph_server.h"
#include "hop_client.h"
#include "loader/pipeline/loader.h"
#include "part_servers.h"

namespace gls::test {
namespace {

GraphServerOptions server_options(const std::string& way, std::vector<uint32_t> parts = {},
                                  std::vector<std::string> servers = {}) {
  GraphServerOptions options;
  options.transport = net::options_for(way).transport;
  options.parts = std::move(parts);
  options.servers = std::move(servers);
  return options;
}

std::unique_ptr<GraphServer> start(const CutGraph& graph, const GraphServerOptions& options) {
  auto server = GraphServer::start(context_of(), graph.path, options);
  EXPECT_TRUE(server.ok()) << server.status().message();
  return server.take();
}

RemoteGraphOptions client_options(const std::string& way) {
  RemoteGraphOptions options;
  options.transport = net::options_for(way).transport;
  options.timeout_ms = 20000;
  return options;
}

// A part each; the last one knows the others.
std::vector<std::unique_ptr<GraphServer>> start_all(const CutGraph& graph, const std::string& way) {
  std::vector<std::unique_ptr<GraphServer>> out;
  std::vector<std::string> addresses;
  for (uint32_t p = 0; p < graph.parts; ++p) {
    out.push_back(start(graph, server_options(way, {p}, addresses)));
    addresses.push_back(out.back()->address());
  }
  return out;
}

std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                    const std::function<void(SamplerOptions*)>& set = {}) {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
  options.edge_ids = true;
  if (set) {
    set(&options);
  }
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  LoaderOptions loading;
  loading.plan.batch_size = 200;
  loading.plan.shuffle = true;
  loading.columns = default_columns(**sampler);
  auto loader = Loader::create(*sampler, Tensor(), std::move(loading));
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  return loader.take();
}

void expect_same_batch(Loader& expected, Loader& loader) {
  std::shared_ptr<Batch> a;
  std::shared_ptr<Batch> b;
  auto first = expected.next(-1, &a);
  auto second = loader.next(-1, &b);
  ASSERT_TRUE(first.ok()) << first.status().message();
  ASSERT_TRUE(second.ok()) << second.status().message();
  ASSERT_EQ(*first, BatchSource::Next::kBatch);
  ASSERT_EQ(*second, BatchSource::Next::kBatch);
  expect_same(*a, *b);
}

class ServedGraph : public testing::TestWithParam<std::string> {};

TEST_P(ServedGraph, GivesTheBatchesOfTheWhole) {
  const CutGraph& graph = CutGraph::of(3);
  const auto servers = start_all(graph, GetParam());
  const auto context = context_of();
  auto served =
      open_served(context, "gls://" + servers.back()->address(), client_options(GetParam()));
  ASSERT_TRUE(served.ok()) << served.status().message();
  EXPECT_EQ((*served)->fingerprint(), graph.whole->fingerprint());
  expect_same(*find_id_set((*served)->node_types()[0], "train", "seeds"),
              *find_id_set(graph.whole->node_types()[0], "train", "seeds"), "train");
  for (const HopCase& given : hop_cases()) {
    if (given.name != "uniform" && given.name != "weighted" && given.name != "node_time_last") {
      continue;
    }
    SCOPED_TRACE(given.name);
    const auto expected = make_loader(graph.whole, given.set);
    const auto loader = make_loader(*served, given.set);
    for (int i = 0; i < 5; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    }
    EXPECT_EQ(expected->save(), loader->save());
  }
}

TEST_P(ServedGraph, SurvivesServersThatAreStartedAgain) {
  const CutGraph& graph = CutGraph::of(3);
  auto servers = start_all(graph, GetParam());
  const auto context = context_of();
  auto served =
      open_served(context, "gls://" + servers.back()->address(), client_options(GetParam()));
  ASSERT_TRUE(served.ok()) << served.status().message();
  const auto expected = make_loader(graph.whole);
  const auto loader = make_loader(*served);
  for (uint32_t round = 0; round < 3; ++round) {
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    const uint32_t part = round;
    GraphServerOptions again = server_options(GetParam(), {part});
    again.listen = servers[part]->address();
    servers[part]->stop(1000);
    servers[part].reset();
    servers[part] = start(graph, again);
  }
  ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
}

// Of each hop those are asked who own nodes that it begins at, once for each edge type that goes on
// from there; nobody is asked along one whose fanout is 0.
TEST_P(ServedGraph, AsksNobodyWhereTheFanoutIsZero) {
  const CutGraph& graph = CutGraph::of(3);
  const auto servers = start_all(graph, GetParam());
  auto served =
      open_served(context_of(), "gls://" + servers.back()->address(), client_options(GetParam()));
  ASSERT_TRUE(served.ok()) << served.status().message();
  std::vector<int64_t> seeds(200);  // users, of every part
  std::iota(seeds.begin(), seeds.end(), 0);
  const auto all_requests = [&] {
    uint64_t sum = 0;
    for (const auto& server : servers) {
      sum += server->requests().requests;
    }
    return sum;
  };
  struct Case {
    std::vector<std::vector<int64_t>> fanouts;  // users to users, items to users, users to items
    uint64_t questions;                         // each goes to all three parts
  };
  const Case cases[] = {
      {{{0, 0}, {0, 0}, {0, 0}}, 0}, {{{9, 0}, {0, 0}, {0, 0}}, 1}, {{{0, 9}, {0, 0}, {0, 0}}, 0},
      {{{9, 9}, {0, 0}, {0, 0}}, 2}, {{{0, 0}, {9, 0}, {0, 0}}, 1}, {{{0, 0}, {9, 9}, {9, 0}}, 1},
      {{{0, 0}, {9, 0}, {0, 9}}, 2}, {{{9, 0}, {0, 9}, {9, 9}}, 2}, {{{9, 0}, {9, 9}, {9, 9}}, 4},
      {{{9, 9}, {9, 9}, {9, 9}}, 5},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(testing::PrintToString(given.fanouts));
    SamplerOptions options;
    options.seed = 5;
    options.num_hops = 2;
    options.fanouts = given.fanouts;
    options.edge_ids = true;
    auto expected = Sampler::create(graph.whole, options);
    auto sampler = Sampler::create(*served, options);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    SampleRequest request;
    request.seeds.push_back({0, span_of(seeds)});
    ASSERT_TRUE((*sampler)->sample(request).ok());  // opens it where that is yet to be done
    request.batch = 1;
    const uint64_t before = all_requests();
    auto batch = (*sampler)->sample(request);
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    EXPECT_EQ(all_requests() - before, given.questions * graph.parts);
    auto same = (*expected)->sample(request);
    ASSERT_TRUE(same.ok()) << same.status().message();
    expect_same(**same, **batch);
  }
}

// Two servers of each part; in turn one is gone for good, or comes back.
TEST_P(ServedGraph, GoesOnWithAnotherServerOfAPart) {
  const CutGraph& graph = CutGraph::of(2);
  const auto one = start(graph, server_options(GetParam()));
  auto two = start(graph, server_options(GetParam(), {}, {one->address()}));
  auto three = start(graph, server_options(GetParam(), {1}, {one->address()}));
  const auto context = context_of();
  auto served = open_served(context, "gls://" + two->address() + "," + three->address(),
                            client_options(GetParam()));
  ASSERT_TRUE(served.ok()) << served.status().message();
  const auto expected = make_loader(graph.whole);
  const auto loader = make_loader(*served);
  const auto some = [&] {
    for (int i = 0; i < 2; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    }
  };
  ASSERT_NO_FATAL_FAILURE(some());
  three.reset();  // without a farewell
  ASSERT_NO_FATAL_FAILURE(some());
  GraphServerOptions again = server_options(GetParam());
  again.listen = two->address();
  two.reset();
  ASSERT_NO_FATAL_FAILURE(some());
  two = start(graph, again);
  one->stop(0);
  ASSERT_NO_FATAL_FAILURE(some());

  // Samplers that are made while one is gone, too.
  const auto more = make_loader(*served, [](SamplerOptions* o) { o->seed = 6; });
  const auto whole = make_loader(graph.whole, [](SamplerOptions* o) { o->seed = 6; });
  ASSERT_NO_FATAL_FAILURE(expect_same_batch(*whole, *more));

  // What is wrong with a question is no reason to ask another.
  SamplerOptions wrong;
  wrong.num_hops = 1;
  wrong.fanouts = {{1}, {1}, {1}};
  wrong.weight = "x";
  EXPECT_EQ(Sampler::create(*served, wrong).status().code(), GLS_ERR_INVALID_ARGUMENT);
}

// While nobody has a part, questions wait; each change to another server is said once.
TEST_P(ServedGraph, AnOutageIsNotSaidAgainAndAgain) {
  const CutGraph& graph = CutGraph::of(2);
  auto one = start(graph, server_options(GetParam()));
  auto two = start(graph, server_options(GetParam(), {}, {one->address()}));
  std::atomic<int> changes = 0;
  const auto count = [](void* data, int32_t, const char* component, const char*) {
    static_cast<std::atomic<int>*>(data)->fetch_add(std::string(component) == "cluster" ? 1 : 0);
  };
  auto context = Context::create({2, GLS_LOG_WARN}, count, &changes, nullptr).take();
  {
    auto served = open_served(context, "gls://" + two->address(), client_options(GetParam()));
    ASSERT_TRUE(served.ok()) << served.status().message();
    const auto expected = make_loader(graph.whole);
    const auto loader = make_loader(*served);
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    GraphServerOptions again = server_options(GetParam());
    again.listen = two->address();
    one.reset();
    two.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    two = start(graph, again);
    for (int i = 0; i < 5; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    }
  }
  EXPECT_LE(changes, 2);  // one for each part
}

TEST_P(ServedGraph, WaitsForServersThatAreNotThereYet) {
  const CutGraph& graph = CutGraph::of(2);
  const auto first = start(graph, server_options(GetParam(), {0}));
  const std::string url = "gls://" + first->address();
  // The second tells nobody; so it is asked for by its address, which is known when it is there.
  auto second = start(graph, server_options(GetParam(), {1}));
  const std::string address = second->address();
  second.reset();
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    GraphServerOptions options = server_options(GetParam(), {1});
    options.listen = address;
    second = start(graph, options);
  });
  auto served = open_served(context_of(), url + "," + address, client_options(GetParam()));
  late.join();
  EXPECT_TRUE(served.ok()) << served.status().message();
}

TEST_P(ServedGraph, SaysWhoIsMissing) {
  const CutGraph& graph = CutGraph::of(3);
  const auto one = start(graph, server_options(GetParam(), {0, 2}));
  RemoteGraphOptions options = client_options(GetParam());
  options.timeout_ms = 1000;  // it waits for somebody to come
  auto served = open_served(context_of(), "gls://" + one->address(), options);
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_EQ(served.status().message(), "path: nobody serves part 1 of 3");
  options = client_options(GetParam());

  const CutGraph& other = CutGraph::of(2);
  const auto stranger = start(other, server_options(GetParam()));
  served =
      open_served(context_of(), "gls://" + one->address() + "," + stranger->address(), options);
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_NE(served.status().message().find("serves partition"), std::string::npos);
}

// One that takes its time keeps nobody from asking the others: each answers when all were asked.
TEST(ServedGraphSearch, AsksServersAtOnce) {
  const CutGraph& graph = CutGraph::of(3);
  std::mutex mutex;
  std::condition_variable changed;
  size_t asked = 0;
  bool together = false;
  const auto wait_for_all = [&](net::Handlers* handlers) {
    net::Handler& handler = (*handlers)[static_cast<uint16_t>(cluster::Kind::kDescribe)];
    handler = [&, then = handler](const net::Request& request) {
      {
        std::unique_lock lock(mutex);
        ++asked;
        changed.notify_all();
        // Less than a server is given: if they are asked one by one, each answers all the same.
        together =
            changed.wait_for(lock, std::chrono::milliseconds(500), [&] { return asked >= 3; }) ||
            together;
        asked -= together ? 0 : 1;
      }
      then(request);
    };
  };
  std::vector<std::unique_ptr<Server>> servers;
  std::string url = "gls://";
  for (size_t part = 0; part < 3; ++part) {
    servers.push_back(
        std::make_unique<Server>(graph, std::vector{part}, "self", "127.0.0.1:0", wait_for_all));
    url += (part == 0 ? "" : ",") + servers.back()->address();
  }
  auto served = open_served(context_of(), url, client_options("self"));
  ASSERT_TRUE(served.ok()) << served.status().message();
  EXPECT_TRUE(together);
  EXPECT_EQ((*served)->fingerprint(), graph.whole->fingerprint());
}

// Else each try would leave a connection behind, which is made again for as long as the graph is
// open.
TEST(ServedGraphSearch, LeavesWhoDoesNotSayWhatItHas) {
  const CutGraph& graph = CutGraph::of(2);
  std::atomic<int> asked = 0;
  Server drains(graph, {0}, "self", "127.0.0.1:0", [&](net::Handlers* handlers) {
    (*handlers)[static_cast<uint16_t>(cluster::Kind::kDescribe)] =
        [&](const net::Request& request) {
          ++asked;
          request.fail(error(GLS_ERR_INVALID_STATE, "the server stops"));
        };
  });
  const Server serves(graph, {1}, "self");
  const auto context = context_of();
  auto endpoint = net::Endpoint::create(context, net::options_for("self")).take();
  const Progress progress;
  ServerDiscovery search(*endpoint, context->buffers(), cluster::Deadline(1000), progress);
  const Status status = search.run({drains.address(), serves.address()});
  EXPECT_EQ(status.code(), GLS_ERR_TIMED_OUT) << status.message();
  EXPECT_MESSAGE(status, "nobody serves part 0 of 2");
  EXPECT_GE(asked, 2);
  EXPECT_TRUE(net::eventually([&] { return endpoint->stats().connections == 1; }))
      << endpoint->stats().connections << " connections";
}

// Of the parts and of the arrays that all have, one server is lost while it is asked for them.
TEST(ServedGraphSearch, ArraysComeFromAnotherServerWhenOneIsLost) {
  const CutGraph& graph = CutGraph::of(2);
  for (const int answered : {0, 1, 3}) {
    SCOPED_TRACE(answered);
    std::promise<void> asked;
    std::atomic<int> before = 0;
    std::vector<net::Request> kept;
    auto dies = std::make_unique<Server>(
        graph, std::vector<size_t>{0, 1}, "key", "127.0.0.1:0", [&](net::Handlers* handlers) {
          net::Handler& handler = (*handlers)[static_cast<uint16_t>(cluster::Kind::kArray)];
          handler = [&, then = handler](const net::Request& request) {
            const int number = before++;
            if (number < answered) {
              then(request);
            } else if (number == answered) {
              kept.push_back(request);  // without an answer
              asked.set_value();
            }
          };
        });
    const Server other(graph, {0, 1}, "key");
    const std::string url = "gls://" + dies->address() + "," + other.address();
    std::thread ends([&] {
      asked.get_future().wait();
      kept[0].connection()->fail(error(GLS_ERR_IO, "it dies"));
      kept.clear();  // nobody hears of it
      dies.reset();
    });
    RemoteGraphOptions options = client_options("key");
    options.timeout_ms = 10000;
    auto served = open_served(context_of(), url, options);
    ends.join();
    ASSERT_TRUE(served.ok()) << served.status().message();
    EXPECT_EQ((*served)->fingerprint(), graph.whole->fingerprint());
    const auto expected = make_loader(graph.whole);
    const auto loader = make_loader(*served);
    expect_same_batch(*expected, *loader);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ServedGraph, testing::ValuesIn(net::all_ways()),
                         [](const auto& way) { return way.param; });

TEST(ServedGraphUrl, IsChecked) {
  for (const char* url :
       {"http://a:1", "gls://", "gls://a", "gls://a:1,", "gls://a:x", "gls://a:1,b"}) {
    auto served = open_served(context_of(), url, client_options("self"));
    ASSERT_FALSE(served.ok()) << url;
    EXPECT_EQ(served.status().code(), GLS_ERR_INVALID_ARGUMENT) << url;
    EXPECT_TRUE(served.status().message().starts_with("path: \"" + std::string(url)))
        << served.status().message();
  }
  RemoteGraphOptions options = client_options("self");
  options.timeout_ms = 100;
  auto served = open_served(context_of(), "gls://127.0.0.1:1", options);
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_TRUE(served.status().message().starts_with("path: no server was reached: "));
}

TEST(GraphServerOptions, AreChecked) {
  const CutGraph& graph = CutGraph::of(2);
  const auto refused = [&](const GraphServerOptions& options, const std::string& text) {
    auto server = GraphServer::start(context_of(), graph.path, options);
    ASSERT_FALSE(server.ok());
    EXPECT_EQ(server.status().code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(server.status().message().substr(0, text.size()), text);
  };
  refused(server_options("self", {2}), "parts: 2, expected 0 to 1");
  refused(server_options("self", {1, 1}), "parts: 1 is there twice");
  refused(server_options("self", {}, {"nowhere"}), "servers is \"nowhere\"");
  auto none = GraphServer::start(context_of(), graph.folder.file("none"), server_options("self"));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), GLS_ERR_NOT_FOUND);
}

}  // namespace
}  // namespace gls::test
