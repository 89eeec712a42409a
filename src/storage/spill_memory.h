// Memory for much data that is written once and read a few times, in order: a mapped file without a
// name, whose pages the system may write to the disk and drop. A little stays in ordinary memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/io_queue.h"

namespace gls {

// Any number of threads may take memory at once.
class SpillMemory {
 public:
  // Thrown if the folder cannot hold more.
  class NoSpace : public std::bad_alloc {
   public:
    explicit NoSpace(Status status) : status_(std::make_shared<Status>(std::move(status))) {}
    Status status() const { return status_->copy(); }

   private:
    std::shared_ptr<const Status> status_;
  };

  // `folder` of the file; empty: ordinary memory.
  explicit SpillMemory(std::string folder) : folder_(std::move(folder)) {}
  ~SpillMemory();
  SpillMemory(const SpillMemory&) = delete;
  SpillMemory& operator=(const SpillMemory&) = delete;

  // Values with undefined content, which live as long as this object. Throws std::bad_alloc.
  template <typename T>
  std::span<T> take(size_t count) {
    return {reinterpret_cast<T*>(take_bytes(count * sizeof(T))), count};
  }

  // That were taken.
  uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  std::byte* take_bytes(size_t bytes);
  std::byte* map_more(size_t bytes);

  const std::string folder_;
  mutable std::mutex mutex_;
  std::optional<StorageFile> file_;
  uint64_t taken_ = 0;
  uint64_t file_bytes_ = 0;
  struct Piece {
    std::byte* data;
    size_t bytes;
  };
  std::vector<Piece> mapped_;
  std::vector<std::unique_ptr<std::byte[]>> allocated_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
};

// The status of `call`, or of the folder that has no space for it.
template <typename Call>
Status or_no_space(const Call& call) {
  try {
    return call();
  } catch (const SpillMemory::NoSpace& e) {
    return e.status();
  }
}

}  // namespace gls
