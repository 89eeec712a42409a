// Queries one server of a graph, whether or not the other servers can be reached.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "context/context.h"
#include "net/connection/transport.h"
#include "net/core/limits.h"

namespace gls {

// What the server reports about itself.
struct ServerProbe {
  std::string name;
  std::string version;          // of its library
  std::string graph;            // names the partition
  std::vector<uint32_t> parts;  // the parts it serves, ascending
  uint32_t graph_parts = 0;
};

// Connects once, greets, asks and disconnects. `timeout_ms` covers all of it; negative: no limit.
Result<ServerProbe> probe_server(const std::shared_ptr<Context>& context,
                                 const std::string& address, const net::TransportOptions& transport,
                                 const net::Limits& limits, int64_t timeout_ms);

}  // namespace gls
