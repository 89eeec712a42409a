#include "system/cpu.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace gls {

Simd detect_simd() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd")) {
    return Simd::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    return Simd::kAvx2;  // includes F16C, which every CPU with AVX2 has
  }
#endif
  return Simd::kPlain;
}

namespace {

// The number of cores in the process's affinity mask, for any number of CPUs in the machine.
unsigned cores_by_affinity() {
  constexpr int kMostProcessors = 1 << 16;
  for (int processors = CPU_SETSIZE; processors <= kMostProcessors; processors *= 2) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<size_t>(processors));
    if (set == nullptr) {
      break;
    }
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(processors));
    CPU_ZERO_S(bytes, set);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known) {
      return static_cast<unsigned>(count);
    }
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

uint64_t least_of(uint64_t bytes, int resource) {
  struct rlimit limit {};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? std::min<uint64_t>(bytes, limit.rlim_cur)
             : bytes;
}

}  // namespace

unsigned usable_cores(const CgroupLimits& limits) {
  const unsigned cores = cores_by_affinity();
  const double quota = std::ceil(limits.cpus.value_or(cores));
  return std::max(quota < cores ? static_cast<unsigned>(quota) : cores, 1U);
}

uint64_t usable_memory(const CgroupLimits& limits) {
  const uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  const uint64_t allowed = std::min(bytes, limits.memory.value_or(bytes));
  return least_of(least_of(allowed, RLIMIT_AS), RLIMIT_DATA);
}

}  // namespace gls
