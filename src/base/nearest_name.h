// Finds the known name that an unknown name probably meant. Uses only the standard library, because
// tools include it, too.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace gls {

namespace nearest {

// Equal for names that differ only in case, or in '-' and '_'.
inline std::string folded(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

inline std::string without_digits(std::string_view name) {
  std::string out;
  std::copy_if(name.begin(), name.end(), std::back_inserter(out),
               [](char c) { return c < '0' || c > '9'; });
  return out;
}

// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into
// `b`, where each part changes once (the optimal string alignment distance).
inline size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before;
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = std::move(row);
    row.assign(b.size() + 1, i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t differ = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differ});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace nearest

// The most similar known name, if it is similar enough for a misspelling; else empty. Names that
// differ only in digits, such as "type1" and "type2", do not count as misspelt. `beginnings`: also
// accepts a name that begins with the other one.
inline std::string nearest_name(std::string_view name, const std::vector<std::string>& known,
                                bool beginnings = false) {
  constexpr size_t kLeastBeginning = 4;
  constexpr size_t kLongest = 255;
  const std::string folded = nearest::folded(name.substr(0, kLongest));
  std::string best;
  size_t least = std::min<size_t>(folded.size() / 3, 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongest || candidate == name) {
      continue;
    }
    const std::string other = nearest::folded(candidate);
    if (other != folded && nearest::without_digits(other) == nearest::without_digits(folded)) {
      continue;
    }
    size_t distance = nearest::distance(folded, other);
    if (beginnings && std::min(folded.size(), other.size()) >= kLeastBeginning &&
        (other.starts_with(folded) || folded.starts_with(other))) {
      distance = std::min<size_t>(distance, 1);
    }
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

// The end of a message about an unknown name: the nearest name, or nothing.
inline std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known, true);
  return nearest.empty() ? nearest : "; did you mean \"" + nearest + "\"?";
}

}  // namespace gls
