// How much memory batches of a loader may take that is measured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "bench/support/check.h"
#include "device/device.h"

namespace gls::bench {

inline uint64_t free_host_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string key; in >> key;) {
    uint64_t kib = 0;
    if (key == "MemAvailable:" && in >> kib) {
      return kib << 10;
    }
  }
  return uint64_t{4} << 30;
}

// Of batches that are ready or in work, and of what is kept for the next ones: so much that it
// does not bound how many there are, on the host or on the device.
inline uint64_t bytes_ahead(const Device& device) {
  return std::min({uint64_t{48} << 30, free_host_memory() / 4, check(device.free_memory()) / 3});
}

}  // namespace gls::bench
