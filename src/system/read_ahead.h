// Starts reads of mapped files before the pages are needed. Otherwise pages are read one by one
// where the system's read-ahead is off or cannot predict the next page. A disk then gets one short
// read at a time. Code that knows its next reads calls this, and many reads are in flight. It costs
// little for pages in memory, and nothing for memory without a file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gls {

// Starts reading the bytes that are not in memory, without waiting.
void will_read(const void* data, uint64_t bytes);

// Whether the page is in memory.
bool is_in_memory(const void* data);

// For bytes that are read in order.
class ReadAhead {
 public:
  ReadAhead(const void* data, uint64_t bytes)
      : data_(static_cast<const std::byte*>(data)), bytes_(bytes) {}
  // Bytes before `end` are being read now; starts reading some that follow.
  void reach(uint64_t end);

 private:
  const std::byte* data_;
  uint64_t bytes_;
  uint64_t asked_ = 0;
};

// Reads all of it, so that it is in memory, unless memory is full.
void read_all(const void* data, uint64_t bytes);

}  // namespace gls
