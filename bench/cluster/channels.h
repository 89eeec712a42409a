// Rows fetched over channels, against loops that do the least over the same transports.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gls::bench {

// `path`: a graph in one part, with so many nodes.
void fetch_over_channels(const std::string& path, int64_t nodes, int rounds, double seconds,
                         std::map<std::string, double>* ratios);

}  // namespace gls::bench
