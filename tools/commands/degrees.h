// Statistics of degrees, read from the whole topology.
#pragma once

#include "session/session.h"

namespace gls::tool {

// Adds {"degrees": {"in": {...}, "out": {...}}} to each edge type of `description`.
void add_degrees(const Dataset& dataset, Progress& progress, Json& description);
std::string degree_table(const Json& description);

}  // namespace gls::tool
