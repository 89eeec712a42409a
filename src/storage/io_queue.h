// Asynchronous reads and writes of byte ranges of files: by io_uring where the system allows it,
// else by threads that call pread() and pwrite().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "system/file_descriptor.h"

namespace gls {

// Offsets, lengths and memory of direct requests are multiples of it.
inline constexpr uint64_t kDirectAlignment = 4096;
// The next multiple of `to`.
constexpr uint64_t aligned(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

// A file that requests name. It must live until they are done.
class StorageFile {
 public:
  // Direct requests bypass the page cache where the file system can do so.
  static Result<StorageFile> open(const std::string& path, bool direct);
  // A file without a name in `folder`, to be written and read. The system removes it when the
  // process ends, however that happens. Fails if the file system cannot do so.
  static Result<StorageFile> create_unnamed(const std::string& folder, bool direct);

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }  // when it was opened
  bool direct() const { return direct_; }
  int fd() const { return fd_.get(); }
  // Gives the space of a range back to the file system, if that is able to do so.
  void discard(uint64_t offset, uint64_t bytes) const;

 private:
  StorageFile(std::string path, FileDescriptor fd, uint64_t size, bool direct)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size), direct_(direct) {}

  std::string path_;
  FileDescriptor fd_;
  uint64_t size_;
  bool direct_;
};

struct IoRequest {
  enum class Kind : uint8_t { kRead, kWrite };
  Kind kind = Kind::kRead;
  const StorageFile* file = nullptr;
  uint64_t offset = 0;
  std::byte* data = nullptr;  // of at least `bytes`; a write only reads it
  uint64_t bytes = 0;
  uint64_t tag = 0;  // the caller's own
};

struct IoResult {
  uint64_t tag = 0;
  uint64_t bytes = 0;  // fewer than requested only where a file opened for reading ends
  Status status;       // an error names the file and the offset
};

enum class IoWay : uint8_t { kUring, kThreads };

struct IoOptions {
  std::optional<IoWay> way;  // not set: io_uring if the system has it
  uint32_t depth = 64;       // requests under way at once
  uint32_t threads = 16;     // at most, for kThreads
};

// Does the whole request on the calling thread.
IoResult run_request(const IoRequest& request);

// One thread at a time uses a queue. In a forked child it must only be destroyed.
class IoQueue {
 public:
  // An error: the requested way is impossible, or memory is lacking.
  static Result<std::unique_ptr<IoQueue>> open(const IoOptions& options);
  IoQueue() = default;
  IoQueue(const IoQueue&) = delete;
  IoQueue& operator=(const IoQueue&) = delete;
  // Waits for all requests under way.
  virtual ~IoQueue() = default;

  virtual IoWay way() const = 0;
  virtual uint32_t depth() const = 0;
  // Requests that were submitted and whose results were not returned.
  virtual uint32_t under_way() const = 0;
  // Begins a request, at the latest in the next wait(). There must be room: under_way() < depth().
  // Throws std::bad_alloc.
  virtual void submit(const IoRequest& request) = 0;
  // Waits for the next finished request, in any order. At least one must be under way. An error is
  // the queue's own: that of a request is in its result.
  virtual Result<IoResult> wait() = 0;
};

}  // namespace gls
