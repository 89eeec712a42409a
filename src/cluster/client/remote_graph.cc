#include "cluster/client/remote_graph.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/batches/remote_batches.h"
#include "cluster/client/remote_parts.h"
#include "cluster/discovery/array_fetcher.h"
#include "cluster/discovery/discovery.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/discovery/shared_array_files.h"
#include "cluster/part/partitioned_dataset.h"
#include "cluster/rpc/part_functions.h"
#include "net/connection/endpoint.h"

namespace gls {
namespace {

using cluster::Deadline;

// Identifies a server: the id in its greeting, or its address while it is not connected.
std::string name_of(const net::Peer& peer) {
  const auto connection = peer.connection();
  if (connection == nullptr) {
    return "at " + peer.address();
  }
  const net::EndpointId id = connection->remote().id;
  return "=" + std::string(id.begin(), id.end());  // sorts before all addresses
}

// A source whose servers also run functions and make batches.
class ServedGraph final : public EndpointSource, public group::PartFunctions, public BatchServers {
 public:
  struct Servers {
    std::shared_ptr<Context> context;
    std::shared_ptr<MembershipFollower> follower;
    uint64_t graph = 0;
    uint32_t parts = 0;
    int64_t timeout_ms = 0;
    net::DeviceMemory device_memory = net::DeviceMemory::kOff;
  };
  ServedGraph(std::shared_ptr<net::Endpoint> endpoint,
              std::unique_ptr<const PartitionedSource> parts, const Servers& servers)
      : EndpointSource(std::move(endpoint), servers.follower, std::move(parts),
                       servers.device_memory),
        servers_(servers),
        functions_(
            std::make_unique<group::PartCaller>(servers_.context->buffers(), servers.parts)) {
    services_.add<group::PartFunctions>(*this);
    services_.add<BatchServers>(*this);
  }

  const SourceServices& services() const override { return services_; }

  Result<std::shared_ptr<group::Future>> call_function(
      const group::FunctionRequest& request, const group::CallRules& rules) const override {
    return functions_->call(servers_.follower->owners(), request, rules);
  }
  std::shared_ptr<group::Future> call_server(const std::shared_ptr<net::Peer>& server,
                                             const group::FunctionRequest& request,
                                             const group::CallRules& rules) const override {
    return functions_->call(server, request, rules);
  }
  group::PartCaller::Servers servers() const override { return servers_.follower->owners(); }
  uint64_t graph() const override { return servers_.graph; }
  Result<std::unique_ptr<BatchClient>> open_batches(const BatchRecipe& recipe) const override {
    const auto in_order = [follower = servers_.follower] {
      return ServedGraph::in_order(*follower);
    };
    return RemoteBatches::open({servers_.context, in_order, servers_.graph, servers_.timeout_ms},
                               recipe);
  }

 private:
  // Lists the servers in the same order for all clients, so that they share batches. Addresses
  // cannot define the order, because a server may have several. The first part and the greeting id
  // are the same for all clients.
  static std::vector<std::shared_ptr<net::Peer>> in_order(const MembershipFollower& follower) {
    std::vector<std::shared_ptr<net::Peer>> out;
    std::set<std::string> known;
    for (const auto& [part, all] : follower.owners()) {
      std::map<std::string, std::shared_ptr<net::Peer>> of_part;
      for (const auto& peer : all) {
        of_part.emplace(name_of(*peer), peer);
      }
      for (auto& [name, peer] : of_part) {
        if (known.insert(name).second) {
          out.push_back(std::move(peer));
        }
      }
    }
    return out;
  }
  const Servers servers_;
  const std::unique_ptr<group::PartCaller> functions_;
  SourceServices services_;
};

Result<std::vector<std::string>> addresses_of(const std::string& url) {
  const auto bad = [&](std::string_view what) {
    return invalid("path: \"{}\" {}, expected gls://host:port, or several with commas", url, what)
        .with("argument", "path");
  };
  std::string_view rest = url;
  if (!rest.starts_with(kGraphScheme)) {
    return bad("does not begin with gls://");
  }
  rest.remove_prefix(kGraphScheme.size());
  if (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  std::vector<std::string> out;
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    out.emplace_back(rest.substr(0, comma));
    more = comma != std::string_view::npos;
    rest.remove_prefix(more ? comma + 1 : rest.size());
    const auto address = net::split_address(out.back(), "path");
    if (!address.ok()) {
      return bad(formatted("has the address \"{}\"", out.back()));
    }
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<const Dataset>> open_served(const std::shared_ptr<Context>& context,
                                                   const std::string& url,
                                                   const RemoteGraphOptions& options) {
  GLS_ASSIGN(const std::vector<std::string> known, addresses_of(url));
  net::EndpointOptions endpoint_options;
  endpoint_options.transport = options.transport;
  endpoint_options.limits = options.limits;
  endpoint_options.role = "client";
  endpoint_options.name = options.name;
  const auto bell = MembershipBell::add_to(&endpoint_options, context->buffers());
  GLS_ASSIGN(std::shared_ptr<net::Endpoint> endpoint,
             net::Endpoint::create(context, std::move(endpoint_options)));
  const Deadline deadline(options.timeout_ms);
  ServerDiscovery search(*endpoint, context->buffers(), deadline, options.progress);
  GLS_TRY(search.run(known));

  std::map<std::string, Tensor> local;
  if (options.same_host) {
    GLS_ASSIGN(local,
               map_local_arrays(context, search.owners(), url, search.partition(), deadline));
  }
  ArrayFetcher fetcher(context, search.owners(), search.partition(), deadline);
  const ArrayReader arrays = [&](const format::ArrayT& array) -> Result<Tensor> {
    const auto found = local.find(array.file);
    return found != local.end() ? found->second : fetcher.fetch(array.file);
  };
  GLS_ASSIGN(std::shared_ptr<const Partition> partition,
             make_partition(url, search.partition(), arrays));
  RemotePartOptions asked = options.part;
  asked.one_sided = options.transport.data.one_sided;
  MembershipFollower::Route route{
      context, endpoint, search.partition(), [given = known] { return given; }, {}, bell};
  GLS_ASSIGN(FollowedParts found, served_parts(std::move(route), search.owners(), partition,
                                               {options.same_host, asked}, deadline));
  std::vector<std::shared_ptr<const Part>> parts;
  parts.reserve(found.parts.size());
  for (const auto& [number, part] : found.parts) {
    parts.push_back(part);
  }
  const ServedGraph::Servers servers{context,
                                     std::move(found.follower),
                                     cluster::graph_number(*search.partition()),
                                     partition->parts(),
                                     options.part.timeout_ms,
                                     options.transport.data.device_memory};
  std::vector<ArrayFile> files = mapped_files(*partition, parts);
  auto source =
      std::make_unique<const PartitionedSource>(context->buffers(), partition, std::move(parts));
  return whole_dataset(
      context, *partition, arrays,
      std::make_shared<ServedGraph>(std::move(endpoint), std::move(source), servers),
      std::move(files));
}

}  // namespace gls
