#include "cluster/server/peer_graph.h"

#include <set>
#include <utility>

#include "cluster/part/partitioned_dataset.h"

namespace gls {
namespace {

Result<FollowedParts> find_others(const std::shared_ptr<Context>& context,
                                  const std::shared_ptr<net::Endpoint>& endpoint,
                                  const std::shared_ptr<MembershipBell>& bell,
                                  const std::shared_ptr<const Partition>& partition,
                                  const std::set<uint32_t>& local, const PeerGraphOptions& options,
                                  size_t* count) {
  // Views the data of the partition.
  const std::shared_ptr<const format::PartitionT> described(partition, &partition->file());
  const cluster::Deadline deadline(options.timeout_ms);
  const Progress progress = [&](const char*, uint64_t, uint64_t, const char*) {
    return !(options.stopping && options.stopping());
  };
  ServerDiscovery search(*endpoint, context->buffers(), deadline, progress);
  search.expect(described, local);
  GLS_TRY(search.run(options.servers()));
  for (const auto& [number, owners] : search.owners()) {
    *count += owners.size();
  }
  RemotePartsOptions parts = options.parts;
  parts.part.one_sided = options.transport.data.one_sided;
  return served_parts({context, endpoint, described, options.servers, {}, bell}, search.owners(),
                      partition, parts, deadline);
}

}  // namespace

Result<BatchService::OpenedGraph> open_server_graph(
    const std::shared_ptr<Context>& context, const std::shared_ptr<const Partition>& partition,
    const std::map<uint32_t, std::shared_ptr<const LocalPart>>& local,
    const PeerGraphOptions& options) {
  std::set<uint32_t> numbers;
  for (const auto& [number, part] : local) {
    numbers.insert(number);
  }
  BatchService::OpenedGraph out;
  std::shared_ptr<net::Endpoint> endpoint;
  FollowedParts others;
  if (numbers.size() < partition->parts()) {
    if (options.servers().empty()) {
      return error(GLS_ERR_INVALID_STATE,
                   "it has {} of {} parts of the graph, and was told of no other server",
                   numbers.size(), partition->parts());
    }
    net::EndpointOptions reach;
    reach.transport = options.transport;
    reach.limits = options.limits;
    reach.role = "server";
    reach.name = options.name;
    const auto bell = MembershipBell::add_to(&reach, context->buffers());
    GLS_ASSIGN(endpoint, net::Endpoint::create(context, std::move(reach)));
    GLS_ASSIGN(others, find_others(context, endpoint, bell, partition, numbers, options,
                                   &out.num_remote_parts));
    out.close = [endpoint, follower = others.follower] {
      follower->close();
      endpoint->shutdown("the server stops", 0);
    };
  }
  std::vector<std::shared_ptr<const Part>> parts;
  for (uint32_t number = 0; number < partition->parts(); ++number) {
    const auto own = local.find(number);
    parts.push_back(own != local.end() ? std::shared_ptr<const Part>(own->second)
                                       : others.parts.at(number));
  }
  std::vector<ArrayFile> files = mapped_files(*partition, parts);
  auto asked =
      std::make_unique<const PartitionedSource>(context->buffers(), partition, std::move(parts));
  GLS_ASSIGN(
      out.dataset,
      whole_dataset(
          context, *partition, [&](const format::ArrayT& array) { return partition->map(array); },
          std::make_shared<EndpointSource>(std::move(endpoint), std::move(others.follower),
                                           std::move(asked)),
          std::move(files)));
  return out;
}

}  // namespace gls
