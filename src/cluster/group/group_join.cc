// How a process joins a group.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "cluster/group/group_node.h"
#include "context/stop_scope.h"

namespace gls::group {
namespace {

constexpr const char* kLoopback = "127.0.0.1:0";
constexpr size_t kRecord = 512;  // bytes for each process, when the caller exchanges addresses
constexpr int64_t kLookMs = 100;

using net::host_of;
using net::is_wildcard;

std::string port_of(const std::string& address) { return address.substr(address.rfind(':') + 1); }

bool may_come_right(const Status& status) { return !net::is_lasting(status); }

}  // namespace

Status Group::Core::join() {
  const cluster::Deadline deadline(options_.timeout_ms);
  const auto joined = std::make_shared<Future>();
  if (is_hub()) {
    ticker_ = std::make_unique<net::Ticker>(
        [hub = hub_.get()](uint64_t now, uint64_t) { return hub->tick(now); });
  }
  if (!is_alone()) {
    GLS_TRY(open_endpoint());
  }
  if (is_hub()) {
    if (!is_alone() && options_.exchange) {
      GLS_TRY(exchange_addresses());
    }
    hub_->join(join_request(deadline), nullptr, [joined](Result<net::Message> outcome) {
      if (!outcome.ok()) {
        static_cast<void>(joined->finish(std::move(outcome.status())));
        return;
      }
      const auto kept = std::make_shared<const net::Message>(outcome.take());
      static_cast<void>(joined->finish(Items{item_of(kept, kept->bytes())}));
    });
    look_at_hub();
    if (Status status = wait_for_members(*joined); !status.ok()) {
      tell_the_others(status);
      return status;
    }
    return take_members(*joined);
  }
  if (options_.exchange) {
    GLS_TRY(exchange_addresses());
  }
  for (;;) {
    GLS_TRY(connect_to_hub(deadline));
    auto outcome = ask_to_join(deadline);
    if (!outcome.ok()) {
      // The connection was lost before a reply came. Rank 0 may return.
      if (outcome.status().code() == GLS_ERR_CANCELED || deadline.left_ms() == 0 ||
          !may_come_right(outcome.status())) {
        return std::move(outcome.status());
      }
      hub_peer_->close();
      pause_or_stop(kLookMs);
      continue;
    }
    const auto kept = std::make_shared<const net::Message>(outcome.take());
    Status failure;
    GLS_ASSIGN(const Bytes bytes, decode_reply(kept->bytes(), &failure));
    GLS_TRY(std::move(failure));
    static_cast<void>(joined->finish(Items{item_of(kept, bytes)}));
    GLS_TRY(take_members(*joined));
    joined_ = true;
    return {};
  }
}

// ---- the endpoint ----

net::Handlers Group::Core::handlers() {
  net::Handlers out;
  out[static_cast<uint16_t>(Kind::kFunction)] = functions_->handler();
  if (!is_hub()) {
    return out;
  }
  const auto reply_to = [pool = context_->buffers()](const net::Request& request) {
    return [pool, request](Result<net::Message> outcome) {
      if (!outcome.ok()) {
        request.answer(make_failure(pool, outcome.status()));
        return;
      }
      net::Message reply = make_reply(pool, outcome->size());
      if (outcome->size() > 0) {
        std::memcpy(reply.data() + kReplyHead, outcome->data(), outcome->size());
      }
      request.answer(std::move(reply));
    };
  };
  // The endpoint ends its handlers before this object is destroyed.
  out[static_cast<uint16_t>(Kind::kJoin)] = [this, reply_to](const net::Request& request) {
    auto asked = decode_join(request.bytes());
    if (!asked.ok()) {
      request.fail(asked.status());
      return;
    }
    // A process that listens on every interface is reached at the address it connected from.
    std::string& address = asked->member.address;
    if (is_wildcard(host_of(address))) {
      address = host_of(request.connection()->address()) + ":" + port_of(address);
    }
    hub_->join(*asked, request.connection(), reply_to(request));
    look_at_hub();
  };
  out[static_cast<uint16_t>(Kind::kOperation)] = [this, reply_to](const net::Request& request) {
    auto asked = decode_operation(request.bytes());
    if (!asked.ok()) {
      request.fail(asked.status());
      return;
    }
    hub_->operate(request.connection().get(), *asked, reply_to(request));
    look_at_hub();
  };
  return out;
}

void Group::Core::lost(const net::Connection& connection, const Status& why) {
  functions_->forget(connection);
  if (hub_ == nullptr && joined_.load() && &connection == hub_connection_.get()) {
    hub_peer_->close();  // a process that left does not reconnect
  }
  if (hub_ == nullptr || !connection.inbound()) {
    return;
  }
  if (connection.remote().name.empty()) {
    hub_->turned_away(connection.address(), why.message());
  } else {
    hub_->lost(&connection, connection.said_goodbye(), why.message());
  }
}

Status Group::Core::open_endpoint() {
  std::string listen = options_.listen;
  if (listen.empty()) {
    listen = is_hub() && !options_.exchange ? options_.place.rendezvous : kLoopback;
  } else if (is_hub() && !options_.exchange && port_of(listen) == "0") {
    // The other processes look for rank 0 at the port of the rendezvous.
    listen = host_of(listen) + ":" + port_of(options_.place.rendezvous);
  }
  net::EndpointOptions endpoint;
  endpoint.transport = options_.transport;
  endpoint.limits = options_.limits;
  // All processes may connect at once, and none of them may be evicted.
  const uint32_t world = options_.place.world_size;
  endpoint.limits.max_pending = std::max(endpoint.limits.max_pending, 2 * world);
  endpoint.limits.max_connections = std::max(endpoint.limits.max_connections, 4 * world);
  endpoint.role = "member";
  endpoint.name = self_.name;
  endpoint.listen = listen;
  endpoint.handlers = handlers();
  endpoint.lost = [this](const net::Connection& connection, const Status& why) {
    lost(connection, why);
  };
  auto made = net::Endpoint::create(context_, std::move(endpoint));
  if (!made.ok()) {
    Status status = std::move(made.status());
    if (is_hub() && options_.listen.empty() && !options_.exchange &&
        (status.code() == GLS_ERR_ALREADY_EXISTS || status.code() == GLS_ERR_IO)) {
      return error(status.code(),
                   "{} (rank 0 of group \"{}\" listens there: set GLS_MASTER_PORT or rendezvous to "
                   "another port, or listen where this host does not have that address)",
                   status.message(), options_.name)
          .with("argument", "rendezvous");
    }
    return status;
  }
  endpoint_ = made.take();
  self_.address = endpoint_->address();
  if (is_hub() && !options_.exchange) {
    // The address at which other processes reach rank 0. Where port 0 was set, the system chose the
    // port.
    self_.address = is_wildcard(host_of(self_.address)) ? options_.place.rendezvous : self_.address;
  }
  return {};
}

// Each process publishes its group and rank; rank 0 also publishes the address it listens on.
Status Group::Core::exchange_addresses() {
  const uint32_t world = options_.place.world_size;
  if (is_hub() && is_wildcard(host_of(self_.address))) {
    self_.address = self_.host + ":" + port_of(self_.address);
  }
  std::array<std::byte, kRecord> mine{};
  const std::string text = formatted("gls 1\n{}\n{}\n{}\n{}\n{}", options_.place.rank, world,
                                     options_.name, is_hub() ? self_.address : "", self_.host);
  if (text.size() >= mine.size()) {
    return invalid(
               "the name of the group and the address of rank 0 take {} bytes, expected less "
               "than {}",
               text.size(), mine.size())
        .with("argument", "name");
  }
  std::memcpy(mine.data(), text.data(), text.size());
  std::vector<std::byte> all(kRecord * world);
  GLS_TRY(options_.exchange(mine, all));
  for (uint32_t rank = 0; rank < world; ++rank) {
    const auto* const record = reinterpret_cast<const char*>(all.data() + kRecord * rank);
    const std::string theirs(record, strnlen(record, kRecord));
    const std::string expected = formatted("gls 1\n{}\n{}\n{}\n", rank, world, options_.name);
    if (!theirs.starts_with(expected)) {
      return invalid(
                 "exchange: at the place of rank {} there is not what rank {} of {} of group "
                 "\"{}\" gives, but \"{}\"",
                 rank, rank, world, options_.name, theirs.substr(0, 100))
          .with("argument", "exchange")
          .with("rank", std::to_string(rank));
    }
    if (rank == 0) {
      const std::string rest = theirs.substr(expected.size());
      const size_t line = std::min(rest.find('\n'), rest.size());
      options_.place.rendezvous = rest.substr(0, line);
      if (rest.substr(line) != "\n" + self_.host && is_loopback(options_.place.rendezvous)) {
        return invalid(
                   "rank 0 listens at {}, which cannot be reached from other machines: set its "
                   "listen to \"0.0.0.0:0\", or to an interface",
                   options_.place.rendezvous)
            .with("argument", "listen")
            .with("rank", "0");
      }
    }
  }
  return net::split_address(options_.place.rendezvous, "exchange").status().copy();
}

// ---- joining ----

JoinRequest Group::Core::join_request(const cluster::Deadline& deadline) const {
  return {kProtocol, options_.name,     options_.place.rank, options_.place.world_size,
          self_,     deadline.left_ms()};
}

Status Group::Core::connect_to_hub(const cluster::Deadline& deadline) {
  const std::string& address = options_.place.rendezvous;
  std::string why;
  for (;;) {
    GLS_TRY(
        report(options_.progress, "looking for rank 0", 0, options_.place.world_size, "processes"));
    constexpr int64_t kOneMs = 2000;
    const int64_t left = deadline.left_ms();
    auto peer = endpoint_->connect(address, left < 0 ? kOneMs : std::min(left, kOneMs));
    if (peer.ok()) {
      hub_peer_ = peer.take();
      hub_connection_ = hub_peer_->connection();
      if (hub_connection_ != nullptr) {
        return {};
      }
      hub_peer_->close();
    } else {
      if (!may_come_right(peer.status())) {
        return std::move(peer.status())
            .prefixed(formatted("joining group \"{}\": ", options_.name));
      }
      if (why.empty() || deadline.left_ms() != 0) {
        // Otherwise the last try had no time to find the reason.
        why = peer.status().message();
      }
    }
    if (deadline.left_ms() == 0) {
      return error(GLS_ERR_TIMED_OUT,
                   "joining group \"{}\": rank 0 was not reached at {} within {} ms: {}",
                   options_.name, address, options_.timeout_ms, why)
          .with("rank", "0")
          .with("peer", address);
    }
    pause_or_stop(kLookMs / 2);
  }
}

Result<net::Message> Group::Core::ask_to_join(const cluster::Deadline& deadline) {
  struct Outcome {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Result<net::Message>> result;
  };
  const auto outcome = std::make_shared<Outcome>();
  const int64_t left = deadline.left_ms();
  const net::CallId id = hub_connection_->call(
      static_cast<uint16_t>(Kind::kJoin), encode(context_->buffers(), join_request(deadline)),
      {left < 0 ? left : left + kGraceMs, true, "a place in the group"},
      [outcome](Result<net::Message> result) {
        {
          const std::lock_guard lock(outcome->mutex);
          outcome->result.emplace(std::move(result));
        }
        outcome->changed.notify_all();
      });
  std::unique_lock lock(outcome->mutex);
  while (!outcome->changed.wait_for(lock, std::chrono::milliseconds(kLookMs),
                                    [&] { return outcome->result.has_value(); })) {
    lock.unlock();
    if (Status status = report(options_.progress, "waiting for the others", 0,
                               options_.place.world_size, "processes");
        !status.ok()) {
      hub_connection_->cancel(id);
      return status;
    }
    lock.lock();
  }
  return std::move(*outcome->result);
}

Status Group::Core::wait_for_members(const Future& joined) {
  while (!joined.wait(kLookMs)) {
    GLS_TRY(report(options_.progress, "waiting for the others", hub_->joined(),
                   options_.place.world_size, "processes"));
  }
  return joined.status();
}

// Processes that join later receive the reason, instead of searching for a rank 0 that has ended.
void Group::Core::tell_the_others(const Status& why) const {
  const size_t all = options_.place.world_size - 1;
  if (why.code() == GLS_ERR_CANCELED || why.code() == GLS_ERR_TIMED_OUT) {
    return;
  }
  const cluster::Deadline deadline(kGraceMs);
  while (hub_->refused() < all && deadline.left_ms() != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs / 10));
  }
}

Status Group::Core::take_members(const Future& joined) {
  GLS_TRY(joined.status());
  const Tensor item = joined.item(0);
  GLS_ASSIGN(members_, decode_members({item.data(), static_cast<size_t>(item.rows())}));
  if (members_.size() != options_.place.world_size) {
    return corrupt("rank 0 told of {} processes, expected {}", members_.size(),
                   options_.place.world_size);
  }
  GLS_TRY(check_even(members_));
  const Place& place = options_.place;
  uint32_t before = 0;
  local_size_ = 0;
  for (uint32_t rank = 0; rank < members_.size(); ++rank) {
    if (members_[rank].host == self_.host) {
      ++local_size_;
      before += rank < place.rank ? 1 : 0;
    }
  }
  local_rank_ = place.local_rank.value_or(before);
  self_ = members_[place.rank];
  return {};
}

}  // namespace gls::group
