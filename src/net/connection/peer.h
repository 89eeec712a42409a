// Another endpoint, by its address. When its connection is lost it is connected again in the
// background; calls made meanwhile fail at once, and whoever makes them knows what may be repeated.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "net/connection/connection.h"

namespace gls::net {

enum class PeerState : uint8_t { kConnecting, kUp, kLost, kClosed };

// What makes connections for peers.
class PeerHost {
 public:
  // Connection::is_up or is_lost of it are told to `peer`, maybe before this returns.
  virtual void connect(const std::shared_ptr<class Peer>& peer) = 0;
  virtual const Limits& peer_limits() const = 0;
  virtual void look_at_peer(uint64_t time_ns) = 0;

 protected:
  ~PeerHost() = default;
};

class Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(PeerHost& host, std::string address) : host_(host), address_(std::move(address)) {}

  const std::string& address() const { return address_; }
  PeerState state() const;
  // Why it is lost; ok while it is not.
  Status why_lost() const;
  // How many times it was connected. What a server of an earlier epoch was told may be forgotten.
  uint64_t epoch() const;
  std::shared_ptr<Connection> connection() const;  // null while there is none

  CallId call(uint16_t kind, Message request, const CallOptions& options, Completion done);
  void cancel(CallId id);
  // Until it is up. An error: the time is over, it was closed, the work of this thread was given up
  // (context/stop_scope.h), or an attempt failed: unless `patient` any, else the first one if
  // others would fail likewise.
  Status wait_until_up(int64_t timeout_ms, bool patient);
  // Calls under way fail; it is not connected again.
  void close();

  // From the host.
  void is_up(const std::shared_ptr<Connection>& connection);
  void is_lost(const Connection* connection, const Status& why);
  void now_connecting(const std::shared_ptr<Connection>& connection);
  uint64_t sweep(uint64_t now);  // returns when to look again

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
  uint64_t failures_ = 0;  // since it was last up
  uint64_t attempts_failed_ = 0;
  uint64_t retry_at_ = 0;
};

// Waits for the outcome of a call.
Result<Message> call_and_wait(Peer& peer, uint16_t kind, Message request,
                              const CallOptions& options);
Result<Message> call_and_wait(Connection& connection, uint16_t kind, Message request,
                              const CallOptions& options);

}  // namespace gls::net
