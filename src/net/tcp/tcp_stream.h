// One TCP connection, plain or under TLS. Everything but what Stream offers runs on the thread of
// its io_context.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "net/stream.h"
#include "net/tcp/tls.h"

namespace gls::net {

class TcpStream;

// A thread and the streams on it.
struct IoLane {
  asio::io_context context{1};
  std::unordered_set<TcpStream*> streams;
  bool closing = false;
};

class TcpStream final : public Stream {
 public:
  // `tls` null: plain. With one reference, which is the caller's.
  TcpStream(IoLane& lane, const TlsContext* tls, uint32_t user_timeout_ms);

  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  void set_user(StreamUser* user) { user_ = user; }
  void set_target(std::string host, std::string port);
  void set_socket(asio::ip::tcp::socket socket);

  // Stream
  void start() noexcept override;
  void wake() noexcept override;
  void close() noexcept override;
  void release() noexcept override;

  void finish(int32_t code, const std::string& reason);

 private:
  // Counts a reference while something is under way.
  class Ref {
   public:
    explicit Ref(TcpStream* stream) : stream_(stream) { ++stream_->references_; }
    Ref(const Ref& other) : Ref(other.stream_) {}
    Ref(Ref&& other) noexcept : stream_(other.stream_) { other.stream_ = nullptr; }
    Ref& operator=(const Ref&) = delete;
    ~Ref() {
      if (stream_ != nullptr) {
        stream_->release();
      }
    }
    TcpStream* operator->() const { return stream_; }

   private:
    TcpStream* stream_;
  };

  ~TcpStream() = default;

  template <typename Task>
  void post(Task task) noexcept;
  void begin();
  void connect(const asio::ip::tcp::resolver::results_type& places);
  void connected();
  void shake();
  void open();
  void ready();
  void read();
  void write();
  bool write_plain();
  bool write_tls();
  bool stage();
  void wait_to_read();
  void wait_to_write();
  void fail(const std::string& reason);
  void fail(const std::error_code& why);

  std::atomic<uint32_t> references_ = 1;
  IoLane& lane_;
  const TlsContext* tls_context_;
  const uint32_t user_timeout_ms_;
  StreamUser* user_ = nullptr;  // null: ended
  std::string host_;            // of who connects
  std::string port_;
  // Gone when the stream has ended, as the io_context may be before the last reference.
  std::optional<asio::ip::tcp::socket> socket_;
  std::optional<asio::ip::tcp::resolver> resolver_;
  std::unique_ptr<TlsSession> tls_;
  bool begun_ = false;
  bool opened_ = false;
  bool reading_stopped_ = false;
  bool waiting_to_read_ = false;
  bool waiting_to_write_ = false;

  // What goes into the next record under TLS: small pieces together, large ones as they lie.
  std::vector<unsigned char> staged_;
  size_t staged_done_ = 0;
  StreamSpan large_{};
};

}  // namespace gls::net
