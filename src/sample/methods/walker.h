// Walks through the graph, many at once: docs/contract.md section 6.
//
// A step of a walk waits for memory twice, for its row and for the neighbour it picks. So a group
// of walks takes each step together: all read their rows, pick, and ask for the neighbours; then
// all read those and ask for the next rows. While one waits, the others' lines arrive.
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
  // What a walk depends on; all of it must outlive the walker.
  struct Input {
    const Dataset& dataset;
    const WalkPlan& plan;
    Direction direction;
    const std::vector<Weights>& weights;             // by edge type
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // of this request; may be empty
    const kernels::Table& kernels;
    uint64_t batch_key;
  };
  explicit Walker(const Input& input);

  // Writes dataset ids: [seeds * walks, length + 1] nodes and, unless NULL, [seeds * walks, length]
  // edges; -1 where there is none. The seeds must be in range. `keys`, where given, has one for
  // each seed, which then takes the place of the batch's, and the walks of each are numbered from
  // 0.
  Status run(const IdSpan& seeds, const IdArray& nodes, const IdArray* edges,
             const uint64_t* keys = nullptr);

 private:
  static constexpr size_t kGroup = 256;

  struct Walk {
    uint64_t key;
    int64_t number;    // row of the output
    int64_t node;      // where it is; -1: it has ended
    int64_t previous;  // where it was; -1: the next step is of the first order
    int64_t begin;     // row of `node`
    int64_t degree;
    int64_t position;        // of the edge tried
    const AliasSlot* slots;  // of the row; NULL: its entries weigh the same
    uint32_t path_at;
  };

  void start(const IdSpan& seeds, int64_t first, size_t count);
  void draw(const std::vector<Walk*>& walks, size_t step, uint32_t pair);
  Status take_step(size_t step);
  void restart(Walk& walk, size_t step);
  Status read_row(Walk& walk, size_t step);
  // The table of the weights that the walk's next step picks by; NULL: there is none, or no
  // weights.
  const WeightTable* table_of(const Walk& walk) const;
  // Until all that are pending have gone.
  Status try_picks(size_t step);
  void pick_all();
  Result<bool> accepts(const Walk& walk, const WalkStep& at, int64_t candidate, double unit);
  // With weights that have no table, or excluded edges in the row: the same rules, one walk at a
  // time.
  Status step_carefully(Walk& walk, size_t step);
  // By the weights of all entries, when no try was accepted; -1: nothing can be picked.
  Result<int64_t> pick_exactly(const Walk& walk, const RowPick& row, uint64_t draw);
  Status load_weights(const WalkStep& at, const RowPick& row);
  // Along the edge at its position; if that is -1, the walk ends.
  Status go_or_end(Walk& walk, size_t step);
  Status go(Walk& walk, size_t step);
  void end(Walk& walk, size_t step) const;
  void write(const Walk& walk, size_t step, int64_t node, int64_t edge) const;
  void prefetch_row(const Walk& walk) const;
  void prefetch_pick(const Walk& walk) const;

  // Whether the graph, without what is excluded, has an edge that leads from one node to another.
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
  std::array<uint64_t, kGroup> keys_{};  // of those that draw, and what they drew
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
