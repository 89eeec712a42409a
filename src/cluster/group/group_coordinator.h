// What rank 0 knows of a group: who is there, and what each of them does. It has no network:
// whoever asks is answered through a function, which must be short.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/wire/group_messages.h"

namespace gls::group {

std::string describe(uint32_t rank, const Member& member);  // "rank 2 (name at address)"
bool is_loopback(const std::string& address);               // nobody elsewhere can reach it

class Hub {
 public:
  // Gets the outcome of a question, once; dropped when the question was given up.
  using Done = std::function<void(Result<net::Message>)>;

  Hub(Pool pool, std::string group, uint32_t world_size);

  // A process wants to join; `connection` is null for rank 0 itself. The answer is all members,
  // when all are here.
  void join(const JoinRequest& request, std::shared_ptr<void> connection, Done done);
  // It arrives at an operation. The answer is what all gave.
  void operate(uint32_t rank, const OperationRequest& request, Done done);
  // An operation of who came by this connection.
  void operate(const void* connection, const OperationRequest& request, Done done);
  // A connection is gone. `left`: it said goodbye.
  void lost(const void* connection, bool left, const std::string& why);
  // Somebody connected and did not prove who he is.
  void turned_away(const std::string& address, const std::string& why);
  // Ends the joining of all, or every operation from now on.
  void stop(const std::string& why);

  // What time brings. Returns when to look again.
  uint64_t tick(uint64_t now);
  uint64_t next_deadline() const;
  size_t here() const;                                       // have joined
  size_t refused() const;                                    // were told why there will be no group
  std::shared_ptr<void> connection_of(uint32_t rank) const;  // by which it joined

 private:
  struct Slot {
    bool here = false;
    std::shared_ptr<void> connection;  // by which it came
    Member member;
    Done done;  // of joining, or of the operation
    uint64_t deadline = kForever;
    int64_t timeout_ms = -1;
    bool arrived = false;  // at the operation
    OperationKind kind = OperationKind::kBarrier;
    net::Message data;
  };
  // Calls that are made when the lock is not held.
  class Calls;

  Status check_join(const JoinRequest& request) const;
  Status check_addresses() const;
  std::string missing() const;
  std::string label(OperationKind kind, uint64_t number) const;
  Status broken(OperationKind kind, uint64_t number) const;
  void break_all(Status why, Calls* calls);
  void complete_join(Calls* calls);
  void complete_operation(Calls* calls);
  net::Message result() const;

  const Pool pool_;
  const std::string group_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;  // by rank
  bool joined_ = false;
  Status failed_;      // ok: not; said of each operation
  uint64_t done_ = 0;  // operations
  OperationKind last_kind_ = OperationKind::kBarrier;
  std::vector<net::Message> last_;  // what was given to the last one
  size_t refused_ = 0;
  size_t strangers_ = 0;
  std::string stranger_;  // the last one
};

}  // namespace gls::group
