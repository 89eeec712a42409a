// Makes one batch of random walks: walks first, local ids afterwards.
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

// The seeds of a request for walks, which is checked.
Result<IdSpan> seeds_of_walks(const Sampler& sampler, const SampleRequest& request);

class WalkBatch {
 public:
  WalkBatch(const Sampler& sampler, SamplerScratch& scratch, const SampleRequest& request);
  Result<std::shared_ptr<Batch>> run();

 private:
  // Replaces the dataset ids in the columns of a type by local ones.
  void number_walks(size_t node_type, const IdArray& walks, int64_t rows);
  // The ids of the nodes met, by type; afterwards the scratch memory is free for another batch.
  std::vector<Tensor> take_nodes();
  std::shared_ptr<Batch> with_no_edges(const std::vector<Tensor>& nodes) const;
  // All edges between the nodes, as of a batch whose seeds they are.
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
