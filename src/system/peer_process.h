// The process at the other end of a Unix-domain socket.
#pragma once

#include <cstdint>

namespace gls {

// A descriptor, the caller's, that becomes readable when the process is gone, also if children of
// it still hold the socket. -1 where the system cannot tell. `pid`: 0 where that is not known.
int watch_peer_process(int socket, int64_t* pid);

// Whether it is of the user that this process is of.
bool is_own_user(int socket);

}  // namespace gls
