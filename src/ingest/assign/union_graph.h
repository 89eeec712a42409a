// All node types of a dataset as one undirected graph, in the arrays that METIS takes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/progress.h"
#include "graph/dataset/dataset.h"

namespace gls {

// Node ids of all types, one after another.
class UnionNumbers {
 public:
  explicit UnionNumbers(const Dataset& dataset);
  int64_t first(size_t type) const { return first_[type]; }
  int64_t nodes() const { return first_.back(); }

 private:
  std::vector<int64_t> first_;
};

// An error: METIS, built with 32-bit integers, cannot number so many.
Status check_fits_metis(int64_t nodes, int64_t edges);

// An array that gives back what it turned out not to need without being copied: growing and
// shrinking large blocks is the system's work.
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

// Each edge is in the rows of both its ends; there are no loops, and edges between the same two
// nodes, whatever their direction and type, are one, of their number's weight.
struct UnionGraph {
  std::vector<int32_t> offsets;  // [nodes + 1]
  ShrinkingArray neighbors;      // ascending in each row
  ShrinkingArray weights;

  // While it is made there are 8 bytes per stored edge, then 8 per neighbour. An error when there
  // are more nodes, or more than half as many edges, as int32 can number.
  static Result<UnionGraph> make(const Dataset& dataset, const Progress& progress);
};

}  // namespace gls
