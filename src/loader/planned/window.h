// A window: consecutive steps of a loader that are planned together, and the packs of rows that
// they read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loader/columns/batch_columns.h"
#include "loader/planned/planned_columns.h"
#include "loader/planned/run_memory.h"
#include "loader/planned/stored_batch.h"
#include "storage/pack_file.h"
#include "storage/window_plan.h"

namespace gls {

struct Window {
  Window(uint64_t first, size_t num_batches, size_t columns, const std::string& folder)
      : first_step(first),
        batches(num_batches),
        rows(columns),
        rows_memory(std::make_shared<SpillMemory>(folder)) {
    for (std::vector<RowList>& of : rows) {
      of.resize(batches);
    }
  }

  uint64_t first_step;
  size_t batches;
  // [columns][batches]: the rows that each batch needs. Dropped when they have been read.
  std::vector<std::vector<RowList>> rows;
  std::shared_ptr<SpillMemory> rows_memory;
  // [batches], where a temporary file can hold them; else they are sampled again.
  std::vector<StoredBatch> sampled;
  std::unique_ptr<StoredBatches> sampled_file;
  std::vector<WindowPlan> plans;  // [columns]
  // [columns]: moves of rows in memory, when the window before left them.
  std::vector<std::vector<RowMove>> before;
  std::vector<std::vector<uint32_t>> placed;  // [columns]: slots of the rows of plans[c].placed
  std::unique_ptr<PackFile> file;             // NULL: packs are read into memory at once

  // Notes the rows that batch `at` needs, counted from 0. Threads may note different batches at
  // once. Throws std::bad_alloc, as plan() does.
  Status note_rows(const BatchColumns& columns, const std::vector<PlannedColumn>& planned,
                   const Batch& batch, size_t at);
  // Adds the sizes of all batches.
  void add_to(const std::vector<PlannedColumn>& planned, SampledSizes* sizes) const;
  // Sets plans and before. `slots` of kept rows by column; `earlier`: plans of the window before,
  // whose left_moves are taken the first time, and `later`: the window after it; NULL: none.
  // `place`: rows may be put into slots that the window before does not need. `moves`: memory for
  // them; NULL: the plans have counts alone.
  void plan(const std::vector<PlannedColumn>& planned, std::span<const uint64_t> slots,
            std::vector<WindowPlan>* earlier, const Window* later, bool place,
            const std::shared_ptr<SpillMemory>& moves);
  uint64_t num_placed() const;

  void drop_rows() {
    rows.clear();
    rows_memory = nullptr;
  }
  uint64_t last_step() const { return first_step + batches - 1; }
};

// Where the rows of a column begin in a pack. Batches are numbered from 1 on; see window_plan.h.
// For columns.size(): the bytes of the pack.
inline uint64_t pack_offset(const Window& window, const std::vector<PlannedColumn>& columns,
                            size_t batch, size_t column) {
  uint64_t offset = 0;
  for (size_t i = 0; i < column; ++i) {
    offset += aligned(window.plans[i].missed[batch] * columns[i].row_bytes, kCacheLine);
  }
  return offset;
}

}  // namespace gls
