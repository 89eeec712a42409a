// The handle of a server.
#pragma once

#include <memory>

#include "capi/support/support.h"
#include "cluster/server/graph_server.h"

struct gls_server {
  std::unique_ptr<gls::GraphServer> impl;
};

namespace gls::capi {

inline const Context& context_of(const gls_server& handle) { return handle.impl->context(); }

}  // namespace gls::capi
