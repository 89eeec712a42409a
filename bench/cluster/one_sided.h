// Rows read out of the memory of a server, which is a process of its own.
#pragma once

#include <map>
#include <string>

namespace gls::bench {

// Serves the first part until its input ends; For a child of it.
int serve_to_parent(const std::string& path, const std::string& channels, bool one_sided);
// Gathers of the server against one-sided reads, over UCX and libfabric: rates, and what of a
// processor the server took.
void one_sided(const std::string& path, int64_t nodes, int rounds, double seconds,
               std::map<std::string, double>* ratios);

}  // namespace gls::bench
