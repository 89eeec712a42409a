// Reads a text file, plain or compressed (detected from its first bytes), as chunks of complete
// lines in UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/text/decompressor.h"
#include "ingest/text/text_encoding.h"

namespace gls {

// The longest line. A reader passes a longer line on in pieces, and the parser refuses it.
inline constexpr size_t kMaxLine = size_t{1} << 20;

class TextReader {
 public:
  static Result<TextReader> open(const std::string& path, Encoding encoding);
  TextReader(TextReader&& other) noexcept;
  TextReader& operator=(TextReader&&) = delete;
  ~TextReader();

  // The next lines, about `target` bytes; false: the end. A chunk ends with a newline, except at
  // the end of the file and within a line longer than kMaxLine.
  Result<bool> next(size_t target, std::string* chunk);

  const std::string& path() const { return path_; }
  // For progress: bytes of the file itself. The size is 0 if it is not a regular file.
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t file_size() const { return file_size_; }

 private:
  TextReader(std::string path, int fd, uint64_t file_size);
  // Detects from the start of the file how to read it.
  Status start(Encoding encoding);
  // Appends up to `count` bytes of the file as text; fewer only at the end.
  Status fill(size_t count, std::string* out);
  // Reads what follows head_ through a decompressor.
  Status decompress(Compression compression);
  // Appends up to `count` bytes, decompressed, to `out`; fewer only at the end.
  Status read_bytes(size_t count, std::string* out);
  Result<size_t> read_some(char* out, size_t count);
  Result<size_t> decompress_some(char* out, size_t count);
  // Puts the file before the words of an error.
  Status of_file(Status status) const;

  std::string path_;
  int fd_ = -1;
  uint64_t file_size_ = 0;
  uint64_t bytes_read_ = 0;
  bool at_end_ = false;
  std::string head_;     // bytes read to detect the kind of file, not passed on yet
  std::string rest_;     // the start of a line whose end was not read yet
  std::string encoded_;  // bytes to decode
  std::unique_ptr<Decompressor> decompressor_;
  Compression compression_ = Compression::kNone;
  std::vector<char> input_;      // compressed bytes
  std::string_view compressed_;  // the part of input_ that was not decompressed yet
  std::unique_ptr<TextDecoder> decoder_;
};

}  // namespace gls
