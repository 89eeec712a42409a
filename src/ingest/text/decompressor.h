// Decompresses gzip, zstd and bzip2, piece by piece. zlib is linked. libzstd and libbz2 are opened
// when a file needs them (docs/decisions/0010-dependencies.md).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/status.h"

namespace gls {

enum class Compression { kNone, kGzip, kZstd, kBzip2 };

// What the first bytes of a file say. kFileStart bytes suffice.
Compression find_compression(std::string_view start);
const char* name_of(Compression compression);
// The command that decompresses such a file.
const char* command_of(Compression compression);

// Decompresses a file of one or more streams, end to end.
class Decompressor {
 public:
  // GLS_ERR_UNSUPPORTED: this system lacks the library.
  static Result<std::unique_ptr<Decompressor>> create(Compression compression);
  virtual ~Decompressor() = default;

  // Removes bytes from the front of `input` and writes at most `count` bytes, whose number it
  // returns. It may write more without input. Each call with input makes progress, or fails.
  virtual Result<size_t> run(std::string_view* input, char* out, size_t count) = 0;
  // Whether all input so far is complete streams.
  bool complete() const { return complete_; }

 protected:
  bool complete_ = false;
};

}  // namespace gls
