// Serves parts of a graph to clients in other processes.
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
  std::string name;                    // shown in errors and logs of clients; may be empty
  std::string listen = "127.0.0.1:0";  // "host:port"; port 0: any free port
  std::vector<uint32_t> parts;         // empty: all
  // Addresses of other servers; clients learn them, and the other servers learn the address of this
  // one.
  std::vector<std::string> servers;
  OpenOptions open;  // for the folders of the parts
  PartServiceOptions service;
  bool same_process = false;  // whether clients in this process use its parts directly
  // Whole batches that it makes, as a client of the other servers.
  BatchServiceOptions batches;
  uint64_t table_bytes = 0;         // limit for tables of clients; 0: no tables
  int64_t find_timeout_ms = 10000;  // limit for finding the other servers; negative: no limit
  // How it asks the other servers. Its timeout is a third of a client's timeout for a whole batch.
  // The client then has time left to ask another server.
  RemotePartsOptions others;
};

// The threads of its context answer requests; other threads make batches. A process that is also a
// client needs another context for that, because its threads wait for servers.
class GraphServer {
 public:
  // `path`: a folder of parts. The server serves when this returns.
  static Result<std::unique_ptr<GraphServer>> start(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const GraphServerOptions& options);

  ~GraphServer() { stop(0); }
  GraphServer(const GraphServer&) = delete;
  GraphServer& operator=(const GraphServer&) = delete;

  // The address for clients that can reach the interface, with the port in use.
  const std::string& address() const { return endpoint_->address(); }
  const std::vector<uint32_t>& parts() const { return parts_; }
  uint32_t parts_of_graph() const { return partition_->parts(); }
  const Context& context() const { return *context_; }
  // Current connections are those of clients, without other servers.
  net::EndpointStats connections() const;
  // Requests about parts and about batches.
  PartServiceStats requests() const;
  const BatchService& batches() const { return *batches_; }
  // Accepts no more requests, lets current ones end within the timeout, and closes. Call it once.
  // Threads always finish their current computation, such as a batch; only their waits for other
  // servers end early.
  void stop(int64_t timeout_ms);
  // Functions of the user; they run on threads of their own.
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
  std::shared_ptr<TableService> tables_;  // null: it holds no tables
  std::unique_ptr<net::Endpoint> endpoint_;
  std::unique_ptr<Announcer> announcer_;  // uses the endpoint
};

}  // namespace gls
