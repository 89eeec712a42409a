#include "sample/methods/ppr_search.h"

namespace gls {

PprSearch::PprSearch(const Input& input, PushTable& table) {
  const PprPlan& plan = input.plan;
  for (const RowSteps& steps : plan.pushes) {
    pushes_.emplace_back(ForwardPush::Input{input.dataset, plan.options, steps, input.excluded,
                                            input.excluded_now, input.batch_key},
                         table);
  }
  if (!plan.options.channels.empty()) {
    merges_.assign(input.dataset.node_types().size(),
                   ChannelMerge(plan.places, plan.options.neighbors));
  }
}

Status PprSearch::run(size_t type, int64_t seed, int64_t local, std::vector<ImportanceRows>* out) {
  for (size_t p = 0; p < pushes_.size(); ++p) {
    GLS_TRY(pushes_[p].run(type, seed));
    for (size_t t = 0; t < out->size(); ++t) {
      const std::vector<PushedNode>& nodes = pushes_[p].neighbors(t);
      if (!merges_.empty()) {
        merges_[t].add(p, nodes);
        continue;
      }
      for (const PushedNode& near : nodes) {
        (*out)[t].add(local, near.node, near.value, near.proximity());
      }
    }
  }
  for (size_t t = 0; t < merges_.size(); ++t) {
    merges_[t].finish(local, &(*out)[t]);
  }
  return {};
}

}  // namespace gls
