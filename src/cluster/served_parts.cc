#include "cluster/served_parts.h"

#include <random>
#include <vector>

#include "cluster/own_parts.h"
#include "cluster/part_files.h"
#include "cluster/replicated_part.h"

namespace gls {

using cluster::Deadline;

namespace {

// A part of a server on this host that gives its files; null: there is none.
Result<std::shared_ptr<const Part>> map_part_here(const std::shared_ptr<Context>& context,
                                                  const std::vector<ServerSearch::Owner>& owners,
                                                  const Partition& partition, uint32_t number,
                                                  const Deadline& deadline) {
  const uint64_t here = net::host_number();
  for (const ServerSearch::Owner& owner : owners) {
    if (here == 0 || owner.host != here) {
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

Result<std::map<uint32_t, std::shared_ptr<const Part>>> served_parts(
    const std::shared_ptr<Context>& context, const ServerSearch::Owners& owners,
    const std::shared_ptr<const Partition>& partition,
    const std::shared_ptr<const format::PartitionT>& described, const ServedPartsOptions& options,
    const Deadline& deadline) {
  std::map<uint32_t, std::shared_ptr<const Part>> parts;
  ServedPartOptions asked = options.part;
  if (asked.one_sided != net::OneSided::kOff && asked.ranks == nullptr) {
    asked.ranks = std::make_shared<const RowRanks>(partition);
  }
  const size_t first = std::random_device()();  // so that clients spread over replicas
  for (const auto& [number, all] : owners) {
    if (options.same_host) {
      if (auto own = OwnParts::find(partition->file().graph, number); own != nullptr) {
        context->log().write(GLS_LOG_INFO, "cluster", "part {} is that of a server of this process",
                             number);
        parts[number] = std::move(own);
        continue;
      }
      GLS_ASSIGN(std::shared_ptr<const Part> mapped,
                 map_part_here(context, all, *partition, number, deadline));
      if (mapped != nullptr) {
        parts[number] = std::move(mapped);
        continue;
      }
    }
    ServedPartOptions each = asked;
    each.ask_again = each.ask_again && all.size() == 1;
    std::vector<std::shared_ptr<const ServedPart>> replicas;
    for (const auto& [peer, host] : all) {
      GLS_ASSIGN(auto made, ServedPart::create(context, peer, described, number, each));
      GLS_TRY(made->open_windows(deadline));
      replicas.push_back(std::move(made));
    }
    if (replicas.size() == 1) {
      parts[number] = std::move(replicas[0]);
    } else {
      parts[number] = std::make_shared<ReplicatedPart>(context, std::move(replicas), first,
                                                       options.part.timeout_ms);
    }
  }
  return parts;
}

}  // namespace gls
