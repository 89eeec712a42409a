// Formats values as text in fmt's notation. fmt is used header-only, so that libgls.so needs no
// other library. Only text.cc compiles it, because it takes longer than any other file.
#pragma once

#include <fmt/core.h>

#include <string>

namespace gls {

std::string vformatted(fmt::string_view text, fmt::format_args args);

template <typename... Args>
std::string formatted(fmt::format_string<Args...> text, Args&&... args) {
  return gls::vformatted(text, fmt::make_format_args(args...));
}

}  // namespace gls
