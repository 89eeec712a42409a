// Folders of parts of a graph.
#pragma once

#include <string>

#include "session.h"

namespace gls::tool {

bool is_partition(const std::string& folder);
// Types, and nodes and edges owned and known by each part.
Json describe_partition(const Context& context, const std::string& folder);
std::string partition_in_tables(const Json& partition);

}  // namespace gls::tool
