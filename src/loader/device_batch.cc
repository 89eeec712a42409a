#include "loader/device_batch.h"

#include <utility>

#include "device/transfer.h"

namespace gls {
namespace {

std::vector<Tensor*> arrays_of(Batch* batch) {
  std::vector<Tensor*> out;
  visit_arrays(*batch, [&](Tensor& array) { out.push_back(&array); });
  return out;
}

}  // namespace

Result<std::shared_ptr<const DeviceDelivery>> DeviceDelivery::open(
    const std::shared_ptr<const Dataset>& dataset, std::shared_ptr<Device> device,
    const std::vector<ColumnToGather>& columns) {
  std::shared_ptr<DeviceDelivery> out(
      new DeviceDelivery(device, GatherOptions::from(*dataset->context())));
  if (dataset->source() != nullptr) {
    return std::shared_ptr<const DeviceDelivery>(std::move(out));
  }
  out->wanted_ = columns;
  out->columns_ = DeviceColumns::of(dataset, device);
  out->placed_.reserve(columns.size());
  for (const ColumnToGather& wanted : columns) {
    GLS_ASSIGN(std::shared_ptr<const DeviceColumn> placed, out->columns_->get(*wanted.column));
    out->placed_.push_back(std::move(placed));
  }
  return std::shared_ptr<const DeviceDelivery>(std::move(out));
}

Status DeviceDelivery::deliver(const std::vector<Rows>& rows, Batch* batch) const {
  // The host's arrays must live until all that reads them is done: before this is left, whatever
  // has failed, the stream is waited for.
  const Batch on_host = *batch;
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  Status status = gather(rows, stream, batch);
  Status end = stream.finish();
  return status.ok() ? std::move(end) : std::move(status);
}

Status DeviceDelivery::gather(const std::vector<Rows>& rows, const DeviceStream& stream,
                              Batch* batch) const {
  batch->num_inputs_known = batch->num_inputs();
  batch->readers = std::make_shared<StreamReaders>();
  GLS_TRY(move_in(stream, arrays_of(batch), batch->readers));
  batch->device = device_;
  for (size_t i = 0; i < placed_.size(); ++i) {
    const ColumnToGather& wanted = wanted_[i];
    const Tensor& ids =
        wanted.of_nodes ? batch->nodes[wanted.type].node : batch->edges[wanted.type].edge;
    const IdSpan on_device(ids.data(), same_dtype(ids.dtype(), kInt64), rows[i].ids.size());
    GLS_ASSIGN(Tensor gathered, placed_[i]->gather({rows[i].ids, on_device}, wanted.dtype, gather_,
                                                   rows[i].rows, stream, batch->readers));
    batch->columns.push_back(
        {wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only, std::move(gathered)});
  }
  return {};
}

Result<std::shared_ptr<Batch>> copy_to_host(const Batch& batch) {
  auto out = std::make_shared<Batch>(batch);
  if (batch.device != nullptr) {
    GLS_TRY(move_out(batch.device, arrays_of(out.get()), batch.readers.get()));
    out->device = nullptr;
    out->readers = nullptr;
  }
  return out;
}

}  // namespace gls
