#include "loader/planned/window.h"

#include <algorithm>
#include <utility>

#include "loader/columns/column_rows.h"
#include "loader/planned/sorted_rows.h"

namespace gls {

Status Window::note_rows(const BatchColumns& columns, const std::vector<PlannedColumn>& planned,
                         const Batch& batch, size_t at) {
  SortedRows& sorted = SortedRows::of_thread();
  for (size_t c = 0; c < planned.size(); ++c) {
    const IdSpan ids = columns.ids(planned[c].wanted, batch);
    GLS_TRY(check_rows(*batch.dataset, planned[c].wanted, ids, "columns"));
    sorted.sort(ids, planned[c].num_rows);
    RowList& list = rows[c][at];
    sorted.visit([&](uint64_t row, std::span<const int64_t>) { list.add(row); });
    list.move_to(*rows_memory);
  }
  return {};
}

void Window::add_to(const std::vector<PlannedColumn>& planned, SampledSizes* sizes) const {
  sizes->batches += batches;
  for (size_t c = 0; c < planned.size(); ++c) {
    for (const RowList& of : rows[c]) {
      sizes->uses += of.size();
      sizes->bytes += of.size() * planned[c].row_bytes;
    }
  }
  for (const StoredBatch& batch : sampled) {
    sizes->bytes += batch.bytes;
  }
}

void Window::plan(const std::vector<PlannedColumn>& planned, std::span<const uint64_t> slots,
                  std::vector<WindowPlan>* earlier, const Window* later, bool place,
                  const std::shared_ptr<SpillMemory>& moves) {
  const RowList none;
  const bool again = !plans.empty();
  plans.clear();
  for (size_t c = 0; c < planned.size(); ++c) {
    const auto next =
        later != nullptr ? std::span<const RowList>(later->rows[c]) : std::span<const RowList>();
    const uint64_t taken = earlier != nullptr ? (*earlier)[c].peak : 0;
    const uint64_t room = place ? slots[c] - std::min(slots[c], taken) : 0;
    plans.push_back(plan_window(rows[c], next, earlier != nullptr ? (*earlier)[c].left : none,
                                planned[c].num_rows, slots[c], room, moves));
    if (!again) {
      before.push_back(earlier != nullptr ? std::move((*earlier)[c].left_moves)
                                          : std::vector<RowMove>());
    }
  }
}

uint64_t Window::num_placed() const {
  uint64_t sum = 0;
  for (const WindowPlan& plan : plans) {
    sum += plan.placed.size();
  }
  return sum;
}

}  // namespace gls
