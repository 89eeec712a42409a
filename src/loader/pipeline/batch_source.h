// The interface behind gls_loader_t: a loader that makes batches in this process, or one that
// receives them from other processes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "loader/padding/pad_sizes.h"
#include "loader/produce/batch_producer.h"
#include "sample/batch/batch.h"

namespace gls {

class Loader;

struct LoaderStats {
  uint64_t batches = 0;
  uint64_t seeds = 0;
  uint64_t nodes = 0;
  uint64_t edges = 0;
  uint64_t gathered_rows = 0;
  uint64_t gathered_bytes = 0;
  uint64_t sample_ns = 0;
  uint64_t gather_ns = 0;
  uint64_t worker_wait_ns = 0;
  uint64_t caller_wait_ns = 0;
  uint64_t wall_ns = 0;
  uint64_t ready_batches = 0;
  uint64_t ready_bytes = 0;
  uint64_t peak_bytes = 0;
  RowTiers tiers;
  DiskCounts disk;

  // Counts a batch that was returned.
  void count(const Batch& batch);
};

struct LoaderPosition {
  uint64_t epoch;
  uint64_t next_batch;   // global number
  uint64_t num_batches;  // of this trainer in a whole epoch
};

struct LoaderCounts {
  uint64_t batches;  // of all trainers in an epoch
  uint64_t seeds;
  uint64_t batch_size;
};

class BatchSource {
 public:
  BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  enum class Next : uint8_t { kBatch, kNotYet, kEnd };
  // timeout_ms < 0: no limit. On kBatch, *out is set.
  virtual Result<Next> next(int64_t timeout_ms, std::shared_ptr<Batch>* out) = 0;
  // As gls_loader_notify(); false: `function` will be called. Fails when cancelled.
  virtual Result<bool> notify(void (*function)(void*), void* user_data) = 0;
  virtual void seek(uint64_t epoch) = 0;
  virtual void cancel() = 0;
  virtual LoaderPosition position() const = 0;
  virtual LoaderCounts counts() const = 0;
  virtual LoaderStats stats() const = 0;
  virtual std::string save() const = 0;
  virtual Status restore(std::string_view state) = 0;

  // Has at least its types.
  virtual const std::shared_ptr<const Dataset>& dataset() const = 0;
  // Set if batches are padded.
  virtual const std::optional<PadSizes>& pad_sizes() const = 0;
  // NULL: other processes make the batches.
  virtual const Loader* local() const { return nullptr; }
};

}  // namespace gls
