#include "device/landing_pool.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace gls {
namespace {

constexpr uint64_t kLeast = uint64_t{2} << 20;  // what a device gives at least

}  // namespace

LandingPool::~LandingPool() {
  for (const auto& [bytes, memory] : free_) {
    device_->gpu().release_shared(memory);
  }
}

bool LandingPool::host_writes() const {
  device::GpuInfo info;
  device_->gpu().info(&info);
  return info.host_writes;
}

// There is never more than was in use at once: what is too small makes room for what is not.
Result<SharedBytes> LandingPool::take(uint64_t bytes) {
  const uint64_t wanted = std::bit_ceil(std::max(bytes, kLeast));
  std::byte* memory = nullptr;
  std::byte* small = nullptr;
  uint64_t size = wanted;
  {
    const std::lock_guard lock(mutex_);
    auto found = free_.lower_bound(wanted);
    if (found == free_.end() && !free_.empty()) {
      small = std::prev(found)->second;
      free_.erase(std::prev(found));
    } else if (found != free_.end()) {
      size = found->first;
      memory = found->second;
      free_.erase(found);
    }
  }
  if (small != nullptr) {
    device_->gpu().release_shared(small);
  }
  if (memory == nullptr) {
    void* made = nullptr;
    device::GpuError failure;
    if (!device_->gpu().allocate_shared(size, &made, &failure)) {
      return status_of(failure);
    }
    memory = static_cast<std::byte*>(made);
  }
  return SharedBytes(memory, [self = shared_from_this(), size](std::byte* given) {
    self->give_back(size, given);
  });
}

void LandingPool::give_back(uint64_t bytes, std::byte* memory) {
  const std::lock_guard lock(mutex_);
  free_.emplace(bytes, memory);
}

}  // namespace gls
