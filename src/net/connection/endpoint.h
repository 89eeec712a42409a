// Where a process stands on the network: listens, connects, serves requests.
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
  std::string role = "peer";  // "server", "client": for people
  std::string name;           // who this is in errors and logs; empty: made of the process id
  std::string listen;         // "host:port"; port 0: any; empty: nobody can connect
  Handlers handlers;          // of requests, by kind
  // Told of each connection that is gone, strangers included, when its peer is lost already. Must
  // be short, and not wait.
  std::function<void(const Connection& connection, const Status& why)> lost;
};

struct EndpointStats {
  uint64_t accepted = 0;   // strangers who connected
  uint64_t admitted = 0;   // of them, those who finished the greeting
  uint64_t evicted = 0;    // of them, those who lost their place to a later one
  size_t pending = 0;      // now in the greeting
  size_t connections = 0;  // now, of every kind
};

class Endpoint {
 public:
  static Result<std::unique_ptr<Endpoint>> create(std::shared_ptr<Context> context,
                                                  EndpointOptions options);
  // shutdown() without waiting for calls. Not from a handler or a completion.
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  const std::string& address() const;  // in use; empty when it does not listen
  const EndpointId& id() const;

  // Connects and greets. `patient`: goes on trying until the time is over, for a peer that is not
  // there yet.
  Result<std::shared_ptr<Peer>> connect(const std::string& address, int64_t timeout_ms,
                                        bool patient = false);
  // The same without waiting.
  Result<std::shared_ptr<Peer>> begin_to_connect(const std::string& address);
  // Those who connected here and are up.
  std::vector<std::shared_ptr<Connection>> connections() const;
  EndpointStats stats() const;
  // Whether what comes over its lanes can go to memory of GPUs; an error says why not.
  Status reaches_gpus() const;

  // Says goodbye, lets calls under way end for so long, and closes. Every call has ended and no
  // handler runs when it returns.
  void shutdown(const std::string& reason, int64_t timeout_ms);

 private:
  class Core;
  explicit Endpoint(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace gls::net
