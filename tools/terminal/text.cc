#define FMT_HEADER_ONLY 1
#include "terminal/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

namespace gls::tool {

std::string vformatted(fmt::string_view text, fmt::format_args args) {
  return fmt::vformat(text, args);
}

namespace {

bool gone = false;

}  // namespace

bool reader_is_gone() { return gone; }

void print_text(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && errno == EPIPE) {
    gone = true;
    throw ReaderGone{};
  }
}

void vprint(fmt::string_view text, fmt::format_args args) { print_text(fmt::vformat(text, args)); }

}  // namespace gls::tool
