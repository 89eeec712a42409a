// Which files are mapped where in this process, for who has bytes of one and reads it in another
// way as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gls {

struct MappedRange {
  std::string path;     // absolute, as the process may go elsewhere
  uint64_t device = 0;  // with `inode`, which file it was, whatever the path names by now
  uint64_t inode = 0;
  uint64_t size = 0;    // of the file
  uint64_t offset = 0;  // of the bytes in question, in the file
};

// A whole file, from `data` on.
void note_mapped(const void* data, MappedRange file);
void forget_mapped(const void* data);
// Nothing: the bytes are of no file that is mapped. They must stay where they are meanwhile.
std::optional<MappedRange> find_mapped(const void* data, uint64_t bytes);

}  // namespace gls
