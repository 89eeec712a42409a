// Messages that arrive on a lane, whole or in pieces. Nothing of UCX is here, so that it is tried
// without it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "net/connection/data_channel.h"
#include "plugins/channels/token.h"

namespace gls::net {

// Before each piece of a message; most messages are one.
struct PieceHead {
  LaneToken token;
  uint64_t number;  // of the message, among those of its lane
  uint64_t at;      // where in the message the piece begins
  uint64_t size;    // of the message
  uint64_t piece;   // bytes of each piece but the last
  std::array<std::byte, kLaneHeadBytes> head;
};
static_assert(sizeof(PieceHead) == 72);
static_assert(std::endian::native == std::endian::little, "heads are sent as they are in memory");

inline constexpr size_t kLeastPiece = 4096;  // that is taken of another

// Bytes of this piece, which begins within its message.
inline size_t piece_size(const PieceHead& head) {
  return std::min(head.piece, head.size - head.at);
}

// Whether `size` bytes with this head are all of their message.
inline bool is_whole(const PieceHead& head, size_t size) {
  return head.at == 0 && head.size == size;
}

enum class PieceTaken : uint8_t {
  kGood,
  kOver,       // the user is about to close
  kMisplaced,  // it is not where a piece can be
  kTwice,
};

// What it takes at once is bounded by the lane's user, who is asked where each message goes.
class ArrivingMessages {
 public:
  explicit ArrivingMessages(LaneUser* user) : user_(user) {}

  // Copies it to its place. Nothing is to be taken any more unless that was good.
  PieceTaken take(const PieceHead& head, const std::byte* data, size_t size);
  // What is not complete does not come any more.
  void fail();
  size_t incomplete() const { return messages_.size(); }

 private:
  // A message of which pieces have come.
  struct Message {
    void* token;  // null: nobody wants it
    std::byte* data;
    uint64_t size;
    uint64_t piece;
    uint64_t left;            // pieces
    std::vector<bool> there;  // by number of the piece
  };

  PieceTaken take_whole(const PieceHead& head, const std::byte* data, size_t size);

  LaneUser* const user_;
  std::unordered_map<uint64_t, Message> messages_;
};

}  // namespace gls::net
