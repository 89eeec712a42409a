// Makes one batch of random walks: first the walks, then local ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sample/kernels/id_array.h"
#include "sample/neighbor/batch_worker.h"
#include "sample/neighbor/node_numbering.h"
#include "sample/neighbor/sampler.h"

namespace gls {

// Checks a request for walks, and returns its seeds.
Result<IdSpan> seeds_of_walks(const Sampler& sampler, const SampleRequest& request);

class WalkBatch {
 public:
  WalkBatch(const Sampler& sampler, SamplerScratch& scratch, const SampleRequest& request);
  Result<std::shared_ptr<Batch>> run();

 private:
  // Replaces the dataset ids in the columns of a type by local ids.
  void number_walks(size_t node_type, const IdArray& walks, int64_t rows);
  // The ids of the visited nodes, by type; the scratch memory is free afterwards.
  std::vector<Tensor> take_nodes();
  std::shared_ptr<Batch> with_no_edges(const std::vector<Tensor>& nodes) const;
  // All edges between the nodes, as a batch with these nodes as seeds.
  Result<std::shared_ptr<Batch>> induced(const std::vector<Tensor>& nodes);
  Result<std::shared_ptr<Batch>> finish(Tensor seed, int64_t num_seeds, Tensor walks, Tensor edges);

  const Sampler& sampler_;
  const WalkPlan& plan_;
  SamplerScratch& scratch_;
  const SampleRequest& request_;
  const Dataset& dataset_;
  BufferPool& pool_;
  const bool wide_;
  std::optional<NodeNumbering> nodes_;
};

}  // namespace gls
