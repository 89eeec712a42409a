// Servers of parts that are slow or gone, and clients that do not want an answer any more.
#include <gtest/gtest.h>

#include <thread>

#include "cluster/server/sampler_sessions.h"
#include "part_servers.h"

namespace gls::test {
namespace {

using cluster::Kind;

void expect_same_picks(Result<HopPicks> one, Result<HopPicks> other) {
  ASSERT_TRUE(one.ok()) << one.status().message();
  ASSERT_TRUE(other.ok()) << other.status().message();
  EXPECT_EQ(id_values(one->counts), id_values(other->counts));
  EXPECT_EQ(id_values(one->neighbors), id_values(other->neighbors));
  EXPECT_EQ(id_values(one->edge_ids), id_values(other->edge_ids));
}

// ---- servers that go and come back ----

TEST(ServedFaults, ASamplerIsOpenedAgainAfterARestart) {
  for (const char* way : {"self", "key"}) {
    SCOPED_TRACE(way);
    const CutGraph& graph = CutGraph::of(2);
    auto server = std::make_unique<Server>(graph, std::vector<size_t>{1}, way);
    const std::string address = server->address();
    Client client(way);
    const auto peer = client.connect(address);
    const auto part = client.part(peer, 1);
    auto sampler = part->open_sampler(two_hops());
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    const std::vector<int64_t> nodes = owned_users(2, 1);
    auto before = (*sampler)->ask(first_hop(nodes))();

    server.reset();
    ASSERT_TRUE(net::eventually([&] { return peer->state() != net::PeerState::kUp; }));
    // Asked while nobody is there, and once it is back.
    const auto early = (*sampler)->ask(first_hop(nodes));
    server = std::make_unique<Server>(graph, std::vector<size_t>{1}, way, address);
    expect_same_picks(early(), std::move(before));
    std::vector<Deferred<HopPicks>> many;
    for (int i = 0; i < 20; ++i) {
      many.push_back((*sampler)->ask(first_hop(nodes)));
    }
    for (const auto& later : many) {
      expect_same_picks(later(), (*sampler)->ask(first_hop(nodes))());
    }
    auto rows = part->ask_rows({true, 0, 1, span_of(nodes), kFloat32})();
    EXPECT_TRUE(rows.ok()) << rows.status().message();
  }
}

// The connection ends while the server works on the question.
TEST(ServedFaults, AQuestionIsAskedOnceMoreWhenItsConnectionIsLost) {
  const CutGraph& graph = CutGraph::of(2);
  std::atomic<int> asked = 0;
  Server server(graph, {1}, "self", "127.0.0.1:0", [&](net::Handlers* handlers) {
    net::Handler& hop = (*handlers)[static_cast<uint16_t>(Kind::kHop)];
    hop = [&, kept = hop](const net::Request& request) {
      if (++asked == 1) {
        request.connection()->fail(corrupt("the test ends it"));
        return;
      }
      kept(request);
    };
  });
  Client client("self");
  const auto part = client.part(client.connect(server.address()), 1);
  auto sampler = part->open_sampler(two_hops());
  ASSERT_TRUE(sampler.ok()) << sampler.status().message();
  const std::vector<int64_t> nodes = owned_users(2, 1);
  auto picks = (*sampler)->ask(first_hop(nodes))();
  EXPECT_TRUE(picks.ok()) << picks.status().message();
  EXPECT_EQ(asked, 2);
}

TEST(ServedFaults, AServerThatStaysAwayIsNamed) {
  const CutGraph& graph = CutGraph::of(2);
  auto server = std::make_unique<Server>(graph, std::vector<size_t>{1}, "self");
  const std::string address = server->address();
  Client client("self");
  const auto peer = client.connect(address);
  RemotePartOptions options;
  options.timeout_ms = 1000;
  const auto part = client.part(peer, 1, options);
  auto sampler = part->open_sampler(two_hops());
  server.reset();
  ASSERT_TRUE(net::eventually([&] { return peer->state() != net::PeerState::kUp; }));
  const std::vector<int64_t> nodes = owned_users(2, 1);
  auto picks = (*sampler)->ask(first_hop(nodes))();
  ASSERT_FALSE(picks.ok());
  EXPECT_MESSAGE(picks.status(), "part 1 at " + address +
                                     ", asked for hop 0 along \"user__knows__user\" from " +
                                     std::to_string(nodes.size()) + " nodes: ");
  EXPECT_EQ(*picks.status().detail("part"), "1");
  auto rows = part->ask_rows({true, 0, 1, span_of(nodes), kFloat32})();
  ASSERT_FALSE(rows.ok());
  EXPECT_MESSAGE(rows.status(),
                 formatted("asked for {} rows of node column \"x\": ", nodes.size()));
}

TEST(ServedFaults, SamplersBeyondTheMostAreOpenedAgain) {
  const CutGraph& graph = CutGraph::of(1);
  PartServiceOptions one;
  one.most_samplers = 1;
  Server server(graph, {0}, "self", "127.0.0.1:0", {}, one);
  Client client("self");
  const auto part = client.part(client.connect(server.address()), 0);
  SamplerOptions other = two_hops();
  other.seed = 6;
  auto first = part->open_sampler(two_hops());
  auto second = part->open_sampler(other);
  const std::vector<int64_t> nodes = owned_users(1, 0);
  auto a = (*first)->ask(first_hop(nodes))();
  auto b = (*second)->ask(first_hop(nodes))();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(id_values(a->neighbors), id_values(b->neighbors));
  expect_same_picks((*first)->ask(first_hop(nodes))(), std::move(a));
  expect_same_picks((*second)->ask(first_hop(nodes))(), std::move(b));
}

struct NoSampler final : PartSampler {
  Deferred<HopPicks> ask(const HopQuestion&) const override { return {}; }
};

TEST(SamplerTable, EqualOptionsAreOneSampler) {
  SamplerTable table(2);
  int made = 0;
  std::map<std::string, uint64_t> numbers;
  const auto open = [&](const std::string& options) {
    uint64_t out = 0;
    table.open(
        options,
        [&]() -> Result<std::shared_ptr<const PartSampler>> {
          ++made;
          // Asked for again while it is made: it gets the same one.
          table.open(
              options, [] { return Result<std::shared_ptr<const PartSampler>>(invalid("twice")); },
              [&](uint64_t number, const Status& status) {
                EXPECT_TRUE(status.ok());
                numbers[options] = number;
              });
          return std::shared_ptr<const PartSampler>(std::make_shared<NoSampler>());
        },
        [&](uint64_t number, const Status&) { out = number; });
    EXPECT_EQ(numbers[options], out);
    return out;
  };
  const uint64_t a = open("a");
  const uint64_t b = open("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(open("a"), a);
  EXPECT_EQ(made, 2);
  EXPECT_NE(table.find(a), nullptr);
  open("c");  // b is not the last that was asked
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.find(b), nullptr);
  EXPECT_NE(table.find(a), nullptr);
  EXPECT_NE(open("b"), b);
  EXPECT_EQ(table.find(a + 1000), nullptr);
  table.open(
      "d", [] { return Result<std::shared_ptr<const PartSampler>>(invalid("no such column")); },
      [&](uint64_t, const Status& status) { EXPECT_EQ(status.message(), "no such column"); });
  EXPECT_EQ(table.size(), 2U);
}

// ---- time ----

TEST(ServedFaults, QuestionsHaveADeadlineAndCanBeDropped) {
  const CutGraph& graph = CutGraph::of(2);
  const auto kept = std::make_shared<net::Kept>();
  const auto keep = [kept](const net::Request& request) {
    const std::lock_guard lock(kept->mutex);
    kept->requests.push_back(request);
  };
  Server server(graph, {0}, "self", "127.0.0.1:0", [&](net::Handlers* handlers) {
    (*handlers)[static_cast<uint16_t>(Kind::kHop)] = keep;
    (*handlers)[static_cast<uint16_t>(Kind::kRows)] = keep;
  });
  Client client("self");
  const auto peer = client.connect(server.address());
  RemotePartOptions options;
  options.timeout_ms = 300;
  const auto hurried = client.part(peer, 0, options);
  auto sampler = hurried->open_sampler(two_hops());
  ASSERT_TRUE(sampler.ok()) << sampler.status().message();
  const std::vector<int64_t> nodes = owned_users(2, 0);
  auto picks = (*sampler)->ask(first_hop(nodes))();
  ASSERT_FALSE(picks.ok());
  EXPECT_EQ(picks.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_MESSAGE(picks.status(), "part 0 at " + server.address());
  EXPECT_MESSAGE(picks.status(), "a call for picks of a hop with ");
  auto rows = hurried->ask_rows({true, 0, 1, span_of(nodes), kFloat32})();
  EXPECT_EQ(rows.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_MESSAGE(rows.status(), "a call for rows of a column with ");
  kept->drop();

  options.timeout_ms = -1;
  options.most_reply_bytes = 1 << 12;
  const auto patient = client.part(peer, 0, options);
  sampler = patient->open_sampler(two_hops());
  {
    const auto hop = (*sampler)->ask(first_hop(nodes));
    const auto several = patient->ask_rows({true, 0, 1, span_of(nodes), kFloat32});
    ASSERT_TRUE(net::eventually([&] { return kept->size() > 8; })) << kept->size();
  }
  EXPECT_TRUE(net::eventually([&] {
    const std::lock_guard lock(kept->mutex);
    return std::all_of(kept->requests.begin(), kept->requests.end(),
                       [](const net::Request& request) { return request.canceled(); });
  }));
  kept->drop();
  EXPECT_TRUE(net::eventually([&] { return peer->connection()->calls_in_flight() == 0; }));
}

// ---- services ----

TEST(PartService, ServesPartsOfItsPartitionOnly) {
  const CutGraph& graph = CutGraph::of(2);
  const auto open = [](const CutGraph& of, size_t part) {
    return open_dataset(of.context, part_path(of.path, part), {}).take();
  };
  const auto refused = [&](const std::vector<std::shared_ptr<const Dataset>>& parts) {
    auto service = PartService::create(graph.partition, parts);
    EXPECT_FALSE(service.ok());
    return service.status().message();
  };
  EXPECT_TRUE(contains(refused({}), "there are none to serve"));
  EXPECT_TRUE(contains(refused({graph.whole}), "the dataset is no part of a graph"));
  EXPECT_TRUE(contains(refused({open(graph, 0), open(graph, 0)}), "part 0 is given twice"));
  EXPECT_TRUE(contains(refused({open(CutGraph::of(8), 0)}), "is no part of"));
}

}  // namespace
}  // namespace gls::test
