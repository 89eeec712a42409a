// The addresses of a host, from the system. A look-up can take as long as its name servers are
// silent and cannot be ended: whoever does not want its answer any more leaves it, and waits for
// nothing.
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
  // Once, on a thread of the io_context: the addresses in the order of the system, or none and why.
  // Not after cancel().
  using Done =
      std::function<void(std::vector<asio::ip::tcp::endpoint> places, const std::string& why)>;

  NameLookup(asio::io_context& context, Done done) : context_(&context), done_(std::move(done)) {}
  // Throws std::system_error when the system gives no thread.
  void start(std::string host, std::string port);
  // Before the io_context ends.
  void cancel();

 private:
  void found(std::vector<asio::ip::tcp::endpoint> places, const std::string& why);

  std::mutex mutex_;
  asio::io_context* context_;  // null: no caller waits any more
  Done done_;
};

}  // namespace gls::net
