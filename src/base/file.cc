#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace gls {
namespace {

namespace fs = std::filesystem;

constexpr size_t kWriteBuffer = size_t{1} << 20;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

int open_retrying(const char* path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

Status sync_folder(const std::string& path) {
  const FileDescriptor fd(open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY));
  if (fd.get() < 0 || fsync(fd.get()) != 0) {
    return io_error("cannot sync folder", path, errno);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const FileDescriptor fd(open_retrying(path.c_str(), O_RDONLY));
  struct stat info {};
  if (fd.get() < 0 || fstat(fd.get(), &info) != 0) {
    return io_error("cannot open", path, errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return error(GLS_ERR_IO, "cannot open {}: not a regular file", path).with("file", path);
  }
  const auto size = static_cast<size_t>(info.st_size);
  const std::byte* data = nullptr;
  if (size > 0) {
    void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (map == MAP_FAILED) {
      return io_error("cannot map", path, errno);
    }
    data = static_cast<const std::byte*>(map);
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, data, size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    munmap(const_cast<std::byte*>(data_), size_);
  }
}

Result<std::string> read_text_file(const std::string& path, size_t max_bytes) {
  const FileDescriptor fd(open_retrying(path.c_str(), O_RDONLY));
  if (fd.get() < 0) {
    return io_error("cannot open", path, errno);
  }
  std::string text;
  for (;;) {
    const size_t old = text.size();
    const size_t step = std::min<size_t>(max_bytes + 1 - old, size_t{1} << 16);
    text.resize(old + step);
    const ssize_t got = read(fd.get(), text.data() + old, step);
    if (got < 0 && errno != EINTR) {
      return io_error("cannot read", path, errno);
    }
    text.resize(old + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) {
      return text;
    }
    if (text.size() > max_bytes) {
      return corrupt("{} is larger than {} bytes", path, max_bytes).with("file", path);
    }
  }
}

bool path_exists(const std::string& path) {
  std::error_code ec;
  return fs::exists(fs::symlink_status(path, ec));
}

// ---- FileWriter --------------------------------------------------------------------------------

FileWriter::FileWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {
  buffer_.reserve(kWriteBuffer);
}

Result<FileWriter> FileWriter::create(const std::string& path) {
  const int fd = open_retrying(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd < 0) {
    return io_error("cannot create", path, errno);
  }
  return FileWriter(path, fd);
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      written_(other.written_),
      buffer_(std::move(other.buffer_)) {}

FileWriter& FileWriter::operator=(FileWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(written_, other.written_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) {
    ::close(fd_);  // only on the way out of a failure: the file is about to be removed
  }
}

static Status write_all(int fd, const std::string& path, std::span<const std::byte> bytes,
                        uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0) {
      if (errno == EINTR) {
        continue;
      }
      return io_error("cannot write", path, errno);
    }
    bytes = bytes.subspan(static_cast<size_t>(done));
    offset += static_cast<uint64_t>(done);
  }
  return {};
}

Status FileWriter::flush() {
  GLS_TRY(write_all(fd_, path_, buffer_, written_));
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Status FileWriter::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kWriteBuffer) {
    GLS_TRY(flush());
  }
  if (bytes.size() >= kWriteBuffer) {
    GLS_TRY(write_all(fd_, path_, bytes, written_));
    written_ += bytes.size();
    return {};
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Status FileWriter::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  GLS_TRY(flush());
  return write_all(fd_, path_, bytes, offset);
}

Status FileWriter::close(bool sync) {
  GLS_TRY(flush());
  if (sync && fsync(fd_) != 0) {
    return io_error("cannot sync", path_, errno);
  }
  // Some file systems report a full disk only here.
  if (::close(std::exchange(fd_, -1)) != 0) {
    return io_error("cannot close", path_, errno);
  }
  return {};
}

// ---- FolderWriter ------------------------------------------------------------------------------

static Status already_exists(const std::string& path) {
  return error(GLS_ERR_ALREADY_EXISTS, "{} exists already; ask for overwrite to replace it", path)
      .with("file", path);
}

Status make_folders(const std::string& path) {
  std::error_code ec;
  fs::create_directories(path, ec);
  return ec ? io_error("cannot create folder", path, ec.value()) : Status();
}

void remove_tree(const std::string& path) noexcept {
  std::error_code ec;
  fs::remove_all(path, ec);
}

Result<FolderWriter> FolderWriter::create(const std::string& final_path, bool overwrite) {
  std::string target = final_path;
  while (target.size() > 1 && target.back() == '/') {
    target.pop_back();
  }
  if (target.empty()) {
    return invalid("the output path is empty").with("argument", "path");
  }
  if (path_exists(target) && !overwrite) {
    return already_exists(target);
  }
  const fs::path parent = fs::path(target).parent_path();
  if (!parent.empty()) {
    GLS_TRY(make_folders(parent.string()));
  }
  static std::atomic<unsigned> serial{0};
  const std::string working = fmt::format("{}.{}-{}.partial", target, getpid(), ++serial);
  if (mkdir(working.c_str(), 0777) != 0) {
    return io_error("cannot create folder", working, errno);
  }
  return FolderWriter(target, working, overwrite);
}

FolderWriter::FolderWriter(FolderWriter&& other) noexcept
    : final_(std::move(other.final_)),
      working_(std::exchange(other.working_, {})),
      overwrite_(other.overwrite_) {}

FolderWriter::~FolderWriter() {
  if (!working_.empty()) {
    remove_tree(working_);
  }
}

Status FolderWriter::commit() {
  std::error_code ec;
  for (auto it = fs::recursive_directory_iterator(working_, ec); it != fs::end(it);
       it.increment(ec)) {
    if (it->is_directory()) {
      GLS_TRY(sync_folder(it->path().string()));
    }
  }
  if (ec) {
    return io_error("cannot list folder", working_, ec.value());
  }
  GLS_TRY(sync_folder(working_));
  // RENAME_NOREPLACE and RENAME_EXCHANGE make each step one atomic act: at every moment `final_`
  // names nothing, the old folder or the new one.
  if (renameat2(AT_FDCWD, working_.c_str(), AT_FDCWD, final_.c_str(), RENAME_NOREPLACE) == 0) {
    working_.clear();
  } else if (errno == EEXIST && overwrite_) {
    if (renameat2(AT_FDCWD, working_.c_str(), AT_FDCWD, final_.c_str(), RENAME_EXCHANGE) != 0) {
      return io_error("cannot replace", final_, errno);
    }
    remove_tree(std::exchange(working_, {}));  // now the old folder
  } else if (errno == EEXIST) {
    return already_exists(final_);
  } else {
    return io_error("cannot move the finished folder to", final_, errno);
  }
  const std::string parent = fs::path(final_).parent_path().string();
  return sync_folder(parent.empty() ? "." : parent);
}

}  // namespace gls
