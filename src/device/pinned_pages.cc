#include "device/pinned_pages.h"

#include <atomic>
#include <utility>

#include "base/cpu.h"

namespace gls {
namespace {

constexpr const char* kSetting = "device.pinned_memory";

std::atomic<uint64_t> pinned_now{0};  // by this process, for all devices

// Taken, or not.
bool take(uint64_t bytes, uint64_t most) {
  uint64_t now = pinned_now.load(std::memory_order_relaxed);
  do {
    if (bytes > most || now > most - bytes) {
      return false;
    }
  } while (!pinned_now.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed));
  return true;
}

void give_back(uint64_t bytes) { pinned_now.fetch_sub(bytes, std::memory_order_relaxed); }

}  // namespace

uint64_t PinnedPages::most(const Settings& settings) {
  const uint64_t given = settings.bytes(Setting::kDevicePinnedMemory);
  return given != 0 ? given : usable_memory() / 2;
}

PinnedPages PinnedPages::pin(std::shared_ptr<Device> device, const void* data, uint64_t bytes,
                             uint64_t most) {
  PinnedPages out;
  if (!take(bytes, most)) {
    return out;
  }
  device::GpuError ignored;  // not every system lets a device read pages of files
  if (!device->gpu().pin(data, bytes, &out.seen_, &ignored)) {
    give_back(bytes);
    return out;
  }
  out.device_ = std::move(device);
  out.data_ = const_cast<void*>(data);
  out.bytes_ = bytes;
  return out;
}

Result<PinnedPages> PinnedPages::allocate(std::shared_ptr<Device> device, uint64_t bytes,
                                          uint64_t most) {
  if (!take(bytes, most)) {
    return error(GLS_ERR_OUT_OF_MEMORY,
                 "{} bytes for a GPU to read in place are more than there may be beside {}; {} is "
                 "{}",
                 bytes, pinned_now.load(std::memory_order_relaxed), kSetting, most)
        .with("argument", kSetting);
  }
  PinnedPages out;
  device::GpuError failure;
  if (!device->gpu().allocate_pinned(bytes, &out.data_, &failure)) {
    give_back(bytes);
    return status_of(failure);
  }
  out.device_ = std::move(device);
  out.seen_ = out.data_;
  out.bytes_ = bytes;
  out.allocated_ = true;
  return out;
}

PinnedPages::~PinnedPages() {
  if (device_ == nullptr) {
    return;
  }
  if (!device_->in_forked_child()) {
    if (allocated_) {
      device_->gpu().release_pinned(data_);
    } else {
      device_->gpu().unpin(data_);
    }
  }
  give_back(bytes_);
}

PinnedPages& PinnedPages::operator=(PinnedPages&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(seen_, other.seen_);
  std::swap(bytes_, other.bytes_);
  std::swap(allocated_, other.allocated_);
  return *this;
}

bool is_beyond_pinned(const Status& status) {
  const std::string* const argument = status.ok() ? nullptr : status.detail("argument");
  return argument != nullptr && *argument == kSetting;
}

}  // namespace gls
