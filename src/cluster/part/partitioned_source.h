// Answers questions about a partitioned graph. It splits each question by owner, asks the parts,
// and merges the answers in the order of the question.
#pragma once

#include <memory>
#include <vector>

#include "cluster/part/scatter_gather.h"
#include "graph/partition/partition.h"
#include "system/memory.h"

namespace gls {

class PartitionedSource final : public GraphSource {
 public:
  // `parts` has one entry for each part of the partition, in order.
  PartitionedSource(std::shared_ptr<BufferPool> pool, std::shared_ptr<const Partition> partition,
                    std::vector<std::shared_ptr<const Part>> parts);

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions& options) const override;
  Deferred<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                            SharedBytes memory) const override;
  Deferred<LandedRows> land_rows(const RowQuestion& question,
                                 const RowLanding& landing) const override;
  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override;
  bool any_remote() const { return gls::any_remote(parts_); }
  const PartitionBook* book(bool of_nodes, size_t type) const override {
    return of_nodes ? &partition_->node_book(type) : partition_->edge_book(type);
  }
  uint32_t parts() const override { return partition_->parts(); }
  std::vector<uint32_t> local_parts() const override;

 private:
  const format::ColumnT& column_of(const RowQuestion& question) const;
  Status no_book(const RowQuestion& question) const;

  std::shared_ptr<BufferPool> pool_;
  std::shared_ptr<const Partition> partition_;
  std::vector<std::shared_ptr<const Part>> parts_;
};

}  // namespace gls
