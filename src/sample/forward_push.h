// Personalised PageRank of one seed at a time by forward push: docs/contract.md section 9.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/met_table.h"
#include "sample/near_rows.h"
#include "sample/node_rows.h"
#include "sample/ppr_plan.h"

namespace gls {

struct PushEntry {
  double score = 0;
  double residual = 0;
  double limit = 0;  // above it a node is pushed
  int64_t node = 0;
  uint32_t type = 0;
  int32_t hop = 0;
  bool queued = false;
  bool pushed = false;
};
// Of one seed; kept from batch to batch for its memory.
using PushTable = MetTable<PushEntry>;

class ForwardPush {
 public:
  // All of it must outlive this.
  struct Input {
    const Dataset& dataset;
    const PprPlan& plan;
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // of this request; may be empty
    uint64_t batch_key;
  };
  ForwardPush(const Input& input, PushTable& table);

  // The neighbours of a seed, appended by node type; `local` is the seed's local id.
  Status run(size_t type, int64_t seed, int64_t local, std::vector<NearRows>* out);

 private:
  struct Near {
    double value;
    double rank;  // what it is chosen by
    int64_t node;
    int32_t hop;
  };

  Status push(uint32_t index);
  Status spread(const NodeRows::Row& row, double share, int32_t hop);
  Status arrive(uint32_t type, int64_t node, double share, int32_t hop);
  void choose(size_t type, int64_t local, NearRows* out);

  const Input in_;
  const PprOptions& options_;
  const double factor_;  // of a degree
  PushTable& table_;
  NodeRows rows_;
  std::vector<uint32_t> queue_;
  size_t front_ = 0;
  uint64_t edges_ = 0;
  std::vector<Near> near_;
  std::vector<Near> rest_;
};

}  // namespace gls
