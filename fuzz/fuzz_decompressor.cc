// Compressed data: a byte each for the format, the sizes of pieces of input and the room for
// output, then the data.
#include <string>

#include "ingest/text/decompressor.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  constexpr size_t kMost = size_t{4} << 20;  // a few bytes may become gigabytes
  fuzz::Input input(data, size);
  const auto compression = static_cast<Compression>(1 + input.below(3));
  const size_t piece = 1 + size_t{input.byte()};
  std::string room(1 + size_t{64} * input.byte(), '\0');
  Result<std::unique_ptr<Decompressor>> made = Decompressor::create(compression);
  if (!made.ok()) {
    fuzz::claim_error(made.status());
    return 0;
  }
  std::string_view rest = input.rest();
  std::string_view given;
  for (size_t written = 0; written < kMost;) {
    const size_t before = given.size();
    Result<size_t> step = (*made)->run(&given, room.data(), room.size());
    if (!step.ok()) {
      fuzz::claim_error(step.status());
      return 0;
    }
    CLAIM(*step <= room.size() && given.size() <= before);
    CLAIM(before == 0 || given.size() < before || *step > 0);
    written += *step;
    if (*step == 0 && given.empty()) {
      if (rest.empty()) {
        break;
      }
      given = rest.substr(0, piece);
      rest.remove_prefix(given.size());
    }
  }
  return 0;
}
