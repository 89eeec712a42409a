// Moves the batches of a loader to a device. The CPU makes a batch, which is then copied, and the
// device gathers the rows of its columns.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "device/peer/rdma_buffer_pool.h"
#include "feature/device_columns.h"
#include "loader/columns/columns.h"
#include "sample/batch/batch.h"

namespace gls {

class DeviceDelivery {
 public:
  // Places the columns on the device, unless another process holds them.
  static Result<std::shared_ptr<const DeviceDelivery>> open(
      const std::shared_ptr<const Dataset>& dataset, const std::shared_ptr<Device>& device,
      const std::vector<ColumnToGather>& columns, const LocalPlace& place = {});

  // The rows to gather for a batch, in the order of the columns: those of its first `count` nodes
  // or edges, and at least this many rows.
  struct Rows {
    int64_t count = 0;
    int64_t rows = 0;
  };
  // `batch` has no columns or, if the graph is remote, all of them on the host. Its other arrays
  // are on the host, or on the device as far as the stream has progressed. Afterwards everything is
  // on the device, complete for any stream.
  Status deliver(const std::vector<Rows>& rows, const DeviceStream& stream, Batch* batch) const;
  const std::shared_ptr<Device>& device() const { return device_; }
  // Destinations on the device for remote rows; NULL: rows go to the host.
  RdmaBufferPool* landings() const {
    return misses_.load(std::memory_order_relaxed) < kMostMisses ? landings_.get() : nullptr;
  }
  // Records whether rows of a batch arrived on the device. After several batches where none did, no
  // more are tried.
  void note_landings(bool landed) const;

 private:
  DeviceDelivery(std::shared_ptr<Device> device, GatherOptions gather)
      : device_(std::move(device)), gather_(gather) {}
  struct Run;
  Status gather(const std::vector<Rows>& rows, const Batch& before, Run* run, Batch* batch) const;
  Status check() const;
  static Status note(const Tensor& ids, int64_t count, RowCache* cache, Run* run);

  std::shared_ptr<Device> device_;
  GatherOptions gather_;
  static constexpr int kMostMisses = 4;  // in a row
  std::shared_ptr<Context> context_;
  std::shared_ptr<RdmaBufferPool> landings_;
  mutable std::atomic<int> misses_ = 0;
  std::shared_ptr<DeviceColumns> columns_;
  std::vector<ColumnToGather> wanted_;
  std::vector<std::shared_ptr<const DeviceColumn>> placed_;
};

// Copies a batch to the host. Waits for work that its named reader streams have queued.
Result<std::shared_ptr<Batch>> copy_to_host(const Batch& batch);

}  // namespace gls
