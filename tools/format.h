// Formats numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace gls::tool {

std::string format_count(int64_t value);     // 2,449,029
std::string format_bytes(uint64_t bytes);    // 935.3 MiB
std::string format_scaled(double value);     // 61.8 M
std::string format_seconds(double seconds);  // 340 us, 2.10 s, 3:25, 1:02:03

}  // namespace gls::tool
