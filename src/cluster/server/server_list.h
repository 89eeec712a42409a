// Who else serves a graph, as one of its servers knows it: those that it was told of when it was
// started, and those that say so themselves, as long as they are connected.
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

  // `changed` gets all of them, now and whenever they are others; it must not wait.
  ServerList(cluster::Pool pool, uint64_t graph, Addresses told, Changed changed);

  // It keeps the list.
  void add_handler(net::Handlers* handlers);
  // What asks, and maybe says where it serves itself. `seen`: the address that it was seen at.
  Result<net::Message> answer(cluster::Bytes request, const net::Connection* from,
                              const std::string& seen);
  // The connection is gone, and with it who said something over it.
  void forget(const net::Connection* from);
  Addresses all() const;
  uint64_t added() const { return added_; }  // how many times somebody came

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
