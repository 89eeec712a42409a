// Stored rows of an edge type on the device. All rows are in one place, and hot rows also in
// another one, where reads are faster. Code that reads neighbours or edge ids calls find_row() for
// the row, and reads its entries with RowEntries. A position always counts all entries, in either
// place.
#pragma once

#include <cstdint>

#include "cuda/primitives/id_pointer.h"
#include "host_device/row_plan.h"
#include "host_device/row_rule.h"

namespace gls::cuda {

// The place of a row's entries.
enum class RowPlace : uint32_t { kAll, kHot };

struct FoundRow {
  int64_t begin;
  uint64_t degree;
  int64_t shift;  // from its positions to those among the entries of hot rows
  RowPlace place;
};

struct StoredRows {
  const int64_t* indptr;
  IdsIn indices;
  IdsIn stored_edge_ids;     // NULL: the id of an edge is its position
  const int32_t* hot_slots;  // as in EdgePlan; NULL: no row is hot
  const device::HotRow* hot_rows;
  IdsIn hot_indices;
  IdsIn hot_edge_ids;
  uint64_t num_edges;
  uint64_t num_neighbors;
};

// False: the node's indptr is not a valid row. Such rows are never hot.
GLS_HOST_DEVICE bool find_row(const StoredRows& rows, int64_t node, FoundRow* row) {
  const int32_t slot = rows.hot_slots != nullptr ? rows.hot_slots[node] : -1;
  if (slot >= 0) {
    const device::HotRow hot = rows.hot_rows[slot];
    *row = {hot.begin, static_cast<uint64_t>(hot.end - hot.begin), hot.place - hot.begin,
            RowPlace::kHot};
    return true;
  }
  const int64_t begin = rows.indptr[node];
  const int64_t end = rows.indptr[node + 1];
  const bool found = is_row(begin, end, rows.num_edges);
  *row = {found ? begin : 0, found ? static_cast<uint64_t>(end - begin) : 0, 0, RowPlace::kAll};
  return found;
}

// The entries of a row, by position among all entries.
struct RowEntries {
  IdsIn indices;
  IdsIn edge_ids;  // NULL: the id of an edge is its position
  int64_t shift;

  GLS_HOST_DEVICE RowEntries(const StoredRows& rows, const FoundRow& row)
      : indices(row.place == RowPlace::kHot ? rows.hot_indices : rows.indices),
        edge_ids(row.place == RowPlace::kHot ? rows.hot_edge_ids : rows.stored_edge_ids),
        shift(row.shift) {}
  GLS_HOST_DEVICE int64_t neighbor(int64_t position) const { return indices[position + shift]; }
  GLS_HOST_DEVICE bool has_edge_ids() const { return edge_ids.data != nullptr; }
  GLS_HOST_DEVICE int64_t edge(int64_t position) const {
    return edge_ids.data == nullptr ? position : edge_ids[position + shift];
  }
};

}  // namespace gls::cuda
