// The whole graph as a server of some of its parts reaches it.
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

struct ServerGraphOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name;                                   // in errors and logs of the other servers
  std::function<std::vector<std::string>()> servers;  // that this one knows now; any thread
  // Of finding the others, those that are not there yet included; negative: none.
  int64_t timeout_ms = 10000;
  ServedPartsOptions parts;
  std::function<bool()> stopping;  // then nobody waits for the others; may be empty
};

// `here`: those that this server has, by number. Of all others the servers are found from those
// that are known. `context`: of the threads that wait for them.
Result<BatchService::OpenedGraph> open_server_graph(
    const std::shared_ptr<Context>& context, const std::shared_ptr<const Partition>& partition,
    const std::map<uint32_t, std::shared_ptr<const LocalPart>>& here,
    const ServerGraphOptions& options);

}  // namespace gls
