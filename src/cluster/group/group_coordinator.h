// The state that rank 0 keeps of a group: its members, and the operation that each member has
// reached. This class uses no network. It answers each request through a function, which must
// return quickly.
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
bool is_loopback(const std::string& address);  // processes on other hosts cannot reach it

class GroupCoordinator {
 public:
  // Receives the outcome of a request exactly once. It is dropped when the caller abandons the
  // request.
  using Done = std::function<void(Result<net::Message>)>;

  GroupCoordinator(Pool pool, std::string group, uint32_t world_size);

  // A process asks to join; `connection` is null for rank 0 itself. The reply lists all members,
  // and is sent when all have joined.
  void join(const JoinRequest& request, std::shared_ptr<void> connection, Done done);
  // A process reaches an operation. The reply holds the data of all processes.
  void operate(uint32_t rank, const OperationRequest& request, Done done);
  // A request for an operation, from the process that joined over this connection.
  void operate(const void* connection, const OperationRequest& request, Done done);
  // A connection was lost. `left`: the process said goodbye first.
  void lost(const void* connection, bool left, const std::string& why);
  // A process connected and failed to authenticate.
  void turned_away(const std::string& address, const std::string& why);
  // Ends joining for all processes, or every operation from now on.
  void stop(const std::string& why);

  // Applies deadlines. Returns the time of the next check.
  uint64_t tick(uint64_t now);
  uint64_t next_deadline() const;
  size_t joined() const;   // processes that joined
  size_t refused() const;  // processes that received the reason why the group failed
  // the connection over which the rank joined
  std::shared_ptr<void> connection_of(uint32_t rank) const;

 private:
  struct Slot {
    bool joined = false;
    std::shared_ptr<void> connection;  // the connection over which it joined
    Member member;
    Done done;  // for joining, or for the operation
    uint64_t deadline = kForever;
    int64_t timeout_ms = -1;
    bool arrived = false;  // has reached the operation
    OperationKind kind = OperationKind::kBarrier;
    net::Message data;
  };
  // Functions to call after the lock is released.
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
  Status failed_;      // ok: the group works; an error is returned for every operation
  uint64_t done_ = 0;  // finished operations
  OperationKind last_kind_ = OperationKind::kBarrier;
  std::vector<net::Message> last_;  // the data of each rank in the last operation
  size_t refused_ = 0;
  size_t strangers_ = 0;
  std::string stranger_;  // the last process that failed to authenticate
};

}  // namespace gls::group
