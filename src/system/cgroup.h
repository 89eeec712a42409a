// Reads the limits that control groups set for this process: version 1 and 2, its own group and
// those above it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gls {

struct CgroupLimits {
  std::optional<double> cpus;      // quota over period; not set: no quota
  std::optional<uint64_t> memory;  // bytes; not set: no limit
};

// The lowest limits of all groups. `root` is put before every path that is read: "" for this
// machine, a folder tree for tests.
CgroupLimits cgroup_limits(const std::string& root = {});

}  // namespace gls
