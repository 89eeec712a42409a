#define FMT_HEADER_ONLY 1
#include "base/text.h"

#include <fmt/format.h>

namespace gls {

std::string vformatted(fmt::string_view text, fmt::format_args args) {
  return fmt::vformat(text, args);
}

}  // namespace gls
