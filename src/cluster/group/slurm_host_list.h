// Lists of hosts as Slurm writes them: "node[01-03,7],gpu-a[1-2]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace gls::group {

// All of them, in their order; a name may have several brackets. An error: it is no such list, or
// one of more than 65536 hosts.
Result<std::vector<std::string>> parse_host_list(std::string_view text);

}  // namespace gls::group
