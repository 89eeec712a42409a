// Data channels within one process, for tests. Messages can be delayed and can overtake each other.
// These channels read memory of the other side as hardware would: without its threads, and only
// within shared memory. Messages of kLeastToGpus also go to GPU memory, where the CPU can write
// that.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "net/connection/data_channel.h"
#include "net/connection/transport.h"

namespace gls::net {

// Faults of the receiving side; may change at any time.
struct SelfChannelFaults {
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
ChannelTransport* make_self_channels(std::shared_ptr<SelfChannelFaults> faults, OneSided one_sided,
                                     DeviceMemory device_memory);

// Of channels within this process alone: others stay as they are.
inline void set_faults(DataOptions* options, std::shared_ptr<SelfChannelFaults> faults) {
  if (options->name == "self") {
    options->make = [faults = std::move(faults)](const DataOptions& data) {
      return make_self_channels(faults, data.one_sided, data.device_memory);
    };
  }
}

inline void use_self(DataOptions* options) {
  options->name = "self";
  set_faults(options, nullptr);
}

}  // namespace gls::net
