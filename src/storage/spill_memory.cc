#include "storage/spill_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace gls {

SpillMemory::~SpillMemory() {
  for (const Piece& piece : mapped_) {
    munmap(piece.data, piece.bytes);
  }
}

std::byte* SpillMemory::take_bytes(size_t bytes) {
  constexpr size_t kAligned = alignof(std::max_align_t);
  bytes = aligned(bytes, kAligned);
  const std::lock_guard lock(mutex_);
  if (bytes > left_) {
    // Pieces grow, as there may be little to hold. They are whole pages.
    constexpr size_t kFirst = size_t{256} << 10;
    constexpr size_t kMost = size_t{16} << 20;
    const size_t least = folder_.empty() ? kFirst : std::clamp<size_t>(file_bytes_, kFirst, kMost);
    const size_t more = aligned(std::max(bytes, least), kFirst);
    const bool little = allocated_.empty() && mapped_.empty() && more == kFirst;
    if (folder_.empty() || little) {
      next_ = allocated_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(more)).get();
    } else {
      next_ = map_more(more);
    }
    left_ = more;
  }
  taken_ += bytes;
  std::byte* const out = next_;
  next_ += bytes;
  left_ -= bytes;
  return out;
}

// The space is taken first: writing to a page for which the disk has no room would end the process.
std::byte* SpillMemory::map_more(size_t bytes) {
  if (!file_.has_value()) {
    Result<StorageFile> file = StorageFile::create_unnamed(folder_, false);
    if (!file.ok()) {
      throw NoSpace(std::move(file.status()));
    }
    file_.emplace(file.take());
  }
  mapped_.reserve(mapped_.size() + 1);
  int failed = 0;
  do {
    failed =
        posix_fallocate(file_->fd(), static_cast<off_t>(file_bytes_), static_cast<off_t>(bytes));
  } while (failed == EINTR);
  if (failed != 0) {
    throw NoSpace(io_error(formatted("cannot take {} bytes for", bytes), file_->path(), failed));
  }
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_->fd(),
                          static_cast<off_t>(file_bytes_));
  if (data == MAP_FAILED) {
    throw std::bad_alloc();
  }
  file_bytes_ += bytes;
  mapped_.push_back({static_cast<std::byte*>(data), bytes});
  return static_cast<std::byte*>(data);
}

}  // namespace gls
