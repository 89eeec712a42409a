// Opens a whole graph whose parts are on servers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "cluster/client/remote_part.h"
#include "context/context.h"
#include "graph/dataset/dataset.h"
#include "net/connection/transport.h"

namespace gls {

inline constexpr std::string_view kGraphScheme = "gls://";

struct RemoteGraphOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name;  // shown in errors and logs of servers; may be empty
  // For opening, including the wait for servers that have not started yet; negative: no limit.
  int64_t timeout_ms = 30000;
  Progress progress;  // of opening
  // Whether to map the files of parts from servers on this host, where they give them.
  bool same_host = false;
  RemotePartOptions part;
};

// `url`: "gls://host:port,host:port", naming some servers, which know the others. For each part one
// server is asked, and another one after a failure. An error names the parts without a server, and
// the servers that could not be reached.
Result<std::shared_ptr<const Dataset>> open_served(const std::shared_ptr<Context>& context,
                                                   const std::string& url,
                                                   const RemoteGraphOptions& options);

}  // namespace gls
