// Finds importance neighbours, as PinSAGE samples: the nodes that random walks visit most
// (docs/contract.md section 8).
#pragma once

#include <span>

#include "sample/methods/importance_rows.h"
#include "sample/methods/walk_plan.h"
#include "sample/methods/walker.h"

namespace gls {

// options.importance must be set. The plan's walks are all walks of one node.
Result<WalkPlan> plan_importance(const Dataset& dataset, const SamplerOptions& options);

// The number of nodes whose walks are stored together. All their walks are made before the number
// of neighbours is checked.
int64_t nodes_that_walk_together(const WalkPlan& plan);
inline constexpr int64_t kMostNodesUnchecked = int64_t{1} << 14;

// Finds neighbours by random walks, for some nodes at a time.
class MostVisited {
 public:
  MostVisited(const WalkPlan& plan, const ImportanceOptions& options, const Walker::Input& input,
              BufferPool& pool);

  // Appends the neighbours of `nodes`, for hop `hop`; the first node has the local id `local`.
  Status find(std::span<const int64_t> nodes, int64_t local, uint32_t hop, ImportanceRows* out);

 private:
  // Ranks the neighbours of one node, whose walks begin at this row of walks_.
  Status rank(int64_t first_walk, int64_t local, ImportanceRows* out);

  const WalkPlan& plan_;
  const ImportanceOptions& options_;
  const uint64_t batch_key_;
  std::unique_ptr<Walker> walker_;  // too large for the stack
  int64_t block_;                   // nodes that are processed together
  IdArray walks_;
  std::vector<uint64_t> keys_;
  std::vector<int64_t> visits_;
  std::vector<std::pair<int64_t, int64_t>> counts_;  // count of each visited node, and the node
};

}  // namespace gls
