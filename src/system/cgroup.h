// What the control groups of this process let it use: of version 1 and 2, its own group and those
// above it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gls {

struct CgroupLimits {
  std::optional<double> cpus;      // quota over period; unset: no quota
  std::optional<uint64_t> memory;  // bytes; unset: no limit
};

// The least of all groups. `root` is prepended to every path that is read: "" is this machine,
// tests have a tree of their own.
CgroupLimits cgroup_limits(const std::string& root = {});

}  // namespace gls
