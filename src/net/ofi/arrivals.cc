// What arrives on a lane, and what libfabric says of what it was given.
#include <algorithm>
#include <cstring>
#include <utility>

#include "net/ofi/ofi_lane.h"

namespace gls::net {
namespace {

constexpr int kMostRounds = 8;  // before other lanes have their turn
constexpr size_t kAtOnce = 16;

}  // namespace

bool OfiLane::read_queue(bool* any) {
  std::array<fi_cq_msg_entry, kAtOnce> entries;
  for (int i = 0; i < kMostRounds && !deaf_; ++i) {
    const ssize_t count = fi_cq_read(endpoint_.cq(), entries.data(), entries.size());
    if (count == -FI_EAGAIN || count == 0) {
      return true;
    }
    *any = true;
    if (count == -FI_EAVAIL) {
      read_error();
    } else if (count < 0) {
      break_off(said(*ofi_, count));
    }
    for (ssize_t k = 0; k < count; ++k) {
      const fi_cq_msg_entry& entry = entries[static_cast<size_t>(k)];
      if (entry.op_context == nullptr) {
        continue;  // somebody else's write, of nothing: it needs no key, and is told all the same
      }
      done(static_cast<OfiOperation*>(entry.op_context), entry.len);
    }
  }
  return deaf_;
}

// Whatever failed: what one side waits for does not come any more.
void OfiLane::read_error() {
  fi_cq_err_entry entry{};
  const ssize_t count = fi_cq_readerr(endpoint_.cq(), &entry, 0);
  if (count == 1) {
    break_off(said(*ofi_, entry.err));
  } else if (count != -FI_EAGAIN) {
    break_off(said(*ofi_, count));
  }
}

void OfiLane::done(OfiOperation* operation, size_t size) {
  switch (operation->kind) {
    case OfiOperation::kPacketIn:
      if (!deaf_) {
        got_packet(operation, size);
      }
      idle_in_.push_back(operation);
      break;
    case OfiOperation::kPacketOut:
      idle_out_.push_back(operation);
      break;
    case OfiOperation::kPieceIn:
      if (size != operation->size) {
        break_off("a piece of a message is too short");
        break;
      }
      heard_now();
      piece_done(*operation->transfer);
      break;
    case OfiOperation::kPieceOut:
      piece_done(*operation->transfer);
      break;
    case OfiOperation::kRead:
      read_piece_done(operation);
      break;
  }
}

void OfiLane::heard_now() {
  heard_ = true;
  ++came_;
  quiet_ = now_;
  probes_ = 0;
}

void OfiLane::piece_done(OfiTransfer& transfer) {
  if (++transfer.done < transfer.pieces.size()) {
    return;
  }
  const bool came = transfer.pieces.front().kind == OfiOperation::kPieceIn;
  void* const owner = transfer.owner;
  (came ? arriving_ : offered_).erase(transfer.id);  // and with it the transfer
  if (came) {
    user_->arrived(owner);
  } else {
    user_->given_back(owner);
  }
}

void OfiLane::got_packet(OfiOperation* packet, size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(packet->data);
  PacketHead head;
  if (size < sizeof head || size > packet->size) {
    return;  // a stranger's
  }
  std::memcpy(&head, bytes, sizeof head);
  if (head.token != token_) {
    return;
  }
  if (in_order_ && head.number != came_) {
    break_off("the connection broke, and what was on its way is lost");
    return;
  }
  heard_now();
  if (!std::exchange(may_speak_, true)) {
    greeted_ = true;
  }
  const auto kind = static_cast<PacketKind>(head.kind);
  packet->counts = kind != PacketKind::kCredit;
  size -= sizeof head;
  if (head.credits > kPackets - credits_) {
    break_off("the other side gives back " + std::to_string(head.credits) + " credits, expected " +
              std::to_string(kPackets - credits_) + " at most");
    return;
  }
  credits_ += head.credits;
  if (kind == PacketKind::kMessage) {
    got_message(head, bytes + sizeof head, size);
    return;
  }
  if (size != 0) {
    break_off("a packet of the other side has bytes that belong to nothing");
    return;
  }
  switch (kind) {
    case PacketKind::kOffer:
      got_offer(head);
      break;
    case PacketKind::kGo:
      got_go(head);
      break;
    case PacketKind::kUnwanted:
      got_unwanted(head);
      break;
    case PacketKind::kMemory:
      got_memory(head);
      break;
    case PacketKind::kKey:
    case PacketKind::kNoKey:
      got_key(head);
      break;
    case PacketKind::kCredit:
      break;
    default:
      break_off("a packet of the other side is of kind " + std::to_string(head.kind));
      break;
  }
}

void OfiLane::got_message(const PacketHead& head, const std::byte* payload, size_t size) {
  if (head.size != size) {
    break_off("a message of the other side has " + std::to_string(size) + " bytes and says " +
              std::to_string(head.size));
    return;
  }
  LanePlace place;
  if (!user_->message(head.head.data(), size, &place)) {
    deaf_ = true;
    return;
  }
  if (place.token == nullptr) {
    return;
  }
  if (size > 0) {
    std::memcpy(place.data, payload, size);
  }
  user_->arrived(place.token);
}

void OfiLane::got_offer(const PacketHead& head) {
  if (head.size <= kMostInPacket || head.size > SIZE_MAX / 2 || arriving_.contains(head.id)) {
    break_off("an offer of the other side makes no sense");
    return;
  }
  if (answers_.size() + to_post_in_.size() >= kMostOffers) {
    break_off("the other side offers more than " + std::to_string(kMostOffers) +
              " messages that were not answered");
    return;
  }
  LanePlace place;
  if (!user_->message(head.head.data(), head.size, &place)) {
    deaf_ = true;
    return;
  }
  if (place.token == nullptr) {
    answers_.push_back({PacketKind::kUnwanted, head.id, 0});
    return;
  }
  auto transfer = std::make_unique<OfiTransfer>();
  transfer->owner = place.token;
  transfer->data = place.data;
  transfer->size = head.size;
  transfer->id = head.id;
  cut(transfer.get(), OfiOperation::kPieceIn);
  transfer->tag = next_tag_;
  next_tag_ += transfer->pieces.size();
  to_post_in_.push_back(transfer.get());
  arriving_.emplace(head.id, std::move(transfer));
}

void OfiLane::got_go(const PacketHead& head) {
  const auto found = offered_.find(head.id);
  if (found == offered_.end() || found->second->tag != 0) {
    break_off("the other side wants what was not offered");
    return;
  }
  OfiTransfer& transfer = *found->second;
  cut(&transfer, OfiOperation::kPieceOut);
  if (head.tag == kPacketTag || head.tag >> kTagBits != 0) {
    break_off("the other side wants pieces with tags that make no sense");
    return;
  }
  transfer.tag = head.tag;
  to_post_out_.push_back(&transfer);
}

void OfiLane::got_unwanted(const PacketHead& head) {
  const auto found = offered_.find(head.id);
  if (found == offered_.end() || found->second->tag != 0) {
    break_off("the other side refuses what was not offered");
    return;
  }
  void* const owner = found->second->owner;
  offered_.erase(found);
  user_->given_back(owner);
}

}  // namespace gls::net
