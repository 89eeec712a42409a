#include "base/cpu.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

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
    return Simd::kAvx2;  // F16C too, which every processor with AVX2 has
  }
#endif
  return Simd::kPlain;
}

namespace {

std::optional<std::string> first_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) {
    return std::nullopt;
  }
  return line;
}

// cgroup v2 "max 100000" or "150000 100000"; containers see their own group at the root.
std::optional<double> cgroup_cpus() {
  if (const auto line = first_line("/sys/fs/cgroup/cpu.max")) {
    const size_t space = line->find(' ');
    if (space != std::string::npos && !line->starts_with("max")) {
      const double quota = std::strtod(line->c_str(), nullptr);
      const double period = std::strtod(line->c_str() + space, nullptr);
      if (quota > 0 && period > 0) {
        return quota / period;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned cores = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    cores = static_cast<unsigned>(CPU_COUNT(&set));
  } else if (const long online = sysconf(_SC_NPROCESSORS_ONLN); online > 0) {
    cores = static_cast<unsigned>(online);  // more than 1024 processors
  }
  if (const auto quota = cgroup_cpus()) {
    cores = std::min(cores, static_cast<unsigned>(std::ceil(*quota)));
  }
  return std::max(cores, 1u);
}

uint64_t usable_memory() {
  uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  if (const auto line = first_line("/sys/fs/cgroup/memory.max"); line && *line != "max") {
    if (const uint64_t limit = std::strtoull(line->c_str(), nullptr, 10); limit > 0) {
      bytes = std::min(bytes, limit);
    }
  }
  return bytes;
}

}  // namespace gls
