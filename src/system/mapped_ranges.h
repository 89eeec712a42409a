// Finds the mapped file of an address, for code that also reads the file in another way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gls {

struct MappedRange {
  std::string path;     // absolute, because the process may change its folder
  uint64_t device = 0;  // with `inode`, identifies the file, even if the path names another one now
  uint64_t inode = 0;
  uint64_t size = 0;    // of the file
  uint64_t offset = 0;  // of the bytes in the file
};

// Records a whole file, mapped from `data` on.
void note_mapped(const void* data, MappedRange file);
void forget_mapped(const void* data);
// Not set: the bytes belong to no mapped file. They must stay mapped during the call.
std::optional<MappedRange> find_mapped(const void* data, uint64_t bytes);

}  // namespace gls
