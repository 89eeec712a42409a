// Formats values as text in fmt's notation. Only text.cc compiles fmt, because that takes long.
#pragma once

#include <fmt/core.h>

#include <string>

namespace gls::tool {

std::string vformatted(fmt::string_view text, fmt::format_args args);
void vprint(fmt::string_view text, fmt::format_args args);
// To standard output. Throws ReaderGone; other failures are reported at the end.
void print_text(const std::string& text);
// The reader of standard output has ended, as in "gls inspect g | head": the command ends silently.
struct ReaderGone {};
bool reader_is_gone();  // whether it was thrown

template <typename... Args>
std::string formatted(fmt::format_string<Args...> text, Args&&... args) {
  return tool::vformatted(text, fmt::make_format_args(args...));
}
// To standard output.
template <typename... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  tool::vprint(text, fmt::make_format_args(args...));
}

}  // namespace gls::tool
