#include "cluster/client/membership.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/clock.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/rpc/remote_call.h"
#include "context/parallel.h"
#include "net/connection/blocking_call.h"

namespace gls {
namespace {

using cluster::Deadline;
using cluster::Kind;

constexpr int64_t kOneMs = 2000;           // timeout for one server
constexpr uint64_t kUrgentNs = 500 * kMs;  // between looks while a request has no server
constexpr uint64_t kFirstNs = 250 * kMs;   // between looks, soon after a server was lost
constexpr uint64_t kMostNs = 5000 * kMs;   // longest pause between looks
constexpr uint64_t kMostDoublings = 5;
constexpr size_t kMostAtOnce = 64;
constexpr size_t kMostServers = 4096;

net::EndpointId id_of(const net::Peer& peer) {
  const auto connection = peer.connection();
  return connection != nullptr ? connection->remote().id : net::EndpointId{};
}

// An orderly goodbye, so that the server does not count it as a failure.
void leave(net::Peer& peer) {
  if (const auto connection = peer.connection(); connection != nullptr) {
    connection->drain("another is asked");
  }
  peer.close();
}

bool has(const std::vector<uint32_t>& parts, uint32_t part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

}  // namespace

// ---- when to look ----

void MembershipBell::ring(uint64_t at) {
  const std::lock_guard lock(mutex_);
  if (ticker_ != nullptr) {
    ticker_->look_at(at);
  }
}

void MembershipBell::lost(const net::Connection& connection) {
  if (!connection.inbound() && !connection.remote().name.empty()) {  // a server was lost
    pauses_ = 0;
    ring(now_ns());
  }
}

std::shared_ptr<MembershipBell> MembershipBell::add_to(net::EndpointOptions* options,
                                                       const std::shared_ptr<BufferPool>& pool) {
  auto bell = std::make_shared<MembershipBell>();
  options->lost = [bell](const net::Connection& connection, const Status&) {
    bell->lost(connection);
  };
  options->handlers[static_cast<uint16_t>(Kind::kMoreServers)] =
      [bell, pool](const net::Request& request) {
        auto servers = cluster::decode_servers(request.bytes());
        if (!servers.ok()) {
          request.fail(servers.status());
          return;
        }
        bell->news_ = true;
        bell->ring(bell->looked_ + kUrgentNs);
        request.answer(cluster::encode_servers(pool, {}));
      };
  return bell;
}

void MembershipBell::no_server_reached() { ring(looked_ + kUrgentNs); }

MembershipFollower::MembershipFollower(Route route, const ServerDiscovery::Owners& owners)
    : route_(std::move(route)) {
  for (const auto& [part, all] : owners) {
    for (const ServerDiscovery::Owner& owner : all) {
      const auto same = [&](const Server& server) { return server.peer == owner.peer; };
      auto found = std::find_if(servers_.begin(), servers_.end(), same);
      if (found == servers_.end()) {
        servers_.push_back({owner.peer, owner.peer->epoch(), {}, id_of(*owner.peer)});
        found = servers_.end() - 1;
      }
      found->parts.push_back(part);
    }
  }
}

void MembershipFollower::start() {
  ticker_ = std::make_unique<net::Ticker>([this](uint64_t, uint64_t) { return look(); });
  {
    const std::lock_guard lock(route_.bell->mutex_);
    route_.bell->ticker_ = ticker_.get();
  }
  route_.bell->ring(now_ns());  // a server may have been lost earlier
}

MembershipFollower::~MembershipFollower() {
  if (route_.context->in_forked_child()) {
    static_cast<void>(ticker_.release());  // after fork() the thread belongs to the parent
    return;
  }
  close();
}

void MembershipFollower::keep(uint32_t part, const std::shared_ptr<Replicas>& replicas) {
  const std::lock_guard lock(mutex_);
  replicas_[part] = replicas;
}

void MembershipFollower::close() {
  const std::lock_guard closing(closing_);
  {
    const std::lock_guard lock(route_.bell->mutex_);
    route_.bell->ticker_ = nullptr;
  }
  std::vector<std::shared_ptr<net::Peer>> visiting;
  std::vector<std::pair<std::shared_ptr<net::Peer>, net::CallId>> asked;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    visiting.swap(visiting_);
    asked.swap(asked_);
  }
  for (const auto& [part, replicas] : replicas_) {
    replicas->close();
  }
  for (const auto& [peer, call] : asked) {
    peer->cancel(call);
  }
  for (const auto& peer : visiting) {
    peer->close();
  }
  if (ticker_ != nullptr) {
    ticker_->stop();
  }
}

std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>> MembershipFollower::owners() const {
  std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>> out;
  const std::lock_guard lock(mutex_);
  for (const Server& server : servers_) {
    for (const uint32_t part : server.parts) {
      out[part].push_back(server.peer);
    }
  }
  return out;
}

// ---- looking; functions below run on the ticker's thread ----

uint64_t MembershipFollower::look() {
  bool over = false;
  static_cast<void>(guarded([&]() -> Status {  // without memory it tries again later
    Named named;
    const bool returned = describe_returned(&named);
    const bool news = route_.bell->news_.exchange(false);
    if (closed_ || (complete() && !returned && !news)) {
      over = true;
      return {};
    }
    ask_for_servers(&named);
    Named candidates = named;
    for (const std::string& address : route_.known()) {
      candidates.insert(address);
      named.insert(address);
    }
    visit(candidates, named);
    return {};
  }));
  route_.bell->looked_ = now_ns();
  if (over) {
    return kForever;
  }
  const uint64_t doublings = std::min<uint64_t>(route_.bell->pauses_++, kMostDoublings);
  return route_.bell->looked_ + std::min(kFirstNs << doublings, kMostNs);
}

// Whether all servers are connected, and each part has one.
bool MembershipFollower::complete() const {
  std::set<uint32_t> parts;
  for (const Server& server : servers_) {
    if (server.peer->connection() == nullptr) {
      return false;
    }
    parts.insert(server.parts.begin(), server.parts.end());
  }
  return std::all_of(replicas_.begin(), replicas_.end(),
                     [&](const auto& entry) { return parts.contains(entry.first); });
}

bool MembershipFollower::is_graph(const GraphDescription& description, const std::string& address) {
  if (description.partition->graph == route_.partition->graph) {
    refused_.erase(address);
    return true;
  }
  if (refused_.size() >= kMostServers) {
    refused_.clear();
  }
  if (refused_.insert(address).second) {
    route_.context->log().write(GLS_LOG_WARN, "cluster",
                                "{} serves partition {}, and not {}: it is not asked", address,
                                description.partition->graph, route_.partition->graph);
  }
  return false;
}

// Another process may have the address now. Returns whether any server came back.
bool MembershipFollower::describe_returned(Named* named) {
  std::vector<std::shared_ptr<net::Peer>> returned;
  for (const Server& server : servers_) {
    if (server.peer->connection() != nullptr && server.peer->epoch() != server.epoch) {
      returned.push_back(server.peer);
    }
  }
  if (!begin_visits(returned)) {
    return false;
  }
  for (const auto& peer : returned) {
    const uint64_t epoch = peer->epoch();
    const net::EndpointId id = id_of(*peer);
    const auto description = describe(peer, route_.context->buffers(), kOneMs);
    if (!description.ok() || closed_) {
      continue;  // tried again at the next look
    }
    if (!is_graph(*description, peer->address())) {
      forget(peer, invalid("{}: partition {} was asked for, and {} is served here", peer->address(),
                           route_.partition->graph, description->partition->graph));
      continue;
    }
    for (const cluster::ServerOfParts& other : description->servers) {
      named->insert(other.address);
    }
    const auto same = [&](const Server& server) { return server.peer == peer; };
    Server& server = *std::find_if(servers_.begin(), servers_.end(), same);
    {
      const std::lock_guard lock(mutex_);
      server.epoch = epoch;
      server.id = id;
    }
    change_parts(server, description->parts);
  }
  end_visits();
  return !returned.empty();
}

bool MembershipFollower::begin_visits(std::vector<std::shared_ptr<net::Peer>> peers) {
  const std::lock_guard lock(mutex_);
  if (!closed_) {
    visiting_ = std::move(peers);
  }
  return !closed_;
}

void MembershipFollower::end_visits() {
  const std::lock_guard lock(mutex_);
  visiting_.clear();
  asked_.clear();
}

// Asks all servers at once, with one timeout for all.
void MembershipFollower::ask_for_servers(Named* named) {
  std::vector<std::shared_ptr<net::BlockingCall>> answers;
  std::vector<std::pair<std::shared_ptr<net::Peer>, net::CallId>> asked;
  for (const Server& server : servers_) {
    if (server.peer->connection() == nullptr) {
      continue;
    }
    answers.push_back(std::make_shared<net::BlockingCall>());
    const net::CallId call = server.peer->call(
        static_cast<uint16_t>(Kind::kServers),
        cluster::encode(route_.context->buffers(),
                        cluster::ServersRequest{cluster::graph_number(*route_.partition), {}}),
        {kOneMs, false, cluster::name_of(Kind::kServers)},
        net::BlockingCall::completion(answers.back()));
    asked.emplace_back(server.peer, call);
  }
  {
    const std::lock_guard lock(mutex_);
    asked_ = asked;
  }
  if (closed_) {  // maybe before the peers were known
    for (const auto& [peer, call] : asked) {
      peer->cancel(call);
    }
  }
  for (const auto& answer : answers) {
    const Result<net::Message> reply = answer->wait(nullptr);
    if (!reply.ok()) {
      continue;
    }
    if (auto addresses = cluster::decode_servers(reply->bytes()); addresses.ok()) {
      named->insert(addresses->begin(), addresses->end());
    }
  }
  end_visits();
}

void MembershipFollower::visit(const Named& candidates, const Named& named) {
  for (auto alias = aliases_.begin(); alias != aliases_.end();) {
    const bool connected = std::any_of(servers_.begin(), servers_.end(), [&](const Server& server) {
      return server.peer->connection() != nullptr && server.id == alias->second;
    });
    alias = connected ? std::next(alias) : aliases_.erase(alias);
  }
  std::vector<std::shared_ptr<net::Peer>> visited;
  for (const std::string& address : candidates) {
    const auto same = [&](const Server& server) { return server.peer->address() == address; };
    if (visited.size() == kMostAtOnce || closed_) {
      break;
    }
    if (aliases_.contains(address) || std::any_of(servers_.begin(), servers_.end(), same)) {
      continue;
    }
    if (auto peer = route_.endpoint->begin_to_connect(address); peer.ok()) {
      visited.push_back(peer.take());
    }
  }
  const bool open = begin_visits(visited);
  const Deadline deadline(kOneMs);
  for (const auto& peer : visited) {
    if (open && !closed_ && peer->wait_until_up(deadline.left_ms(), false).ok()) {
      take(peer, named);
    } else {
      peer->close();
    }
  }
  end_visits();
}

void MembershipFollower::take(const std::shared_ptr<net::Peer>& peer, const Named& named) {
  Server server{peer, peer->epoch(), {}, id_of(*peer)};
  const bool known = std::any_of(servers_.begin(), servers_.end(), [&](const Server& other) {
    return other.id == server.id && other.peer->connection() != nullptr;
  });
  if (known) {
    aliases_[peer->address()] = server.id;
    leave(*peer);
    return;
  }
  auto description = describe(peer, route_.context->buffers(), kOneMs);
  if (!description.ok() || !is_graph(*description, peer->address()) ||
      servers_.size() >= kMostServers) {
    leave(*peer);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    servers_.push_back(std::move(server));
  }
  if (!change_parts(servers_.back(), description->parts)) {
    forget(peer, {});
    return;
  }
  replace_one(servers_.back(), named);
}

// Removes a lost server whose address no other server names any more, since it is unlikely to
// return. It goes only if other servers have all of its parts.
void MembershipFollower::replace_one(const Server& by, const Named& named) {
  std::vector<uint32_t> connected;
  for (const Server& server : servers_) {
    if (server.peer->connection() != nullptr) {
      connected.insert(connected.end(), server.parts.begin(), server.parts.end());
    }
  }
  const auto gone = std::find_if(servers_.begin(), servers_.end(), [&](const Server& server) {
    const auto& parts = server.parts;
    return server.peer->connection() == nullptr && !named.contains(server.peer->address()) &&
           std::any_of(parts.begin(), parts.end(), [&](uint32_t p) { return has(by.parts, p); }) &&
           std::all_of(parts.begin(), parts.end(), [&](uint32_t p) { return has(connected, p); });
  });
  if (gone != servers_.end()) {
    forget(gone->peer, {});
  }
}

// False: the server has no part that it can be asked for.
bool MembershipFollower::change_parts(Server& server, const std::vector<uint32_t>& parts) {
  std::vector<uint32_t> now;
  std::string added;
  for (const uint32_t part : parts) {
    if (part >= route_.partition->parts || has(now, part)) {
      continue;
    }
    if (!has(server.parts, part)) {
      if (const Status status = add_to(part, server.peer); !status.ok()) {
        route_.context->log().write(GLS_LOG_WARN, "cluster", "{}; it is not asked",
                                    status.message());
        continue;
      }
      added += (added.empty() ? "" : ", ") + std::to_string(part);
    }
    now.push_back(part);
  }
  std::vector<uint32_t> before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(server.parts, now);
  }
  for (const uint32_t part : before) {
    if (const auto found = replicas_.find(part); found != replicas_.end() && !has(now, part)) {
      found->second->remove(server.peer.get(),
                            invalid("{} serves part {} no more", server.peer->address(), part));
    }
  }
  if (!added.empty()) {
    route_.context->log().write(GLS_LOG_WARN, "cluster", "{} serves part {} now, and may be asked",
                                server.peer->address(), added);
  }
  return !now.empty();
}

Status MembershipFollower::add_to(uint32_t part, const std::shared_ptr<net::Peer>& peer) {
  const auto found = replicas_.find(part);
  if (found == replicas_.end()) {
    return {};  // the part is reached without a server
  }
  GLS_ASSIGN(auto made,
             RemotePart::create(route_.context, peer, route_.partition, part, route_.part));
  GLS_TRY(made->open_windows(Deadline(kOneMs)));
  found->second->add(std::move(made));
  return {};
}

void MembershipFollower::forget(std::shared_ptr<net::Peer> peer, const Status& why) {
  for (const auto& [part, replicas] : replicas_) {
    replicas->remove(peer.get(), why);
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(servers_, [&](const Server& server) { return server.peer == peer; });
  }
  leave(*peer);
}

}  // namespace gls
