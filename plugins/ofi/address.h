// The address of a channel: this struct, followed by the name of its endpoint from libfabric.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plugins/channels/token.h"

namespace gls::net {

inline constexpr size_t kMostEndpointName = 1024;

struct OfiAddress {
  ChannelToken token;
  uint32_t wire;
  uint32_t format;      // format of the name
  uint64_t most_piece;  // the longest message of its provider, at most kMostPiece
  std::array<char, 64> provider;
};
static_assert(sizeof(OfiAddress) == 96);

// Reads the address of the other side; `local` is the address of this side. Returns empty, or why
// the channels cannot connect.
std::string read_address(std::span<const std::byte> bytes, std::span<const std::byte> local,
                         OfiAddress* remote);

}  // namespace gls::net
