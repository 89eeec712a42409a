// Follows the servers of a graph that is open, which come, go, and come back at other addresses.
// While one is lost, and when a server says that there is another one, those that are there are
// asked who else serves the graph, and who is new is taken in: docs/decisions/0060. Else nobody is
// asked anything.
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

// Tells a follower that it is time to look. It is there before the follower, and after it.
class FollowerBell {
 public:
  // One that the endpoint of a client rings: when a server is lost, and when servers say that there
  // is another one.
  static std::shared_ptr<FollowerBell> add_to(net::EndpointOptions* options,
                                              const std::shared_ptr<BufferPool>& pool);
  // Nobody answers a question. Any thread, often.
  void nobody_there();

 private:
  friend class ServerFollower;
  void lost(const net::Connection& connection);
  void ring(uint64_t at);

  std::mutex mutex_;
  net::Ticker* ticker_ = nullptr;
  std::atomic<uint64_t> looked_ = 0;  // when it last did
  std::atomic<uint64_t> pauses_ = 0;  // since somebody was lost
  std::atomic<bool> news_ = false;
};

class ServerFollower {
 public:
  using Addresses = std::vector<std::string>;
  struct Way {
    std::shared_ptr<Context> context;
    std::shared_ptr<net::Endpoint> endpoint;
    std::shared_ptr<const format::PartitionT> partition;
    std::function<Addresses()> known;  // that were said to this process; any thread
    ServedPartOptions part;
    std::shared_ptr<FollowerBell> bell;  // that the endpoint rings
  };
  // `owners`: those that were found.
  ServerFollower(Way way, const ServerSearch::Owners& owners);
  ~ServerFollower();
  ServerFollower(const ServerFollower&) = delete;
  ServerFollower& operator=(const ServerFollower&) = delete;

  // Before start(): servers of this part come to them, and go.
  void keep(uint32_t part, const std::shared_ptr<Replicas>& replicas);
  void start();
  // Before the endpoint is shut down: nobody looks for a server any more, or waits for one.
  void close();
  // Who has which part now.
  std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>> owners() const;

 private:
  struct Server {
    std::shared_ptr<net::Peer> peer;
    uint64_t epoch = 0;  // of the peer, when it said what it has
    std::vector<uint32_t> parts;
    net::EndpointId id{};  // that it greeted with
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

  const Way way_;
  std::atomic<bool> closed_ = false;
  mutable std::mutex mutex_;
  std::deque<Server> servers_;  // changed by the ticker's thread alone, under the mutex
  std::map<uint32_t, std::shared_ptr<Replicas>> replicas_;  // as they were when it started
  // Waiting for these ends when they are closed, or the call.
  std::vector<std::shared_ptr<net::Peer>> visiting_;
  std::vector<std::pair<std::shared_ptr<net::Peer>, net::CallId>> asked_;
  std::map<std::string, net::EndpointId> aliases_;  // other addresses of servers that are there
  Named refused_;                                   // which serve another graph
  std::mutex closing_;
  std::unique_ptr<net::Ticker> ticker_;  // last: it uses the rest
};

}  // namespace gls
