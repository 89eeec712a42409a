// Opens the whole graph for a server, which holds only some of the parts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/batches/batch_service.h"
#include "cluster/client/remote_parts.h"
#include "cluster/part/local_part.h"
#include "graph/partition/partition.h"
#include "net/connection/transport.h"

namespace gls {

struct PeerGraphOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name;  // shown in errors and logs of the other servers
  // The addresses that this server knows now; called on any thread.
  std::function<std::vector<std::string>()> servers;
  // For finding the other servers, including those that have not started; negative: no limit.
  int64_t timeout_ms = 10000;
  RemotePartsOptions parts;
  std::function<bool()> stopping;  // true: waits for the other servers end; may be empty
};

// `local`: the parts of this server, by number. Servers of the other parts are found from the known
// addresses. `context`: the context of the threads that wait for them.
Result<BatchService::OpenedGraph> open_server_graph(
    const std::shared_ptr<Context>& context, const std::shared_ptr<const Partition>& partition,
    const std::map<uint32_t, std::shared_ptr<const LocalPart>>& local,
    const PeerGraphOptions& options);

}  // namespace gls
