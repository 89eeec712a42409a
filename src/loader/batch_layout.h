// A batch as one block of bytes: a description, and the arrays, each at a multiple of 64 bytes. It
// is written once, and read in place by whoever has the block, in another process or on another
// machine. docs/decisions/0032-feeds.md has the layout byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "sample/batch/batch.h"

namespace gls {

inline constexpr uint64_t kBlockAlignment = 64;
inline constexpr size_t kMostTensorDims = 16;

constexpr uint64_t aligned(uint64_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

struct BatchLayout {
  struct Place {
    Tensor tensor;
    uint64_t offset;
  };
  std::vector<std::byte> description;  // at offset 0
  std::vector<Place> places;
  size_t first_column = 0;  // of the places
  uint64_t bytes = 0;       // of the whole block

  // Bytes of the arrays that have memory, which are copied.
  uint64_t copied_bytes() const;
  // For what is gathered after the layout was made.
  void set_gather_ns(uint64_t ns);
};

// Fails where the batch has what the layout cannot say.
Result<BatchLayout> lay_out(const Batch& batch);
// `block` has layout.bytes, and is aligned as its places are. All of it is written, but for the
// places of arrays without memory: those are for who fills them.
void write_batch(const BatchLayout& layout, std::byte* block);

// A batch whose arrays view `block`, which `owner` keeps. Nothing is believed: whatever the bytes
// are, the batch that comes out is one that all calls on batches can be made on. Only the numbers
// in the arrays may be anything, but for those that the library reads itself.
//   description  a copy, which nobody changes in the meantime
//   names        types and columns, of the dataset that the batch was made of
//   read_only    whether others read the block, too
Result<std::shared_ptr<Batch>> read_batch(std::span<const std::byte> description,
                                          std::span<const std::byte> block,
                                          const std::shared_ptr<const void>& owner,
                                          const std::shared_ptr<const Dataset>& names,
                                          bool read_only = true);

}  // namespace gls
