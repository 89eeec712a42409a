// Watches the process at the other end of a Unix-domain socket.
#pragma once

#include <cstdint>

namespace gls {

// A descriptor, owned by the caller, that becomes readable when the process has ended, even if its
// children still hold the socket. -1: the system cannot detect it. `pid`: 0 if it is unknown.
int watch_peer_process(int socket, int64_t* pid);

// Whether the process belongs to the same user as this one.
bool is_own_user(int socket);

}  // namespace gls
