// Counts how often a part's own batches need each node. The counts show which rows are worth a copy
// in that part. docs/decisions/0073-measured-hotness.md
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/partition/partition_book.h"
#include "sample/sampler.h"

namespace gls {

struct VisitOptions {
  std::string id_set;            // the seeds; empty: all nodes
  std::vector<int64_t> fanouts;  // empty: 15, 10
  int64_t max_seeds = 0;  // for each node type; 0: all nodes of the id set, or 2^20 of all nodes
  uint64_t seed = 0;
};

class VisitCounter {
 public:
  // Errors name the arguments of gls_dataset_partition().
  static Result<std::unique_ptr<VisitCounter>> create(std::shared_ptr<const Dataset> dataset,
                                                      VisitOptions options);

  // Samples batches of nodes that the part owns, on the threads of the context. The result is by
  // node type. It takes 4 bytes for each node, and 8 to 16 for each seed.
  Result<std::vector<std::vector<uint32_t>>> count(const std::vector<PartitionBook>& owners,
                                                   uint32_t part, const Progress& progress) const;

  // Everything that the counts depend on, except the dataset and its owners.
  std::string description() const;

 private:
  VisitCounter(std::shared_ptr<const Dataset> dataset, VisitOptions options);
  std::vector<int64_t> seeds_of(size_t type, const PartitionBook& owners, uint32_t part) const;

  std::shared_ptr<const Dataset> dataset_;
  VisitOptions options_;
  std::shared_ptr<const Sampler> sampler_;
};

}  // namespace gls
