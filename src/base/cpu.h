// What the processor offers and how much of it this process may use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gls {

// Ordered: a wider set includes the narrower ones.
enum class Simd : uint8_t { kPlain = 0, kAvx2 = 1, kAvx512 = 2 };

// The widest set that this processor and the operating system support.
Simd detect_simd();

// Cores by affinity mask and cgroup quota, at least 1.
unsigned usable_cores();

// Bytes of RAM this process may use (cgroup limit or physical memory).
uint64_t usable_memory();

}  // namespace gls
