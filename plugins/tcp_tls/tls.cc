#include "plugins/tcp_tls/tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace gls::net {
namespace {

constexpr char kIdentity[] = "gls";
constexpr size_t kReadAhead = size_t{64} << 10;
// The fatal alert protocol_version, without a handshake before it. A plain client can recognise TLS
// by it.
constexpr unsigned char kTlsAlert[] = {0x15, 3, 3, 0, 2, 2, 70};

// ---- socket functions for OpenSSL, whose own would raise SIGPIPE ----

const TlsSocket& socket_of(BIO* bio) { return *static_cast<const TlsSocket*>(BIO_get_data(bio)); }

int bio_write(BIO* bio, const char* from, size_t size, size_t* put) {
  BIO_clear_retry_flags(bio);
  const TlsSocket& socket = socket_of(bio);
  const ssize_t n =
      ::send(socket.descriptor, from, size, MSG_NOSIGNAL | (socket.more ? MSG_MORE : 0));
  if (n < 0) {
    if (errno == EAGAIN || errno == EINTR) {
      BIO_set_retry_write(bio);
    }
    return 0;
  }
  *put = static_cast<size_t>(n);
  return 1;
}

int bio_read(BIO* bio, char* to, size_t most, size_t* got) {
  BIO_clear_retry_flags(bio);
  const ssize_t n = ::recv(socket_of(bio).descriptor, to, most, 0);
  if (n <= 0) {
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      BIO_set_retry_read(bio);
    }
    if (n == 0) {
      BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    }
    return 0;
  }
  *got = static_cast<size_t>(n);
  return 1;
}

long bio_control(BIO* bio, int command, long, void*) {
  switch (command) {
    case BIO_CTRL_FLUSH:
      return 1;
    case BIO_CTRL_EOF:
      return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default:
      return 0;
  }
}

BIO_METHOD* make_socket_method() {
  BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "gls socket");
  if (method != nullptr) {
    BIO_meth_set_write_ex(method, bio_write);
    BIO_meth_set_read_ex(method, bio_read);
    BIO_meth_set_ctrl(method, bio_control);
  }
  return method;
}

// ---- the key ----

const TlsContext* context_of(SSL* ssl) {
  return static_cast<const TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

int find_key(SSL* ssl, const unsigned char* identity, size_t size, SSL_SESSION** session) {
  *session = nullptr;
  if (size != sizeof kIdentity - 1 || std::memcmp(identity, kIdentity, size) != 0) {
    return 1;  // unknown: continues without the key, and fails without a certificate
  }
  *session = context_of(ssl)->key_session(ssl);
  return *session != nullptr ? 1 : 0;
}

int use_key(SSL* ssl, const EVP_MD* digest, const unsigned char** identity, size_t* size,
            SSL_SESSION** session) {
  *session = nullptr;
  if (digest != nullptr && EVP_MD_get_type(digest) != NID_sha256) {
    return 1;  // the server chose another hash, which does not fit this key
  }
  *session = context_of(ssl)->key_session(ssl);
  *identity = reinterpret_cast<const unsigned char*>(kIdentity);
  *size = sizeof kIdentity - 1;
  return *session != nullptr ? 1 : 0;
}

bool is_address(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

}  // namespace

// ---- TlsContext ----

SSL_SESSION* TlsContext::key_session(SSL* ssl) const {
  static constexpr unsigned char kSuite[] = {0x13, 0x01};  // TLS_AES_128_GCM_SHA256
  const SSL_CIPHER* const suite = SSL_CIPHER_find(ssl, kSuite);
  SSL_SESSION* const session = SSL_SESSION_new();
  if (session == nullptr || suite == nullptr ||
      SSL_SESSION_set1_master_key(session, key_.bytes().data(), key_.bytes().size()) != 1 ||
      SSL_SESSION_set_cipher(session, suite) != 1 ||
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
    SSL_SESSION_free(session);
    return nullptr;
  }
  return session;
}

bool TlsContext::set_up(SSL_CTX* context, bool server, std::string* error) {
  SSL_CTX_set_app_data(context, this);
  // One hash, that of the key. No tickets and no early data: nothing is resumed or replayed.
  if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256") !=
          1 ||
      SSL_CTX_set_num_tickets(context, 0) != 1 || SSL_CTX_set_max_early_data(context, 0) != 1) {
    *error = "cannot set up TLS: " + openssl_error();
    return false;
  }
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadAhead);
  // Also with a key: a peer that sends a certificate instead cannot be verified against anything.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (uses_key()) {
    if (server) {
      // A server that verifies peers and resumes sessions, as a key does, must set one.
      static constexpr unsigned char kContext[] = {'g', 'l', 's'};
      if (SSL_CTX_set_session_id_context(context, kContext, sizeof kContext) != 1) {
        *error = "cannot set up TLS: " + openssl_error();
        return false;
      }
      SSL_CTX_set_psk_find_session_callback(context, find_key);
    } else {
      SSL_CTX_set_psk_use_session_callback(context, use_key);
    }
    return true;
  }
  return certificates_.use_in(context, error);
}

