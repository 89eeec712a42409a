// The byte layout of a batch in one block: a description, then the arrays, each at a multiple of 64
// bytes. The block is written once and read in place, in another process or on another machine.
// docs/decisions/0032-feeds.md defines it byte by byte.
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
  size_t first_column = 0;  // index in the places
  uint64_t bytes = 0;       // of the whole block

  // Bytes of the arrays with memory, which are copied.
  uint64_t copied_bytes() const;
  // For columns that are gathered after the layout was made.
  void set_gather_ns(uint64_t ns);
};

// Fails if the layout cannot express something in the batch.
Result<BatchLayout> lay_out(const Batch& batch);
// `block` has layout.bytes, and is aligned like its places. Everything is written except the places
// of arrays without memory, which the caller fills.
void write_batch(const BatchLayout& layout, std::byte* block);

// A batch whose arrays view `block`, which `owner` keeps alive. Everything is checked: for any
// bytes, every call on the returned batch is safe. Only numbers in arrays that the library does not
// read are unchecked.
// - `description`: a copy, which does not change meanwhile
// - `names`: the dataset that the batch was made of, with its types and columns
// - `read_only`: whether other processes read the block, too
Result<std::shared_ptr<Batch>> read_batch(std::span<const std::byte> description,
                                          std::span<const std::byte> block,
                                          const std::shared_ptr<const void>& owner,
                                          const std::shared_ptr<const Dataset>& names,
                                          bool read_only = true);

}  // namespace gls
