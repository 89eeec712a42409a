#include "system/peer_process.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gls {

int watch_peer_process(int socket, int64_t* pid) {
  ucred peer{};
  socklen_t size = sizeof peer;
  *pid = 0;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) {
    return -1;
  }
  *pid = peer.pid;
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0));
#else
  return -1;
#endif
}

bool is_own_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace gls
