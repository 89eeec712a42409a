#include "ingest/sort/sort_plan.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "context/parallel.h"

namespace gls {
namespace {

constexpr const char* kCounting = "counting edges";

// Adds up the values that `counts` finds in the row ends of all edges. The edges are divided into
// about `parts` ranges with counts of their own.
template <typename Counts>
Status scan_rows(Workspace& workspace, const EdgeSource& edges, Layout layout, size_t parts,
                 std::vector<uint64_t>* totals, const Counts& counts) {
  const size_t num_counts = totals->size();
  const auto size = static_cast<size_t>(edges.size());
  std::mutex mutex;
  std::atomic<uint64_t> done{0};
  const auto body = [&](size_t begin, size_t end) -> Status {
    std::vector<uint64_t> mine(num_counts);
    std::array<int64_t, kReadAtOnce> rows;
    for (size_t at = begin; at < end; at += kReadAtOnce) {
      const size_t count = std::min(kReadAtOnce, end - at);
      read_rows(edges, layout, static_cast<int64_t>(at), count, rows.data());
      counts(at, rows.data(), count, mine.data());
      done.fetch_add(count, std::memory_order_relaxed);
    }
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < num_counts; ++i) {
      (*totals)[i] += mine[i];
    }
    return {};
  };
  const auto tick = [&] { return report(workspace.progress(), kCounting, done, size, "edges"); };
  return parallel_try(workspace.pool(), size, size / parts + 1, body, tick);
}

// The number of ranges, so that each may use `bytes` of memory.
size_t part_count(const Workspace& workspace, uint64_t bytes) {
  const uint64_t room = workspace.budget()->available() / 8 / std::max<uint64_t>(bytes, 1);
  return std::clamp<size_t>(room, 1, size_t{workspace.pool().size()} * 4);
}

}  // namespace

Result<SortPlan> SortPlan::make(Workspace& workspace, const EdgeSource& edges, Layout layout,
                                int64_t num_rows, const BucketLimits& limits) {
  SortPlan plan{MemoryLease(workspace.budget())};
  plan.num_rows_ = num_rows;
  const auto max_groups = static_cast<int64_t>(
      std::clamp<uint64_t>(workspace.budget()->available() / 256, 1024, 65536));
  while (((num_rows - 1) >> plan.shift_) >= max_groups) {
    ++plan.shift_;
  }
  const auto groups = static_cast<size_t>(num_rows > 0 ? ((num_rows - 1) >> plan.shift_) + 1 : 0);
  GLS_TRY(plan.lease_.add(groups * 16, "counting edges"));
  plan.group_edges_.resize(groups);
  plan.split_index_.assign(groups, -1);
  plan.bucket_of_group_.resize(groups);
  GLS_TRY(plan.count_groups(workspace, edges, layout));

  int32_t split = 0;
  for (size_t group = 0; plan.shift_ > 0 && group < groups; ++group) {
    if (plan.group_edges_[group] > static_cast<uint64_t>(limits.max_edges)) {
      plan.split_index_[group] = split++;
    }
  }
  if (split > 0) {
    const auto rows = static_cast<size_t>(split) << plan.shift_;
    GLS_TRY(plan.lease_.add(rows * 8, "counting the edges of crowded rows"));
    plan.row_edges_.resize(rows);
    GLS_TRY(plan.count_rows(workspace, edges, layout));
  }
  plan.cut(limits);
  GLS_TRY(plan.lease_.add(plan.buckets_.size() * sizeof(Bucket), "the plan of a sort"));
  return plan;
}

Status SortPlan::count_groups(Workspace& workspace, const EdgeSource& edges, Layout layout) {
  std::atomic<bool> sorted{true};
  const size_t parts = part_count(workspace, group_edges_.size() * 8);
  const auto count = [&](size_t at, const int64_t* rows, size_t num, uint64_t* mine) {
    int64_t last = rows[0];
    if (at > 0) {
      read_rows(edges, layout, static_cast<int64_t>(at) - 1, 1, &last);
    }
    bool ascending = true;
    for (size_t i = 0; i < num; ++i) {
      ++mine[rows[i] >> shift_];
      ascending &= rows[i] >= last;
      last = rows[i];
    }
    if (!ascending) {
      sorted.store(false, std::memory_order_relaxed);
    }
  };
  GLS_TRY(scan_rows(workspace, edges, layout, parts, &group_edges_, count));
  sorted_ = sorted;
  return {};
}

Status SortPlan::count_rows(Workspace& workspace, const EdgeSource& edges, Layout layout) {
  const size_t parts = part_count(workspace, row_edges_.size() * 8);
  MemoryLease lease(workspace.budget());
  const size_t threads = std::min<size_t>(parts, size_t{workspace.pool().size()} + 1);
  GLS_TRY(lease.add(threads * row_edges_.size() * 8, "counting the edges of crowded rows"));
  const int64_t low = (int64_t{1} << shift_) - 1;
  const auto count = [&](size_t, const int64_t* rows, size_t num, uint64_t* mine) {
    for (size_t i = 0; i < num; ++i) {
      const int32_t split = split_index_[static_cast<size_t>(rows[i] >> shift_)];
      if (split >= 0) {
        ++mine[(int64_t{split} << shift_) + (rows[i] & low)];
      }
    }
  };
  return scan_rows(workspace, edges, layout, parts, &row_edges_, count);
}

// Appends rows that must stay together to the last bucket, or to a new one.
void SortPlan::add_rows(int64_t rows, int64_t count, const BucketLimits& limits) {
  Bucket* last = buckets_.empty() ? nullptr : &buckets_.back();
  if (last == nullptr || last->count >= limits.target_edges ||
      last->count + count > limits.max_edges || last->num_rows() + rows > limits.max_rows) {
    const int64_t row = last == nullptr ? 0 : last->row_end;
    const int64_t base = last == nullptr ? 0 : last->base + last->count;
    buckets_.push_back({row, row, base, 0});
    last = &buckets_.back();
  }
  last->row_end += rows;
  last->count += count;
}

void SortPlan::cut(const BucketLimits& limits) {
  const int64_t group_rows = int64_t{1} << shift_;
  bool close = false;  // a bucket never holds rows of two groups if one of them is split
  for (size_t group = 0; group < group_edges_.size(); ++group) {
    const int64_t begin = static_cast<int64_t>(group) << shift_;
    const int64_t rows = std::min(group_rows, num_rows_ - begin);
    const int32_t split = split_index_[group];
    BucketLimits now = limits;
    if (close || split >= 0) {
      now.max_rows = 0;  // starts a new bucket
    }
    close = split >= 0;
    if (split < 0) {
      add_rows(rows, static_cast<int64_t>(group_edges_[group]), now);
      bucket_of_group_[group] = static_cast<uint32_t>(buckets_.size() - 1);
      continue;
    }
    for (int64_t row = 0; row < rows; ++row) {
      const uint64_t count = row_edges_[static_cast<size_t>((int64_t{split} << shift_) + row)];
      add_rows(1, static_cast<int64_t>(count), row == 0 ? now : limits);
      if (row == 0) {
        bucket_of_group_[group] = static_cast<uint32_t>(buckets_.size() - 1) | kSplit;
      }
    }
  }
}

uint32_t SortPlan::find(int64_t row, uint32_t first) const {
  const auto after = std::upper_bound(
      buckets_.begin() + first, buckets_.end(), row,
      [](int64_t wanted, const Bucket& bucket) { return wanted < bucket.row_begin; });
  return static_cast<uint32_t>(after - buckets_.begin()) - 1;
}

}  // namespace gls
