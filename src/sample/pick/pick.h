// Picks from one row, in every way of the contract (docs/contract.md section 2). The vector kernels
// handle the most common case; this code handles the rest, and tests compare the kernels with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "graph/topology/topology.h"
#include "query/sampler_options.h"
#include "sample/kernels/index_set.h"
#include "sample/kernels/row_scan.h"
#include "sample/pick/alias.h"
#include "sample/pick/weighted_parts.h"

namespace gls {

struct RowPick {
  uint64_t node;      // dataset id
  uint64_t key;       // of the batch or tree
  uint32_t row_word;  // see philox.h
  int64_t begin;      // stored row: [begin, begin + degree)
  int64_t degree;
  int64_t fanout;  // -1: all
  Replace replace;
  std::span<const int64_t> excluded;  // sorted positions inside the row
  // Not NULL: the row consists of these entries only, and nothing else is excluded.
  RowEntries* entries = nullptr;

  // The number of entries that may be picked.
  int64_t size() const {
    return entries != nullptr ? entries->size() : degree - static_cast<int64_t>(excluded.size());
  }
};

// Append the positions of all entries that may be picked, or of the last `count`, ascending.
void append_entries(const RowPick& row, std::vector<int64_t>* out);
void append_last(const RowPick& row, int64_t count, std::vector<int64_t>* out);

class WeightTable;
// The position of the `index`-th entry that may be picked.
int64_t entry_position(const RowPick& row, int64_t index);

// Sampling weights of an edge type; `column` undefined means uniform.
struct Weights {
  Tensor column;                                       // one number per edge id
  std::shared_ptr<const WeightTable> table = nullptr;  // does not change any pick
  bool by_position = false;  // indexed by the edge's position, because only some rows are local
};

class RowPicker {
 public:
  // Appends the picked positions, in order.
  void uniform(const RowPick& row, std::vector<int64_t>* out);
  // An error if a weight of the row is negative or not finite.
  Status weighted(const RowPick& row, const Topology& topology, const Weights& weights,
                  std::vector<int64_t>* out);

  // To draw entries one at a time by weight, load a row, then call draw() with 64-bit draws, which
  // requires any(). Errors are those of weighted(), and a sum that is not finite. load_weights()
  // only loads, and accepts any sum.
  Status load_weights(const RowPick& row, const Topology& topology, const Weights& weights);
  Status load(const RowPick& row, const Topology& topology, const Weights& weights);
  bool any() const { return parts_.num_positive() > 0; }
  int64_t draw(uint64_t draw) const {
    return kept_[alias_pick_wide(slots_.data(), slots_.size(), draw)];
  }
  std::span<const int64_t> loaded_positions() const { return kept_; }
  std::span<const double> loaded_weights() const { return parts_.weights(); }

 private:
  void without_replacement(RowDraws& draws, uint64_t degree, uint64_t fanout);
  static Status check_size(const RowPick& row);
  Status divide(const RowPick& row);
  void make_slots();

  // Scratch memory, reused for the next row. Indices count the row without its excluded edges.
  std::vector<int64_t> picks_;
  std::vector<int64_t> kept_;  // weighted: position of each index
  WeightedParts parts_;
  std::vector<AliasSlot> slots_;
  AliasPicker alias_;
  IndexSet taken_;
};

}  // namespace gls
