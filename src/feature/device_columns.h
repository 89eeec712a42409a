// Columns of a dataset as a device reads them, and rows of them gathered there. A column lies in
// one of three places, the best that there is room for:
//   - in memory of the device;
//   - on the host, in pages that the device reads in place;
//   - on the host, from where the processor gathers rows that are then copied.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "device/device.h"
#include "feature/gather.h"
#include "graph/dataset.h"

namespace gls {

enum class DevicePlace : uint8_t { kDevice = 0, kPinned = 1, kHost = 2 };

class DeviceColumn {
 public:
  // On the device where it takes at most `room`; then `room` is what is left.
  static Result<std::shared_ptr<const DeviceColumn>> place(const std::shared_ptr<Device>& device,
                                                           const Column& column, bool pin,
                                                           uint64_t* room);
  ~DeviceColumn();
  DeviceColumn(const DeviceColumn&) = delete;
  DeviceColumn& operator=(const DeviceColumn&) = delete;

  DevicePlace where() const { return where_; }
  // As gather(), or gather_decoded(), with the result on the device: queues what is to be done, or,
  // where the column is on the host, does it. The ids are those of the host and the same on the
  // device, whose memory must live until the stream was waited for; the former may be missing
  // except for kHost.
  struct Ids {
    IdSpan on_host;
    IdSpan on_device;
  };
  Result<Tensor> gather(const Ids& ids, DLDataType dtype, const GatherOptions& options,
                        int64_t rows, const DeviceStream& stream,
                        std::shared_ptr<StreamReaders> readers) const;

 private:
  DeviceColumn(std::shared_ptr<Device> device, const Column& column)
      : device_(std::move(device)), column_(column) {}
  Status copy_to_device(int64_t stride);
  Status copy_codes(const DeviceStream& stream);
  device::RowForm form(DLDataType dtype) const;

  std::shared_ptr<Device> device_;
  Column column_;
  DevicePlace where_ = DevicePlace::kHost;
  const void* rows_ = nullptr;  // as the device sees them
  int64_t stride_ = 0;
  std::shared_ptr<DeviceMemory> memory_;   // kDevice
  std::shared_ptr<DeviceMemory> by_byte_;  // of codes that the device reads
};

// Those of a dataset that some loader has asked for, which all loaders share.
class DeviceColumns {
 public:
  static std::shared_ptr<DeviceColumns> of(const std::shared_ptr<const Dataset>& dataset,
                                           const std::shared_ptr<Device>& device);
  // Reads the column, unless it is there.
  Result<std::shared_ptr<const DeviceColumn>> get(const Column& column);

 private:
  DeviceColumns(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Device> device)
      : dataset_(std::move(dataset)), device_(std::move(device)) {}

  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Device> device_;
  std::mutex mutex_;
  bool room_known_ = false;
  uint64_t room_ = 0;
  std::map<const Column*, std::shared_ptr<const DeviceColumn>> columns_;
};

}  // namespace gls
