// Which process of how many this is, and where rank 0 is: from arguments or from what a launcher
// has put into the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"

namespace gls::group {

inline constexpr uint32_t kMostProcesses = 16384;

enum class Launcher : int32_t { kAuto, kArguments, kTorchrun, kOpenMpi, kSlurm, kPmix };

// What the caller says.
struct Wish {
  Launcher launcher = Launcher::kAuto;
  std::string group;  // its name
  uint32_t rank = 0;
  uint32_t world_size = 0;   // 0: as the launcher says
  std::string rendezvous;    // "host:port"; empty: as the launcher says
  bool finds_rank_0 = true;  // else `rendezvous` of the place stays empty
};

struct Place {
  Launcher launcher = Launcher::kAuto;  // who was believed; kAuto: nobody, it is alone
  uint32_t rank = 0;
  uint32_t world_size = 1;
  std::optional<uint32_t> local_rank;
  std::optional<uint32_t> local_size;  // processes on this host, as the launcher says
  std::string rendezvous;
  std::string job;  // what tells it from other jobs of this machine, as the launcher says
};

using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

Result<Place> find_place(const Wish& wish, const Environment& environment);

}  // namespace gls::group
