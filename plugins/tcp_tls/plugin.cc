// libgls_tcp.so: streams over TCP, plain or under TLS. It does not link libgls.so;
// net/core/stream.h is the interface between both.
#include <gls.h>

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/core/stream.h"
#include "plugins/tcp_tls/connect_race.h"
#include "plugins/tcp_tls/tcp_stream.h"
#include "plugins/tcp_tls/tls.h"

namespace gls::net {
namespace {

constexpr auto kPause = std::chrono::milliseconds(100);
constexpr auto kShortPause = std::chrono::milliseconds(1);

void say(StreamError* error, int32_t code, const std::string& text) {
  error->code = code;
  error->text[text.copy(error->text, sizeof error->text - 1)] = 0;
}

class TcpTransport final : public StreamTransport {
 public:
  TcpTransport(std::unique_ptr<TlsContext> tls, const StreamOptions& options)
      : tls_(std::move(tls)), user_timeout_ms_(options.user_timeout_ms) {
    for (uint32_t i = 0; i < options.io_threads; ++i) {
      channels_.push_back(std::make_unique<IoChannel>());
    }
  }
  // Throws std::system_error when the system cannot start threads.
  void begin() {
    for (const auto& channel : channels_) {
      guards_.emplace_back(asio::make_work_guard(channel->context));
      threads_.emplace_back([context = &channel->context] { context->run(); });
    }
  }

  bool listen(const char* host, const char* port, StreamListener* listener, char* bound,
              size_t bound_size, StreamError* error) noexcept override;
  void stop_listening() noexcept override;
  Stream* connect(const char* host, const char* port, StreamUser* user,
                  StreamError* error) noexcept override;
  void destroy() noexcept override;
  void stop_threads() noexcept;

 private:
  void accept();
  void accepted(const std::error_code& why, asio::ip::tcp::socket socket, IoChannel& channel);
  IoChannel& next_channel() { return *channels_[next_channel_++ % channels_.size()]; }

