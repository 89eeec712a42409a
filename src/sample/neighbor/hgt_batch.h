// Makes one batch with HGT sampling: docs/contract.md section 11.
#pragma once

#include <memory>
#include <vector>

#include "sample/neighbor/batch_worker.h"
#include "sample/neighbor/sampler.h"
#include "sample/search/hgt_budget.h"

namespace gls {

// The seeds of a request by node type, in the given order; an error names the first that is not a
// node.
Result<std::vector<std::vector<int64_t>>> seeds_of_hgt(const Sampler& sampler,
                                                       const SampleRequest& request);

// Memory that is reused across batches.
struct HgtScratch {
  HgtBudget budget;
};

class HgtBatch {
 public:
  HgtBatch(const Sampler& sampler, SamplerScratch& scratch, const SampleRequest& request);
  Result<std::shared_ptr<Batch>> run();

 private:
  Status take_seeds();
  // Adds the shares of the new nodes to the scores.
  Status share_out(NodeRows& rows);
  Status share_out(NodeRows& rows, size_t type, int64_t node);
  void draw(size_t hop);
  // The batch of the found nodes, with the edges between them.
  Result<std::shared_ptr<Batch>> with_edges();

  const Sampler& sampler_;
  const HgtPlan& plan_;
  SamplerScratch& scratch_;
  const SampleRequest& request_;
  const Dataset& dataset_;
  HgtBudget& budget_;
  // By node type, as dataset ids.
  std::vector<std::vector<int64_t>> nodes_;  // the given seeds, then the drawn nodes
  std::vector<std::vector<int64_t>> new_;    // nodes whose shares were not added yet
  std::vector<int64_t> num_given_;           // number of seeds
  std::vector<std::vector<int64_t>> per_hop_;
};

}  // namespace gls
