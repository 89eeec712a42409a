// The last step of sorting edges: counting turns a bucket of records into rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ingest/common/topology_sink.h"
#include "ingest/sort/sort_plan.h"

namespace gls {

// 12 bytes in the usual case: moving records takes half of the time of a sort.
#pragma pack(push, 4)
template <typename Index, typename Id>
struct Record {
  uint32_t row;  // counted from the first row of its bucket
  Index neighbor;
  Id id;
};
#pragma pack(pop)

// The records of one bucket, in the order of the edges.
template <typename Index, typename Id>
using Pieces = std::vector<std::span<const Record<Index, Id>>>;

// For edges with an order of their own.
template <typename Index, typename Id>
void sort_rows_by_id(const int64_t* ends, int64_t rows, Index* indices, Id* ids) {
  std::vector<std::pair<Id, Index>> row_edges;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = row == 0 ? 0 : ends[row - 1];
    const int64_t end = ends[row];
    if (std::is_sorted(ids + begin, ids + end)) {
      continue;
    }
    row_edges.clear();
    for (int64_t i = begin; i < end; ++i) {
      row_edges.emplace_back(ids[i], indices[i]);
    }
    std::sort(row_edges.begin(), row_edges.end());
    for (int64_t i = begin; i < end; ++i) {
      ids[i] = row_edges[static_cast<size_t>(i - begin)].first;
      indices[i] = row_edges[static_cast<size_t>(i - begin)].second;
    }
  }
}

// Fills `out`; its edge ids may be omitted.
template <typename Index, typename Id>
void build_rows(const Bucket& bucket, const Pieces<Index, Id>& pieces, bool sort_by_id,
                const TopologyPart& out) {
  // `ends` first counts, then holds the position of each row's next edge, which finally is the end
  // of the row.
  int64_t* const ends = out.row_ends;
  std::fill(ends, ends + bucket.num_rows(), 0);
  for (const auto piece : pieces) {
    for (const Record<Index, Id>& record : piece) {
      ++ends[record.row];
    }
  }
  int64_t position = 0;
  for (int64_t row = 0; row < bucket.num_rows(); ++row) {
    position += std::exchange(ends[row], position);
  }
  auto* const indices = reinterpret_cast<Index*>(out.indices);
  auto* const ids = reinterpret_cast<Id*>(out.edge_ids);
  for (const auto piece : pieces) {
    for (const Record<Index, Id>& record : piece) {
      const int64_t at = ends[record.row]++;
      indices[at] = record.neighbor;
      if (ids != nullptr) {
        ids[at] = record.id;
      }
    }
  }
  if (sort_by_id) {
    sort_rows_by_id(ends, bucket.num_rows(), indices, ids);
  }
  for (int64_t row = 0; row < bucket.num_rows(); ++row) {
    ends[row] += bucket.base;
  }
}

}  // namespace gls
