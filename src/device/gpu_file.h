// What the plugin reads from storage straight into memory of a device: a part of device/gpu.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gls::device {

struct GpuError;

// What storage is read in.
inline constexpr uint64_t kFileBlock = 4096;

// Of a file to memory. All three are multiples of kFileBlock, but for `bytes` at the end of a file.
struct FilePart {
  uint64_t from;  // in the file
  uint64_t bytes;
  uint64_t to;  // in the memory of a reader
};

// Of one device. Any number of threads at once.
class GpuFile {
 public:
  // Once nobody reads it. False: a reader of it was lost; its descriptor must stay open for ever.
  virtual bool destroy() noexcept = 0;

 protected:
  ~GpuFile() = default;
};

class GpuFileReader {
 public:
  // Once nothing is queued that uses its memory. False: it is lost, and its memory stays for ever.
  virtual bool destroy() noexcept = 0;
  virtual void* memory() noexcept = 0;
  // All of them, many at a time, to memory that nothing queued uses. After an error nothing more
  // can be read. Waits for the end, after an error too, unless nobody can tell when that is: then
  // the reader is lost, since storage may write to its memory at any time. One thread at a time.
  virtual bool read(GpuFile& file, const FilePart* parts, size_t count,
                    GpuError* error) noexcept = 0;

 protected:
  ~GpuFileReader() = default;
};

}  // namespace gls::device
