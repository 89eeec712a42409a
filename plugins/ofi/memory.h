// What lanes let the other side read. A key is good in one domain alone, and each lane has its own:
// it registers memory when its other side asks for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace gls::net {

using OfiBytes = std::span<const std::byte>;

// How the other side names memory that it reads.
struct OfiKey {
  uint64_t key;
  uint64_t base;  // addresses are told less by this much
};

// Any thread.
class OfiMemory {
 public:
  // Its number, by which the other side asks for it.
  uint64_t add(OfiBytes memory) {
    const std::lock_guard lock(mutex_);
    all_.push_back(memory);
    return all_.size() - 1;
  }
  // Of nothing at address zero: there is no such number.
  OfiBytes find(uint64_t number) const {
    const std::lock_guard lock(mutex_);
    return number < all_.size() ? all_[number] : OfiBytes();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<OfiBytes> all_;
};

}  // namespace gls::net
