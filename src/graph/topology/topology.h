// The compressed sparse topology of one edge type, in one direction: CSC or CSR.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "graph/topology/row_index.h"
#include "tensor/tensor.h"

namespace gls {

enum class Layout : uint8_t { kCsc = 0, kCsr = 1 };

// Row v lists the neighbours of node v at positions [indptr[v], indptr[v + 1]). The raw pointers
// are for inner loops; the tensors own the memory.
struct Topology {
  Tensor indptr_tensor;
  Tensor indices_tensor;
  Tensor edge_ids_tensor;  // undefined: the id is the position

  const int64_t* indptr = nullptr;
  const void* indices = nullptr;
  const void* edge_ids = nullptr;
  int64_t num_rows = 0;
  int64_t num_edges = 0;
  int64_t num_neighbors = 0;  // indices are below this
  bool wide_indices = false;  // int64; else int32
  bool wide_edge_ids = false;
  const RowIndex* index = nullptr;  // not NULL: only some rows are local, numbered by this index

  // Checks dtypes, lengths, and both ends of indptr. Errors name it `what`.
  static Result<Topology> make(Tensor indptr, Tensor indices, Tensor edge_ids, int64_t num_rows,
                               int64_t num_edges, int64_t num_neighbors, std::string_view what);

  int64_t row_of(int64_t node) const { return index == nullptr ? node : index->find(node); }
  int64_t neighbor(int64_t position) const { return IdSpan(indices, wide_indices, 0)[position]; }
  // The address of an index, for prefetching; 0 <= position <= num_edges.
  const std::byte* stored_index(int64_t position) const {
    return static_cast<const std::byte*>(indices) + position * (wide_indices ? 8 : 4);
  }
  int64_t edge_id(int64_t position) const {
    return edge_ids == nullptr ? position : IdSpan(edge_ids, wide_edge_ids, 0)[position];
  }
};

}  // namespace gls
