// What the settings of a context say of the network.
#pragma once

#include "base/settings.h"
#include "base/status.h"
#include "net/limits.h"
#include "net/transport.h"

namespace gls::net {

// An error when nothing protects connections and that was not asked for.
Result<TransportOptions> transport_options(const Settings& settings);
Limits limits(const Settings& settings);

}  // namespace gls::net
