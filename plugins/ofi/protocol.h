// The protocol state machine of a channel: it decodes packets, validates them against the state,
// and decides the reply. It does not use libfabric, so it can be tested without it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/connection/data_channel.h"
#include "plugins/ofi/memory.h"
#include "plugins/ofi/packet.h"
#include "plugins/ofi/transfer.h"

namespace gls::net {

enum class OfiHeard : uint8_t {
  kStranger,  // it does not belong to this channel, and is ignored
  kGood,
  kOver,      // the user is about to close
  kNonsense,  // invalid; why() describes the error
};

class OfiProtocol {
 public:
  // Packets that reply to another packet, and wait to be sent.
  struct Answer {
    PacketKind kind;
    uint64_t id;
    uint64_t tag;
    uint64_t size = 0;
  };
  // The key of memory of the other side.
  struct Key {
    bool is_known = false;
    bool is_refused = false;
    OfiKey of{};
    std::vector<OfiReadList*> waiting;  // reads that wait for the key
  };

  OfiProtocol(ChannelUser* user, const OfiMemory& memory) : user_(user), memory_(memory) {}

  // `token` begins packets to this side, and `tag` is the tag of the first piece. `in_order`: all
  // data of a connection arrive in order, or were lost. `on_gpus`: pieces may go to GPU memory.
  void begin(const ChannelToken& token, uint64_t tag, uint64_t most_piece, bool in_order,
             bool on_gpus = false);
  void join(uint64_t most_piece) { piece_ = std::min(piece_, most_piece); }
  uint64_t piece() const { return piece_; }  // the longest that both sides accept

  // ---- receiving ----

  // Handles a packet. The caller does what needs libfabric. kMemory needs an answer() with the key
  // of the existing memory head->id. kKey and kNoKey end the waiting() of head->id.
  OfiHeard got(const void* packet, size_t size, PacketHead* head);
  const std::string& why() const { return why_; }
  void piece_came() { ++came_; }
  // A piece arrived or was sent. The transfer is destroyed after the last one.
  void piece_done(OfiTransfer& transfer);
  // Nothing of any message is read or written any more.
  void end();

  // ---- sending ----

  bool has_transfers() const { return !offered_.empty() || !arriving_.empty(); }
  bool has_credit() const { return credits_ > 0; }
  void use_credit() { --credits_; }
  uint32_t credits() const { return credits_; }

  bool may_offer() const { return offered_.size() < kMostOffers; }
  uint64_t next_id() const { return next_id_; }
  void offered(std::unique_ptr<OfiTransfer> message);

  // Transfers whose pieces wait for room in libfabric.
  std::deque<OfiTransfer*>& to_receive() { return to_receive_; }
  std::deque<OfiTransfer*>& to_send() { return to_send_; }
  // All receives for this transfer are posted.
  void tell(const OfiTransfer& transfer) {
    answers_.push_back({PacketKind::kGo, transfer.id, transfer.tag});
  }
  void answer(const Answer& answer) { answers_.push_back(answer); }
  std::deque<Answer>& answers() { return answers_; }

  // Requests the key at its first use.
  Key& key_of(uint64_t memory);
  std::deque<uint64_t>& to_ask() { return to_ask_; }
  std::vector<OfiReadList*> waiting(uint64_t memory);

 private:
  using Transfers = std::unordered_map<uint64_t, std::unique_ptr<OfiTransfer>>;

  OfiHeard nonsense(std::string why);
  bool has_room() const { return answers_.size() + to_receive_.size() < kMostOffers; }
  OfiHeard got_message(const PacketHead& head, const std::byte* payload, size_t size);
  OfiHeard got_offer(const PacketHead& head);
  OfiHeard got_go(const PacketHead& head);
  OfiHeard got_unwanted(const PacketHead& head);
  OfiHeard got_memory(const PacketHead& head);
  OfiHeard got_key(const PacketHead& head);
  void cut(OfiTransfer* transfer, OfiOperation::Kind kind) const;

  ChannelUser* const user_;
  const OfiMemory& memory_;
  ChannelToken token_{};
  bool in_order_ = false;
  bool on_gpus_ = false;
  std::string why_;

  uint64_t came_ = 0;            // packets and pieces
  uint32_t credits_ = kPackets;  // packets that the other side has room for
  uint64_t piece_ = 0;
  uint64_t next_id_ = 1;
  uint64_t next_tag_ = 0;

  std::deque<Answer> answers_;  // with to_receive_, at most kMostOffers
  Transfers offered_;           // at most kMostOffers
  Transfers arriving_;          // the user limits their number
  std::deque<OfiTransfer*> to_receive_;
  std::deque<OfiTransfer*> to_send_;
  std::unordered_map<uint64_t, Key> keys_;  // by the number of the memory
  std::deque<uint64_t> to_ask_;             // numbers of memory whose keys must be requested
};

}  // namespace gls::net
