// Streams within one process, for endpoints of the same process and for tests. Tests can make them
// slow, silent or dead.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "net/core/stream.h"

namespace gls::net {

// Faults of a transport, which may change at any time, and counters that tests read.
struct SelfFaults {
  std::atomic<bool> drop = false;      // what it sends is lost without notice
  std::atomic<bool> frozen = false;    // it does nothing, like a stopped process
  std::atomic<bool> dead = false;      // its streams break at their next operation
  std::atomic<uint32_t> delay_ms = 0;  // before each operation
  std::atomic<uint64_t> writes = 0;    // how often it sent its queued data
};

// Addresses are valid in this process only. `faults` may be null.
StreamTransport* make_self_transport(std::shared_ptr<SelfFaults> faults);

}  // namespace gls::net
