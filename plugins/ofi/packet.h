// The packets that two channels exchange, and their limits.
//
// All data travel as tagged messages. Those with tag 0 are packets: small, for receives that are
// always posted. A packet is a whole message with its payload, or announces a message that is too
// long for a packet. The sender offers a long message. The receiver replies with the tags of the
// posted receives for its pieces, or that it does not want the message. Pieces have no head. A side
// that reads memory of the other side requests its key first.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "net/connection/data_channel.h"
#include "plugins/channels/token.h"

namespace gls::net {

static_assert(std::endian::native == std::endian::little, "packets are sent as they are in memory");

inline constexpr uint32_t kOfiWire = 1;  // version of everything in this file

inline constexpr size_t kPacketBytes = 16384;
// Packets in flight, or read with their credit not returned yet. Credits are returned for half of
// them at once.
inline constexpr uint32_t kPackets = 32;
// Packets that carry only credits need none. Each returns half of all credits, so at most two are
// in flight, in addition to the first one.
inline constexpr uint32_t kMostProbes = 4;  // empty packets, sent in case a connection broke
inline constexpr uint32_t kPlaces = kPackets + 3 + kMostProbes;
inline constexpr uint64_t kMostPiece = 8 << 20;
inline constexpr size_t kMostUnderWay = 256;  // packets and pieces, in each direction
inline constexpr size_t kMostOffers = 256;    // without a reply, or not sent
inline constexpr size_t kMostReads = 128;     // pieces of memory; more is not faster

inline constexpr uint64_t kPacketTag = 0;
// Tags of pieces begin at a random number, so that other processes cannot guess them.
inline constexpr unsigned kTagBits = 47;

enum class PacketKind : uint32_t {
  kMessage = 1,   // followed by its payload
  kOffer = 2,     // offers a message of `size` bytes, named `id`
  kGo = 3,        // the pieces of `id` are expected with the tags from `tag` on
  kUnwanted = 4,  // `id` is not wanted
  kCredit = 5,    // returns credits only
  kMemory = 6,    // requests the key of the memory `id`
  kKey = 7,       // the key is `tag`; subtract `size` from addresses
  kNoKey = 8,     // no key exists, because libfabric does not register that memory
};

struct PacketHead {
  ChannelToken token;
  uint32_t kind;
  uint32_t credits;  // packets of the other side that were read since the last packet
  uint64_t number;   // packets and pieces that were sent before
  uint64_t id;
  uint64_t size;  // of the payload
  uint64_t tag;
  std::array<std::byte, kChannelHeadBytes> head;
};
static_assert(sizeof(PacketHead) == 80);

inline constexpr size_t kMostInPacket = kPacketBytes - sizeof(PacketHead);

}  // namespace gls::net
