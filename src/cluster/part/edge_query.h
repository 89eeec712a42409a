// A question about edges, on its way to those parts that know.
#pragma once

#include <memory>
#include <vector>

#include "cluster/part/scatter_gather.h"
#include "graph/partition/partition.h"

namespace gls {

class AskedEdges {
 public:
  AskedEdges(const std::vector<std::shared_ptr<const Part>>& parts, const Partition& partition)
      : parts_(parts), partition_(partition) {}

  // Once. What the question views must live until take().
  Status ask(const EdgeQuestion& question);
  Result<Tensor> take();

 private:
  Status ask_owners(const Book& book, const IdSpan& anchors, const ByOwner::Instead& instead = {});
  void ask_everybody();

  const std::vector<std::shared_ptr<const Part>>& parts_;
  const Partition& partition_;
  EdgeQuestion question_;
  bool everybody_ = false;  // were asked the same; else by owner
  ByOwner split_;
  std::vector<std::vector<int64_t>> others_;  // what the questions view, by part
  std::vector<Later<Tensor>> asked_;
};

}  // namespace gls
