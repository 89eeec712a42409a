// Streams within one process, for endpoints that meet there and for tests: what is slow, silent or
// dead can be made so.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "net/core/stream.h"

namespace gls::net {

// What is wrong with a transport, which may be changed at any time; and what can be seen of it.
struct SelfFaults {
  std::atomic<bool> drop = false;      // what it sends is lost, and nothing says so
  std::atomic<bool> frozen = false;    // it does nothing: as a stopped process
  std::atomic<bool> dead = false;      // its streams break when they next do something
  std::atomic<uint32_t> delay_ms = 0;  // before each thing it does
  std::atomic<uint64_t> writes = 0;    // how often it sent what there was
};

// Addresses are of this process alone. `faults` may be null.
StreamTransport* make_self_transport(std::shared_ptr<SelfFaults> faults);

}  // namespace gls::net
