// TLS 1.3 with both sides authenticated: contexts, sessions over a non-blocking socket, and errors
// of failed handshakes.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>

#include "net/core/stream.h"
#include "plugins/tcp_tls/certificates.h"
#include "plugins/tcp_tls/key.h"

namespace gls::net {

// kRefused: one side does not accept the other, and would refuse again.
enum class TlsStep : uint8_t { kDone, kWantRead, kWantWrite, kEnd, kFailed, kRefused };

class TlsContext;

// The socket of a connection, which OpenSSL reads and writes.
struct TlsSocket {
  int descriptor = -1;
  bool more = false;  // another record follows at once: the other side need not wake for this one
};

// One TLS connection, used by one thread.
class TlsSession {
 public:
  // `host` is the host that a client connects to.
  static std::unique_ptr<TlsSession> make(const TlsContext& context, int socket, bool server,
                                          const std::string& host, std::string* error);

  TlsStep handshake(std::string* error);
  TlsStep read(void* to, size_t most, size_t* got, std::string* error);
  // Writes one record. `more`: another one follows at once.
  TlsStep write(const void* from, size_t size, bool more, size_t* put, std::string* error);
  bool drained() const;  // all received data were read
  void say_end();        // best effort
  std::string security() const;

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  explicit TlsSession(const TlsContext& context) : context_(context) {}
  TlsStep step(int result, bool handshaking, std::string* error);
  TlsStep failure(bool handshaking, std::string* error) const;
  void say_that_this_is_tls() const;
  bool check_peer(std::string* error) const;

  const TlsContext& context_;
  TlsSocket socket_;
  std::unique_ptr<SSL, Free> ssl_;
};

// The certificates or the key of an endpoint, for all of its connections.
class TlsContext {
 public:
  static std::unique_ptr<TlsContext> make(const StreamOptions& options, std::string* error);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  bool uses_key() const { return !key_.bytes().empty(); }
  const std::string& expected_name() const { return expected_name_; }
  SSL_CTX* ssl(bool server) const { return server ? server_ : client_; }
  BIO_METHOD* socket_method() const { return method_; }
  // A session made from the key, in the form of a resumed one; the caller owns it.
  SSL_SESSION* key_session(SSL* ssl) const;

 private:
  TlsContext() = default;
  bool set_up(SSL_CTX* context, bool server, std::string* error);

  Key key_;
  Certificates certificates_;  // empty if a key is used
  std::string expected_name_;
  SSL_CTX* client_ = nullptr;
  SSL_CTX* server_ = nullptr;
  BIO_METHOD* method_ = nullptr;
};

}  // namespace gls::net
