// Memory for much data that is written once and read a few times, in order: a mapped file without a
// name, whose pages the system may write to the disk and drop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/io_queue.h"

namespace gls {

// Any number of threads may take memory at once.
class SpillMemory {
 public:
  // `folder` of the file; empty: ordinary memory.
  explicit SpillMemory(std::string folder) : folder_(std::move(folder)) {}
  ~SpillMemory();
  SpillMemory(const SpillMemory&) = delete;
  SpillMemory& operator=(const SpillMemory&) = delete;

  // Values with undefined content, which live as long as this object. Throws std::bad_alloc, also
  // if the folder has no space left.
  template <typename T>
  std::span<T> take(size_t count) {
    return {reinterpret_cast<T*>(take_bytes(count * sizeof(T))), count};
  }

 private:
  std::byte* take_bytes(size_t bytes);
  std::byte* map_more(size_t bytes);

  const std::string folder_;
  std::mutex mutex_;
  std::optional<StorageFile> file_;
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

}  // namespace gls
