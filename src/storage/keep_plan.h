// Decides which rows stay in memory between the batches of a window, when every use is known in
// advance: Belady's rule (L. A. Belady, "A study of replacement algorithms for a virtual-storage
// computer", IBM Systems Journal 5(2), 1966), which no cache of the same size can beat.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gls {

// Counts the intervals between two uses of a row that follow each other, by the numbers of the two
// batches in the window. Rows of one kind have the same size.
class ReuseCounts {
 public:
  // For kinds x batches^2 / 2 counters, of 4 bytes each. Throws std::bad_alloc.
  ReuseCounts(size_t kinds, size_t batches);

  size_t kinds() const { return kinds_; }
  size_t batches() const { return batches_; }

  // `uses` are the batches that use one row: ascending, without repeats.
  void add(size_t kind, std::span<const uint32_t> uses);
  // `count` intervals of rows that are in memory at `begin` without a use there.
  void add_intervals(size_t kind, size_t begin, size_t end, uint32_t count) {
    counts_[index(kind, begin, end)] += count;
  }
  // The same counts of other rows. Both have the same kinds and batches.
  void add(const ReuseCounts& other);

  uint32_t count(size_t kind, size_t begin, size_t end) const {
    return counts_[index(kind, begin, end)];
  }
  uint64_t uses(size_t kind) const { return uses_[kind]; }
  uint64_t distinct_rows(size_t kind) const { return distinct_rows_[kind]; }

  // Of an interval, for arrays with one entry for each; begin < end < batches.
  size_t index(size_t kind, size_t begin, size_t end) const {
    return kind * per_kind_ + end * (end - 1) / 2 + begin;
  }
  size_t num_indices() const { return counts_.size(); }

 private:
  size_t kinds_;
  size_t batches_;
  size_t per_kind_;
  std::vector<uint32_t> counts_;
  std::vector<uint64_t> uses_;           // by kind
  std::vector<uint64_t> distinct_rows_;  // by kind
};

// The intervals over which rows stay in memory.
class KeepPlan {
 public:
  // `row_bytes` by kind. After no batch do the kept rows exceed `capacity` bytes. The counts must
  // outlive the plan. With rows of one size no other plan has fewer misses.
  static KeepPlan make(const ReuseCounts& counts, std::span<const uint64_t> row_bytes,
                       uint64_t capacity);

  // How many intervals are kept of those with this begin and end. The first ones are, in the order
  // of the caller, which must be the same each time that it visits the rows.
  uint32_t kept(size_t kind, size_t begin, size_t end) const {
    return kept_[counts_->index(kind, begin, end)];
  }
  const ReuseCounts& counts() const { return *counts_; }
  uint64_t kept_intervals(size_t kind) const { return kept_intervals_[kind]; }
  // Uses whose row is not in memory: it must be read. The first use of each row is one.
  uint64_t misses(size_t kind) const { return counts_->uses(kind) - kept_intervals_[kind]; }
  uint64_t missed_bytes() const { return missed_bytes_; }
  // The most bytes of rows in memory after a batch.
  uint64_t peak_bytes() const { return peak_bytes(counts_->batches()); }
  // The same up to this batch.
  uint64_t peak_bytes(size_t last) const {
    uint64_t peak = 0;
    for (size_t batch = 0; batch < bytes_after_.size() && batch <= last; ++batch) {
      peak = std::max(peak, bytes_after_[batch]);
    }
    return peak;
  }

 private:
  explicit KeepPlan(const ReuseCounts& counts) : counts_(&counts) {}
  void add_up(std::span<const uint64_t> row_bytes);

  const ReuseCounts* counts_;
  std::vector<uint32_t> kept_;
  std::vector<uint64_t> kept_intervals_;  // by kind
  uint64_t missed_bytes_ = 0;
  std::vector<uint64_t> bytes_after_;  // of rows in memory, by batch
};

// Tells for each interval whether it is kept, when the rows are visited in the caller's order.
class KeepCursor {
 public:
  // Throws std::bad_alloc. The plan must outlive it.
  explicit KeepCursor(const KeepPlan& plan);
  bool next(size_t kind, size_t begin, size_t end);

 private:
  const KeepPlan* plan_;
  std::vector<uint32_t> visited_;
};

}  // namespace gls
