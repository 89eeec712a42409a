#include "system/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "system/mapped_ranges.h"

namespace gls {
namespace {

namespace fs = std::filesystem;

Status sync_folder(const std::string& path) {
  const FileDescriptor fd = open_descriptor(path, O_RDONLY | O_DIRECTORY);
  if (fd.get() < 0 || fsync(fd.get()) != 0) {
    return io_error("cannot sync folder", path, errno);
  }
  return {};
}

// Only regular files can be mapped and have an end.
Status check_regular(const FileDescriptor& fd, const std::string& path, struct stat* info) {
  if (fd.get() < 0 || fstat(fd.get(), info) != 0) {
    return io_error("cannot open", path, errno);
  }
  if (!S_ISREG(info->st_mode)) {
    return error(GLS_ERR_IO, "{} is not a regular file", path).with("file", path);
  }
  return {};
}

}  // namespace

FileDescriptor open_descriptor(const std::string& path, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return FileDescriptor(fd);
}

// Opening a named pipe waits for its writer, maybe forever. O_NONBLOCK prevents that, and has no
// effect on regular files.
Result<FileDescriptor> open_to_read(const std::string& path) {
  FileDescriptor fd = open_descriptor(path, O_RDONLY | O_NONBLOCK);
  struct stat info {};
  GLS_TRY(check_regular(fd, path, &info));
  return fd;
}

Status check_inside(const std::string& folder, const std::string& name, Links links) {
  if (links == Links::kAnywhere) {
    return {};
  }
  const std::string path = folder + "/" + name;
  std::error_code ec;
  const fs::path inside = fs::canonical(folder, ec);
  const fs::path file = ec ? fs::path() : fs::canonical(path, ec);
  if (ec) {  // opening it reports the reason
    return {};
  }
  if (std::mismatch(inside.begin(), inside.end(), file.begin(), file.end()).first == inside.end()) {
    return {};
  }
  return error(GLS_ERR_IO,
               "{} is a link to {}, which is outside of the folder; copy the file, or set "
               "dataset.outside_links",
               path, file.string())
      .with("file", path);
}

Result<FileDescriptor> open_to_read_in(const std::string& folder, const std::string& name,
                                       Links links) {
  GLS_TRY(check_inside(folder, name, links));
  return open_to_read(folder + "/" + name);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open_in(const std::string& folder,
                                                              const std::string& name,
                                                              Links links) {
  GLS_ASSIGN(const FileDescriptor fd, open_to_read_in(folder, name, links));
  return of(fd, folder + "/" + name);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  GLS_ASSIGN(const FileDescriptor fd, open_to_read(path));
  return of(fd, path);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::of(const FileDescriptor& fd,
                                                         const std::string& path) {
  struct stat info {};
  GLS_TRY(check_regular(fd, path, &info));
  const auto size = static_cast<size_t>(info.st_size);
  const std::byte* data = nullptr;
  if (size > 0) {
    void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (map == MAP_FAILED) {
      return io_error("cannot map", path, errno);
    }
    data = static_cast<const std::byte*>(map);
  }
  std::shared_ptr<MappedFile> out(new MappedFile(path, data, size));
  if (size > 0) {
    out->guarded_ = guard_file(data, size, path);
    std::error_code ec;
    const std::string absolute = fs::absolute(path, ec).string();
    note_mapped(data, {ec ? path : absolute, info.st_dev, info.st_ino, size});
  }
  return std::shared_ptr<const MappedFile>(std::move(out));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    forget_mapped(data_);  // before others can be mapped there
    if (guarded_ != nullptr) {
      unguard_file(guarded_);
    }
    munmap(const_cast<std::byte*>(data_), size_);
  }
}

Result<std::string> read_text_file(const std::string& path, size_t max_bytes) {
  GLS_ASSIGN(const FileDescriptor fd, open_to_read(path));
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

FileWriter::FileWriter(std::string path, int fd, size_t buffer) : path_(std::move(path)), fd_(fd) {
  buffer_.reserve(buffer);
}

Result<FileWriter> FileWriter::create(const std::string& path, size_t buffer) {
  const int fd = open_descriptor(path, O_WRONLY | O_CREAT | O_EXCL, 0666).release();
  if (fd < 0) {
    return io_error("cannot create", path, errno);
  }
  return FileWriter(path, fd, buffer);
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
    ::close(fd_);  // only after a failure: the file is about to be removed
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
  if (buffer_.size() + bytes.size() > buffer_.capacity()) {
    GLS_TRY(flush());
  }
  if (bytes.size() >= buffer_.capacity()) {
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

// Whether `path`, if it exists, may be replaced. A link is not followed.
static Status check_replaceable(const std::string& path, const FolderOptions& options) {
  if (!path_exists(path)) {
    return {};
  }
  if (options.may_replace == nullptr) {
    return already_exists(path);
  }
  std::error_code ec;
  if (!fs::is_directory(fs::symlink_status(path, ec)) || !options.may_replace(path)) {
    return error(GLS_ERR_ALREADY_EXISTS, "{} is there, but is no dataset: it is not replaced", path)
        .with("file", path);
  }
  return {};
}

// A new name beside `path`. After a crash another process may still find it in use, because process
// ids repeat.
static std::string partial_name(const std::string& path) {
  static std::atomic<unsigned> serial{0};
  return formatted("{}.{}-{}{}", path, getpid(), ++serial, kPartialSuffix);
}

static std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

static int rename_by_system(const char* from, const char* to, unsigned flags) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
}

// NFS and some FUSE file systems can rename, but support no flags.
static bool flags_unsupported(int error_number) {
  return error_number == EINVAL || error_number == ENOSYS || error_number == ENOTSUP;
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

uint64_t free_space(const std::string& path) {
  struct statvfs info {};
  if (statvfs(path.c_str(), &info) != 0 || info.f_blocks == 0) {
    return UINT64_MAX;
  }
  uint64_t bytes = 0;
  return __builtin_mul_overflow(uint64_t{info.f_bavail}, uint64_t{info.f_frsize}, &bytes)
             ? UINT64_MAX
             : bytes;
}

Result<FolderWriter> FolderWriter::create(const std::string& final_path,
                                          const FolderOptions& options) {
  std::string target = final_path;
  while (target.size() > 1 && target.back() == '/') {
    target.pop_back();
  }
  if (target.empty()) {
    return invalid("the output path is empty").with("argument", "path");
  }
  if (target.ends_with(kPartialSuffix)) {
    return invalid("the output path {} ends in {}, as only unfinished folders do", target,
                   kPartialSuffix)
        .with("argument", "path");
  }
  GLS_TRY(check_replaceable(target, options));
  GLS_TRY(make_folders(parent_of(target)));
  constexpr int kAttempts = 10000;
  for (int i = 0; i < kAttempts; ++i) {
    const std::string working = partial_name(target);
    if (mkdir(working.c_str(), 0777) == 0) {
      FolderWriter writer(target, working, options);
      if (writer.options_.rename == nullptr) {
        writer.options_.rename = rename_by_system;
      }
      return writer;
    }
    if (errno != EEXIST) {
      return io_error("cannot create folder", working, errno);
    }
  }
  return io_error("cannot find a free name beside", target, EEXIST);
}

FolderWriter::FolderWriter(FolderWriter&& other) noexcept
    : final_(std::move(other.final_)),
      working_(std::exchange(other.working_, {})),
      options_(other.options_) {}

FolderWriter::~FolderWriter() {
  if (!working_.empty()) {
    remove_tree(working_);
  }
}

Status FolderWriter::sync_all() const {
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
  return sync_folder(working_);
}

// For a final place that is free. RENAME_NOREPLACE checks that in the same operation.
Status FolderWriter::move_into_place() {
  int failed = options_.rename(working_.c_str(), final_.c_str(), RENAME_NOREPLACE);
  if (failed != 0 && flags_unsupported(errno)) {
    if (path_exists(final_)) {
      return already_exists(final_);
    }
    // At worst this replaces an empty folder that was created just now.
    failed = std::rename(working_.c_str(), final_.c_str());
  }
  if (failed != 0) {
    return errno == EEXIST || errno == ENOTEMPTY
               ? already_exists(final_)
               : io_error("cannot move the finished folder to", final_, errno);
  }
  working_.clear();
  return {};
}

// Puts the new folder in the place of the old one, and returns the old one's new path.
// RENAME_EXCHANGE is one atomic operation: at every moment `final_` names the old folder or the new
// one.
Status FolderWriter::exchange(std::string* old) {
  const char* const place = final_.c_str();
  if (options_.rename(working_.c_str(), place, RENAME_EXCHANGE) == 0) {
    *old = std::exchange(working_, {});
    return {};
  }
  if (!flags_unsupported(errno)) {
    return io_error("cannot replace", final_, errno);
  }
  const std::string aside = partial_name(final_);
  if (path_exists(aside)) {
    return io_error("cannot replace", final_, EEXIST);
  }
  if (std::rename(place, aside.c_str()) != 0) {
    return io_error("cannot replace", final_, errno);
  }
  if (std::rename(working_.c_str(), place) != 0) {
    Status status = io_error("cannot replace", final_, errno);
    if (std::rename(aside.c_str(), place) != 0) {
      return std::move(status).prefixed(formatted("the old folder is now {}: ", aside));
    }
    return status;
  }
  working_.clear();
  *old = aside;
  return {};
}

Status FolderWriter::commit() {
  GLS_TRY(sync_all());
  GLS_TRY(check_replaceable(final_, options_));
  std::string old;
  GLS_TRY(path_exists(final_) ? exchange(&old) : move_into_place());
  // Before the old folder is removed: after a crash, one of them must exist.
  GLS_TRY(sync_folder(parent_of(final_)));
  if (!old.empty()) {
    remove_tree(old);
  }
  return {};
}

}  // namespace gls
