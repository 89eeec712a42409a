// What the processor offers and how much of it this process may use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "system/cgroup.h"

namespace gls {

// Ordered: a wider set includes the narrower ones.
enum class Simd : uint8_t { kPlain = 0, kAvx2 = 1, kAvx512 = 2 };

// The widest set that this processor and the operating system support.
Simd detect_simd();

// Cores by affinity mask and quota of control groups, at least 1.
unsigned usable_cores(const CgroupLimits& limits = cgroup_limits());

// Bytes of RAM this process may use: physical memory, or what its control groups or the limits of
// the process (RLIMIT_AS, RLIMIT_DATA) leave of it.
uint64_t usable_memory(const CgroupLimits& limits = cgroup_limits());

}  // namespace gls
