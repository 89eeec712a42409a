// Serves parts of a graph to clients elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "cluster/part_service.h"
#include "net/endpoint.h"

namespace gls {

struct GraphServerOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name;                    // in errors and logs of clients; may be empty
  std::string listen = "127.0.0.1:0";  // "host:port"; port 0: any that is free
  std::vector<uint32_t> parts;         // empty: all
  std::vector<std::string> servers;    // addresses of the others, for clients that know only this
  PartServiceOptions service;
};

// Requests are answered on the threads of its context. A process that is a client, too, has another
// context for that: there, threads wait for servers.
class GraphServer {
 public:
  // `path`: a folder of parts. Serves when it returns.
  static Result<std::unique_ptr<GraphServer>> start(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const GraphServerOptions& options);

  // As clients in reach of the interface use it, with the port that was found.
  const std::string& address() const { return endpoint_->address(); }
  net::EndpointStats stats() const { return endpoint_->stats(); }
  // Takes no more requests, lets those under way end for so long, and closes. Once.
  void stop(int64_t timeout_ms) { endpoint_->shutdown("the server stops", timeout_ms); }

 private:
  explicit GraphServer(std::unique_ptr<net::Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  std::unique_ptr<net::Endpoint> endpoint_;  // its handlers keep the service
};

}  // namespace gls
