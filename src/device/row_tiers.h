// Counts the places from which a batch's rows were read.
#pragma once

#include <cstdint>

namespace gls {

struct RowTiers {
  uint64_t device = 0;  // from device memory
  uint64_t pinned = 0;  // by the device, from host memory
  uint64_t host = 0;    // by the CPU, or from a file; see feature/stored_rows.h
  uint64_t remote = 0;  // from other processes
  uint64_t peers = 0;   // by the device, from memory of other devices in its group

  void add(const RowTiers& other) {
    device += other.device;
    pinned += other.pinned;
    host += other.host;
    remote += other.remote;
    peers += other.peers;
  }
};

}  // namespace gls
