#include "net/core/descriptors.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/checksum.h"
#include "system/file.h"

namespace gls::net {
namespace {

constexpr size_t kMostInPacket = 128;  // the system accepts 253
constexpr int kMostCallers = 8;        // connections not examined yet

struct Address {
  sockaddr_un socket{};
  socklen_t size = 0;
};

// A name in the abstract namespace begins with a zero byte, and is independent of the file system.
Address address_of(const InboxAddress& inbox) {
  constexpr std::string_view kPrefix = "gls-";
  constexpr std::string_view kDigits = "0123456789abcdef";
  Address out;
  out.socket.sun_family = AF_UNIX;
  char* at = out.socket.sun_path + 1;
  at = std::copy(kPrefix.begin(), kPrefix.end(), at);
  for (const uint8_t byte : inbox.place) {
    *at++ = kDigits[byte >> 4];
    *at++ = kDigits[byte & 15];
  }
  out.size = static_cast<socklen_t>(at - reinterpret_cast<char*>(&out.socket));
  return out;
}

FileDescriptor make_socket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Status system_error(const char* what) {
  return error(GLS_ERR_IO, "cannot {}: {}", what, std::strerror(errno));
}

// A packet: the secret, with files attached.
union Control {
  cmsghdr header;  // for its alignment
  std::byte bytes[CMSG_SPACE(sizeof(int) * kMostInPacket)];
};

Status send_packet(const FileDescriptor& socket, const InboxAddress& to,
                   std::span<const FileDescriptor> files) {
  auto secret = to.secret;
  iovec piece = {secret.data(), secret.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
  auto* at = CMSG_DATA(header);
  for (const FileDescriptor& file : files) {
    const int fd = file.get();
    std::memcpy(at, &fd, sizeof fd);
    at += sizeof fd;
  }
  if (::sendmsg(socket.get(), &message, MSG_NOSIGNAL) < 0) {
    return system_error("send open files");
  }
  return {};
}

// The files of the next packet; none if the sender does not know the secret.
std::vector<FileDescriptor> receive_packet(const FileDescriptor& socket,
                                           const InboxAddress& inbox) {
  std::array<uint8_t, 32> secret{};
  iovec piece = {secret.data(), secret.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
  std::vector<FileDescriptor> out;
  if (got < 0) {
    return out;
  }
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t bytes = header->cmsg_len - CMSG_LEN(0);
    for (size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + at, sizeof fd);
      out.emplace_back(fd);
    }
  }
  unsigned differing = 0;  // compares all bytes, to take the same time for any difference
  for (size_t i = 0; i < secret.size(); ++i) {
    differing |= static_cast<unsigned>(secret[i] ^ inbox.secret[i]);
  }
  if (static_cast<size_t>(got) != secret.size() || differing != 0 ||
      (message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0) {
    out.clear();
  }
  return out;
}

}  // namespace

Result<DescriptorInbox> DescriptorInbox::open() {
  DescriptorInbox out;
  std::array<uint8_t, 48> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return system_error("draw random bytes");
  }
  std::copy_n(random.begin(), out.address_.place.size(), out.address_.place.begin());
  std::copy(random.begin() + static_cast<ptrdiff_t>(out.address_.place.size()), random.end(),
            out.address_.secret.begin());
  out.listener_ = make_socket();
  const Address address = address_of(out.address_);
  if (out.listener_.get() < 0 ||
      ::bind(out.listener_.get(), reinterpret_cast<const sockaddr*>(&address.socket),
             address.size) != 0 ||
      ::listen(out.listener_.get(), kMostCallers) != 0) {
    return system_error("open a Unix socket");
  }
  return out;
}

Result<std::vector<FileDescriptor>> DescriptorInbox::take(size_t count) const {
  for (int i = 0; i < 2 * kMostCallers; ++i) {
    const FileDescriptor caller(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (caller.get() < 0) {
      break;
    }
    std::vector<FileDescriptor> out;
    while (out.size() < count) {
      std::vector<FileDescriptor> more = receive_packet(caller, address_);
      if (more.empty()) {
        break;
      }
      std::move(more.begin(), more.end(), std::back_inserter(out));
    }
    if (out.size() == count) {
      return out;
    }
  }
  return error(GLS_ERR_IO, "{} open files were not received", count);
}

Status send_descriptors(const InboxAddress& to, std::span<const FileDescriptor> files) {
  const FileDescriptor socket = make_socket();
  if (socket.get() < 0) {
    return system_error("make a Unix socket");
  }
  const Address address = address_of(to);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.socket), address.size) !=
      0) {
    return errno == ECONNREFUSED ? not_found("nobody waits for open files on this host")
                                 : system_error("connect to a Unix socket");
  }
  for (size_t at = 0; at < files.size(); at += kMostInPacket) {
    GLS_TRY(send_packet(socket, to, files.subspan(at, std::min(kMostInPacket, files.size() - at))));
  }
  return {};
}

uint64_t host_number() {
  const Result<std::string> boot = read_text_file("/proc/sys/kernel/random/boot_id", 64);
  struct stat name_space {};
  if (!boot.ok() || ::stat("/proc/self/ns/net", &name_space) != 0) {
    return 0;
  }
  const std::string both = formatted("{} {} {}", *boot, name_space.st_dev, name_space.st_ino);
  return hash64(std::as_bytes(std::span(both)));
}

}  // namespace gls::net
