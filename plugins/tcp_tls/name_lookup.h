// Looks up the addresses of a host with the system's resolver. A look-up can take as long as its
// name servers are silent, and cannot be cancelled. A caller that no longer wants the result
// abandons it without waiting.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gls::net {

class NameLookup : public std::enable_shared_from_this<NameLookup> {
 public:
  // Called once, on a thread of the io_context: with the addresses in the order of the system, or
  // with none and the reason. Not called after cancel().
  using Done =
      std::function<void(std::vector<asio::ip::tcp::endpoint> places, const std::string& why)>;

  NameLookup(asio::io_context& context, Done done) : context_(&context), done_(std::move(done)) {}
  // Throws std::system_error when the system cannot start a thread.
  void start(std::string host, std::string port);
  // Call it before the io_context ends.
  void cancel();

 private:
  void found(std::vector<asio::ip::tcp::endpoint> places, const std::string& why);

  std::mutex mutex_;
  asio::io_context* context_;  // null: no caller waits any more
  Done done_;
};

}  // namespace gls::net
