// Measures the memory speed of this machine, for comparison with benchmarks.
#pragma once

#include <cstdint>

namespace gls::tool {

struct MemoryRates {
  unsigned threads = 1;
  uint64_t buffer_bytes = 0;
  double copy_bytes_per_second = 0;    // bytes read plus bytes written by memcpy
  double random_lines_per_second = 0;  // independent cache lines of a buffer beyond the caches
};

// Takes about a second. Both rates are the best of several rounds, to exclude the load of other
// programs.
MemoryRates measure_memory(unsigned threads);

// CPU time of this process, over all threads.
double cpu_seconds();
// The peak resident memory of this process.
uint64_t peak_resident_bytes();

}  // namespace gls::tool
