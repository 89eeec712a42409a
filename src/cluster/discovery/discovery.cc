#include "cluster/discovery/discovery.h"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>

#include "context/parallel.h"
#include "context/stop_scope.h"
#include "context/thread_pool.h"

namespace gls {

void ServerDiscovery::expect(std::shared_ptr<const format::PartitionT> partition,
                             std::set<uint32_t> local) {
  partition_ = std::move(partition);
  local_ = std::move(local);
  first_ = "here";
}

Status ServerDiscovery::run(const std::vector<std::string>& known) {
  for (const std::string& address : known) {
    add(address);
  }
  if (servers_.empty() && !complete()) {
    return missing();  // no server is left to wait for
  }
  constexpr int64_t kPauseMs = 50;
  constexpr uint64_t kLooksPerQuestion = 4;
  for (uint64_t look = 0;; ++look) {
    const bool again = look > 0;
    if (again) {
      pause_or_stop(kPauseMs);
    }
    if (again && look % kLooksPerQuestion == 0) {
      ask_for_others();
    }
    if (is_given_up()) {
      return given_up().prefixed("path: finding servers: ");
    }
    // Visits every server once, also those that are not needed now, because they name further
    // servers.
    for (size_t begin = 0; begin < servers_.size() && !(again && complete());) {
      const size_t end = servers_.size();
      GLS_TRY(report(progress_, "finding servers", owners_.size() + local_.size(),
                     partition_ != nullptr ? partition_->parts : 0, "parts"));
      GLS_TRY(visit(begin, end));
      begin = end;
    }
    if (complete()) {
      return {};
    }
    if (!refused_.ok()) {
      return refused_.copy();
    }
    if (deadline_.left_ms() == 0) {
      return missing();
    }
  }
}

void ServerDiscovery::add(const std::string& address) {
  const auto same = [&](const Server& server) { return server.address == address; };
  if (std::none_of(servers_.begin(), servers_.end(), same)) {
    servers_.push_back({address, false, {}});
  }
}

// Visits the servers that were not reached yet, several at once. A silent server is waited for.
Status ServerDiscovery::visit(size_t begin, size_t end) {
  std::vector<size_t> left;
  for (size_t i = begin; i < end; ++i) {
    if (!servers_[i].described) {
      left.push_back(i);
    }
  }
  if (left.empty()) {
    return {};
  }
  constexpr size_t kAtOnce = 16;
  std::vector<std::optional<Result<Seen>>> seen(left.size());
  ThreadPool threads(static_cast<unsigned>(std::min(left.size(), kAtOnce)));
  // What the caller interrupts ends on the other threads, too.
  std::stop_source stop;
  const auto some = [&](size_t first, size_t last) -> Status {
    const StopScope scope(stop.get_token());
    for (size_t i = first; i < last; ++i) {
      seen[i].emplace(look(servers_[left[i]].address));
    }
    return {};
  };
  GLS_TRY(parallel_try(threads, left.size(), 1, some, [&]() -> Status {
    if (!is_interrupted()) {
      return {};
    }
    stop.request_stop();
    return given_up().prefixed("path: finding servers: ");
  }));
  for (size_t i = 0; i < left.size(); ++i) {
    if (seen[i]->ok()) {
      GLS_TRY(take(left[i], **seen[i]));
    } else {
      failed(left[i], seen[i]->status());
    }
  }
  return {};
}

Result<ServerDiscovery::Seen> ServerDiscovery::look(const std::string& address) const {
  constexpr int64_t kTryMs = 2000;  // another server may start at this address meanwhile
  const int64_t left = deadline_.left_ms();
  const cluster::Deadline of_try(left < 0 ? kTryMs : std::min(left, kTryMs));
  Seen seen;
  GLS_ASSIGN(seen.peer, endpoint_.connect(address, of_try.left_ms()));
  Result<GraphDescription> described = describe(seen.peer, pool_, of_try.left_ms());
  if (!described.ok()) {
    // Otherwise it would reconnect in parallel with the connection of the next try.
    seen.peer->close();
    return std::move(described.status());
  }
  seen.description = described.take();
  return seen;
}

Status ServerDiscovery::take(size_t index, const Seen& seen) {
  servers_[index].described = true;
  servers_[index].peer = seen.peer;
  const std::string& address = servers_[index].address;
  if (partition_ == nullptr) {
    partition_ = seen.description.partition;
  } else if (partition_->graph != seen.description.partition->graph) {
    return invalid("path: {} serves partition {}, and {} another, {}", address,
                   seen.description.partition->graph, first_, partition_->graph)
        .with("argument", "path")
        .with("peer", address);
  }
  first_ = first_.empty() ? address : first_;
  for (const uint32_t part : seen.description.parts) {
    if (part < partition_->parts && !local_.contains(part)) {
      owners_[part].push_back({seen.peer, seen.description.host});
    }
  }
  for (const cluster::ServerOfParts& server : seen.description.servers) {
    add(server.address);
  }
  return {};
}

void ServerDiscovery::ask_for_others() {
  constexpr int64_t kMostMs = 1000;
  const int64_t left = deadline_.left_ms();
  const int64_t timeout = left < 0 ? kMostMs : std::min(left, kMostMs);
  std::vector<std::shared_ptr<net::BlockingCall>> answers;
  for (const Server& server : servers_) {
    if (server.peer != nullptr) {
      answers.push_back(std::make_shared<net::BlockingCall>());
      server.peer->call(
          static_cast<uint16_t>(cluster::Kind::kServers),
          cluster::encode(pool_, cluster::ServersRequest{cluster::graph_number(*partition_), {}}),
          {timeout, false, cluster::name_of(cluster::Kind::kServers)},
          net::BlockingCall::completion(answers.back()));
    }
  }
  for (const auto& answer : answers) {
    const Result<net::Message> reply = answer->wait(nullptr);
    // A lost server names no further servers. Neither does an old server that lacks this request.
    const auto others = reply.ok() ? cluster::decode_servers(reply->bytes())
                                   : Result<std::vector<std::string>>(std::vector<std::string>());
    for (const std::string& address : others.ok() ? *others : std::vector<std::string>()) {
      add(address);
    }
  }
}

// A server that refuses a client would refuse it again, so the client asks other servers at once.
void ServerDiscovery::failed(size_t index, const Status& status) {
  if (net::is_lasting(status) && refused_.ok()) {
    refused_ = status.copy();
  }
  std::string& why = servers_[index].why;
  if (why.empty() || deadline_.left_ms() != 0) {
    // Otherwise the last try had no time to find the reason.
    why = status.message();
  }
}

Status ServerDiscovery::missing() const {
  std::string why;
  for (const Server& server : servers_) {
    if (!server.described) {
      why += (why.empty() ? "" : "; ") + (server.why.empty() ? server.address : server.why);
    }
  }
  if (partition_ == nullptr) {
    return error(GLS_ERR_TIMED_OUT, "path: no server was reached: {}", why)
        .with("argument", "path");
  }
  std::string parts;
  for (uint32_t p = 0; p < partition_->parts; ++p) {
    if (!owners_.contains(p) && !local_.contains(p)) {
      parts += (parts.empty() ? "" : ", ") + std::to_string(p);
    }
  }
  return error(GLS_ERR_TIMED_OUT, "path: nobody serves part {} of {}{}{}", parts, partition_->parts,
               why.empty() ? "" : "; not reached: ", why)
      .with("argument", "path");
}

}  // namespace gls
