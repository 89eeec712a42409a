// Where rows were read that a batch has.
#pragma once

#include <cstdint>

namespace gls {

struct RowTiers {
  uint64_t device = 0;     // in memory of the device
  uint64_t pinned = 0;     // by the device, in memory of the host
  uint64_t host = 0;       // by the processor, or in a file, see feature/stored_rows.h
  uint64_t elsewhere = 0;  // asked from other processes
  uint64_t peers = 0;      // by the device, in memory of others of its group

  void add(const RowTiers& other) {
    device += other.device;
    pinned += other.pinned;
    host += other.host;
    elsewhere += other.elsewhere;
    peers += other.peers;
  }
};

}  // namespace gls
