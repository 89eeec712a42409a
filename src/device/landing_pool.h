// Memory of a device that others than its streams write to, as network cards do. It is kept from
// use to use, as those make themselves known to it, which takes long.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/memory.h"
#include "device/device.h"

namespace gls {

// Any thread.
class LandingPool : public std::enable_shared_from_this<LandingPool> {
 public:
  static std::shared_ptr<LandingPool> make(std::shared_ptr<Device> device) {
    return std::shared_ptr<LandingPool>(new LandingPool(std::move(device)));
  }
  ~LandingPool();
  LandingPool(const LandingPool&) = delete;
  LandingPool& operator=(const LandingPool&) = delete;

  // So many bytes at least, until the last owner lets go: nothing that is queued may need it then.
  Result<SharedBytes> take(uint64_t bytes);
  // Whether the processor writes it as its own.
  bool host_writes() const;

 private:
  explicit LandingPool(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  void give_back(uint64_t bytes, std::byte* memory);

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::multimap<uint64_t, std::byte*> free_;  // by size
};

}  // namespace gls
