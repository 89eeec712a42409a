#define FMT_HEADER_ONLY 1
#include "text.h"

#include <fmt/format.h>

namespace gls::tool {

std::string vformatted(fmt::string_view text, fmt::format_args args) {
  return fmt::vformat(text, args);
}

void vprint(fmt::string_view text, fmt::format_args args) { fmt::vprint(text, args); }

}  // namespace gls::tool