std::unique_ptr<TlsContext> TlsContext::make(const StreamOptions& options, std::string* error) {
  std::unique_ptr<TlsContext> context(new TlsContext());
  ERR_clear_error();
  if (options.psk_file[0] != 0 && !context->key_.read_file(options.psk_file, error)) {
    return nullptr;
  }
  if (options.psk_env[0] != 0 && !context->key_.read_environment(options.psk_env, error)) {
    return nullptr;
  }
  if (!context->uses_key() && !Certificates::read(options, &context->certificates_, error)) {
    return nullptr;
  }
  context->expected_name_ = options.expected_name;
  context->client_ = SSL_CTX_new(TLS_client_method());
  context->server_ = SSL_CTX_new(TLS_server_method());
  context->method_ = make_socket_method();
  if (context->client_ == nullptr || context->server_ == nullptr || context->method_ == nullptr) {
    *error = "cannot set up TLS: " + openssl_error();
    return nullptr;
  }
  if (!context->set_up(context->client_, false, error) ||
      !context->set_up(context->server_, true, error)) {
    return nullptr;
  }
  return context;
}

TlsContext::~TlsContext() {
  SSL_CTX_free(client_);
  SSL_CTX_free(server_);
  BIO_meth_free(method_);
}

// ---- TlsSession ----

std::unique_ptr<TlsSession> TlsSession::make(const TlsContext& context, int socket, bool server,
                                             const std::string& host, std::string* error) {
  ERR_clear_error();
  std::unique_ptr<TlsSession> session(new TlsSession(context));
  session->socket_.descriptor = socket;
  session->ssl_.reset(SSL_new(context.ssl(server)));
  BIO* const bio = session->ssl_ != nullptr ? BIO_new(context.socket_method()) : nullptr;
  if (bio == nullptr) {
    *error = "cannot make a TLS session: " + openssl_error();
    return nullptr;
  }
  BIO_set_data(bio, &session->socket_);
  BIO_set_init(bio, 1);
  SSL* const ssl = session->ssl_.get();
  SSL_set_bio(ssl, bio, bio);
  if (server) {
    SSL_set_accept_state(ssl);
    return session;
  }
  SSL_set_connect_state(ssl);
  if (!context.uses_key() && context.expected_name() != "*") {
    const std::string& name = context.expected_name().empty() ? host : context.expected_name();
    const bool set = is_address(name)
                         ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1
                         : SSL_set1_host(ssl, name.c_str()) == 1;
    if (!set) {
      *error = "cannot expect the name " + name + ": " + openssl_error();
      return nullptr;
    }
  }
  return session;
}

bool TlsSession::check_peer(std::string* error) const {
  // The setup of the contexts ensures both conditions; this check refuses peers without them
  // anyway.
  if (context_.uses_key() ? SSL_session_reused(ssl_.get()) != 1
                          : SSL_get0_peer_certificate(ssl_.get()) == nullptr ||
                                SSL_get_verify_result(ssl_.get()) != X509_V_OK) {
    *error = "the other side did not prove who it is";
    return false;
  }
  return true;
}

