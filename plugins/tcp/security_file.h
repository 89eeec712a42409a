// The files of keys and certificates, read whole.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gls::net {

// Wiped where it was.
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
  const char* setting;  // that names the file
  const char* what;     // it is, for errors: "key file"
  bool secret = false;  // others must not be able to read it
  size_t most = 0;      // bytes
};

// Never waits, as for one who writes to a pipe: what is no regular file is refused. A secret file
// is refused where everybody can use it, or where its owner is who runs this and a group can, as
// ssh does. Errors never show any of it.
bool read_file(const SecurityFile& about, const std::string& path, SecretBytes* out,
               std::string* error);

}  // namespace gls::net
