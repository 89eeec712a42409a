#include "cluster/group/launcher.h"

#include <charconv>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "base/checksum.h"
#include "cluster/group/slurm_host_list.h"
#include "net/connection/transport.h"

namespace gls::group {
namespace {

// Reads the environment variables of one launcher.
class Reader {
 public:
  Reader(const char* launcher, const Environment& environment)
      : launcher_(launcher), environment_(environment) {}

  std::optional<std::string> text(const char* name) const {
    auto value = environment_(name);
    return value && !value->empty() ? value : std::nullopt;
  }
  // The first of these variables that is set.
  std::optional<std::string> any(std::initializer_list<const char*> names) const {
    for (const char* const name : names) {
      if (auto value = text(name)) {
        return value;
      }
    }
    return std::nullopt;
  }
  Result<std::optional<uint32_t>> number(std::initializer_list<const char*> names, uint32_t least,
                                         uint32_t most) const {
    for (const char* const name : names) {
      const auto value = text(name);
      if (!value) {
        continue;
      }
      uint32_t out = 0;
      const char* const last = value->data() + value->size();
      const auto [end, ec] = std::from_chars(value->data(), last, out);
      if (ec != std::errc() || end != last || out < least || out > most) {
        return invalid("{} is \"{}\", expected {} to {}", name, *value, least, most)
            .with("argument", name);
      }
      return std::optional<uint32_t>(out);
    }
    return std::optional<uint32_t>();
  }
  Result<uint32_t> needed(std::initializer_list<const char*> names, uint32_t least,
                          uint32_t most) const {
    GLS_ASSIGN(const auto out, number(names, least, most));
    if (!out) {
      return not_found("launcher {}: {} is not set", launcher_, *names.begin())
          .with("argument", *names.begin());
    }
    return *out;
  }