  const std::unique_ptr<TlsContext> tls_;  // null: plain
  const uint32_t user_timeout_ms_;
  std::vector<std::unique_ptr<IoChannel>> channels_;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards_;
  std::vector<std::thread> threads_;
  std::atomic<size_t> next_channel_ = 0;
  // Runs on the first thread.
  std::unique_ptr<asio::ip::tcp::acceptor> acceptor_;
  std::unique_ptr<asio::steady_timer> pause_;
  StreamListener* listener_ = nullptr;
};

bool TcpTransport::listen(const char* host, const char* port, StreamListener* listener, char* bound,
                          size_t bound_size, StreamError* error) noexcept try {
  asio::io_context& context = channels_[0]->context;
  std::error_code why;
  asio::ip::tcp::resolver resolver(context);
  const auto places = resolver.resolve(host, port, asio::ip::tcp::resolver::passive, why);
  if (why || places.empty()) {
    say(error, GLS_ERR_INVALID_ARGUMENT, why ? why.message() : "no such address");
    return false;
  }
  const asio::ip::tcp::endpoint place = places.begin()->endpoint();
  acceptor_ = std::make_unique<asio::ip::tcp::acceptor>(context);
  acceptor_->open(place.protocol(), why);
  if (!why) {
    acceptor_->set_option(asio::ip::tcp::acceptor::reuse_address(true), why);
  }
  if (!why) {
    acceptor_->bind(place, why);
  }
  if (!why) {
    acceptor_->listen(asio::socket_base::max_listen_connections, why);
  }
  const asio::ip::tcp::endpoint in_use =
      why ? asio::ip::tcp::endpoint() : acceptor_->local_endpoint(why);
  if (why) {
    acceptor_.reset();
    say(error, why == asio::error::address_in_use ? GLS_ERR_ALREADY_EXISTS : GLS_ERR_IO,
        why.message());
    return false;
  }
  const std::string text = text_of(in_use);
  bound[text.copy(bound, bound_size - 1)] = 0;
  listener_ = listener;
  pause_ = std::make_unique<asio::steady_timer>(context);
  asio::post(context, [this] { accept(); });
  return true;
} catch (const std::exception& failure) {
  say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
  return false;
}

void TcpTransport::accept() {
  if (acceptor_ == nullptr || !acceptor_->is_open()) {
    return;
  }
  IoChannel& channel = next_channel();
  acceptor_->async_accept(
      channel.context, [this, &channel](const std::error_code& why, asio::ip::tcp::socket socket) {
        accepted(why, std::move(socket), channel);
      });
}

void TcpTransport::accepted(const std::error_code& why, asio::ip::tcp::socket socket,
                            IoChannel& channel) {
  if (why == asio::error::operation_aborted || acceptor_ == nullptr) {
    return;
  }
  if (why == asio::error::no_descriptors || why == asio::error::no_memory ||
      why == asio::error::no_buffer_space ||
      why == std::error_code(ENFILE, std::system_category())) {
    // Accepting would fail again at once, forever. A closed stream frees its descriptor only after
    // its thread has run.
    const bool makes_room = listener_->no_room(why.message().c_str());
    pause_->expires_after(makes_room ? kShortPause : kPause);
    pause_->async_wait([this](const std::error_code& ended) {
      if (!ended) {
        accept();
      }
    });
    return;
  }
  std::error_code gone;
  const asio::ip::tcp::endpoint remote =
      why ? asio::ip::tcp::endpoint() : socket.remote_endpoint(gone);
  if (!why && !gone) {
    auto* const stream = new TcpStream(channel, tls_.get(), user_timeout_ms_);
    stream->set_socket(std::move(socket));
    StreamUser* const user = listener_->accepted(stream, text_of(remote).c_str());
    if (user == nullptr) {
      stream->release();
    } else {
      stream->set_user(user);
      stream->start();
    }
  }
  accept();
}

void TcpTransport::stop_listening() noexcept {
  if (acceptor_ == nullptr) {
    return;
  }
  std::promise<void> done;
  asio::post(channels_[0]->context, [this, &done] {
    std::error_code ignored;
    acceptor_->close(ignored);
    pause_->cancel();
    done.set_value();
  });
  done.get_future().wait();
}

Stream* TcpTransport::connect(const char* host, const char* port, StreamUser* user,
                              StreamError* error) noexcept try {
  auto* const stream = new TcpStream(next_channel(), tls_.get(), user_timeout_ms_);
  stream->set_user(user);
  stream->set_target(host, port);
  return stream;
} catch (const std::exception& failure) {
  say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
  return nullptr;
}

void TcpTransport::destroy() noexcept {
  stop_listening();
  for (const auto& channel : channels_) {
    std::promise<void> done;
    asio::post(channel->context, [&channel, &done] {
      channel->closing = true;
      while (!channel->streams.empty()) {
        (*channel->streams.begin())->end(GLS_ERR_INVALID_STATE, "the endpoint is gone");
      }
      done.set_value();
    });
    done.get_future().wait();
  }
  stop_threads();
  acceptor_.reset();
  pause_.reset();
  delete this;
}

void TcpTransport::stop_threads() noexcept {
  guards_.clear();
  for (const auto& channel : channels_) {
    channel->context.stop();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

StreamTransport* create(const StreamOptions* options, StreamError* error) {
  try {
    std::unique_ptr<TlsContext> tls;
    if (!options->plain) {
      std::string why;
      tls = TlsContext::make(*options, &why);
      if (tls == nullptr) {
        say(error, GLS_ERR_INVALID_ARGUMENT, why);
        return nullptr;
      }
    }
    auto transport = std::make_unique<TcpTransport>(std::move(tls), *options);
    try {
      transport->begin();
    } catch (...) {
      transport->stop_threads();
      throw;
    }
    return transport.release();
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
    return nullptr;
  }
}

}  // namespace
}  // namespace gls::net

#define GLS_TEXT_(value) #value
#define GLS_TEXT(value) GLS_TEXT_(value)

extern "C" __attribute__((visibility("default"))) const gls::net::StreamPlugin gls_plugin;
const gls::net::StreamPlugin gls_plugin = {
    {gls::net::kStreamPluginVersion,
     GLS_TEXT(GLS_VERSION_MAJOR) "." GLS_TEXT(GLS_VERSION_MINOR) "." GLS_TEXT(GLS_VERSION_PATCH)},
    gls::net::create};
