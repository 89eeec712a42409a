// How the rows that a window misses are to be read: in groups of batches into memory, or once into
// packs in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loader/planned/window.h"
#include "storage/disk_probe.h"

namespace gls {

// Rows whose batches are noted while they are read.
inline constexpr size_t kRowsReadAtOnce = size_t{128} << 10;

RowReadOptions read_options(const DiskSpeed& disk);

struct ReadPlan {
  size_t group = 0;         // batches that are read at once; 0: all, into packs in a file
  uint64_t pack_bytes = 0;  // of all packs
  double seconds = 0;       // predicted, for the whole window
};

// The quicker way on this disk. `pack_memory`: for packs in memory. `may_write`: there is a folder
// for packs. Throws std::bad_alloc.
ReadPlan plan_reads(const Window& window, const std::vector<PlannedColumn>& columns,
                    const DiskSpeed& disk, uint64_t pack_memory, bool may_write);

// Plans the window, as Window::plan() does, and its reads. Rows are put into memory only where all
// others go into packs in a file: otherwise nothing is read so early.
ReadPlan plan_with_reads(const std::vector<PlannedColumn>& columns, std::span<const uint64_t> slots,
                         std::vector<WindowPlan>* earlier, const Window* later,
                         const std::string& folder, const DiskSpeed& disk, uint64_t pack_memory,
                         Window* window);

// What reading the rows of some batches takes.
struct WindowReadCost {
  uint64_t bytes = 0;  // of files
  double seconds = 0;  // predicted
};
// Of `count` batches from number `first` on. Throws std::bad_alloc.
WindowReadCost cost_of_reads(const Window& window, const std::vector<PlannedColumn>& columns,
                             const DiskSpeed& disk, size_t first, size_t count);

}  // namespace gls
