#include "base/utf8.h"

namespace gls {
namespace {

// Length of the UTF-8 sequence at the start of `text`, or 0 if it is invalid.
size_t sequence_length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  const size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (length == 1) {
    return 1;
  }
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xf0 && at(1) < 0x90);
  const bool surrogate = lead == 0xed && at(1) >= 0xa0;
  const bool too_large = lead == 0xf4 && at(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

size_t utf8_prefix(std::string_view text) {
  size_t good = 0;
  while (good < text.size()) {
    const size_t length = sequence_length(text.substr(good));
    if (length == 0) {
      break;
    }
    good += length;
  }
  return good;
}

void append_utf8(uint32_t code_point, std::string* out) {
  const auto add = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  const auto tail = [&](unsigned shift) { add(0x80 | (code_point >> shift & 0x3f)); };
  if (code_point < 0x80) {
    add(code_point);
  } else if (code_point < 0x800) {
    add(0xc0 | code_point >> 6);
    tail(0);
  } else if (code_point < 0x10000) {
    add(0xe0 | code_point >> 12);
    tail(6);
    tail(0);
  } else {
    add(0xf0 | code_point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace gls
