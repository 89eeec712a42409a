#include "loader/forecast/memory_budget.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"

namespace gls {
namespace {

uint64_t bytes_of(const std::vector<PlannedColumn>& columns, std::span<const uint64_t> rows) {
  uint64_t sum = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    sum += columns[c].row_bytes * rows[c];
  }
  return sum;
}

// The same rows for plans of another size of memory.
Window view_of(const Window& window, const std::string& folder) {
  Window out(window.first_step, window.batches, window.rows.size(), folder);
  for (size_t c = 0; c < window.rows.size(); ++c) {
    for (size_t batch = 0; batch < window.batches; ++batch) {
      out.rows[c][batch] = window.rows[c][batch].view();
    }
  }
  return out;
}

}  // namespace

MemoryBudget MemoryBudget::of_loader(uint64_t memory, const RunMemory& divided, bool mapped,
                                     const std::vector<PlannedColumn>& columns, uint64_t passes) {
  MemoryBudget budget;
  budget.out_.memory = memory;
  budget.passes_ = passes;
  budget.divided_ = divided;
  budget.mapped_ = mapped;
  for (size_t c = 0; c < columns.size(); ++c) {
    budget.slots_.push_back(mapped ? columns[c].num_rows
                                   : planned_slots(kept_slots(columns, c, divided.kept)));
  }
  return budget;
}

MemoryBudget MemoryBudget::of_curve(double share, const std::vector<PlannedColumn>& columns) {
  MemoryBudget budget;
  budget.needs_plan_ = share > 0 && share < 1;
  for (const PlannedColumn& column : columns) {
    budget.slots_.push_back(
        static_cast<uint64_t>(std::llround(share * static_cast<double>(column.num_rows))));
  }
  return budget;
}

Status MemoryBudget::add(const Window& window, const Window* later,
                         const std::vector<PlannedColumn>& columns, const WindowTimes& times,
                         const EpochForecast& found) {
  if (!needs_plan_) {
    return {};
  }
  const uint64_t begun = now_ns();
  Window own = view_of(window, found.temporary_folder);
  std::vector<WindowPlan>* const earlier = earlier_.empty() ? nullptr : &earlier_;
  const bool reads = of_a_loader() && !mapped_;
  ReadPlan reading;
  if (reads) {
    reading = plan_with_reads(columns, slots_, earlier, later, found.temporary_folder, found.disk,
                              divided_.packs, &own);
  } else {
    own.plan(columns, slots_, earlier, later, false, nullptr);
  }
  const double planning = static_cast<double>(now_ns() - begun) * 1e-9;
  ++out_.windows;
  for (size_t c = 0; c < columns.size(); ++c) {
    const WindowPlan& plan = own.plans[c];
    out_.uses += plan.uses;
    out_.missed_rows += plan.misses;
    out_.missed_bytes += plan.misses * columns[c].row_bytes;
    out_.memory_bytes += (plan.uses - plan.misses) * columns[c].row_bytes;
  }
  if (reads) {
    uint64_t stored = 0;
    for (const StoredBatch& batch : window.sampled) {
      stored += batch.bytes;
    }
    add_reads(own, reading, columns, times, found, {planning, stored});
  }
  earlier_.clear();
  for (WindowPlan& plan : own.plans) {
    earlier_.push_back(plan.take_rest());
  }
  return {};
}

void MemoryBudget::add_reads(const Window& window, const ReadPlan& reads,
                             const std::vector<PlannedColumn>& columns, const WindowTimes& times,
                             const EpochForecast& found, const Prepared& prepared) {
  const double mixed = found.mixed_rate > 0 ? found.mixed_rate : found.read_rate;
  const uint64_t stored = prepared.stored_bytes;
  Timed timed;
  timed.sample = times.sample + static_cast<double>(stored) / mixed;
  // Short windows read pages of the topology alone.
  constexpr size_t kLong = 16;
  if (passes_ > 0 && window.batches >= kLong && !found.sampled_in_passes) {
    const double passing = static_cast<double>(passes_ * found.topology_bytes) / found.read_rate;
    timed.sample += passing;
    out_.disk_seconds += passing;
  }
  WindowReadCost cost;
  const size_t group = reads.group == 0 ? window.batches : reads.group;
  for (size_t first = 0; first < window.batches; first += group) {
    const size_t count = std::min(group, window.batches - first);
    const WindowReadCost more = cost_of_reads(window, columns, found.disk, first + 1, count);
    cost.bytes += more.bytes;
    cost.seconds += more.seconds;
  }
  if (reads.group == 0) {
    packed_ = true;
    out_.packed_bytes += reads.pack_bytes;
    timed.read = static_cast<double>(cost.bytes + reads.pack_bytes) / mixed;
    timed.deliver = static_cast<double>(reads.pack_bytes + stored) / found.read_rate;
  } else {
    direct_ = true;
    timed.read = cost.seconds;
    timed.deliver = static_cast<double>(stored) / found.read_rate;
  }
  out_.disk_seconds += timed.read + timed.deliver + static_cast<double>(stored) / mixed;
  out_.read_bytes += cost.bytes;
  out_.lower_bound_bytes += cost.bytes;
  uint64_t row_bytes = 0;
  uint64_t placed_bytes = 0;
  uint64_t peak_bytes = 0;  // of rows that stay
  for (size_t c = 0; c < columns.size(); ++c) {
    placed_bytes += window.plans[c].placed.size() * columns[c].row_bytes;
    peak_bytes += window.plans[c].peak * columns[c].row_bytes;
    out_.lower_bound_bytes += reads.group == 0 ? window.plans[c].misses * columns[c].row_bytes : 0;
    row_bytes += window.plans[c].uses * columns[c].row_bytes;
  }
  // Each batch sorts its rows once more, finds them, and gathers them.
  const double gathering =
      2 * times.note + static_cast<double>(row_bytes) / found.gather_rate / found.threads;
  // Memory that no row was in before is new. Reading waits for that of placed rows.
  const uint64_t new_bytes = peak_bytes - std::min(peak_bytes, used_bytes_);
  used_bytes_ += new_bytes;
  const auto seconds_of_new = [&](uint64_t bytes) {
    return found.new_memory_rate > 0 ? static_cast<double>(bytes) / found.new_memory_rate : 0;
  };
  const uint64_t new_placed = std::min(new_bytes, placed_bytes);
  out_.processor_seconds +=
      times.sample + prepared.planning + gathering + seconds_of_new(new_bytes);
  timed.read += prepared.planning + seconds_of_new(new_placed);
  timed.deliver = std::max(timed.deliver, gathering + seconds_of_new(new_bytes - new_placed));
  timed.packed_bytes = reads.group == 0 ? reads.pack_bytes : 0;
  timed.stored_bytes = stored;
  windows_.push_back(timed);
}

