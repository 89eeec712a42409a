// The key that both sides of a connection share. Its memory is wiped after use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/tcp_tls/security_file.h"

namespace gls::net {

class Key {
 public:
  // Hexadecimal, base64, or, from a file, raw bytes. Errors never show any part of the key.
  bool read_file(const std::string& path, std::string* error);
  bool read_environment(const std::string& name, std::string* error);
  const std::vector<unsigned char>& bytes() const { return key_.bytes(); }

 private:
  bool parse(const SecretBytes& text, bool may_be_raw, const std::string& from, std::string* error);
  std::vector<unsigned char>& empty();
  SecretBytes key_;
};

}  // namespace gls::net
