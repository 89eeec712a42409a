// Parses the values of options. All functions throw a UsageError that names the option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gls::tool {

// 1048576, 64K, 2M, 1G, 1T; a trailing "B" or "iB" is allowed.
uint64_t parse_size(const std::string& option, std::string_view text);
int64_t parse_integer(const std::string& option, std::string_view text);
// "1,2,3"
std::vector<int64_t> parse_integers(const std::string& option, std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
// Rounded up.
int64_t milliseconds(double seconds);

// Whether `text` reads as "source__relation__target".
bool is_edge_type(std::string_view text);
struct EdgeTypeParts {
  std::string source;
  std::string relation;
  std::string target;
};
EdgeTypeParts split_edge_type(const std::string& option, const std::string& text);

// GLS_ROLE_* and its names.
bool is_role(std::string_view text);
int32_t parse_role(const std::string& option, std::string_view text);
std::string role_name(int32_t role);

// GLS_IDS_*.
int32_t parse_ids(const std::string& option, std::string_view text);
std::string ids_name(int32_t ids);
// GLS_HEADER_*.
int32_t parse_header(const std::string& option, std::string_view text);
std::string header_name(int32_t header);
// GLS_ENCODING_*.
int32_t parse_encoding(const std::string& option, std::string_view text);
std::string encoding_name(int32_t encoding);
// One character, or "tab", "comma", "space".
char parse_character(const std::string& option, std::string_view text);
// As above, or "none" for GLS_COMMENT_NONE.
char parse_comment(const std::string& option, std::string_view text);

// "[type:]rest"; the type is empty when none was given.
struct Typed {
  std::string type;
  std::string rest;
};
Typed split_typed(std::string_view text);

}  // namespace gls::tool
