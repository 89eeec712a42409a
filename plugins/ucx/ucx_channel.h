// One lane: an endpoint of UCX, and a table of what UCX was given for it. All but what Lane offers
// is for whoever drives the worker.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/connection/data_channel.h"
#include "plugins/channels/progress_lock.h"
#include "plugins/channels/token.h"
#include "plugins/ucx/reassembly.h"
#include "plugins/ucx/ucp.h"

namespace gls::net {

class UcxLane;
class UcxWorker;
struct Command;

// Messages that would be copied anyway go in pieces that fill, with their heads and what UCX adds,
// a place in its queues of shared memory or a buffer of its tcp (kEnvironment in ucp.cc).
inline constexpr size_t kShmPiece = 8128;
inline constexpr size_t kTcpPiece = 65344;

inline ucs_memory_type_t memory_type(bool on_gpu) {
  return on_gpu ? UCS_MEMORY_TYPE_CUDA : UCS_MEMORY_TYPE_HOST;
}

// What was asked of UcxLane::send().
struct SentMessage {
  void* owner;
  const std::byte* payload;
  size_t size;
  std::array<std::byte, kLaneHeadBytes> head;
  uint64_t number = 0;
  size_t next = 0;       // byte to be given to UCX
  size_t under_way = 0;  // pieces that it has
  bool all_given = false;
};

// What was asked of UcxLane::read().
struct ReadList {
  std::string key;
  const LaneRead* reads;
  size_t count;
  void* owner;
  bool on_gpu = false;   // the places are
  size_t next = 0;       // to be given to UCX
  size_t under_way = 0;  // that it has
  bool all_given = false;
  bool good = true;
};

// What UCX was given, which is one of three: a piece that is sent, a piece that is read, and a
// place for a message.
struct Operation {
  UcxWorker* worker = nullptr;
  UcxLane* lane = nullptr;  // null: given back already, and UCX has not said its last word
  SentMessage* message = nullptr;
  ReadList* list = nullptr;
  void* owner = nullptr;  // the token, of the lane's user
  size_t size = 0;
  size_t place = 0;  // in the table
  PieceHead head;    // of what is sent
};

class UcxLane final : public Lane {
 public:
  UcxLane(UcxWorker& worker, LaneUser* user, const LaneToken& token,
          const std::vector<std::byte>& worker_address);

  // Lane
  StreamSpan address() noexcept override { return {address_.data(), address_.size()}; }
  void join(const void* address, size_t size) noexcept override;
  void send(const void* head, const void* payload, size_t size, void* message) noexcept override;
  void wake() noexcept override;
  void write() noexcept override;
  bool read_here(StreamWaiter& waiter) noexcept override;
  void nudge() noexcept override;
  LaneReads reads() noexcept override { return reads_; }
  void read(const LaneReadList& list, void* reading) noexcept override;
  void describe(char* text, size_t size) noexcept override;
  void close() noexcept override;
  void release() noexcept override { delete this; }

  const LaneToken& token() const { return token_; }
  void do_join(const std::vector<std::byte>& address);
  void do_send(SentMessage* message);
  void do_read(ReadList* list) { lists_.push_back(list); }
  // Gives UCX more of what is to be read and sent, if it has room. False: it did not.
  bool go_on();
  bool has_more() const { return !lists_.empty() || !messages_.empty(); }
  // Before its worker goes, at the latest.
  void drop_keys();
  // Begins to close; the end is there when ended() says so.
  void do_close();
  bool ended();
  // Gives everything back, when nothing of UCX is there any more, and says so.
  void finish();
  ucs_status_t take(const PieceHead& head, void* data, size_t size,
                    const ucp_am_recv_param_t& param);
  void done(Operation* operation, ucs_status_t status, size_t received);
  void failed(ucs_status_t status);
  bool is_closing() const { return closing_; }

 private:
  void look();
  void force_close();
  bool has_work() const;
  void break_off(const std::string& why);
  Operation* make_operation();
  void recycle(Operation* operation);
  void add(Operation* operation);
  void remove(Operation* operation);
  // Messages: messages.cc.
  bool send_more();
  void begin_piece(SentMessage* message);
  void piece_given_back(SentMessage* message);
  void end_if_sent(SentMessage* message) const;
  ucs_status_t take_later(const PieceHead& head, void* data, size_t size);
  void receive(void* data, size_t size, const LanePlace& place);
  bool read_more();
  ucp_rkey_h find_key(const std::string& key);
  void begin_read(ReadList* list, ucp_rkey_h key);
  void end_if_done(ReadList* list) const;

  UcxWorker& worker_;  // not to be used when closed, unless the helm says that it is there
  const std::shared_ptr<Helm<Command>> helm_;
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
  std::unique_ptr<Operation> spare_;  // most are over at once
  uint64_t next_number_ = 0;
  std::deque<SentMessage*> messages_;  // of which UCX has not got everything
  size_t sending_ = 0;                 // pieces that it has
  ArrivingMessages arriving_;
  std::deque<ReadList*> lists_;  // of which UCX has not got everything
  size_t reading_ = 0;           // pieces that it has
  std::map<std::string, ucp_rkey_h> keys_;
  std::atomic<LaneReads> reads_ = LaneReads::kNone;
  bool deaf_ = false;    // its user hears of its end alone
  bool failed_ = false;  // so says UCX
  bool looked_ = false;
  bool closing_ = false;
  bool ep_gone_ = false;
};

}  // namespace gls::net
