// Memory that two processes share, and an allocator for its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/status.h"
#include "feed/wire.h"

namespace gls {

// An anonymous file of the kernel, so nothing remains when the last process with it ends. Its size
// is sealed, so it cannot shrink under a process that maps it.
class SharedMemory {
 public:
  // Writable in this process only; processes that receive its descriptor can only read it.
  static Result<std::shared_ptr<SharedMemory>> create(uint64_t bytes);
  // Read-only. Fails if it is smaller than `bytes`, or could shrink.
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

// Allocates blocks from a range of bytes, first fit.
class Arena {
 public:
  Arena(uint64_t begin, uint64_t end) : bytes_(end - begin) {
    if (bytes_ > 0) {
      free_.emplace(begin, bytes_);
    }
  }
  std::optional<uint64_t> take(uint64_t bytes);
  // False: the block does not exist.
  bool give_back(uint64_t offset);
  uint64_t bytes() const { return bytes_; }
  uint64_t used() const { return used_; }

 private:
  uint64_t bytes_;
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> free_;   // offset to bytes; no two are adjacent
  std::map<uint64_t, uint64_t> taken_;  // offset to bytes
};

}  // namespace gls
