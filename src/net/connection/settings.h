// What the settings of a context say of the network.
#pragma once

#include "base/status.h"
#include "context/settings.h"
#include "net/connection/transport.h"
#include "net/core/limits.h"

namespace gls::net {

// An error when nothing protects connections and that was not asked for.
Result<TransportOptions> transport_options(const Settings& settings);
Limits limits(const Settings& settings);

}  // namespace gls::net
