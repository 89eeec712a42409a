// Questions and answers about parts that are not what they should be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cluster/wire/envelope.h"
#include "part_servers.h"

namespace gls::test {
namespace {

using cluster::Kind;
using net::Message;

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

// A short question whose answer would take all memory, as it names a hub again and again.
TEST_F(BadQuestions, HopsThatWouldBeLong) {
  PartServiceOptions service;
  service.most_hop_bytes = 1 << 20;
  Server server(CutGraph::of(1), {0}, "self", "127.0.0.1:0", {}, service);
  const auto peer = client_.connect(server.address());
  const auto part = client_.part(peer, 0);
  SamplerOptions options = two_hops();
  options.fanouts = {{-1, -1}, {-1, -1}, {-1, -1}};
  options.disjoint = true;
  auto sampler = part->open_sampler(options);
  ASSERT_TRUE(sampler.ok()) << sampler.status().message();
  constexpr int64_t kHub = 11;
  const EdgeType& type = CutGraph::of(1).whole->edge_types()[0];
  const int64_t degree = type.csc->indptr[kHub + 1] - type.csc->indptr[kHub];
  const int64_t most = static_cast<int64_t>(service.most_hop_bytes);
  const int64_t count = most / (degree * 16) + 10;
  ASSERT_LT(count, 100);
  const std::vector<int64_t> hubs(static_cast<size_t>(count), kHub);
  std::vector<int64_t> trees(hubs.size());
  std::iota(trees.begin(), trees.end(), 0);
  HopQuestion question = first_hop(hubs);
  question.trees = span_of(trees);
  const uint64_t graph = cluster::graph_number(CutGraph::of(1).partition->file());
  auto opened = net::call_and_wait(
      *peer, static_cast<uint16_t>(Kind::kOpenSampler),
      cluster::encode(pool_, cluster::OpenRequest{graph, 0, options}).take(), {10000, true});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  auto refused = net::call_and_wait(
      *peer, static_cast<uint16_t>(Kind::kHop),
      hop_message(cluster::decode_opened(opened->bytes()).take(), question), {10000, true});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_MESSAGE(refused.status(), formatted("the picks of {} nodes have more than {} bytes, the "
                                             "most of one answer",
                                             count, most));
  // Who means it gets it in pieces.
  auto picks = (*sampler)->ask(question)();
  ASSERT_TRUE(picks.ok()) << picks.status().message();
  EXPECT_EQ(picks->counts.rows(), count);
  EXPECT_EQ(picks->neighbors.rows(), count * degree);
  EXPECT_EQ(picks->edge_ids.rows(), count * degree);
  const auto* const counts = picks->counts.as<int32_t>();
  EXPECT_TRUE(std::all_of(counts, counts + count, [&](int32_t n) { return n == degree; }));
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

TEST_F(BadQuestions, Edges) {
  const auto refused = [&](auto change, const std::string& words) {
    const std::vector<int64_t> users = owned_users(2, 0);
    cluster::EdgesRequest request{graph_number_, 0, {}};
    request.question.ids = span_of(users);
    change(request);
    expect_refused(Kind::kEdges, cluster::encode(pool_, request), words);
  };
  const std::vector<int64_t> wide = {int64_t{1} << 40};
  const std::vector<int64_t> below = {-1};
  const std::vector<int64_t> other = owned_users(2, 1);
  const std::vector<int64_t> one = {1};
  refused([](auto& r) { r.graph += 1; }, "is served here");
  refused([](auto& r) { r.part = 7; }, "part 7 of 2 is not served here");
  refused([](auto& r) { r.question.edge_type = 3; }, "edge type number 3, of 3");
  refused([](auto& r) { r.question.what = static_cast<EdgeQuestion::What>(3); }, "what is 3");
  refused([](auto& r) { r.question.layout = static_cast<Layout>(2); }, "layout is 2");
  for (const auto* bad : {&wide, &below}) {
    refused([&](auto& r) { r.question.ids = span_of(*bad); }, "at index 0 is outside 0 .. 1999");
    refused(
        [&](auto& r) {
          r.question.what = EdgeQuestion::What::kEnds;
          r.question.ids = span_of(*bad);
        },
        "at index 0 is outside 0 .. 19999");
    refused(
        [&](auto& r) {
          r.question.what = EdgeQuestion::What::kPairs;
          r.question.ids = span_of(*bad);
          r.question.others = span_of(one);
        },
        "at index 0 is outside 0 .. 1999");
  }
  refused([&](auto& r) { r.question.ids = span_of(other); }, "is not owned by part 0 of 2");
  refused(
      [&](auto& r) {
        r.question.what = EdgeQuestion::What::kPairs;
        r.question.others = span_of(one);
      },
      "sources and 1 targets");
}

TEST(PartService, TooManyRowsAtOnceAreRefused) {
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
  // A server that answers with these bytes.
  Status ask_hop(const Message& answer) {
    return ask(answer, [](const RemotePart& part, const std::vector<int64_t>& nodes) {
      auto sampler = part.open_sampler(two_hops());
      return std::move((*sampler)->ask(first_hop(nodes))().status());
    });
  }
  Status ask_rows(const Message& answer) {
    return ask(answer, [](const RemotePart& part, const std::vector<int64_t>& nodes) {
      return std::move(part.ask_rows({true, 0, 1, span_of(nodes), kFloat32})().status());
    });
  }
  Status ask_edges(const Message& answer, EdgeQuestion::What what) {
    return ask(answer, [&](const RemotePart& part, const std::vector<int64_t>& nodes) {
      const IdSpan ids = span_of(nodes);
      return std::move(part.ask_edges({what, 2, Layout::kCsc, ids, ids})().status());
    });
  }

  Message picks(const std::vector<int32_t>& counts, Tensor neighbors, Tensor edge_ids) const {
    return cluster::encode(
        pool_, HopPicks{tensor(counts, kInt32), std::move(neighbors), std::move(edge_ids)});
  }

  std::shared_ptr<Context> context_ = context_of();
  std::shared_ptr<BufferPool> pool_ = context_->buffers();

 private:
  template <typename Ask>
  Status ask(const Message& answer, const Ask& question) {
    const CutGraph& graph = CutGraph::of(1);
    const std::vector<std::byte> bytes(answer.bytes().begin(), answer.bytes().end());
    const auto give = [&](const net::Request& request) {
      Message reply = request.reply(bytes.size());
      std::copy(bytes.begin(), bytes.end(), reply.data());  // there may be none
      request.answer(std::move(reply));
    };
    Server server(graph, {0}, "self", "127.0.0.1:0", [&](net::Handlers* handlers) {
      (*handlers)[static_cast<uint16_t>(Kind::kHop)] = give;
      (*handlers)[static_cast<uint16_t>(Kind::kRows)] = give;
      (*handlers)[static_cast<uint16_t>(Kind::kEdges)] = give;
    });
    Client client("self");
    const auto part = client.part(client.connect(server.address()), 0);
    const std::vector<int64_t> nodes = {3, 4};
    return question(*part, nodes);
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
  EXPECT_OK(ask_rows(Message(pool_, 2 * 120)));
  for (const size_t bytes : {0, 1, 120, 239, 241, 360}) {
    const Status status = ask_rows(Message(pool_, bytes));
    EXPECT_MESSAGE(status,
                   "rows of " + std::to_string(bytes) + " bytes were answered, expected 2 of 120");
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  }
}

TEST_F(BadAnswers, Edges) {
  using What = EdgeQuestion::What;
  const auto numbers = [&](std::vector<int64_t> values) {
    return cluster::encode_edges_answer(pool_, ids64(std::move(values)));
  };
  const auto refused = [&](const Message& answer, What what, const std::string& words) {
    const Status status = ask_edges(answer, what);
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
    EXPECT_MESSAGE(status, words);
    EXPECT_MESSAGE(status, "part 0 at ");
  };
  // Users like items: 2000 sources, 1500 targets, 20000 edges.
  EXPECT_OK(ask_edges(numbers({0, 20000}), What::kDegrees));
  refused(numbers({0, 20001}), What::kDegrees, "20001 at index 1, expected 0 to 20000");
  refused(numbers({-1, 0}), What::kDegrees, "-1 at index 0");
  EXPECT_OK(ask_edges(numbers({0, 1}), What::kPairs));
  refused(numbers({2, 1}), What::kPairs, "2 at index 0, expected 0 to 1");
  EXPECT_OK(ask_edges(numbers({-1, 1999, -1, 1499}), What::kEnds));
  refused(numbers({2000, 0, 0, 0}), What::kEnds, "2000 at index 0, expected -1 to 1999");
  refused(numbers({0, 0, 0, 1500}), What::kEnds, "1500 at index 3, expected -1 to 1499");
  refused(numbers({0, 0, -2, 0}), What::kEnds, "-2 at index 2");
  refused(numbers({-1, 0, 5, 0}), What::kEnds, "one end of an edge alone");
  refused(numbers({0}), What::kDegrees, "answered with 1 numbers, expected 2");
  refused(numbers({0, 0}), What::kEnds, "answered with 2 numbers, expected 4");
  refused(Message(), What::kEnds, "an answer about edges is not well-formed");
  refused(cluster::encode_opened(pool_, 1), What::kPairs, "an answer about edges");
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
      bytes_of(cluster::encode_edges_answer(pool_, ids64({5, 3}))),
  };
  size_t sound = 0;
  const auto read = [&](const std::vector<std::byte>& bytes) {
    const auto message = [&] { return Message::copied(pool_, bytes); };
    sound += cluster::decode_picks(message()).ok() ? 1 : 0;
    sound += cluster::decode_array_chunk(message()).ok() ? 1 : 0;
    sound += cluster::decode_edges_answer(message(), 2).ok() ? 1 : 0;
    const Message kept = message();
    sound += cluster::decode_description(kept.bytes()).ok() ? 1 : 0;
    sound += cluster::decode_opened(kept.bytes()).ok() ? 1 : 0;
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

}  // namespace
}  // namespace gls::test
