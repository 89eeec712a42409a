// Detects the encoding of a text file, or another kind of file, from its first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "ingest/common/build_options.h"

namespace gls {

// The number of bytes from the start of a file that the functions below read.
inline constexpr size_t kFileStart = 10;

// Refuses files that are not text, given their first bytes after decompression: compressed with
// another program, compressed twice, or in another format.
Status check_is_text(std::string_view start);

// Converts the bytes of a file to UTF-8, piece by piece.
class TextDecoder {
 public:
  virtual ~TextDecoder() = default;
  // Appends `bytes` as UTF-8; `at_end`: they are the last ones. The error concerns the line with
  // number failed_line().
  virtual Status decode(std::string_view bytes, bool at_end, std::string* out) = 0;
  int64_t failed_line() const { return lines_ + 1; }

 protected:
  int64_t lines_ = 0;  // complete lines so far
};

struct TextStart {
  size_t mark = 0;                       // length of the byte order mark
  std::unique_ptr<TextDecoder> decoder;  // NULL: the text is UTF-8 already
};
// How to read text that begins with `start`, given the caller's encoding. A mark that contradicts
// it is an error.
Result<TextStart> find_encoding(std::string_view start, Encoding encoding);

}  // namespace gls
