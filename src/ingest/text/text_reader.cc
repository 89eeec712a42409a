#include "ingest/text/text_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace gls {
namespace {

constexpr size_t kInputBuffer = size_t{256} << 10;

}  // namespace

struct TextReader::Inflater {
  z_stream stream{};
  std::vector<char> input = std::vector<char>(kInputBuffer);
  bool between_members = false;  // gzip files may be concatenated

  Inflater() = default;
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

TextReader::TextReader(std::string path, int fd, uint64_t file_size)
    : path_(std::move(path)), fd_(fd), file_size_(file_size) {}

TextReader::TextReader(TextReader&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      file_size_(other.file_size_),
      bytes_read_(other.bytes_read_),
      at_end_(other.at_end_),
      head_(std::move(other.head_)),
      rest_(std::move(other.rest_)),
      encoded_(std::move(other.encoded_)),
      inflater_(std::move(other.inflater_)),
      decoder_(std::move(other.decoder_)) {}

TextReader::~TextReader() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Result<TextReader> TextReader::open(const std::string& path, Encoding encoding) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    return io_error("cannot open", path, errno);
  }
  struct stat info {};
  const bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);  // a refusal only costs speed
  TextReader reader(path, fd, regular ? static_cast<uint64_t>(info.st_size) : 0);
  GLS_TRY(reader.start(encoding));
  return reader;
}

Status TextReader::start(Encoding encoding) {
  const auto of_file = [&](Status status) {
    return std::move(status).prefixed(path_ + ": ").with("file", path_);
  };
  GLS_TRY(read_bytes(kFileStart, &head_));
  if (is_gzip(head_)) {
    inflater_ = std::make_unique<Inflater>();
    z_stream& stream = inflater_->stream;
    if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) {
      return error(GLS_ERR_OUT_OF_MEMORY, "cannot inflate {}: no memory", path_);
    }
    std::copy(head_.begin(), head_.end(), inflater_->input.begin());
    stream.next_in = reinterpret_cast<Bytef*>(inflater_->input.data());
    stream.avail_in = static_cast<uInt>(head_.size());
    head_.clear();
    at_end_ = false;
    GLS_TRY(read_bytes(kFileStart, &head_));
  }
  if (Status text = check_is_text(head_); !text.ok()) {
    return of_file(std::move(text));
  }
  Result<TextStart> found = find_encoding(head_, encoding);
  if (!found.ok()) {
    return of_file(std::move(found.status()));
  }
  head_.erase(0, found->mark);
  decoder_ = std::move(found->decoder);
  return {};
}

Result<size_t> TextReader::read_some(char* out, size_t count) {
  for (;;) {
    const ssize_t got = read(fd_, out, count);
    if (got >= 0) {
      bytes_read_ += static_cast<uint64_t>(got);
      return static_cast<size_t>(got);
    }
    if (errno != EINTR) {
      return io_error("cannot read", path_, errno);
    }
  }
}

Result<size_t> TextReader::inflate_some(char* out, size_t count) {
  z_stream& stream = inflater_->stream;
  const auto damaged = [&](const char* why) {
    return corrupt("{}: damaged gzip data: {}", path_, why).with("file", path_);
  };
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(count);
  while (stream.avail_out == count) {
    if (stream.avail_in == 0) {
      GLS_ASSIGN(const size_t got, read_some(inflater_->input.data(), inflater_->input.size()));
      if (got == 0) {
        return inflater_->between_members ? Result<size_t>(size_t{0})
                                          : Result<size_t>(damaged("the file ends too early"));
      }
      stream.next_in = reinterpret_cast<Bytef*>(inflater_->input.data());
      stream.avail_in = static_cast<uInt>(got);
    }
    inflater_->between_members = false;
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inflater_->between_members = true;
      inflateReset(&stream);
    } else if (status == Z_MEM_ERROR) {
      return error(GLS_ERR_OUT_OF_MEMORY, "cannot inflate {}: no memory", path_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return damaged(stream.msg != nullptr ? stream.msg : "unexpected data");
    }
  }
  return count - stream.avail_out;
}

Status TextReader::fill(size_t count, std::string* out) {
  // The bytes read for detection come first.
  const size_t of_head = std::min(head_.size(), count);
  std::string* const bytes = decoder_ ? &encoded_ : out;
  bytes->append(head_, 0, of_head);
  head_.erase(0, of_head);
  if (!at_end_) {
    GLS_TRY(read_bytes(count - of_head, bytes));
  }
  if (decoder_) {
    Status decoded = decoder_->decode(encoded_, at_end_, out);
    if (!decoded.ok()) {
      const std::string line = std::to_string(decoder_->failed_line());
      return std::move(decoded)
          .prefixed(formatted("{}:{}: ", path_, line))
          .with("file", path_)
          .with("line", line);
    }
    encoded_.clear();
  }
  return {};
}

Status TextReader::read_bytes(size_t count, std::string* out) {
  size_t have = out->size();
  const size_t wanted = have + count;
  out->resize(wanted);
  while (have < wanted) {
    const size_t step = std::min(wanted - have, size_t{1} << 30);
    GLS_ASSIGN(const size_t got, inflater_ ? inflate_some(out->data() + have, step)
                                           : read_some(out->data() + have, step));
    if (got == 0) {
      at_end_ = true;
      break;
    }
    have += got;
  }
  out->resize(have);
  return {};
}

Result<bool> TextReader::next(size_t target, std::string* chunk) {
  chunk->swap(rest_);
  rest_.clear();
  // A decoder makes at most two bytes from one.
  const size_t step = decoder_ ? (target + 1) / 2 : target;
  while (!at_end_ || !head_.empty()) {
    const size_t searched = chunk->size();
    GLS_TRY(fill(step, chunk));
    if (at_end_ && head_.empty()) {
      break;
    }
    const size_t newline = std::string_view(*chunk).substr(searched).rfind('\n');
    if (newline != std::string_view::npos) {
      const size_t end = searched + newline + 1;
      rest_.assign(*chunk, end);
      chunk->resize(end);
      return true;
    }
    if (chunk->size() > kMaxLine) {
      return true;
    }
  }
  return !chunk->empty();
}

}  // namespace gls
