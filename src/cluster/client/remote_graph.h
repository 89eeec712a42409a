// The whole of a graph whose parts are served elsewhere.
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

struct ServedGraphOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name;  // in errors and logs of servers; may be empty
  // Of opening, servers that are not there yet included; negative: none.
  int64_t timeout_ms = 30000;
  Progress progress;  // of opening
  // Whether parts of servers on this host are mapped from their files, where they give them.
  bool same_host = false;
  ServedPartOptions part;
};

// `url`: "gls://host:port,host:port", of some servers; they know the others. Of servers of the same
// part one is asked, and another when it fails. An error names the parts that nobody serves, and
// who could not be reached.
Result<std::shared_ptr<const Dataset>> open_served(const std::shared_ptr<Context>& context,
                                                   const std::string& url,
                                                   const ServedGraphOptions& options);

}  // namespace gls
