// Picks from one row, in every way the contract knows (docs/contract.md section 2). The vector
// kernels do the commonest case; this does the rest, and is what they are tested against.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "graph/topology/topology.h"
#include "sample/kernels/index_set.h"
#include "sample/kernels/row_scan.h"
#include "sample/pick/alias.h"
#include "sample/pick/options.h"
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
  // Not NULL: the row is these entries only, and nothing else is excluded.
  RowEntries* entries = nullptr;

  // Entries that may be picked.
  int64_t size() const {
    return entries != nullptr ? entries->size() : degree - static_cast<int64_t>(excluded.size());
  }
};

// Append the positions of all entries that may be picked, and of the last `count`, ascending.
void append_entries(const RowPick& row, std::vector<int64_t>* out);
void append_last(const RowPick& row, int64_t count, std::vector<int64_t>* out);

class WeightTable;
// Position of the `index`-th entry that may be picked.
int64_t entry_position(const RowPick& row, int64_t index);

// Sampling weights of an edge type; `column` undefined means uniform.
struct Weights {
  Tensor column;                                       // one number per edge id
  std::shared_ptr<const WeightTable> table = nullptr;  // changes no pick
  bool by_position = false;                            // of its edge, as only some rows are here
};

class RowPicker {
 public:
  // Appends the positions picked, in order.
  void uniform(const RowPick& row, std::vector<int64_t>* out);
  // An error when a weight of the row is negative or not finite.
  Status weighted(const RowPick& row, const Topology& topology, const Weights& weights,
                  std::vector<int64_t>* out);

  // For drawing entries one at a time, with weights: load a row, then draw() by 64-bit draws, which
  // needs any() to be true. Errors as those of weighted(), and for a sum that is not finite.
  // Without draws: load_weights(), for which the sum may be anything.
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

  // Scratch, kept between rows. Indices are into the row without its excluded edges.
  std::vector<int64_t> picks_;
  std::vector<int64_t> kept_;  // weighted: position of each index
  WeightedParts parts_;
  std::vector<AliasSlot> slots_;
  AliasPicker alias_;
  IndexSet taken_;
};

}  // namespace gls
