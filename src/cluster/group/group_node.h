// The implementation of a group. group_join.cc holds joining; group.cc holds the rest.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/group/group.h"
#include "cluster/group/group_coordinator.h"
#include "net/core/ticker.h"

namespace gls::group {

inline constexpr int64_t kGraceMs = 2000;  // lets rank 0 itself report which ranks are missing

class Group::Core : public std::enable_shared_from_this<Group::Core> {
 public:
  Core(std::shared_ptr<Context> context, GroupOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Status join();
  Result<std::shared_ptr<Future>> operate(OperationKind kind, Bytes data, int64_t timeout_ms);
  Result<std::shared_ptr<Future>> call(uint32_t rank, const char* function, Bytes data,
                                       const CallRules& rules);
  void leave(int64_t timeout_ms);

  const GroupOptions& options() const { return options_; }
  const std::vector<Member>& members() const { return members_; }
  uint32_t local_rank() const { return local_rank_; }
  uint32_t local_size() const { return local_size_; }
  uint64_t operations() const { return done_.load(std::memory_order_relaxed); }
  Context& context() const { return *context_; }
  FunctionTable& functions() { return *functions_; }

 private:
  bool is_hub() const { return options_.place.rank == 0; }
  bool is_alone() const { return options_.place.world_size == 1; }

  // Defined in group_join.cc.
  Status open_endpoint();
  Status exchange_addresses();
  Status connect_to_hub(const cluster::Deadline& deadline);
  Result<net::Message> ask_to_join(const cluster::Deadline& deadline);
  Status wait_for_members(const Future& joined);
  void tell_the_others(const Status& why) const;
  Status take_members(const Future& joined);
  JoinRequest join_request(const cluster::Deadline& deadline) const;
  net::Handlers handlers();
  void lost(const net::Connection& connection, const Status& why);

  // Defined in group.cc.
  GroupCoordinator::Done into(const std::shared_ptr<Future>& answer, OperationKind kind,
                              uint64_t number);
  void send_operation(const OperationRequest& request, const std::shared_ptr<Future>& answer);
  void operation_came(const std::shared_ptr<Future>& answer, OperationKind kind, uint64_t number,
                      int64_t timeout_ms, Result<net::Message> outcome);
  Result<std::shared_ptr<Route>> route_to_rank(uint32_t rank);
  std::shared_ptr<Future> call_local(FunctionRequest request, const CallRules& rules);
  void look_at_hub();

  const std::shared_ptr<Context> context_;
  GroupOptions options_;
  Member self_;
  std::vector<Member> members_;
  uint32_t local_rank_ = 0;
  uint32_t local_size_ = 1;
  const std::shared_ptr<FunctionTable> functions_;
  const std::unique_ptr<GroupCoordinator> hub_;  // set on rank 0
  std::unique_ptr<net::Ticker> ticker_;
  Caller caller_;
  std::unique_ptr<net::Endpoint> endpoint_;

  // Set on other ranks: the connection to rank 0.
  std::shared_ptr<net::Peer> hub_peer_;
  std::shared_ptr<net::Connection> hub_connection_;
  std::atomic<bool> joined_ = false;

  std::mutex mutex_;
  bool left_ = false;
  std::weak_ptr<Future> under_way_;  // the current operation
  std::map<uint32_t, std::shared_ptr<net::Peer>> peers_;
  std::atomic<uint64_t> done_ = 0;
};

}  // namespace gls::group
