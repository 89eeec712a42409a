#include "loader/planned/read_plan.h"

#include <algorithm>
#include <memory>

namespace gls {

RowReadOptions read_options(const DiskSpeed& disk) {
  RowReadOptions out;
  out.largest_gap = disk.largest_gap();
  return out;
}

WindowReadCost cost_of_reads(const Window& window, const std::vector<PlannedColumn>& columns,
                             const DiskSpeed& disk, size_t first, size_t count) {
  WindowReadCost cost;
  std::vector<int64_t> missed;
  for (size_t c = 0; c < columns.size(); ++c) {
    RowReadStats stats;
    const auto add = [&] {
      const RowReadStats more = count_reads(columns[c].rows(), missed, read_options(disk));
      stats.requests += more.requests;
      stats.bytes += more.bytes;
      missed.clear();
    };
    visit_misses(window.plans[c], first, std::span(window.rows[c]).subspan(first - 1, count),
                 columns[c].num_rows, [&](uint64_t row, std::span<const uint32_t>) {
                   missed.push_back(static_cast<int64_t>(row));
                   if (missed.size() == kRowsReadAtOnce) {
                     add();
                   }
                 });
    add();
    if (stats.requests > 0) {
      const auto reads = static_cast<double>(stats.requests);
      cost.seconds += disk.seconds(reads, static_cast<double>(stats.bytes) / reads);
    }
    cost.bytes += stats.bytes;
  }
  return cost;
}

ReadPlan plan_reads(const Window& window, const std::vector<PlannedColumn>& columns,
                    const DiskSpeed& disk, uint64_t pack_memory, bool may_write) {
  ReadPlan out;
  for (size_t batch = 1; batch <= window.batches; ++batch) {
    out.pack_bytes +=
        aligned(pack_offset(window, columns, batch, columns.size()), kDirectAlignment);
  }
  const uint64_t groups = out.pack_bytes / std::max<uint64_t>(pack_memory, 1) + 1;
  out.group = std::max<size_t>(1, window.batches / groups);
  out.seconds = cost_of_reads(window, columns, disk, 1, out.group).seconds *
                static_cast<double>(window.batches) / static_cast<double>(out.group);
  if (groups == 1 || !may_write) {
    return out;
  }
  ReadPlan packed = out;
  packed.group = 0;
  const double packs = 2 * static_cast<double>(out.pack_bytes) / disk.sequential;
  packed.seconds = packs;
  for (const PlannedColumn& column : columns) {
    packed.seconds += static_cast<double>(column.stride * column.num_rows) / disk.sequential;
  }
  if (out.seconds > packed.seconds) {
    return packed;  // even if all rows are read
  }
  packed.seconds = packs + cost_of_reads(window, columns, disk, 1, window.batches).seconds;
  return out.seconds <= packed.seconds ? out : packed;
}

ReadPlan plan_with_reads(const std::vector<PlannedColumn>& columns, std::span<const uint64_t> slots,
                         std::vector<WindowPlan>* earlier, const Window* later,
                         const std::string& folder, const DiskSpeed& disk, uint64_t pack_memory,
                         Window* window) {
  const bool spilled = !folder.empty();
  const auto plan = [&](bool place) {
    window->plan(columns, slots, earlier, later, place, std::make_shared<SpillMemory>(folder));
  };
  plan(spilled);
  ReadPlan reads = plan_reads(*window, columns, disk, pack_memory, spilled);
  if (reads.group > 0 && window->num_placed() > 0) {
    plan(false);
    reads = plan_reads(*window, columns, disk, pack_memory, spilled);
  }
  return reads;
}

}  // namespace gls
