// Memory of a device that others than its streams write to, as network cards do. It is kept from
// use to use, as those make themselves known to it, which takes long.
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

class Landing {
 public:
  std::byte* data() const { return static_cast<std::byte*>(memory_->data()); }
  // Somebody may write there even when its last owner has let go: nobody else is given it.
  void distrust() { trusted_ = false; }

 private:
  friend class LandingPool;
  Landing(std::shared_ptr<PeerMemory> memory, uint64_t size)
      : memory_(std::move(memory)), size_(size) {}

  std::shared_ptr<PeerMemory> memory_;
  uint64_t size_;
  std::atomic<bool> trusted_ = true;
};

// Any thread.
class LandingPool : public std::enable_shared_from_this<LandingPool> {
 public:
  static std::shared_ptr<LandingPool> make(std::shared_ptr<Device> device) {
    return std::shared_ptr<LandingPool>(new LandingPool(std::move(device)));
  }

  // So many bytes at least, until the last owner lets go: nothing that is queued may need it then.
  Result<std::shared_ptr<Landing>> take(uint64_t bytes);
  // Whether the processor writes it as its own.
  bool host_writes() const;

 private:
  explicit LandingPool(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  using Landings = std::vector<std::unique_ptr<Landing>>;
  Result<std::unique_ptr<Landing>> allocate(uint64_t size);
  std::unique_ptr<Landing> find(uint64_t size);
  void give_back(std::unique_ptr<Landing> landing) noexcept;

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  size_t on_loan_ = 0;
  Landings free_;        // has room for all that are on loan, so that giving back takes no memory
  Landings distrusted_;  // likewise
};

}  // namespace gls
