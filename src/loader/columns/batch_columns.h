// The columns of a loader's batches: how many rows each has, and how they are gathered.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "feature/gather.h"
#include "loader/columns/columns.h"
#include "loader/columns/device_delivery.h"
#include "query/graph_source.h"
#include "sample/batch/batch.h"
#include "system/memory.h"

namespace gls {

// Any number of threads may call it at once, each with a batch of its own.
class BatchColumns {
 public:
  BatchColumns(std::shared_ptr<const Dataset> dataset, std::vector<ColumnToGather> wanted);

  const std::vector<ColumnToGather>& wanted() const { return wanted_; }
  // The ids whose rows a column has in a batch, without padding. The batch must outlive them.
  IdSpan ids(const ColumnToGather& wanted, const Batch& batch) const;
  // The bytes that the columns of a batch need.
  uint64_t bytes(const Batch& batch) const;
  // Adds columns that have a dtype and a shape, and no memory.
  void describe(Batch* batch) const;
  // Adds the columns on the host. Writes each to `memory`; empty: to memory of the pool.
  Status gather(std::span<const SharedBytes> memory, Batch* batch) const;
  // Adds one column of `wanted` on the host, if the dataset is local.
  Status gather_one(size_t index, Batch* batch) const;
  // A column of `wanted` with these rows.
  GatheredColumn described(size_t index, Tensor rows) const {
    const ColumnToGather& of = wanted_[index];
    return {of.of_nodes, of.type, of.column, of.seeds_only, std::move(rows)};
  }
  // Adds the columns of a remote graph on the stream's device.
  Status fetch(const DeviceDelivery& delivery, const DeviceStream& stream, Batch* batch) const;
  // The rows that a device gathers from local columns; see DeviceDelivery::deliver().
  Result<std::vector<DeviceDelivery::Rows>> rows_on_device(const Batch& batch) const;

 private:
  // Waits for rows of a remote graph, in the order of the columns.
  using Rows = std::vector<Deferred<Tensor>>;
  DeviceDelivery::Rows add(const ColumnToGather& wanted, Batch* batch) const;
  Status gather_local_column(const ColumnToGather& wanted, SharedBytes memory, Batch* batch) const;
  RowQuestion question(const ColumnToGather& wanted, const Batch& batch, int64_t count) const;
  Rows ask(std::span<const SharedBytes> memory, Batch* batch) const;
  Status fetch_directly(const GraphSource& source, RdmaBufferPool& pool,
                        const DeviceDelivery& delivery, const DeviceStream& stream,
                        Batch* batch) const;

  const std::shared_ptr<const Dataset> dataset_;
  const std::vector<ColumnToGather> wanted_;
  const GatherOptions options_;
};

}  // namespace gls
