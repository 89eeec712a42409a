#include "ingest/text/text_encoding.h"

#include <array>
#include <utility>

#include "base/utf8.h"
#include "ingest/text/decompressor.h"

namespace gls {
namespace {

using namespace std::string_view_literals;

struct FileKind {
  std::string_view start;
  const char* text;  // the kind of file, and advice
};

constexpr std::array kFileKinds = {
    FileKind{"\xfd\x37zXZ\0"sv, "compressed with xz; decompress it first (xz -d)"},
    FileKind{"\x04\x22\x4d\x18"sv, "compressed with lz4; decompress it first (lz4 -d)"},
    FileKind{"PK\x03\x04"sv, "a zip archive; extract it first (unzip)"},
    FileKind{"7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive; extract it first (7z x)"},
    FileKind{"\x1f\x9d"sv, "compressed with compress; decompress it first (uncompress)"},
    FileKind{"\x93NUMPY"sv, "a NumPy array; add it as an array"},
    FileKind{"PAR1\x15"sv, "a Parquet file; write it as CSV, or add its columns as arrays"},
};

class Latin1Decoder : public TextDecoder {
 public:
  Status decode(std::string_view bytes, bool, std::string* out) override {
    for (const char c : bytes) {
      append_utf8(static_cast<unsigned char>(c), out);
    }
    return {};
  }
};

class Utf16Decoder : public TextDecoder {
 public:
  explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}

  Status decode(std::string_view bytes, bool at_end, std::string* out) override {
    for (const char c : bytes) {
      if (half_ < 0) {
        half_ = static_cast<unsigned char>(c);
        continue;
      }
      const auto first = static_cast<uint32_t>(std::exchange(half_, -1));
      const auto second = static_cast<uint32_t>(static_cast<unsigned char>(c));
      GLS_TRY(take(big_endian_ ? first << 8 | second : second << 8 | first, out));
    }
    if (at_end && half_ >= 0) {
      return corrupt("UTF-16 text ends with half of a character");
    }
    return at_end && high_ != 0 ? unpaired(high_) : Status();
  }

 private:
  static bool is_high(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
  static bool is_low(uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }
  static Status unpaired(uint32_t unit) {
    return corrupt("UTF-16 text has the surrogate {:#06x} without the other one of its pair", unit);
  }

  Status take(uint32_t unit, std::string* out) {
    if (high_ != 0) {
      if (!is_low(unit)) {
        return unpaired(high_);
      }
      append_utf8(0x10000 + ((std::exchange(high_, 0) - 0xd800) << 10) + (unit - 0xdc00), out);
    } else if (is_high(unit)) {
      high_ = unit;
    } else if (is_low(unit)) {
      return unpaired(unit);
    } else {
      lines_ += unit == '\n' ? 1 : 0;
      append_utf8(unit, out);
    }
    return {};
  }

  bool big_endian_;
  int half_ = -1;      // the first byte of a unit
  uint32_t high_ = 0;  // the first unit of a pair
};

struct Mark {
  std::string_view bytes;
  Encoding encoding;
  const char* name;
};
constexpr std::array kMarks = {
    Mark{"\xef\xbb\xbf"sv, Encoding::kUtf8, "UTF-8"},
    Mark{"\xff\xfe"sv, Encoding::kUtf16, "UTF-16"},
    Mark{"\xfe\xff"sv, Encoding::kUtf16, "UTF-16"},
};

const char* name_of(Encoding encoding) {
  return encoding == Encoding::kUtf8     ? "UTF-8"
         : encoding == Encoding::kLatin1 ? "Latin-1"
                                         : "UTF-16";
}

}  // namespace

Status check_is_text(std::string_view start) {
  const auto refused = [](std::string_view what) {
    return error(GLS_ERR_UNSUPPORTED,
                 "the file is {}; expected text, plain or compressed with gzip, zstd or bzip2",
                 what);
  };
  for (const FileKind& kind : kFileKinds) {
    if (start.starts_with(kind.start)) {
      return refused(kind.text);
    }
  }
  const Compression inner = find_compression(start);
  return inner == Compression::kNone
             ? Status()
             : refused(formatted("compressed twice, the first time with {}; decompress it first",
                                 name_of(inner)));
}

Result<TextStart> find_encoding(std::string_view start, Encoding encoding) {
  if (start.starts_with("\xff\xfe\0\0"sv) || start.starts_with("\0\0\xfe\xff"sv)) {
    return error(GLS_ERR_UNSUPPORTED, "the file is UTF-32, expected UTF-8, Latin-1 or UTF-16");
  }
  TextStart out;
  for (const Mark& mark : kMarks) {
    if (start.starts_with(mark.bytes)) {
      if (encoding != Encoding::kDetect && encoding != mark.encoding) {
        return corrupt("the file begins with the mark of {}, but its encoding is given as {}",
                       mark.name, name_of(encoding));
      }
      encoding = mark.encoding;
      out.mark = mark.bytes.size();
      break;
    }
  }
  if (encoding == Encoding::kDetect && start.substr(0, 2).find('\0') != std::string_view::npos) {
    return corrupt(
        "the file begins with a zero byte, as UTF-16 without a mark does; name the encoding if "
        "that is what it is");
  }
  if (encoding == Encoding::kLatin1) {
    out.decoder = std::make_unique<Latin1Decoder>();
  } else if (encoding == Encoding::kUtf16) {
    // Without a mark: nearly all such text begins with a character with one zero byte.
    const bool big_endian = out.mark > 0 ? start.front() == '\xfe' : start.starts_with('\0');
    out.decoder = std::make_unique<Utf16Decoder>(big_endian);
  }
  return out;
}

}  // namespace gls
