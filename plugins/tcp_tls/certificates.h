// Reads certificates from files: this side's certificate, its private key, and the authority that
// signs certificates of peers.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

#include "net/core/stream.h"

namespace gls::net {

// The first error in OpenSSL's queue; the rest is dropped.
std::string openssl_error();

class Certificates {
 public:
  // Refuses what cannot be used now: an encrypted key, or an expired certificate.
  static bool read(const StreamOptions& options, Certificates* out, std::string* error);
  bool use_in(SSL_CTX* context, std::string* error) const;

 private:
  struct Free {
    void operator()(X509* x509) const { X509_free(x509); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  using X509Ptr = std::unique_ptr<X509, Free>;

  bool read_own(const std::string& path, std::string* error);
  bool read_key(const std::string& path, const std::string& own_path, std::string* error);
  bool read_authorities(const std::string& path, std::string* error);

  std::vector<X509Ptr> own_;  // this side's certificate, then those that signed it
  std::unique_ptr<EVP_PKEY, Free> key_;
  std::vector<X509Ptr> authorities_;
};

}  // namespace gls::net
