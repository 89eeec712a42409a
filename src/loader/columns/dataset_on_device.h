// A dataset whose rows are delivered on a device. Columns that were asked for stay there, where
// loaders have them, too, as long as it lives.
#pragma once

#include <memory>

#include "device/device.h"
#include "device/peer/peer_link.h"
#include "feature/device_columns.h"
#include "loader/columns/columns.h"

namespace gls {

class DatasetOnDevice {
 public:
  // Reads nothing yet. `place` is for setting device.group.
  DatasetOnDevice(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Device> device,
                  const LocalPlace& place);

  const std::shared_ptr<Device>& device() const { return device_; }
  // As gls::find_rows(), complete for whatever stream. Of a graph that is elsewhere the rows come
  // to the host and are moved. Any number of threads at once.
  Result<Tensor> find_rows(const ColumnToGather& wanted, const IdSpan& ids,
                           const char* ids_argument, const char* column_argument) const;

 private:
  Result<Tensor> gather(const ColumnToGather& wanted, const IdSpan& ids,
                        const DeviceStream& stream) const;

  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Device> device_;
  LocalPlace place_;
  std::shared_ptr<DeviceColumns> columns_;  // so that they stay
};

}  // namespace gls
