// Computes personalised PageRank of one seed at a time by one forward push: docs/contract.md
// section 9.
#pragma once

#include <cstdint>
#include <vector>

#include "host_device/ppr_rule.h"
#include "query/sampler_options.h"
#include "sample/pick/node_rows.h"
#include "sample/pick/node_score_table.h"

namespace gls {

struct PushEntry {
  PushState state;
  int64_t node = 0;
  uint32_t type = 0;
};
// The table of one push; reused across batches.
using PushTable = NodeScoreTable<PushEntry>;

// A neighbour of the seed.
struct PushedNode {
  double value;
  double rank;  // neighbours are chosen by this
  int64_t node;
  int32_t hop;
  double proximity() const { return push_proximity(hop); }
};

class ForwardPush {
 public:
  // All members must outlive this object.
  struct Input {
    const Dataset& dataset;
    const PprOptions& options;
    const RowSteps& steps;                           // the edges to push along
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // for this request; may be empty
    uint64_t batch_key;
  };
  ForwardPush(const Input& input, PushTable& table);

  Status run(size_t type, int64_t seed);
  // The neighbours of the last pushed seed, among the nodes of a type. No other push may use the
  // table before this call. Valid until the next call.
  const std::vector<PushedNode>& neighbors(size_t type);

 private:
  Status push(uint32_t index);
  Status spread(const NodeRows::Row& row, double share, int32_t hop);
  Status arrive(uint32_t type, int64_t node, double share, int32_t hop);

  const Input in_;
  const PprOptions& options_;
  const double factor_;  // of a degree
  PushTable& table_;
  NodeRows rows_;
  std::vector<uint32_t> queue_;
  size_t front_ = 0;
  uint64_t edges_ = 0;
  std::vector<PushedNode> near_;
  std::vector<PushedNode> rest_;
};

}  // namespace gls
