// Certificates for tests, made anew by each run.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace gls::net {

class Certificate {
 public:
  // Signed by `issuer`, or by itself. `names` as OpenSSL writes them: "DNS:a,IP:127.0.0.1".
  Certificate(const std::string& name, const Certificate* issuer, const std::string& names,
              long valid_from = -3600, long valid_until = 3600)
      : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), x509_(X509_new(), X509_free) {
    X509* const x = x509_.get();
    static long serial = 1;
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
    X509_gmtime_adj(X509_getm_notBefore(x), valid_from);
    X509_gmtime_adj(X509_getm_notAfter(x), valid_until);
    X509_set_pubkey(x, key_.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    const Certificate& signer = issuer != nullptr ? *issuer : *this;
    X509_set_issuer_name(x, X509_get_subject_name(signer.x509_.get()));
    extend(signer, NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
    if (!names.empty()) {
      extend(signer, NID_subject_alt_name, names.c_str());
    }
    X509_sign(x, signer.key_.get(), EVP_sha256());
  }

  std::string pem() const {
    return written([this](BIO* bio) { PEM_write_bio_X509(bio, x509_.get()); });
  }
  std::string key_pem() const {
    return written([this](BIO* bio) {
      PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }
  std::string encrypted_key_pem() const {
    return written([this](BIO* bio) {
      static const unsigned char passphrase[] = "secret";
      PEM_write_bio_PrivateKey(bio, key_.get(), EVP_aes_128_cbc(), passphrase,
                               sizeof passphrase - 1, nullptr, nullptr);
    });
  }

 private:
  void extend(const Certificate& signer, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, signer.x509_.get(), x509_.get(), nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
    X509_add_ext(x509_.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }
  template <typename Write>
  static std::string written(Write write) {
    BIO* const bio = BIO_new(BIO_s_mem());
    write(bio);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<size_t>(size));
    BIO_free(bio);
    return text;
  }

  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
  std::unique_ptr<X509, void (*)(X509*)> x509_;
};

}  // namespace gls::net
