// The key that both sides of a connection have. It is wiped where it was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gls::net {

class Key {
 public:
  Key() = default;
  ~Key() { wipe(); }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

  // Hexadecimal, base64, or, from a file, raw bytes. Errors never show any of it.
  bool read_file(const std::string& path, std::string* error);
  bool read_environment(const std::string& name, std::string* error);
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  bool parse(std::vector<unsigned char>& text, bool may_be_raw, const std::string& from,
             std::string* error);
  void wipe();
  std::vector<unsigned char> bytes_;
};

}  // namespace gls::net
