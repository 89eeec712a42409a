// What goes wrong between a client and a server of parts: bad questions and answers, servers that
// are slow or gone, clients that do not want an answer any more.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "cluster/call.h"
#include "cluster/envelope.h"
#include "cluster/sampler_table.h"
#include "hop_client.h"
#include "served_support.h"

namespace gls::test {
namespace {

using cluster::Kind;
using net::Message;

SamplerOptions two_hops() {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 2;
  options.fanouts = {{9, 4}, {5, 2}, {7, 3}};
  options.edge_ids = true;
  return options;
}

HopQuestion first_hop(const std::vector<int64_t>& nodes) {
  HopQuestion question;
  question.epoch = 1;
  question.nodes = span_of(nodes);
  return question;
}

std::vector<int64_t> owned_users(size_t parts, size_t part) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < kUsers; ++i) {
    if (owner_of(0, i, parts) == part) {
      out.push_back(i);
    }
  }
  return out;
}

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
    std::vector<Later<HopPicks>> many;
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
  ServedPartOptions options;
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
  Later<HopPicks> ask(const HopQuestion&) const override { return {}; }
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
  ServedPartOptions options;
  options.timeout_ms = 300;
  const auto hurried = client.part(peer, 0, options);
  auto sampler = hurried->open_sampler(two_hops());
  ASSERT_TRUE(sampler.ok()) << sampler.status().message();
  const std::vector<int64_t> nodes = owned_users(2, 0);
  auto picks = (*sampler)->ask(first_hop(nodes))();
  ASSERT_FALSE(picks.ok());
  EXPECT_EQ(picks.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_MESSAGE(picks.status(), "part 0 at " + server.address());
  auto rows = hurried->ask_rows({true, 0, 1, span_of(nodes), kFloat32})();
  EXPECT_EQ(rows.status().code(), GLS_ERR_TIMED_OUT);
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

// ---- bad questions ----

class BadQuestions : public testing::Test {
 protected:
  // Whether the server refuses the bytes with words, and goes on.
  void expect_refused(Kind kind, const std::vector<std::byte>& bytes,
                      const std::string& words = "") {
    auto reply = net::call_and_wait(*peer_, static_cast<uint16_t>(kind),
                                    Message::copied(pool_, bytes), {10000, true});
    ASSERT_FALSE(reply.ok());
    EXPECT_MESSAGE(reply.status(), words);
    EXPECT_NE(reply.status().code(), GLS_ERR_INTERNAL) << reply.status().message();
    EXPECT_TRUE(describe(peer_, pool_, 10000).ok());
    EXPECT_EQ(peer_->epoch(), 1U);
  }
  void expect_refused(Kind kind, const Message& message, const std::string& words = "") {
    expect_refused(kind, bytes_of(message), words);
  }
  static std::vector<std::byte> bytes_of(const Message& message) {
    return {message.bytes().begin(), message.bytes().end()};
  }
  Message open_message() const {
    return cluster::encode(pool_, cluster::OpenRequest{graph_number_, 0, two_hops()}).take();
  }
  Message hop_message(uint64_t sampler, const HopQuestion& question) const {
    return cluster::encode(pool_, cluster::HopRequest{sampler, question}).take();
  }
  cluster::RowsRequest rows_request(const std::vector<int64_t>& ids) const {
    return {graph_number_, 0, true, 0, "x", kFloat32, span_of(ids)};
  }
  uint64_t opened() {
    auto reply = net::call_and_wait(*peer_, static_cast<uint16_t>(Kind::kOpenSampler),
                                    open_message(), {10000, true});
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return cluster::decode_opened(reply->bytes()).take();
  }

  const CutGraph& graph_ = CutGraph::of(2);
  Server server_ = Server(graph_, {0}, "self");
  Client client_ = Client("self");
  std::shared_ptr<BufferPool> pool_ = client_.context()->buffers();
  std::shared_ptr<net::Peer> peer_ = client_.connect(server_.address());
  uint64_t graph_number_ = cluster::graph_number(graph_.partition->file());
};

TEST_F(BadQuestions, BytesThatAreNoQuestion) {
  const std::vector<int64_t> nodes = owned_users(2, 0);
  const std::vector<std::pair<Kind, Message>> sound = [&] {
    std::vector<std::pair<Kind, Message>> out;
    out.emplace_back(Kind::kDescribe, cluster::encode_describe(pool_));
    out.emplace_back(Kind::kArray,
                     cluster::encode(pool_, cluster::ArrayRequest{graph_number_, "x", 0, 1}));
    out.emplace_back(Kind::kOpenSampler, open_message());
    out.emplace_back(Kind::kHop, hop_message(opened(), first_hop(nodes)));
    out.emplace_back(Kind::kRows, cluster::encode(pool_, rows_request(nodes)));
    return out;
  }();
  for (const auto& [kind, message] : sound) {
    SCOPED_TRACE(static_cast<int>(kind));
    const std::vector<std::byte> bytes = bytes_of(message);
    for (const size_t size :
         {size_t{0}, size_t{7}, size_t{8}, size_t{20}, bytes.size() / 2, bytes.size() - 1}) {
      expect_refused(kind, std::vector(bytes.begin(), bytes.begin() + static_cast<int64_t>(size)));
    }
    std::vector<std::byte> longer = bytes;
    longer.resize(bytes.size() + 1);
    expect_refused(kind, longer, "bytes were sent, expected");
    for (const uint32_t length : {uint32_t{0}, uint32_t{7}, uint32_t{0xfffffff0}, ~uint32_t{0}}) {
      std::vector<std::byte> lies = bytes;
      std::memcpy(lies.data(), &length, sizeof length);
      expect_refused(kind, lies, "is not well-formed");
    }
    std::vector<std::byte> marked = bytes;
    marked[5] = std::byte{1};
    expect_refused(kind, marked, "is not well-formed");
    for (const auto& [other, wrong] : sound) {
      if (other != kind) {
        expect_refused(kind, wrong, "is not well-formed");
      }
    }
  }
  std::vector<std::byte> gap = bytes_of(sound.back().second);
  uint32_t length = 0;
  std::memcpy(&length, gap.data(), sizeof length);
  ASSERT_NE((8 + length) % 64, 0U);
  gap[8 + length] = std::byte{1};
  expect_refused(Kind::kRows, gap, "what lies between arrays is not zero");
}

// Sizes and numbers that the header may say and that do not fit what follows or the graph.
TEST_F(BadQuestions, SizesThatLie) {
  using flatbuffers::FlatBufferBuilder;
  for (const uint64_t count :
       {uint64_t{101}, uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{0} / 8, uint64_t{1} << 61}) {
    FlatBufferBuilder rows;
    const uint64_t bytes = 800;
    const auto column = rows.CreateString("x");
    const auto dtype = rows.CreateString("float32");
    const auto packed =
        cluster::pack(pool_, rows,
                      cluster::wire::CreateRowsRequest(rows, graph_number_, 0, true, 0, column,
                                                       dtype, count, true),
                      std::span(&bytes, 1));
    expect_refused(Kind::kRows, packed.message, "does not fit into the");
    FlatBufferBuilder hop;
    const auto none = hop.CreateVector(std::vector<flatbuffers::Offset<cluster::wire::EdgeList>>());
    const auto hop_packed = cluster::pack(
        pool_, hop,
        cluster::wire::CreateHopRequest(hop, opened(), 0, 0, 0, 0, 0, true, count, 0, false, none),
        std::span(&bytes, 1));
    expect_refused(Kind::kHop, hop_packed.message, "");
  }
}

TEST_F(BadQuestions, Hops) {
  const std::vector<int64_t> nodes = owned_users(2, 0);
  const uint64_t sampler = opened();
  const auto with = [&](auto change) {
    HopQuestion question = first_hop(nodes);
    change(question);
    return hop_message(sampler, question);
  };
  expect_refused(Kind::kHop, hop_message(sampler + 99, first_hop(nodes)), "there is no sampler");
  expect_refused(Kind::kHop, with([](HopQuestion& q) { q.edge_type = 3; }), "edge type number 3");
  expect_refused(Kind::kHop, with([](HopQuestion& q) { q.hop = 2; }), "in hop 2");
  expect_refused(Kind::kHop, with([&](HopQuestion& q) { q.trees = span_of(nodes); }), "trees for ");
  expect_refused(Kind::kHop, with([&](HopQuestion& q) { q.times = span_of(nodes); }), "times for ");
  const std::vector<int64_t> other = owned_users(2, 1);
  expect_refused(Kind::kHop, with([&](HopQuestion& q) { q.nodes = span_of(other); }),
                 "is not owned by part 0 of 2");
  for (const int64_t id : {int64_t{-1}, int64_t{2000}, int64_t{1} << 40}) {
    const std::vector<int64_t> beyond = {id};
    expect_refused(Kind::kHop, with([&](HopQuestion& q) { q.nodes = span_of(beyond); }),
                   "at index 0 is outside 0 .. 1999");
  }
  expect_refused(Kind::kHop, with([](HopQuestion& q) {
                   q.exclude = {{7, ids64({1})}};
                 }),
                 "exclude: edge type number 7");
  expect_refused(Kind::kHop, with([](HopQuestion& q) {
                   q.exclude = {{0, ids64({-5})}};
                 }),
                 "exclude: edge id -5");
}

TEST_F(BadQuestions, Samplers) {
  const auto with = [&](auto change) {
    cluster::OpenRequest request{graph_number_, 0, two_hops()};
    change(request);
    return cluster::encode(pool_, request).take();
  };
  const auto refused = [&](auto change, const std::string& words) {
    expect_refused(Kind::kOpenSampler, with(change), words);
  };
  refused([](auto& r) { r.graph += 1; }, "is served here");
  refused([](auto& r) { r.part = 1; }, "part 1 of 2 is not served here");
  refused([](auto& r) { r.options.fanouts.pop_back(); }, "for 2 edge types, expected 3");
  refused([](auto& r) { r.options.fanouts[0][0] = -2; }, "fanouts: -2");
  refused([](auto& r) { r.options.weight = "none"; }, "no edge type has a column \"none\"");
  refused([](auto& r) { r.options.node_time = "x"; }, "");
  refused([](auto& r) { r.options.time_window = -4; }, "time_window is -4");
  refused([](auto& r) { r.options.direction = static_cast<Direction>(2); },
          "direction is 2, expected 0 to 1");
  refused([](auto& r) { r.options.replace = static_cast<Replace>(9); }, "replace is 9");
  refused([](auto& r) { r.options.pick = static_cast<Pick>(9); }, "pick is 9");
  refused([](auto& r) { r.options.time_strategy = static_cast<TimeStrategy>(9); },
          "time_strategy is 9");
  refused(
      [](auto& r) {
        r.options.num_hops = 0;
        r.options.fanouts = {{}, {}, {}};
      },
      "0 of them for 0 hops");
  EXPECT_NE(opened(), 0U);
}

TEST_F(BadQuestions, RowsAndArrays) {
  const std::vector<int64_t> nodes = owned_users(2, 0);
  const auto refused = [&](auto change, const std::string& words) {
    cluster::RowsRequest request = rows_request(nodes);
    change(request);
    expect_refused(Kind::kRows, cluster::encode(pool_, request), words);
  };
  refused([](auto& r) { r.graph += 1; }, "is served here");
  refused([](auto& r) { r.part = 7; }, "part 7 of 2 is not served here");
  refused([](auto& r) { r.type = 2; }, "node type number 2, of 2");
  refused([](auto& r) { r.of_nodes = false, r.type = 3; }, "edge type number 3, of 3");
  refused([](auto& r) { r.column = "../x"; }, "has no column \"../x\"");
  refused([](auto& r) { r.dtype = kInt64; }, "cannot be gathered as int64");
  refused([](auto& r) { r.dtype = DLDataType{kDLFloat, 7, 1}; }, "");
  const std::vector<int64_t> other = owned_users(2, 1);
  refused([&](auto& r) { r.ids = span_of(other); }, "is not owned by part 0 of 2");

  const std::string book = graph_.partition->file().node_books[0]->array->file;
  const auto ask = [&](const cluster::ArrayRequest& request, const std::string& words) {
    expect_refused(Kind::kArray, cluster::encode(pool_, request), words);
  };
  for (const char* file : {"../x", "/etc/hostname", "partition.json", "", "part-0/manifest.json"}) {
    ask({graph_number_, file, 0, 10}, "is no array that the partition names");
  }
  ask({graph_number_, book + "/../" + book, 0, 10}, "is no array");
  ask({graph_number_, book, 2001, 10}, "bytes from 2001 on were asked for, of 2000");
  ask({graph_number_, book, ~uint64_t{0}, 10}, "were asked for, of 2000");
  ask({graph_number_ + 1, book, 0, 10}, "is served here");
}

TEST(ServedFaults, TooManyRowsAtOnceAreRefused) {
  const CutGraph& graph = CutGraph::of(1);
  PartServiceOptions small;
  small.most_row_bytes = 1199;
  Server server(graph, {0}, "self", "127.0.0.1:0", {}, small);
  Client client("self");
  const auto part = client.part(client.connect(server.address()), 0);
  const std::vector<int64_t> ids = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  auto rows = part->ask_rows({true, 0, 1, span_of(ids), kFloat32})();
  ASSERT_FALSE(rows.ok());
  EXPECT_MESSAGE(rows.status(), "10 of 120 bytes were asked for, expected at most 1199 bytes");
}

// ---- bad answers ----

class BadAnswers : public testing::Test {
 protected:
  // A server that answers hops and rows with these bytes.
  Status ask_hop(const Message& answer) { return ask(answer, true); }
  Status ask_rows(const Message& answer) { return ask(answer, false); }

  Message picks(const std::vector<int32_t>& counts, Tensor neighbors, Tensor edge_ids) const {
    return cluster::encode(
        pool_, HopPicks{tensor(counts, kInt32), std::move(neighbors), std::move(edge_ids)});
  }

  std::shared_ptr<Context> context_ = context_of();
  std::shared_ptr<BufferPool> pool_ = context_->buffers();

 private:
  Status ask(const Message& answer, bool hop) {
    const CutGraph& graph = CutGraph::of(1);
    const std::vector<std::byte> bytes(answer.bytes().begin(), answer.bytes().end());
    const auto give = [&](const net::Request& request) {
      Message reply = request.reply(bytes.size());
      std::memcpy(reply.data(), bytes.data(), bytes.size());
      request.answer(std::move(reply));
    };
    Server server(graph, {0}, "self", "127.0.0.1:0", [&](net::Handlers* handlers) {
      (*handlers)[static_cast<uint16_t>(Kind::kHop)] = give;
      (*handlers)[static_cast<uint16_t>(Kind::kRows)] = give;
    });
    Client client("self");
    const auto part = client.part(client.connect(server.address()), 0);
    const std::vector<int64_t> nodes = {3, 4};
    if (!hop) {
      return std::move(part->ask_rows({true, 0, 1, span_of(nodes), kFloat32})().status());
    }
    auto sampler = part->open_sampler(two_hops());
    return std::move((*sampler)->ask(first_hop(nodes))().status());
  }
};

TEST_F(BadAnswers, Picks) {
  EXPECT_OK(ask_hop(picks({2, 1}, ids64({1, 2, 3}), ids64({5, 6, 7}))));
  const auto refused = [&](const Message& answer, const std::string& words) {
    const Status status = ask_hop(answer);
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
    EXPECT_MESSAGE(status, words);
    EXPECT_MESSAGE(status, "part 0 at ");
  };
  refused(picks({2, 2}, ids64({1, 2, 3}), ids64({5, 6, 7})), "add up to 4, expected 3");
  refused(picks({4, -1}, ids64({1, 2, 3}), ids64({5, 6, 7})), "some are negative");
  refused(picks({3}, ids64({1, 2, 3}), ids64({5, 6, 7})), "it answered for 1 nodes");
  refused(picks({2, 1}, ids64({1, 2000, 3}), ids64({5, 6, 7})),
          "neighbour 2000 at index 1, outside 0 .. 1999");
  refused(picks({2, 1}, ids64({1, 2, -3}), ids64({5, 6, 7})), "neighbour -3 at index 2");
  refused(picks({2, 1}, ids64({1, 2, 3}), ids64({5, 20000, 7})), "edge 20000 at index 1");
  refused(picks({2, 1}, ids32({1, 2, 3}), ids64({5, 6, 7})), "int32 neighbours");
  refused(picks({2, 1}, ids64({1, 2, 3}), ids32({5, 6, 7})), "int32 edge ids");
  refused(picks({2, 1}, ids64({1, 2, 3}), Tensor()), "no edge ids");
  refused(cluster::encode_opened(pool_, 1), "the picks of a hop is not well-formed");
  refused(Message(), "the picks of a hop is not well-formed");
}

TEST_F(BadAnswers, Rows) {
  EXPECT_OK(ask_rows(cluster::make_rows_reply(pool_, 2, 120).message));
  for (const auto& [rows, bytes] : {std::pair(1, 120), {2, 124}, {3, 80}, {0, 0}}) {
    const Status status = ask_rows(cluster::make_rows_reply(pool_, rows, bytes).message);
    EXPECT_MESSAGE(status, "expected 2 of 120");
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  }
  EXPECT_MESSAGE(ask_rows(Message()), "an answer with rows is not well-formed");
}

// Whatever is changed or cut off an answer, reading it ends with an error or with what fits.
TEST_F(BadAnswers, AnyByte) {
  cluster::Description description;
  description.partition = "{}";
  description.parts = {0, 1};
  description.servers = {{"a:1", {0}}, {"b:2", {1}}};
  const std::byte chunk[5] = {};
  const auto bytes_of = [](const Message& message) {
    return std::vector<std::byte>(message.bytes().begin(), message.bytes().end());
  };
  const std::vector<std::vector<std::byte>> answers = {
      bytes_of(picks({2, 1}, ids64({1, 2, 3}), ids64({5, 6, 7}))),
      bytes_of(cluster::encode(pool_, description)),
      bytes_of(cluster::encode_array_chunk(pool_, 10, chunk)),
      bytes_of(cluster::encode_opened(pool_, 77)),
      bytes_of(cluster::make_rows_reply(pool_, 2, 12).message),
  };
  size_t sound = 0;
  const auto read = [&](const std::vector<std::byte>& bytes) {
    const auto message = [&] { return Message::copied(pool_, bytes); };
    sound += cluster::decode_picks(message()).ok() ? 1 : 0;
    sound += cluster::decode_array_chunk(message()).ok() ? 1 : 0;
    const Message kept = message();
    sound += cluster::decode_description(kept.bytes()).ok() ? 1 : 0;
    sound += cluster::decode_opened(kept.bytes()).ok() ? 1 : 0;
    sound += cluster::decode_rows(kept.bytes(), 2, 12).ok() ? 1 : 0;
  };
  for (const std::vector<std::byte>& answer : answers) {
    read(answer);
  }
  EXPECT_EQ(sound, answers.size());
  for (const std::vector<std::byte>& answer : answers) {
    for (size_t size = 0; size < answer.size(); ++size) {
      sound = 0;
      read(std::vector(answer.begin(), answer.begin() + static_cast<int64_t>(size)));
      EXPECT_EQ(sound, 0U) << size;
    }
    for (size_t at = 0; at < answer.size(); ++at) {
      for (const int change : {1, 0x80, 0xff}) {
        std::vector<std::byte> changed = answer;
        changed[at] ^= static_cast<std::byte>(change);
        read(changed);
      }
    }
  }
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
