#include "plugins/tcp_tls/connect_race.h"

#include <algorithm>
#include <asio/post.hpp>
#include <chrono>
#include <utility>

namespace gls::net {
namespace {

constexpr auto kAttemptDelay = std::chrono::milliseconds(250);  // as RFC 8305 recommends

std::vector<ConnectRace::Place> by_turns(std::vector<ConnectRace::Place> places) {
  std::vector<ConnectRace::Place> one;
  std::vector<ConnectRace::Place> other;
  for (ConnectRace::Place& place : places) {
    const bool as_first = place.protocol() == places.front().protocol();
    (as_first ? one : other).push_back(place);
  }
  std::vector<ConnectRace::Place> out;
  for (size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    for (const auto* const family : {&one, &other}) {
      if (i < family->size()) {
        out.push_back((*family)[i]);
      }
    }
  }
  return out;
}

}  // namespace

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

ConnectRace::ConnectRace(asio::io_context& context, std::vector<Place> places, Done done)
    : context_(context),
      places_(by_turns(std::move(places))),
      done_(std::move(done)),
      pause_(context) {}

void ConnectRace::start() {
  asio::post(context_, [self = shared_from_this()] { self->begin_next(); });
}

void ConnectRace::cancel() {
  done_ = nullptr;
  pause_.cancel();
  for (Attempt& attempt : attempts_) {
    std::error_code ignored;
    attempt.socket.close(ignored);
  }
}

void ConnectRace::begin_next() {
  pause_.cancel();
  while (done_ && next_ < places_.size()) {
    const Place& place = places_[next_++];
    const auto attempt = attempts_.emplace(attempts_.end(), context_);
    attempt->place = place;
    std::error_code why;
    attempt->socket.open(place.protocol(), why);
    if (why) {
      failed(place, why);
      attempts_.erase(attempt);
      continue;
    }
    // The kernel may choose the port of a server that is down for a moment. That server must be
    // able to listen on it again.
    std::error_code ignored;
    attempt->socket.set_option(asio::socket_base::reuse_address(true), ignored);
    attempt->socket.async_connect(
        place, [self = shared_from_this(), attempt](const std::error_code& failure) {
          self->ended(attempt, failure);
        });
    if (next_ < places_.size()) {
      pause_.expires_after(kAttemptDelay);
      pause_.async_wait([self = shared_from_this()](const std::error_code& ended) {
        if (!ended) {
          self->begin_next();
        }
      });
    }
    return;
  }
  if (done_ && attempts_.empty()) {
    finish(nullptr);
  }
}

void ConnectRace::ended(Attempts::iterator attempt, std::error_code why) {
  if (!why && done_ && has_met_itself(attempt->socket)) {
    why = asio::error::connection_refused;
  }
  Attempts own;  // destroyed last
  own.splice(own.end(), attempts_, attempt);
  if (!done_) {
    return;
  }
  if (!why) {
    finish(&attempt->socket);
    return;
  }
  failed(attempt->place, why);
  begin_next();
}

// Detects a socket that TCP connected to itself. That happens where no server listens, if the
// kernel chooses the target's port. The connection must leave no state behind. It is closed here,
// because the destructor would first reset the option.
bool ConnectRace::has_met_itself(Socket& socket) {
  std::error_code failure;
  const Place local = socket.local_endpoint(failure);
  if (failure || local != socket.remote_endpoint(failure) || failure) {
    return false;
  }
  socket.set_option(asio::socket_base::linger(true, 0), failure);
  socket.close(failure);
  return true;
}

void ConnectRace::failed(const Place& place, const std::error_code& why) {
  failures_.emplace_back(text_of(place), why.message());
}

void ConnectRace::finish(Socket* socket) {
  const Done done = std::exchange(done_, nullptr);
  cancel();
  std::string why;
  const auto as_first = [&](const auto& failure) {
    return failure.second == failures_.front().second;
  };
  if (socket == nullptr && std::all_of(failures_.begin(), failures_.end(), as_first)) {
    why = failures_.empty() ? "it has no address" : failures_.front().second;
  } else if (socket == nullptr) {
    for (const auto& [where, failure] : failures_) {
      why.append(why.empty() ? "" : "; ").append(where).append(": ").append(failure);
    }
  }
  done(socket, why);
}

}  // namespace gls::net
