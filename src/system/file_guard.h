// Files that are cut short, or become unreadable, while they are mapped. Reading such a page raises
// SIGBUS, which ends a process. Here the page reads as zeros, the file counts as damaged, and those
// that deliver what was read ask whether it is (docs/decisions/0088-mapped-files-cut-short.md).
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace gls {

// Sets the handler of SIGBUS, in front of others. What is not of a guarded file, or comes from a
// thread outside of a FileReadScope, goes to the handler that was there before.
void install_file_guard();

// While one exists, reads of its thread are guarded.
class FileReadScope {
 public:
  FileReadScope();
  ~FileReadScope();
  FileReadScope(const FileReadScope&) = delete;
  FileReadScope& operator=(const FileReadScope&) = delete;
};

struct GuardedFile;
// `data` is where the file is mapped; `path` is for errors. Throws std::bad_alloc.
GuardedFile* guard_file(const void* data, size_t bytes, const std::string& path);
// Before it is unmapped.
void unguard_file(GuardedFile* file);

// An error that names a file which was damaged, and is still mapped. Without one it takes a load.
Status check_mapped_files();
// The same of the file that `data` is in alone.
Status check_mapped_file(const void* data);
// Whether one of the two may be an error.
bool any_file_damaged();

}  // namespace gls
