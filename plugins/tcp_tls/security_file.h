// Reads whole files of keys and certificates.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gls::net {

// Bytes whose memory is wiped after use.
class SecretBytes {
 public:
  SecretBytes() = default;
  ~SecretBytes() { wipe(); }
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;

  void wipe();
  std::vector<unsigned char>& bytes() { return bytes_; }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<unsigned char> bytes_;
};

struct SecurityFile {
  const char* setting;  // the setting that names the file
  const char* what;     // its kind, for errors: "key file"
  bool secret = false;  // other users must not be able to read it
  size_t most = 0;      // limit in bytes
};

// Never waits, for instance for a pipe: only regular files are accepted. A secret file is refused
// if all users can access it. Like ssh, it is also refused if this user owns it and a group can
// access it. Errors never show its contents.
bool read_file(const SecurityFile& about, const std::string& path, SecretBytes* out,
               std::string* error);

}  // namespace gls::net
