#include "plugins/ucx/reassembly.h"

#include <cstring>

namespace gls::net {

// Each piece can start its message, since pieces may overtake each other.
PieceTaken Reassembly::take(const PieceHead& head, const std::byte* data, size_t size) {
  if (is_whole(head, size)) {
    return take_whole(head, data, size);
  }
  const bool sound = head.piece >= kLeastPiece && head.at < head.size &&
                     head.at % head.piece == 0 && size == piece_size(head);
  auto found = messages_.find(head.number);
  if (!sound || (found != messages_.end() &&
                 (found->second.size != head.size || found->second.piece != head.piece))) {
    return PieceTaken::kMisplaced;
  }
  if (found == messages_.end()) {
    ChannelPlace place;
    if (!user_->message(head.head.data(), head.size, &place)) {
      return PieceTaken::kOver;
    }
    const uint64_t pieces = (head.size - 1) / head.piece + 1;
    found =
        messages_
            .emplace(head.number, Message{place.token, static_cast<std::byte*>(place.data),
                                          head.size, head.piece, pieces, std::vector<bool>(pieces)})
            .first;
  }
  Message& message = found->second;
  std::vector<bool>::reference arrived = message.arrived[head.at / head.piece];
  if (arrived) {
    return PieceTaken::kTwice;
  }
  arrived = true;
  void* const token = message.token;
  if (token != nullptr) {
    std::memcpy(message.data + head.at, data, size);
  }
  if (--message.left > 0) {
    return PieceTaken::kGood;
  }
  messages_.erase(found);
  if (token != nullptr) {
    user_->arrived(token);
  }
  return PieceTaken::kGood;
}

PieceTaken Reassembly::take_whole(const PieceHead& head, const std::byte* data, size_t size) {
  ChannelPlace place;
  if (!user_->message(head.head.data(), size, &place)) {
    return PieceTaken::kOver;
  }
  if (place.token == nullptr) {
    return PieceTaken::kGood;
  }
  if (size > 0) {
    std::memcpy(place.data, data, size);
  }
  user_->arrived(place.token);
  return PieceTaken::kGood;
}

void Reassembly::fail() {
  for (const auto& [number, message] : messages_) {
    if (message.token != nullptr) {
      user_->failed(message.token);
    }
  }
  messages_.clear();
}

}  // namespace gls::net
