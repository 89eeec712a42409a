// A GPU of this process: its streams and memory, and memory of the host beside it. What it can do
// is in device/gpu.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/status.h"
#include "device/gpu.h"
#include "tensor/tensor.h"

namespace gls {

class Device;

// Streams of others that work with what is in some memory.
class StreamReaders {
 public:
  void add(device::Stream stream);
  // Calls `visit` for each; meanwhile nobody adds any.
  template <typename Visit>
  void each(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (const device::Stream stream : streams_) {
      visit(stream);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::vector<device::Stream> streams_;
};

// One loan of a stream of the device's own.
struct StreamLoan {
  explicit StreamLoan(device::Stream loaned) : stream(loaned) {}
  device::Stream stream;
  std::atomic<bool> done{false};  // with all that was queued
};

// A stream of the device's own, on loan. Given back once nothing is queued on it.
class DeviceStream {
 public:
  DeviceStream(std::shared_ptr<Device> device, device::Stream stream);
  ~DeviceStream();
  DeviceStream(DeviceStream&& other) noexcept = default;
  DeviceStream& operator=(DeviceStream&&) = delete;

  Device& device() const { return *device_; }
  const std::shared_ptr<Device>& shared_device() const { return device_; }
  device::Gpu& gpu() const;
  device::Stream get() const { return loan_->stream; }
  const std::shared_ptr<StreamLoan>& loan() const { return loan_; }
  // Waits for what is queued; an error of any of it. Also called before it is given back, so that
  // what is used on it must live until either.
  Status finish() const;

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<StreamLoan> loan_;
};

// Memory of a device: what owns tensors that lie on one.
class DeviceMemory {
 public:
  // Takes `data`, which was allocated on a stream of the device's own.
  DeviceMemory(void* data, const DeviceStream& home, std::shared_ptr<StreamReaders> readers)
      : device_(home.shared_device()),
        data_(data),
        home_(home.loan()),
        readers_(std::move(readers)) {}
  // Others may have it once what is queued by now is done, on its stream as long as that is on this
  // loan, and by its readers.
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* data() const { return data_; }
  const std::shared_ptr<StreamReaders>& readers() const { return readers_; }

 private:
  std::shared_ptr<Device> device_;
  void* data_;
  std::shared_ptr<StreamLoan> home_;
  std::shared_ptr<StreamReaders> readers_;  // may be NULL
};

// Memory of the host for copies, on loan. Nothing queued may use it when it is given back.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(std::shared_ptr<Device> device, void* data, uint64_t bytes)
      : device_(std::move(device)), data_(data), bytes_(bytes) {}
  ~PinnedBuffer();
  PinnedBuffer(PinnedBuffer&& other) noexcept { *this = std::move(other); }
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
  uint64_t bytes_ = 0;
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  // That of the number, which all of this process share. GLS_ERR_UNSUPPORTED: there is no plugin,
  // no driver or no such device, and the text says which.
  static Result<std::shared_ptr<Device>> open(int32_t id);
  // How many there are; 0 also where they cannot be used, of which open() says why.
  static int32_t count();
  explicit Device(device::Gpu* gpu, int32_t id);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int32_t id() const { return id_; }
  DLDevice dl() const { return {kDLCUDA, id_}; }
  const device::GpuInfo& info() const { return info_; }
  device::Gpu& gpu() const { return *gpu_; }
  Result<uint64_t> free_memory() const;
  // Whether this process has anything there, whoever it is of. To be opened and described it needs
  // nothing.
  bool in_use() const { return gpu_->in_use(); }

  // Of what batches gave back, see device::Gpu.
  Status keep_free(uint64_t bytes);
  Result<DeviceStream> stream();
  Result<std::shared_ptr<DeviceMemory>> allocate(uint64_t bytes, const DeviceStream& stream,
                                                 std::shared_ptr<StreamReaders> readers = nullptr);
  Result<PinnedBuffer> pinned(uint64_t bytes);
  // What a forked child inherits is left as it is.
  bool in_forked_child() const;

 private:
  friend class DeviceStream;
  friend class DeviceMemory;
  friend class PinnedBuffer;
  void give_back(StreamLoan* loan);
  void give_back(void* pinned, uint64_t bytes);
  void release(void* memory, const StreamLoan& home, const StreamReaders* readers);

  device::Gpu* gpu_;
  int32_t id_;
  device::GpuInfo info_;
  uint32_t fork_generation_;
  std::mutex mutex_;
  std::vector<device::Stream> idle_streams_;
  std::vector<std::pair<uint64_t, void*>> idle_pinned_;
  uint64_t idle_pinned_bytes_ = 0;
};

Status status_of(const device::GpuError& error);

}  // namespace gls
