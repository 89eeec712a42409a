// Rows that are read out of the memory of servers, against those that they answer.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "batch_equal.h"
#include "cluster/client/remote_graph.h"
#include "cluster/client/replicated_part.h"
#include "cluster/part/row_ranks.h"
#include "cluster/server/graph_server.h"
#include "cluster/wire/remote_memory_messages.h"
#include "feature/gather.h"
#include "loader/pipeline/loader.h"
#include "one_sided_servers.h"

namespace gls::test {
namespace {

using cluster::RemoteMemoryWindow;

class ServedReads : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Ways, ServedReads, testing::ValuesIn(read_ways()),
                         [](const auto& of) { return of.param; });

TEST_P(ServedReads, AreTheRowsOfTheWhole) {
  ReadParts served(GetParam());
  const CutGraph& graph = served.graph;
  for (size_t p = 0; p < graph.parts; ++p) {
    const auto part = served.opened(p);
    for (const bool of_nodes : {true, false}) {
      const size_t types =
          of_nodes ? graph.whole->node_types().size() : graph.whole->edge_types().size();
      for (size_t t = 0; t < types; ++t) {
        const std::vector<int64_t> ids = some_owned(graph, of_nodes, t, p);
        const auto& columns =
            of_nodes ? graph.whole->node_types()[t].columns : graph.whole->edge_types()[t].columns;
        for (size_t c = 0; c < columns.size(); ++c) {
          for (const DLDataType dtype : {columns[c].dtype(), kFloat32}) {
            if (!can_gather_as(columns[c].dtype(), dtype)) {
              continue;
            }
            SCOPED_TRACE(columns[c].name + " as " + dtype_name(dtype));
            const RowQuestion question{of_nodes, t, c, span_of(ids), dtype};
            const Tensor expected = rows_of_whole(graph, question);
            served.asked = 0;
            auto rows = part->ask_rows(question)();
            ASSERT_TRUE(rows.ok()) << rows.status().message();
            expect_same(*rows, expected, "rows");
            // To places of their own: backwards, with and without an owner of the memory.
            const auto row = static_cast<int64_t>(expected.span_bytes() / ids.size());
            std::vector<int64_t> places(ids.size());
            for (size_t i = 0; i < places.size(); ++i) {
              places[i] = static_cast<int64_t>(places.size() - 1 - i);
            }
            for (const bool owned : {true, false}) {
              auto out = std::make_shared<std::vector<std::byte>>(expected.span_bytes());
              auto done = part->ask_rows_to(
                  question, {out->data(), places.data(), row, owned ? out : nullptr})();
              ASSERT_TRUE(done.ok()) << done.status().message();
              for (size_t i = 0; i < places.size(); ++i) {
                ASSERT_EQ(std::memcmp(out->data() + places[i] * row,
                                      expected.data() + static_cast<int64_t>(i) * row,
                                      static_cast<size_t>(row)),
                          0);
              }
            }
            const bool plain =
                columns[c].codebook == nullptr && same_dtype(dtype, columns[c].dtype());
            EXPECT_EQ(served.asked == 0, plain);
          }
        }
      }
    }
    auto none =
        part->ask_rows({true, 0, 1, IdSpan(), graph.whole->node_types()[0].columns[1].dtype()})();
    ASSERT_TRUE(none.ok()) << none.status().message();
    EXPECT_EQ(none->shape()[0], 0);
  }
}

TEST_P(ServedReads, RefuseRowsThatThereAreNot) {
  ReadParts served(GetParam());
  const auto part = served.opened(0);
  const auto& columns = served.graph.whole->node_types()[0].columns;
  const auto x =
      static_cast<size_t>(served.graph.whole->node_types()[0].find_column("x") - columns.data());
  const auto message = [&](std::vector<int64_t> ids) {
    auto rows = part->ask_rows({true, 0, x, span_of(ids), kFloat32})();
    EXPECT_FALSE(rows.ok());
    EXPECT_EQ(rows.status().code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(*rows.status().detail("peer"), served.server->address());
    return rows.status().message();
  };
  int64_t other = 0;
  while (owner_of(0, other, 2) == 0) {
    ++other;
  }
  EXPECT_TRUE(contains(message({other}),
                       formatted("node {} of type \"user\" is not owned by part 0 of 2", other)));
  EXPECT_TRUE(
      contains(message({2000}), "node 2000 at index 0 is outside 0 .. 1999 of type \"user\""));
  EXPECT_TRUE(contains(message({-1}), "node -1 at index 0 is outside"));
  EXPECT_TRUE(contains(message({INT64_MAX}), "is outside"));
  EXPECT_EQ(served.asked, 0);
  EXPECT_EQ(served.peer->epoch(), 1U);
}

// A server that is gone and comes back: what it had said of its memory is not used again.
// Not over UCX, which only emulates reads here and may crash when a connection ends amid them.
std::vector<std::string> ways_but_ucx() {
  std::vector<std::string> ways = read_ways();
  std::erase_if(ways, [](const std::string& way) { return way.starts_with("ucx"); });
  return ways;
}
class ServedReadsHere : public ServedReads {};
INSTANTIATE_TEST_SUITE_P(Ways, ServedReadsHere, testing::ValuesIn(ways_but_ucx()),
                         [](const auto& of) { return of.param; });

TEST_P(ServedReadsHere, GoOnWhenTheServerIsBack) {
  ReadParts served(GetParam());
  const auto part = served.opened(1);
  const std::vector<int64_t> ids = some_owned(served.graph, true, 0, 1);
  const auto& type = served.graph.whole->node_types()[0];
  const auto x = static_cast<size_t>(type.find_column("x") - type.columns.data());
  const RowQuestion question{true, 0, x, span_of(ids), kFloat32};
  const Tensor expected = rows_of_whole(served.graph, question);
  const std::string address = served.server->address();
  for (int i = 0; i < 3; ++i) {
    std::atomic<bool> stop = false;
    std::atomic<int> good = 0;
    std::vector<std::thread> askers;
    for (int k = 0; k < 2; ++k) {
      askers.emplace_back([&] {
        while (!stop) {
          auto rows = part->ask_rows(question)();
          ASSERT_TRUE(rows.ok()) << rows.status().message();
          expect_same(*rows, expected, "rows");
          ++good;
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    served.start(OneSided::kOn, address);
    const int before = good;
    EXPECT_TRUE(net::eventually([&] { return good > before + 4; }));
    stop = true;
    for (std::thread& asker : askers) {
      asker.join();
    }
    // Asked again over the new connection, and read from then on.
    EXPECT_TRUE(net::eventually([&] {
      served.asked = 0;
      auto rows = part->ask_rows(question)();
      return rows.ok() && served.asked == 0;
    }));
  }
}

// They go straight into a batch, and are asked for over the next connection when theirs is lost:
// into the same batch, as nobody writes there any more.
TEST(ServedReadsHeld, AreAskedForWhenTheirConnectionIsLost) {
  ReadParts served("self_channel");
  const auto part = served.opened(1);
  SomeRows rows(served.graph, 1);
  for (const bool to_batch : {true, false}) {
    ASSERT_TRUE(served.peer->wait_until_up(10000, true).ok());
    ASSERT_TRUE(net::eventually([&] {  // its windows are known again
      served.asked = 0;
      return part->ask_rows(rows.question)().ok() && served.asked == 0;
    }));
    served.at_client->hold_reads = true;
    const auto to = part->ask_rows_to(rows.question, rows.target());
    const auto back = part->ask_rows(rows.question);
    EXPECT_EQ(served.asked, 0);
    served.peer->connection()->fail(error(GLS_ERR_IO, "somebody cut it"));
    served.at_client->hold_reads = false;
    if (to_batch) {
      auto done = to();
      ASSERT_TRUE(done.ok()) << done.status().message();
      EXPECT_TRUE(rows.came());
    } else {
      auto tensor = back();
      ASSERT_TRUE(tensor.ok()) << tensor.status().message();
      expect_same(*tensor, rows.expected, "rows");
    }
    EXPECT_GE(served.asked, 1);
  }
}

// A server that is gone amid a read: another one's memory is read, and what the first one may still
// write does not reach the batch.
TEST(ServedReadsHeld, AreThoseOfAReplica) {
  ReadParts first("self_channel");
  ReadParts second("self_channel");
  SomeRows rows(first.graph, 1);
  const auto part = std::make_shared<ReplicatedPart>(
      first.context,
      std::make_shared<Replicas>(Replicas::All{first.opened(1, false), second.opened(1, false)}, 0),
      10000);
  ASSERT_TRUE(part->ask_rows_to(rows.question, rows.target())().ok());
  EXPECT_TRUE(rows.came());
  first.at_client->hold_reads = true;
  const auto later = part->ask_rows_to(rows.question, rows.target());
  first.server.reset();
  auto done = later();
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_TRUE(rows.came());
  std::fill(rows.out->begin(), rows.out->end(), std::byte{0});
  first.at_client->hold_reads = false;
  first.client.reset();  // all that was under way ends
  EXPECT_EQ(std::count(rows.out->begin(), rows.out->end(), std::byte{0}), rows.out->size());
  EXPECT_EQ(first.asked + second.asked, 0);
}

// ---- whether it is used ----

// Over a channel that counts as RDMA: what was quicker when the graph was opened.
TEST(ServedReadsOptions, AutoTakesTheQuickerWay) {
  constexpr int kSlowMs = 150;  // more than a busy machine adds
  for (const bool slow_reads : {true, false}) {
    ReadParts served("self_channel", OneSided::kAuto, OneSided::kAuto);
    served.at_client->slow_reads_ms = slow_reads ? kSlowMs : 0;
    served.change = [&](net::Handlers* handlers) {
      net::Handler& answers = (*handlers)[static_cast<uint16_t>(cluster::Kind::kRows)];
      answers = [slow_reads, kept = answers](const net::Request& request) {
        std::this_thread::sleep_for(std::chrono::milliseconds(slow_reads ? 0 : kSlowMs));
        kept(request);
      };
    };
    const std::string address = served.server->address();
    served.start(OneSided::kAuto, address);
    ASSERT_TRUE(served.peer->wait_until_up(10000, true).ok());
    const auto part = served.opened(0);
    const SomeRows rows(served.graph, 0);
    auto tensor = part->ask_rows(rows.question)();
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    expect_same(*tensor, rows.expected, "rows");
    EXPECT_EQ(served.asked, slow_reads ? 1 : 0);
    if (!slow_reads) {  // memory that cannot be shared after all is not asked for again
      served.at_client->refuse_reads = true;
      for (int asked = 1; asked < 3; ++asked) {
        auto again = part->ask_rows(rows.question)();
        ASSERT_TRUE(again.ok()) << again.status().message();
        expect_same(*again, rows.expected, "rows");
        EXPECT_EQ(served.asked, asked);
        served.at_client->refuse_reads = false;
      }
    }
  }
}

TEST_P(ServedReads, OnInsists) {
  // A client that insists, over a channel that cannot.
  ReadParts served(GetParam(), OneSided::kOff, OneSided::kOff);
  RemotePartOptions options;
  options.one_sided = OneSided::kOn;
  options.ranks = served.ranks;
  const auto part =
      RemotePart::create(served.context, served.peer, served.description, 0, options).take();
  const Status status = part->open_windows(cluster::Deadline(10000));
  EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED) << status.message();
  EXPECT_TRUE(contains(status.message(), "net.one_sided is on: memory of")) << status.message();
  EXPECT_TRUE(contains(status.message(), ", which cannot")) << status.message();
}

TEST(ServedReadsOptions, OnInsistsWhenMemoryIsRefused) {
  ReadParts served("self_channel");
  const auto part = served.opened(0);
  const SomeRows rows(served.graph, 0);
  served.at_client->refuse_reads = true;
  for (int i = 0; i < 2; ++i) {
    const Status status = part->ask_rows(rows.question)().status().copy();
    EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
    EXPECT_TRUE(contains(status.message(), "it could not be shared")) << status.message();
  }
  EXPECT_EQ(served.asked, 0);
  // So it is when the graph is opened.
  const Status status = served.part(1)->open_windows(cluster::Deadline(10000));
  EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED) << status.message();
}

TEST(ServedReadsOptions, NeedAChannel) {
  net::EndpointOptions options = net::options_for("self");
  options.transport.data.one_sided = OneSided::kOn;
  auto made = net::Endpoint::create(context_of(), std::move(options));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(*made.status().detail("argument"), "net.one_sided");
  // Where nobody insists they are what they were.
  ReadParts served("self", OneSided::kAuto, OneSided::kAuto);
  const auto part = served.opened(0);
  const std::vector<int64_t> ids = some_owned(served.graph, true, 0, 0);
  EXPECT_TRUE(part->ask_rows({true, 0, 0, span_of(ids),
                              served.graph.whole->node_types()[0].columns[0].dtype()})()
                  .ok());
  EXPECT_EQ(served.asked, 1);
}

#if defined(GLS_TEST_UCX) || defined(GLS_TEST_OFI)
// UCX's and libfabric's sockets and shared memory are no RDMA.
TEST(ServedReadsOptions, AutoNeedsRdma) {
  for (const std::string& way : net::channel_ways()) {
    ReadParts served(way, OneSided::kAuto, OneSided::kAuto);
    const auto part = served.opened(0);
    EXPECT_EQ(served.peer->connection()->reads(), net::ChannelReads::kNone);
    const std::vector<int64_t> ids = some_owned(served.graph, true, 0, 0);
    EXPECT_TRUE(part->ask_rows({true, 0, 0, span_of(ids),
                                served.graph.whole->node_types()[0].columns[0].dtype()})()
                    .ok());
    EXPECT_EQ(served.asked, 1);
  }
}
#endif

// ---- what a server says ----

// Answers what the test says.
Status open_with(const std::function<void(std::vector<RemoteMemoryWindow>*)>& change) {
  ReadParts served("self_channel");
  const std::string address = served.server->address();
  served.change = [&](net::Handlers* handlers) {
    net::Handler& windows = (*handlers)[static_cast<uint16_t>(cluster::Kind::kWindows)];
    windows = [&](const net::Request& request) {
      served.service->answer(
          cluster::Kind::kWindows, request.bytes(),
          [&](Result<net::Message> reply) {
            auto list = cluster::decode_windows(reply->bytes());
            ASSERT_TRUE(list.ok());
            change(&*list);
            request.answer(cluster::encode_windows(served.context->buffers(), *list));
          },
          [&](const Tensor& rows) {
            return request.connection()->share(rows.owner(), {rows.data(), rows.span_bytes()});
          });
    };
  };
  served.start(OneSided::kOn, address);
  served.peer = served.client->connect(address, 10000).take();
  return served.part(1)->open_windows(cluster::Deadline(10000));
}

TEST(ServedReadsOptions, WindowsThatDoNotFitAreRefused) {
  EXPECT_TRUE(open_with([](std::vector<RemoteMemoryWindow>*) {}).ok());
  const std::vector<std::function<void(RemoteMemoryWindow&)>> changes = {
      [](RemoteMemoryWindow& w) { w.rows += 2000; },
      [](RemoteMemoryWindow& w) { w.rows = 10; },
      [](RemoteMemoryWindow& w) { w.rows = UINT64_MAX; },
      [](RemoteMemoryWindow& w) { w.row_bytes *= 2; },
      [](RemoteMemoryWindow& w) { w.row_bytes = 0; },
      [](RemoteMemoryWindow& w) { w.row_stride = w.row_bytes - 1; },
      [](RemoteMemoryWindow& w) { w.row_stride = UINT64_MAX / 4; },
      [](RemoteMemoryWindow& w) { w.dtype = kBool; },
      [](RemoteMemoryWindow& w) { w.type = 77; },
      [](RemoteMemoryWindow& w) { w.column = "nothing"; },
      [](RemoteMemoryWindow& w) { w.column = "codes8"; },
      [](RemoteMemoryWindow& w) { w.address = 0; },
      [](RemoteMemoryWindow& w) { w.address = UINT64_MAX - 8; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    const Status status =
        open_with([&](std::vector<RemoteMemoryWindow>* windows) { changes[i](windows->front()); });
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << i << ": " << status.message();
  }
  const Status twice = open_with(
      [](std::vector<RemoteMemoryWindow>* windows) { windows->push_back(windows->front()); });
  EXPECT_TRUE(contains(twice.message(), "two windows")) << twice.message();
  // Of another column of the same kind: its rows are not those that the server answers.
  const Status moved = open_with([](std::vector<RemoteMemoryWindow>* windows) {
    const auto of = [&](const char* column) {
      return std::find_if(windows->begin(), windows->end(), [&](const RemoteMemoryWindow& window) {
        return window.of_nodes && window.column == column;
      });
    };
    ASSERT_TRUE(of("time") != windows->end() && of("int64") != windows->end());
    std::swap(of("time")->address, of("int64")->address);
    std::swap(of("time")->key, of("int64")->key);
  });
  EXPECT_EQ(moved.code(), GLS_ERR_CORRUPT_DATA) << moved.message();
  EXPECT_TRUE(contains(moved.message(), "are not those that it answers")) << moved.message();
}

TEST(ServedReadsOptions, MalformedWindowsAreRefused) {
  const auto pool = context_of()->buffers();
  const auto key = std::make_shared<const net::Bytes>(net::Bytes(8));
  const std::vector<RemoteMemoryWindow> sound = {{true, 0, "x", kFloat32, 120, 7, 4096, key, 128}};
  const net::Message message = cluster::encode_windows(pool, sound);
  auto read = cluster::decode_windows(message.bytes());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ((*read)[0].column, "x");
  EXPECT_EQ(*(*read)[0].key, *key);
  std::vector<RemoteMemoryWindow> bad = sound;
  bad[0].key = std::make_shared<const net::Bytes>();
  EXPECT_FALSE(cluster::decode_windows(cluster::encode_windows(pool, bad).bytes()).ok());
  bad[0].key = std::make_shared<const net::Bytes>(net::Bytes(net::kMostChannelKey + 1));
  EXPECT_FALSE(cluster::decode_windows(cluster::encode_windows(pool, bad).bytes()).ok());
  bad = sound;
  bad[0].column = std::string(5000, 'x');
  EXPECT_FALSE(cluster::decode_windows(cluster::encode_windows(pool, bad).bytes()).ok());
  EXPECT_FALSE(cluster::decode_windows(message.bytes().first(message.size() - 8)).ok());
  EXPECT_FALSE(cluster::decode_windows_request(message.bytes()).ok());
}

// ---- books ----

TEST(PartitionBookIndex, AreTheNumbersOfParts) {
  for (const size_t num_parts : {size_t{1}, size_t{2}, size_t{8}}) {
    const CutGraph& graph = CutGraph::of(num_parts);
    const RowRanks ranks(graph.partition);
    for (size_t p = 0; p < num_parts; ++p) {
      const auto part = open_dataset(graph.context, part_path(graph.path, p), {}).take();
      for (size_t t = 0; t < part->node_types().size(); ++t) {
        const GlobalIds& whole = *part->node_types()[t].whole;
        auto of = ranks.of(true, t);
        ASSERT_TRUE(of.ok()) << of.status().message();
        ASSERT_EQ((*of)->owned(static_cast<uint32_t>(p)), whole.owned());
        for (int64_t i = 0; i < whole.owned(); ++i) {
          ASSERT_EQ((*of)->rank(whole.whole_of(i)), i);
        }
      }
      for (size_t t = 0; t < part->edge_types().size(); ++t) {
        const GlobalIds& whole = *part->edge_types()[t].whole;
        auto of = ranks.of(false, t);
        ASSERT_TRUE(of.ok()) << of.status().message();
        ASSERT_EQ((*of)->owned(static_cast<uint32_t>(p)), whole.owned());
        for (int64_t i = 0; i < whole.owned(); ++i) {
          ASSERT_EQ((*of)->rank(whole.whole_of(i)), i);
        }
      }
    }
  }
}

TEST(PartitionBookIndex, OfEveryKindOfBook) {
  constexpr int64_t kCount = 70000;
  std::vector<uint16_t> wide(kCount);
  for (size_t i = 0; i < wide.size(); ++i) {
    wide[i] = static_cast<uint16_t>(i * i % 317 % 300);
  }
  std::vector<int64_t> seen(300);
  const std::vector<uint16_t> owners = wide;
  const PartitionBookIndex ranks =
      PartitionBookIndex::make(
          PartitionBook::make(tensor_of(std::move(wide), kUint16), kCount, 300, "book").take())
          .take();
  for (int64_t i = 0; i < kCount; ++i) {
    const int64_t rank = seen[owners[static_cast<size_t>(i)]]++;
    if (i % 61 == 0) {
      ASSERT_EQ(ranks.rank(i), rank) << i;
    }
  }
  const PartitionBookIndex ranges =
      PartitionBookIndex::make(PartitionBook::make(ids64({0, 10, 10, 50}), 50, 3, "book").take())
          .take();
  EXPECT_EQ(ranges.rank(9), 9);
  EXPECT_EQ(ranges.rank(10), 0);
  EXPECT_EQ(ranges.rank(49), 39);
  EXPECT_EQ(ranges.owned(1), 0);
  EXPECT_FALSE(
      PartitionBookIndex::make(
          PartitionBook::make(tensor_of(std::vector<uint8_t>{0, 1, 2}, kUint8), 3, 2, "book")
              .take())
          .ok());
}

// ---- whole graphs ----

TEST_P(ServedReads, MakeTheBatchesOfTheWhole) {
  const CutGraph& graph = CutGraph::of(2);
  std::vector<std::unique_ptr<GraphServer>> servers;
  RemoteGraphOptions options;
  options.transport = transport_for(GetParam(), OneSided::kOn);
  std::string address;
  for (const uint32_t p : {0u, 1u}) {
    GraphServerOptions each;
    each.transport = options.transport;
    each.parts = {p};
    each.listen = GetParam() == "self_channel" ? formatted("read{}:0", p) : "127.0.0.1:0";
    each.servers = address.empty() ? std::vector<std::string>() : std::vector{address};
    auto server = GraphServer::start(context_of(), graph.path, each);
    ASSERT_TRUE(server.ok()) << server.status().message();
    servers.push_back(server.take());
    address = servers.back()->address();
  }
  auto opened = open_served(context_of(), "gls://" + address, options);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto batches_of = [](const std::shared_ptr<const Dataset>& dataset) {
    auto sampler = Sampler::create(dataset, two_hops());
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loading;
    loading.plan.batch_size = 300;
    loading.plan.shuffle = true;
    loading.columns = default_columns(**sampler);
    return Loader::create(sampler.take(), Tensor(), std::move(loading)).take();
  };
  const auto here = batches_of(graph.whole);
  const auto there = batches_of(*opened);
  for (uint64_t b = 0; b < 4; ++b) {
    auto expected = here->sample(1, b);
    auto batch = there->sample(1, b);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    ASSERT_NO_FATAL_FAILURE(expect_same(**expected, **batch));
  }
}

}  // namespace
}  // namespace gls::test
