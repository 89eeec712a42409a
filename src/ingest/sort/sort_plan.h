// Divides the rows of a topology into buckets. Each bucket has few enough edges to be sorted in
// cache and within the memory limit, for any distribution of edges over rows.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/topology/topology.h"
#include "ingest/common/edge_source.h"
#include "ingest/common/workspace.h"

namespace gls {

inline constexpr size_t kReadAtOnce = 4096;  // edges that fit in the L1 cache

// Consecutive rows and their edges.
struct Bucket {
  int64_t row_begin = 0;
  int64_t row_end = 0;
  int64_t base = 0;  // edges of all earlier buckets
  int64_t count = 0;
  int64_t num_rows() const { return row_end - row_begin; }
};

struct BucketLimits {
  int64_t target_edges;  // a bucket that reaches this is closed
  int64_t max_edges;     // exceeded only in buckets of a single row
  int64_t max_rows;
};

class SortPlan {
 public:
  // Reads the row end of every edge once, or twice if some rows are very uneven.
  static Result<SortPlan> make(Workspace& workspace, const EdgeSource& edges, Layout layout,
                               int64_t num_rows, const BucketLimits& limits);

  const std::vector<Bucket>& buckets() const { return buckets_; }
  // Whether rows never decrease from one position to the next.
  bool sorted() const { return sorted_; }
  uint32_t bucket_of(int64_t row) const {
    const uint32_t first = bucket_of_group_[static_cast<size_t>(row >> shift_)];
    return (first & kSplit) == 0 ? first : find(row, first & ~kSplit);
  }

 private:
  static constexpr uint32_t kSplit = uint32_t{1} << 31;  // the group has several buckets

  explicit SortPlan(MemoryLease lease) : lease_(std::move(lease)) {}
  Status count_groups(Workspace& workspace, const EdgeSource& edges, Layout layout);
  Status count_rows(Workspace& workspace, const EdgeSource& edges, Layout layout);
  void cut(const BucketLimits& limits);
  void add_rows(int64_t rows, int64_t count, const BucketLimits& limits);
  uint32_t find(int64_t row, uint32_t first) const;

  MemoryLease lease_;
  int64_t num_rows_ = 0;
  int shift_ = 0;  // a group has 2^shift rows
  bool sorted_ = true;
  std::vector<uint64_t> group_edges_;
  std::vector<int32_t> split_index_;  // by group: -1, or its index among the split groups
  std::vector<uint64_t> row_edges_;   // for split groups
  std::vector<uint32_t> bucket_of_group_;
  std::vector<Bucket> buckets_;
};

// Reads the row ends of edges [begin, begin + count).
inline void read_rows(const EdgeSource& edges, Layout layout, int64_t begin, size_t count,
                      int64_t* rows) {
  if (layout == Layout::kCsc) {
    edges.read(begin, count, nullptr, rows);
  } else {
    edges.read(begin, count, rows, nullptr);
  }
}

}  // namespace gls
