#include "storage/keep_plan.h"

#include <algorithm>

namespace gls {

ReuseCounts::ReuseCounts(size_t kinds, size_t batches)
    : kinds_(kinds),
      batches_(batches),
      per_kind_(batches < 2 ? 0 : batches * (batches - 1) / 2),
      counts_(kinds * per_kind_),
      uses_(kinds),
      distinct_rows_(kinds) {}

void ReuseCounts::add(size_t kind, std::span<const uint32_t> uses) {
  uses_[kind] += uses.size();
  distinct_rows_[kind] += uses.empty() ? 0 : 1;
  for (size_t i = 1; i < uses.size(); ++i) {
    ++counts_[index(kind, uses[i - 1], uses[i])];
  }
}

void ReuseCounts::add(const ReuseCounts& other) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
  }
  for (size_t kind = 0; kind < kinds_; ++kind) {
    uses_[kind] += other.uses_[kind];
    distinct_rows_[kind] += other.distinct_rows_[kind];
  }
}

// Walks over the batches with the intervals that are open. Where those exceed the capacity, the
// interval with the farthest end is dropped, whenever it began. Intervals of one kind, begin and
// end are a number only, so the walk takes batches^2 x kinds steps at the most.
KeepPlan KeepPlan::make(const ReuseCounts& counts, std::span<const uint64_t> row_bytes,
                        uint64_t capacity) {
  KeepPlan plan(counts);
  const size_t batches = counts.batches();
  const size_t kinds = counts.kinds();
  plan.kept_.resize(counts.num_indices());
  plan.kept_intervals_.resize(kinds);
  std::vector<uint64_t> open(batches);  // bytes of open intervals, by end
  uint64_t bytes = 0;
  size_t farthest = 0;
  for (size_t now = 0; now < batches; ++now) {
    bytes -= open[now];
    open[now] = 0;
    for (size_t end = now + 1; end < batches; ++end) {
      uint64_t added = 0;
      for (size_t kind = 0; kind < kinds; ++kind) {
        const uint32_t count = counts.count(kind, now, end);
        plan.kept_[counts.index(kind, now, end)] = count;
        added += count * row_bytes[kind];
      }
      open[end] += added;
      bytes += added;
      farthest = added > 0 ? std::max(farthest, end) : farthest;
    }
    for (; bytes > capacity; --farthest) {
      // The latest begins are dropped first.
      for (size_t i = (now + 1) * kinds; i-- > 0 && bytes > capacity;) {
        const size_t kind = i % kinds;
        uint32_t& kept = plan.kept_[counts.index(kind, i / kinds, farthest)];
        const uint64_t row = row_bytes[kind];
        if (kept == 0 || row == 0) {
          continue;
        }
        const uint64_t excess = (bytes - capacity + row - 1) / row;
        const auto dropped = static_cast<uint32_t>(std::min<uint64_t>(kept, excess));
        kept -= dropped;
        bytes -= dropped * row;
        open[farthest] -= dropped * row;
      }
      if (bytes <= capacity) {
        break;  // some intervals with this end may be left
      }
    }
  }
  plan.add_up(row_bytes);
  return plan;
}

void KeepPlan::add_up(std::span<const uint64_t> row_bytes) {
  const size_t batches = counts_->batches();
  std::vector<uint64_t> begun(batches);  // bytes of kept intervals, by begin
  std::vector<uint64_t> ended(batches);  // by end
  for (size_t kind = 0; kind < counts_->kinds(); ++kind) {
    for (size_t end = 1; end < batches; ++end) {
      for (size_t begin = 0; begin < end; ++begin) {
        const uint32_t count = kept(kind, begin, end);
        kept_intervals_[kind] += count;
        begun[begin] += count * row_bytes[kind];
        ended[end] += count * row_bytes[kind];
      }
    }
    missed_bytes_ += misses(kind) * row_bytes[kind];
  }
  uint64_t bytes = 0;
  bytes_after_.reserve(batches);
  for (size_t batch = 0; batch < batches; ++batch) {
    bytes += begun[batch];
    bytes -= ended[batch];
    bytes_after_.push_back(bytes);
  }
}

KeepCursor::KeepCursor(const KeepPlan& plan)
    : plan_(&plan), visited_(plan.counts().num_indices()) {}

bool KeepCursor::next(size_t kind, size_t begin, size_t end) {
  return visited_[plan_->counts().index(kind, begin, end)]++ < plan_->kept(kind, begin, end);
}

}  // namespace gls
