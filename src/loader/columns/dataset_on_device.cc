#include "loader/columns/dataset_on_device.h"

#include <utility>

#include "device/memory/transfer.h"
#include "loader/columns/column_rows.h"
#include "loader/columns/device_delivery.h"
#include "query/graph_query.h"

namespace gls {

DatasetOnDevice::DatasetOnDevice(std::shared_ptr<const Dataset> dataset,
                                 std::shared_ptr<Device> device, const LocalPlace& place)
    : dataset_(std::move(dataset)),
      device_(std::move(device)),
      place_(place),
      columns_(DeviceColumns::of(dataset_, device_, place_)) {}

Result<Tensor> DatasetOnDevice::find_rows(const ColumnToGather& wanted, const IdSpan& ids,
                                          const char* ids_argument,
                                          const char* column_argument) const {
  if (dataset_->source() == nullptr) {
    GLS_TRY(check_type_ids(*dataset_, {wanted.of_nodes, wanted.type}, ids, ids_argument));
    GLS_TRY(check_rows(*dataset_, wanted, ids, column_argument));
    GLS_ASSIGN(const DeviceStream stream, device_->stream());
    return gather(wanted, ids, stream);
  }
  GLS_ASSIGN(Tensor rows, gls::find_rows(*dataset_, wanted, ids, ids_argument, column_argument));
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  Tensor* const moved[] = {&rows};
  GLS_TRY(move_in(stream, moved, std::make_shared<StreamReaders>()));
  return rows;
}

// Gathers as for a batch with only these nodes or edges.
Result<Tensor> DatasetOnDevice::gather(const ColumnToGather& wanted, const IdSpan& ids,
                                       const DeviceStream& stream) const {
  GLS_ASSIGN(const auto delivery, DeviceDelivery::open(dataset_, device_, {wanted}, place_));
  Batch batch;
  batch.dataset = dataset_;
  batch.nodes.resize(dataset_->node_types().size());
  batch.edges.resize(dataset_->edge_types().size());
  Tensor& array = wanted.of_nodes ? batch.nodes[wanted.type].node : batch.edges[wanted.type].edge;
  array = Tensor(nullptr, ids.data(), ids.wide() ? kInt64 : kInt32, {ids.size()});
  GLS_TRY(delivery->deliver({{ids.size(), ids.size()}}, stream, &batch));
  return std::move(batch.columns.front().data);
}

}  // namespace gls
