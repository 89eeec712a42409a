#include "plugins/tcp_tls/name_lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace gls::net {
namespace {

std::vector<asio::ip::tcp::endpoint> look_up(const std::string& host, const std::string& port,
                                             std::string* why) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* all = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &all);
  if (failure != 0) {
    *why = failure == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(failure);
    return {};
  }
  std::vector<asio::ip::tcp::endpoint> out;
  for (const addrinfo* at = all; at != nullptr; at = at->ai_next) {
    asio::ip::tcp::endpoint place;
    if (at->ai_addrlen <= place.capacity() &&
        (at->ai_family == AF_INET || at->ai_family == AF_INET6)) {
      std::memcpy(place.data(), at->ai_addr, at->ai_addrlen);
      place.resize(at->ai_addrlen);
      out.push_back(place);
    }
  }
  ::freeaddrinfo(all);
  return out;
}

}  // namespace

void NameLookup::start(std::string host, std::string port) {
  std::thread([self = shared_from_this(), host = std::move(host), port = std::move(port)] {
    std::string why;
    try {
      self->found(look_up(host, port, &why), why);
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): its time will be over
    }
  }).detach();
}

void NameLookup::cancel() {
  Done done;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
  done.swap(done_);
}

void NameLookup::found(std::vector<asio::ip::tcp::endpoint> places, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) {
    return;
  }
  asio::post(*context_, [self = shared_from_this(), places = std::move(places), why] {
    Done done;
    {
      const std::lock_guard own(self->mutex_);
      done.swap(self->done_);
    }
    if (done) {
      done(places, why);
    }
  });
}

}  // namespace gls::net
