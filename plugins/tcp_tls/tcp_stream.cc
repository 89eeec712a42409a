#include "plugins/tcp_tls/tcp_stream.h"

#include <gls.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace gls::net {
namespace {

constexpr size_t kMostSpans = 64;
constexpr size_t kRecord = 16384;               // the longest record of TLS
constexpr size_t kFairShare = size_t{1} << 20;  // of one stream, before other streams progress
constexpr int kKeepIdleSeconds = 10;
constexpr int kMostEvents = 64;

template <typename T>
void set_option(int socket, int level, int name, T value) {
  // Only detects the loss of a peer sooner; heartbeats detect it in any case.
  static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

}  // namespace

// ---- the thread of the streams ----

IoChannel::IoChannel() {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) {
    throw std::system_error(errno, std::system_category(), "epoll_create1");
  }
  sockets.assign(epoll);
  await();
}

void IoChannel::await() {
  sockets.async_wait(asio::posix::stream_descriptor::wait_read, [this](const std::error_code& why) {
    if (why) {
      return;
    }
    std::array<epoll_event, kMostEvents> events;
    const int count = ::epoll_wait(sockets.native_handle(), events.data(), kMostEvents, 0);
    for (int i = 0; i < count; ++i) {
      auto* const stream = static_cast<TcpStream*>(events[static_cast<size_t>(i)].data.ptr);
      if (streams.contains(stream)) {  // one stream may have ended another
        stream->go_on();
      }
    }
    await();
  });
}

// ---- any thread ----

TcpStream::TcpStream(IoChannel& channel, const TlsContext* tls, uint32_t user_timeout_ms)
    : channel_(channel), tls_context_(tls), user_timeout_ms_(user_timeout_ms) {}

void TcpStream::set_target(std::string host, std::string port) {
  host_ = std::move(host);
  port_ = std::move(port);
}

void TcpStream::set_socket(asio::ip::tcp::socket socket) { connecting_.emplace(std::move(socket)); }

template <typename Task>
void TcpStream::post(Task task) noexcept {
  try {
    asio::post(channel_.context,
               [self = Ref(this), task] { self->on_turn([&] { task(*self.operator->()); }); });
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory; the next heartbeat tries again
  }
}

template <typename Task>
void TcpStream::on_turn(Task task) {
  turn_.begin();
  task();
  end_turn();
}

void TcpStream::end_turn() {
  while (!turn_.end()) {
    write_all();
  }
}

bool TcpStream::on_io_thread() const {
  return channel_.context.get_executor().running_in_this_thread();
}

void TcpStream::start() noexcept {
  post([](TcpStream& self) { self.begin(); });
}
void TcpStream::wake() noexcept {
  post([](TcpStream& self) { self.write_all(); });
}
// While this thread has the turn and the stream has not ended, its io_context exists.
void TcpStream::write() noexcept {
  if (turn_.ask()) {
    end_turn();  // this thread asked for the turn
  }
}
void TcpStream::close() noexcept {
  post([](TcpStream& self) { self.finish(GLS_ERR_IO, "it was closed here"); });
}
void TcpStream::release() noexcept {
  if (--references_ == 0) {
    if (nudge_ >= 0) {
      ::close(nudge_);
    }
    close_socket();
    delete this;
  }
}
void TcpStream::close_socket() noexcept {
  if (socket_ >= 0) {
    ::close(std::exchange(socket_, -1));
  }
}

void TcpStream::end(int32_t code, const std::string& reason) {
  const Ref owned(this);  // the user may hold the last reference
  on_turn([&] { finish(code, reason); });
}

void TcpStream::finish(int32_t code, const std::string& reason) {
  StreamUser* const user = std::exchange(user_, nullptr);
  if (user == nullptr) {
    return;
  }
  const Ref owned(this);
  if (tls_ != nullptr && opened_) {
    tls_->say_end();
  }
  tls_.reset();
  if (lookup_ != nullptr) {
    std::exchange(lookup_, nullptr)->cancel();
  }
  if (race_ != nullptr) {
    std::exchange(race_, nullptr)->cancel();
  }
  if (connecting_.has_value()) {
    std::error_code ignored;
    connecting_->close(ignored);
    connecting_.reset();
  }
  if (socket_ >= 0) {
    ::epoll_ctl(channel_.sockets.native_handle(), EPOLL_CTL_DEL, socket_, nullptr);
    ::shutdown(socket_, SHUT_WR);
    if (read_by_caller_) {
      nudge();  // the descriptor must not be reused while a thread waits for it
    } else {
      close_socket();
    }
  }
  channel_.streams.erase(this);
  user->closed(code, reason.c_str());
}

