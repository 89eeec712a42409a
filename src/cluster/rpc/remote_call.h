// A request to another endpoint, and the wait for its reply.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cluster/wire/messages.h"
#include "net/connection/blocking_call.h"
#include "net/connection/peer.h"

namespace gls::cluster {

// The time by which an operation must end.
class Deadline {
 public:
  explicit Deadline(int64_t timeout_ms);  // negative: no limit
  // Negative: no limit; 0: the time is over.
  int64_t left_ms() const;

 private:
  uint64_t end_ns_ = 0;  // 0: no limit
};

// Whether the server or its connection failed, and not the request. Another server may then answer.
bool is_of_server(const Status& status);

// Only for requests that may be repeated. If the connection is lost, the call waits for the peer
// and asks once more.
class Call {
 public:
  // Sends at once. `make` builds the message; wait() may call it a second time. Without `again`, a
  // lost connection is an error. `place`: see net::ReplyPlace; a repeated request does not use it.
  Call(std::shared_ptr<net::Peer> peer, Kind kind, std::function<Result<net::Message>()> make,
       Deadline deadline, bool again = true, net::ReplyPlace place = {});
  // Cancels a request that was not waited for.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Call it once. Returns GLS_ERR_CANCELED when the work of this thread is cancelled, or its caller
  // interrupts it (context/stop_scope.h).
  Result<net::Message> wait();
  // Any thread. wait() returns GLS_ERR_CANCELED, unless it has ended. Does not apply to calls that
  // may ask again.
  void cancel() { peer_->cancel(id_); }

 private:
  void send(net::ReplyPlace place);
  Result<net::Message> wait_for_outcome();
  Status reconnect(const Status& lost) const;
  bool was_answered() const;

  const std::shared_ptr<net::Peer> peer_;
  const Kind kind_;
  const std::function<Result<net::Message>()> make_;
  const Deadline deadline_;
  const bool again_;
  std::shared_ptr<net::BlockingCall> outcome_;
  bool was_sent_ = false;
  net::CallId id_ = 0;
  uint64_t epoch_ = 0;  // of the peer, at the time of the request
};

}  // namespace gls::cluster
