// One lane: an endpoint of libfabric, and all that libfabric was given for it. All but what Lane
// offers is for whoever drives the worker.
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

// What was asked of OfiLane::read().
struct OfiReadList {
  uint64_t memory = 0;  // its number at the other side
  const LaneRead* reads = nullptr;
  size_t count = 0;
  void* owner = nullptr;
  size_t next = 0;       // to be given to libfabric,
  uint64_t at = 0;       // from here on
  size_t under_way = 0;  // that it has
  bool all_given = false;
  bool on_gpu = false;    // the places are
  bool is_known = false;  // libfabric knows that memory
  void* desc = nullptr;   // by this
};

// When a worker looks at a lane; the worker's.
struct OfiTurn {
  uint64_t due = 0;
  uint64_t active = 0;  // when there was something to do
  bool wakes = false;   // its queue wakes who waits
};

class OfiLane final : public Lane {
 public:
  OfiLane(OfiWorker& worker, LaneUser* user, const OfiMemory& memory);

  // Empty, or what went wrong. Any thread.
  std::string open(const OfiFabric& fabric);

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

  void do_join(const std::vector<std::byte>& address);
  void do_send(std::unique_ptr<OfiTransfer> message);
  void do_read(std::unique_ptr<OfiReadList> list);
  // Reads what is there and sends what it can. False: there was nothing to do.
  bool drive(uint64_t now);
  // Closes the endpoint, gives everything back and says so; it may be gone then.
  void finish();

  bool hears() const { return joined_ && !deaf_ && !closed_; }
  // libfabric has something to do for it, or took something not. It does not always wake who waits
  // for that.
  bool has_work() const {
    return is_held_up() || !read_lists_.empty() || !waiting_.empty() || talk_.has_transfers() ||
           idle_out_.size() < out_.size();
  }
  // Something was not taken, or it is not known yet whether it was.
  bool is_held_up() const { return !heard_ || blocked_; }
  bool has_more_to_send() const { return hears() && !waiting_.empty(); }
  const OfiEndpoint& endpoint() const { return endpoint_; }
  OfiTurn& turn() { return turn_; }

 private:
  // False: there is more than one turn takes.
  bool read_queue(bool* any);
  void read_error();
  void done(OfiOperation* operation, size_t size);
  void heard_now();
  void got_packet(OfiOperation* packet, size_t size);
  void got_memory(uint64_t memory);
  bool read_more();
  bool read_piece(OfiReadList* list, const OfiKey& key);
  void read_piece_done(OfiOperation* operation);
  void end_list(OfiReadList* list, LaneReadEnd end);
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

  OfiWorker& worker_;  // not to be used when closed, unless the helm says that it is there
  const std::shared_ptr<Helm<OfiCommand>> helm_;
  LaneUser* const user_;
  const OfiMemory& memory_;
  const OfiFabric* fabric_ = nullptr;
  const Ofi* ofi_ = nullptr;
  OfiEndpoint endpoint_;
  OfiTurn turn_;
  LaneToken token_{};
  LaneReads reads_ = LaneReads::kNone;
  std::string provider_;
  std::string device_;
  std::vector<std::byte> address_;
  std::atomic<bool> asked_to_close_ = false;

  LaneToken there_{};
  fi_addr_t to_ = FI_ADDR_UNSPEC;
  OfiDialogue talk_;
  bool joined_ = false;
  // Whose token is smaller speaks first, and the other side when it has heard that: providers that
  // connect have most trouble when both sides do so at once.
  bool may_speak_ = false;
  bool greeted_ = false;
  bool heard_ = false;
  bool deaf_ = false;  // its user hears of its end alone
  bool closed_ = false;
  bool blocked_ = false;

  bool in_order_ = false;  // all of a connection arrives in order, or was lost
  uint64_t sent_ = 0;      // packets and pieces
  uint64_t now_ = 0;       // of drive()
  uint64_t excused_ = 0;   // when this thread had last not run for long
  uint64_t quiet_ = 0;     // since when nothing came
  uint32_t probes_ = 0;    // since then
  uint32_t owed_ = 0;      // that were read, and not yet said to be
  std::unique_ptr<std::byte[]> places_;
  std::vector<OfiOperation> in_;
  std::vector<OfiOperation*> idle_in_;
  struct OutPacket {
    OfiOperation operation;
    std::array<std::byte, kPacketBytes> bytes;
  };
  std::vector<std::unique_ptr<OutPacket>> out_;  // at most kPlaces
  std::vector<OfiOperation*> idle_out_;

  std::deque<std::unique_ptr<OfiTransfer>> waiting_;  // to be sent; bounded by the lane's user
  std::unordered_map<OfiReadList*, std::unique_ptr<OfiReadList>> read_lists_;
  std::deque<OfiReadList*> to_read_;                    // of which libfabric has not got everything
  std::vector<std::unique_ptr<OfiOperation>> reading_;  // at most kMostReads
  std::vector<OfiOperation*> idle_reading_;
  uint64_t reading_bytes_ = 0;
  bool round_is_full_ = false;  // the round is full: none is begun until all have ended
  uint64_t read_moved_ = 0;     // when the first of a round began, or one ended
};

}  // namespace gls::net
