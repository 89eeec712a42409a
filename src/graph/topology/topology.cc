#include "graph/topology/topology.h"

namespace gls {

Result<Topology> Topology::make(Tensor indptr, Tensor indices, Tensor edge_ids, int64_t num_rows,
                                int64_t num_edges, int64_t num_neighbors, std::string_view what) {
  const auto named = [&](const char* part) { return formatted("{} {}", what, part); };
  const auto wrong_length = [&](const char* part, int64_t have, int64_t expected) {
    return corrupt("{} has {} entries, expected {}", named(part), have, expected);
  };
  if (!same_dtype(indptr.dtype(), kInt64) || indptr.shape().size() != 1 || !indptr.contiguous()) {
    return corrupt("{} is {} {}, expected contiguous int64 [{}]", named("indptr"),
                   dtype_name(indptr.dtype()), shape_text(indptr.shape()), num_rows + 1);
  }
  if (indptr.rows() != num_rows + 1) {
    return wrong_length("indptr", indptr.rows(), num_rows + 1);
  }
  GLS_ASSIGN(const IdSpan neighbors, IdSpan::of(indices, named("indices")));
  if (neighbors.size() != num_edges) {
    return wrong_length("indices", neighbors.size(), num_edges);
  }
  Topology out;
  out.indptr = indptr.as<int64_t>();
  if (out.indptr[0] != 0 || out.indptr[num_rows] != num_edges) {
    return corrupt("{} goes from {} to {}, expected 0 to {}", named("indptr"), out.indptr[0],
                   out.indptr[num_rows], num_edges);
  }
  if (edge_ids.defined()) {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(edge_ids, named("edge_ids")));
    if (ids.size() != num_edges) {
      return wrong_length("edge_ids", ids.size(), num_edges);
    }
    out.edge_ids = ids.data();
    out.wide_edge_ids = ids.wide();
  }
  out.indices = neighbors.data();
  out.wide_indices = neighbors.wide();
  out.num_rows = num_rows;
  out.num_edges = num_edges;
  out.num_neighbors = num_neighbors;
  out.indptr_tensor = std::move(indptr);
  out.indices_tensor = std::move(indices);
  out.edge_ids_tensor = std::move(edge_ids);
  return out;
}

}  // namespace gls
