#include "net/connection/peer.h"

#include <algorithm>

#include "base/clock.h"
#include "base/philox.h"
#include "context/stop_scope.h"
#include "net/connection/blocking_call.h"

namespace gls::net {
namespace {

// A random half to all of the full pause, so that clients of a restarted server do not reconnect at
// once.
uint64_t backoff_ns(const Limits& limits, uint64_t failures, const void* salt) {
  const uint64_t doublings = std::min<uint64_t>(failures, 16);
  const uint64_t ms =
      std::min<uint64_t>(uint64_t{limits.backoff_min_ms} << doublings, limits.backoff_max_ms);
  const uint64_t half = ms * 500000;
  const uint64_t spread = now_ns() * 0x9e3779b97f4a7c15 ^ reinterpret_cast<uintptr_t>(salt);
  return half + spread % (half + 1);
}

}  // namespace

PeerState Peer::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}
Status Peer::why_lost() const {
  const std::lock_guard lock(mutex_);
  return state_ == PeerState::kUp ? Status() : why_.copy();
}
uint64_t Peer::epoch() const {
  const std::lock_guard lock(mutex_);
  return epoch_;
}
std::shared_ptr<Connection> Peer::connection() const {
  const std::lock_guard lock(mutex_);
  return state_ == PeerState::kUp ? connection_ : nullptr;
}

Status Peer::lost_error() const {
  if (state_ == PeerState::kClosed) {
    return error(GLS_ERR_INVALID_STATE, "{} was closed", address_).with("peer", address_);
  }
  if (why_.ok()) {
    return error(GLS_ERR_INVALID_STATE, "{} is not connected yet", address_).with("peer", address_);
  }
  // A peer that was connected before may be restarted as it was; another server is asked meanwhile.
  const gls_status_t code = epoch_ > 0 && is_lasting(why_) ? GLS_ERR_IO : why_.code();
  return error(code, "{} is not connected: {}", address_, why_.message()).with("peer", address_);
}

CallId Peer::call(uint16_t kind, Message request, const CallOptions& options, Completion done) {
  std::shared_ptr<Connection> to;
  Status status;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == PeerState::kUp) {
      to = connection_;
    } else {
      status = lost_error();
    }
  }
  if (to == nullptr) {
    done(std::move(status));
    return 0;
  }
  return to->call(kind, std::move(request), options, std::move(done));
}

void Peer::cancel(CallId id) {
  if (const auto to = connection(); to != nullptr) {
    to->cancel(id);  // calls of an earlier connection have ended
  }
}

Status Peer::wait_until_up(int64_t timeout_ms, bool patient) {
  std::unique_lock lock(mutex_);
  const uint64_t failed_before = attempts_failed_;
  const bool decided = wait_ms_or_stop(changed_, lock, timeout_ms, [&] {
    return state_ == PeerState::kUp || state_ == PeerState::kClosed ||
           (!patient && (state_ == PeerState::kLost || attempts_failed_ != failed_before)) ||
           (epoch_ == 0 && attempts_failed_ > 0 && is_lasting(why_));
  });
  if (state_ == PeerState::kUp) {
    return {};
  }
  if (!decided && is_given_up()) {
    return given_up().prefixed(address_ + ": ").with("peer", address_);
  }
  if (decided || !why_.ok()) {
    Status status = lost_error();
    if (!decided) {
      return error(GLS_ERR_TIMED_OUT, "{} (within {} ms)", status.message(), timeout_ms)
          .with("peer", address_);
    }
    return status;
  }
  return error(GLS_ERR_TIMED_OUT, "{} was not connected within {} ms", address_, timeout_ms)
      .with("peer", address_);
}

void Peer::close() {
  std::shared_ptr<Connection> last;
  {
    const std::lock_guard lock(mutex_);
    state_ = PeerState::kClosed;
    last = std::move(connection_);
    connection_ = nullptr;
  }
  changed_.notify_all();
  if (last != nullptr) {
    last->fail(error(GLS_ERR_INVALID_STATE, "it was closed here"));
  }
}

void Peer::now_connecting(const std::shared_ptr<Connection>& connection) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != PeerState::kClosed) {
      connection_ = connection;
      return;
    }
  }
  connection->fail(error(GLS_ERR_INVALID_STATE, "it was closed here"));
}

void Peer::is_up(const std::shared_ptr<Connection>& connection) {
  {
    const std::lock_guard lock(mutex_);
    if (connection_ != connection) {
      return;
    }
    state_ = PeerState::kUp;
    ++epoch_;
    failures_ = 0;
  }
  changed_.notify_all();
}

void Peer::is_lost(const Connection* connection, const Status& why) {
  uint64_t retry_at = 0;
  std::shared_ptr<Connection> last;  // destroyed after the lock is released
  {
    const std::lock_guard lock(mutex_);
    if (state_ == PeerState::kClosed || connection_.get() != connection) {
      return;
    }
    last = std::move(connection_);
    connection_ = nullptr;
    state_ = PeerState::kLost;
    why_ = why.copy();
    ++attempts_failed_;
    retry_at = retry_at_ = now_ns() + backoff_ns(host_.peer_limits(), failures_++, this);
  }
  changed_.notify_all();
  host_.look_at_peer(retry_at);
}

uint64_t Peer::sweep(uint64_t now) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != PeerState::kLost) {
      return kForever;
    }
    if (now < retry_at_) {
      return retry_at_;
    }
    state_ = PeerState::kConnecting;
  }
  host_.connect(shared_from_this());
  return kForever;
}

Result<Message> call_and_wait(Peer& peer, uint16_t kind, Message request,
                              const CallOptions& options) {
  const auto outcome = std::make_shared<BlockingCall>();
  const CallId id = peer.call(kind, std::move(request), options, BlockingCall::completion(outcome));
  Result<Message> result = outcome->wait(peer.connection());
  if (!result.ok() && is_given_up()) {
    peer.cancel(id);
  }
  return result;
}
Result<Message> call_and_wait(Connection& connection, uint16_t kind, Message request,
                              const CallOptions& options) {
  const auto outcome = std::make_shared<BlockingCall>();
  const CallId id =
      connection.call(kind, std::move(request), options, BlockingCall::completion(outcome));
  Result<Message> result = outcome->wait(connection.shared_from_this());
  if (!result.ok() && is_given_up()) {
    connection.cancel(id);
  }
  return result;
}

}  // namespace gls::net
