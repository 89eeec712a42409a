// Parts behind servers, against the whole that they were cut from.
#include "cluster/client/remote_part.h"

#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "cluster/part/local_part.h"
#include "feature/gather.h"
#include "format/partition_file.h"
#include "part_servers.h"

namespace gls::test {
namespace {

SamplerOptions options_of(const HopCase& given) {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
  options.edge_ids = true;
  given.set(&options);
  return options;
}

// Samples a batch from `parts` and from the whole; both leave out `later` on top of the options.
void expect_same_batch(const CutGraph& graph, const std::vector<std::shared_ptr<const Part>>& parts,
                       const SamplerOptions& options, const std::vector<EdgeSet>& later = {}) {
  auto whole = Sampler::create(graph.whole, options);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  std::vector<std::shared_ptr<const PartSampler>> samplers;
  for (const auto& part : parts) {
    auto sampler = part->open_sampler(options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    samplers.push_back(sampler.take());
  }
  const std::vector<int64_t> seeds = {11, 5, 1999, 0, 5, 700, 701, 702, 1400, 1222};
  const std::vector<int64_t> times = {300, 360, 420, 480, 540, 600, 660, 720, 780, 840};
  SampleRequest request;
  request.epoch = 2;
  request.batch = 6;
  request.seeds = {{0, span_of(seeds), options.temporal() ? span_of(times) : IdSpan()}};
  request.exclude = later;
  auto batch = (*whole)->sample(request);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  HopClient client = {*graph.whole, (*whole)->options(), graph.parts,
                      [&](size_t type, int64_t node) { return owner_of(type, node, graph.parts); },
                      [&](size_t p, HopQuestion question) {
                        question.exclude = later;
                        return samplers[p]->ask(question)();
                      }};
  ASSERT_NO_FATAL_FAILURE(client.sample(0, seeds, times, request.epoch, request.batch));
  client.expect_same(**batch);
}

class ServedHops : public testing::TestWithParam<std::tuple<HopCase, size_t>> {};

TEST_P(ServedHops, AreThoseOfTheWhole) {
  const auto& [given, num_parts] = GetParam();
  const ServedParts served(num_parts, "self");
  expect_same_batch(served.graph, served.parts, options_of(given));
}

INSTANTIATE_TEST_SUITE_P(Options, ServedHops,
                         testing::Combine(testing::ValuesIn(hop_cases()),
                                          testing::Values(size_t{1}, size_t{2}, size_t{8})),
                         [](const auto& given) {
                           return std::get<0>(given.param).name + "_" +
                                  std::to_string(std::get<1>(given.param));
                         });

// Of a graph with a node that is longer than what is answered at once.
class LongHops : public testing::TestWithParam<HopCase> {};

TEST_P(LongHops, AreAskedInPieces) {
  const SamplerOptions options = options_of(GetParam());
  uint64_t whole = 0;
  for (const auto& [by_client, by_server] :
       {std::pair<uint64_t, uint64_t>{1 << 20, 1 << 20}, {1 << 20, 400}, {400, 1 << 20}}) {
    SCOPED_TRACE(formatted("{} and {}", by_client, by_server));
    RemotePartOptions client;
    client.most_hop_bytes = by_client;
    PartServiceOptions service;
    service.most_hop_bytes = by_server;
    const ServedParts served(2, "self", client, service);
    expect_same_batch(served.graph, served.parts, options);
    uint64_t questions = 0;
    for (const auto& server : served.servers) {
      questions += server->service().stats().requests;
      EXPECT_EQ(server->service().stats().failures, 0U);
    }
    whole = whole == 0 ? questions : whole;
    const bool told = by_client == 400;  // all neighbours, and those of layers, only servers count
    if (by_server == 400 || (told && options.pick != Pick::kLayer)) {
      EXPECT_GT(questions, whole + 10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Options, LongHops, testing::ValuesIn(hop_cases()),
                         [](const auto& given) { return given.param.name; });

TEST(RemotePart, OverTcpWithAKey) {
  const ServedParts served(2, "key");
  expect_same_batch(served.graph, served.parts, options_of(hop_cases()[0]));
  SamplerOptions narrow = options_of(hop_cases()[0]);
  narrow.int32 = true;
  narrow.edge_ids = true;
  expect_same_batch(served.graph, served.parts, narrow);
}

std::vector<std::shared_ptr<const Part>> local_parts(const CutGraph& graph) {
  std::vector<std::shared_ptr<const Part>> out;
  for (size_t p = 0; p < graph.parts; ++p) {
    auto dataset = open_dataset(graph.context, part_path(graph.path, p), {});
    auto part = LocalPart::create(*dataset);
    EXPECT_TRUE(part.ok()) << part.status().message();
    out.push_back(part.take());
  }
  return out;
}

TEST(LocalPart, HopsAreThoseOfTheWhole) {
  const CutGraph& graph = CutGraph::of(2);
  for (const HopCase& given : hop_cases()) {
    SCOPED_TRACE(given.name);
    expect_same_batch(graph, local_parts(graph), options_of(given));
  }
}

// ---- what is left out ----

// Every `step`th edge of a type by its id, or as pairs.
EdgeSet some_edges(const Dataset& whole, size_t edge_type, bool pairs, int64_t step) {
  const EdgeType& type = whole.edge_types()[edge_type];
  std::vector<int64_t> ids;
  std::vector<int64_t> targets;
  for (int64_t row = 0; row < type.csc->num_rows; ++row) {
    for (int64_t at = type.csc->indptr[row]; at < type.csc->indptr[row + 1]; ++at) {
      if (at % step == 0) {
        ids.push_back(pairs ? type.csc->neighbor(at) : type.csc->edge_id(at));
        targets.push_back(row);
      }
    }
  }
  const auto count = static_cast<int64_t>(ids.size());
  if (!pairs) {
    return {edge_type, edge_type == 1 ? ids32(ids) : ids64(ids)};
  }
  ids.insert(ids.end(), targets.begin(), targets.end());
  return {edge_type, tensor(std::move(ids), kInt64, {2, count})};
}

TEST(RemotePart, LeavesOutWhatTheWholeLeavesOut) {
  for (const HopCase& given : hop_cases()) {
    if (given.name != "uniform" && given.name != "out" && given.name != "weighted" &&
        given.name != "layer" && given.name != "edge_time") {
      continue;
    }
    const ServedParts served(given.name == "uniform" ? 8 : 3, "self");
    const Dataset& whole = *served.graph.whole;
    for (const bool pairs : {false, true}) {
      SCOPED_TRACE(given.name + (pairs ? " pairs" : " ids"));
      SamplerOptions options = options_of(given);
      options.exclude = {some_edges(whole, 0, pairs, 4), some_edges(whole, 1, !pairs, 4)};
      const std::vector<EdgeSet> later = {some_edges(whole, 2, pairs, 4),
                                          some_edges(whole, 0, pairs, 7)};
      expect_same_batch(served.graph, served.parts, options);
      expect_same_batch(served.graph, served.parts, options, later);
      expect_same_batch(served.graph, local_parts(served.graph), options, later);
    }
  }
}

TEST(RemotePart, SaysWhatCannotBeLeftOut) {
  const ServedParts served(2, "self");
  SamplerOptions options = options_of(hop_cases()[0]);
  options.exclude = {{0, ids64({20000})}};
  auto sampler = served.parts[1]->open_sampler(options);
  ASSERT_FALSE(sampler.ok());
  EXPECT_MESSAGE(sampler.status(), "exclude: edge id 20000 at index 0 is outside 0 .. 19999");
  EXPECT_MESSAGE(sampler.status(), "part 1 at " + served.servers[1]->address());
  EXPECT_EQ(*sampler.status().detail("argument"), "exclude");
  EXPECT_EQ(*sampler.status().detail("part"), "1");
  options.exclude = {{0, tensor(std::vector<int64_t>{1, 2, -1, 3}, kInt64, {2, 2})}};
  sampler = served.parts[1]->open_sampler(options);
  EXPECT_MESSAGE(sampler.status(), "exclude: node -1 at index 0 is outside 0 .. 1999");
  options.exclude = {{3, ids64({0})}};
  sampler = served.parts[1]->open_sampler(options);
  EXPECT_MESSAGE(sampler.status(), "exclude: edge type number 3, of 3");
  options.exclude = {{0, tensor(std::vector<float>{1}, kFloat32)}};
  sampler = served.parts[1]->open_sampler(options);
  EXPECT_MESSAGE(sampler.status(), "exclude: edges are float32 [1], expected int32 or int64");
}

// ---- rows ----

std::vector<int64_t> owned_by(const CutGraph& graph, bool of_nodes, size_t type, size_t part,
                              const Dataset& dataset) {
  const GlobalIds& whole =
      of_nodes ? *dataset.node_types()[type].whole : *dataset.edge_types()[type].whole;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < whole.owned(); ++i) {  // in no order, some twice
    ids.push_back(whole.whole_of(i * 7 % whole.owned()));
  }
  ids.resize(ids.size() - part % 2);
  EXPECT_GT(static_cast<int64_t>(ids.size() * graph.parts), 1000);
  return ids;
}

void expect_rows(const CutGraph& graph, const Part& part, size_t number, bool of_nodes) {
  auto dataset = open_dataset(graph.context, part_path(graph.path, number), {});
  ASSERT_TRUE(dataset.ok()) << dataset.status().message();
  BufferPool& pool = *graph.context->buffers();
  const size_t types =
      of_nodes ? graph.whole->node_types().size() : graph.whole->edge_types().size();
  for (size_t t = 0; t < types; ++t) {
    const std::vector<int64_t> ids = owned_by(graph, of_nodes, t, number, **dataset);
    const std::vector<int32_t> narrow(ids.begin(), ids.end());
    const auto& columns =
        of_nodes ? graph.whole->node_types()[t].columns : graph.whole->edge_types()[t].columns;
    for (size_t c = 0; c < columns.size(); ++c) {
      for (const DLDataType dtype : {columns[c].dtype(), kFloat32}) {
        if (!can_gather_as(columns[c].dtype(), dtype)) {
          continue;
        }
        SCOPED_TRACE(columns[c].name + " as " + dtype_name(dtype));
        const IdSpan span = c % 2 == 0
                                ? span_of(ids)
                                : IdSpan(narrow.data(), false, static_cast<int64_t>(narrow.size()));
        const Tensor expected =
            columns[c].codebook != nullptr
                ? gather_decoded(pool, columns[c].data, *columns[c].codebook, span, {})
                : gather(pool, columns[c].data, span, dtype, {});
        auto rows = part.ask_rows({of_nodes, t, c, span, dtype})();
        ASSERT_TRUE(rows.ok()) << rows.status().message();
        EXPECT_EQ(rows->shape(), expected.shape());
        EXPECT_TRUE(same_dtype(rows->dtype(), dtype));
        ASSERT_EQ(rows->span_bytes(), expected.span_bytes());
        EXPECT_EQ(std::memcmp(rows->data(), expected.data(), rows->span_bytes()), 0);
      }
    }
  }
}

TEST(RemotePart, RowsAreThoseOfTheWhole) {
  RemotePartOptions few;
  few.most_reply_bytes = 1000;
  for (const RemotePartOptions& options : {RemotePartOptions(), few}) {
    const ServedParts served(2, "self", options);
    for (size_t p = 0; p < 2; ++p) {
      expect_rows(served.graph, *served.parts[p], p, true);
      expect_rows(served.graph, *served.parts[p], p, false);
    }
  }
}

TEST(LocalPart, RowsAreThoseOfTheWhole) {
  const CutGraph& graph = CutGraph::of(2);
  const auto parts = local_parts(graph);
  for (size_t p = 0; p < 2; ++p) {
    expect_rows(graph, *parts[p], p, true);
    expect_rows(graph, *parts[p], p, false);
  }
}

TEST(RemotePart, LargeQuestionsAreSplit) {
  const CutGraph& graph = CutGraph::of(1);
  std::atomic<int> calls = 0;
  std::atomic<size_t> longest = 0;
  Server server(graph, {0}, "self", "127.0.0.1:0", [&](net::Handlers* handlers) {
    net::Handler& rows = (*handlers)[static_cast<uint16_t>(cluster::Kind::kRows)];
    rows = [&, kept = rows](const net::Request& request) {
      ++calls;
      longest = std::max<size_t>(longest, request.bytes().size());
      kept(request);
    };
  });
  Client client("self");
  RemotePartOptions options;
  options.most_reply_bytes = 12000;  // 100 rows of 30 numbers
  const auto part = client.part(client.connect(server.address()), 0, options);
  std::vector<int64_t> ids(1950);
  std::iota(ids.begin(), ids.end(), 0);
  const NodeType& type = graph.whole->node_types()[0];
  const auto column = static_cast<size_t>(type.find_column("x") - type.columns.data());
  auto rows = part->ask_rows({true, 0, column, span_of(ids), kFloat32})();
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  EXPECT_EQ(calls, 20);
  EXPECT_LT(longest, 1000U);  // ids of 4 bytes
  EXPECT_EQ(rows->shape(), (std::vector<int64_t>{1950, 30}));
  EXPECT_EQ(std::memcmp(rows->data(), type.columns[column].data.data(), rows->span_bytes()), 0);
  auto none = part->ask_rows({true, 0, column, IdSpan(), kFloat32})();
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_EQ(none->shape(), (std::vector<int64_t>{0, 30}));
}

// The connection is lost when some of the requests were answered and others were not.
TEST(RemotePart, SplitQuestionsSurviveTheLossOfTheConnection) {
  const CutGraph& graph = CutGraph::of(1);
  std::atomic<int> calls = 0;
  const auto kept = std::make_shared<net::Kept>();
  Server server(graph, {0}, "tcp", "127.0.0.1:0", [&](net::Handlers* handlers) {
    net::Handler& rows = (*handlers)[static_cast<uint16_t>(cluster::Kind::kRows)];
    rows = [&, of = rows](const net::Request& request) {
      const int number = ++calls;
      if (number <= 20 && number % 4 == 0) {
        const std::lock_guard lock(kept->mutex);
        kept->requests.push_back(request);
      } else {
        of(request);
      }
    };
  });
  Client client("tcp");
  const auto peer = client.connect(server.address());
  RemotePartOptions options;
  options.most_reply_bytes = 12000;
  const auto part = client.part(peer, 0, options);
  std::vector<int64_t> ids(1950);
  std::iota(ids.begin(), ids.end(), 0);
  const NodeType& type = graph.whole->node_types()[0];
  const auto column = static_cast<size_t>(type.find_column("x") - type.columns.data());
  const auto later = part->ask_rows({true, 0, column, span_of(ids), kFloat32});
  ASSERT_TRUE(net::eventually([&] { return kept->size() == 5 && calls == 20; }));
  peer->connection()->fail(Status(GLS_ERR_IO, "cut"));
  auto rows = later();
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  EXPECT_GE(calls, 25);
  EXPECT_EQ(rows->shape(), (std::vector<int64_t>{1950, 30}));
  EXPECT_EQ(std::memcmp(rows->data(), type.columns[column].data.data(), rows->span_bytes()), 0);
  kept->drop();
}

TEST(RemotePart, SaysWhichRowsThereAreNot) {
  const ServedParts served(2, "self");
  const auto message = [&](const RowQuestion& question) {
    auto rows = served.parts[0]->ask_rows(question)();
    EXPECT_FALSE(rows.ok());
    EXPECT_EQ(*rows.status().detail("peer"), served.servers[0]->address());
    return rows.status().message();
  };
  std::vector<int64_t> other = {0};
  while (owner_of(0, other[0], 2) == 0) {
    ++other[0];
  }
  EXPECT_TRUE(
      contains(message({true, 0, 1, span_of(other), kFloat32}),
               formatted("node {} of type \"user\" is not owned by part 0 of 2", other[0])));
  const std::vector<int64_t> beyond = {2000};
  EXPECT_TRUE(contains(message({true, 0, 1, span_of(beyond), kFloat32}),
                       "node 2000 at index 0 is outside 0 .. 1999 of type \"user\""));
  const std::vector<int64_t> negative = {-1};
  EXPECT_TRUE(contains(message({false, 0, 2, span_of(negative), kFloat32}),
                       "edge -1 at index 0 is outside"));
  EXPECT_TRUE(contains(message({true, 0, 1, span_of(beyond), kInt64}), "cannot be gathered as"));
  EXPECT_TRUE(contains(message({true, 9, 1, span_of(beyond), kInt64}), "type number 9, of 2"));
  EXPECT_TRUE(contains(message({true, 0, 99, span_of(beyond), kInt64}), "column number 99, of 9"));
}

// ---- descriptions and arrays ----

TEST(GraphDescription, IsWhatThePartitionSays) {
  const CutGraph& graph = CutGraph::of(2);
  Server server(graph, {1, 0}, "self");
  server.service().set_servers({{"a:1", {0}}, {server.address(), {1, 0}}});
  Client client("self");
  const auto peer = client.connect(server.address());
  auto described = describe(peer, client.context()->buffers(), 10000);
  ASSERT_TRUE(described.ok()) << described.status().message();
  EXPECT_EQ(described->partition->graph, graph.partition->file().graph);
  EXPECT_EQ(described->partition->whole->node_types.size(), 2U);
  EXPECT_EQ(described->parts, (std::vector<uint32_t>{1, 0}));
  ASSERT_EQ(described->servers.size(), 2U);
  EXPECT_EQ(described->servers[0].address, "a:1");
  EXPECT_EQ(described->servers[1].parts, (std::vector<uint32_t>{1, 0}));
}

TEST(GraphDescription, ArraysAreFetchedWhole) {
  const CutGraph& graph = CutGraph::of(8);
  PartServiceOptions small;
  small.most_chunk_bytes = 700;  // less at once than is asked for
  Server server(graph, {3}, "self", "127.0.0.1:0", {}, small);
  Client client("self");
  const auto peer = client.connect(server.address());
  auto described = describe(peer, client.context()->buffers(), 10000);
  ASSERT_TRUE(described.ok()) << described.status().message();
  const auto arrays = shared_arrays(*described->partition);
  EXPECT_GE(arrays.size(), 4U);  // books, an id set, keys
  for (const auto& [file, array] : arrays) {
    SCOPED_TRACE(file);
    format::ArrayT there = *array;
    there.file = file;
    auto expected = map_array(graph.path, there);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (const uint64_t piece : {uint64_t{1000}, uint64_t{64}, uint64_t{4} << 20}) {
      auto fetched = fetch_array(peer, client.context()->buffers(), *described->partition, file,
                                 {10000, true, piece});
      ASSERT_TRUE(fetched.ok()) << fetched.status().message();
      EXPECT_EQ(fetched->shape(), expected->shape());
      EXPECT_TRUE(same_dtype(fetched->dtype(), expected->dtype()));
      EXPECT_EQ(std::memcmp(fetched->data(), expected->data(), expected->span_bytes()), 0);
    }
  }
  for (const char* file : {"../x", "partition.json", "part-3/manifest.json", ""}) {
    auto none =
        fetch_array(peer, client.context()->buffers(), *described->partition, file, {10000});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.status().code(), GLS_ERR_NOT_FOUND);
  }

  // Not what was described.
  auto partition = parse_partition(partition_to_json(*described->partition), "a copy").take();
  partition.node_books[0]->array->xxh3 = "0123456789abcdef";
  auto fetched = fetch_array(peer, client.context()->buffers(), partition,
                             partition.node_books[0]->array->file, {10000});
  ASSERT_FALSE(fetched.ok());
  EXPECT_EQ(fetched.status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_MESSAGE(fetched.status(), "expected 0123456789abcdef, as it is described");
  EXPECT_MESSAGE(fetched.status(), server.address());
  partition.node_books[0]->array->shape[0] -= 1;
  fetched = fetch_array(peer, client.context()->buffers(), partition,
                        partition.node_books[0]->array->file, {10000});
  EXPECT_MESSAGE(fetched.status(), "it has 2000 bytes, expected 1999, as it is described");
}

}  // namespace
}  // namespace gls::test
