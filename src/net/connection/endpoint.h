// The network endpoint of a process: it listens, connects, and serves requests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "context/context.h"
#include "net/connection/peer.h"
#include "net/connection/transport.h"

namespace gls::net {

struct EndpointOptions {
  TransportOptions transport;
  Limits limits;
  std::string role = "peer";  // "server", "client": shown to people
  std::string name;           // the name in errors and logs; empty: made from the process id
  std::string listen;         // "host:port"; port 0: any free port; empty: does not listen
  Handlers handlers;          // for requests, by kind
  // Called for each connection that ended, including those without a greeting, after its peer was
  // marked lost. Must be short, and not wait.
  std::function<void(const Connection& connection, const Status& why)> lost;
};

struct EndpointStats {
  uint64_t accepted = 0;   // incoming connections
  uint64_t admitted = 0;   // of them: those that completed the greeting
  uint64_t evicted = 0;    // of them: those that were closed to make room for later ones
  size_t pending = 0;      // currently in the greeting
  size_t connections = 0;  // currently open, of every kind
};

class Endpoint {
 public:
  static Result<std::unique_ptr<Endpoint>> create(std::shared_ptr<Context> context,
                                                  EndpointOptions options);
  // shutdown() without waiting for calls. Handlers and completions must not call it.
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  const std::string& address() const;  // the address in use; empty if it does not listen
  const EndpointId& id() const;

  // Connects and greets. `patient`: retries until the timeout, for a peer that has not started yet.
  Result<std::shared_ptr<Peer>> connect(const std::string& address, int64_t timeout_ms,
                                        bool patient = false);
  // As connect(), but without waiting.
  Result<std::shared_ptr<Peer>> begin_to_connect(const std::string& address);
  // The incoming connections that are up.
  std::vector<std::shared_ptr<Connection>> connections() const;
  EndpointStats stats() const;
  // Whether payloads over its channels can go to GPU memory; an error states why not.
  Status reaches_gpus() const;

  // Says goodbye, lets current calls end within the timeout, and closes. When it returns, every
  // call has ended and no handler runs.
  void shutdown(const std::string& reason, int64_t timeout_ms);

 private:
  class Core;
  explicit Endpoint(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace gls::net