void TcpStream::fail(const std::string& reason, int32_t code) {
  if (on_io_thread()) {
    finish(code, reason);
  } else {
    post([reason, code](TcpStream& self) { self.finish(code, reason); });
  }
}
void TcpStream::fail(const std::error_code& why) { fail(why.message()); }

// ---- connecting ----

void TcpStream::begin() {
  if (user_ == nullptr || std::exchange(begun_, true)) {
    return;
  }
  channel_.streams.insert(this);
  if (channel_.closing) {
    fail("the endpoint is gone");
    return;
  }
  if (connecting_.has_value()) {
    connected();
    return;
  }
  std::error_code failure;
  const asio::ip::address address = asio::ip::make_address(host_, failure);
  if (!failure) {  // no names to look up
    const auto port = static_cast<uint16_t>(std::stoul(port_));
    connect({asio::ip::tcp::endpoint(address, port)});
    return;
  }
  lookup_ = std::make_shared<NameLookup>(
      channel_.context,
      [self = Ref(this)](std::vector<asio::ip::tcp::endpoint> places, const std::string& why) {
        self->on_turn([&] {
          if (self->user_ == nullptr) {
            return;
          }
          self->lookup_.reset();
          if (places.empty()) {
            self->fail("cannot find host " + self->host_ + ": " + why);
          } else {
            self->connect(std::move(places));
          }
        });
      });
  try {
    lookup_->start(host_, port_);
  } catch (const std::system_error& none) {
    fail("cannot find host " + host_ + ": " + none.what());
  }
}

void TcpStream::connect(std::vector<asio::ip::tcp::endpoint> places) {
  race_ = std::make_shared<ConnectRace>(
      channel_.context, std::move(places),
      [self = Ref(this)](asio::ip::tcp::socket* socket, const std::string& why) {
        self->on_turn([&] {
          if (self->user_ == nullptr) {
            return;
          }
          self->race_.reset();
          if (socket == nullptr) {
            self->fail(why);
          } else {
            self->connecting_.emplace(std::move(*socket));
            self->connected();
          }
        });
      });
  race_->start();
}

void TcpStream::connected() {
  std::error_code failure;
  connecting_->non_blocking(true, failure);
  if (failure) {
    fail(failure);
    return;
  }
  socket_ = connecting_->release(failure);
  if (failure) {
    fail(failure);
    return;
  }
  connecting_.reset();
  const int fd = socket_;
  user_->reached();
  epoll_event nothing{EPOLLONESHOT, {this}};
  if (::epoll_ctl(channel_.sockets.native_handle(), EPOLL_CTL_ADD, fd, &nothing) != 0) {
    fail(std::error_code(errno, std::system_category()));
    return;
  }
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdleSeconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_ms_);
  if (tls_context_ == nullptr) {
    open();
    return;
  }
  std::string error;
  tls_ = TlsSession::make(*tls_context_, fd, host_.empty(), host_, &error);
  if (tls_ == nullptr) {
    fail(error);
    return;
  }
  shake();
}

void TcpStream::shake() {
  std::string error;
  switch (tls_->handshake(&error)) {
    case TlsStep::kDone:
      open();
      break;
    case TlsStep::kWantRead:
      wait_to_read();
      break;
    case TlsStep::kWantWrite:
      wait_to_write();
      break;
    case TlsStep::kEnd:
    case TlsStep::kFailed:
      fail(error.empty() ? "the other side closed the connection in the TLS handshake" : error);
      break;
    case TlsStep::kRefused:
      fail(error, GLS_ERR_INVALID_ARGUMENT);
      break;
  }
}

void TcpStream::open() {
  opened_ = true;
  user_->opened(tls_ != nullptr ? tls_->security().c_str() : "plain");
  ready();
}

