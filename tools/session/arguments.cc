#include "session/arguments.h"

#include <array>
#include <charconv>
#include <cmath>
#include <gls.hpp>

#include "session/session.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

struct Choice {
  std::string_view name;
  int32_t value;
};

template <size_t kCount>
int32_t choose(const std::array<Choice, kCount>& choices, const std::string& option,
               std::string_view text) {
  std::string all;
  for (const Choice& choice : choices) {
    if (text == choice.name) {
      return choice.value;
    }
    all += formatted("{}{}", all.empty() ? "" : ", ", choice.name);
  }
  throw UsageError(formatted("{}: \"{}\" is not one of {}", option, text, all));
}

template <size_t kCount>
std::string name_of(const std::array<Choice, kCount>& choices, const char* what, int32_t value) {
  for (const Choice& choice : choices) {
    if (choice.value == value) {
      return std::string(choice.name);
    }
  }
  return formatted("{} {}", what, value);
}

constexpr std::array<Choice, 5> kRoles = {{{"feature", GLS_ROLE_FEATURE},
                                           {"label", GLS_ROLE_LABEL},
                                           {"weight", GLS_ROLE_WEIGHT},
                                           {"time", GLS_ROLE_TIME},
                                           {"other", GLS_ROLE_OTHER}}};
constexpr std::array<Choice, 3> kIds = {
    {{"dense", GLS_IDS_DENSE}, {"integer", GLS_IDS_INTEGER}, {"string", GLS_IDS_STRING}}};
constexpr std::array<Choice, 4> kEncodings = {{{"detect", GLS_ENCODING_DETECT},
                                               {"utf-8", GLS_ENCODING_UTF8},
                                               {"latin-1", GLS_ENCODING_LATIN1},
                                               {"utf-16", GLS_ENCODING_UTF16}}};
constexpr std::array<Choice, 3> kHeaders = {
    {{"detect", GLS_HEADER_DETECT}, {"yes", GLS_HEADER_YES}, {"no", GLS_HEADER_NO}}};

}  // namespace

uint64_t parse_size(const std::string& option, std::string_view text) {
  uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, ec] = std::from_chars(text.data(), last, value);
  std::string_view suffix(end, static_cast<size_t>(last - end));
  unsigned shift = 0;
  if (!suffix.empty()) {
    const size_t unit = std::string_view("KMGTkmgt").find(suffix.front());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit % 4) + 1);
      suffix.remove_prefix(1);
    }
  }
  const bool unit_ok = suffix.empty() || suffix == "B" || (suffix == "iB" && shift > 0);
  if (ec != std::errc() || !unit_ok || value > (UINT64_MAX >> shift)) {
    throw UsageError(
        formatted("{}: \"{}\" is not a size such as 1048576, 64K, 2M or 1G", option, text));
  }
  return value << shift;
}

int64_t parse_integer(const std::string& option, std::string_view text) {
  int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) {
    throw UsageError(formatted("{}: \"{}\" is not an integer", option, text));
  }
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    const size_t at = text.find(separator);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return out;
    }
    text.remove_prefix(at + 1);
  }
}

int64_t milliseconds(double seconds) { return static_cast<int64_t>(std::ceil(seconds * 1000)); }

std::vector<int64_t> parse_integers(const std::string& option, std::string_view text) {
  std::vector<int64_t> out;
  for (const std::string& part : split(text, ',')) {
    out.push_back(parse_integer(option, part));
  }
  return out;
}

bool is_edge_type(std::string_view text) {
  const size_t first = text.find("__");
  if (first == std::string_view::npos || first == 0) {
    return false;
  }
  const size_t second = text.find("__", first + 2);
  return second != std::string_view::npos && second > first + 2 && second + 2 < text.size() &&
         text.find("__", second + 2) == std::string_view::npos;
}

EdgeTypeParts split_edge_type(const std::string& option, const std::string& text) {
  if (!is_edge_type(text)) {
    throw UsageError(formatted("{}: \"{}\" is not an edge type; expected source__relation__target",
                               option, text));
  }
  const size_t first = text.find("__");
  const size_t second = text.find("__", first + 2);
  return {text.substr(0, first), text.substr(first + 2, second - first - 2),
          text.substr(second + 2)};
}

bool is_role(std::string_view text) {
  for (const Choice& role : kRoles) {
    if (role.name == text) {
      return true;
    }
  }
  return false;
}

int32_t parse_role(const std::string& option, std::string_view text) {
  return choose(kRoles, option, text);
}

std::string role_name(int32_t role) { return name_of(kRoles, "role", role); }

int32_t parse_ids(const std::string& option, std::string_view text) {
  return choose(kIds, option, text);
}

std::string ids_name(int32_t ids) { return name_of(kIds, "ids", ids); }

int32_t parse_header(const std::string& option, std::string_view text) {
  return choose(kHeaders, option, text);
}

std::string header_name(int32_t header) { return name_of(kHeaders, "header", header); }

int32_t parse_encoding(const std::string& option, std::string_view text) {
  return choose(kEncodings, option, text);
}

std::string encoding_name(int32_t encoding) { return name_of(kEncodings, "encoding", encoding); }

char parse_character(const std::string& option, std::string_view text) {
  if (text == "tab" || text == "\\t") {
    return '\t';
  }
  if (text == "comma") {
    return ',';
  }
  if (text == "space") {
    return ' ';
  }
  if (text.size() != 1) {
    throw UsageError(formatted("{}: \"{}\" is not one character, \"tab\", \"comma\" or \"space\"",
                               option, text));
  }
  return text.front();
}

char parse_comment(const std::string& option, std::string_view text) {
  return text == "none" ? char{GLS_COMMENT_NONE} : parse_character(option, text);
}

Typed split_typed(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return {"", std::string(text)};
  }
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace gls::tool
