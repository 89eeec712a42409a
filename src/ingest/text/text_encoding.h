// What a text file begins with tells its encoding, or that it is another kind of file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "ingest/common/build_options.h"

namespace gls {

// As many bytes from the start of a file as the functions below look at.
inline constexpr size_t kFileStart = 10;

bool is_gzip(std::string_view start);
// Refuses files that are no text: compressed in another way than gzip, or of another format.
Status check_is_text(std::string_view start);

// Turns the bytes of a file into UTF-8, piece by piece.
class TextDecoder {
 public:
  virtual ~TextDecoder() = default;
  // Appends `bytes` as UTF-8; `at_end`: they are the last ones. The error is about the line of
  // number failed_line().
  virtual Status decode(std::string_view bytes, bool at_end, std::string* out) = 0;
  int64_t failed_line() const { return lines_ + 1; }

 protected:
  int64_t lines_ = 0;  // whole ones so far
};

struct TextStart {
  size_t mark = 0;                       // length of the byte order mark
  std::unique_ptr<TextDecoder> decoder;  // NULL: the text is UTF-8 already
};
// How text beginning with `start` is to be read, given what the caller said. A mark that says
// something else is an error.
Result<TextStart> find_encoding(std::string_view start, Encoding encoding);

}  // namespace gls
