// Device memory that network cards write to. It is reused, because registering memory with a card
// takes long.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/device.h"
#include "device/peer/peer_memory.h"

namespace gls {

// One buffer in device memory that network cards can write to.
class RdmaBuffer {
 public:
  std::byte* data() const { return static_cast<std::byte*>(memory_->data()); }
  // A card may still write there after the last owner is gone, so the memory is not reused.
  void distrust() { trusted_ = false; }

 private:
  friend class RdmaBufferPool;
  RdmaBuffer(std::shared_ptr<PeerMemory> memory, uint64_t size)
      : memory_(std::move(memory)), size_(size) {}

  std::shared_ptr<PeerMemory> memory_;
  uint64_t size_;
  std::atomic<bool> trusted_ = true;
};

// Any thread.
class RdmaBufferPool : public std::enable_shared_from_this<RdmaBufferPool> {
 public:
  static std::shared_ptr<RdmaBufferPool> make(std::shared_ptr<Device> device) {
    return std::shared_ptr<RdmaBufferPool>(new RdmaBufferPool(std::move(device)));
  }

  // Memory of at least this many bytes, until the last owner is gone. No queued work may need it
  // then.
  Result<std::shared_ptr<RdmaBuffer>> take(uint64_t bytes);
  // Whether the CPU can write the memory directly.
  bool host_writes() const;

 private:
  explicit RdmaBufferPool(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  using Landings = std::vector<std::unique_ptr<RdmaBuffer>>;
  Result<std::unique_ptr<RdmaBuffer>> allocate(uint64_t size);
  std::unique_ptr<RdmaBuffer> find(uint64_t size);
  void give_back(std::unique_ptr<RdmaBuffer> landing) noexcept;

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  size_t on_loan_ = 0;
  Landings free_;        // has room for all borrowed entries, so that returning one needs no memory
  Landings distrusted_;  // has room for all borrowed entries, too
};

}  // namespace gls
