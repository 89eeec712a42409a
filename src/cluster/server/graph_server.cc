#include "cluster/server/graph_server.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/part/in_process_parts.h"
#include "cluster/server/peer_graph.h"
#include "graph/folder/verify.h"
#include "graph/partition/single_part.h"

namespace gls {
namespace {

Result<std::vector<uint32_t>> parts_to_serve(const std::vector<uint32_t>& given, uint32_t count) {
  std::vector<uint32_t> out = given;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] >= count) {
      return invalid("parts: {}, expected 0 to {}", out[i], count - 1).with("argument", "parts");
    }
    if (std::count(out.begin(), out.end(), out[i]) > 1) {
      return invalid("parts: {} is there twice", out[i]).with("argument", "parts");
    }
  }
  for (uint32_t p = 0; given.empty() && p < count; ++p) {
    out.push_back(p);
  }
  return out;
}

// The share of a client's timeout for a batch that a server uses for one request of its own.
int64_t own_share(int64_t timeout_ms) {
  return is_unlimited(timeout_ms) ? timeout_ms : std::max<int64_t>(timeout_ms / 3, 1);
}

}  // namespace

Result<std::unique_ptr<GraphServer>> GraphServer::start(std::shared_ptr<Context> context,
                                                        const std::string& path,
                                                        const GraphServerOptions& options) {
  GLS_TRY(net::split_address(options.listen, "listen").status().copy());
  std::unique_ptr<GraphServer> out(new GraphServer);
  out->context_ = std::move(context);
  const Links links = links_of(*out->context_);
  const bool uncut = !is_partition(path) && is_dataset(path);
  if (!uncut && !is_partition(path)) {
    return not_found("{} is neither a folder of parts nor a dataset", path)
        .with("file", path)
        .with("argument", "path");
  }
  GLS_ASSIGN(out->partition_, uncut ? open_uncut(path, links) : open_partition(path, links));
  if (!uncut && options.open.verify_checksums) {
    GLS_TRY(verify_checksums(*out->partition_, out->context_->pool(), options.open.progress));
  }
  GLS_ASSIGN(out->parts_, parts_to_serve(options.parts, out->partition_->parts()));
  std::vector<std::shared_ptr<const Dataset>> parts;
  for (const uint32_t number : out->parts_) {
    GLS_ASSIGN(auto part,
               open_dataset(out->context_, out->partition_->part_path(number), options.open));
    if (uncut) {
      GLS_ASSIGN(part, as_only_part(*part, out->partition_->file().graph));
    }
    parts.push_back(std::move(part));
  }
  GLS_ASSIGN(out->service_, PartService::create(out->partition_, parts, options.service));
  for (const std::string& address : options.servers) {
    GLS_TRY(net::split_address(address, "servers").status().copy());
  }
  out->servers_ = std::make_shared<ServerList>(
      out->context_->buffers(), cluster::graph_number(out->partition_->file()), options.servers,
      [service = out->service_](const ServerList::Addresses& addresses) {
        std::vector<cluster::ServerOfParts> others;
        for (const std::string& address : addresses) {
          others.push_back({address, {}});  // they report their parts themselves
        }
        service->set_servers(std::move(others));
      });
  net::EndpointOptions endpoint;
  endpoint.transport = options.transport;
  endpoint.limits = options.limits;
  endpoint.role = "server";
  endpoint.name = options.name;
  endpoint.listen = options.listen;
  endpoint.handlers = out->service_->handlers();
  out->batches_ = make_batch_service(*out, options);
  out->batches_->add_handlers(&endpoint.handlers);
  out->servers_->add_handler(&endpoint.handlers);
  out->functions_ = std::make_shared<group::FunctionTable>(
      out->context_, out->context_->pool().size(), out->parts_);
  if (options.table_bytes > 0) {
    out->tables_ = std::make_shared<TableService>(out->context_,
                                                  cluster::graph_number(out->partition_->file()),
                                                  out->service_->parts(), options.table_bytes);
    GLS_TRY(out->tables_->add_to(out->functions_.get()));
  }
  endpoint.lost = [batches = std::weak_ptr(out->batches_), servers = out->servers_,
                   functions = std::weak_ptr(out->functions_)](const net::Connection& connection,
                                                               const Status&) {
    servers->forget(&connection);
    if (const auto service = batches.lock(); service != nullptr) {
      service->forget(reinterpret_cast<BatchScheduler::ClientId>(&connection));
    }
    if (const auto table = functions.lock(); table != nullptr) {
      table->forget(connection);
    }
  };
  endpoint.handlers[static_cast<uint16_t>(group::Kind::kFunction)] = out->functions_->handler();
  for (auto& [kind, handler] : endpoint.handlers) {
    handler = [inner = std::move(handler)](const net::Request& request) {
      const FileReadScope reads;  // network threads answer requests, too
      inner(request);
    };
  }
  GLS_ASSIGN(out->endpoint_, net::Endpoint::create(out->context_, std::move(endpoint)));
  out->announcer_ = std::make_unique<Announcer>(out->context_, *out->endpoint_,
                                                cluster::graph_number(out->partition_->file()),
                                                options.servers, out->servers_);
  if (options.same_process) {
    for (const auto& [number, part] : out->service_->parts()) {
      InProcessParts::add(out->partition_->file().graph, part);
    }
  }
  return out;
}

std::shared_ptr<BatchService> GraphServer::make_batch_service(const GraphServer& server,
                                                              const GraphServerOptions& options) {
  PeerGraphOptions graph;
  graph.transport = options.transport;
  graph.limits = options.limits;
  graph.name = options.name;
  graph.servers = [list = server.servers_] { return list->all(); };
  graph.parts = options.others;
  graph.parts.part.timeout_ms = own_share(options.others.part.timeout_ms);
  graph.timeout_ms = is_unlimited(options.find_timeout_ms) ? graph.parts.part.timeout_ms
                     : is_unlimited(graph.parts.part.timeout_ms)
                         ? options.find_timeout_ms
                         : std::min(options.find_timeout_ms, graph.parts.part.timeout_ms);
  return std::make_shared<BatchService>(
      server.context_, cluster::graph_number(server.partition_->file()),
      [graph, service = server.service_, partition = server.partition_](
          const std::shared_ptr<Context>& context, const std::function<bool()>& stopping) {
        PeerGraphOptions now = graph;
        now.stopping = stopping;
        return open_server_graph(context, partition, service->parts(), now);
      },
      options.batches);
}

net::EndpointStats GraphServer::connections() const {
  net::EndpointStats out = endpoint_->stats();
  const auto inbound = endpoint_->connections();
  const auto clients = std::count_if(inbound.begin(), inbound.end(), [](const auto& connection) {
    return connection->remote().role != "server";
  });
  out.connections = static_cast<size_t>(clients) + out.pending;
  return out;
}

PartServiceStats GraphServer::requests() const {
  PartServiceStats out = service_->stats();
  out.requests += batches_->requests();
  out.failures += batches_->failures();
  return out;
}

void GraphServer::stop(int64_t timeout_ms) {
  if (endpoint_ != nullptr) {
    announcer_ = nullptr;
    if (tables_ != nullptr) {
      tables_->close();  // no further trainer arrives
    }
    endpoint_->shutdown("the server stops", timeout_ms);
    functions_->close();
    batches_->stop();
  }
}

}  // namespace gls
