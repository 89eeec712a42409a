// Reads the network settings of a context.
#pragma once

#include "base/status.h"
#include "context/settings.h"
#include "net/connection/transport.h"
#include "net/core/limits.h"

namespace gls::net {

// An error: connections are unprotected, and the settings do not allow that.
Result<TransportOptions> transport_options(const Settings& settings);
Limits limits(const Settings& settings);

}  // namespace gls::net
