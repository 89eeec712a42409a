// GPU memory in stream order, and pinned host memory.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "cuda/primitives/arena.h"
#include "cuda/runtime/failure.h"
#include "device/gpu.h"

namespace gls::cuda {

// A growing block of GPU memory, allocated in stream order.
class DeviceBlock {
 public:
  DeviceBlock(device::Gpu& gpu, device::Stream stream) : gpu_(&gpu), stream_(stream) {}
  ~DeviceBlock() {
    if (!borrowed_) {
      gpu_->release(data_, stream_);
    }
  }
  DeviceBlock(DeviceBlock&& other) noexcept
      : gpu_(other.gpu_),
        stream_(other.stream_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        borrowed_(std::exchange(other.borrowed_, false)) {}
  DeviceBlock& operator=(DeviceBlock&&) = delete;

  // Uses a part of another block, until it needs more.
  void borrow(void* memory, uint64_t bytes) {
    data_ = memory;
    bytes_ = bytes;
    borrowed_ = true;
  }

  // Makes room for this many bytes, and keeps the first `used` bytes.
  bool reserve(uint64_t bytes, uint64_t used, device::GpuError* error) {
    if (bytes <= bytes_) {
      return true;
    }
    DeviceBlock larger(*gpu_, stream_);
    if (!gpu_->allocate(bytes, stream_, &larger.data_, error)) {
      return false;
    }
    larger.bytes_ = bytes;
    if (used > 0 && !good(cudaMemcpyAsync(larger.data_, data_, used, cudaMemcpyDeviceToDevice,
                                          static_cast<cudaStream_t>(stream_)),
                          "moving an array", error)) {
      return false;
    }
    swap(&larger);
    return true;
  }
  char* data() const { return static_cast<char*>(data_); }
  uint64_t bytes() const { return bytes_; }
  void swap(DeviceBlock* other) {
    std::swap(data_, other->data_);
    std::swap(bytes_, other->bytes_);
    std::swap(borrowed_, other->borrowed_);
  }
  void* give() {
    bytes_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  device::Gpu* gpu_;
  device::Stream stream_;
  void* data_ = nullptr;
  uint64_t bytes_ = 0;
  bool borrowed_ = false;
};

// Its contents are lost when it grows.
class PinnedBlock {
 public:
  explicit PinnedBlock(device::Gpu& gpu) : gpu_(gpu) {}
  ~PinnedBlock() { clear(); }
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  bool reserve(uint64_t bytes, device::GpuError* error) {
    if (bytes <= bytes_) {
      return true;
    }
    clear();
    // A little more, because batches differ.
    if (!gpu_.allocate_pinned(bytes + bytes / 4, &data_, error)) {
      data_ = nullptr;
      return false;
    }
    bytes_ = bytes + bytes / 4;
    return true;
  }
  char* data() const { return static_cast<char*>(data_); }

 private:
  void clear() {
    if (data_ != nullptr) {
      gpu_.release_pinned(data_);
    }
    data_ = nullptr;
    bytes_ = 0;
  }

  device::Gpu& gpu_;
  void* data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace gls::cuda
