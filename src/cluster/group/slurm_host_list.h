// Parses lists of hosts in the format of Slurm: "node[01-03,7],gpu-a[1-2]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace gls::group {

// Returns all hosts in order; a name may have several brackets. An error: the text is not such a
// list, or it names more than 65536 hosts.
Result<std::vector<std::string>> parse_host_list(std::string_view text);

}  // namespace gls::group
