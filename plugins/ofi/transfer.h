// Messages on a lane, and what libfabric is given of them. Nothing of libfabric is here, so that
// what the other side says of them is tried without it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/connection/data_channel.h"

namespace gls::net {

struct OfiReadList;
struct OfiTransfer;

// What libfabric was given: a packet or a piece of a long message, to send or to be written to, or
// a piece of memory to read.
struct OfiOperation {
  enum Kind : uint8_t { kPacketIn, kPacketOut, kPieceIn, kPieceOut, kRead };

  // First, as libfabric gives it back; some providers write in it, as in its fi_context2.
  std::array<void*, 8> context{};
  Kind kind = kPacketIn;
  bool counts = false;              // a packet that was read, and had a credit
  OfiTransfer* transfer = nullptr;  // of a piece
  OfiReadList* list = nullptr;      // of what is read
  void* data = nullptr;
  size_t size = 0;
  void* desc = nullptr;  // libfabric's, of memory that it wants to be registered
};

// A message of the lane's user: one that is to be sent, or a long one that arrives.
struct OfiTransfer {
  void* owner = nullptr;  // the message or the token, of the lane's user
  void* data = nullptr;
  size_t size = 0;
  std::array<std::byte, kLaneHeadBytes> head{};

  // Of a long one.
  bool on_gpu = false;    // where it arrives
  bool is_known = false;  // libfabric knows that memory
  uint64_t id = 0;
  uint64_t tag = 0;  // of its first piece; 0: the other side has not said
  std::vector<OfiOperation> pieces;
  size_t posted = 0;
  size_t done = 0;
  bool is_last() const { return done + 1 == pieces.size(); }  // the next one to be done
};

}  // namespace gls::net
