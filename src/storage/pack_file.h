// Packs of rows in a file without a name: written in any order of packs, each from its begin to its
// end, and read one after another. The system removes the file when the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/io_queue.h"
#include "system/memory.h"

namespace gls {

class PackFile {
 public:
  // `bytes` of each pack. Takes the space at once: an error if the folder has less. Throws
  // std::bad_alloc.
  static Result<std::unique_ptr<PackFile>> create(const std::string& folder,
                                                  std::span<const uint64_t> bytes);

  size_t packs() const { return begins_.size() - 1; }
  // The memory that read() needs.
  uint64_t memory_bytes(size_t pack) const { return begins_[pack + 1] - begins_[pack]; }
  uint64_t file_bytes() const { return begins_.back(); }

  // Reads a pack through a queue that has no requests under way. `to` is aligned as
  // kDirectAlignment.
  Status read(IoQueue& queue, size_t pack, std::byte* to) const;
  // Gives the space of a pack back.
  void discard(size_t pack) const { file_.discard(begins_[pack], memory_bytes(pack)); }

 private:
  friend class PackWriter;
  PackFile(StorageFile file, std::vector<uint64_t> begins)
      : file_(std::move(file)), begins_(std::move(begins)) {}

  StorageFile file_;
  std::vector<uint64_t> begins_;  // [packs + 1], multiples of kDirectAlignment
};

// Writes the packs. One thread at a time uses it.
class PackWriter {
 public:
  // Uses about `memory` bytes: a buffer for each pack and some for requests under way. Throws
  // std::bad_alloc. All arguments must outlive it.
  PackWriter(PackFile& file, IoQueue& queue, BufferPool& pool, uint64_t memory);
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;
  ~PackWriter();

  // Adds bytes at the end of a pack, which must have room for them.
  Status append(size_t pack, const std::byte* data, uint64_t bytes);
  // Writes what is left, and waits.
  Status finish();

 private:
  struct Part {
    uint64_t written = 0;  // bytes of the pack in requests that began
    uint64_t filled = 0;   // bytes in the buffer
    Buffer buffer;         // none: empty
  };
  Status write(size_t pack);
  Status wait();

  PackFile& file_;
  IoQueue& queue_;
  BufferPool& pool_;
  uint64_t part_bytes_;
  std::vector<Part> parts_;
  std::vector<Buffer> writing_;  // by tag of the request
  std::vector<uint64_t> free_tags_;
};

}  // namespace gls
