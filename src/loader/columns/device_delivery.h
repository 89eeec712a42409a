// Batches of a loader with a device: made by the processor, then moved there, where the rows of
// their columns are gathered.
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
  // Places the columns, unless they are elsewhere than in this process.
  static Result<std::shared_ptr<const DeviceDelivery>> open(
      const std::shared_ptr<const Dataset>& dataset, const std::shared_ptr<Device>& device,
      const std::vector<ColumnToGather>& columns, const LocalPlace& place = {});

  // What is gathered for a batch, in the order of the columns: rows of the first `count` of its
  // nodes, or edges, and so many rows at least.
  struct Rows {
    int64_t count = 0;
    int64_t rows = 0;
  };
  // `batch` has no columns, or, where those are elsewhere, all, on the host; its other arrays are
  // there, or on the device as far as the stream has come. Then all are on the device, complete for
  // whatever stream.
  Status deliver(const std::vector<Rows>& rows, const DeviceStream& stream, Batch* batch) const;
  const std::shared_ptr<Device>& device() const { return device_; }
  // Where rows go that come from elsewhere; NULL: to the host.
  LandingPool* landings() const {
    return misses_.load(std::memory_order_relaxed) < kMostMisses ? landings_.get() : nullptr;
  }
  // Whether those of a batch have landed. Where none do, batch after batch, no more are to.
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
  std::shared_ptr<LandingPool> landings_;
  mutable std::atomic<int> misses_ = 0;
  std::shared_ptr<DeviceColumns> columns_;
  std::vector<ColumnToGather> wanted_;
  std::vector<std::shared_ptr<const DeviceColumn>> placed_;
};

// The same batch on the host. Waits for what was queued on streams that were named as its readers.
Result<std::shared_ptr<Batch>> copy_to_host(const Batch& batch);

}  // namespace gls
