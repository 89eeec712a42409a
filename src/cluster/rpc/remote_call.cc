#include "cluster/rpc/remote_call.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "context/parallel.h"
#include "context/stop_scope.h"

namespace gls::cluster {

Deadline::Deadline(int64_t timeout_ms)
    : end_ns_(is_unlimited(timeout_ms) ? 0 : now_ns() + static_cast<uint64_t>(timeout_ms) * kMs) {}

int64_t Deadline::left_ms() const {
  if (end_ns_ == 0) {
    return -1;
  }
  const uint64_t now = now_ns();
  return now >= end_ns_ ? 0 : static_cast<int64_t>((end_ns_ - now + kMs - 1) / kMs);
}

bool is_of_server(const Status& status) {
  return status.code() == GLS_ERR_IO || status.code() == GLS_ERR_TIMED_OUT ||
         status.code() == GLS_ERR_INVALID_STATE || is_not_served(status);
}

Call::Call(std::shared_ptr<net::Peer> peer, Kind kind, std::function<Result<net::Message>()> make,
           Deadline deadline, bool again, net::ReplyPlace place)
    : peer_(std::move(peer)),
      kind_(kind),
      make_(std::move(make)),
      deadline_(deadline),
      again_(again) {
  send(std::move(place));
}

Call::~Call() {
  if (outcome_ != nullptr) {
    peer_->cancel(id_);
  }
}

void Call::send(net::ReplyPlace place) {
  outcome_ = std::make_shared<net::BlockingCall>();
  Result<net::Message> message = make_();
  was_sent_ = message.ok();
  if (!was_sent_) {
    outcome_->set(std::move(message.status()));
    return;
  }
  epoch_ = peer_->epoch();
  id_ = peer_->call(static_cast<uint16_t>(kind_), message.take(),
                    {deadline_.left_ms(), true, name_of(kind_), std::move(place)},
                    net::BlockingCall::completion(outcome_));
}

// Whether the peer itself sent the error, so that the connection still works.
bool Call::was_answered() const {
  const auto connection = peer_->connection();
  return peer_->epoch() == epoch_ && connection != nullptr &&
         connection->state() == net::ConnectionState::kUp;
}

Status Call::reconnect(const Status& lost) const {
  // A connection that accepts no more calls may still live for a while.
  constexpr int64_t kStepMs = 5;
  while (deadline_.left_ms() != 0) {
    const Status up = peer_->wait_until_up(deadline_.left_ms(), true);
    if (!up.ok()) {
      return error(up.code(), "{}; then: {}", lost.message(), up.message())
          .with("peer", peer_->address());
    }
    const auto connection = peer_->connection();
    if (connection != nullptr && connection->state() == net::ConnectionState::kUp) {
      return {};
    }
    pause_or_stop(kStepMs);
    if (is_given_up()) {
      return given_up().prefixed(peer_->address() + ": ").with("peer", peer_->address());
    }
  }
  return lost.copy();
}

Result<net::Message> Call::wait_for_outcome() {
  const std::stop_callback give_up(current_stop, [this] {
    static_cast<void>(guarded([this]() -> Status {  // without memory the request ends by itself
      peer_->cancel(id_);
      return {};
    }));
  });
  Result<net::Message> result = outcome_->wait(peer_->connection());
  if (!result.ok() && current_interrupt.asked) {
    peer_->cancel(id_);
  }
  return result;
}

Result<net::Message> Call::wait() {
  Result<net::Message> result = wait_for_outcome();
  const gls_status_t code = result.status().code();
  if (!result.ok() && again_ && was_sent_ && code != GLS_ERR_CANCELED && deadline_.left_ms() != 0 &&
      !was_answered()) {
    GLS_TRY(reconnect(result.status()));
    send({});
    result = wait_for_outcome();
  }
  outcome_ = nullptr;
  return result;
}

}  // namespace gls::cluster
