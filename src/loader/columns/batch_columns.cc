#include "loader/columns/batch_columns.h"

#include <algorithm>
#include <utility>

#include "device/memory/transfer.h"
#include "loader/columns/column_rows.h"
#include "loader/columns/device_fetch.h"

namespace gls {
namespace {

IdSpan ids_to_gather(const Batch& batch, const ColumnToGather& wanted, int64_t count) {
  const Tensor& ids =
      wanted.of_nodes ? batch.nodes[wanted.type].node : batch.edges[wanted.type].edge;
  return {ids.data(), same_dtype(ids.dtype(), kInt64), count};
}

// The rows of a column, including padding.
int64_t rows_of(const Batch& batch, const ColumnToGather& wanted) {
  if (!wanted.of_nodes) {
    return batch.edges[wanted.type].edge.rows();
  }
  const SampledNodes& type = batch.nodes[wanted.type];
  if (!wanted.seeds_only) {
    return type.node.rows();
  }
  // Without padding, only unique seeds have rows.
  return batch.padding == Padding::kFits ? type.seed.rows() : type.num_seeds();
}

DeviceDelivery::Rows rows_to_gather(const Batch& batch, const ColumnToGather& wanted) {
  const int64_t real = wanted.seeds_only
                           ? batch.nodes[wanted.type].num_seeds()
                           : sum_of_counts(wanted.of_nodes ? batch.nodes[wanted.type].num_nodes
                                                           : batch.edges[wanted.type].num_edges);
  return {real, rows_of(batch, wanted)};
}

}  // namespace

BatchColumns::BatchColumns(std::shared_ptr<const Dataset> dataset,
                           std::vector<ColumnToGather> wanted)
    : dataset_(std::move(dataset)),
      wanted_(std::move(wanted)),
      options_(GatherOptions::from(*dataset_->context())) {}

IdSpan BatchColumns::ids(const ColumnToGather& wanted, const Batch& batch) const {
  return ids_to_gather(batch, wanted, rows_to_gather(batch, wanted).count);
}

uint64_t BatchColumns::bytes(const Batch& batch) const {
  uint64_t sum = 0;
  for (const ColumnToGather& wanted : wanted_) {
    const std::vector<int64_t>& shape = wanted.column->shape();
    uint64_t row = dtype_bytes(wanted.dtype);
    for (size_t d = 1; d < shape.size(); ++d) {
      row *= static_cast<uint64_t>(shape[d]);
    }
    sum += row * static_cast<uint64_t>(rows_of(batch, wanted));
  }
  return sum;
}

void BatchColumns::describe(Batch* batch) const {
  for (const ColumnToGather& wanted : wanted_) {
    std::vector<int64_t> shape = wanted.column->shape();
    const auto [count, rows] = rows_to_gather(*batch, wanted);
    shape[0] = std::max(count, rows);
    batch->columns.push_back({wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only,
                              Tensor(nullptr, nullptr, wanted.dtype, std::move(shape), false)});
  }
}

// Adds a column without its rows, and returns which rows it needs.
DeviceDelivery::Rows BatchColumns::add(const ColumnToGather& wanted, Batch* batch) const {
  const DeviceDelivery::Rows rows = rows_to_gather(*batch, wanted);
  batch->columns.push_back({wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only, {}});
  (wanted.column->is_local() ? batch->tiers.host : batch->tiers.remote) +=
      static_cast<uint64_t>(rows.count);
  return rows;
}

RowQuestion BatchColumns::question(const ColumnToGather& wanted, const Batch& batch,
                                   int64_t count) const {
  const bool in_trees = std::any_of(batch.nodes.begin(), batch.nodes.end(),
                                    [](const auto& of) { return of.tree.defined(); });
  return row_question(*dataset_, wanted, ids_to_gather(batch, wanted, count), in_trees);
}

Status BatchColumns::gather(std::span<const SharedBytes> memory, Batch* batch) const {
  if (dataset_->source() != nullptr) {
    Rows asked = ask(memory, batch);
    for (size_t i = 0; i < asked.size(); ++i) {
      GLS_ASSIGN(batch->columns[i].data, asked[i]());
    }
    return {};
  }
  for (const ColumnToGather& wanted : wanted_) {
    GLS_TRY(gather_local_column(wanted, memory.empty() ? nullptr : memory[batch->columns.size()],
                                batch));
  }
  return {};
}

Status BatchColumns::gather_local_column(const ColumnToGather& wanted, SharedBytes memory,
                                         Batch* batch) const {
  const auto [count, rows] = add(wanted, batch);
  GLS_ASSIGN(batch->columns.back().data,
             gather_local(*dataset_, wanted, ids_to_gather(*batch, wanted, count), options_,
                          "columns", rows, std::move(memory)));
  return {};
}

Status BatchColumns::gather_one(size_t index, Batch* batch) const {
  return gather_local_column(wanted_[index], nullptr, batch);
}

BatchColumns::Rows BatchColumns::ask(std::span<const SharedBytes> memory, Batch* batch) const {
  Rows out;
  for (const ColumnToGather& wanted : wanted_) {
    const SharedBytes to = memory.empty() ? nullptr : memory[batch->columns.size()];
    const auto [count, rows] = add(wanted, batch);
    out.push_back(dataset_->source()->ask_rows(question(wanted, *batch, count), rows, to));
  }
  return out;
}

Status BatchColumns::fetch(const DeviceDelivery& delivery, const DeviceStream& stream,
                           Batch* batch) const {
  if (RdmaBufferPool* const pool = delivery.landings(); pool != nullptr) {
    return fetch_directly(*dataset_->source(), *pool, delivery, stream, batch);
  }
  Rows asked = ask({}, batch);
  for (size_t i = 0; i < asked.size(); ++i) {
    GLS_ASSIGN(batch->columns[i].data, asked[i]());
    Tensor* const moved[] = {&batch->columns[i].data};  // while the next ones are in flight
    GLS_TRY(move_in(stream, moved, batch->readers));
  }
  return {};
}

// Rows do not go through the host.
Status BatchColumns::fetch_directly(const GraphSource& source, RdmaBufferPool& pool,
                                    const DeviceDelivery& delivery, const DeviceStream& stream,
                                    Batch* batch) const {
  DeviceFetch fetch(source, pool, stream, batch->readers);
  for (const ColumnToGather& wanted : wanted_) {
    const auto [count, rows] = add(wanted, batch);
    GLS_TRY(fetch.ask(question(wanted, *batch, count), rows, wanted.column->shape()));
  }
  for (GatheredColumn& column : batch->columns) {
    GLS_ASSIGN(column.data, fetch.take());
  }
  if (!batch->columns.empty()) {
    delivery.note_landings(fetch.num_landed() > 0);
  }
  return {};
}

Result<std::vector<DeviceDelivery::Rows>> BatchColumns::rows_on_device(const Batch& batch) const {
  std::vector<DeviceDelivery::Rows> out;
  if (dataset_->source() != nullptr) {
    return out;
  }
  out.reserve(wanted_.size());
  for (const ColumnToGather& wanted : wanted_) {
    out.push_back(rows_to_gather(batch, wanted));
    if (batch.device == nullptr) {  // otherwise the dataset is not a part of a graph
      GLS_TRY(
          check_rows(*dataset_, wanted, ids_to_gather(batch, wanted, out.back().count), "columns"));
    }
  }
  return out;
}

}  // namespace gls
