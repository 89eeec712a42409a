#include "plugins/ofi/protocol.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gls::net {

void OfiProtocol::begin(const ChannelToken& token, uint64_t tag, uint64_t most_piece, bool in_order,
                        bool on_gpus) {
  token_ = token;
  next_tag_ = tag;
  piece_ = most_piece;
  in_order_ = in_order;
  on_gpus_ = on_gpus;
}

OfiHeard OfiProtocol::nonsense(std::string why) {
  why_ = std::move(why);
  return OfiHeard::kNonsense;
}

OfiHeard OfiProtocol::got(const void* packet, size_t size, PacketHead* head) {
  if (size < sizeof *head || size > kPacketBytes) {
    return OfiHeard::kStranger;
  }
  std::memcpy(head, packet, sizeof *head);
  if (head->token != token_) {
    return OfiHeard::kStranger;
  }
  if (in_order_ && head->number != came_) {
    return nonsense("the connection broke, and what was on its way is lost");
  }
  ++came_;
  size -= sizeof *head;
  if (head->credits > kPackets - credits_) {
    return nonsense("the other side gives back " + std::to_string(head->credits) +
                    " credits, expected " + std::to_string(kPackets - credits_) + " at most");
  }
  credits_ += head->credits;
  const auto kind = static_cast<PacketKind>(head->kind);
  if (kind == PacketKind::kMessage) {
    return got_message(*head, static_cast<const std::byte*>(packet) + sizeof *head, size);
  }
  if (size != 0) {
    return nonsense("a packet of the other side has bytes that belong to nothing");
  }
  switch (kind) {
    case PacketKind::kOffer:
      return got_offer(*head);
    case PacketKind::kGo:
      return got_go(*head);
    case PacketKind::kUnwanted:
      return got_unwanted(*head);
    case PacketKind::kMemory:
      return got_memory(*head);
    case PacketKind::kKey:
    case PacketKind::kNoKey:
      return got_key(*head);
    case PacketKind::kCredit:
      return OfiHeard::kGood;
    default:
      return nonsense("a packet of the other side is of kind " + std::to_string(head->kind));
  }
}

OfiHeard OfiProtocol::got_message(const PacketHead& head, const std::byte* payload, size_t size) {
  if (head.size != size) {
    return nonsense("a message of the other side has " + std::to_string(size) + " bytes and says " +
                    std::to_string(head.size));
  }
  ChannelPlace place;
  if (!user_->message(head.head.data(), size, &place)) {
    return OfiHeard::kOver;
  }
  if (place.token == nullptr) {
    return OfiHeard::kGood;
  }
  if (size > 0) {
    std::memcpy(place.data, payload, size);
  }
  user_->arrived(place.token);
  return OfiHeard::kGood;
}

OfiHeard OfiProtocol::got_offer(const PacketHead& head) {
  if (head.size <= kMostInPacket || head.size > SIZE_MAX / 2 || arriving_.contains(head.id)) {
    return nonsense("an offer of the other side makes no sense");
  }
  if (!has_room()) {
    return nonsense("the other side offers more than " + std::to_string(kMostOffers) +
                    " messages that were not answered");
  }
  ChannelPlace place;
  place.on_gpu = on_gpus_;
  if (!user_->message(head.head.data(), head.size, &place)) {
    return OfiHeard::kOver;
  }
  if (place.token == nullptr) {
    answers_.push_back({PacketKind::kUnwanted, head.id, 0});
    return OfiHeard::kGood;
  }
  auto transfer = std::make_unique<OfiTransfer>();
  transfer->owner = place.token;
  transfer->data = place.data;
  transfer->size = head.size;
  transfer->id = head.id;
  transfer->on_gpu = place.on_gpu;
  cut(transfer.get(), OfiOperation::kPieceIn);
  transfer->tag = next_tag_;
  next_tag_ += transfer->pieces.size();
  to_receive_.push_back(transfer.get());
  arriving_.emplace(head.id, std::move(transfer));
  return OfiHeard::kGood;
}

