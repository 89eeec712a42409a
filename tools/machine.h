// What this machine's memory can do, to hold measurements against.
#pragma once

#include <cstdint>

namespace gls::tool {

struct MemoryRates {
  unsigned threads = 1;
  uint64_t buffer_bytes = 0;
  double copy_bytes_per_second = 0;    // bytes read plus bytes written by memcpy
  double random_lines_per_second = 0;  // independent cache lines of a buffer beyond the caches
};

// Takes about a second. Both rates are the best of several rounds: the machine's, not those of
// whatever ran beside.
MemoryRates measure_memory(unsigned threads);

// Processor time this process has used, over all threads.
double cpu_seconds();
// Most memory this process has had resident.
uint64_t peak_resident_bytes();

}  // namespace gls::tool
