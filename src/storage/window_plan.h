// The plan of one window of batches for the rows of one column: which rows each batch reads, which
// it finds in memory, and which stay there for a later batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "storage/row_list.h"

namespace gls {

// One use of a row. Batches of a plan are numbered from 1 on; 0 stands for the end of the window
// before.
struct RowMove {
  static constexpr uint16_t kNone = 0xffff;
  // The row was put into memory when the window was read.
  static constexpr uint16_t kPlaced = 0xfffe;
  // The batch that left the row in memory; kNone: the row must be read.
  uint16_t from = kNone;
  // The batch for which the row stays in memory: beyond this window for a later one. kNone: it
  // does not stay.
  uint16_t until = kNone;
};

struct WindowPlan {
  size_t batches = 0;
  size_t ends = 0;  // values of RowMove::until are below it
  // [batches + 1], one move for each row in ascending order. The moves of 0 are of rows from the
  // window before.
  std::vector<std::span<RowMove>> moves;
  std::vector<uint64_t> missed;  // [batches + 1] rows that each batch must read; [0] is 0
  // The rows that stay in memory for the next window, and their moves.
  RowList left;
  std::vector<RowMove> left_moves;
  // Of rows that are put into memory when the window is read, ascending by row: the batch that uses
  // each first.
  std::vector<uint16_t> placed;
  uint64_t uses = 0;
  uint64_t misses = 0;
  uint64_t peak = 0;                    // most rows in memory between two batches
  std::shared_ptr<SpillMemory> memory;  // of the moves

  // Takes what the plan of the next window needs: left, left_moves and peak.
  WindowPlan take_rest() {
    WindowPlan out;
    out.left = std::move(left);
    out.left_moves = std::move(left_moves);
    out.peak = peak;
    return out;
  }
};

// The most batches of a window.
inline constexpr size_t kMostPlanned = 1024;

// `now` and `next`: the rows that the batches of this window and of the next one need, without
// repeats. `before`: rows in memory at the beginning. At most `capacity` rows are in memory between
// two batches. At most `placed` others are put into memory before the first batch, those that are
// needed soonest. Within both windows no other plan has fewer misses (Belady's rule). What room is
// left goes to the rows with the most uses. `memory`: for the moves; NULL: the plan has none.
// Throws std::bad_alloc.
WindowPlan plan_window(std::span<const RowList> now, std::span<const RowList> next,
                       const RowList& before, uint64_t num_rows, uint64_t capacity, uint64_t placed,
                       std::shared_ptr<SpillMemory> memory);

// Calls visit(row, batches that must read it) in ascending order of rows; batch 0 stands for a row
// that is put into memory. `rows` are those of the batches from `first` on; others are left out.
// Throws std::bad_alloc.
template <typename Visit>
void visit_misses(const WindowPlan& plan, size_t first, std::span<const RowList> rows,
                  uint64_t num_rows, Visit visit) {
  const std::vector<const RowList*> lists = pointers_to(rows);
  std::vector<size_t> next(rows.size());
  std::vector<uint32_t> missing;
  visit_rows(lists, num_rows, [&](uint64_t row, std::span<const uint32_t> users) {
    missing.clear();
    for (const uint32_t user : users) {
      const uint16_t from = plan.moves[first + user][next[user]++].from;
      if (from == RowMove::kPlaced) {
        missing.push_back(0);
      } else if (from == RowMove::kNone) {
        missing.push_back(static_cast<uint32_t>(first) + user);
      }
    }
    if (!missing.empty()) {
      visit(row, std::span<const uint32_t>(missing));
    }
  });
}

}  // namespace gls
