#include "cluster/group/slurm_host_list.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace gls::group {
namespace {

constexpr size_t kMostHosts = 65536;
constexpr size_t kMostDigits = 9;

// A comma within brackets does not end a name.
size_t end_of_name(std::string_view text) {
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    inside = text[i] == '[' || (inside && text[i] != ']');
    if (text[i] == ',' && !inside) {
      return i;
    }
  }
  return text.size();
}

bool parse_number(std::string_view text, uint64_t* out) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= kMostDigits &&
         std::all_of(text.begin(), text.end(), digit) &&
         std::from_chars(text.data(), text.data() + text.size(), *out).ec == std::errc();
}

// Expands "01-03,7" to 01, 02, 03, 7. A number has at least as many digits as the first number of
// its range.
bool parse_ranges(std::string_view text, std::vector<std::string>* out) {
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    const std::string_view range = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    uint64_t first = 0;
    uint64_t last = 0;
    if (!parse_number(low, &first) ||
        !parse_number(dash == std::string_view::npos ? low : range.substr(dash + 1), &last) ||
        first > last || last - first >= kMostHosts - out->size()) {
      return false;
    }
    for (uint64_t number = first; number <= last; ++number) {
      std::string digits = std::to_string(number);
      digits.insert(0, low.size() - std::min(low.size(), digits.size()), '0');
      out->push_back(std::move(digits));
    }
  }
  return true;
}

bool parse_name(std::string_view name, std::vector<std::string>* out) {
  std::vector<std::string> hosts = {""};
  while (!name.empty()) {
    const size_t open = name.find('[');
    for (std::string& host : hosts) {
      host += name.substr(0, open);
    }
    if (open == std::string_view::npos) {
      break;
    }
    const size_t close = name.find(']', open);
    std::vector<std::string> numbers;
    if (close == std::string_view::npos ||
        !parse_ranges(name.substr(open + 1, close - open - 1), &numbers) ||
        hosts.size() * numbers.size() > kMostHosts) {
      return false;
    }
    std::vector<std::string> longer;
    longer.reserve(hosts.size() * numbers.size());
    for (const std::string& host : hosts) {
      for (const std::string& number : numbers) {
        longer.push_back(host + number);
      }
    }
    hosts = std::move(longer);
    name.remove_prefix(close + 1);
  }
  const auto bad = [](const std::string& host) {
    return host.empty() || host.find_first_of("[] \t\n") != std::string::npos;
  };
  if (std::any_of(hosts.begin(), hosts.end(), bad) || out->size() + hosts.size() > kMostHosts) {
    return false;
  }
  std::move(hosts.begin(), hosts.end(), std::back_inserter(*out));
  return true;
}

}  // namespace

Result<std::vector<std::string>> parse_host_list(std::string_view text) {
  std::vector<std::string> out;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const size_t end = end_of_name(rest);
    more = end < rest.size();
    if (end == 0 || !parse_name(rest.substr(0, end), &out)) {
      return invalid("\"{}\" is no list of hosts, expected one such as node[01-03,7],gpu-a[1-2]",
                     text.substr(0, 256));
    }
    rest.remove_prefix(more ? end + 1 : end);
  }
  return out;
}

}  // namespace gls::group
