// What is before each message of a lane: random, and told on the protected connection alone. Who
// does not know it reaches nobody.
#pragma once

#include <sys/random.h>

#include <array>
#include <cstdint>

namespace gls::net {

using LaneToken = std::array<uint64_t, 2>;

// False: the system gives no random bytes.
inline bool make_random(LaneToken* token) {
  return getrandom(token->data(), sizeof *token, 0) == static_cast<ssize_t>(sizeof *token);
}

}  // namespace gls::net
