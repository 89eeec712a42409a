// A request to another endpoint that is on its way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cluster/messages.h"
#include "net/awaited.h"
#include "net/peer.h"

namespace gls::cluster {

// When something must be over.
class Deadline {
 public:
  explicit Deadline(int64_t timeout_ms);  // negative: never
  // Negative: there is no end; 0: it is over.
  int64_t left_ms() const;

 private:
  uint64_t end_ns_ = 0;  // 0: never
};

// Whether it is the server or the way to it that failed, and not the question: another one may
// answer.
bool is_of_server(const Status& status);

// Only for what may be asked twice: if the connection is lost while an answer is awaited, the peer
// is waited for and asked once more.
class Call {
 public:
  // `make` makes the message, maybe a second time by wait(). Sends at once. Not `again`: an answer
  // that was lost with its connection is an error. `place`: see net::ReplyPlace; not for the answer
  // of who was asked again.
  Call(std::shared_ptr<net::Peer> peer, Kind kind, std::function<Result<net::Message>()> make,
       Deadline deadline, bool again = true, net::ReplyPlace place = {});
  // Cancels what was not waited for.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Once. Ends with GLS_ERR_CANCELED when the work of this thread is given up, or its caller
  // interrupts it (base/stop_scope.h).
  Result<net::Message> wait();
  // Any thread: wait() ends with GLS_ERR_CANCELED, unless it has ended. Not of calls that are asked
  // again.
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
  std::shared_ptr<net::Awaited> outcome_;
  bool was_sent_ = false;
  net::CallId id_ = 0;
  uint64_t epoch_ = 0;  // of the peer, when it was asked
};

}  // namespace gls::cluster
