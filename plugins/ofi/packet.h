// What two lanes say to each other, and how much of it at once.
//
// All goes by tagged messages. Those with the tag 0 are packets: small, for receives that are
// always posted. A packet is a message with its payload, or is about one that is too long for that:
// who has it offers it, and is told the tags of receives that wait for its pieces in the place
// where they belong, or that nobody wants it. Pieces have no head. Who reads memory of the other
// side asks for its key first.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "net/connection/data_channel.h"
#include "plugins/channels/token.h"

namespace gls::net {

static_assert(std::endian::native == std::endian::little, "packets are sent as they are in memory");

inline constexpr uint32_t kOfiWire = 1;  // of all in this file

inline constexpr size_t kPacketBytes = 16384;
// That may be on their way, or read and not yet said to be. Half of them are said at once.
inline constexpr uint32_t kPackets = 32;
// Those that say nothing else need no credit: each speaks for half of all, so that two are on their
// way at most; and there is a first one.
inline constexpr uint32_t kMostProbes = 4;  // packets of nothing, in case a connection broke
inline constexpr uint32_t kPlaces = kPackets + 3 + kMostProbes;
inline constexpr uint64_t kMostPiece = 8 << 20;
inline constexpr size_t kMostUnderWay = 256;  // of packets and pieces, in each direction
inline constexpr size_t kMostOffers = 256;    // that are not answered or not sent
inline constexpr size_t kMostReads = 128;     // pieces of memory; more is not quicker

inline constexpr uint64_t kPacketTag = 0;
// Tags of pieces begin at a random number, so that strangers do not know them.
inline constexpr unsigned kTagBits = 47;

enum class PacketKind : uint32_t {
  kMessage = 1,   // followed by its payload
  kOffer = 2,     // a message of `size` bytes, called `id`
  kGo = 3,        // the pieces of `id` are awaited with the tags from `tag` on
  kUnwanted = 4,  // `id` is to be forgotten
  kCredit = 5,    // nothing but credits
  kMemory = 6,    // the key of the memory `id` is wanted
  kKey = 7,       // it is `tag`; addresses are to be less by `size`
  kNoKey = 8,     // there is none, as libfabric does not register that memory
};

struct PacketHead {
  LaneToken token;
  uint32_t kind;
  uint32_t credits;  // so many packets of the other side have been read since
  uint64_t number;   // so many packets and pieces were sent before
  uint64_t id;
  uint64_t size;  // of the payload
  uint64_t tag;
  std::array<std::byte, kLaneHeadBytes> head;
};
static_assert(sizeof(PacketHead) == 80);

inline constexpr size_t kMostInPacket = kPacketBytes - sizeof(PacketHead);

}  // namespace gls::net
