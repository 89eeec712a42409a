#include "system/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace gls {
namespace {

constexpr size_t kSmallPage = 4096;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

PageBlock::PageBlock(size_t bytes, bool huge_pages) {
  if (bytes == 0) {
    return;
  }
  const bool huge = huge_pages && bytes >= kHugePage / 2;
  const size_t size = round_up(bytes, huge ? kHugePage : kSmallPage);
  // mmap aligns to 4 KiB only: maps one more huge page and unmaps the ends.
  const size_t slack = huge ? kHugePage : 0;
  void* const raw =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) {
    throw std::bad_alloc();
  }
  auto* start = static_cast<std::byte*>(raw);
  if (slack > 0) {
    const size_t head =
        round_up(reinterpret_cast<uintptr_t>(raw), kHugePage) - reinterpret_cast<uintptr_t>(raw);
    if (head > 0) {
      munmap(start, head);
    }
    if (slack > head) {
      munmap(start + head + size, slack - head);
    }
    start += head;
    madvise(start, size, MADV_HUGEPAGE);  // a refusal only costs speed
  }
  data_ = start;
  size_ = size;
}

void PageBlock::fault_in(size_t begin, size_t bytes) const {
#ifdef MADV_POPULATE_WRITE
  static const auto kPage = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(data_ + begin) / kPage * kPage;
  const auto end = reinterpret_cast<uintptr_t>(data_ + begin + bytes);
  madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE);
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

PageBlock::~PageBlock() {
  if (data_ != nullptr) {
    munmap(data_, size_);
  }
}

void Buffer::reset() {
  if (pool_ != nullptr && block_.data() != nullptr) {
    pool_->give_back(std::move(block_));
  }
  pool_.reset();
}

void Buffer::reserve(size_t bytes, size_t used) {
  if (bytes <= capacity()) {
    return;
  }
  Buffer larger = pool_->acquire(bytes);
  std::memcpy(larger.as<>(), as<>(), used);
  *this = std::move(larger);
}

size_t BufferPool::class_of(size_t bytes) {
  bytes = bytes < kSmallPage ? kSmallPage : bytes;
  const size_t power = static_cast<size_t>(std::bit_width(bytes - 1)) - 1;  // 2^power < bytes
  const size_t quarter =
      (bytes - (size_t{1} << power) + (size_t{1} << (power - 2)) - 1) >> (power - 2);  // 1 .. 4
  return 4 * power + quarter - 1;
}

size_t BufferPool::class_bytes(size_t index) {
  const size_t power = index / 4;
  return (size_t{1} << power) + (index % 4 + 1) * (size_t{1} << (power - 2));
}

Buffer BufferPool::acquire(size_t bytes) {
  const size_t index = class_of(bytes);
  {
    const std::lock_guard lock(mutex_);
    // Rounding to whole huge pages may raise a block by up to four classes: from half a page to a
    // page.
    const size_t lifted = class_bytes(index) < kHugePage / 2 ? 3 : 4;
    for (size_t i = index; i < std::min(index + lifted + 1, kClasses); ++i) {
      if (!idle_[i].empty()) {
        PageBlock block = std::move(idle_[i].back());
        idle_[i].pop_back();
        idle_bytes_ -= block.size();
        return {shared_from_this(), std::move(block)};
      }
    }
  }
  return {shared_from_this(),
          PageBlock(class_bytes(index), huge_pages_.load(std::memory_order_relaxed))};
}

SharedBytes given_or_acquired(SharedBytes given, BufferPool& pool, size_t bytes) {
  if (given != nullptr) {
    return given;
  }
  auto buffer = std::make_shared<Buffer>(pool.acquire(bytes));
  auto* const data = buffer->as<>();
  return {std::move(buffer), data};
}

void BufferPool::configure(bool huge_pages, uint64_t max_idle_bytes) {
  huge_pages_.store(huge_pages, std::memory_order_relaxed);
  std::array<std::vector<PageBlock>, kClasses> freed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  max_idle_bytes_ = max_idle_bytes;
  if (idle_bytes_ > max_idle_bytes_) {
    freed.swap(idle_);
    idle_bytes_ = 0;
  }
}

void BufferPool::give_back(PageBlock block) {
  PageBlock freed;  // unmapped outside the lock
  if (fork_generation() != fork_generation_) {
    freed = std::move(block);  // the lock may have been held during the fork
    return;
  }
  const std::lock_guard lock(mutex_);
  if (idle_bytes_ + block.size() > max_idle_bytes_) {
    freed = std::move(block);
    return;
  }
  // The block may be larger than its class (whole pages). It is stored in a class whose requests it
  // always satisfies.
  size_t index = class_of(block.size());
  if (class_bytes(index) > block.size()) {
    --index;
  }
  const size_t size = block.size();
  try {
    idle_[index].push_back(std::move(block));
  } catch (const std::bad_alloc&) {
    freed = std::move(block);  // unchanged if there is no room
    return;
  }
  idle_bytes_ += size;
}

}  // namespace gls
