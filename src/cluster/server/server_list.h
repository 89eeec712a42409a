// The other servers of a graph, as one server knows them. They come from its configuration, or
// announce themselves and stay listed while they are connected.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/wire/messages.h"
#include "net/connection/connection.h"

namespace gls {

class ServerList : public std::enable_shared_from_this<ServerList> {
 public:
  using Addresses = std::vector<std::string>;
  using Changed = std::function<void(const Addresses&)>;
  static constexpr size_t kMostThatSaySo = 1024;

  // `changed` receives all addresses, now and after each change; it must not wait.
  ServerList(cluster::Pool pool, uint64_t graph, Addresses told, Changed changed);

  // The handler keeps the list alive.
  void add_handler(net::Handlers* handlers);
  // Answers a request for the list; the request may announce the sender's own address. `seen`: the
  // address that the request came from.
  Result<net::Message> answer(cluster::Bytes request, const net::Connection* from,
                              const std::string& seen);
  // The connection was lost: removes the address that was announced over it.
  void forget(const net::Connection* from);
  Addresses all() const;
  uint64_t added() const { return added_; }  // how many servers were added so far

 private:
  Addresses all_locked() const;
  Status add(const std::string& address, const net::Connection* from, const std::string& seen);

  const cluster::Pool pool_;
  const uint64_t graph_;
  const Addresses told_;
  const Changed changed_;
  mutable std::mutex mutex_;
  std::map<const net::Connection*, std::string> said_;
  std::atomic<uint64_t> added_ = 0;
};

}  // namespace gls
