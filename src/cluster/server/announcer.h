// Announces this server to the other servers of the graph, once for each connection. It also
// notifies its own clients once for each server that appears.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/server/server_list.h"
#include "cluster/wire/messages.h"
#include "context/context.h"
#include "net/connection/endpoint.h"
#include "net/core/ticker.h"

namespace gls {

class Announcer {
 public:
  // `endpoint`: the endpoint of this server, which listens. Shut it down after this object is
  // destroyed. The announcer connects from it to other servers, and reconnects when they are lost.
  Announcer(const std::shared_ptr<Context>& context, net::Endpoint& endpoint, uint64_t graph,
            const std::vector<std::string>& others, std::shared_ptr<const ServerList> list);
  ~Announcer();
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

 private:
  struct Other;
  uint64_t tell(uint64_t now);
  bool tell_servers(uint64_t now);
  void tell_clients();
  void tell_one(const std::shared_ptr<Other>& other,
                const std::shared_ptr<net::Connection>& connection);

  const std::shared_ptr<Context> context_;
  const net::EndpointId id_;
  const uint64_t graph_;
  const std::string address_;
  net::Endpoint& endpoint_;
  const std::shared_ptr<const ServerList> list_;
  uint64_t added_ = 0;  // count of the list, when clients were notified
  std::vector<std::shared_ptr<Other>> others_;
  std::unique_ptr<net::Ticker> ticker_;  // last: its thread uses the other members
};

}  // namespace gls
