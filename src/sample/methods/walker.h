// Walks through the graph, many walks at once: docs/contract.md section 6.
//
// A step waits for memory twice: for its row, and for the neighbour it picks. Therefore a group of
// walks takes each step together. All of them read their rows, pick, and prefetch the neighbours;
// then all read the neighbours and prefetch the next rows. While one walk waits, the cache lines of
// the others arrive.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sample/kernels/id_array.h"
#include "sample/methods/walk_plan.h"
#include "sample/pick/excluded_edges.h"
#include "sample/pick/pick.h"

namespace gls {

class Walker {
 public:
  // Everything that a walk depends on; all members must outlive the walker.
  struct Input {
    const Dataset& dataset;
    const WalkPlan& plan;
    Direction direction;
    const std::vector<Weights>& weights;             // by edge type
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // for this request; may be empty
    const kernels::Table& kernels;
    uint64_t batch_key;
  };
  explicit Walker(const Input& input);

  // Writes dataset ids: [seeds * walks, length + 1] nodes and, unless NULL, [seeds * walks, length]
  // edges; -1 after the end of a walk. The seeds must be in range. `keys`, if given, has one key
  // for each seed instead of the batch's key. The walks of each seed are then numbered from 0.
  Status run(const IdSpan& seeds, const IdArray& nodes, const IdArray* edges,
             const uint64_t* keys = nullptr);

 private:
  static constexpr size_t kGroup = 256;

  struct Walk {
    uint64_t key;
    int64_t number;    // row of the output
    int64_t node;      // current node; -1: the walk has ended
    int64_t previous;  // the node before; -1: the next step is first-order
    int64_t begin;     // row of `node`
    int64_t degree;
    int64_t position;        // of the edge tried
    const AliasSlot* slots;  // of the row; NULL: its entries have equal weights
    uint32_t path_at;
  };

  void start(const IdSpan& seeds, int64_t first, size_t count);
  void draw(const std::vector<Walk*>& walks, size_t step, uint32_t pair);
  Status take_step(size_t step);
  void restart(Walk& walk, size_t step);
  Status read_row(Walk& walk, size_t step);
  // The alias table for the walk's next step; NULL: there is none, or no weights.
  const WeightTable* table_of(const Walk& walk) const;
  // Repeats until every pending walk has moved.
  Status try_picks(size_t step);
  void pick_all();
  Result<bool> accepts(const Walk& walk, const WalkStep& at, int64_t candidate, double unit);
  // For rows with excluded edges, or with weights but no alias table: the same rules, one walk at a
  // time.
  Status step_carefully(Walk& walk, size_t step);
  // Uses the weights of all entries, when no try was accepted; -1: nothing can be picked.
  Result<int64_t> pick_exactly(const Walk& walk, const RowPick& row, uint64_t draw);
  Status load_weights(const WalkStep& at, const RowPick& row);
  // Moves along the edge at its position; if that is -1, the walk ends.
  Status go_or_end(Walk& walk, size_t step);
  Status go(Walk& walk, size_t step);
  void end(Walk& walk, size_t step) const;
  void write(const Walk& walk, size_t step, int64_t node, int64_t edge) const;
  void prefetch_row(const Walk& walk) const;
  void prefetch_pick(const Walk& walk) const;

  // Whether the graph has an edge from one node to another that is not excluded.
  Result<bool> linked(const WalkStep& at, int64_t from, int64_t to);
  Result<int64_t> neighbor_at(const WalkStep& at, int64_t position) const;
  Status bad_row(const WalkStep& at, int64_t node) const;
  Status bad_id(const WalkStep& at, const char* what, int64_t position, int64_t id,
                int64_t limit) const;

  const Input in_;
  const WalkPlan& plan_;
  const ExclusionView excluded_;
  const IdArray* nodes_ = nullptr;
  const IdArray* edges_ = nullptr;
  IdSpan seeds_;
  const uint64_t* seed_keys_ = nullptr;
  std::array<Walk, kGroup> walks_{};
  std::array<uint64_t, kGroup> keys_{};  // keys of the walks that draw, and their draws
  std::array<uint64_t, kGroup> first_{};
  std::array<uint64_t, kGroup> second_{};
  std::vector<Walk*> active_;
  std::vector<Walk*> pending_;
  RowPicker picker_;
  WeightedParts biased_;
  std::vector<int64_t> row_excluded_;
  std::vector<int64_t> linked_excluded_;
  std::vector<int64_t> entries_;
};

}  // namespace gls
