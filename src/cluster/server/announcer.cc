#include "cluster/server/announcer.h"

#include <atomic>
#include <utility>

#include "base/clock.h"
#include "cluster/rpc/remote_call.h"
#include "context/parallel.h"

namespace gls {

using cluster::Kind;

constexpr int64_t kTellMs = 5000;

struct Announcer::Other {
  std::shared_ptr<net::Peer> peer;
  std::atomic<uint64_t> told = 0;  // the peer's epoch; 0: not announced yet
  std::atomic<bool> asked = false;
  std::atomic<uint64_t> not_before = 0;  // earliest time of the next try, after a failure
};

Announcer::Announcer(const std::shared_ptr<Context>& context, net::Endpoint& endpoint,
                     uint64_t graph, const std::vector<std::string>& others,
                     std::shared_ptr<const ServerList> list)
    : context_(context),
      id_(endpoint.id()),
      graph_(graph),
      address_(endpoint.address()),
      endpoint_(endpoint),
      list_(std::move(list)) {
  for (const std::string& address : others) {
    auto peer = address != address_ ? endpoint.begin_to_connect(address)
                                    : Result<std::shared_ptr<net::Peer>>(nullptr);
    if (peer.ok() && *peer != nullptr) {
      others_.push_back(std::make_shared<Other>());
      others_.back()->peer = peer.take();
    }
  }
  ticker_ = std::make_unique<net::Ticker>([this](uint64_t now, uint64_t) { return tell(now); });
  ticker_->look_at(now_ns());
}

Announcer::~Announcer() {
  if (context_->in_forked_child()) {
    static_cast<void>(ticker_.release());  // after fork() the thread belongs to the parent
  }
}

// Sends nothing if the local list has not changed.
uint64_t Announcer::tell(uint64_t now) {
  constexpr uint64_t kPauseNs = 500 * kMs;
  constexpr uint64_t kShortNs = 100 * kMs;
  bool all = false;
  static_cast<void>(guarded([&]() -> Status {  // otherwise tried again the next time
    all = tell_servers(now);
    tell_clients();
    return {};
  }));
  return now + (all ? kPauseNs : kShortNs);
}

// Returns whether all servers were notified.
bool Announcer::tell_servers(uint64_t now) {
  bool all = true;
  for (const auto& other : others_) {
    if (other->peer->state() == net::PeerState::kClosed) {
      continue;
    }
    const auto connection = other->peer->connection();
    const bool told = connection != nullptr && other->told == other->peer->epoch();
    all = all && told;
    if (connection != nullptr && !told && !other->asked && other->not_before <= now) {
      tell_one(other, connection);
    }
  }
  return all;
}

// Clients then ask for the list. Clients that follow no servers reply that they do not know this
// request.
void Announcer::tell_clients() {
  const uint64_t added = list_->added();
  if (added == added_) {
    return;
  }
  const net::Message news = cluster::encode_servers(context_->buffers(), list_->all());
  for (const auto& client : endpoint_.connections()) {
    client->call(static_cast<uint16_t>(Kind::kMoreServers),
                 net::Message::copied(context_->buffers(), news.bytes()),
                 {kTellMs, false, cluster::name_of(Kind::kMoreServers)}, [](const auto&) {});
  }
  added_ = added;
}

void Announcer::tell_one(const std::shared_ptr<Other>& other,
                         const std::shared_ptr<net::Connection>& connection) {
  const uint64_t epoch = other->peer->epoch();
  if (connection->remote().id == id_) {  // this server itself, by another name
    other->told = epoch;
    return;
  }
  const auto done = [other, epoch, context = context_](Result<net::Message> reply) {
    constexpr uint64_t kAgainNs = 5000 * kMs;
    const Status& status = reply.status();
    if (reply.ok()) {
      other->told = epoch;
    } else if (!cluster::is_of_server(status) || cluster::is_not_served(status)) {
      context->log().write(GLS_LOG_WARN, "cluster", "{} does not name this server to others: {}",
                           other->peer->address(), status.message());
      other->told = epoch;  // it would refuse again
    } else {
      other->not_before = now_ns() + kAgainNs;
    }
    other->asked = false;
  };
  other->asked = true;
  connection->call(static_cast<uint16_t>(Kind::kServers),
                   cluster::encode(context_->buffers(), cluster::ServersRequest{graph_, address_}),
                   {kTellMs, false, cluster::name_of(Kind::kServers)}, done);
}

}  // namespace gls
