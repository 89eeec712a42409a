// Finds the neighbours of seeds by personalised PageRank, with one push, or merged from several
// channels: docs/contract.md section 9.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sample/methods/channel_merge.h"
#include "sample/methods/forward_push.h"
#include "sample/methods/importance_rows.h"
#include "sample/methods/ppr_plan.h"

namespace gls {

class PprSearch {
 public:
  // All members must outlive this object.
  struct Input {
    const Dataset& dataset;
    const PprPlan& plan;
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // for this request; may be empty
    uint64_t batch_key;
  };
  PprSearch(const Input& input, PushTable& table);

  // Appends the neighbours of a seed by node type; `local` is the seed's local id.
  Status run(size_t type, int64_t seed, int64_t local, std::vector<ImportanceRows>* out);

 private:
  std::deque<ForwardPush> pushes_;    // they use the table in turn
  std::vector<ChannelMerge> merges_;  // by node type; empty: no channels
};

}  // namespace gls
