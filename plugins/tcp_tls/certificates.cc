#include "plugins/tcp_tls/certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

#include "plugins/tcp_tls/security_file.h"

namespace gls::net {
namespace {

constexpr size_t kMostBytes = size_t{16} << 20;
constexpr SecurityFile kOwn = {"net.certificate_file", "certificate file", false, kMostBytes};
constexpr SecurityFile kKey = {"net.certificate_key_file", "private key file", true, kMostBytes};
constexpr SecurityFile kAuthorities = {"net.ca_file", "CA file", false, kMostBytes};

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, FreeBio>;

BioPtr reader(const SecretBytes& bytes) {
  return BioPtr(BIO_new_mem_buf(bytes.bytes().data(), static_cast<int>(bytes.bytes().size())));
}

// Otherwise OpenSSL would ask for the passphrase on the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

std::string about(const SecurityFile& file, const std::string& path) {
  return std::string(file.setting) + ": " + file.what + " " + path;
}

std::string text_of(const ASN1_TIME* time) {
  std::tm date{};
  char text[32] = "an unknown time";
  if (ASN1_TIME_to_tm(time, &date) == 1) {
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &date);
  }
  return text;
}

std::string name_of(const X509* x509) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  char* text = nullptr;
  if (bio == nullptr || X509_NAME_print_ex(bio.get(), X509_get_subject_name(x509), 0,
                                           XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) < 0) {
    return "?";
  }
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<size_t>(size)};
}

// Empty: it is valid now.
std::string why_not_now(const X509* x509) {
  const ASN1_TIME* const end = X509_get0_notAfter(x509);
  const ASN1_TIME* const begin = X509_get0_notBefore(x509);
  return X509_cmp_current_time(end) < 0     ? "expired at " + text_of(end)
         : X509_cmp_current_time(begin) > 0 ? "is not valid before " + text_of(begin)
                                            : "";
}

}  // namespace

std::string openssl_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) {
    return "no reason given";
  }
  if (ERR_SYSTEM_ERROR(code)) {
    return std::strerror(ERR_GET_REASON(code));
  }
  const char* const text = ERR_reason_error_string(code);
  return text != nullptr ? text : "error " + std::to_string(code);
}

bool Certificates::read_own(const std::string& path, std::string* error) {
  SecretBytes text;
  if (!read_file(kOwn, path, &text, error)) {
    return false;
  }
  const BioPtr bio = reader(text);
  bool asked = false;
  while (X509* const next = PEM_read_bio_X509_AUX(bio.get(), nullptr, no_passphrase, &asked)) {
    own_.emplace_back(next);
  }
  if (own_.empty()) {
    *error = about(kOwn, path) + " has no certificate in PEM: " + openssl_error();
    return false;
  }
  const int end = ERR_GET_REASON(ERR_peek_last_error());
  if (end != PEM_R_NO_START_LINE) {
    *error = about(kOwn, path) + " is damaged behind certificate " + std::to_string(own_.size()) +
             ": " + openssl_error();
    return false;
  }
  ERR_clear_error();
  for (const X509Ptr& x509 : own_) {
    if (const std::string why = why_not_now(x509.get()); !why.empty()) {
      *error = about(kOwn, path) + ": the certificate \"" + name_of(x509.get()) + "\" " + why +
               ", expected one that is valid now";
      return false;
    }
  }
  return true;
}

bool Certificates::read_key(const std::string& path, const std::string& own_path,
                            std::string* error) {
  SecretBytes text;
  if (!read_file(kKey, path, &text, error)) {
    return false;
  }
  const BioPtr bio = reader(text);
  bool asked = false;
  key_.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &asked));
  if (key_ == nullptr) {
    *error = about(kKey, path) +
             (asked ? " is encrypted, expected a key without a passphrase (openssl pkey -in FILE "
                      "-out FILE decrypts it)"
                    : " has no private key in PEM: " + openssl_error());
    ERR_clear_error();
    return false;
  }
  if (X509_check_private_key(own_.front().get(), key_.get()) != 1) {
    *error =
        about(kKey, path) + " is not of the certificate in " + own_path + ": " + openssl_error();
    return false;
  }
  return true;
}

bool Certificates::read_authorities(const std::string& path, std::string* error) {
  SecretBytes text;
  if (!read_file(kAuthorities, path, &text, error)) {
    return false;
  }
  const BioPtr bio = reader(text);
  bool asked = false;
  STACK_OF(X509_INFO)* const all =
      PEM_X509_INFO_read_bio(bio.get(), nullptr, no_passphrase, &asked);
  for (int i = 0; i < sk_X509_INFO_num(all); ++i) {  // a NULL list has none
    if (X509* const x509 = std::exchange(sk_X509_INFO_value(all, i)->x509, nullptr)) {
      authorities_.emplace_back(x509);
    }
  }
  const bool damaged = all == nullptr;
  sk_X509_INFO_pop_free(all, X509_INFO_free);
  if (authorities_.empty()) {
    *error = about(kAuthorities, path) + " has no certificate in PEM" +
             (damaged ? ": " + openssl_error() : "");
    return false;
  }
  ERR_clear_error();
  const auto is_of_now = [](const X509Ptr& x509) { return why_not_now(x509.get()).empty(); };
  if (std::none_of(authorities_.begin(), authorities_.end(), is_of_now)) {
    X509* const first = authorities_.front().get();
    *error = about(kAuthorities, path) + ": the certificate \"" + name_of(first) + "\" " +
             why_not_now(first) + ", expected one that is valid now";
    return false;
  }
  return true;
}

bool Certificates::read(const StreamOptions& options, Certificates* out, std::string* error) {
  return out->read_own(options.certificate_file, error) &&
         out->read_key(options.key_file, options.certificate_file, error) &&
         out->read_authorities(options.ca_file, error);
}

bool Certificates::use_in(SSL_CTX* context, std::string* error) const {
  bool used = SSL_CTX_use_certificate(context, own_.front().get()) == 1 &&
              SSL_CTX_clear_chain_certs(context) == 1;
  for (size_t i = 1; i < own_.size() && used; ++i) {
    used = SSL_CTX_add1_chain_cert(context, own_[i].get()) == 1;
  }
  used = used && SSL_CTX_use_PrivateKey(context, key_.get()) == 1 &&
         SSL_CTX_check_private_key(context) == 1;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (size_t i = 0; i < authorities_.size() && used; ++i) {
    used = X509_STORE_add_cert(store, authorities_[i].get()) == 1;
  }
  if (!used) {
    *error = "cannot use the certificates: " + openssl_error();
  }
  return used;
}

}  // namespace gls::net
