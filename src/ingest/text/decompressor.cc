#include "ingest/text/decompressor.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "system/system_library.h"

namespace gls {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kBzip2Block = "\x31\x41\x59\x26\x53\x59";
constexpr std::string_view kBzip2Empty = "\x17\x72\x45\x38\x50\x90";

// "BZh", the size of blocks, then a block or the end. The first three bytes alone may begin a text.
bool is_bzip2(std::string_view start) {
  return start.starts_with("BZh") && start.size() >= 10 && start[3] >= '1' && start[3] <= '9' &&
         (start.substr(4, 6) == kBzip2Block || start.substr(4, 6) == kBzip2Empty);
}

// A frame, or a frame to skip, which some compressors write first.
bool is_zstd(std::string_view start) {
  return start.starts_with("\x28\xb5\x2f\xfd"sv) ||
         (start.size() >= 4 && start[0] >= '\x50' && start[0] <= '\x5f' &&
          start.substr(1, 3) == "\x2a\x4d\x18"sv);
}

Status damaged(Compression compression, std::string_view why) {
  return corrupt("damaged {} data: {}", name_of(compression), why);
}
Status no_memory(Compression compression) {
  return error(GLS_ERR_OUT_OF_MEMORY, "cannot decompress {} data: no memory", name_of(compression));
}

unsigned bounded(size_t count) {
  return static_cast<unsigned>(std::min<size_t>(count, std::numeric_limits<int>::max()));
}

class GzipDecompressor : public Decompressor {
 public:
  GzipDecompressor() = default;
  ~GzipDecompressor() override { inflateEnd(&stream_); }
  GzipDecompressor(const GzipDecompressor&) = delete;
  GzipDecompressor& operator=(const GzipDecompressor&) = delete;

  Status start() {
    return inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK ? Status()
                                                          : no_memory(Compression::kGzip);
  }

  Result<size_t> run(std::string_view* input, char* out, size_t count) override {
    const unsigned given = bounded(input->size());
    const unsigned room = bounded(count);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input->data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    const size_t read = given - stream_.avail_in;
    const size_t written = room - stream_.avail_out;
    input->remove_prefix(read);
    complete_ = status == Z_STREAM_END || (complete_ && read == 0);
    if (status == Z_STREAM_END) {
      inflateReset(&stream_);
    } else if (status == Z_MEM_ERROR) {
      return no_memory(Compression::kGzip);
    } else if ((status != Z_OK && status != Z_BUF_ERROR) || (given > 0 && read + written == 0)) {
      return damaged(Compression::kGzip, stream_.msg != nullptr ? stream_.msg : "unexpected data");
    }
    return written;
  }

 private:
  z_stream stream_{};
};

// The functions of libzstd that GLS calls, as zstd.h has them since version 1.0.
struct ZstdLibrary {
  struct Stream;
  struct In {
    const void* data;
    size_t size;
    size_t at;
  };
  struct Out {
    void* data;
    size_t size;
    size_t at;
  };
  Stream* (*create)();
  size_t (*free)(Stream*);
  size_t (*decompress)(Stream*, Out*, In*);
  unsigned (*is_error)(size_t);
  const char* (*error_name)(size_t);
  int (*error_code)(size_t);

  static Result<ZstdLibrary> open() {
    constexpr std::array kNames = {"libzstd.so.1"};
    GLS_ASSIGN(const SystemLibrary library, SystemLibrary::open(kNames));
    ZstdLibrary out{};
    GLS_TRY(library.find("ZSTD_createDStream", &out.create));
    GLS_TRY(library.find("ZSTD_freeDStream", &out.free));
    GLS_TRY(library.find("ZSTD_decompressStream", &out.decompress));
    GLS_TRY(library.find("ZSTD_isError", &out.is_error));
    GLS_TRY(library.find("ZSTD_getErrorName", &out.error_name));
    GLS_TRY(library.find("ZSTD_getErrorCode", &out.error_code));
    return out;
  }
};
// Values of zstd_errors.h, pinned since zstd 1.3.1; older libraries report damage instead.
constexpr int kZstdWindowTooLarge = 16;
constexpr int kZstdDictionaryWrong = 32;
constexpr int kZstdNoMemory = 64;

class ZstdDecompressor : public Decompressor {
 public:
  explicit ZstdDecompressor(const ZstdLibrary& library) : library_(library) {}
  ~ZstdDecompressor() override { library_.free(stream_); }
  ZstdDecompressor(const ZstdDecompressor&) = delete;
  ZstdDecompressor& operator=(const ZstdDecompressor&) = delete;

  Status start() {
    stream_ = library_.create();
    return stream_ != nullptr ? Status() : no_memory(Compression::kZstd);
  }

  Result<size_t> run(std::string_view* input, char* out, size_t count) override {
    if (complete_ && input->empty()) {
      return size_t{0};
    }
    ZstdLibrary::In in{input->data(), input->size(), 0};
    ZstdLibrary::Out to{out, count, 0};
    const size_t status = library_.decompress(stream_, &to, &in);
    if (library_.is_error(status) != 0) {
      return failure(status);
    }
    if (!input->empty() && in.at + to.at == 0) {
      return damaged(Compression::kZstd, "unexpected data");
    }
    input->remove_prefix(in.at);
    complete_ = status == 0;
    return to.at;
  }

