#include "cluster/server/server_list.h"

#include <set>
#include <utility>

#include "net/connection/transport.h"

namespace gls {

using cluster::Kind;

ServerList::ServerList(cluster::Pool pool, uint64_t graph, Addresses told, Changed changed)
    : pool_(std::move(pool)), graph_(graph), told_(std::move(told)), changed_(std::move(changed)) {
  changed_(told_);
}

void ServerList::add_handler(net::Handlers* handlers) {
  (*handlers)[static_cast<uint16_t>(Kind::kServers)] =
      [self = shared_from_this()](const net::Request& request) {
        const net::Connection* const from = request.connection().get();
        Result<net::Message> reply =
            self->answer(request.bytes(), from, request.connection()->address());
        // The connection may have ended before the entry was added.
        if (request.connection()->state() == net::ConnectionState::kClosed) {
          self->forget(from);
        }
        if (reply.ok()) {
          request.answer(reply.take());
        } else {
          request.fail(reply.status());
        }
      };
}

Result<net::Message> ServerList::answer(cluster::Bytes request, const net::Connection* from,
                                        const std::string& seen) {
  GLS_ASSIGN(const cluster::ServersRequest asked, cluster::decode_servers_request(request));
  if (asked.graph != graph_) {
    return cluster::not_served(
        invalid("partition {:016x} was asked for, and {:016x} is served here", asked.graph, graph_)
            .with("argument", "graph"));
  }
  if (!asked.address.empty()) {
    GLS_TRY(add(asked.address, from, seen));
  }
  return cluster::encode_servers(pool_, all());
}

Status ServerList::add(const std::string& address, const net::Connection* from,
                       const std::string& seen) {
  GLS_ASSIGN(const auto place, net::split_address(address, "address"));
  // A server that listens on every interface is reached at the address it connected from.
  std::string found =
      net::is_wildcard(net::host_of(address)) ? net::host_of(seen) + ":" + place.second : address;
  const std::lock_guard lock(mutex_);
  if (said_.size() >= kMostThatSaySo && !said_.contains(from)) {
    return error(GLS_ERR_INVALID_STATE, "it knows {} other servers, its most", said_.size());
  }
  std::string& is = said_[from];
  if (is != found) {
    is = std::move(found);
    changed_(all_locked());
    ++added_;
  }
  return {};
}

void ServerList::forget(const net::Connection* from) {
  const std::lock_guard lock(mutex_);
  if (said_.erase(from) != 0) {
    changed_(all_locked());
  }
}

ServerList::Addresses ServerList::all() const {
  const std::lock_guard lock(mutex_);
  return all_locked();
}

ServerList::Addresses ServerList::all_locked() const {
  std::set<std::string> known(told_.begin(), told_.end());
  Addresses out = told_;
  for (const auto& [from, address] : said_) {
    if (known.insert(address).second) {
      out.push_back(address);
    }
  }
  return out;
}

}  // namespace gls
