// One data channel: an endpoint of UCX, and a table of the operations in flight. Functions beyond
// the DataChannel interface are for the thread that drives the worker.
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

class UcxChannel;
class UcxWorker;
struct Command;

// Messages that UCX would copy anyway travel in pieces. A piece, its head and UCX's own header fill
// one entry in a queue of shared memory, or one tcp buffer (kEnvironment in ucp.cc).
inline constexpr size_t kShmPiece = 8128;
inline constexpr size_t kTcpPiece = 65344;

inline ucs_memory_type_t memory_type(bool on_gpu) {
  return on_gpu ? UCS_MEMORY_TYPE_CUDA : UCS_MEMORY_TYPE_HOST;
}

// A request from UcxChannel::send().
struct SentMessage {
  void* owner;
  const std::byte* payload;
  size_t size;
  std::array<std::byte, kChannelHeadBytes> head;
  uint64_t number = 0;
  size_t next = 0;       // offset of the next byte to send
  size_t under_way = 0;  // pieces in flight
  bool all_given = false;
};

// A request from UcxChannel::read().
struct ReadList {
  std::string key;
  const ChannelRead* reads;
  size_t count;
  void* owner;
  bool on_gpu = false;   // the destinations are in GPU memory
  size_t next = 0;       // the next piece to start
  size_t under_way = 0;  // pieces in flight
  bool all_given = false;
  bool good = true;
};

// An operation of UCX, of one of three kinds: a piece to send, a piece to read, or the destination
// of a message.
struct Operation {
  UcxWorker* worker = nullptr;
  UcxChannel* channel = nullptr;  // null: returned already, and UCX has not completed it
  SentMessage* message = nullptr;
  ReadList* list = nullptr;
  void* owner = nullptr;  // the token of the channel's user
  size_t size = 0;
  size_t place = 0;  // in the table
  PieceHead head;    // of a sent piece
};

class UcxChannel final : public DataChannel {
 public:
  UcxChannel(UcxWorker& worker, ChannelUser* user, const ChannelToken& token,
             const std::vector<std::byte>& worker_address);

  // DataChannel
  StreamSpan address() noexcept override { return {address_.data(), address_.size()}; }
  void join(const void* address, size_t size) noexcept override;
  void send(const void* head, const void* payload, size_t size, void* message) noexcept override;
  void wake() noexcept override;
  void write() noexcept override;
  bool read_by_caller(StreamWaiter& waiter) noexcept override;
  void nudge() noexcept override;
  ChannelReads reads() noexcept override { return reads_; }
  void read(const ChannelReadList& list, void* reading) noexcept override;
  void describe(char* text, size_t size) noexcept override;
  void close() noexcept override;
  void release() noexcept override { delete this; }

  const ChannelToken& token() const { return token_; }
  void do_join(const std::vector<std::byte>& address);
  void do_send(SentMessage* message);
  void do_read(ReadList* list) { lists_.push_back(list); }
  // Starts more reads and sends, if UCX has room. False: it did not.
  bool go_on();
  bool has_more() const { return !lists_.empty() || !messages_.empty(); }
  // Call it before its worker is destroyed.
  void drop_keys();
  // Starts to close; ended() reports the end.
  void do_close();
  bool ended();
  // Returns all tokens and messages after UCX has released everything, and reports the end.
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
  // Messages; see messages.cc.
  bool send_more();
  void begin_piece(SentMessage* message);
  void piece_given_back(SentMessage* message);
  void end_if_sent(SentMessage* message) const;
  ucs_status_t take_later(const PieceHead& head, void* data, size_t size);
  void receive(void* data, size_t size, const ChannelPlace& place);
  bool read_more();
  ucp_rkey_h find_key(const std::string& key);
  void begin_read(ReadList* list, ucp_rkey_h key);
  void end_if_done(ReadList* list) const;

  UcxWorker& worker_;  // not to be used when closed, unless the helm states that it exists
  const std::shared_ptr<ProgressLock<Command>> helm_;
  ChannelUser* const user_;
  const ChannelToken token_;
  std::vector<std::byte> address_;
  std::atomic<bool> asked_to_close_ = false;
  std::mutex text_mutex_;
  std::string text_;

  ChannelToken remote_token_{};
  ucp_ep_h ep_ = nullptr;
  void* flush_request_ = nullptr;
  void* close_request_ = nullptr;
  std::vector<Operation*> table_;
  std::unique_ptr<Operation> spare_;  // most operations end at once
  uint64_t next_number_ = 0;
  std::deque<SentMessage*> messages_;  // messages that are not fully sent
  size_t sending_ = 0;                 // pieces in flight
  Reassembly arriving_;
  std::deque<ReadList*> lists_;  // reads that are not fully started
  size_t reading_ = 0;           // pieces in flight
  std::map<std::string, ucp_rkey_h> keys_;
  std::atomic<ChannelReads> reads_ = ChannelReads::kNone;
  bool deaf_ = false;    // the user is notified of the end only
  bool failed_ = false;  // reported by UCX
  bool looked_ = false;
  bool closing_ = false;
  bool ep_gone_ = false;
};

}  // namespace gls::net
