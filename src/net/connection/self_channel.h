// Lanes within one process, for tests: messages can be held back and overtake each other. They read
// memory of the other side as hardware would: without its threads, and within what it shares.
// Messages of kLeastToGpus go to memory of GPUs as well, as far as the processor can write that.
#pragma once

#include <atomic>
#include <memory>

#include "net/connection/data_channel.h"

namespace gls::net {

// What is wrong with what arrives here; may be changed at any time.
struct SelfLaneFaults {
  std::atomic<bool> hold = false;        // messages wait; then the latest comes first
  std::atomic<bool> halfway = false;     // messages begin, and wait in the middle
  std::atomic<bool> lose = false;        // messages are lost, and nothing says so
  std::atomic<bool> broken = false;      // a lane breaks when the next message comes
  std::atomic<bool> hold_reads = false;  // what is read from here on waits
  std::atomic<int> slow_reads_ms = 0;    // so long does each read take
  std::atomic<bool> refuse_reads = false;
};

inline constexpr size_t kLeastToGpus = 4096;

// `faults` may be null.
LaneTransport* make_self_lanes(std::shared_ptr<SelfLaneFaults> faults, OneSided one_sided,
                               DeviceMemory device_memory);

}  // namespace gls::net
