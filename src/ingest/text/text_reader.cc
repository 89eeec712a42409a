#include "ingest/text/text_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "system/file.h"

namespace gls {
namespace {

constexpr size_t kInputBuffer = size_t{256} << 10;

}  // namespace

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
      decompressor_(std::move(other.decompressor_)),
      compression_(other.compression_),
      input_(std::move(other.input_)),
      compressed_(other.compressed_),
      decoder_(std::move(other.decoder_)) {}

TextReader::~TextReader() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Result<TextReader> TextReader::open(const std::string& path, Encoding encoding) {
  const int fd = open_descriptor(path, O_RDONLY).release();
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

Status TextReader::of_file(Status status) const {
  return std::move(status).prefixed(path_ + ": ").with("file", path_);
}

Status TextReader::start(Encoding encoding) {
  GLS_TRY(read_bytes(kFileStart, &head_));
  if (const Compression found = find_compression(head_); found != Compression::kNone) {
    GLS_TRY(decompress(found));
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

Status TextReader::decompress(Compression compression) {
  auto made = Decompressor::create(compression);
  if (!made.ok()) {
    return of_file(std::move(made.status()));
  }
  decompressor_ = made.take();
  compression_ = compression;
  input_.resize(kInputBuffer);
  std::copy(head_.begin(), head_.end(), input_.begin());
  compressed_ = std::string_view(input_.data(), head_.size());
  head_.clear();
  at_end_ = false;
  return read_bytes(kFileStart, &head_);
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

Result<size_t> TextReader::decompress_some(char* out, size_t count) {
  for (;;) {
    Result<size_t> written = decompressor_->run(&compressed_, out, count);
    if (!written.ok()) {
      return of_file(std::move(written.status()));
    }
    if (*written > 0) {
      return *written;
    }
    if (!compressed_.empty()) {
      continue;
    }
    GLS_ASSIGN(const size_t got, read_some(input_.data(), input_.size()));
    if (got == 0) {
      return decompressor_->complete()
                 ? Result<size_t>(size_t{0})
                 : Result<size_t>(of_file(
                       corrupt("damaged {} data: the file ends too early", name_of(compression_))));
    }
    compressed_ = std::string_view(input_.data(), got);
  }
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
    GLS_ASSIGN(const size_t got, decompressor_ ? decompress_some(out->data() + have, step)
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
