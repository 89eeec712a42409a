// Memory that two processes share, and who has which part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/status.h"
#include "feed/wire.h"

namespace gls {

// A file of the kernel's that has no name, so nothing is left of it when the last process that has
// it ends. Its size is sealed: whoever maps it need not fear that it shrinks.
class SharedMemory {
 public:
  // Can be written here, and by nobody who gets its descriptor.
  static Result<std::shared_ptr<SharedMemory>> create(uint64_t bytes);
  // To be read. Fails if it is not as large, or could shrink.
  static Result<std::shared_ptr<SharedMemory>> map(Fd fd, uint64_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  int fd() const { return fd_.get(); }

 private:
  SharedMemory(Fd fd, std::byte* data, uint64_t size)
      : fd_(std::move(fd)), data_(data), size_(size) {}
  Fd fd_;
  std::byte* data_;
  uint64_t size_;
};

// Hands out blocks of a range of bytes: the first that is large enough.
class Arena {
 public:
  Arena(uint64_t begin, uint64_t end) : bytes_(end - begin) {
    if (bytes_ > 0) {
      free_.emplace(begin, bytes_);
    }
  }
  std::optional<uint64_t> take(uint64_t bytes);
  // False: there is no such block.
  bool give_back(uint64_t offset);
  uint64_t bytes() const { return bytes_; }
  uint64_t used() const { return used_; }

 private:
  uint64_t bytes_;
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> free_;   // offset to bytes; no two are neighbours
  std::map<uint64_t, uint64_t> taken_;  // the same
};

}  // namespace gls
