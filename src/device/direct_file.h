// Files that a device reads directly from storage, without host memory (GPUDirect Storage), and the
// device memory for that. docs/decisions/0077.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "system/file_descriptor.h"
#include "system/mapped_ranges.h"

namespace gls {

// One file that a device can read directly.
class DirectFile {
 public:
  // Opens the mapped file. GLS_ERR_UNSUPPORTED, with the detail "file": it cannot be read directly,
  // and the text says why.
  static Result<std::shared_ptr<const DirectFile>> open(std::shared_ptr<Device> device,
                                                        const MappedRange& mapped);
  ~DirectFile();
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;

  device::GpuFile& get() const { return *file_; }
  const std::string& path() const { return path_; }

 private:
  DirectFile(std::shared_ptr<Device> device, std::string path, FileDescriptor fd)
      : device_(std::move(device)), path_(std::move(path)), fd_(std::move(fd)) {}

  std::shared_ptr<Device> device_;
  std::string path_;
  FileDescriptor fd_;
  device::GpuFile* file_ = nullptr;
};

// Readers of a device that all threads of the process share: at most four, or as many as fit in
// memory, each with two pieces of memory.
class DirectReaders {
 public:
  static constexpr uint64_t kPiece = uint64_t{8} << 20;
  static constexpr size_t kPieces = 2;

  // The readers that all users share.
  static std::shared_ptr<DirectReaders> of(const std::shared_ptr<Device>& device);
  ~DirectReaders();
  DirectReaders(const DirectReaders&) = delete;
  DirectReaders& operator=(const DirectReaders&) = delete;

  // One borrowed reader. No queued work may use its memory when it is returned.
  class Loan {
   public:
    Loan(DirectReaders& readers, device::GpuFileReader* reader)
        : readers_(&readers), reader_(reader) {}
    ~Loan();
    Loan(Loan&& other) noexcept
        : readers_(other.readers_),
          reader_(std::exchange(other.reader_, nullptr)),
          failed_(other.failed_) {}
    Loan& operator=(Loan&&) = delete;
    std::byte* piece(size_t number) const {
      return static_cast<std::byte*>(reader_->memory()) + number * kPiece;
    }
    Status read(const DirectFile& file, std::span<const device::FilePart> parts);

   private:
    DirectReaders* readers_;
    device::GpuFileReader* reader_;
    bool failed_ = false;
  };
  // Waits for a reader. An error: not even one can be made, or all are lost.
  Result<Loan> take();

 private:
  explicit DirectReaders(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  void give_back(device::GpuFileReader* reader, bool failed);

  std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  size_t most_ = 4;  // without the lost ones
  size_t lent_ = 0;
  std::vector<device::GpuFileReader*> idle_;
};

}  // namespace gls
