// A question about edges that was sent to the parts that can answer it.
#pragma once

#include <memory>
#include <vector>

#include "cluster/part/scatter_gather.h"
#include "graph/partition/partition.h"

namespace gls {

class EdgeQuery {
 public:
  EdgeQuery(const std::vector<std::shared_ptr<const Part>>& parts, const Partition& partition)
      : parts_(parts), partition_(partition) {}

  // Call it once. What the question views must stay alive until take().
  Status ask(const EdgeQuestion& question);
  Result<Tensor> take();

 private:
  Status ask_owners(const PartitionBook& book, const IdSpan& anchors,
                    const SplitByOwner::Instead& instead = {});
  void ask_everybody();

  const std::vector<std::shared_ptr<const Part>>& parts_;
  const Partition& partition_;
  EdgeQuestion question_;
  // All parts received the same question; else each owner received its share.
  bool everybody_ = false;
  SplitByOwner split_;
  std::vector<std::vector<int64_t>> others_;  // the ids that the questions view, by part
  std::vector<Deferred<Tensor>> asked_;
};

}  // namespace gls
