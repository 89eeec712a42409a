// Assembles messages that arrive on a data channel, whole or in pieces. This file does not use UCX,
// so it can be tested without it.
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

// Precedes each piece of a message; most messages are one piece.
struct PieceHead {
  ChannelToken token;
  uint64_t number;  // of the message in its channel
  uint64_t at;      // offset of the piece in the message
  uint64_t size;    // of the message
  uint64_t piece;   // bytes of each piece but the last
  std::array<std::byte, kChannelHeadBytes> head;
};
static_assert(sizeof(PieceHead) == 72);
static_assert(std::endian::native == std::endian::little, "heads are sent as they are in memory");

inline constexpr size_t kLeastPiece = 4096;  // smallest that the receiver accepts

// Bytes of this piece, whose offset is within its message.
inline size_t piece_size(const PieceHead& head) {
  return std::min(head.piece, head.size - head.at);
}

// Whether `size` bytes with this head are the whole message.
inline bool is_whole(const PieceHead& head, size_t size) {
  return head.at == 0 && head.size == size;
}

enum class PieceTaken : uint8_t {
  kGood,
  kOver,       // the user is about to close
  kMisplaced,  // its offset is impossible
  kTwice,
};

// The channel's user chooses the destination of each message, and thereby limits their number.
class Reassembly {
 public:
  explicit Reassembly(ChannelUser* user) : user_(user) {}

  // Copies the piece to its destination. After an error, take() must not be called again.
  PieceTaken take(const PieceHead& head, const std::byte* data, size_t size);
  // Incomplete messages will not arrive.
  void fail();
  size_t incomplete() const { return messages_.size(); }

 private:
  // A message with some of its pieces.
  struct Message {
    void* token;  // null: the message is not wanted
    std::byte* data;
    uint64_t size;
    uint64_t piece;
    uint64_t left;              // pieces
    std::vector<bool> arrived;  // by number of the piece
  };

  PieceTaken take_whole(const PieceHead& head, const std::byte* data, size_t size);

  ChannelUser* const user_;
  std::unordered_map<uint64_t, Message> messages_;
};

}  // namespace gls::net
