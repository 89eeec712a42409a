// One lane: an endpoint of UCX, and a table of what UCX was given for it. All but what Lane offers
// is for the worker's thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "net/lane.h"
#include "net/ucx/ucp.h"

namespace gls::net {

class UcxLane;
class UcxWorker;

// Random, and before each message: who does not know it reaches nobody.
using LaneToken = std::array<uint64_t, 2>;

inline constexpr size_t kAmHeadBytes = sizeof(LaneToken) + kLaneHeadBytes;

// What UCX was given: a message that is sent, or a place that it writes to.
struct Operation {
  UcxWorker* worker = nullptr;
  UcxLane* lane = nullptr;  // null: given back already, and UCX has not said its last word
  bool receives = false;
  void* owner = nullptr;  // the message or the token, of the lane's user
  const void* payload = nullptr;
  size_t size = 0;
  size_t place = 0;  // in the table
  std::array<std::byte, kAmHeadBytes> head;
};

class UcxLane final : public Lane {
 public:
  UcxLane(UcxWorker& worker, LaneUser* user, const LaneToken& token,
          const std::vector<std::byte>& worker_address);

  // Lane
  StreamSpan address() noexcept override { return {address_.data(), address_.size()}; }
  void join(const void* address, size_t size) noexcept override;
  void send(const void* head, const void* payload, size_t size, void* message) noexcept override;
  void describe(char* text, size_t size) noexcept override;
  void close() noexcept override;
  void release() noexcept override { delete this; }

  const LaneToken& token() const { return token_; }
  void do_join(const std::vector<std::byte>& address);
  void do_send(Operation* operation);
  // Begins to close; the end is there when ended() says so.
  void do_close();
  bool ended();
  // Gives everything back, when nothing of UCX is there any more, and says so.
  void finish();
  ucs_status_t take(const void* head, void* data, size_t size, const ucp_am_recv_param_t& param);
  void done(Operation* operation, ucs_status_t status, size_t received);
  void failed(ucs_status_t status);
  bool is_closing() const { return closing_; }

 private:
  void look();
  void force_close();
  bool has_work() const;
  void break_off(const std::string& why);
  void add(Operation* operation);
  void remove(Operation* operation);
  void receive(void* data, size_t size, const LanePlace& place);

  UcxWorker& worker_;  // not to be used when closed
  LaneUser* const user_;
  const LaneToken token_;
  std::vector<std::byte> address_;
  std::atomic<bool> asked_to_close_ = false;
  std::mutex text_mutex_;
  std::string text_;

  LaneToken there_{};
  ucp_ep_h ep_ = nullptr;
  void* flush_request_ = nullptr;
  void* close_request_ = nullptr;
  std::vector<Operation*> table_;
  bool deaf_ = false;    // its user hears of its end alone
  bool failed_ = false;  // so says UCX
  bool looked_ = false;
  bool closing_ = false;
  bool ep_gone_ = false;
};

}  // namespace gls::net
