// Data channels within one process, for tests. Messages can be delayed and can overtake each other.
// These channels read memory of the other side as hardware would: without its threads, and only
// within shared memory. Messages of kLeastToGpus also go to GPU memory, where the CPU can write
// that.
#pragma once

#include <atomic>
#include <memory>

#include "net/connection/data_channel.h"

namespace gls::net {

// Faults of the receiving side; may change at any time.
struct SelfLaneFaults {
  std::atomic<bool> hold = false;        // messages wait; then the latest arrives first
  std::atomic<bool> halfway = false;     // messages begin, and stop in the middle
  std::atomic<bool> lose = false;        // messages are lost without notice
  std::atomic<bool> broken = false;      // a channel breaks at the next message
  std::atomic<bool> hold_reads = false;  // reads that start from now on wait
  std::atomic<int> slow_reads_ms = 0;    // the duration of each read
  std::atomic<bool> refuse_reads = false;
};

inline constexpr size_t kLeastToGpus = 4096;

// `faults` may be null.
LaneTransport* make_self_lanes(std::shared_ptr<SelfLaneFaults> faults, OneSided one_sided,
                               DeviceMemory device_memory);

}  // namespace gls::net
