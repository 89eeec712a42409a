// Answers the questions of a dataset that has stores: by its stores, or by the dataset below.
#pragma once

#include <memory>
#include <vector>

#include "feature/gather.h"
#include "query/graph_source.h"
#include "store/column_store.h"
#include "store/neighbor_store.h"
#include "store/whole_rows.h"
#include "system/memory.h"

namespace gls {

class StoreSource final : public GraphSource {
 public:
  // The stores of a dataset. Columns of stores follow those of `base`; edge types of stores, too.
  struct Stores {
    std::vector<std::vector<std::shared_ptr<ColumnStore>>> node_columns;  // by node type
    std::vector<std::vector<std::shared_ptr<ColumnStore>>> edge_columns;  // by edge type
    struct Neighbors {
      std::shared_ptr<NeighborStore> csc;
      std::shared_ptr<NeighborStore> csr;
      size_t source = 0;  // node types
      size_t target = 0;
    };
    std::vector<Neighbors> neighbors;  // by edge type beyond those of `base`
  };
  StoreSource(std::shared_ptr<const Dataset> base, Stores stores);

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions& options) const override;
  bool picks(const SamplerOptions& options) const override;
  Deferred<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                            SharedBytes memory) const override;
  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override;
  const PartitionBook* book(bool of_nodes, size_t type) const override;
  uint32_t parts() const override;
  std::vector<uint32_t> local_parts() const override;
  uint32_t questions_at_once() const override;
  // Batches that servers make have no columns of stores.
  const SourceServices& services() const override;
  Result<bool> lands(bool on_gpu) const override;

 private:
  const GraphSource* below() const { return base_->source().get(); }
  const std::vector<Column>& base_columns(bool of_nodes, size_t type) const;
  ColumnStore* store_of(const RowQuestion& question) const;
  RowsOfType rows_of(size_t edge_type, Layout layout) const;
  Result<Tensor> degrees_of(const EdgeQuestion& question) const;
  Result<Tensor> pairs_of(const EdgeQuestion& question) const;

  const std::shared_ptr<const Dataset> base_;
  const Stores stores_;
  const std::shared_ptr<BufferPool> pool_;
  const GatherOptions gather_;
};

}  // namespace gls
