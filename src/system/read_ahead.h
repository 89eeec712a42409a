// Pages of mapped files are read one by one when somebody looks at them, where read-ahead is off or
// does not see what comes next: a disk then has one short read at a time. Who knows what comes next
// says so, and the system has many reads on their way. What is in memory costs little, and memory
// that is of no file nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gls {

// Begins to read what of this is not in memory, and does not wait for it.
void will_read(const void* data, uint64_t bytes);

// Whether the page is in memory.
bool is_in_memory(const void* data);

// Of bytes that are read in their order.
class ReadAhead {
 public:
  ReadAhead(const void* data, uint64_t bytes)
      : data_(static_cast<const std::byte*>(data)), bytes_(bytes) {}
  // Those before `end` are looked at now: some that follow will be.
  void reach(uint64_t end);

 private:
  const std::byte* data_;
  uint64_t bytes_;
  uint64_t asked_ = 0;
};

// Looks at all of it, so that it is in memory unless that is full.
void read_all(const void* data, uint64_t bytes);

}  // namespace gls
