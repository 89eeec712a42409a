#include "cluster/client/remote_parts.h"

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "cluster/client/replicated_part.h"
#include "cluster/client/shared_part_files.h"
#include "cluster/part/in_process_parts.h"

namespace gls {

using cluster::Deadline;

// Memory that the CPU can write is filled this way only on request, which is for tests.
Result<bool> EndpointSource::lands(bool on_gpu) const {
  const bool insists = device_memory_ == net::DeviceMemory::kOn;
  if (device_memory_ == net::DeviceMemory::kOff || !parts_->any_remote()) {
    return false;
  }
  if (!on_gpu) {
    return insists;
  }
  Status reached = endpoint_->reaches_gpus();
  if (!reached.ok() && insists) {
    return std::move(reached).prefixed("net.device_memory is on: ");
  }
  return reached.ok();
}

namespace {

// Maps a part from a server on this host that gives its files; null: there is no such server.
Result<std::shared_ptr<const Part>> map_local_part(
    const std::shared_ptr<Context>& context, const std::vector<ServerDiscovery::Owner>& owners,
    const Partition& partition, uint32_t number, const Deadline& deadline) {
  const uint64_t host = net::host_number();
  for (const ServerDiscovery::Owner& owner : owners) {
    if (host == 0 || owner.host != host) {
      continue;
    }
    auto part = map_part(context, owner.peer, partition, number, deadline.left_ms());
    const Log& log = context->log();
    if (part.ok()) {
      log.write(GLS_LOG_INFO, "cluster", "part {} is mapped from the files of {}, on this host",
                number, owner.peer->address());
      return part;
    }
    if (part.status().code() == GLS_ERR_CORRUPT_DATA) {
      return std::move(part.status());
    }
    log.write(GLS_LOG_INFO, "cluster",
              "part {} of {}, on this host, is asked for by the network: {}", number,
              owner.peer->address(), part.status().message());
  }
  return std::shared_ptr<const Part>();
}

}  // namespace

Result<FollowedParts> served_parts(MembershipFollower::Route route,
                                   const ServerDiscovery::Owners& owners,
                                   const std::shared_ptr<const Partition>& partition,
                                   const RemotePartsOptions& options, const Deadline& deadline) {
  const std::shared_ptr<Context> context = route.context;
  const std::shared_ptr<const format::PartitionT> described = route.partition;
  const std::function<void()> nobody = [bell = route.bell] { bell->no_server_reached(); };
  RemotePartOptions asked = options.part;
  if (asked.one_sided != net::OneSided::kOff && asked.ranks == nullptr) {
    asked.ranks = std::make_shared<const RowRanks>(partition);
  }
  asked.ask_again = false;  // the caller asks several servers and retries itself
  route.part = asked;
  FollowedParts out{{}, std::make_shared<MembershipFollower>(std::move(route), owners)};
  const size_t first = std::random_device()();  // spreads clients over replicas
  for (const auto& [number, all] : owners) {
    if (options.same_host) {
      if (auto own = InProcessParts::find(partition->file().graph, number); own != nullptr) {
        context->log().write(GLS_LOG_INFO, "cluster", "part {} is that of a server of this process",
                             number);
        out.parts[number] = std::move(own);
        continue;
      }
      GLS_ASSIGN(std::shared_ptr<const Part> mapped,
                 map_local_part(context, all, *partition, number, deadline));
      if (mapped != nullptr) {
        out.parts[number] = std::move(mapped);
        continue;
      }
    }
    Replicas::All servers;
    for (const auto& [peer, host] : all) {
      GLS_ASSIGN(auto made, RemotePart::create(context, peer, described, number, asked));
      GLS_TRY(made->open_windows(deadline));
      servers.push_back(std::move(made));
    }
    const auto replicas = std::make_shared<Replicas>(std::move(servers), first);
    out.follower->keep(number, replicas);
    out.parts[number] =
        std::make_shared<ReplicatedPart>(context, replicas, asked.timeout_ms, nobody);
  }
  out.follower->start();
  return out;
}

}  // namespace gls
