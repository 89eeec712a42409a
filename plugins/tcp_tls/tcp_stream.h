// One TCP connection, plain or under TLS. One thread at a time works on it. That is the thread of
// its io_context, a thread that sends while no other works on it, or a thread that waits for data.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "net/core/stream.h"
#include "plugins/tcp_tls/combining_lock.h"
#include "plugins/tcp_tls/connect_race.h"
#include "plugins/tcp_tls/name_lookup.h"
#include "plugins/tcp_tls/tls.h"

namespace gls::net {

class TcpStream;

// A thread and its streams.
struct IoChannel {
  IoChannel();  // throws std::system_error
  void await();

  asio::io_context context{1};
  // An epoll inside the epoll of the context, for connected sockets. Any thread can change what it
  // waits for, with immediate effect.
  asio::posix::stream_descriptor sockets{context};
  std::unordered_set<TcpStream*> streams;
  bool closing = false;
};

class TcpStream final : public Stream {
 public:
  // `tls` null: plain. The caller owns one reference.
  TcpStream(IoChannel& channel, const TlsContext* tls, uint32_t user_timeout_ms);

  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  void set_user(StreamUser* user) { user_ = user; }
  void set_target(std::string host, std::string port);
  void set_socket(asio::ip::tcp::socket socket);

  // Stream
  void start() noexcept override;
  void wake() noexcept override;
  void write() noexcept override;
  bool read_by_caller(StreamWaiter& waiter) noexcept override;
  void nudge() noexcept override;
  void close() noexcept override;
  void release() noexcept override;

  // Runs on the thread of the io_context.
  void end(int32_t code, const std::string& reason);
  void go_on();  // the awaited event has come

 private:
  // Holds a reference while an operation is in flight.
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
  static constexpr int32_t kLost = -8;  // GLS_ERR_IO

  // The functions below need the turn, except post(), on_turn() and await_by_caller(). Ending the
  // stream also needs the thread of the io_context.
  template <typename Task>
  void post(Task task) noexcept;
  template <typename Task>
  void on_turn(Task task);
  void end_turn();
  bool on_io_thread() const;
  void begin();
  void connect(std::vector<asio::ip::tcp::endpoint> places);
  void connected();
  void shake();
  void open();
  void ready();
  bool read(StreamWaiter* waiter = nullptr);
  bool begin_to_read_by_caller();
  void await_by_caller(int patience_ms) const;
  void write_all();
  bool write_plain();
  bool write_tls();
  bool stage();
  void wait_to_read();
  void wait_to_write();
  void say_what_is_awaited();
  void close_socket() noexcept;
  void fail(const std::string& reason, int32_t code = kLost);
  void fail(const std::error_code& why);
  void finish(int32_t code, const std::string& reason);

  std::atomic<uint32_t> references_ = 1;
  IoChannel& channel_;
  const TlsContext* tls_context_;
  const uint32_t user_timeout_ms_;
  CombiningLock turn_;
  StreamUser* user_ = nullptr;  // null: ended
  std::string host_;            // set on the connecting side
  std::string port_;
  // Until it is connected. Destroyed when the stream has ended, since the io_context may end before
  // the last reference.
  std::optional<asio::ip::tcp::socket> connecting_;
  std::shared_ptr<NameLookup> lookup_;
  std::shared_ptr<ConnectRace> race_;
  int socket_ = -1;  // closed by a thread in read_by_caller(), if there is one when the stream ends
  std::unique_ptr<TlsSession> tls_;
  std::atomic<bool> has_reader_ = false;  // a thread is in read_by_caller()
  std::atomic<int> nudge_ = -1;           // wakes that thread; never closed until the end
  bool read_by_caller_ = false;           // the thread in read_by_caller() reads
  bool begun_ = false;
  bool opened_ = false;
  bool reading_stopped_ = false;
  bool waiting_to_read_ = false;
  bool waiting_to_write_ = false;
  uint64_t written_ = 0;  // bytes

  // The data of the next TLS record: small pieces are joined, large ones are sent in place.
  std::vector<unsigned char> staged_;
  size_t staged_done_ = 0;
  StreamSpan large_{};
};

}  // namespace gls::net