void TcpStream::ready() {
  if (user_ == nullptr || socket_ < 0) {
    return;
  }
  if (!opened_) {
    shake();
    return;
  }
  read();
  write_all();
}

void TcpStream::wait_to_read() {
  if (!read_by_caller_ && !std::exchange(waiting_to_read_, true)) {
    say_what_is_awaited();
  }
}

void TcpStream::wait_to_write() {
  if (!std::exchange(waiting_to_write_, true)) {
    say_what_is_awaited();
  }
}

// One-shot: a woken thread must arm it again.
void TcpStream::say_what_is_awaited() {
  epoll_event event{EPOLLONESHOT, {this}};
  if (waiting_to_read_) {
    event.events |= EPOLLIN;
  }
  if (waiting_to_write_) {
    event.events |= EPOLLOUT;
  }
  ::epoll_ctl(channel_.sockets.native_handle(), EPOLL_CTL_MOD, socket_, &event);
}

void TcpStream::go_on() {
  const Ref owned(this);
  on_turn([&] {
    waiting_to_read_ = false;
    waiting_to_write_ = false;
    ready();
  });
}

// ---- reading ----

// True: more data may remain, and no thread waits for them. `waiter`: the waiter on this thread.
bool TcpStream::read(StreamWaiter* waiter) {
  size_t share = kFairShare;
  while (user_ != nullptr && opened_ && !reading_stopped_) {
    const StreamSpan room = user_->room();
    size_t got = 0;
    bool drained = false;
    if (tls_ != nullptr) {
      std::string error;
      const TlsStep result = tls_->read(room.data, room.size, &got, &error);
      if (result == TlsStep::kWantRead) {
        wait_to_read();
        return false;
      }
      if (result == TlsStep::kWantWrite) {
        wait_to_write();
        return false;
      }
      if (result != TlsStep::kDone) {
        reading_stopped_ = true;
        fail(result == TlsStep::kEnd ? "the other side closed the connection" : error,
             result == TlsStep::kRefused ? GLS_ERR_INVALID_ARGUMENT : GLS_ERR_IO);
        return false;
      }
      drained = got < kRecord && tls_->drained();
    } else {
      const ssize_t n = ::recv(socket_, room.data, room.size, 0);
      if (n < 0 && errno == EINTR) {
        continue;
      }
      if (n < 0 && errno == EAGAIN) {
        wait_to_read();
        return false;
      }
      if (n <= 0) {
        reading_stopped_ = true;
        fail(n == 0 ? "the other side closed the connection" : std::strerror(errno));
        return false;
      }
      got = static_cast<size_t>(n);
      drained = got < room.size;  // most likely; if not, the wait ends at once
    }
    reading_stopped_ = !user_->received(got);
    if (user_ == nullptr || reading_stopped_) {
      return false;
    }
    if (drained) {
      wait_to_read();
      return false;
    }
    if (waiter != nullptr && (got >= share || waiter->done())) {
      return true;
    }
    if (got >= share) {
      post([](TcpStream& self) { self.ready(); });
      return true;
    }
    share -= got;
  }
  return false;
}

// ---- reading on a waiting thread ----

void TcpStream::nudge() noexcept {
  if (const int to = nudge_; to >= 0) {
    const uint64_t one = 1;
    // If it is full, the thread is awake already.
    static_cast<void>(!::write(to, &one, sizeof one));
  }
}

