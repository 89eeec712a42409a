// Follows the servers of an open graph, which may start, stop, and return at other addresses. It
// asks the connected servers for further servers while one is lost, and when a server announces a
// new one. New servers are then used for their parts. At other times it sends nothing. See
// docs/decisions/0060.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/client/replicas.h"
#include "cluster/discovery/discovery.h"
#include "context/context.h"
#include "net/connection/endpoint.h"
#include "net/core/ticker.h"

namespace gls {

// Wakes a follower. It exists before the follower and outlives it.
class MembershipBell {
 public:
  // Makes a bell that the client's endpoint rings: when a server is lost, and when a server
  // announces a new one.
  static std::shared_ptr<MembershipBell> add_to(net::EndpointOptions* options,
                                                const std::shared_ptr<BufferPool>& pool);
  // Reports that no server can answer a request. Any thread; may be called often.
  void no_server_reached();

 private:
  friend class MembershipFollower;
  void lost(const net::Connection& connection);
  void ring(uint64_t at);

  std::mutex mutex_;
  net::Ticker* ticker_ = nullptr;
  std::atomic<uint64_t> looked_ = 0;  // time of the last look
  std::atomic<uint64_t> pauses_ = 0;  // pauses since a server was lost
  std::atomic<bool> news_ = false;
};

// Keeps the replicas of each part up to date, on a thread of its own.
class MembershipFollower {
 public:
  using Addresses = std::vector<std::string>;
  struct Route {
    std::shared_ptr<Context> context;
    std::shared_ptr<net::Endpoint> endpoint;
    std::shared_ptr<const format::PartitionT> partition;
    // That this process was configured with; called on any thread.
    std::function<Addresses()> known;
    RemotePartOptions part;
    std::shared_ptr<MembershipBell> bell;  // rung by the endpoint
  };
  // `owners`: the servers that were found.
  MembershipFollower(Route route, const ServerDiscovery::Owners& owners);
  ~MembershipFollower();
  MembershipFollower(const MembershipFollower&) = delete;
  MembershipFollower& operator=(const MembershipFollower&) = delete;

  // Call it before start(). The follower adds servers of this part to `replicas` and removes them.
  void keep(uint32_t part, const std::shared_ptr<Replicas>& replicas);
  void start();
  // Call it before the endpoint is shut down. Ends all searches and waits for servers.
  void close();
  // The current servers of each part.
  std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>> owners() const;

 private:
  struct Server {
    std::shared_ptr<net::Peer> peer;
    uint64_t epoch = 0;  // of the peer, when it reported its parts
    std::vector<uint32_t> parts;
    net::EndpointId id{};  // the id in its greeting
  };
  using Named = std::set<std::string>;

  uint64_t look();
  bool complete() const;
  bool describe_returned(Named* named);
  void ask_for_servers(Named* named);
  void visit(const Named& candidates, const Named& named);
  void take(const std::shared_ptr<net::Peer>& peer, const Named& named);
  void replace_one(const Server& by, const Named& named);
  bool change_parts(Server& server, const std::vector<uint32_t>& parts);
  Status add_to(uint32_t part, const std::shared_ptr<net::Peer>& peer);
  void forget(std::shared_ptr<net::Peer> peer, const Status& why);
  bool begin_visits(std::vector<std::shared_ptr<net::Peer>> peers);
  void end_visits();
  bool is_graph(const GraphDescription& description, const std::string& address);

  const Route route_;
  std::atomic<bool> closed_ = false;
  mutable std::mutex mutex_;
  std::deque<Server> servers_;  // changed only by the ticker's thread, under the mutex
  std::map<uint32_t, std::shared_ptr<Replicas>> replicas_;  // as they were at the start
  // close() closes these peers and cancels these calls, to end waits for them.
  std::vector<std::shared_ptr<net::Peer>> visiting_;
  std::vector<std::pair<std::shared_ptr<net::Peer>, net::CallId>> asked_;
  // Further addresses of servers that are connected.
  std::map<std::string, net::EndpointId> aliases_;
  Named refused_;  // addresses that serve another graph
  std::mutex closing_;
  std::unique_ptr<net::Ticker> ticker_;  // last: its thread uses the other members
};

}  // namespace gls
