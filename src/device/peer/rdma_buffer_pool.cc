#include "device/peer/rdma_buffer_pool.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace gls {
namespace {

constexpr uint64_t kLeast = uint64_t{2} << 20;  // the smallest allocation of a device

}  // namespace

bool RdmaBufferPool::host_writes() const {
  device::GpuInfo info;
  device_->gpu().info(&info);
  return info.host_writes;
}

// Sizes are powers of two. Each size has as many entries as were in use at once.
Result<std::shared_ptr<RdmaBuffer>> RdmaBufferPool::take(uint64_t bytes) {
  const uint64_t size = std::bit_ceil(std::max(bytes, kLeast));
  std::unique_ptr<RdmaBuffer> landing = find(size);
  if (landing == nullptr) {
    GLS_ASSIGN(landing, allocate(size));
  }
  {
    const std::lock_guard lock(mutex_);
    free_.reserve(free_.size() + on_loan_ + 1);
    distrusted_.reserve(distrusted_.size() + on_loan_ + 1);
    ++on_loan_;
  }
  return std::shared_ptr<RdmaBuffer>(landing.release(),
                                     [self = shared_from_this()](RdmaBuffer* given) {
                                       self->give_back(std::unique_ptr<RdmaBuffer>(given));
                                     });
}

// NULL: no free entry. Frees memory that is not trusted, which waits for the device.
std::unique_ptr<RdmaBuffer> RdmaBufferPool::find(uint64_t size) {
  Landings gone;
  const std::lock_guard lock(mutex_);
  gone.reserve(distrusted_.size());
  std::move(distrusted_.begin(), distrusted_.end(), std::back_inserter(gone));
  distrusted_.clear();
  const auto found = std::find_if(free_.begin(), free_.end(),
                                  [size](const auto& each) { return each->size_ == size; });
  if (found == free_.end()) {
    return nullptr;
  }
  std::unique_ptr<RdmaBuffer> landing = std::move(*found);
  free_.erase(found);
  return landing;
}

Result<std::unique_ptr<RdmaBuffer>> RdmaBufferPool::allocate(uint64_t size) {
  Result<std::shared_ptr<PeerMemory>> memory = PeerMemory::allocate(device_, size);
  if (!memory.ok() && memory.status().code() == GLS_ERR_OUT_OF_MEMORY) {
    {
      Landings idle;
      const std::lock_guard lock(mutex_);
      idle.swap(free_);
      free_.reserve(on_loan_);
    }
    memory = PeerMemory::allocate(device_, size);
  }
  if (!memory.ok()) {
    return std::move(memory.status());
  }
  return std::unique_ptr<RdmaBuffer>(new RdmaBuffer(memory.take(), size));
}

void RdmaBufferPool::give_back(std::unique_ptr<RdmaBuffer> landing) noexcept {
  const std::lock_guard lock(mutex_);
  --on_loan_;
  (landing->trusted_ ? free_ : distrusted_).push_back(std::move(landing));
}

}  // namespace gls
