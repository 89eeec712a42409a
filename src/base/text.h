// Text from values, in fmt's notation. The library behind it is header-only here, so that libgls.so
// needs no other; it is compiled in text.cc alone, as it takes longer than any file of ours.
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
