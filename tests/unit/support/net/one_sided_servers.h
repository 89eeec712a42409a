// Servers whose memory is read, and a client.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/part/row_ranks.h"
#include "feature/gather.h"
#include "part_servers.h"

namespace gls::test {

using net::OneSided;

inline std::vector<std::string> read_ways() {
  std::vector<std::string> ways = {"self_channel"};
#ifdef GLS_TEST_UCX
  ways.insert(ways.end(), {"ucx_tcp", "ucx_shm"});
#endif
#ifdef GLS_TEST_OFI
  ways.emplace_back("ofi_tcp");
#endif
  return ways;
}

inline net::TransportOptions transport_for(const std::string& way, OneSided one_sided) {
  net::TransportOptions out = net::options_for(way).transport;
  out.data.one_sided = one_sided;
  return out;
}

// A server of all parts of a graph, which counts questions for rows, and a client.
struct ReadParts {
  explicit ReadParts(const std::string& way_in, OneSided there = OneSided::kOn,
                     OneSided here = OneSided::kOn, size_t num_parts = 2,
                     net::DeviceMemory gpus = net::DeviceMemory::kOff)
      : graph(CutGraph::of(num_parts)), way(way_in), one_sided(here), device_memory(gpus) {
    start(there, way == "self_channel" ? "reads:0" : "127.0.0.1:0");
    net::EndpointOptions options = net::options_for(way);
    options.transport = transport_for(way, here);
    set_faults(&options.transport.data, at_client);
    options.transport.data.device_memory = device_memory;
    options.role = "client";
    client = net::Endpoint::create(context, std::move(options)).take();
    peer = client->connect(server->address(), 10000).take();
    description = describe(peer, context->buffers(), 10000)->partition;
  }
  ~ReadParts() {
    client.reset();
    server.reset();
  }

  void start(OneSided there, const std::string& listen) {
    server.reset();
    std::vector<std::shared_ptr<const Dataset>> opened;
    for (size_t p = 0; p < graph.parts; ++p) {
      opened.push_back(open_dataset(context, part_path(graph.path, p), {}).take());
    }
    service = PartService::create(graph.partition, opened).take();
    net::EndpointOptions options = net::options_for(way);
    options.transport = transport_for(way, there);
    options.transport.data.device_memory = device_memory;
    options.role = "server";
    options.listen = listen;
    options.handlers = service->handlers();
    net::Handler& rows = options.handlers[static_cast<uint16_t>(cluster::Kind::kRows)];
    rows = [this, kept = rows](const net::Request& request) {
      ++asked;
      kept(request);
    };
    if (change) {
      change(&options.handlers);
    }
    auto made = net::Endpoint::create(context, std::move(options));
    ASSERT_TRUE(made.ok()) << made.status().message();
    server = made.take();
  }

  std::shared_ptr<const RemotePart> part(size_t number, bool ask_again = true,
                                         uint64_t most_reply_bytes = uint64_t{4} << 20) {
    RemotePartOptions options;
    options.most_reply_bytes = most_reply_bytes;
    options.one_sided = one_sided;
    options.ranks = ranks;
    options.ask_again = ask_again;
    return RemotePart::create(context, peer, description, static_cast<uint32_t>(number), options)
        .take();
  }
  std::shared_ptr<const RemotePart> opened(size_t number, bool ask_again = true) {
    auto out = part(number, ask_again);
    const Status status = out->open_windows(cluster::Deadline(10000));
    EXPECT_TRUE(status.ok()) << status.message();
    asked = 0;
    return out;
  }

  const CutGraph& graph;
  const std::string way;
  const OneSided one_sided;
  const net::DeviceMemory device_memory;  // on both sides
  std::shared_ptr<Context> context = context_of();
  std::function<void(net::Handlers*)> change;
  std::shared_ptr<net::SelfChannelFaults> at_client = std::make_shared<net::SelfChannelFaults>();
  std::atomic<int> asked = 0;
  std::shared_ptr<PartService> service;
  std::unique_ptr<net::Endpoint> server;
  std::unique_ptr<net::Endpoint> client;
  std::shared_ptr<net::Peer> peer;
  std::shared_ptr<const format::PartitionT> description;
  std::shared_ptr<const RowRanks> ranks = std::make_shared<const RowRanks>(graph.partition);
};

// In no order, some twice, some beside each other.
inline std::vector<int64_t> some_owned(const CutGraph& graph, bool of_nodes, size_t type,
                                       size_t part) {
  const PartitionBook& book =
      of_nodes ? graph.partition->node_book(type) : *graph.partition->edge_book(type);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < book.count(); ++i) {
    if (book[i] == part) {
      ids.push_back(i);
    }
  }
  std::vector<int64_t> out(ids.begin(), ids.begin() + 50);
  for (size_t i = 0; i < std::min<size_t>(ids.size(), 500); ++i) {
    out.push_back(ids[i * 7919 % ids.size()]);
  }
  out.push_back(ids.back());
  out.push_back(ids.back());
  return out;
}

inline Tensor rows_of_whole(const CutGraph& graph, const RowQuestion& question) {
  const Column& column = question.of_nodes
                             ? graph.whole->node_types()[question.type].columns[question.column]
                             : graph.whole->edge_types()[question.type].columns[question.column];
  BufferPool& pool = *graph.context->buffers();
  return column.codebook != nullptr
             ? gather_decoded(pool, column.data, *column.codebook, question.ids, {})
             : gather(pool, column.data, question.ids, question.dtype, {});
}

// Column x of the users that a part owns.
struct SomeRows {
  SomeRows(const CutGraph& graph, size_t part) : ids(some_owned(graph, true, 0, part)) {
    const auto& type = graph.whole->node_types()[0];
    question.column = static_cast<size_t>(type.find_column("x") - type.columns.data());
    question.ids = span_of(ids);
    expected = rows_of_whole(graph, question);
    row_bytes = static_cast<int64_t>(expected.span_bytes() / ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      places.push_back(static_cast<int64_t>(i));
    }
  }
  // Where they go, as in a batch.
  RowTarget target() {
    out = std::make_shared<std::vector<std::byte>>(expected.span_bytes());
    return {out->data(), places.data(), row_bytes, out};
  }
  bool came() const {
    return std::memcmp(out->data(), expected.data(), expected.span_bytes()) == 0;
  }

  std::vector<int64_t> ids;
  std::vector<int64_t> places;
  RowQuestion question{true, 0, 0, {}, kFloat32};
  Tensor expected;
  int64_t row_bytes = 0;
  std::shared_ptr<std::vector<std::byte>> out;
};

}  // namespace gls::test
