// The plan of an epoch as text.
#pragma once

#include <string>

#include "session/session.h"

namespace gls::tool {

// `report`: what gls_loader_plan() returns; docs/reference/plan.md.
std::string plan_text(const Json& report);

}  // namespace gls::tool
