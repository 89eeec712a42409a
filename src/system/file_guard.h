// Handles mapped files that are truncated or become unreadable. Reading such a page raises SIGBUS,
// which would end the process. With this guard the page reads as zeros, and the file counts as
// damaged. Code that returns data from files checks for that first
// (docs/decisions/0088-mapped-files-cut-short.md).
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace gls {

// Sets the handler of SIGBUS before other handlers. The previous handler receives signals that do
// not concern a guarded file, or that occur outside of a FileReadScope.
void install_file_guard();

// While one exists, reads by its thread are guarded.
class FileReadScope {
 public:
  FileReadScope();
  ~FileReadScope();
  FileReadScope(const FileReadScope&) = delete;
  FileReadScope& operator=(const FileReadScope&) = delete;
};

struct GuardedFile;
// `data` is the address of the mapping; `path` is for errors. Throws std::bad_alloc.
GuardedFile* guard_file(const void* data, size_t bytes, const std::string& path);
// Call it before the file is unmapped.
void unguard_file(GuardedFile* file);

// An error that names a damaged file which is still mapped. Without damage, the check is one load.
Status check_mapped_files();
// Checks only the file that contains `data`.
Status check_mapped_file(const void* data);
// Whether one of the two checks may return an error.
bool any_file_damaged();

}  // namespace gls