TlsStep TlsSession::handshake(std::string* error) {
  ERR_clear_error();
  const TlsStep result = step(SSL_do_handshake(ssl_.get()), true, error);
  if (result == TlsStep::kDone && !check_peer(error)) {
    return TlsStep::kFailed;
  }
  return result;
}

TlsStep TlsSession::read(void* to, size_t most, size_t* got, std::string* error) {
  ERR_clear_error();
  return step(SSL_read_ex(ssl_.get(), to, most, got), false, error);
}

TlsStep TlsSession::write(const void* from, size_t size, bool more, size_t* put,
                          std::string* error) {
  ERR_clear_error();
  socket_.more = more;
  return step(SSL_write_ex(ssl_.get(), from, size, put), false, error);
}

bool TlsSession::drained() const { return SSL_has_pending(ssl_.get()) == 0; }

void TlsSession::say_end() {
  ERR_clear_error();
  static_cast<void>(SSL_shutdown(ssl_.get()));
  ERR_clear_error();
}

TlsStep TlsSession::step(int result, bool handshaking, std::string* error) {
  if (result == 1) {
    return TlsStep::kDone;
  }
  const int system_error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return TlsStep::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return TlsStep::kWantWrite;
    case SSL_ERROR_ZERO_RETURN:
      return TlsStep::kEnd;
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      *error = std::string(handshaking ? "the TLS handshake broke off: " : "") +
               std::strerror(system_error);
      return TlsStep::kFailed;
    default:
      return failure(handshaking, error);
  }
}

// Explains common failures and their fixes.
TlsStep TlsSession::failure(bool handshaking, std::string* error) const {
  const unsigned long code = ERR_peek_error();
  const int why = ERR_GET_REASON(code);
  const std::string text = openssl_error();
  const std::string failed = "the TLS handshake failed: ";
  const auto refused = [&](const std::string& words) {
    *error = words;
    return TlsStep::kRefused;
  };
  if (why == SSL_R_UNEXPECTED_EOF_WHILE_READING ||
      why == SSL_AD_REASON_OFFSET + SSL_AD_INTERNAL_ERROR ||
      (!handshaking && why < SSL_AD_REASON_OFFSET)) {
    *error = why != SSL_R_UNEXPECTED_EOF_WHILE_READING ? (handshaking ? failed : "TLS: ") + text
             : handshaking ? failed + "the other side closed the connection"
                           : "the connection was cut off";
    return TlsStep::kFailed;
  }
  switch (why) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return refused(failed + "the other side's certificate is refused: " +
                     X509_verify_cert_error_string(SSL_get_verify_result(ssl_.get())));
    case SSL_R_BINDER_DOES_NOT_VERIFY:
      return refused(failed + "the other side has another key");
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_RECORD_LENGTH_MISMATCH:
      if (SSL_is_server(ssl_.get()) == 1) {
        say_that_this_is_tls();
      }
      return refused(failed + "the other side does not speak TLS (is it plain?)");
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return refused(failed + "the other side does not speak TLS 1.3");
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_CERTIFICATE_SET:
      return refused(failed + "the other side showed no key that is known here (" + text + ")");
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return refused(failed + "the other side showed no certificate");
    default:
      break;
  }
  if (why >= SSL_AD_REASON_OFFSET) {
    const std::string hint = context_.uses_key()
                                 ? "is the key the same on both sides?"
                                 : "does it trust our certificate, and is it valid?";
    return refused("the other side refused us in the TLS handshake (" + text + "); " + hint);
  }
  *error = failed + text;
  return TlsStep::kFailed;
}

// OpenSSL sends nothing to a client that does not use TLS.
void TlsSession::say_that_this_is_tls() const {
  static_cast<void>(
      ::send(socket_.descriptor, kTlsAlert, sizeof kTlsAlert, MSG_NOSIGNAL | MSG_DONTWAIT));
}

std::string TlsSession::security() const {
  return std::string(SSL_get_version(ssl_.get())) + ", " +
         SSL_CIPHER_get_name(SSL_get_current_cipher(ssl_.get())) + ", " +
         (context_.uses_key() ? "key" : "certificates");
}

}  // namespace gls::net
