// The interface of what makes the batches of a loader: the host, a device, or servers of the graph.
// The loader decides when a batch is made, and BatchFinisher completes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/status.h"
#include "context/thread_pool.h"
#include "device/device.h"
#include "loader/produce/window_sampler.h"
#include "loader/seeds/epoch_plan.h"
#include "sample/batch/batch.h"
#include "storage/disk_probe.h"

namespace gls {

// What a producer read from files that do not fit into memory. Bytes are of the disk.
struct DiskCounts {
  uint64_t rows = 0;          // that were not in memory when a batch needed them
  uint64_t row_bytes = 0;     // of these rows
  uint64_t read_bytes = 0;    // of files of columns
  uint64_t packed_bytes = 0;  // written to temporary files, and read once

  void add(const DiskCounts& other) {
    rows += other.rows;
    row_bytes += other.row_bytes;
    read_bytes += other.read_bytes;
    packed_bytes += other.packed_bytes;
  }
};

// A batch before padding.
struct ProducedBatch {
  std::shared_ptr<Batch> batch;
  // Set if arrays are on a device. They are complete as far as this stream has progressed.
  std::optional<DeviceStream> stream{};
};

// Any number of threads may make batches at once.
class BatchProducer {
 public:
  BatchProducer() = default;
  BatchProducer(const BatchProducer&) = delete;
  BatchProducer& operator=(const BatchProducer&) = delete;
  virtual ~BatchProducer() = default;

  // Makes any batch of the plan's epoch on the calling thread.
  virtual Result<ProducedBatch> make(const EpochPlan& plan, uint64_t number) const = 0;
  // Makes the batch of a step of the plan. `round`: the result of the last cancel_all(); at first
  // 0.
  virtual Result<ProducedBatch> make_step(const EpochPlan& plan, uint64_t step,
                                          uint64_t round) const {
    static_cast<void>(round);
    return make(plan, plan.batch(step));
  }
  // As make(), with all arrays on the host and without columns.
  virtual Result<std::shared_ptr<Batch>> make_on_host(const EpochPlan& plan,
                                                      uint64_t number) const = 0;

  // Whether batches come with their columns; BatchFinisher gathers the columns of other batches.
  virtual bool brings_columns() const { return false; }
  virtual DiskCounts disk_counts() const { return {}; }
  virtual bool samples_on_device() const { return false; }
  // The disk of columns that do not fit into memory; NULL: no reads are planned.
  virtual const DiskSpeed* disk() const { return nullptr; }
  // Samples many batches of a topology that does not fit into memory; NULL: it fits.
  virtual const WindowSampler* window_sampler() const { return nullptr; }
  // The threads for make_step(); NULL: those of the context.
  virtual ThreadPool* threads() const { return nullptr; }
  // Cancels all steps so far with GLS_ERR_CANCELED, and later steps of earlier rounds than the
  // returned one. Does not wait. The default is for producers that wait for no other process.
  virtual uint64_t cancel_all() { return 0; }
  // Cancels current and later calls that make batches with GLS_ERR_CANCELED.
  virtual void stop() {}
  // The same batches for another loader, with a stop() of its own.
  virtual std::unique_ptr<BatchProducer> share() const = 0;
};

}  // namespace gls
