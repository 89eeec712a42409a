// Another endpoint, named by its address. When its connection is lost, it reconnects in the
// background. Calls made meanwhile fail at once, since only their callers know which calls may be
// repeated.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "net/connection/connection.h"

namespace gls::net {

enum class PeerState : uint8_t { kConnecting, kUp, kLost, kClosed };

// Makes connections for peers.
class PeerHost {
 public:
  // Calls is_up() or is_lost() of `peer` with the outcome, maybe before this returns.
  virtual void connect(const std::shared_ptr<class Peer>& peer) = 0;
  virtual const Limits& peer_limits() const = 0;
  virtual void look_at_peer(uint64_t time_ns) = 0;

 protected:
  ~PeerHost() = default;
};

// The address of one endpoint, and the current connection to it.
class Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(PeerHost& host, std::string address) : host_(host), address_(std::move(address)) {}

  const std::string& address() const { return address_; }
  PeerState state() const;
  // The error of the last loss; ok while it is connected.
  Status why_lost() const;
  // How many times it was connected. A server may have forgotten what it received in an earlier
  // epoch.
  uint64_t epoch() const;
  std::shared_ptr<Connection> connection() const;  // null while not connected

  CallId call(uint16_t kind, Message request, const CallOptions& options, Completion done);
  void cancel(CallId id);
  // Waits until it is connected. An error: the timeout passed, it was closed, the work of this
  // thread was cancelled (context/stop_scope.h), or an attempt failed. With `patient`, failed
  // attempts are retried unless the next would fail in the same way.
  Status wait_until_up(int64_t timeout_ms, bool patient);
  // Current calls fail, and it does not reconnect.
  void close();

  // Called by the host.
  void is_up(const std::shared_ptr<Connection>& connection);
  void is_lost(const Connection* connection, const Status& why);
  void now_connecting(const std::shared_ptr<Connection>& connection);
  uint64_t sweep(uint64_t now);  // returns the time of the next sweep

 private:
  Status lost_error() const;

  PeerHost& host_;
  const std::string address_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  PeerState state_ = PeerState::kConnecting;
  std::shared_ptr<Connection> connection_;
  Status why_;
  uint64_t epoch_ = 0;
  uint64_t failures_ = 0;  // failed attempts since it was last up
  uint64_t attempts_failed_ = 0;
  uint64_t retry_at_ = 0;
};

// Makes a call and waits for its outcome.
Result<Message> call_and_wait(Peer& peer, uint16_t kind, Message request,
                              const CallOptions& options);
Result<Message> call_and_wait(Connection& connection, uint16_t kind, Message request,
                              const CallOptions& options);

}  // namespace gls::net
