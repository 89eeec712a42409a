// Serves parts of a graph to clients elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/batches/batch_service.h"
#include "cluster/client/remote_parts.h"
#include "cluster/rpc/function_registry.h"
#include "cluster/server/announcer.h"
#include "cluster/server/part_service.h"
#include "cluster/server/server_list.h"
#include "cluster/server/table_service.h"
#include "context/context.h"
#include "graph/folder/dataset_folder.h"
#include "net/connection/endpoint.h"

namespace gls {

struct GraphServerOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name;                    // in errors and logs of clients; may be empty
  std::string listen = "127.0.0.1:0";  // "host:port"; port 0: any that is free
  std::vector<uint32_t> parts;         // empty: all
  std::vector<std::string> servers;    // addresses of others; clients are told, and these of this
  OpenOptions open;                    // of the folders of the parts
  PartServiceOptions service;
  bool same_process = false;  // whether clients of this process take its parts as they are
  // Whole batches that it makes, for which it is a client of the others.
  BatchServiceOptions batches;
  uint64_t table_bytes = 0;         // of tables of clients, at most; 0: there are none
  int64_t find_timeout_ms = 10000;  // of finding the others, at most; negative: none
  // As those are asked, but for a third of the time: it is what clients have for a whole batch, who
  // are to have some left to ask another server.
  ServedPartsOptions others;
};

// Requests are answered on the threads of its context, and batches are made on others. A process
// that is a client, too, has another context for that: there, threads wait for servers.
class GraphServer {
 public:
  // `path`: a folder of parts. Serves when it returns.
  static Result<std::unique_ptr<GraphServer>> start(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const GraphServerOptions& options);

  ~GraphServer() { stop(0); }
  GraphServer(const GraphServer&) = delete;
  GraphServer& operator=(const GraphServer&) = delete;

  // As clients in reach of the interface use it, with the port that was found.
  const std::string& address() const { return endpoint_->address(); }
  const std::vector<uint32_t>& parts() const { return parts_; }
  uint32_t parts_of_graph() const { return partition_->parts(); }
  const Context& context() const { return *context_; }
  // Those that are there now are of clients, and not of other servers.
  net::EndpointStats connections() const;
  // Of parts, and of batches.
  PartServiceStats requests() const;
  const BatchService& batches() const { return *batches_; }
  // Takes no more requests, lets those under way end for so long, and closes. Once. However short
  // that is: what threads compute just now, as batches that are being made, they finish; only their
  // waiting for other servers ends.
  void stop(int64_t timeout_ms);
  // Of the caller's own; they have threads of their own.
  group::FunctionTable& functions() { return *functions_; }

 private:
  GraphServer() = default;
  static std::shared_ptr<BatchService> make_batch_service(const GraphServer& server,
                                                          const GraphServerOptions& options);

  std::shared_ptr<Context> context_;
  std::shared_ptr<const Partition> partition_;
  std::vector<uint32_t> parts_;
  std::shared_ptr<PartService> service_;
  std::shared_ptr<ServerList> servers_;
  std::shared_ptr<BatchService> batches_;
  std::shared_ptr<group::FunctionTable> functions_;
  std::shared_ptr<TableService> tables_;  // null: it holds none
  std::unique_ptr<net::Endpoint> endpoint_;
  std::unique_ptr<Announcer> announcer_;  // uses the endpoint
};

}  // namespace gls
