// Large blocks of memory, on 2 MiB pages if the system grants them, and a pool that reuses them. A
// batch's arrays are too large for malloc to keep. Fresh pages cost more than filling them: about
// 200 of the 300 ns that an ordinary gather needs per row.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "system/fork.h"

namespace gls {

inline constexpr size_t kCacheLine = 64;
inline constexpr size_t kHugePage = size_t{2} << 20;

// Zero-filled pages from the system; aligned to at least 64 bytes, or to 2 MiB when large. Throws
// std::bad_alloc.
class PageBlock {
 public:
  PageBlock() = default;
  PageBlock(size_t bytes, bool huge_pages);
  ~PageBlock();
  PageBlock(PageBlock&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageBlock& operator=(PageBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  // Takes the pages of this range from the system now, and not at their first use. Without effect
  // where the system cannot.
  void fault_in(size_t begin, size_t bytes) const;

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

class BufferPool;

// A block borrowed from a pool. Move-only; its destructor returns it.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<BufferPool> pool, PageBlock block)
      : pool_(std::move(pool)), block_(std::move(block)) {}
  ~Buffer() { reset(); }
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      reset();
      pool_ = std::move(other.pool_);
      block_ = std::move(other.block_);
    }
    return *this;
  }

  template <typename T = std::byte>
  T* as() const {
    return reinterpret_cast<T*>(block_.data());
  }
  size_t capacity() const { return block_.size(); }

  // Makes room for `bytes`, and keeps the first `used` bytes.
  void reserve(size_t bytes, size_t used);

 private:
  void reset();
  std::shared_ptr<BufferPool> pool_;
  PageBlock block_;
};

// Lends blocks, and keeps returned blocks for the next batch.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  BufferPool(bool huge_pages, uint64_t max_idle_bytes)
      : huge_pages_(huge_pages), max_idle_bytes_(max_idle_bytes) {}

  // At least `bytes`, with undefined contents. Throws std::bad_alloc.
  Buffer acquire(size_t bytes);
  // For blocks that are acquired and returned from now on.
  void configure(bool huge_pages, uint64_t max_idle_bytes);

 private:
  friend class Buffer;
  void give_back(PageBlock block);

  // Four size classes per power of two, so at most a quarter of a block is unused.
  static constexpr size_t kClasses = size_t{4} * 64;
  static size_t class_of(size_t bytes);
  static size_t class_bytes(size_t index);

  std::atomic<bool> huge_pages_;
  const uint32_t fork_generation_ = fork_generation();
  std::mutex mutex_;
  uint64_t max_idle_bytes_;
  uint64_t idle_bytes_ = 0;
  std::array<std::vector<PageBlock>, kClasses> idle_;
};

// Bytes with their owner. NULL, for an optional argument: the callee takes memory from a pool.
using SharedBytes = std::shared_ptr<std::byte>;
// The given memory, or else memory from acquire(). Throws std::bad_alloc.
SharedBytes given_or_acquired(SharedBytes given, BufferPool& pool, size_t bytes);

}  // namespace gls
