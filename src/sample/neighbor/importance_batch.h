// Makes one batch of importance neighbours, by random walks or personalised PageRank:
// docs/contract.md sections 8 and 9.
#pragma once

#include <memory>
#include <vector>

#include "sample/neighbor/batch_worker.h"
#include "sample/neighbor/node_numbering.h"
#include "sample/neighbor/sampler.h"
#include "sample/search/importance_rows.h"
#include "sample/search/ppr_search.h"

namespace gls {

// Memory that is reused across batches.
struct ImportanceScratch {
  std::vector<ImportanceRows> rows;  // by node type
  PushTable table;
};

// The seeds of a request, all of one type; an error if the request needs what this method does not
// support.
Result<SeedSet> seeds_of_near(const Sampler& sampler, const SampleRequest& request);

class ImportanceBatch {
 public:
  ImportanceBatch(const Sampler& sampler, SamplerScratch& scratch, const SampleRequest& request);
  Result<std::shared_ptr<Batch>> run();

 private:
  Status read_seeds();
  Status find_importance();
  Status find_ppr();
  // An error if a type has more nodes than local ids can count.
  Status check_size() const;
  std::vector<int64_t> ids_of(int64_t begin, int64_t end) const;
  std::shared_ptr<Batch> finish();

  const Sampler& sampler_;
  const SampleRequest& request_;
  const Dataset& dataset_;
  BufferPool& pool_;
  ImportanceScratch& near_;
  const bool wide_;
  const uint64_t key_;
  NodeNumbering numbering_;
  std::vector<ExcludedEdges> excluded_;  // of this request
  size_t seed_type_ = 0;
  Tensor seed_;
  int64_t num_seeds_ = 0;
  std::vector<Tensor> node_;                   // local ids of the rows, by node type
  std::vector<std::vector<int64_t>> per_hop_;  // by node type
};

}  // namespace gls
