// Marks the network threads, which must never wait, because all connections depend on them.
#pragma once

#include <utility>

namespace gls::net {

inline bool& on_network_thread() {
  thread_local bool value = false;
  return value;
}

class NetworkThread {
 public:
  NetworkThread() : before_(std::exchange(on_network_thread(), true)) {}
  ~NetworkThread() { on_network_thread() = before_; }
  NetworkThread(const NetworkThread&) = delete;
  NetworkThread& operator=(const NetworkThread&) = delete;

 private:
  const bool before_;
};

}  // namespace gls::net
