// The page of a plan: one HTML file that needs nothing else.
#pragma once

#include <string>

#include "session/session.h"

namespace gls::tool {

// plan_page.html with the document of `gls plan --json` in it.
std::string plan_page(const Json& report);

}  // namespace gls::tool
