// Reads rows of an array in a file, in the order of the file. Rows that lie close together are read
// by one request, as bytes between them cost less than one more request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/status.h"
#include "storage/io_queue.h"
#include "system/memory.h"

namespace gls {

// Rows of the same size at the same distance.
struct RowFile {
  const StorageFile* file = nullptr;
  uint64_t offset = 0;  // of row 0, in bytes
  uint64_t row_bytes = 0;
  uint64_t stride = 0;  // from row to row; not less than row_bytes
};

struct RowReadOptions {
  uint64_t largest_gap = 0;                   // bytes that are read in vain between two rows
  uint64_t largest_read = uint64_t{1} << 20;  // bytes of one request; a row may exceed it
};

struct RowReadStats {
  uint64_t requests = 0;
  uint64_t bytes = 0;  // read from the file
};

// Receives rows[first] to rows[first + count - 1]. `data` is the first one; rows[i] begins at
// data + (rows[i] - rows[first]) x stride. The bytes are valid during the call.
using TakeRows = std::function<Status(size_t first, size_t count, const std::byte* data)>;

// `rows` ascend; a row may repeat. Calls `take` on this thread for all rows, in their order.
// The queue must have no requests under way; it has none afterwards. Uses at most `memory` bytes
// from the pool beyond those of one request. Throws std::bad_alloc.
Result<RowReadStats> read_rows(IoQueue& queue, BufferPool& pool, const RowFile& file,
                               std::span<const int64_t> rows, const RowReadOptions& options,
                               uint64_t memory, const TakeRows& take);
// What read_rows() would do.
RowReadStats count_reads(const RowFile& file, std::span<const int64_t> rows,
                         const RowReadOptions& options);

}  // namespace gls
