// Rows on their way out of a server's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/client/remote_memory.h"
#include "cluster/rpc/remote_call.h"

namespace gls {

class RowReading {
 public:
  struct Target {
    std::byte* out;
    const int64_t* places;              // of each row, by number; NULL: its own number
    std::shared_ptr<const void> owner;  // of `out`, until nobody writes there any more
    bool on_gpu = false;                // `out` is in memory of one
  };
  RowReading(const PartWindows::Readable& from, const std::vector<uint64_t>& rows,
             const Target& target, const cluster::Deadline& deadline);

  // Its outcome; GLS_ERR_CANCELED when the work of this thread is given up.
  Status wait();
  // Whether no thread writes any more, now or before the deadline. False when the work of this
  // thread is given up.
  bool wait_until_quiet(const cluster::Deadline& deadline) const;

 private:
  struct Outcome;
  std::shared_ptr<Outcome> outcome_;
};

}  // namespace gls
