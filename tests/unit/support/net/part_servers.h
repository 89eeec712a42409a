// Parts of a graph, each served by an endpoint of its own, and a client of them all.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/client/remote_part.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/server/part_service.h"
#include "hop_client.h"
#include "net_support.h"
#include "part_graph.h"

namespace gls::test {

// Made once for each number of parts.
struct CutGraph {
  explicit CutGraph(size_t num_parts) : parts(num_parts) {
    cut_graph(*whole, num_parts, path);
    auto opened = open_partition(path);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    partition = opened.take();
  }
  static const CutGraph& of(size_t parts) {
    static std::map<size_t, std::unique_ptr<CutGraph>> made;
    std::unique_ptr<CutGraph>& out = made[parts];
    if (out == nullptr) {
      out = std::make_unique<CutGraph>(parts);
    }
    return *out;
  }

  size_t parts;
  std::shared_ptr<Context> context = context_of();
  std::shared_ptr<const Dataset> whole = whole_with_features(context);
  TempFolder folder;
  std::string path = folder.file("parts");
  std::shared_ptr<const Partition> partition;
};

class Server {
 public:
  // `change` may put other handlers in place of those of the service.
  using Change = std::function<void(net::Handlers*)>;
  Server(const CutGraph& graph, std::vector<size_t> parts, const std::string& way,
         const std::string& listen = "127.0.0.1:0", const Change& change = {},
         const PartServiceOptions& options = {}) {
    std::vector<std::shared_ptr<const Dataset>> opened;
    for (const size_t part : parts) {
      auto dataset = open_dataset(context_, part_path(graph.path, part), {});
      EXPECT_TRUE(dataset.ok()) << dataset.status().message();
      opened.push_back(dataset.take());
    }
    auto made = PartService::create(graph.partition, opened, options);
    EXPECT_TRUE(made.ok()) << made.status().message();
    service_ = made.take();
    net::EndpointOptions endpoint = net::options_for(way);
    endpoint.role = "server";
    endpoint.listen = listen;
    endpoint.handlers = service_->handlers();
    if (change) {
      change(&endpoint.handlers);
    }
    auto created = net::Endpoint::create(context_, std::move(endpoint));
    EXPECT_TRUE(created.ok()) << created.status().message();
    endpoint_ = created.take();
  }

  const std::string& address() const { return endpoint_->address(); }
  PartService& service() { return *service_; }

 private:
  std::shared_ptr<Context> context_ = context_of();
  std::shared_ptr<PartService> service_;
  std::unique_ptr<net::Endpoint> endpoint_;
};

class Client {
 public:
  explicit Client(const std::string& way) {
    net::EndpointOptions options = net::options_for(way);
    options.role = "client";
    auto created = net::Endpoint::create(context_, std::move(options));
    EXPECT_TRUE(created.ok()) << created.status().message();
    endpoint_ = created.take();
  }

  std::shared_ptr<net::Peer> connect(const std::string& address) {
    auto peer = endpoint_->connect(address, 10000);
    EXPECT_TRUE(peer.ok()) << peer.status().message();
    return peer.take();
  }
  std::shared_ptr<const RemotePart> part(const std::shared_ptr<net::Peer>& peer, size_t number,
                                         const RemotePartOptions& options = {}) {
    auto described = describe(peer, context_->buffers(), 10000);
    EXPECT_TRUE(described.ok()) << described.status().message();
    auto made = RemotePart::create(context_, peer, described->partition,
                                   static_cast<uint32_t>(number), options);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.take();
  }
  const std::shared_ptr<Context>& context() const { return context_; }

 private:
  std::shared_ptr<Context> context_ = context_of();
  std::unique_ptr<net::Endpoint> endpoint_;
};

// Every part behind a server of its own.
struct ServedParts {
  ServedParts(size_t num_parts, const std::string& way, const RemotePartOptions& options = {},
              const PartServiceOptions& service = {})
      : graph(CutGraph::of(num_parts)), client(way) {
    for (size_t p = 0; p < num_parts; ++p) {
      servers.push_back(std::make_unique<Server>(graph, std::vector{p}, way, "127.0.0.1:0",
                                                 Server::Change(), service));
      parts.push_back(client.part(client.connect(servers.back()->address()), p, options));
    }
  }

  const CutGraph& graph;
  std::vector<std::unique_ptr<Server>> servers;
  Client client;
  std::vector<std::shared_ptr<const Part>> parts;
};

// ---- questions ----

inline SamplerOptions two_hops() {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 2;
  options.fanouts = {{9, 4}, {5, 2}, {7, 3}};
  options.edge_ids = true;
  return options;
}

inline HopQuestion first_hop(const std::vector<int64_t>& nodes) {
  HopQuestion question;
  question.epoch = 1;
  question.nodes = span_of(nodes);
  return question;
}

inline std::vector<int64_t> owned_users(size_t parts, size_t part) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < kUsers; ++i) {
    if (owner_of(0, i, parts) == part) {
      out.push_back(i);
    }
  }
  return out;
}

}  // namespace gls::test
