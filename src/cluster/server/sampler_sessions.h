// The samplers that clients opened at a server.
#pragma once

#include "cluster/part/part.h"
#include "cluster/rpc/session_cache.h"

namespace gls {

using SamplerTable = SessionCache<PartSampler>;

}  // namespace gls
