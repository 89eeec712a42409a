// The plugin's reads from storage directly into device memory: a part of device/gpu.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gls::device {

struct GpuError;

// The unit of reads from storage.
inline constexpr uint64_t kFileBlock = 4096;

// A range of a file, and its destination. All three are multiples of kFileBlock, except `bytes` at
// the end of a file.
struct FilePart {
  uint64_t from;  // offset in the file
  uint64_t bytes;
  uint64_t to;  // offset in the memory of a reader
};

// Belongs to one device. Any number of threads may use it at once.
class GpuFile {
 public:
  // Call it when no reader uses it. False: one of its readers was lost, and its descriptor must
  // stay open forever.
  virtual bool destroy() noexcept = 0;

 protected:
  ~GpuFile() = default;
};

// Reads files into device memory of its own.
class GpuFileReader {
 public:
  // Call it when no queued work uses its memory. False: the reader is lost, and its memory stays
  // forever.
  virtual bool destroy() noexcept = 0;
  virtual void* memory() noexcept = 0;
  // Reads all parts, many at a time, to memory that no queued work uses. After an error, nothing
  // more can be read. Waits for the end, also after an error, unless the end cannot be detected.
  // Then the reader is lost, because storage may write to its memory at any time. One thread at a
  // time.
  virtual bool read(GpuFile& file, const FilePart* parts, size_t count,
                    GpuError* error) noexcept = 0;

 protected:
  ~GpuFileReader() = default;
};

}  // namespace gls::device
