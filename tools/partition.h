// Describes folders of parts of a graph.
#pragma once

#include <string>

#include "session.h"

namespace gls::tool {

bool is_partition(const std::string& folder);
// Types, and the nodes and edges that each part owns and stores.
Json describe_partition(const Context& context, const std::string& folder);
std::string partition_in_tables(const Json& partition);

}  // namespace gls::tool
