// What is before each message of a lane: random, and told on the protected connection alone. Who
// does not know it reaches nobody.
#pragma once

#include <sys/random.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gls::net {

using LaneToken = std::array<uint64_t, 2>;

// False: the system gives no random bytes.
inline bool make_random(LaneToken* token) {
  return getrandom(token->data(), sizeof *token, 0) == static_cast<ssize_t>(sizeof *token);
}

// An address of a lane begins with its token. What follows; empty: it is too short.
inline std::span<const std::byte> after_token(std::span<const std::byte> address,
                                              LaneToken* token) {
  if (address.size() <= sizeof *token) {
    return {};
  }
  std::memcpy(token, address.data(), sizeof *token);
  return address.subspan(sizeof *token);
}

}  // namespace gls::net
