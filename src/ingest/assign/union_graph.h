// All node types of a dataset as one undirected graph, in the arrays that METIS uses.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/progress.h"
#include "graph/dataset/dataset.h"

namespace gls {

// Numbers the nodes of all types, one type after another.
class UnionNumbers {
 public:
  explicit UnionNumbers(const Dataset& dataset);
  int64_t first(size_t type) const { return first_[type]; }
  int64_t nodes() const { return first_.back(); }

 private:
  std::vector<int64_t> first_;
};

// An error: METIS, built with 32-bit integers, cannot number this many.
Status check_fits_metis(int64_t nodes, int64_t edges);

// An array that frees its unused end without a copy; the system grows and shrinks large blocks.
class ShrinkingArray {
 public:
  explicit ShrinkingArray(size_t size);  // throws std::bad_alloc
  void shrink(size_t size);
  int32_t* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(int32_t* data) const { std::free(data); }
  };
  std::unique_ptr<int32_t[], Free> data_;
};

// Each edge is in the rows of both its ends, and there are no loops. Edges between the same two
// nodes, of any direction and type, become one edge, whose weight is their number.
struct UnionGraph {
  std::vector<int32_t> offsets;  // [nodes + 1]
  ShrinkingArray neighbors;      // ascending in each row
  ShrinkingArray weights;

  // Needs 8 bytes per stored edge while it is made, then 8 per neighbour. An error if there are
  // more nodes, or more than half as many edges, than int32 can number.
  static Result<UnionGraph> make(const Dataset& dataset, const Progress& progress);
};

}  // namespace gls
