// Reads a text file, plain or gzip (told by its first bytes), as chunks of whole lines.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace gls {

// No line may be longer. A reader passes a longer one on in parts; whoever parses it refuses it.
inline constexpr size_t kMaxLine = size_t{1} << 20;

class TextReader {
 public:
  static Result<TextReader> open(const std::string& path);
  TextReader(TextReader&& other) noexcept;
  TextReader& operator=(TextReader&&) = delete;
  ~TextReader();

  // The next lines, about `target` bytes; false: there are no more. A chunk ends with a newline
  // except at the end of the file and within a line longer than kMaxLine.
  Result<bool> next(size_t target, std::string* chunk);

  const std::string& path() const { return path_; }
  // For progress: bytes of the file itself. The size is 0 for what is no regular file.
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t file_size() const { return file_size_; }

 private:
  struct Inflater;
  TextReader(std::string path, int fd, uint64_t file_size);
  // Appends up to `count` bytes of text; fewer only at the end.
  Status fill(size_t count, std::string* out);
  Result<size_t> read_some(char* out, size_t count);
  Result<size_t> inflate_some(char* out, size_t count);

  std::string path_;
  int fd_ = -1;
  uint64_t file_size_ = 0;
  uint64_t bytes_read_ = 0;
  bool started_ = false;
  bool at_end_ = false;
  std::string head_;  // bytes read to tell what the file is, not yet passed on
  std::string rest_;  // the beginning of a line whose end was not read yet
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace gls