// One thread samples windows, one plans and reads them, and the loader's threads deliver. A window
// is planned when the next one has been sampled, and read when the one before the last is consumed.
double MemoryBudget::predict(double topology) const {
  std::vector<double> sampled;
  double at = topology;
  for (const Timed& window : windows_) {
    at += window.sample;
    sampled.push_back(at);
  }
  std::vector<double> delivered;
  double read = 0;
  at = 0;
  for (size_t i = 0; i < windows_.size(); ++i) {
    const size_t needed = i < 2 ? i : std::min(i + 1, windows_.size() - 1);
    read = std::max(read, sampled[needed]);
    if (i >= 2) {
      read = std::max(read, delivered[i - 2]);
    }
    read += windows_[i].read;
    at = std::max(at, read) + windows_[i].deliver;
    delivered.push_back(at);
  }
  return at;
}

void MemoryBudget::finish(const std::vector<RowUses>& hot,
                          const std::vector<PlannedColumn>& columns, const EpochForecast& found) {
  out_.row_bytes = bytes_of(columns, slots_);
  for (size_t c = 0; c < columns.size(); ++c) {
    const uint64_t missed = hot[c].missed(slots_[c]);
    out_.hot_missed_rows += missed;
    out_.hot_missed_bytes += missed * columns[c].row_bytes;
    if (!needs_plan_) {
      out_.uses += hot[c].uses();
      out_.missed_rows += slots_[c] == 0 ? hot[c].uses() : hot[c].distinct();
    }
  }
  if (!of_a_loader()) {
    return;
  }
  const double topology =
      passes_ > 0 ? 0 : static_cast<double>(found.topology_bytes) / found.read_rate;
  if (mapped_) {
    // Each row is read once, and its page stays.
    out_.way = "mapped";
    out_.read_bytes = out_.missed_bytes;
    out_.lower_bound_bytes = out_.missed_bytes;
    out_.disk_seconds = topology + static_cast<double>(out_.read_bytes) / found.read_rate;
    out_.processor_seconds =
        found.sample_seconds + static_cast<double>(out_.missed_bytes + out_.memory_bytes) /
                                   found.gather_rate / found.threads;
    out_.epoch_seconds = std::max(out_.disk_seconds, out_.processor_seconds);
    return;
  }
  // While the packs of a window are written, those of the one before are read; the next two windows
  // are sampled.
  for (size_t i = 0; i < windows_.size(); ++i) {
    uint64_t bytes = windows_[i].packed_bytes;
    for (size_t j = i > 0 ? i - 1 : 0; j < std::min(i + 3, windows_.size()); ++j) {
      bytes += windows_[j].stored_bytes + (j + 1 == i ? windows_[j].packed_bytes : 0);
    }
    out_.temporary_bytes = std::max(out_.temporary_bytes, bytes);
  }
  out_.way = packed_ && direct_ ? "mixed" : packed_ ? "packs" : "direct";
  out_.disk_seconds += topology;
  out_.epoch_seconds = predict(topology);
}

CurvePoint MemoryBudget::point(const std::vector<PlannedColumn>& columns) const {
  uint64_t all = 0;
  for (const PlannedColumn& column : columns) {
    all += column.row_bytes * column.num_rows;
  }
  const uint64_t kept = bytes_of(columns, slots_);
  const auto uses = static_cast<double>(std::max<uint64_t>(out_.uses, 1));
  return {static_cast<double>(kept) / static_cast<double>(all), kept,
          static_cast<double>(out_.missed_rows) / uses,
          static_cast<double>(out_.hot_missed_rows) / uses};
}

}  // namespace gls
