#include "plugins/tcp_tls/security_file.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "system/file_descriptor.h"

namespace gls::net {
namespace {

const char* kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a directory"
         : S_ISFIFO(mode) ? "a named pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

// Other users can read or write it. If another user owns it, such as root, this process may have
// access through the group.
bool is_open_to_others(const struct stat& about) {
  const mode_t rights = about.st_uid == ::geteuid() ? S_IRWXG | S_IRWXO : S_IWGRP | S_IRWXO;
  return (about.st_mode & rights) != 0;
}

}  // namespace

void SecretBytes::wipe() {
  if (!bytes_.empty()) {
    OPENSSL_cleanse(bytes_.data(), bytes_.size());
  }
  bytes_.clear();
}

bool read_file(const SecurityFile& about, const std::string& path, SecretBytes* out,
               std::string* error) {
  const std::string setting = about.setting + std::string(": ");
  const std::string name = about.what + std::string(" ") + path;
  const auto cannot_read = [&](int why) {
    *error = setting + "cannot read " + name + ": " + std::strerror(why);
    return false;
  };
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found {};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0) {
    return cannot_read(errno);
  }
  if (!S_ISREG(found.st_mode)) {
    *error = setting + name + " is " + kind_of(found.st_mode) + ", expected a regular file";
    return false;
  }
  if (about.secret && is_open_to_others(found)) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(found.st_mode & 07777));
    *error = setting + name + " has mode " + mode +
             ", so that it is open to others, expected 0600 or 0400; take their rights away: "
             "chmod 600 " +
             path;
    return false;
  }
  std::vector<unsigned char>& bytes = out->bytes();
  out->wipe();
  // A growing vector leaves copies behind.
  bytes.resize(std::min(static_cast<size_t>(found.st_size), about.most) + 1);
  size_t size = 0;
  ssize_t got = 0;
  while (size < bytes.size() &&
         ((got = ::read(file.get(), bytes.data() + size, bytes.size() - size)) > 0 ||
          (got < 0 && errno == EINTR))) {
    size += static_cast<size_t>(std::max<ssize_t>(got, 0));
  }
  if (got < 0) {
    const int why = errno;
    out->wipe();
    return cannot_read(why);
  }
  if (size > about.most) {
    out->wipe();
    *error = setting + name + " has more than " + std::to_string(about.most) + " bytes";
    return false;
  }
  bytes.resize(size);
  return true;
}

}  // namespace gls::net
