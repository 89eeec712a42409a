// Checks that bytes are UTF-8 as in RFC 3629: no surrogates, no overlong forms, at most U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gls {

// The length of the leading part of `text` that is UTF-8: text.size() if all of it is.
size_t utf8_prefix(std::string_view text);
inline bool is_utf8(std::string_view text) { return utf8_prefix(text) == text.size(); }

// Appends a code point, which is at most U+10FFFF.
void append_utf8(uint32_t code_point, std::string* out);

}  // namespace gls
