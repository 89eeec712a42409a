// Finds the servers of every part of a graph, starting from the addresses that the caller knows.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/rpc/remote_call.h"
#include "net/connection/endpoint.h"
#include "partition_generated.h"
#include "system/memory.h"

namespace gls {

class ServerDiscovery {
 public:
  struct Owner {
    std::shared_ptr<net::Peer> peer;
    uint64_t host;  // of processes that the server gives its files to
  };
  using Owners = std::map<uint32_t, std::vector<Owner>>;

  ServerDiscovery(net::Endpoint& endpoint, std::shared_ptr<BufferPool> pool,
                  cluster::Deadline deadline, const Progress& progress)
      : endpoint_(endpoint), pool_(std::move(pool)), deadline_(deadline), progress_(progress) {}
  // Sets a known partition, without the parts that are local.
  void expect(std::shared_ptr<const format::PartitionT> partition, std::set<uint32_t> local);

  // Returns when each part has a server, or when the time is over.
  Status run(const std::vector<std::string>& known);

  const std::shared_ptr<const format::PartitionT>& partition() const { return partition_; }
  const Owners& owners() const { return owners_; }

 private:
  struct Server {
    std::string address;
    bool described = false;
    std::string why;                            // why it has not been reached
    std::shared_ptr<net::Peer> peer = nullptr;  // the connected server
  };

  struct Seen {
    std::shared_ptr<net::Peer> peer;
    GraphDescription description;
  };

  void add(const std::string& address);
  Status visit(size_t begin, size_t end);
  Result<Seen> look(const std::string& address) const;
  Status take(size_t index, const Seen& seen);
  void failed(size_t index, const Status& status);
  // Servers that already answered may have learned about further servers since then.
  void ask_for_others();
  bool complete() const {
    return partition_ != nullptr && owners_.size() + local_.size() == partition_->parts;
  }
  Status missing() const;

  net::Endpoint& endpoint_;
  const std::shared_ptr<BufferPool> pool_;
  const cluster::Deadline deadline_;
  const Progress& progress_;
  std::deque<Server> servers_;
  std::string first_;
  Status refused_;  // by a server that would refuse again
  std::shared_ptr<const format::PartitionT> partition_;
  std::set<uint32_t> local_;
  Owners owners_;
};

}  // namespace gls
