#include "terminal/format.h"

#include <array>
#include <cmath>

#include "terminal/text.h"

namespace gls::tool {

std::string format_count(int64_t value) {
  std::string digits = formatted("{}", value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string format_bytes(uint64_t bytes) {
  static constexpr std::array<const char*, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? formatted("{} B", bytes) : formatted("{:.1f} {}", value, kUnits[unit]);
}

std::string format_scaled(double value) {
  static constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  while (std::abs(value) >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  const bool whole = unit == 0 && value == std::floor(value);
  return formatted("{:.{}f}{}", value, whole ? 0 : std::abs(value) < 10 ? 2 : 1, kUnits[unit]);
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) {
    return formatted("{:.0f} us", seconds * 1e6);
  }
  if (seconds < 1) {
    return formatted("{:.{}f} ms", seconds * 1e3, seconds < 0.1 ? 2 : 0);
  }
  if (seconds < 60) {
    return formatted("{:.{}f} s", seconds, seconds < 10 ? 2 : 1);
  }
  if (!(seconds < 1e9)) {
    return "a long time";
  }
  const auto whole = static_cast<int64_t>(seconds);
  return whole < 3600 ? formatted("{}:{:02}", whole / 60, whole % 60)
                      : formatted("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace gls::tool
