// Reads the rows that the batches of a window miss, into packs in memory or in a file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "loader/planned/window.h"
#include "loader/produce/batch_producer.h"
#include "storage/disk_probe.h"
#include "storage/kept_rows.h"

namespace gls {

class WindowReads {
 public:
  // All arguments must outlive it. `memory`: for requests under way.
  WindowReads(const std::vector<PlannedColumn>& columns, const DiskSpeed& disk, IoQueue& queue,
              BufferPool& pool, uint64_t memory)
      : columns_(columns), disk_(disk), queue_(queue), pool_(pool), memory_(memory) {}

  // Reads the packs of batches first to first + packs.size() - 1 of the window, each into memory of
  // its size.
  Status read(const Window& window, size_t first, std::span<std::byte* const> packs,
              DiskCounts* counts) const;
  // Reads the packs of all batches into window.file. `memory`: for parts that are not written yet.
  // The rows that are placed go to the slots window.placed of `kept`.
  Status write(const Window& window, std::span<const KeptRows> kept, IoQueue& writes,
               uint64_t memory, DiskCounts* counts) const;

 private:
  template <typename Take>
  Status visit(const Window& window, size_t column, size_t first, size_t count, DiskCounts* counts,
               Take take) const;

  const std::vector<PlannedColumn>& columns_;
  const DiskSpeed& disk_;
  IoQueue& queue_;
  BufferPool& pool_;
  uint64_t memory_;
};

}  // namespace gls