 private:
  const char* const launcher_;
  const Environment& environment_;
};

// The values that launchers set, each in variables of its own.
struct LauncherAddress {
  std::optional<std::string> host;  // of rank 0
  std::string job;                  // distinguishes it from other jobs
};

Status read_ranks(const Reader& reader, std::initializer_list<const char*> ranks,
                  std::initializer_list<const char*> sizes,
                  std::initializer_list<const char*> local_ranks, Place* place) {
  GLS_ASSIGN(place->world_size, reader.needed(sizes, 1, kMostProcesses));
  GLS_ASSIGN(place->rank, reader.needed(ranks, 0, place->world_size - 1));
  GLS_ASSIGN(place->local_rank, reader.number(local_ranks, 0, place->world_size - 1));
  return {};
}

Result<LauncherAddress> read_torchrun(const Environment& environment, Place* place) {
  const Reader reader("torchrun", environment);
  GLS_TRY(read_ranks(reader, {"RANK"}, {"WORLD_SIZE"}, {"LOCAL_RANK"}, place));
  GLS_ASSIGN(place->local_size, reader.number({"LOCAL_WORLD_SIZE"}, 1, place->world_size));
  // Derives another port from MASTER_PORT, so that the port belongs to this job alone.
  return LauncherAddress{reader.text("MASTER_ADDR"),
                         "torchrun " + reader.text("MASTER_ADDR").value_or("") + ":" +
                             reader.text("MASTER_PORT").value_or("")};
}

Result<LauncherAddress> read_slurm(const Environment& environment, Place* place) {
  const Reader reader("slurm", environment);
  GLS_TRY(read_ranks(reader, {"SLURM_PROCID"},
                     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"}, {"SLURM_LOCALID"},
                     place));
  LauncherAddress address;
  address.job = "slurm " + reader.any({"SLURM_JOB_ID", "SLURM_JOBID"}).value_or("") + "." +
                reader.any({"SLURM_STEP_ID", "SLURM_STEPID"}).value_or("");
  if (const auto list =
          reader.any({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"})) {
    auto hosts = parse_host_list(*list);
    if (!hosts.ok()) {
      return std::move(hosts.status())
          .prefixed("SLURM_STEP_NODELIST: ")
          .with("argument", "SLURM_STEP_NODELIST");
    }
    address.host = hosts->front();
  } else {
    address.host = reader.text("SLURM_LAUNCH_NODE_IPADDR");
  }
  return address;
}

// These launchers do not set the address of rank 0, unless all processes run on one host or in a
// Slurm allocation.
Result<LauncherAddress> without_address(const Reader& reader, const Place& place) {
  LauncherAddress address;
  address.job =
      "mpi " +
      reader.any({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_JOB_ID"})
          .value_or("");
  if (place.local_size == place.world_size) {
    address.host = "127.0.0.1";
  } else if (const auto list = reader.text("SLURM_JOB_NODELIST")) {
    GLS_ASSIGN(const auto hosts, parse_host_list(*list));
    address.host = hosts.front();
  }
  return address;
}

Result<LauncherAddress> read_openmpi(const Environment& environment, Place* place) {
  const Reader reader("openmpi", environment);
  GLS_TRY(read_ranks(reader, {"OMPI_COMM_WORLD_RANK"}, {"OMPI_COMM_WORLD_SIZE"},
                     {"OMPI_COMM_WORLD_LOCAL_RANK"}, place));
  GLS_ASSIGN(place->local_size,
             reader.number({"OMPI_COMM_WORLD_LOCAL_SIZE"}, 1, place->world_size));
  return without_address(reader, *place);
}

Result<LauncherAddress> read_pmix(const Environment& environment, Place* place) {
  const Reader reader("pmix", environment);
  GLS_TRY(read_ranks(reader, {"PMIX_RANK", "PMI_RANK"}, {"GLS_WORLD_SIZE", "PMI_SIZE"},
                     {"MPI_LOCALRANKID", "PMIX_LOCAL_RANK"}, place));
  GLS_ASSIGN(place->local_size,
             reader.number({"MPI_LOCALNRANKS", "PMIX_LOCAL_SIZE"}, 1, place->world_size));
  return without_address(reader, *place);
}

Launcher find_launcher(const Environment& environment) {
  const Reader reader("auto", environment);
  if (reader.text("RANK") && reader.text("WORLD_SIZE")) {
    return Launcher::kTorchrun;
  }
  if (reader.text("OMPI_COMM_WORLD_RANK")) {
    return Launcher::kOpenMpi;
  }
  // The shell of an allocation has the variables of the job, but is not a process of the group.
  if (reader.text("SLURM_PROCID") && reader.text("SLURM_STEP_NUM_TASKS")) {
    return Launcher::kSlurm;
  }
  if (reader.any({"PMIX_RANK", "PMI_RANK"})) {
    return Launcher::kPmix;
  }
  return Launcher::kAuto;
}

Result<LauncherAddress> read_launcher(const LauncherRequest& request,
                                      const Environment& environment, Place* place) {
  place->launcher = request.launcher;
  if (request.launcher == Launcher::kArguments ||
      (request.launcher == Launcher::kAuto && request.world_size > 0)) {
    place->launcher = Launcher::kArguments;
    if (request.world_size == 0 || request.world_size > kMostProcesses) {
      return invalid("world_size is {}, expected 1 to {}", request.world_size, kMostProcesses)
          .with("argument", "world_size");
    }
    if (request.rank >= request.world_size) {
      return invalid("rank is {}, expected 0 to {}", request.rank, request.world_size - 1)
          .with("argument", "rank");
    }
    place->rank = request.rank;
    place->world_size = request.world_size;
    return LauncherAddress{};
  }
  if (request.world_size > 0 || request.rank > 0) {
    return invalid("rank and world_size are said by the launcher, and here they are {} and {}",
                   request.rank, request.world_size)
        .with("argument", request.world_size > 0 ? "world_size" : "rank");
  }
  if (request.launcher == Launcher::kAuto) {
    place->launcher = find_launcher(environment);
  }
  switch (place->launcher) {
    case Launcher::kTorchrun:
      return read_torchrun(environment, place);
    case Launcher::kOpenMpi:
      return read_openmpi(environment, place);
    case Launcher::kSlurm:
      return read_slurm(environment, place);
    case Launcher::kPmix:
      return read_pmix(environment, place);
    case Launcher::kAuto:
    case Launcher::kArguments:
      break;
  }
  return LauncherAddress{};
}

// Below the range of ports that systems assign automatically.
uint32_t port_of(const std::string& job, const std::string& group) {
  const std::string both = job + "\n" + group;
  return 16384 + static_cast<uint32_t>(hash64(std::as_bytes(std::span(both))) % 16384);
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
}

Result<Place> find_place(const LauncherRequest& request, const Environment& environment) {
  Place place;
  GLS_ASSIGN(const LauncherAddress address, read_launcher(request, environment, &place));
  place.job = address.job;
  if (!request.rendezvous.empty()) {
    GLS_TRY(net::split_address(request.rendezvous, "rendezvous").status().copy());
  }
  if (place.world_size == 1 || !request.finds_rank_0) {
    return place;
  }
  if (!request.rendezvous.empty()) {
    place.rendezvous = request.rendezvous;
    return place;
  }
  const Reader reader("", environment);
  const auto host = reader.text("GLS_MASTER_ADDR");
  GLS_ASSIGN(const auto port, reader.number({"GLS_MASTER_PORT"}, 1, 65535));
  if (!host && !address.host) {
    return not_found(
               "nobody says where rank 0 is: set rendezvous to \"host:port\", or GLS_MASTER_ADDR "
               "(and GLS_MASTER_PORT) in the environment, or give a function that exchanges "
               "addresses")
        .with("argument", "rendezvous");
  }
  if (!port && address.job.empty()) {
    return not_found(
               "nobody says on which port rank 0 listens: set rendezvous to \"host:port\", or "
               "GLS_MASTER_PORT in the environment")
        .with("argument", "rendezvous");
  }
  std::string name = host ? *host : *address.host;
  if (name.find(':') != std::string::npos && !name.starts_with('[')) {
    name = "[" + name + "]";
  }
  place.rendezvous =
      name + ":" + std::to_string(port ? *port : port_of(address.job, request.group));
  GLS_TRY(net::split_address(place.rendezvous, "rendezvous").status().copy());
  return place;
}

}  // namespace gls::group