OfiHeard OfiProtocol::got_go(const PacketHead& head) {
  const auto found = offered_.find(head.id);
  if (found == offered_.end() || found->second->tag != 0) {
    return nonsense("the other side wants what was not offered");
  }
  OfiTransfer& transfer = *found->second;
  if (head.tag == kPacketTag || head.tag >> kTagBits != 0) {
    return nonsense("the other side wants pieces with tags that make no sense");
  }
  cut(&transfer, OfiOperation::kPieceOut);
  transfer.tag = head.tag;
  to_send_.push_back(&transfer);
  return OfiHeard::kGood;
}

OfiHeard OfiProtocol::got_unwanted(const PacketHead& head) {
  const auto found = offered_.find(head.id);
  if (found == offered_.end() || found->second->tag != 0) {
    return nonsense("the other side refuses what was not offered");
  }
  void* const owner = found->second->owner;
  offered_.erase(found);
  user_->given_back(owner);
  return OfiHeard::kGood;
}

OfiHeard OfiProtocol::got_memory(const PacketHead& head) {
  if (memory_.find(head.id).data() == nullptr) {
    return nonsense("the other side asks for memory that is not shared");
  }
  if (!has_room()) {
    return nonsense("the other side asks for more than " + std::to_string(kMostOffers) +
                    " keys at once");
  }
  return OfiHeard::kGood;
}

OfiHeard OfiProtocol::got_key(const PacketHead& head) {
  const auto found = keys_.find(head.id);
  if (found == keys_.end() || found->second.is_known || found->second.is_refused) {
    return nonsense("the other side gives a key that nobody asked for");
  }
  Key& key = found->second;
  key.is_refused = head.kind == static_cast<uint32_t>(PacketKind::kNoKey);
  key.is_known = !key.is_refused;
  key.of = {head.tag, head.size};
  return OfiHeard::kGood;
}

OfiProtocol::Key& OfiProtocol::key_of(uint64_t memory) {
  const auto [found, is_new] = keys_.try_emplace(memory);
  if (is_new) {
    to_ask_.push_back(memory);
  }
  return found->second;
}

std::vector<OfiReadList*> OfiProtocol::waiting(uint64_t memory) {
  return std::exchange(keys_.at(memory).waiting, {});
}

void OfiProtocol::offered(std::unique_ptr<OfiTransfer> message) {
  message->id = next_id_++;
  offered_.emplace(message->id, std::move(message));
}

void OfiProtocol::cut(OfiTransfer* transfer, OfiOperation::Kind kind) const {
  transfer->pieces.resize((transfer->size - 1) / piece_ + 1);
  size_t at = 0;
  for (OfiOperation& piece : transfer->pieces) {
    piece.kind = kind;
    piece.transfer = transfer;
    piece.data = static_cast<std::byte*>(transfer->data) + at;
    piece.size = std::min<size_t>(piece_, transfer->size - at);
    at += piece.size;
  }
}

void OfiProtocol::piece_done(OfiTransfer& transfer) {
  if (++transfer.done < transfer.pieces.size()) {
    return;
  }
  const bool incoming = transfer.pieces.front().kind == OfiOperation::kPieceIn;
  void* const owner = transfer.owner;
  (incoming ? arriving_ : offered_).erase(transfer.id);  // this destroys the transfer
  if (incoming) {
    user_->arrived(owner);
  } else {
    user_->given_back(owner);
  }
}

void OfiProtocol::end() {
  for (const auto& [id, transfer] : arriving_) {
    user_->failed(transfer->owner);
  }
  for (const auto& [id, transfer] : offered_) {
    user_->given_back(transfer->owner);
  }
  arriving_.clear();
  offered_.clear();
  to_receive_.clear();
  to_send_.clear();
}

}  // namespace gls::net
