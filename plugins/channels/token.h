// A random token that precedes each message of a data channel. It is sent only over the protected
// connection, so other processes cannot send to the channel.
#pragma once

#include <sys/random.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gls::net {

using ChannelToken = std::array<uint64_t, 2>;

// False: the system provides no random bytes.
inline bool make_random(ChannelToken* token) {
  return getrandom(token->data(), sizeof *token, 0) == static_cast<ssize_t>(sizeof *token);
}

// The address of a channel begins with its token. Returns the rest; empty: the address is too
// short.
inline std::span<const std::byte> after_token(std::span<const std::byte> address,
                                              ChannelToken* token) {
  if (address.size() <= sizeof *token) {
    return {};
  }
  std::memcpy(token, address.data(), sizeof *token);
  return address.subspan(sizeof *token);
}

}  // namespace gls::net
