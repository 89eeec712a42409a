// The neighbours that random walks visit most: docs/contract.md section 8.
#pragma once

#include <span>

#include "sample/methods/importance_rows.h"
#include "sample/methods/walk_plan.h"
#include "sample/methods/walker.h"

namespace gls {

// options.importance must be set. The plan's walks are all those of a node.
Result<WalkPlan> plan_importance(const Dataset& dataset, const SamplerOptions& options);

// Nodes whose walks are kept at once, and nodes of which all walks are taken before it is checked
// how many neighbours there are by now.
int64_t nodes_that_walk_together(const WalkPlan& plan);
inline constexpr int64_t kMostNodesUnchecked = int64_t{1} << 14;

// Finds neighbours of nodes by walks, some nodes at a time.
class MostVisited {
 public:
  MostVisited(const WalkPlan& plan, const ImportanceOptions& options, const Walker::Input& input,
              BufferPool& pool);

  // Appends those of `nodes`, as of hop `hop`; the first has the local id `local`.
  Status find(std::span<const int64_t> nodes, int64_t local, uint32_t hop, NearRows* out);

 private:
  // Those of one node, whose walks begin at a row of walks_.
  Status rank(int64_t first_walk, int64_t local, NearRows* out);

  const WalkPlan& plan_;
  const ImportanceOptions& options_;
  const uint64_t batch_key_;
  std::unique_ptr<Walker> walker_;  // too large for the stack
  int64_t block_;                   // nodes that walk together
  IdArray walks_;
  std::vector<uint64_t> keys_;
  std::vector<int64_t> visits_;
  std::vector<std::pair<int64_t, int64_t>> counts_;  // of each node visited, and the node
};

}  // namespace gls
