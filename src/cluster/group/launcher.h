// Finds the rank of this process, the number of processes, and the address of rank 0. They come
// from arguments, or from the environment variables of a launcher.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"

namespace gls::group {

inline constexpr uint32_t kMostProcesses = 16384;

enum class Launcher : int32_t { kAuto, kArguments, kTorchrun, kOpenMpi, kSlurm, kPmix };

// What the caller requests.
struct LauncherRequest {
  Launcher launcher = Launcher::kAuto;
  std::string group;  // name of the group
  uint32_t rank = 0;
  uint32_t world_size = 0;   // 0: the launcher's value
  std::string rendezvous;    // "host:port"; empty: the launcher's value
  bool finds_rank_0 = true;  // false: `rendezvous` of the place stays empty
};

struct Place {
  // The launcher whose variables were used; kAuto: none, the process is alone.
  Launcher launcher = Launcher::kAuto;
  uint32_t rank = 0;
  uint32_t world_size = 1;
  std::optional<uint32_t> local_rank;
  std::optional<uint32_t> local_size;  // processes on this host, as the launcher sets it
  std::string rendezvous;
  // Distinguishes the job from other jobs on this machine, as the launcher sets it.
  std::string job;
};

using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

Result<Place> find_place(const LauncherRequest& request, const Environment& environment);

}  // namespace gls::group
