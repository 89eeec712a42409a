#include "feed/slot.h"

namespace gls {

void Returns::add(std::list<uint64_t>* offset) {
  {
    const std::lock_guard lock(mutex_);
    offsets_.splice(offsets_.end(), *offset);
  }
  signal_->raise();
}

std::list<uint64_t> Returns::take() {
  std::list<uint64_t> out;
  const std::lock_guard lock(mutex_);
  out.swap(offsets_);
  return out;
}

Slot::~Slot() {
  if (taken_ && !sent_.load()) {
    returns_->add(&offset_);
  }
}

}  // namespace gls
