// Makes one batch whose seeds have scored neighbours that need not be adjacent: importance
// neighbours and those of personalised PageRank.
#pragma once

#include <memory>
#include <vector>

#include "sample/batch/batch.h"
#include "sample/drivers/node_numbering.h"
#include "sample/neighbor/sampler_scratch.h"
#include "sample/plan/sampler_plan.h"

namespace gls {

// The seeds of a request, all of one type; an error if the request needs what these methods do not
// support.
Result<SeedSet> seeds_of_one_type(const SamplerPlan& plan, const SampleRequest& request);

class VirtualNeighborBatch {
 public:
  VirtualNeighborBatch(const SamplerPlan& plan, SamplerScratch& scratch,
                       const SampleRequest& request);
  virtual ~VirtualNeighborBatch() = default;
  VirtualNeighborBatch(const VirtualNeighborBatch&) = delete;
  VirtualNeighborBatch& operator=(const VirtualNeighborBatch&) = delete;

  Result<std::shared_ptr<Batch>> run();

 protected:
  // Finds the neighbours of all seeds: fills the rows of the scratch memory, node_ and per_hop_.
  virtual Status find() = 0;
  // An error if a type has more nodes than local ids can count.
  Status check_size() const;

  const SamplerPlan& plan_;
  const Dataset& dataset_;
  BufferPool& pool_;
  VirtualNeighborScratch& scratch_;
  const bool wide_;
  const uint64_t key_;
  NodeNumbering numbering_;
  std::vector<ExcludedEdges> excluded_;  // of this request
  size_t seed_type_ = 0;
  int64_t num_seeds_ = 0;
  std::vector<Tensor> node_;                   // local ids of the rows, by node type
  std::vector<std::vector<int64_t>> per_hop_;  // by node type

 private:
  Status read_seeds();
  std::shared_ptr<Batch> finish();

  const SampleRequest& request_;
  Tensor seed_;
};

}  // namespace gls
