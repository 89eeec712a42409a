#include "cluster/discovery/server_probe.h"

#include <algorithm>
#include <utility>

#include "cluster/discovery/graph_description.h"
#include "cluster/rpc/remote_call.h"
#include "net/connection/endpoint.h"

namespace gls {

Result<ServerProbe> probe_server(const std::shared_ptr<Context>& context,
                                 const std::string& address, const net::TransportOptions& transport,
                                 const net::Limits& limits, int64_t timeout_ms) {
  const cluster::Deadline deadline(timeout_ms);
  net::EndpointOptions options;
  options.transport = transport;
  options.limits = limits;
  options.role = "client";
  GLS_ASSIGN(const auto endpoint, net::Endpoint::create(context, std::move(options)));
  GLS_ASSIGN(const auto peer, endpoint->connect(address, deadline.left_ms()));
  const auto connection = peer->connection();
  if (connection == nullptr) {
    return error(GLS_ERR_IO, "{} went away as soon as it was connected", address)
        .with("peer", address);
  }
  const net::Hello theirs = connection->remote();
  GLS_ASSIGN(GraphDescription found, describe(peer, context->buffers(), deadline.left_ms()));
  // An orderly goodbye, so that the server does not count it as a failure.
  constexpr int64_t kLeaveMs = 1000;
  endpoint->shutdown("it has what it asked for", kLeaveMs);
  std::sort(found.parts.begin(), found.parts.end());
  return ServerProbe{theirs.name, theirs.library_version, found.partition->graph,
                     std::move(found.parts), found.partition->parts};
}

}  // namespace gls
