// A one-sided read of rows from a server's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/client/remote_memory.h"
#include "cluster/rpc/remote_call.h"

namespace gls {

class OneSidedRowRead {
 public:
  struct Target {
    std::byte* out;
    const int64_t* places;              // the destination of each row; NULL: its own number
    std::shared_ptr<const void> owner;  // owner of `out`, held until nothing writes there any more
    bool on_gpu = false;                // `out` is in GPU memory
  };
  OneSidedRowRead(const RemoteMemory::Readable& from, const std::vector<uint64_t>& rows,
                  const Target& target, const cluster::Deadline& deadline);

  // Returns the outcome; GLS_ERR_CANCELED when the work of this thread is cancelled.
  Status wait();
  // Whether nothing writes any more, now or before the deadline. False when the work of this thread
  // is cancelled.
  bool wait_until_quiet(const cluster::Deadline& deadline) const;

 private:
  struct Outcome;
  std::shared_ptr<Outcome> outcome_;
};

}  // namespace gls
