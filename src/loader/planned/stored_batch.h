// Sampled batches that wait in a temporary file until their rows have been read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "sample/batch/batch.h"
#include "storage/io_queue.h"
#include "system/memory.h"

namespace gls {

// A batch whose arrays are in a file.
struct StoredBatch {
  Batch batch;  // arrays have shapes, and no data
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// Bytes of the arrays of a batch in a file.
uint64_t stored_bytes(const Batch& batch);

// Any number of threads may use it at once.
class StoredBatches {
 public:
  static Result<std::unique_ptr<StoredBatches>> create(const std::string& folder);

  // Writes the arrays. Throws std::bad_alloc, as get() does.
  Result<StoredBatch> put(BufferPool& pool, const Batch& batch);
  // The same batch with arrays in memory.
  Result<std::shared_ptr<Batch>> get(const std::shared_ptr<BufferPool>& pool,
                                     const StoredBatch& stored) const;

 private:
  explicit StoredBatches(StorageFile file) : file_(std::move(file)) {}

  StorageFile file_;
  std::atomic<uint64_t> end_{0};
};

}  // namespace gls
