// Memory that channels let the other side read. A key is valid in one domain, and each channel has
// its own domain. A channel therefore registers memory when its other side asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace gls::net {

using OfiBytes = std::span<const std::byte>;

// Names memory for the other side, which reads it.
struct OfiKey {
  uint64_t key;
  uint64_t base;  // subtracted from addresses in reads
};

// Any thread.
class OfiMemory {
 public:
  // The number by which the other side requests it.
  uint64_t add(OfiBytes memory) {
    const std::lock_guard lock(mutex_);
    all_.push_back(memory);
    return all_.size() - 1;
  }
  // Empty memory at address zero: the number is unknown.
  OfiBytes find(uint64_t number) const {
    const std::lock_guard lock(mutex_);
    return number < all_.size() ? all_[number] : OfiBytes();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<OfiBytes> all_;
};

}  // namespace gls::net
