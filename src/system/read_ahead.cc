#include "system/read_ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace gls {
namespace {

constexpr uint64_t kWindow = uint64_t{64} << 20;
constexpr uint64_t kStep = uint64_t{8} << 20;  // requested at once

// The system ignores bytes beyond a disk's own read-ahead, which has this size by default.
constexpr uint64_t kMostOfCall = uint64_t{128} << 10;

uintptr_t bytes_of_page() {
  static const auto bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

void* page_of(const void* data) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(data) / bytes_of_page() *
                                 bytes_of_page());
}

uint64_t bytes_from(const void* page, const void* data, uint64_t bytes) {
  return static_cast<uint64_t>(static_cast<const char*>(data) - static_cast<const char*>(page)) +
         bytes;
}

}  // namespace

void will_read(const void* data, uint64_t bytes) {
  auto* const page = static_cast<char*>(page_of(data));
  const uint64_t size = bytes_from(page, data, bytes);
  for (uint64_t at = 0; at < size; at += kMostOfCall) {
    static_cast<void>(::madvise(page + at, std::min(kMostOfCall, size - at), MADV_WILLNEED));
  }
}

bool is_in_memory(const void* data) {
  unsigned char flags = 1;
  return ::mincore(page_of(data), 1, &flags) != 0 || (flags & 1) != 0;
}

void ReadAhead::reach(uint64_t end) {
  const uint64_t to = std::min(bytes_, end + kWindow);
  // In whole steps except at the end, to keep the number of calls low.
  while (asked_ < to && (to - asked_ >= kStep || to == bytes_)) {
    const uint64_t size = std::min(kStep, to - asked_);
    will_read(data_ + asked_, size);
    asked_ += size;
  }
}

void read_all(const void* data, uint64_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  ReadAhead ahead(data, bytes);
  for (uint64_t at = 0; at < bytes; at += kStep) {
    const uint64_t size = std::min(kStep, bytes - at);
    ahead.reach(at + size);
    for (uint64_t byte = 0; byte < size; byte += bytes_of_page()) {
      static_cast<void>(*static_cast<const volatile std::byte*>(first + at + byte));
    }
  }
}

}  // namespace gls
