// Blocking sockets over loopback that do the least that could be done: what networks are compared
// with.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace gls::bench {

// How long a cache line takes from one core to the other and back: everything between two threads
// changes with it.
inline double core_to_core_ns() {
  constexpr int kTrips = 200000;
  alignas(64) static std::atomic<int> turn;
  turn = 0;
  std::thread other([] {
    for (int i = 0; i < kTrips; ++i) {
      while (turn.load(std::memory_order_acquire) != 2 * i + 1) {
      }
      turn.store(2 * i + 2, std::memory_order_release);
    }
  });
  const uint64_t begin = now_ns();
  for (int i = 0; i < kTrips; ++i) {
    turn.store(2 * i + 1, std::memory_order_release);
    while (turn.load(std::memory_order_acquire) != 2 * i + 2) {
    }
  }
  const uint64_t end = now_ns();
  other.join();
  return static_cast<double>(end - begin) / kTrips;
}

class Sockets {
 public:
  using Bytes = std::span<const std::byte>;
  // Gives the reply; runs on the thread of the server.
  using Serve = std::function<Bytes(Bytes request)>;

  explicit Sockets(Serve serve) : serve_(std::move(serve)) {
    const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    client_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listening, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listening, 1) != 0 ||
        ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
        ::connect(client_, reinterpret_cast<sockaddr*>(&address), size) != 0) {
      broken();
    }
    server_ = ::accept(listening, nullptr, nullptr);
    ::close(listening);
    for (const int fd : {client_, server_}) {
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    thread_ = std::thread([this] {
      uint64_t bytes = 0;
      std::vector<std::byte> request;
      while (receive_all(server_, &bytes, sizeof bytes)) {
        request.resize(bytes);
        if (!receive_all(server_, request.data(), bytes)) {
          return;
        }
        const Bytes reply = serve_(request);
        if (!send_all(server_, reply.data(), reply.size())) {
          return;
        }
      }
    });
  }
  ~Sockets() {
    ::shutdown(client_, SHUT_RDWR);
    thread_.join();
    ::close(client_);
    ::close(server_);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  void send(Bytes request) {
    const uint64_t bytes = request.size();
    if (!send_all(client_, &bytes, sizeof bytes) ||
        !send_all(client_, request.data(), request.size())) {
      broken();
    }
  }
  // A reply of as many bytes, in the order of the requests.
  void receive(void* out, size_t bytes) {
    if (!receive_all(client_, out, bytes)) {
      broken();
    }
  }

 private:
  [[noreturn]] static void broken() {
    std::perror("sockets over loopback");
    std::exit(1);
  }
  static bool send_all(int fd, const void* data, size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t n = ::send(fd, at, size, MSG_NOSIGNAL);
      if (n <= 0) {
        return false;
      }
      at += n;
      size -= static_cast<size_t>(n);
    }
    return true;
  }
  static bool receive_all(int fd, void* data, size_t size) {
    return size == 0 || ::recv(fd, data, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  }

  const Serve serve_;
  int client_ = -1;
  int server_ = -1;
  std::thread thread_;
};

}  // namespace gls::bench