bool TcpStream::begin_to_read_by_caller() {
  if (nudge_ < 0) {
    nudge_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  if (nudge_ < 0 || user_ == nullptr || !opened_ || reading_stopped_) {
    return false;
  }
  read_by_caller_ = true;
  if (std::exchange(waiting_to_read_, false)) {
    say_what_is_awaited();
  }
  return true;
}

void TcpStream::await_by_caller(int patience_ms) const {
  std::array<pollfd, 2> what = {{{socket_, POLLIN, 0}, {nudge_, POLLIN, 0}}};
  static_cast<void>(::poll(what.data(), what.size(), patience_ms));
  if (what[1].revents != 0) {
    uint64_t count = 0;
    static_cast<void>(!::read(nudge_, &count, sizeof count));
  }
}

bool TcpStream::read_by_caller(StreamWaiter& waiter) noexcept {
  if (has_reader_.exchange(true)) {
    return false;
  }
  const Ref owned(this);
  bool mine = false;
  on_turn([&] { mine = begin_to_read_by_caller(); });
  const bool was_mine = mine;
  bool more = false;
  while (mine && !waiter.done()) {
    if (!more) {
      await_by_caller(waiter.patience_ms());
    }
    on_turn([&] {
      mine = user_ != nullptr && !reading_stopped_;
      more = mine && read(&waiter);
      if (mine && tls_ != nullptr) {
        write_all();  // work that needed received data first
      }
    });
  }
  if (was_mine) {
    on_turn([&] {
      read_by_caller_ = false;
      if (user_ == nullptr) {
        close_socket();
      } else if (!reading_stopped_) {
        wait_to_read();
        if (more && tls_ != nullptr) {
          post([](TcpStream& self) { self.ready(); });  // it may be in OpenSSL's memory already
        }
      }
    });
  }
  has_reader_ = false;
  return was_mine;
}

// ---- writing ----

void TcpStream::write_all() {
  if (user_ == nullptr || !opened_ || waiting_to_write_) {
    return;
  }
  const uint64_t share_ends = written_ + kFairShare;
  while (user_ != nullptr && (tls_ != nullptr ? write_tls() : write_plain())) {
    if (written_ >= share_ends) {
      post([](TcpStream& self) { self.write_all(); });
      return;
    }
  }
}

// Whether to continue.
bool TcpStream::write_plain() {
  std::array<StreamSpan, kMostSpans> spans;
  const size_t count = user_->pending(spans.data(), spans.size());
  if (count == 0) {
    return false;
  }
  std::array<iovec, kMostSpans> pieces;
  for (size_t i = 0; i < count; ++i) {
    pieces[i] = {spans[i].data, spans[i].size};
  }
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  const ssize_t n = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
  if (n >= 0) {
    written_ += static_cast<size_t>(n);
    user_->sent(static_cast<size_t>(n));
    return true;
  }
  if (errno == EAGAIN) {
    wait_to_write();
    return false;
  }
  if (errno != EINTR) {
    fail(std::strerror(errno));
    return false;
  }
  return true;
}

// Whether there is data for the next record.
bool TcpStream::stage() {
  if (staged_done_ < staged_.size() || large_.size > 0) {
    return true;
  }
  staged_.clear();
  staged_done_ = 0;
  std::array<StreamSpan, kMostSpans> spans;
  const size_t count = user_->pending(spans.data(), spans.size());
  if (count > 0 && spans[0].size >= kRecord) {
    large_ = spans[0];
    return true;
  }
  for (size_t i = 0; i < count && staged_.size() < kRecord; ++i) {
    const auto* const from = static_cast<const unsigned char*>(spans[i].data);
    staged_.insert(staged_.end(), from, from + std::min(spans[i].size, kRecord - staged_.size()));
  }
  if (!staged_.empty()) {
    user_->sent(staged_.size());
  }
  return !staged_.empty();
}

bool TcpStream::write_tls() {
  if (!stage()) {
    return false;
  }
  const bool large = large_.size > 0;
  const void* const from = large ? large_.data : staged_.data() + staged_done_;
  const size_t size = large ? large_.size : staged_.size() - staged_done_;
  size_t put = 0;
  std::string error;
  const TlsStep result = tls_->write(from, size, size > kRecord, &put, &error);
  switch (result) {
    case TlsStep::kDone:
      break;
    case TlsStep::kWantWrite:
      wait_to_write();
      return false;
    case TlsStep::kWantRead:
      wait_to_read();
      return false;
    case TlsStep::kEnd:
    case TlsStep::kFailed:
    case TlsStep::kRefused:
      fail(error.empty() ? "the other side closed the connection" : error,
           result == TlsStep::kRefused ? GLS_ERR_INVALID_ARGUMENT : GLS_ERR_IO);
      return false;
  }
  written_ += put;
  if (large) {
    large_.data = static_cast<unsigned char*>(large_.data) + put;
    large_.size -= put;
    user_->sent(put);
  } else {
    staged_done_ += put;
  }
  return true;
}

}  // namespace gls::net
