// The neighbours of seeds by personalised PageRank, of one push or merged from those of channels:
// docs/contract.md section 9.
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
  // All of it must outlive this.
  struct Input {
    const Dataset& dataset;
    const PprPlan& plan;
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // of this request; may be empty
    uint64_t batch_key;
  };
  PprSearch(const Input& input, PushTable& table);

  // The neighbours of a seed, appended by node type; `local` is the seed's local id.
  Status run(size_t type, int64_t seed, int64_t local, std::vector<NearRows>* out);

 private:
  std::deque<ForwardPush> pushes_;    // they share the table, one after the other
  std::vector<ChannelMerge> merges_;  // by node type; empty: there are no channels
};

}  // namespace gls
