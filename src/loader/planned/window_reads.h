// Reads the rows that the batches of a window miss, into packs in memory or in a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loader/planned/window.h"
#include "storage/disk_probe.h"

namespace gls {

// What a loader's plan did. Bytes are of the disk.
struct PlanCounts {
  uint64_t windows = 0;
  uint64_t uses = 0;    // rows that batches needed
  uint64_t misses = 0;  // of these, rows that were not in memory
  uint64_t missed_bytes = 0;
  uint64_t requests = 0;      // for rows of columns
  uint64_t read_bytes = 0;    // of columns
  uint64_t packed_bytes = 0;  // written to temporary files, and read once
  uint64_t packed_windows = 0;

  void add(const PlanCounts& other);
};

class WindowReads {
 public:
  // All arguments must outlive it. `memory`: for requests under way.
  WindowReads(const std::vector<PlannedColumn>& columns, const DiskSpeed& disk, IoQueue& queue,
              BufferPool& pool, uint64_t memory)
      : columns_(columns), disk_(disk), queue_(queue), pool_(pool), memory_(memory) {}

  // How many batches to read at once into packs in memory of `pack_memory` bytes; 0: write packs to
  // a file, which is quicker.
  size_t choose_group(const Window& window, uint64_t pack_memory, bool may_write) const;

  // Reads the packs of batches first to first + packs.size() - 1 of the window, each into memory of
  // its size.
  Status read(const Window& window, size_t first, std::span<std::byte* const> packs,
              PlanCounts* counts) const;
  // Reads the packs of all batches into window.file. `memory`: for parts that are not written yet.
  Status write(const Window& window, IoQueue& writes, uint64_t memory, PlanCounts* counts) const;

 private:
  template <typename Take>
  Status visit(const Window& window, size_t column, size_t first, size_t count, PlanCounts* counts,
               Take take) const;
  double seconds_of(const Window& window, size_t count) const;
  RowReadOptions options() const;

  const std::vector<PlannedColumn>& columns_;
  const DiskSpeed& disk_;
  IoQueue& queue_;
  BufferPool& pool_;
  uint64_t memory_;
};

}  // namespace gls
