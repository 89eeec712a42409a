// A GPU of this process, with its streams, its memory, and pinned host memory. device/gpu.h defines
// its abilities.
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

// Streams of other code that read some memory.
class StreamReaders {
 public:
  void add(device::Stream stream);
  // Calls `visit` for each stream; no stream is added meanwhile.
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

// One loan of a stream that the device owns.
struct StreamLoan {
  explicit StreamLoan(device::Stream loaned) : stream(loaned) {}
  device::Stream stream;
  std::atomic<bool> done{false};  // all queued work is done
};

// A borrowed stream of the device. It is returned when no work is queued on it.
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
  // Waits for the queued work, and returns its errors. Also called before the stream is returned.
  // Objects that the stream uses must live until then.
  Status finish() const;

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<StreamLoan> loan_;
};

// Device memory that owns tensors.
class DeviceMemory {
 public:
  // Takes ownership of `data`, which was allocated on a stream of the device.
  DeviceMemory(void* data, const DeviceStream& home, std::shared_ptr<StreamReaders> readers)
      : device_(home.shared_device()),
        data_(data),
        home_(home.loan()),
        readers_(std::move(readers)) {}
  // The memory is reused after work that is queued now: on its stream, if that is still on this
  // loan, and on its readers.
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

// Borrowed host memory for copies. No queued work may use it when it is returned.
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

// One GPU, which lends streams and pinned buffers and allocates memory.
class Device : public std::enable_shared_from_this<Device> {
 public:
  // Opens the device with this number, which the process shares. GLS_ERR_UNSUPPORTED: the plugin,
  // the driver or the device is missing, and the text says which.
  static Result<std::shared_ptr<Device>> open(int32_t id);
  // The number of devices; also 0 if they cannot be used. open() reports the reason.
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
  // Whether this process uses the device, in any library. Opening and describing a device do not
  // use it.
  bool in_use() const { return gpu_->in_use(); }

  // Limits the free memory that batches returned; see device::Gpu.
  Status keep_free(uint64_t bytes);
  Result<DeviceStream> stream();
  Result<std::shared_ptr<DeviceMemory>> allocate(uint64_t bytes, const DeviceStream& stream,
                                                 std::shared_ptr<StreamReaders> readers = nullptr);
  Result<PinnedBuffer> pinned(uint64_t bytes);
  // A forked child leaves inherited objects unchanged.
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
