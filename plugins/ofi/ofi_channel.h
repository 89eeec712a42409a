// One data channel: an endpoint of libfabric, and the operations in flight on it. Functions beyond
// the DataChannel interface are for the thread that drives the worker.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/connection/data_channel.h"
#include "plugins/channels/progress_lock.h"
#include "plugins/ofi/ofi_endpoint.h"
#include "plugins/ofi/packet.h"
#include "plugins/ofi/protocol.h"

namespace gls::net {

class OfiWorker;
struct OfiCommand;

static_assert(sizeof OfiOperation::context == sizeof(fi_context2));

// A request from OfiChannel::read().
struct OfiReadList {
  uint64_t memory = 0;  // number of the memory at the other side
  const ChannelRead* reads = nullptr;
  size_t count = 0;
  void* owner = nullptr;
  size_t next = 0;       // the next piece to post,
  uint64_t at = 0;       // from this offset
  size_t under_way = 0;  // operations in flight
  bool all_given = false;
  bool on_gpu = false;    // the destinations are in GPU memory
  bool is_known = false;  // libfabric has registered that memory
  void* desc = nullptr;   // its descriptor
};

// When a worker checks a channel; used by the worker.
struct OfiTurn {
  uint64_t due = 0;
  uint64_t active = 0;  // time of the last work
  bool wakes = false;   // its queue wakes a waiting thread
};

class OfiChannel final : public DataChannel {
 public:
  OfiChannel(OfiWorker& worker, ChannelUser* user, const OfiMemory& memory);

  // Returns an error text, or empty. Any thread.
  std::string open(const OfiFabric& fabric);

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

  void do_join(const std::vector<std::byte>& address);
  void do_send(std::unique_ptr<OfiTransfer> message);
  void do_read(std::unique_ptr<OfiReadList> list);
  // Reads what arrived and sends what it can. False: there was no work.
  bool drive(uint64_t now);
  // Closes the endpoint, returns all tokens and messages, and reports the end. This object may then
  // be destroyed.
  void finish();

  bool hears() const { return joined_ && !deaf_ && !closed_; }
  // libfabric has pending work for this channel, or refused an operation. libfabric does not always
  // wake a waiting thread for that.
  bool has_work() const {
    return is_held_up() || !read_lists_.empty() || !waiting_.empty() || talk_.has_transfers() ||
           idle_out_.size() < out_.size();
  }
  // An operation was refused, or its acceptance is still unknown.
  bool is_held_up() const { return !heard_ || blocked_; }
  bool has_more_to_send() const { return hears() && !waiting_.empty(); }
  const OfiEndpoint& endpoint() const { return endpoint_; }
  OfiTurn& turn() { return turn_; }

 private:
  // False: more remains than one turn handles.
  bool read_queue(bool* any);
  void read_error();
  void done(OfiOperation* operation, size_t size);
  void heard_now();
  void got_packet(OfiOperation* packet, size_t size);
  void got_memory(uint64_t memory);
  bool read_more();
  bool read_piece(OfiReadList* list, const OfiKey& key);
  void read_piece_done(OfiOperation* operation);
  void end_list(OfiReadList* list, ChannelReadEnd end);
  bool reads_are_stuck() const;
  bool ask_for_keys();
  bool flush();
  bool post_places();
  bool post_pieces(std::deque<OfiTransfer*>* transfers);
  bool greet();
  bool probe();
  bool send_credit();
  bool send_answers();
  bool send_messages();
  bool send_packet(PacketHead head, const void* payload, size_t size);
  bool post(OfiOperation* operation, uint64_t tag);
  bool know(const void* whose, OfiBytes memory, void** desc);
  bool know_place(OfiTransfer* transfer);
  bool know_places(OfiReadList* list);
  void break_off(const std::string& why);

  OfiWorker& worker_;  // not to be used when closed, unless the helm states that it exists
  const std::shared_ptr<ProgressLock<OfiCommand>> helm_;
  ChannelUser* const user_;
  const OfiMemory& memory_;
  const OfiFabric* fabric_ = nullptr;
  const Ofi* ofi_ = nullptr;
  OfiEndpoint endpoint_;
  OfiTurn turn_;
  ChannelToken token_{};
  ChannelReads reads_ = ChannelReads::kNone;
  std::string provider_;
  std::string device_;
  std::vector<std::byte> address_;
  std::atomic<bool> asked_to_close_ = false;

  ChannelToken remote_token_{};
  fi_addr_t to_ = FI_ADDR_UNSPEC;
  OfiProtocol talk_;
  bool joined_ = false;
  // The side with the smaller token sends first, and the other side after it has received that.
  // Simultaneous first messages are the main source of trouble with connected providers.
  bool may_speak_ = false;
  bool greeted_ = false;
  bool heard_ = false;
  bool deaf_ = false;  // the user is notified of the end only
  bool closed_ = false;
  bool blocked_ = false;

  bool in_order_ = false;  // all data of a connection arrive in order, or were lost
  uint64_t sent_ = 0;      // packets and pieces
  uint64_t now_ = 0;       // time of the current drive()
  uint64_t excused_ = 0;   // the last time that this thread had not run for long
  uint64_t quiet_ = 0;     // since when nothing arrived
  uint32_t probes_ = 0;    // probes since then
  uint32_t owed_ = 0;      // packets that were read without returning their credit yet
  std::unique_ptr<std::byte[]> places_;
  std::vector<OfiOperation> in_;
  std::vector<OfiOperation*> idle_in_;
  struct OutPacket {
    OfiOperation operation;
    std::array<std::byte, kPacketBytes> bytes;
  };
  std::vector<std::unique_ptr<OutPacket>> out_;  // at most kPlaces
  std::vector<OfiOperation*> idle_out_;

  std::deque<std::unique_ptr<OfiTransfer>> waiting_;  // to be sent; the user limits their number
  std::unordered_map<OfiReadList*, std::unique_ptr<OfiReadList>> read_lists_;
  std::deque<OfiReadList*> to_read_;                    // reads that are not fully posted
  std::vector<std::unique_ptr<OfiOperation>> reading_;  // at most kMostReads
  std::vector<OfiOperation*> idle_reading_;
  uint64_t reading_bytes_ = 0;
  bool round_is_full_ = false;  // the round is full: no read is posted until all have ended
  uint64_t read_moved_ = 0;     // when the first read of a round was posted, or the last one ended
};

}  // namespace gls::net
