#include "feed/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "system/peer_process.h"

namespace gls {
namespace {

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return invalid("path \"{}\" has {} bytes, expected 1 to {}", path, path.size(),
                   sizeof address.sun_path - 1)
        .with("argument", "path");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Fd make_socket() { return Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

// While one process checks whether another still listens, and replaces it, no third process may do
// the same. The lock is on the folder, so that no file remains. If another program holds the lock,
// this continues without it.
Fd lock_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  constexpr int kTries = 100;
  for (int i = 0; fd && i < kTries && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fd;
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) {
    ::close(std::exchange(fd_, -1));
  }
}

std::string packed(const Message& message, std::string_view text) {
  std::string out(reinterpret_cast<const char*>(&message), sizeof message);
  out.append(text.substr(0, kMostText));
  return out;
}

Sent send_packed(int socket, std::string_view packed, int fd) {
  iovec part{const_cast<char*>(packed.data()), packed.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd >= 0) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  for (;;) {
    if (::sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
      return Sent::kDone;
    }
    if (errno != EINTR) {
      return errno == EAGAIN || errno == ENOBUFS ? Sent::kFull : Sent::kGone;
    }
  }
}

Received receive(int socket) {
  Received out;
  alignas(Message) std::array<char, sizeof(Message) + kMostText> bytes;
  iovec part{bytes.data(), bytes.size()};
  // Room for one more descriptor than expected, because a truncated message could not be detected
  // otherwise.
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t count = 0;
  bool reset = false;
  for (;;) {
    count = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count >= 0 || (errno != EINTR && (errno != ECONNRESET || reset))) {
      break;
    }
    // Reported once if the other side ended without reading everything; messages that it sent
    // earlier come after that.
    reset = reset || errno == ECONNRESET;
  }
  if (count < 0) {
    out.what = errno == EAGAIN ? Received::What::kNothing : Received::What::kGone;
    return out;
  }
  bool damaged = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&header); part_of != nullptr;
       part_of = CMSG_NXTHDR(&header, part_of)) {
    if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t fds = (part_of->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < fds; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part_of) + i * sizeof fd, sizeof fd);
      damaged = damaged || static_cast<bool>(out.fd);
      out.fd = Fd(fd);
    }
  }
  if (count == 0) {
    out.what = Received::What::kGone;
    return out;
  }
  if (static_cast<size_t>(count) >= sizeof(Message)) {
    std::memcpy(static_cast<void*>(&out.message), bytes.data(), sizeof(Message));
    out.text.assign(bytes.data() + sizeof(Message), static_cast<size_t>(count) - sizeof(Message));
  }
  damaged =
      damaged || static_cast<size_t>(count) < sizeof(Message) || out.message.magic != kFeedMagic;
  out.what = damaged ? Received::What::kDamaged : Received::What::kMessage;
  return out;
}

std::string pack_error(const Status& status) {
  // Long text is cut, so that the details still fit.
  std::string out = status.message().substr(0, kMostText / 2);
  for (size_t i = 0; const std::string* key = status.detail_key(i); ++i) {
    const std::string more = std::string(1, '\0') + *key + std::string(1, '\0') +
                             status.detail(*key)->substr(0, kMostText / 8);
    if (out.size() + more.size() <= kMostText) {
      out += more;
    }
  }
  return out;
}

Status unpack_error(uint64_t code, std::string_view text) {
  const auto take = [&text] {
    const size_t end = text.find('\0');
    std::string part(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
  };
  const auto signed_code = static_cast<int64_t>(code);
  const bool known = signed_code < 0 && signed_code >= GLS_ERR_INTERNAL;
  Status out(known ? static_cast<gls_status_t>(signed_code) : GLS_ERR_INTERNAL, take());
  while (!text.empty()) {
    std::string key = take();
    std::string value = take();
    out = std::move(out).with(std::move(key), std::move(value));
  }
  return out;
}

Result<Listener> Listener::open(const std::string& path, uint32_t mode) {
  GLS_ASSIGN(const sockaddr_un address, address_of(path));
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  Listener out;
  out.path = path;
  out.socket = make_socket();
  if (!out.socket) {
    return io_error("cannot make a socket", path, errno);
  }
  // The file gets the mode of its socket, so other users can connect at no moment.
  if (::fchmod(out.socket.get(), mode) != 0) {
    return io_error("cannot set the mode of", path, errno);
  }
  const Fd lock = lock_folder(path);
  if (::bind(out.socket.get(), name, sizeof address) != 0) {
    if (errno != EADDRINUSE) {
      return io_error("cannot make the socket", path, errno);
    }
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && !S_ISSOCK(info.st_mode)) {
      return error(GLS_ERR_ALREADY_EXISTS, "{} is there, but is no socket: it is not replaced",
                   path)
          .with("file", path);
    }
    GLS_ASSIGN(std::optional<Fd> other, connect_to(path));
    if (other.has_value()) {
      return error(GLS_ERR_ALREADY_EXISTS, "another feed serves at {}", path).with("file", path);
    }
    // No process listens: the process that created the file was killed.
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return io_error("cannot remove the old socket", path, errno);
    }
    if (::bind(out.socket.get(), name, sizeof address) != 0) {
      return io_error("cannot make the socket", path, errno);
    }
  }
  struct stat made {};
  if (::listen(out.socket.get(), SOMAXCONN) != 0 || ::lstat(path.c_str(), &made) != 0) {
    const int why = errno;
    ::unlink(path.c_str());
    return io_error("cannot listen at", path, why);
  }
  out.device = made.st_dev;
  out.inode = made.st_ino;
  return out;
}

void Listener::close() {
  if (!socket) {
    return;
  }
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && info.st_dev == device && info.st_ino == inode) {
    ::unlink(path.c_str());
  }
  socket.reset();
}

Result<std::optional<Fd>> connect_to(const std::string& path) {
  GLS_ASSIGN(const sockaddr_un address, address_of(path));
  Fd fd = make_socket();
  if (!fd) {
    return io_error("cannot make a socket", path, errno);
  }
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return std::optional(std::move(fd));
  }
  // EAGAIN: the queue of connections is full.
  if (errno == ENOENT || errno == ECONNREFUSED || errno == EAGAIN) {
    if (errno == EAGAIN) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::optional<Fd>();
  }
  return io_error("cannot connect to", path, errno);
}

Fd watch_peer(int socket, int64_t* pid) { return Fd(watch_peer_process(socket, pid)); }

Fd make_event() { return Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

void signal_event(int fd) {
  const uint64_t one = 1;
  static_cast<void>(::write(fd, &one, sizeof one) != 0);
}

void clear_event(int fd) {
  uint64_t count = 0;
  static_cast<void>(::read(fd, &count, sizeof count) != 0);
}

}  // namespace gls
