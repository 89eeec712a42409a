// Reports the instruction sets of the CPU, and the cores and memory that this process may use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "system/cgroup.h"

namespace gls {

// Ordered: a wider set includes the narrower ones.
enum class Simd : uint8_t { kPlain = 0, kAvx2 = 1, kAvx512 = 2 };

// The widest set that this CPU and the operating system support.
Simd detect_simd();

// Cores by the affinity mask and the quotas of control groups, at least 1.
unsigned usable_cores(const CgroupLimits& limits = cgroup_limits());

// Bytes of RAM this process may use: physical memory, or what its control groups or the limits of
// the process (RLIMIT_AS, RLIMIT_DATA) leave of it.
uint64_t usable_memory(const CgroupLimits& limits = cgroup_limits());

}  // namespace gls
