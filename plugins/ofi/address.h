// The address of a lane: this, and then the name of its endpoint as libfabric gives it.
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
  LaneToken token;
  uint32_t wire;
  uint32_t format;      // of the name
  uint64_t most_piece;  // the longest message that its provider takes, but not more than kMostPiece
  std::array<char, 64> provider;
};
static_assert(sizeof(OfiAddress) == 96);

// Reads the other side's. `here` is the own one. Empty, or why the lanes cannot meet.
std::string read_address(std::span<const std::byte> bytes, std::span<const std::byte> here,
                         OfiAddress* there);

}  // namespace gls::net
