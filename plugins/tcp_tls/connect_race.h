// Connects to the address that answers first, out of several (RFC 8305, "happy eyeballs"). A silent
// address delays the next one only for a moment; an address that refuses does not delay it.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace gls::net {

std::string text_of(const asio::ip::tcp::endpoint& endpoint);

// All functions run on the thread of the io_context.
class ConnectRace : public std::enable_shared_from_this<ConnectRace> {
 public:
  using Place = asio::ip::tcp::endpoint;
  using Socket = asio::ip::tcp::socket;
  // Called once: with the connected socket, or with NULL and the reason. Not called after cancel().
  using Done = std::function<void(Socket* socket, const std::string& why)>;

  // Tries `places` in the resolver's order, but alternates between IPv6 and IPv4.
  ConnectRace(asio::io_context& context, std::vector<Place> places, Done done);
  void start();  // `done` is called later
  void cancel();

 private:
  struct Attempt {
    explicit Attempt(asio::io_context& context) : socket(context) {}
    Socket socket;
    Place place;
  };
  using Attempts = std::list<Attempt>;

  void begin_next();
  void ended(Attempts::iterator attempt, std::error_code why);
  static bool has_met_itself(Socket& socket);
  void failed(const Place& place, const std::error_code& why);
  void finish(Socket* socket);

  asio::io_context& context_;
  std::vector<Place> places_;
  size_t next_ = 0;
  Done done_;  // empty: the race is over
  Attempts attempts_;
  asio::steady_timer pause_;
  std::vector<std::pair<std::string, std::string>> failures_;  // addresses and reasons
};

}  // namespace gls::net