 private:
  Status failure(size_t status) const {
    switch (library_.error_code(status)) {
      case kZstdWindowTooLarge:
        return error(GLS_ERR_UNSUPPORTED,
                     "the file is compressed with zstd and a window of more than 128 MiB; "
                     "decompress it first (zstd -d --long=31)");
      case kZstdDictionaryWrong:
        return error(GLS_ERR_UNSUPPORTED,
                     "the file is compressed with zstd and a dictionary; decompress it first "
                     "(zstd -d -D DICTIONARY)");
      case kZstdNoMemory:
        return no_memory(Compression::kZstd);
      default:
        return damaged(Compression::kZstd, library_.error_name(status));
    }
  }

  ZstdLibrary library_;
  ZstdLibrary::Stream* stream_ = nullptr;
};

// The functions of libbz2 that GLS calls, as bzlib.h has them since version 1.0.
struct Bzip2Library {
  struct Stream {
    char* next_in;
    unsigned avail_in;
    unsigned total_in_low;
    unsigned total_in_high;
    char* next_out;
    unsigned avail_out;
    unsigned total_out_low;
    unsigned total_out_high;
    void* state;
    void* (*allocate)(void*, int, int);
    void (*free)(void*, void*);
    void* user;
  };
  int (*init)(Stream*, int verbosity, int small);
  int (*decompress)(Stream*);
  int (*end)(Stream*);

  static Result<Bzip2Library> open() {
    constexpr std::array kNames = {"libbz2.so.1.0", "libbz2.so.1"};
    GLS_ASSIGN(const SystemLibrary library, SystemLibrary::open(kNames));
    Bzip2Library out{};
    GLS_TRY(library.find("BZ2_bzDecompressInit", &out.init));
    GLS_TRY(library.find("BZ2_bzDecompress", &out.decompress));
    GLS_TRY(library.find("BZ2_bzDecompressEnd", &out.end));
    return out;
  }
};
// Values of bzlib.h.
constexpr int kBzip2Ok = 0;
constexpr int kBzip2StreamEnd = 4;
constexpr int kBzip2NoMemory = -3;
constexpr int kBzip2NoStream = -5;

class Bzip2Decompressor : public Decompressor {
 public:
  explicit Bzip2Decompressor(const Bzip2Library& library) : library_(library) {}
  ~Bzip2Decompressor() override { library_.end(&stream_); }
  Bzip2Decompressor(const Bzip2Decompressor&) = delete;
  Bzip2Decompressor& operator=(const Bzip2Decompressor&) = delete;

  Status start() {
    stream_ = {};
    return library_.init(&stream_, 0, 0) == kBzip2Ok ? Status() : no_memory(Compression::kBzip2);
  }

  Result<size_t> run(std::string_view* input, char* out, size_t count) override {
    if (complete_) {
      if (input->empty()) {
        return size_t{0};
      }
      library_.end(&stream_);
      GLS_TRY(start());
      complete_ = false;
    }
    const unsigned given = bounded(input->size());
    const unsigned room = bounded(count);
    stream_.next_in = const_cast<char*>(input->data());
    stream_.avail_in = given;
    stream_.next_out = out;
    stream_.avail_out = room;
    const int status = library_.decompress(&stream_);
    const size_t read = given - stream_.avail_in;
    const size_t written = room - stream_.avail_out;
    input->remove_prefix(read);
    complete_ = status == kBzip2StreamEnd;
    if (status == kBzip2NoMemory) {
      return no_memory(Compression::kBzip2);
    }
    if (status == kBzip2NoStream) {
      return damaged(Compression::kBzip2, "bytes after a stream are not bzip2 data");
    }
    if ((status != kBzip2Ok && !complete_) || (given > 0 && read + written == 0)) {
      return damaged(Compression::kBzip2, "a block does not fit its format or its checksum");
    }
    return written;
  }

 private:
  Bzip2Library library_;
  Bzip2Library::Stream stream_{};
};

template <typename Made, typename... Args>
Result<std::unique_ptr<Decompressor>> started(const Args&... args) {
  auto made = std::make_unique<Made>(args...);
  GLS_TRY(made->start());
  return std::unique_ptr<Decompressor>(std::move(made));
}

// With a library that may be missing.
template <typename Made, typename Library>
Result<std::unique_ptr<Decompressor>> started_with(Compression compression) {
  Result<Library> library = Library::open();
  if (!library.ok()) {
    return error(library.status().code(),
                 "the file is compressed with {}, and {}; install the library, or decompress the "
                 "file first ({})",
                 name_of(compression), library.status().message(), command_of(compression));
  }
  return started<Made>(*library);
}

}  // namespace

Compression find_compression(std::string_view start) {
  return start.starts_with("\x1f\x8b") ? Compression::kGzip
         : is_zstd(start)              ? Compression::kZstd
         : is_bzip2(start)             ? Compression::kBzip2
                                       : Compression::kNone;
}

const char* name_of(Compression compression) {
  return compression == Compression::kGzip    ? "gzip"
         : compression == Compression::kZstd  ? "zstd"
         : compression == Compression::kBzip2 ? "bzip2"
                                              : "no compression";
}

const char* command_of(Compression compression) {
  return compression == Compression::kGzip   ? "gzip -d"
         : compression == Compression::kZstd ? "zstd -d"
                                             : "bzip2 -d";
}

Result<std::unique_ptr<Decompressor>> Decompressor::create(Compression compression) {
  switch (compression) {
    case Compression::kZstd:
      return started_with<ZstdDecompressor, ZstdLibrary>(compression);
    case Compression::kBzip2:
      return started_with<Bzip2Decompressor, Bzip2Library>(compression);
    default:
      return started<GzipDecompressor>();
  }
}

}  // namespace gls
