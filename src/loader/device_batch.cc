#include "loader/device_batch.h"

#include <algorithm>
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
    const std::shared_ptr<const Dataset>& dataset, const std::shared_ptr<Device>& device,
    const std::vector<ColumnToGather>& columns) {
  std::shared_ptr<DeviceDelivery> out(
      new DeviceDelivery(device, GatherOptions::from(*dataset->context())));
  if (dataset->source() != nullptr) {
    return std::shared_ptr<const DeviceDelivery>(std::move(out));
  }
  GLS_TRY(HotNodes::check(*dataset));
  out->wanted_ = columns;
  out->columns_ = DeviceColumns::of(dataset, device);
  out->placed_.reserve(columns.size());
  for (const ColumnToGather& wanted : columns) {
    GLS_ASSIGN(std::shared_ptr<const DeviceColumn> placed, out->columns_->get(*wanted.column));
    out->placed_.push_back(std::move(placed));
  }
  return std::shared_ptr<const DeviceDelivery>(std::move(out));
}

Status DeviceDelivery::deliver(const std::vector<Rows>& rows, const DeviceStream& stream,
                               Batch* batch) const {
  // The host's arrays must live until all that reads them is done: before this is left, whatever
  // has failed, the stream is waited for.
  const Batch before = *batch;
  TierCounts counts;
  Status status = gather(rows, stream, before, &counts, batch);
  Status end = stream.finish();
  if (status.ok() && end.ok()) {
    batch->tiers.add(counts.read());
  }
  return status.ok() ? std::move(end) : std::move(status);
}

Status DeviceDelivery::gather(const std::vector<Rows>& rows, const DeviceStream& stream,
                              const Batch& before, TierCounts* counts, Batch* batch) const {
  batch->num_inputs_known = batch->num_inputs();
  if (batch->readers == nullptr) {
    batch->readers = std::make_shared<StreamReaders>();
  }
  GLS_TRY(move_in(stream, arrays_of(batch), batch->readers));
  batch->device = device_;
  const auto ids_of = [](const Batch& of, const ColumnToGather& wanted) {
    return wanted.of_nodes ? of.nodes[wanted.type].node : of.edges[wanted.type].edge;
  };
  const auto first = [](const Tensor& ids, int64_t count) {
    return IdSpan(ids.data(), same_dtype(ids.dtype(), kInt64), count);
  };
  GLS_TRY(counts->begin(
      static_cast<size_t>(std::count_if(placed_.begin(), placed_.end(),
                                        [](const auto& column) { return column->counts(); })),
      stream));
  size_t counted = 0;
  for (size_t i = 0; i < placed_.size(); ++i) {
    const ColumnToGather& wanted = wanted_[i];
    const int64_t count = rows[i].count;
    Tensor here = ids_of(before, wanted);
    if (!here.on_host() && placed_[i]->where() == DevicePlace::kHost) {
      GLS_TRY(stream.finish());
      Tensor* const moved[] = {&here};
      GLS_TRY(move_out(device_, moved, nullptr));
    }
    GLS_ASSIGN(
        Tensor gathered,
        placed_[i]->gather({first(here, count), first(ids_of(*batch, wanted), count)}, wanted.dtype,
                           gather_, rows[i].rows,
                           {placed_[i]->counts() ? counts->of(counted++) : nullptr, &batch->tiers},
                           stream, batch->readers));
    batch->columns.push_back(
        {wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only, std::move(gathered)});
  }
  return counts->end(stream);
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
