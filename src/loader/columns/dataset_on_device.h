// Delivers rows of a dataset on a device. Columns that were requested stay in device memory as long
// as this object lives, and loaders share them.
#pragma once

#include <memory>

#include "device/device.h"
#include "device/peer/peer_link.h"
#include "feature/device_columns.h"
#include "loader/columns/columns.h"

namespace gls {

class DatasetOnDevice {
 public:
  // Reads nothing yet. `place` is for the setting device.group.
  DatasetOnDevice(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Device> device,
                  const LocalPlace& place);

  const std::shared_ptr<Device>& device() const { return device_; }
  // As gls::find_rows(), with a result that is complete for any stream. Rows of a remote graph go
  // through the host. Any number of threads may call it at once.
  Result<Tensor> find_rows(const ColumnToGather& wanted, const IdSpan& ids,
                           const char* ids_argument, const char* column_argument) const;

 private:
  Result<Tensor> gather(const ColumnToGather& wanted, const IdSpan& ids,
                        const DeviceStream& stream) const;

  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Device> device_;
  LocalPlace place_;
  std::shared_ptr<DeviceColumns> columns_;  // keeps them in memory
};

}  // namespace gls
