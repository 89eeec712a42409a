// Files: mapping for reading, buffered writing, and folders that appear completely or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "system/file_descriptor.h"
#include "system/file_guard.h"

namespace gls {

// Whether links in a folder may lead out of it.
enum class Links : uint8_t { kInside, kAnywhere };

// A whole file, mapped read-only and guarded against truncation (system/file_guard.h).
class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // Opens the file `name` of a folder, which itself may be a link.
  static Result<std::shared_ptr<const MappedFile>> open_in(const std::string& folder,
                                                           const std::string& name, Links links);
  // Maps an open file. `path` is for messages.
  static Result<std::shared_ptr<const MappedFile>> of(const FileDescriptor& fd,
                                                      const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(std::string path, const std::byte* data, size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}
  GuardedFile* guarded_ = nullptr;
  std::string path_;
  const std::byte* data_;
  size_t size_;
};

// open(), repeated when a signal interrupts it. Programs that this process starts do not inherit
// the descriptor. It is -1 on an error, which errno names.
FileDescriptor open_descriptor(const std::string& path, int flags, unsigned mode = 0);
// An error: it is not a regular file.
Result<FileDescriptor> open_to_read(const std::string& path);
// As open_to_read(), for the file `name` of a folder.
Result<FileDescriptor> open_to_read_in(const std::string& folder, const std::string& name,
                                       Links links);
// An error: a link leads out of the folder. A file that does not exist is not an error.
Status check_inside(const std::string& folder, const std::string& name, Links links);
Result<std::string> read_text_file(const std::string& path, size_t max_bytes);
bool path_exists(const std::string& path);

// A sequential writer with its own buffer. close() must be called; it reports whether every byte
// reached the disk.
class FileWriter {
 public:
  static constexpr size_t kBuffer = size_t{1} << 20;
  static Result<FileWriter> create(const std::string& path, size_t buffer = kBuffer);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;
  ~FileWriter();

  Status write(std::span<const std::byte> bytes);
  Status write_at(uint64_t offset, std::span<const std::byte> bytes);  // flushes first
  uint64_t size() const { return written_ + buffer_.size(); }
  const std::string& path() const { return path_; }
  Status close(bool sync);

 private:
  FileWriter(std::string path, int fd, size_t buffer);
  Status flush();

  std::string path_;
  int fd_ = -1;
  uint64_t written_ = 0;
  std::vector<std::byte> buffer_;
};

// Suffix of folders under construction, and of old ones about to be removed.
inline constexpr std::string_view kPartialSuffix = ".partial";

struct FolderOptions {
  // Whether `folder`, which is not a link, may be replaced. NULL: nothing may.
  bool (*may_replace)(const std::string& folder) = nullptr;
  // renameat2() between two paths; 0, or -1 and errno. Only tests set another function.
  int (*rename)(const char* from, const char* to, unsigned flags) = nullptr;
};

// A folder under construction beside its final place. Until commit(), its name ends in
// kPartialSuffix. If it is not committed, the destructor removes it.
class FolderWriter {
 public:
  static Result<FolderWriter> create(const std::string& final_path, const FolderOptions& options);
  FolderWriter(FolderWriter&& other) noexcept;
  FolderWriter& operator=(FolderWriter&&) = delete;
  ~FolderWriter();

  const std::string& working_path() const { return working_; }
  std::string file(const std::string& name) const { return working_ + "/" + name; }
  // Syncs the folder and renames it to its final name.
  Status commit();

 private:
  FolderWriter(std::string final_path, std::string working, const FolderOptions& options)
      : final_(std::move(final_path)), working_(std::move(working)), options_(options) {}
  Status sync_all() const;
  Status move_into_place();
  Status exchange(std::string* old);

  std::string final_;
  std::string working_;
  FolderOptions options_;
};

Status make_folders(const std::string& path);
void remove_tree(const std::string& path) noexcept;
// Bytes that can still be written to the file system of `path`; UINT64_MAX: unknown.
uint64_t free_space(const std::string& path);

}  // namespace gls
