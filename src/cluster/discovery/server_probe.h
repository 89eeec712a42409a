// Looks at one server of a graph, whether the others are there or not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "context/context.h"
#include "net/connection/transport.h"
#include "net/core/limits.h"

namespace gls {

// What it says of itself.
struct ServerProbe {
  std::string name;
  std::string version;          // of its library
  std::string graph;            // names the partition
  std::vector<uint32_t> parts;  // that it serves, ascending
  uint32_t graph_parts = 0;
};

// Connects once, greets, asks and leaves. `timeout_ms` is for all of it; negative: none.
Result<ServerProbe> probe_server(const std::shared_ptr<Context>& context,
                                 const std::string& address, const net::TransportOptions& transport,
                                 const net::Limits& limits, int64_t timeout_ms);

}  // namespace gls
