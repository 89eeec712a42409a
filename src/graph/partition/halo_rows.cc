#include "graph/partition/halo_rows.h"

namespace gls {

bool HaloRows::any(const EdgeType& type, Layout layout, const GlobalIds& nodes) {
  if (nodes.is_all() || (type.csc && type.csr)) {
    return false;
  }
  const auto& topology = type.topology(layout);
  return topology && nodes.owned() < topology->num_rows &&
         topology->indptr[nodes.owned()] < topology->indptr[topology->num_rows];
}

HaloRows::HaloRows(const Topology& topology, const GlobalIds& nodes) : ranks_(nodes.whole_count()) {
  const auto* const ids = nodes.ids().as<int64_t>();
  const auto each = [&](const auto& body) {
    for (int64_t row = nodes.owned(); row < topology.num_rows; ++row) {
      const int64_t id = ids[row];
      // Otherwise the part is damaged.
      const bool in_range = id >= 0 && id < nodes.whole_count();
      if (in_range && topology.indptr[row] < topology.indptr[row + 1]) {
        body(id, row);
      }
    }
  };
  each([&](int64_t id, int64_t) { ranks_.add(id); });
  ranks_.finish();
  rows_.resize(static_cast<size_t>(ranks_.count()));
  each([&](int64_t id, int64_t row) { rows_[static_cast<size_t>(ranks_.rank(id))] = row; });
}

}  // namespace gls
