#include "storage/io_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "storage/io_progress.h"
#include "storage/thread_queue.h"
#include "storage/uring_queue.h"
#include "system/file.h"
#include "system/memory.h"

namespace gls {
namespace {

// Some file systems accept the flag and refuse the requests, or need a larger alignment.
bool reads_directly(int fd, uint64_t size) {
  if (size == 0) {
    return true;
  }
  const PageBlock block(kDirectAlignment, false);
  ssize_t got = 0;
  do {
    got = pread(fd, block.data(), kDirectAlignment, 0);
  } while (got < 0 && errno == EINTR);
  return got >= 0 || errno != EINVAL;
}

bool writes_directly(int fd) {
  const PageBlock block(kDirectAlignment, false);
  return pwrite(fd, block.data(), kDirectAlignment, 0) == static_cast<ssize_t>(kDirectAlignment) &&
         ftruncate(fd, 0) == 0;
}

}  // namespace

Result<StorageFile> StorageFile::open(const std::string& path, bool direct) {
  GLS_ASSIGN(FileDescriptor fd, open_to_read(path));
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) {
    return io_error("cannot open", path, errno);
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  if (direct) {
    FileDescriptor other = open_descriptor(path, O_RDONLY | O_NONBLOCK | O_DIRECT);
    struct stat same {};
    direct = other.get() >= 0 && fstat(other.get(), &same) == 0 && same.st_dev == info.st_dev &&
             same.st_ino == info.st_ino && reads_directly(other.get(), size);
    if (direct) {
      fd = std::move(other);
    }
  }
  // The flag was for names of pipes. With it, some kernels refuse requests that would wait.
  if (fcntl(fd.get(), F_SETFL, direct ? O_DIRECT : 0) != 0) {
    return io_error("cannot open", path, errno);
  }
  return StorageFile(path, std::move(fd), size, direct);
}

Result<StorageFile> StorageFile::create_unnamed(const std::string& folder, bool direct) {
  constexpr unsigned kOwner = 0600;
  FileDescriptor fd;
  if (direct) {
    fd = open_descriptor(folder, O_TMPFILE | O_RDWR | O_DIRECT, kOwner);
    direct = fd.get() >= 0 && writes_directly(fd.get());
    if (!direct) {
      fd = FileDescriptor();
    }
  }
  if (fd.get() < 0) {
    fd = open_descriptor(folder, O_TMPFILE | O_RDWR, kOwner);
  }
  if (fd.get() < 0) {
    return io_error("cannot make a temporary file in", folder, errno);
  }
  return StorageFile("a temporary file in " + folder, std::move(fd), 0, direct);
}

void StorageFile::discard(uint64_t offset, uint64_t bytes) const {
  // The space is given back when the file is closed, at the latest.
  static_cast<void>(fallocate(fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(offset), static_cast<off_t>(bytes)));
}

bool IoProgress::advance(int64_t result) {
  if (result < 0) {
    errno_ = static_cast<int>(-result);
    if (errno_ == EINTR) {
      errno_ = 0;
      return true;
    }
    return false;
  }
  done_ += static_cast<uint64_t>(result);
  if (result == 0) {
    // A file ends there, or a device takes no more bytes.
    errno_ = request_.kind == IoRequest::Kind::kWrite && left() > 0 ? ENOSPC : 0;
    return false;
  }
  // A part that is not a multiple of the alignment ends the file. A request for more would fail.
  const bool ended = request_.kind == IoRequest::Kind::kRead && request_.file->direct() &&
                     done_ % kDirectAlignment != 0;
  return left() > 0 && !ended;
}

IoResult IoProgress::result() const {
  IoResult out{request_.tag, done_, {}};
  if (errno_ != 0) {
    const bool read = request_.kind == IoRequest::Kind::kRead;
    out.status = io_error(
        formatted("cannot {} {} bytes at byte {} of", read ? "read" : "write", left(), offset()),
        request_.file->path(), errno_);
  }
  return out;
}

Result<std::unique_ptr<IoQueue>> IoQueue::open(const IoOptions& options) {
  IoOptions bounded = options;
  bounded.depth = std::clamp<uint32_t>(options.depth, 1, 4096);
  bounded.threads = std::clamp<uint32_t>(options.threads, 1, bounded.depth);
  if (options.way != IoWay::kThreads) {
    Result<std::unique_ptr<IoQueue>> queue = open_uring_queue(bounded);
    if (queue.ok() || options.way == IoWay::kUring) {
      return queue;
    }
  }
  return open_thread_queue(bounded);
}

}  // namespace gls
