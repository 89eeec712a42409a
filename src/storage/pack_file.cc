#include "storage/pack_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gls {
namespace {

constexpr uint64_t kLongestPart = uint64_t{256} << 10;
constexpr uint64_t kShortestPart = kDirectAlignment;
constexpr size_t kWrites = 64;  // under way at once
constexpr uint64_t kRead = uint64_t{1} << 20;
constexpr uint32_t kReads = 4;

}  // namespace

Result<std::unique_ptr<PackFile>> PackFile::create(const std::string& folder,
                                                   std::span<const uint64_t> bytes) {
  std::vector<uint64_t> begins = {0};
  begins.reserve(bytes.size() + 1);
  for (const uint64_t pack : bytes) {
    begins.push_back(begins.back() + aligned(pack, kDirectAlignment));
  }
  GLS_ASSIGN(StorageFile file, StorageFile::create_unnamed(folder, true));
  if (begins.back() > 0) {
    int failed = 0;
    do {
      failed = posix_fallocate(file.fd(), 0, static_cast<off_t>(begins.back()));
    } while (failed == EINTR);
    if (failed != 0) {
      return io_error(formatted("cannot take {} bytes for", begins.back()), file.path(), failed);
    }
  }
  return std::unique_ptr<PackFile>(new PackFile(std::move(file), std::move(begins)));
}

Status PackFile::read(IoQueue& queue, size_t pack, std::byte* to) const {
  const uint64_t begin = begins_[pack];
  const uint64_t end = begins_[pack + 1];
  uint64_t next = begin;
  Status failed;
  while (next < end || queue.under_way() > 0) {
    while (next < end && failed.ok() && queue.under_way() < std::min(kReads, queue.depth())) {
      const uint64_t bytes = std::min(kRead, end - next);
      queue.submit({IoRequest::Kind::kRead, &file_, next, to + (next - begin), bytes, bytes});
      next += bytes;
    }
    if (queue.under_way() == 0) {
      break;
    }
    GLS_ASSIGN(IoResult done, queue.wait());
    if (done.status.ok() && done.bytes < done.tag) {
      done.status = error(GLS_ERR_IO, "{} ends before its packs do", file_.path());
    }
    if (!done.status.ok() && failed.ok()) {
      failed = std::move(done.status);
    }
  }
  return failed;
}

PackWriter::PackWriter(PackFile& file, IoQueue& queue, BufferPool& pool, uint64_t memory)
    : file_(file), queue_(queue), pool_(pool), parts_(file.packs()) {
  part_bytes_ = memory / (file.packs() + kWrites) / kDirectAlignment * kDirectAlignment;
  part_bytes_ = std::clamp(part_bytes_, kShortestPart, kLongestPart);
  writing_.resize(std::min<size_t>(kWrites, queue.depth()));
  for (size_t tag = writing_.size(); tag-- > 0;) {
    free_tags_.push_back(tag);
  }
}

PackWriter::~PackWriter() {
  while (queue_.under_way() > 0 && queue_.wait().ok()) {
  }
}

Status PackWriter::append(size_t pack, const std::byte* data, uint64_t bytes) {
  Part& part = parts_[pack];
  while (bytes > 0) {
    if (part.buffer.capacity() == 0) {
      part.buffer = pool_.acquire(part_bytes_);
    }
    const uint64_t now = std::min(bytes, part_bytes_ - part.filled);
    std::memcpy(part.buffer.as<>() + part.filled, data, now);
    part.filled += now;
    data += now;
    bytes -= now;
    if (part.filled == part_bytes_) {
      GLS_TRY(write(pack));
    }
  }
  return {};
}

Status PackWriter::write(size_t pack) {
  if (free_tags_.empty()) {
    GLS_TRY(wait());
  }
  Part& part = parts_[pack];
  const uint64_t bytes = aligned(part.filled, kDirectAlignment);
  std::memset(part.buffer.as<>() + part.filled, 0, bytes - part.filled);
  const uint64_t tag = free_tags_.back();
  writing_[tag] = std::move(part.buffer);
  queue_.submit({IoRequest::Kind::kWrite, &file_.file_, file_.begins_[pack] + part.written,
                 writing_[tag].as<>(), bytes, tag});
  free_tags_.pop_back();
  part.written += bytes;
  part.filled = 0;
  return {};
}

Status PackWriter::wait() {
  GLS_ASSIGN(IoResult done, queue_.wait());
  writing_[done.tag] = Buffer();
  free_tags_.push_back(done.tag);
  return std::move(done.status);
}

Status PackWriter::finish() {
  for (size_t pack = 0; pack < parts_.size(); ++pack) {
    if (parts_[pack].filled > 0) {
      GLS_TRY(write(pack));
    }
  }
  while (queue_.under_way() > 0) {
    GLS_TRY(wait());
  }
  return {};
}

}  // namespace gls
