// Common code of fuzz targets: pieces of the input, files made from it, and claims about results.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "context/context.h"

// A claim that no input may break.
#define CLAIM(condition)                                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

namespace gls::fuzz {

// Reads the input front to back; beyond its end everything is zero or empty.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  uint8_t byte() {
    if (rest_.empty()) {
      return 0;
    }
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  uint32_t below(uint32_t limit) { return byte() % limit; }
  bool chance() { return (byte() & 1) != 0; }
  uint64_t number(size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
      value |= uint64_t{byte()} << (8 * i);
    }
    return value;
  }
  std::string_view bytes(size_t count) {
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(out.size());
    return out;
  }
  // A piece comes after its length in two bytes.
  std::string_view piece() { return bytes(static_cast<size_t>(number(2))); }
  std::string_view rest() { return bytes(rest_.size()); }

 private:
  std::string_view rest_;
};

// A file in memory, which still has a path.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("fuzz", MFD_CLOEXEC)) { CLAIM(fd_ >= 0); }
  explicit MemoryFile(std::string_view text) : MemoryFile() { set(text); }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void set(std::string_view text) {
    CLAIM(ftruncate(fd_, 0) == 0);
    CLAIM(pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

// A temporary folder, created at first use and removed with its contents.
class TempFolder {
 public:
  TempFolder() = default;
  ~TempFolder() {
    if (!path_.empty()) {
      std::error_code ec;
      std::filesystem::remove_all(path_, ec);
    }
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string file(uint32_t number) {
    if (path_.empty()) {
      path_ = std::filesystem::temp_directory_path() / "gls-fuzz-XXXXXX";
      CLAIM(mkdtemp(path_.data()) != nullptr);
    }
    return path_ + "/" + std::to_string(number);
  }

 private:
  std::string path_;
};

// One for all inputs: threads start slowly.
inline const std::shared_ptr<Context>& shared_context() {
  static const std::shared_ptr<Context> context = [] {
    ContextOptions options;
    options.num_threads = 1;
    options.log_level = GLS_LOG_ERROR;
    auto made = Context::create(options, nullptr, nullptr, nullptr);
    CLAIM(made.ok());
    return made.take();
  }();
  return context;
}

// Checks an error: the input caused it, and it has a text.
inline void claim_error(const Status& status) {
  CLAIM(!status.ok());
  CLAIM(status.code() < 0 && status.code() != GLS_ERR_INTERNAL);
  CLAIM(!status.message().empty());
}

}  // namespace gls::fuzz
