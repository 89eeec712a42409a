// Measures how quickly a disk reads: in one stream, and in pieces at random places.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "storage/io_queue.h"

namespace gls {

struct DiskSpeed {
  double sequential = 0;  // bytes per second, for long reads with several under way
  struct Random {
    uint64_t bytes = 0;     // of one read
    uint32_t depth = 0;     // reads under way
    double per_second = 0;  // reads
  };
  std::vector<Random> random;

  // Seconds for `reads` reads at random places of `bytes` bytes each, at the best depth measured.
  double seconds(double reads, double bytes) const;
  // The longest gap between two rows that costs less to read than one more request.
  uint64_t largest_gap() const;
};

// Reads parts of the file for about 100 ms, past the page cache if the file is direct: else
// the speeds are those of memory, as far as the file is there. An error: the file is empty.
Result<DiskSpeed> measure_disk(IoQueue& queue, const StorageFile& file);

// Bytes per second of long reads of one file; with `to`, of as many writes of it at once, too. It
// takes 300 ms, or 2 s for a file of 4 GiB and more. `to` grows to `most` bytes, 256 MiB, or 1 GiB
// for such a file.
Result<double> measure_long(IoQueue& queue, const StorageFile& from, const StorageFile* to,
                            uint64_t most);

}  // namespace gls
