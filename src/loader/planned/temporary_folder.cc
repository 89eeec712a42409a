#include "loader/planned/temporary_folder.h"

#include <linux/magic.h>
#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "storage/io_queue.h"

namespace gls {
namespace {

Result<TemporaryFolder> try_folder(const std::string& path) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) {
    return io_error("cannot use as a temporary folder", path, errno);
  }
  constexpr std::array<decltype(info.f_type), 2> kInMemory = {TMPFS_MAGIC, RAMFS_MAGIC};
  if (std::find(kInMemory.begin(), kInMemory.end(), info.f_type) != kInMemory.end()) {
    return error(GLS_ERR_INVALID_ARGUMENT, "{} is in memory, expected a folder on a disk", path)
        .with("file", path);
  }
  GLS_ASSIGN(const StorageFile file, StorageFile::create_unnamed(path, true));
  static_cast<void>(file);
  return TemporaryFolder{
      path, static_cast<uint64_t>(info.f_bavail) * static_cast<uint64_t>(info.f_bsize)};
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::find(const std::string& given, const std::string& file) {
  if (!given.empty()) {
    Result<TemporaryFolder> folder = try_folder(given);
    if (!folder.ok()) {
      return std::move(folder.status()).with("argument", "storage.folder");
    }
    return folder;
  }
  const char* const named = std::getenv("TMPDIR");
  for (const std::string& path :
       {std::filesystem::path(file).parent_path().string(),
        std::string(named != nullptr ? named : ""), std::string("/var/tmp")}) {
    if (Result<TemporaryFolder> folder = try_folder(path); !path.empty() && folder.ok()) {
      return folder;
    }
  }
  return TemporaryFolder();
}

}  // namespace gls
