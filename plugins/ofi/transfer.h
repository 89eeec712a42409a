// Messages on a channel, and the operations that libfabric runs for them. This file does not use
// libfabric, so the protocol can be tested without it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/connection/data_channel.h"

namespace gls::net {

struct OfiReadList;
struct OfiTransfer;

// An operation of libfabric: to send or receive a packet or a piece of a long message, or to read a
// piece of memory.
struct OfiOperation {
  enum Kind : uint8_t { kPacketIn, kPacketOut, kPieceIn, kPieceOut, kRead };

  // First, because libfabric returns its address; some providers write in it, as in fi_context2.
  std::array<void*, 8> context{};
  Kind kind = kPacketIn;
  bool counts = false;              // a packet that was read and used a credit
  OfiTransfer* transfer = nullptr;  // set for a piece of a message
  OfiReadList* list = nullptr;      // set for a read of memory
  void* data = nullptr;
  size_t size = 0;
  void* desc = nullptr;  // libfabric's descriptor of memory that must be registered
};

// A message of the channel's user: an outgoing one, or a long incoming one.
struct OfiTransfer {
  void* owner = nullptr;  // the user's message or token
  void* data = nullptr;
  size_t size = 0;
  std::array<std::byte, kChannelHeadBytes> head{};

  // Of a long message.
  bool on_gpu = false;    // the destination is GPU memory
  bool is_known = false;  // libfabric has registered that memory
  uint64_t id = 0;
  uint64_t tag = 0;  // of its first piece; 0: the other side has not sent it
  std::vector<OfiOperation> pieces;
  size_t posted = 0;
  size_t done = 0;
  bool is_last() const { return done + 1 == pieces.size(); }  // the next piece is the last one
};

}  // namespace gls::net
